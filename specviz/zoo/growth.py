"""Growing a Llama into another shape without changing its function: a small model's words at a large model's cost.

What is added adds nothing: layers whose output projections are zero, dimensions of the residual stream in which all is
zero, heads and neurons that no output projection reads. What larger sizes would change is undone in the weights:

- A norm divides by the root of a mean over the width. Where ``n`` of ``N`` dimensions are in use, epsilon is to be
  ``n / N`` of the old one, and gains are multiplied by ``sqrt(n / N)``.
- Attention divides by the root of the head size: queries are multiplied by ``sqrt(D / d)``.
- Pair ``i`` of a head of ``d`` turns by ``base ** (-2 i / d)`` a position: with ``base ** (D / d)`` as the base, the
  same pair of a head of ``D`` does. Pairs stay pairs: a head is placed by halves.
- Added tokens are never said. One added dimension of the stream holds ``CONSTANT`` in every row, whose square is taken
  off what epsilon adds to the sum; the vocabulary projection reads it for the added tokens, and their logits are
  ``-NEVER`` over the root mean square of the row. Where it shares its weights with the embedding, it reads it for the
  others, too: the same 1e-12 or less for all of them.
- Qwen3 norms the queries and keys of every head, which no Llama does, with the epsilon that the stream's norms have.
  So the stream is ``STREAM`` times the old one, which only norms read, and epsilon its square: beside that, queries and
  keys are nothing, these norms divide by a constant, and their gains undo it.

In float32 logits stay the same to about 1e-6 of their size. In bfloat16 the weights that are multiplied by no power of
two are rounded once more.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, log2, sqrt
from typing import Any, Literal, cast

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM, PretrainedConfig, Qwen3Config
from transformers.models.llama.modeling_llama import LlamaDecoderLayer

from specviz.errors import ModelError

CONSTANT = 2.0**-20
NEVER = 2.0**20
STREAM = 2.0**32
CONFIGS: dict[str, type[LlamaConfig] | type[Qwen3Config]] = {"llama": LlamaConfig, "qwen3": Qwen3Config}


@dataclass(frozen=True)
class Shape:
    """The sizes that a model's cost follows from. ``family`` is whose code of transformers computes it; ``tied``: the
    embedding is the vocabulary projection, too."""

    vocab_size: int
    width: int
    layers: int
    heads: int
    key_heads: int
    head_size: int
    feed_forward: int
    tied: bool
    family: Literal["llama", "qwen3"] = "llama"

    @classmethod
    def of(cls, config: LlamaConfig) -> "Shape":
        """The shape of a Llama."""
        return cls(
            vocab_size=config.vocab_size,
            width=config.hidden_size,
            layers=config.num_hidden_layers,
            heads=config.num_attention_heads,
            key_heads=config.num_key_value_heads or config.num_attention_heads,
            head_size=config.head_dim or config.hidden_size // config.num_attention_heads,
            feed_forward=config.intermediate_size,
            tied=config.tie_word_embeddings,
        )

    def config(self, **more: Any) -> PretrainedConfig:
        """The config for transformers; ``more`` are settings that are not sizes."""
        return CONFIGS[self.family](
            vocab_size=self.vocab_size,
            hidden_size=self.width,
            num_hidden_layers=self.layers,
            num_attention_heads=self.heads,
            num_key_value_heads=self.key_heads,
            head_dim=self.head_size,
            intermediate_size=self.feed_forward,
            tie_word_embeddings=self.tied,
            **more,
        )


def empty(config: PretrainedConfig, device: torch.device | str, dtype: torch.dtype) -> LlamaForCausalLM:
    """A model with random weights, made on ``device`` in ``dtype``: never elsewhere, never wider."""
    with torch.device(device):
        made = AutoModelForCausalLM.from_config(config, dtype=dtype, attn_implementation="sdpa")
    return cast(LlamaForCausalLM, made)  # a Qwen3's parts have the same names


@torch.no_grad()
def grow(
    model: LlamaForCausalLM,
    shape: Shape,
    *,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float32,
    name: str = "",
) -> LlamaForCausalLM:
    """A model of ``shape`` that computes what ``model`` does, made on ``device`` in ``dtype`` (float32 or bfloat16) and
    called ``name``. Its context and end tokens are the old ones; of added tokens each has probability 0 (a logit below
    -1000 while the root mean square of the stream stays below 1000). Raises ModelError, saying why, where ``model`` is
    no plain Llama or ``shape`` cannot hold it.
    """
    if dtype == torch.float16:
        raise ModelError("a grown model is float32 or bfloat16: float16 cannot hold its numbers", argument="dtype")
    old = Shape.of(model.config)
    plan = _plan(model.config, old, shape)
    config = shape.config(
        name_or_path=name,
        rms_norm_eps=plan.epsilon,
        rope_parameters={"rope_type": "default", "rope_theta": plan.rotary_base},
        max_position_embeddings=model.config.max_position_embeddings,
        bos_token_id=model.config.bos_token_id,
        eos_token_id=model.config.eos_token_id,
    )
    grown = empty(config, device, dtype)
    layers, old_layers = layers_of(grown), layers_of(model)
    for layer, old_layer in zip(layers, old_layers, strict=False):
        _place_layer(layer, old_layer, plan)
    for layer in layers[old.layers :]:
        layer.self_attn.o_proj.weight.zero_()
        layer.mlp.down_proj.weight.zero_()
    _place_ends(grown, model, plan, old.vocab_size)
    return grown


@dataclass(frozen=True)
class _GrowthPlan:
    """Where the old numbers go, and their factors. ``constant`` is the value of the stream's first added dimension,
    before ``stream``; 0: no token is added."""

    width: torch.Tensor  # places in the stream,
    queries: torch.Tensor  # of the values of all query heads,
    keys: torch.Tensor  # of all key heads,
    keys_from: torch.Tensor  # which old values those are,
    neurons: torch.Tensor
    gain: float
    query: float
    heads_gain: float
    stream: float
    constant: float
    epsilon: float
    rotary_base: float


def _plan(config: LlamaConfig, old: Shape, new: Shape) -> _GrowthPlan:
    if reason := _unlike(config) or _too_small(old, new):
        raise ModelError(f"model {config.name_or_path or config.model_type!r} cannot grow into {new}: {reason}")
    queries, keys, sources = _head_places(old, new)
    added = config.rms_norm_eps * old.width  # what epsilon adds to a sum of squares
    constant = CONSTANT if new.vocab_size > old.vocab_size else 0.0
    stream = STREAM if new.family == "qwen3" else 1.0
    epsilon = (added - constant**2) / new.width * stream**2
    heads_gain = 2.0 ** round(log2(epsilon) / 2)  # no rounding in bfloat16; the queries carry the rest
    query = sqrt(new.head_size / old.head_size) * (epsilon / heads_gain**2 if new.family == "qwen3" else 1.0)
    return _GrowthPlan(
        width=torch.arange(old.width),
        queries=_values(queries, old.head_size, new.head_size),
        keys=_values(keys, old.head_size, new.head_size),
        keys_from=_values(sources, old.head_size, old.head_size),
        neurons=torch.arange(old.feed_forward),
        gain=sqrt(old.width / new.width),
        query=query,
        heads_gain=heads_gain,
        stream=stream,
        constant=constant,
        epsilon=epsilon,
        rotary_base=_rope(config)["rope_theta"] ** (new.head_size / old.head_size),
    )


def _unlike(config: LlamaConfig) -> str:
    """How this model differs from a Llama whose function is known here; empty if it does not."""
    rope = _rope(config)
    if config.model_type != "llama":
        return f"{config.model_type} is not llama"
    if rope.get("rope_type", "default") != "default":
        return f"its positions are {rope['rope_type']}"
    if config.attention_bias or config.mlp_bias:
        return "it has biases"
    return "" if config.rms_norm_eps > CONSTANT**2 else "its norms have hardly an epsilon"


def _rope(config: LlamaConfig) -> dict[str, Any]:
    """The settings of its rotary embedding."""
    return dict(config.rope_parameters or {})


def _too_small(old: Shape, new: Shape) -> str:
    """What of ``old`` does not fit into ``new``; empty if everything fits."""
    for size in ("vocab_size", "width", "layers", "head_size", "feed_forward"):
        if getattr(new, size) < getattr(old, size):
            return f"its {size} is {getattr(old, size)}"
    if new.vocab_size > old.vocab_size and new.width == old.width:
        return "tokens can be added only where the width grows"
    if new.tied and not old.tied:
        return "its vocabulary projection is not its embedding"
    if new.heads % new.key_heads or new.head_size % 2:
        return "its heads must come in whole groups, of an even size"
    if max(_head_places(old, new)[1]) >= new.key_heads:
        return f"it has {old.heads} query heads for {old.key_heads} of keys"
    return ""


def _head_places(old: Shape, new: Shape) -> tuple[list[int], list[int], list[int]]:
    """Which query heads and key heads the old ones become, and which old one each of those key heads is. One whose
    queries are more than a group of the new shape is there once for every group that they make."""
    group, new_group = old.heads // old.key_heads, new.heads // new.key_heads
    copies = ceil(group / new_group)
    places = [divmod(head, group) for head in range(old.heads)]
    queries = [(key * copies + n // new_group) * new_group + n % new_group for key, n in places]
    keys = list(range(old.key_heads * copies))
    return queries, keys, [key // copies for key in keys]


def _values(heads: Iterable[int], used: int, size: int) -> torch.Tensor:
    """Where the ``used`` values of each of ``heads`` stand among those of heads of ``size``: a half of them from the
    start of each head, a half from its middle."""
    within = [half * (size // 2) + i for half in (0, 1) for i in range(used // 2)]
    return torch.tensor([head * size + i for head in heads for i in within])


def layers_of(model: LlamaForCausalLM) -> list[LlamaDecoderLayer]:
    """The layers, typed: to torch each is any Module, and its parts are Tensors or Modules."""
    return cast("list[LlamaDecoderLayer]", list(model.model.layers))


def _place_layer(layer: LlamaDecoderLayer, old: LlamaDecoderLayer, plan: _GrowthPlan) -> None:
    attention, before, mlp, mlp_before = layer.self_attn, old.self_attn, layer.mlp, old.mlp
    _place_gain(layer.input_layernorm.weight, old.input_layernorm.weight * plan.gain)
    _place_gain(layer.post_attention_layernorm.weight, old.post_attention_layernorm.weight * plan.gain)
    _place(attention.q_proj.weight, before.q_proj.weight * plan.query, plan.queries, plan.width)
    _place(attention.k_proj.weight, before.k_proj.weight[plan.keys_from], plan.keys, plan.width)
    _place(attention.v_proj.weight, before.v_proj.weight[plan.keys_from], plan.keys, plan.width)
    _place(attention.o_proj.weight, before.o_proj.weight * plan.stream, plan.width, plan.queries)
    for norm in ("q_norm", "k_norm"):
        if hasattr(attention, norm):
            getattr(attention, norm).weight.fill_(plan.heads_gain)
    _place(mlp.gate_proj.weight, mlp_before.gate_proj.weight, plan.neurons, plan.width)
    _place(mlp.up_proj.weight, mlp_before.up_proj.weight, plan.neurons, plan.width)
    _place(mlp.down_proj.weight, mlp_before.down_proj.weight * plan.stream, plan.width, plan.neurons)


def _place_ends(grown: LlamaForCausalLM, model: LlamaForCausalLM, plan: _GrowthPlan, tokens: int) -> None:
    """The embedding, the last norm and the vocabulary projection. The old model has ``tokens``."""
    embedding, head, gain = grown.model.embed_tokens.weight, grown.lm_head.weight, grown.model.norm.weight
    known, dimension = torch.arange(tokens), len(plan.width)  # the first added one
    shared = plan.stream if head is embedding else 1.0  # what the stream's factor does to the projection
    _place(head, model.lm_head.weight * shared, known, plan.width)
    _place_gain(gain, model.model.norm.weight * plan.gain / shared)
    if head is not embedding:
        _place(embedding, model.model.embed_tokens.weight * plan.stream, known, plan.width)
    if plan.constant:
        embedding[:tokens, dimension] = plan.constant * plan.stream
        gain[dimension] = plan.gain / shared
        head[tokens:, dimension] = -NEVER / plan.constant * shared


def _place_gain(gain: torch.Tensor, old: torch.Tensor) -> None:
    """``old`` as the first of ``gain``, zero for what is added."""
    gain.zero_()
    gain[: len(old)] = old.to(gain)


def _place(weight: torch.Tensor, old: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> None:
    """``old`` at these rows and columns of ``weight``, zero elsewhere."""
    weight.zero_()
    weight[rows.to(weight.device)[:, None], columns.to(weight.device)] = old.to(weight)
