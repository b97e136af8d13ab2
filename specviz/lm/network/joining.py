"""How a draft joins what its target's rows say to the embedding of the token that follows: EAGLE's way, and EAGLE-3's.

``J [e ; s]`` with one matrix is EAGLE's (Li et al., 2024, arXiv 2401.15077): e is a token's embedding, s the target's
last state at the token before, and the draft's own is of the same kind. EAGLE-3 (Li et al., 2025, arXiv 2503.01840)
reads several layers of the target, low, middle and high; ``fc`` makes a state as wide as the draft's own of them. The
draft's first layer takes embedding and state each through a norm of its own, side by side, to its attention, and goes
on from the state:

    x = s + Wo attention(Wq [n(e) ; n'(s)], Wk [n(e) ; n'(s)], Wv [n(e) ; n'(s)]),  then as any layer

(or from n'(s), ``norm_before_residual``). What it is after its last layer, before the norm, is its own state. No state
comes before a text's first token, and EAGLE-3 leaves it out: no later row sees it.
"""

import copy
from typing import NamedTuple, cast

import torch
from torch.nn.functional import linear, pad
from transformers import LlamaForCausalLM, PreTrainedModel
from transformers.cache_utils import Cache
from transformers.models.llama.modeling_llama import LlamaDecoderLayer, LlamaRMSNorm

from specviz.errors import ModelError
from specviz.lm.network.cache import LAST

FEWEST = 7  # layers of a target that has a low, a middle and a high one


class Joining(NamedTuple):
    """What a draft reads: the target's states after ``layers``, its own after ``own`` (numbers as in
    ``lm/network/cache.py``), by ``matrix``: J [width, 2 width] or fc [width, layers x the target's width]."""

    matrix: torch.Tensor
    layers: tuple[int, ...] = (LAST,)
    own: int = LAST

    @property
    def is_eagle3(self) -> bool:
        """Whether it is EAGLE-3's way."""
        return self.own != LAST

    def heard(self, states: torch.Tensor) -> torch.Tensor:
        """The target's ``states`` [..., layers x width] as the draft's own are [..., width]."""
        states = states.to(self.matrix.dtype)
        return linear(states, self.matrix) if self.is_eagle3 else states

    def inputs(self, embedded: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
        """What the draft's first layer reads, of embeddings and states, [..., width] each: [..., width], or both side
        by side for a ``TwoInputLayer``."""
        both = torch.cat([embedded, states.to(embedded.dtype)], dim=-1)
        return both if self.is_eagle3 else linear(both, self.matrix)


def low_middle_high(layers: int) -> tuple[int, ...]:
    """After which of a target's ``layers`` EAGLE-3 reads states. Raises ModelError where there are too few."""
    if layers < FEWEST:
        raise ModelError(f"EAGLE-3 reads a low, a middle and a high layer of {FEWEST} or more, the target has {layers}")
    return 2, layers // 2, layers - 3


class TwoInputLayer(torch.nn.Module):
    """EAGLE-3's first layer, made of a ``layer`` of the Llama family: it reads embedding and state side by side [...,
    2 width] (or an embedding alone [..., width], the state being 0) and gives [..., width]."""

    def __init__(self, layer: LlamaDecoderLayer, *, norm_before_residual: bool):
        super().__init__()
        self.norm_before_residual = norm_before_residual
        self.self_attn, self.mlp = layer.self_attn, layer.mlp
        self.input_layernorm: LlamaRMSNorm = layer.input_layernorm
        self.post_attention_layernorm: LlamaRMSNorm = layer.post_attention_layernorm
        self.hidden_norm = copy.deepcopy(layer.input_layernorm)
        for name in ("q_proj", "k_proj", "v_proj"):
            one: torch.nn.Linear = getattr(self.self_attn, name)
            bias = cast(torch.Tensor | None, one.bias) is not None
            both = torch.nn.Linear(2 * one.in_features, one.out_features, bias=bias).to(one.weight)
            setattr(self.self_attn, name, both)

    def forward(
        self,
        hidden_states: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        position_embeddings: tuple[torch.Tensor, torch.Tensor] | None = None,
        past_key_values: Cache | None = None,
        **others: object,
    ) -> torch.Tensor:
        embedded, state = parts_of(hidden_states, self.hidden_norm.weight.shape[0])
        normed = self.hidden_norm(state)
        attended, _ = self.self_attn(
            hidden_states=torch.cat([self.input_layernorm(embedded), normed], dim=-1),
            attention_mask=attention_mask,
            position_embeddings=position_embeddings,
            past_key_values=past_key_values,
            **others,
        )
        x = (normed if self.norm_before_residual else state) + attended
        return x + self.mlp(self.post_attention_layernorm(x))


def parts_of(inputs: torch.Tensor, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Embedding and state, [..., width] each, of the inputs of a ``TwoInputLayer``."""
    embedded, state = pad(inputs, (0, 2 * width - inputs.shape[-1])).chunk(2, dim=-1)
    return embedded, state


def with_two_inputs(model: PreTrainedModel, *, norm_before_residual: bool = False) -> PreTrainedModel:
    """``model`` of the Llama family, its first layer a fresh ``TwoInputLayer``."""
    layers = cast(LlamaForCausalLM, model).model.layers
    layers[0] = TwoInputLayer(cast(LlamaDecoderLayer, layers[0]), norm_before_residual=norm_before_residual)
    return model
