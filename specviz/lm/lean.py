"""The forward pass of the Llama family, written out for a few rows at a time: Llama, Mistral, Qwen2, Qwen3, SmolLM.

One call of a small model is mostly the launching of small operations. Here each layer has seven of weight: two norms,
four matrix products (q, k and v are one, gate and up are one) and the attention; everything else is elementwise.

    x = x + Wo attention(rotate(Wq n(x)), rotate(Wk n(x)), Wv n(x))        n(x) = gain * x / sqrt(mean(x^2) + eps)
    x = x + Wd (silu(Wg n(x)) * Wu n(x))
    logits = W n(x)

A small float32 model on a processor keeps its weights column by column as well, which makes products with few rows a
third faster; a large one is not copied: the stock model's weights become parts of the joined ones.
"""

from dataclasses import dataclass

import torch
from torch.nn.functional import rms_norm, scaled_dot_product_attention, silu
from transformers import PreTrainedModel

FAMILIES = ("llama", "mistral", "qwen2", "qwen3")
COPIED = 1 << 30  # bytes of weights up to which a copy in the faster order is kept
FIRST_POSITIONS = 1024  # for which rotations are worked out at once


@dataclass(frozen=True)
class _Product:
    """x W + b with W [inputs, outputs]."""

    weight: torch.Tensor
    bias: torch.Tensor | None

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return torch.mm(x, self.weight) if self.bias is None else torch.addmm(self.bias, x, self.weight)

    def added(self, to: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        product = torch.addmm(to, x, self.weight)
        return product if self.bias is None else product.add_(self.bias)


@dataclass(frozen=True)
class _Layer:
    norm: torch.Tensor
    qkv: _Product
    q_gain: torch.Tensor | None  # Qwen3 norms every head's query and key
    k_gain: torch.Tensor | None
    out: _Product
    mlp_norm: torch.Tensor
    gate_up: _Product
    down: _Product


class LeanForward:
    """``model``'s forward pass. Raises ValueError, saying why, for a model that this is not the forward pass of."""

    def __init__(self, model: PreTrainedModel):
        config = model.config
        _refuse(model)
        self.heads, self.key_heads = config.num_attention_heads, config.num_key_value_heads
        self.head_size = getattr(config, "head_dim", None) or config.hidden_size // self.heads
        self.eps = config.rms_norm_eps
        body = model.model
        self.embedding = body.embed_tokens.weight
        bytes_of_weights = sum(weight.numel() * weight.element_size() for weight in model.parameters())
        self._copied = bytes_of_weights <= COPIED and self.embedding.device.type == "cpu"
        self.layers = [self._layer(layer) for layer in body.layers]
        self.norm = body.norm.weight
        self.head = self._product(model.lm_head)
        self._turning = body.rotary_emb
        self.cos, self.sin = self._rotary(FIRST_POSITIONS)

    def __call__(self, tokens, positions, mask, cache, last_only: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and last hidden states of the rows ``tokens`` ([n]; the last alone if ``last_only``), at ``positions``
        ([n]), each seeing where ``mask`` ([n, rows of the cache], bool) is true, or all where it is None; ``cache`` has
        a layer's buffers each, to which the rows' keys and values are written."""
        count, size, rotated = len(tokens), self.head_size, self.heads + self.key_heads
        if cache[0].get_max_length() > len(self.cos):
            self.cos, self.sin = self._rotary(cache[0].get_max_length())
        cos, sin = self.cos[positions], self.sin[positions]  # [n, 1, head size]
        if mask is not None:
            mask = torch.zeros_like(mask, dtype=self.embedding.dtype).masked_fill_(~mask, -torch.inf)
        grouped = self.heads != self.key_heads
        x = self.embedding[tokens]
        for layer, buffers in zip(self.layers, cache, strict=True):
            qkv = layer.qkv(rms_norm(x, x.shape[-1:], layer.norm, self.eps)).view(count, -1, size)
            qk = qkv[:, :rotated]
            if layer.q_gain is not None:
                qk = torch.cat(
                    (
                        rms_norm(qk[:, : self.heads], (size,), layer.q_gain, self.eps),
                        rms_norm(qk[:, self.heads :], (size,), layer.k_gain, self.eps),
                    ),
                    dim=1,
                )
            qk = torch.addcmul(qk * cos, qk.roll(size // 2, -1), sin).transpose(0, 1)
            keys, values = buffers.update(qk[None, self.heads :], qkv[:, rotated:].transpose(0, 1)[None])
            seen = scaled_dot_product_attention(qk[None, : self.heads], keys, values, mask, enable_gqa=grouped)
            x = layer.out.added(x, seen[0].transpose(0, 1).reshape(count, -1))
            gate, up = layer.gate_up(rms_norm(x, x.shape[-1:], layer.mlp_norm, self.eps)).chunk(2, dim=-1)
            x = layer.down.added(x, silu(gate).mul_(up))
        hidden = rms_norm(x[-1:] if last_only else x, x.shape[-1:], self.norm, self.eps)
        return self.head(hidden), hidden

    def _layer(self, layer) -> _Layer:
        attention, mlp = layer.self_attn, layer.mlp
        return _Layer(
            norm=layer.input_layernorm.weight,
            qkv=self._product(attention.q_proj, attention.k_proj, attention.v_proj),
            q_gain=attention.q_norm.weight if hasattr(attention, "q_norm") else None,
            k_gain=attention.k_norm.weight if hasattr(attention, "k_norm") else None,
            out=self._product(attention.o_proj),
            mlp_norm=layer.post_attention_layernorm.weight,
            gate_up=self._product(mlp.gate_proj, mlp.up_proj),
            down=self._product(mlp.down_proj),
        )

    def _product(self, *linear: torch.nn.Linear) -> _Product:
        """Several products of one input as one."""
        for one in linear:
            if type(one) is not torch.nn.Linear:  # int8 weights, adapters
                raise ValueError(f"it has layers of its own kind ({type(one).__name__})")
        weights = [one.weight.detach() for one in linear]
        bias = None if linear[0].bias is None else torch.cat([one.bias.detach() for one in linear])
        if self._copied and weights[0].dtype == torch.float32:
            return _Product(torch.cat(weights).t().contiguous(), bias)
        if len(weights) == 1:
            return _Product(weights[0].t(), bias)
        joined = torch.cat(weights)
        for one, part in zip(linear, joined.split([len(weight) for weight in weights]), strict=True):
            one.weight.data = part  # the stock model goes on from the same memory
        return _Product(joined.t(), bias)

    def _rotary(self, positions: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Cosines and sines [positions, 1, head size] by the model's own rule; the sines of the first half are negated,
        so that rotating is x cos + roll(x) sin."""
        everywhere = torch.arange(positions, device=self.embedding.device)[None]
        cos, sin = (table[0].clone() for table in self._turning(self.embedding[:1], everywhere))
        sin[:, : self.head_size // 2].neg_()
        return cos[:, None], sin[:, None]


def _refuse(model: PreTrainedModel) -> None:
    config = model.config
    if config.model_type not in FAMILIES:
        raise ValueError(f"{config.model_type} is not of the Llama family")
    if config.hidden_act != "silu":
        raise ValueError(f"its activation is {config.hidden_act}")
    rope = getattr(config, "rope_parameters", None) or {}
    if rope.get("rope_type", "default") in ("dynamic", "longrope"):
        raise ValueError(f"its positions are {rope['rope_type']}, which depend on the length")
    if rope.get("partial_rotary_factor", 1.0) != 1.0:
        raise ValueError("its positions turn a part of each head only")
    if len({weight.device for weight in model.parameters()}) > 1:
        raise ValueError("its weights are on several devices")
    if len({weight.dtype for weight in model.parameters()}) > 1:
        raise ValueError("its weights are of several types")
