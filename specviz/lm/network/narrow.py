"""Weights of four bits: less than a sixth of float32's memory traffic, and for most models another model.

Every 32 weights of a row become whole numbers from 0 to 15 times a step, plus the least of them: Q4_1 of GGUF, step and
least in float16. What was read from such a file is found again, number by number. The stock model gets the rounded
weights in place of its own, so that its forward pass, its fingerprint and what it says are those of the rounded model.
The output projection keeps its own weights, as in such files. For products in bfloat16 the step and the middle of each
32 are rounded once more.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from transformers import PreTrainedModel

from specviz.errors import ModelError

BLOCK, LARGEST = 32, 15
OUTPUTS = 16  # the product's outputs come in groups of so many


class Rounded(NamedTuple):
    """A weight [outputs, inputs] as ``numbers`` (uint8, 0 to 15) [outputs, inputs / 32, 32] times ``steps`` plus
    ``least`` (float16) [outputs, inputs / 32, 1]."""

    numbers: torch.Tensor
    steps: torch.Tensor
    least: torch.Tensor

    def weight(self) -> torch.Tensor:
        """As one matrix, float32."""
        return (self.steps.float() * self.numbers + self.least.float()).flatten(1)


def rounded(weight: torch.Tensor) -> Rounded:
    """``weight`` [outputs, inputs], inputs a multiple of 32, to four bits."""
    blocks = weight.detach().float().unflatten(1, (-1, BLOCK))
    least, most = blocks.aminmax(dim=-1, keepdim=True)
    steps, least = ((most - least) / LARGEST).half(), least.half()
    numbers = (blocks - least.float()) / steps.float().clamp_min(torch.finfo(torch.float32).tiny)
    return Rounded(numbers.round_().clamp_(0, LARGEST).to(torch.uint8), steps, least)


class FourBits(NamedTuple):
    """Rounded weights of the same inputs as one, their outputs in a row: ``numbers`` as torch packs them, ``scales``
    (bfloat16) [inputs / 32, outputs, 2], the step and the middle of each block."""

    numbers: torch.Tensor
    scales: torch.Tensor

    @classmethod
    def of(cls, parts: Sequence[Rounded]) -> "FourBits":
        """``parts``, whose outputs are a multiple of ``OUTPUTS`` together."""
        numbers, steps, least = (torch.cat(columns) for columns in zip(*parts, strict=True))
        middle = least.float() + (LARGEST + 1) // 2 * steps.float()
        scales = torch.cat([steps.float(), middle], dim=-1).transpose(0, 1).contiguous().to(torch.bfloat16)
        return cls(torch.ops.aten._convert_weight_to_int4pack_for_cpu(numbers.flatten(1).int(), 1), scales)

    def times(self, x: torch.Tensor) -> torch.Tensor:
        """``x`` (bfloat16) [rows, inputs] to [rows, outputs]."""
        return torch.ops.aten._weight_int4pack_mm_for_cpu(x, self.numbers, BLOCK, self.scales)


def round_weights(model: PreTrainedModel) -> dict[torch.nn.Linear, Rounded]:
    """Round the weight of every linear layer of ``model`` that reads whole blocks, in place, except the output
    projection's; what each became. Raises ModelError where there is none."""
    output = model.get_output_embeddings()
    layers = [layer for layer in model.modules() if type(layer) is torch.nn.Linear and layer is not output]
    narrowed = {layer: rounded(layer.weight) for layer in layers if layer.in_features % BLOCK == 0}
    if not narrowed:
        raise ModelError(f"bits would change nothing: no layer reads a multiple of {BLOCK} numbers", argument="bits")
    for layer, narrow in narrowed.items():
        layer.weight.data.copy_(narrow.weight())
    return narrowed
