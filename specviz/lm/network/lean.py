"""The forward pass of the Llama family, written out for a few rows at a time: Llama, Mistral, Qwen2, Qwen3, SmolLM.

One call of a small model is mostly the launching of small operations. Here each layer has four matrix products (q, k
and v are one, gate and up are one) and one attention; the rest is elementwise.

    x = x + Wo attention(rotate(Wq n(x)), rotate(Wk n(x)), Wv n(x))        n(x) = gain * x / sqrt(mean(x^2) + eps)
    x = x + Wd (silu(Wg n(x)) * Wu n(x))
    logits = W n(x)

On a processor a small model keeps its weights once more in the order in which few rows are multiplied fastest: packed
by oneDNN, where 20 rows in bfloat16 cost what one does; narrow layers in float32 column by column, since a product of
oneDNN takes some 40 us even if it has nothing to do; weights of four bits as they are. A large model is not copied: the
stock model's weights become parts of the joined ones. In half precision attention is summed more finely there
(``lm/network/exact.py``), prompts aside, so that a row says the same in calls of any shape.
"""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple, cast

import torch
from torch.nn.functional import scaled_dot_product_attention, silu
from transformers import LlamaForCausalLM, PreTrainedModel
from transformers.cache_utils import Cache
from transformers.models.llama.modeling_llama import LlamaDecoderLayer

from specviz.lm.network.cache import LAST, Outputs, TrieLayer
from specviz.lm.network.exact import attention, with_exact_likeliest
from specviz.lm.network.joining import TwoInputLayer, parts_of
from specviz.lm.network.narrow import OUTPUTS, FourBits, Rounded
from specviz.lm.network.prompts import BLOCK

FAMILIES = ("llama", "mistral", "qwen2", "qwen3")
COPIED = 1 << 30  # bytes of weights up to which a copy in the faster order is kept
WIDE = 512  # numbers of a hidden state from which oneDNN's float32 products, too, win back what a call of them costs
FIRST_POSITIONS = 1024  # for which rotations are worked out at once


class _Product(NamedTuple):
    """x W + b, with W [inputs, outputs]."""

    weight: torch.Tensor
    bias: torch.Tensor | None

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return torch.mm(x, self.weight) if self.bias is None else torch.addmm(self.bias, x, self.weight)

    def added(self, to: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        to.addmm_(x, self.weight)
        return to if self.bias is None else to.add_(self.bias)


class _Packed(NamedTuple):
    """The same with W as oneDNN packs it; sums are kept in float32."""

    weight: torch.Tensor
    bias: torch.Tensor | None

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, "none", [], "")

    def added(self, to: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return to.add_(self(x))


class _Narrow(NamedTuple):
    """The same with W in four bits; ``wide`` is for prompts."""

    weight: FourBits
    bias: torch.Tensor | None
    wide: "_Product | _Packed"

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        if len(x) >= BLOCK:
            return self.wide(x)
        product = self.weight.times(x)
        return product if self.bias is None else product.add_(self.bias)

    def added(self, to: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return to.add_(self(x))


_AnyProduct = _Product | _Packed | _Narrow


class _Layer(NamedTuple):
    gain: torch.Tensor
    qkv: _AnyProduct
    q_gain: torch.Tensor | None  # Qwen3 norms every head's query and key
    k_gain: torch.Tensor | None
    out: _AnyProduct
    mlp_gain: torch.Tensor
    gate_up: _AnyProduct
    down: _AnyProduct


class LeanForward:
    """``model``'s forward pass, in bfloat16 with the weights of four bits in ``narrow``. Raises ValueError, saying why,
    for a model that this is not the forward pass of."""

    def __init__(self, model: PreTrainedModel, narrow: Mapping[torch.nn.Linear, Rounded] | None = None):
        _refuse(model)
        config = model.config
        self.heads, self.key_heads = config.num_attention_heads, config.num_key_value_heads
        self.head_size = getattr(config, "head_dim", None) or config.hidden_size // self.heads
        stock = cast(LlamaForCausalLM, model)  # the others of the family have the same names
        body = stock.model
        self.embedding = body.embed_tokens.weight.detach()
        self._turning = body.rotary_emb
        way = _way_of_joining(model)
        self.dtype = self.embedding.dtype
        self.narrow = bool(narrow) and self.dtype == torch.bfloat16
        joined = _checked(_narrow(narrow, way) if narrow and self.narrow else way)
        self._sums = torch.float32 if way is _packed else self.dtype
        self._exact = self.dtype != torch.float32 and self.embedding.device.type == "cpu"
        self.norm = _norm(config.rms_norm_eps, self.embedding.device, self.dtype)
        self.layers = [_layer(cast(LlamaDecoderLayer | TwoInputLayer, layer), joined) for layer in body.layers]
        self.first = body.layers[0] if isinstance(body.layers[0], TwoInputLayer) else None
        self._embedded_gain = _gain(cast(TwoInputLayer, self.first).input_layernorm) if self.first else None
        self.gain, self.head = _gain(body.norm), joined([stock.lm_head])
        self._vocabulary = stock.lm_head
        self.cos, self.sin = self._rotary(FIRST_POSITIONS)
        self._former: list[tuple[torch.Tensor, torch.Tensor]] = []  # what is captured in a graph reads on from them

    def __call__(
        self,
        tokens: torch.Tensor,
        positions: torch.Tensor,
        mask: torch.Tensor | None,
        cache: Cache,
        last_only: bool = False,
        layers: tuple[int, ...] = (),
        inputs: torch.Tensor | None = None,
    ) -> Outputs:
        """A ``Forward`` as ``lm/network/cache.py`` says: logits (of the last row alone if ``last_only``), last hidden
        states and those after ``layers`` of the rows ``tokens`` ([n]), at ``positions`` ([n]), each seeing where
        ``mask`` ([n, rows of the cache], bool) is true, or all where it is None; their keys and values are written to
        ``cache``. ``inputs`` [n, width], or of a ``TwoInputLayer`` [n, 2 width], are read in place of the tokens'
        embeddings."""
        count, size, turned, norm = len(tokens), self.head_size, self.heads + self.key_heads, self.norm
        buffers = cast(list[TrieLayer], cache.layers)
        if (longest := buffers[0].get_max_length()) > len(self.cos):
            self._former.append((self.cos, self.sin))
            self.cos, self.sin = self._rotary(longest)
        cos, sin = self.cos[positions], self.sin[positions]  # [n, 1, head size]
        if mask is not None:
            mask = torch.zeros_like(mask, dtype=self.dtype).masked_fill_(~mask, -torch.inf)
        grouped = self.heads != self.key_heads
        attend = attention if self._exact and count < BLOCK else scaled_dot_product_attention
        x, beside = self.embedding[tokens] if inputs is None else inputs, None
        if self._embedded_gain is not None:
            embedded, x = parts_of(x, self.embedding.shape[-1])
            beside = norm(embedded, self._embedded_gain)
        x = x.to(self._sums)
        after: dict[int, torch.Tensor] = {}
        for number, (layer, rows) in enumerate(zip(self.layers, buffers, strict=True), 1):
            read = norm(x, layer.gain)
            if beside is not None and self.first:
                x = read.to(self._sums) if self.first.norm_before_residual else x
                read, beside = torch.cat((beside, read), dim=-1), None
            qkv = layer.qkv(read).view(count, -1, size)
            qk = qkv[:, :turned]
            if layer.q_gain is not None and layer.k_gain is not None:
                qk = torch.cat((norm(qk[:, : self.heads], layer.q_gain), norm(qk[:, self.heads :], layer.k_gain)), 1)
            qk = torch.addcmul(qk * cos, qk.roll(size // 2, -1), sin).transpose(0, 1)
            keys, values = rows.update(qk[None, self.heads :], qkv[:, turned:].transpose(0, 1)[None])
            seen = attend(qk[None, : self.heads], keys, values, mask, enable_gqa=grouped)
            x = layer.out.added(x, seen[0].transpose(0, 1).reshape(count, -1))
            gate, up = layer.gate_up(norm(x, layer.mlp_gain)).chunk(2, dim=-1)
            x = layer.down.added(x, silu(gate).mul_(up))
            if number in layers:
                after[number] = x.to(self.dtype, copy=True)  # the next layer adds to x
        hidden = after[LAST] = norm(x, self.gain)
        states = torch.cat([after[number] for number in layers], dim=-1) if layers else None
        scored = hidden[-1:] if last_only else hidden
        weight, bias = self._vocabulary.weight, self._vocabulary.bias
        return Outputs(with_exact_likeliest(self.head(scored), scored, weight, bias), hidden, states)

    def _rotary(self, positions: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Cosines and sines [positions, 1, head size] by the model's own rule; the sines of the first half are negated,
        so that rotating is x cos + roll(x) sin."""
        everywhere = torch.arange(positions, device=self.embedding.device)[None]
        cos, sin = (table[0].clone() for table in self._turning(self.embedding[:1], everywhere))
        sin[:, : self.head_size // 2].neg_()
        return cos[:, None], sin[:, None]


def _norm(eps: float, device: torch.device, dtype: torch.dtype) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """Root mean square norm over the last dimension, worked out in float32, given in ``dtype``. On a processor torch's
    own is made of more operations than this."""
    if device.type != "cpu":
        return lambda x, gain: torch.nn.functional.rms_norm(x, x.shape[-1:], gain, eps)

    def norm(x: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
        wide, n = x.float(), x.shape[-1]  # x / sqrt(mean(x^2) + eps) is sqrt(n) x / sqrt(|x|^2 + n eps)
        if n not in floors:
            floors[n] = torch.tensor(math.sqrt(n * eps), dtype=torch.float32)
        size = torch.linalg.vector_norm(wide, dim=-1, keepdim=True).hypot_(floors[n])
        return (wide / size).mul_(gain).to(dtype)

    floors: dict[int, torch.Tensor] = {}
    return norm


def _gain(norm: torch.nn.Module) -> torch.Tensor:
    """What ``_norm`` multiplies by: on a processor the square root of the width is in it."""
    weight = cast(torch.Tensor, norm.weight).detach()
    return weight if weight.device.type != "cpu" else weight.float() * math.sqrt(len(weight))


def _layer(layer: LlamaDecoderLayer | TwoInputLayer, joined: "_Fusing") -> _Layer:
    attention, mlp = layer.self_attn, layer.mlp
    of_heads = [getattr(attention, name, None) for name in ("q_norm", "k_norm")]
    q_gain, k_gain = (norm and _gain(norm) for norm in of_heads)
    return _Layer(
        gain=_gain(layer.hidden_norm if isinstance(layer, TwoInputLayer) else layer.input_layernorm),
        qkv=joined([attention.q_proj, attention.k_proj, attention.v_proj]),
        q_gain=q_gain,
        k_gain=k_gain,
        out=joined([attention.o_proj]),
        mlp_gain=_gain(layer.post_attention_layernorm),
        gate_up=joined([mlp.gate_proj, mlp.up_proj]),
        down=joined([mlp.down_proj]),
    )


_WideFusing = Callable[[list[torch.nn.Linear]], _Product | _Packed]
_Fusing = Callable[[list[torch.nn.Linear]], _AnyProduct]
"""Several products of one input as one."""


def _way_of_joining(model: PreTrainedModel) -> _WideFusing:
    size = sum(weight.numel() * weight.element_size() for weight in model.parameters())
    if size > COPIED or model.device.type != "cpu":
        return _shared
    if model.dtype == torch.float32:
        return _packed if model.config.hidden_size >= WIDE else _by_column
    return _packed if model.dtype == torch.bfloat16 and torch.ops.mkldnn._is_mkldnn_bf16_supported() else _shared


def _checked(joined: _Fusing) -> _Fusing:
    """The same for plain linear layers alone: a quantiser's weights and adapters are products of another kind."""

    def join(linear: list[torch.nn.Linear]) -> _AnyProduct:
        for layer in linear:
            if type(layer) is not torch.nn.Linear:
                raise ValueError(f"it has layers of its own kind ({type(layer).__name__})")
        return joined(linear)

    return join


def _narrow(narrow: Mapping[torch.nn.Linear, Rounded], wide: _WideFusing) -> _Fusing:
    def join(linear: list[torch.nn.Linear]) -> _AnyProduct:
        if linear[0] not in narrow or sum(layer.out_features for layer in linear) % OUTPUTS:  # they read the same
            return wide(linear)
        return _Narrow(FourBits.of([narrow[layer] for layer in linear]), _bias(linear), wide(linear))

    return join


def _by_column(linear: list[torch.nn.Linear]) -> _Product:
    return _Product(torch.cat([layer.weight.detach() for layer in linear]).t().contiguous(), _bias(linear))


def _packed(linear: list[torch.nn.Linear]) -> _Packed:
    return _Packed(
        torch.ops.mkldnn._reorder_linear_weight(torch.cat([layer.weight.detach() for layer in linear])), _bias(linear)
    )


def _shared(linear: list[torch.nn.Linear]) -> _Product:
    bias = _bias(linear)
    weight = linear[0].weight.detach() if len(linear) == 1 else torch.cat([layer.weight.detach() for layer in linear])
    if len(linear) > 1:  # the stock model goes on from the same memory
        for layer, part in zip(linear, weight.split([layer.out_features for layer in linear]), strict=True):
            layer.weight.data = part
    return _Product(weight.t(), bias)


def _bias(linear: list[torch.nn.Linear]) -> torch.Tensor | None:
    biases: list[torch.Tensor | None] = [layer.bias for layer in linear]
    return torch.cat([bias.detach() for bias in biases if bias is not None]) if biases[0] is not None else None


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
    if len({weight.device for weight in model.parameters()}) > 1 or model.device.type == "meta":
        raise ValueError("its weights are not all on one device")
    if len({weight.dtype for weight in model.parameters()}) > 1:
        raise ValueError("its weights are of several types")
