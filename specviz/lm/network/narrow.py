"""Weights of eight bits: a quarter of float32's memory traffic, and another model.

Each row of a linear layer's weight becomes whole numbers from -127 to 127 times one scale, the nearest such numbers
(absmax rounding; Dettmers et al. 2022, "LLM.int8()", section 2.1, with one scale for an output). Inputs and sums keep
the model's dtype. The stock model gets the rounded weights in place of its own, so that every forward pass of it, its
fingerprint and what it says are those of the rounded model.
"""

from typing import NamedTuple

import torch
from transformers import PreTrainedModel

LARGEST = 127


class Rounded(NamedTuple):
    """A weight [outputs, inputs] as ``numbers`` (int8, same shape) times ``scales`` [outputs, in the model's dtype]."""

    numbers: torch.Tensor
    scales: torch.Tensor

    def weight(self) -> torch.Tensor:
        """As one matrix, in the dtype of the scales."""
        return (self.numbers.float() * self.scales.float()[:, None]).to(self.scales.dtype)


def rounded(weight: torch.Tensor) -> Rounded:
    """``weight`` [outputs, inputs] to eight bits. A row of zeros stays one."""
    largest = weight.detach().float().abs().amax(dim=1)
    scales = (largest / LARGEST).to(weight.dtype)
    numbers = weight.detach().float() / scales.float().clamp_min(torch.finfo(torch.float32).tiny)[:, None]
    return Rounded(numbers.round_().clamp_(-LARGEST, LARGEST).to(torch.int8), scales)


def round_weights(model: PreTrainedModel) -> dict[torch.nn.Linear, Rounded]:
    """Round the weight of every linear layer of ``model`` in place, a tied embedding with it; what each became."""
    layers = [layer for layer in model.modules() if type(layer) is torch.nn.Linear]
    found = {layer: rounded(layer.weight) for layer in layers}
    for layer, narrow in found.items():
        layer.weight.data.copy_(narrow.weight())
    return found
