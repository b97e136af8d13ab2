"""Which models of transformers can score a tree of tokens, and up to which position."""

import inspect
from typing import Any

import torch
from transformers import PretrainedConfig, PreTrainedModel

from specviz.errors import ModelError

NO_WINDOW = "full_attention"
WINDOWED = "sliding_attention"
OTHERS = "choose another architecture (Llama, Qwen3, OPT, GPT-2, GPT-NeoX, ...)"
ALWAYS_ALIBI = ("bloom", "mpt")


def refuse_unsuitable(whole: PretrainedConfig, name: str) -> None:
    """Raises ModelError for an architecture whose cache cannot be a tree. A sliding window is no reason: the context
    ends with it (``exact_context``)."""
    config = whole.get_text_config()
    what = f"model {name!r} ({config.model_type})"
    if getattr(whole, "is_encoder_decoder", False):
        raise ModelError(
            f"model {name!r} is an encoder-decoder ({config.model_type}); only causal decoders can be used"
        )
    if getattr(config, "alibi", config.model_type in ALWAYS_ALIBI):
        raise ModelError(
            f"{what} tells positions by ALiBi, whose biases transformers works out from the order in the cache, which "
            f"is not that of a tree; {OTHERS}"
        )
    unsuitable = sorted(_kinds(config) - {NO_WINDOW, *([WINDOWED] if _window(config) else [])})
    if unsuitable:
        raise ModelError(f"{what} has {', '.join(unsuitable)} layers, whose cache cannot be a tree of tokens; {OTHERS}")


def _kinds(config: PretrainedConfig) -> set[str]:
    """The kinds of its layers, by what each sees of a text; empty where nothing is said of them."""
    kinds: set[str] = set(getattr(config, "layer_types", None) or ())
    if not kinds and _window(config) and getattr(config, "use_sliding_window", True):
        kinds = {WINDOWED}
    return kinds


def _window(config: PretrainedConfig) -> int:
    """How many tokens, itself included, a token sees in layers with a window; 0: nothing is said of one."""
    return max(0, getattr(config, "sliding_window", None) or 0)


def refuse_other_attention(kind: type[PreTrainedModel], config: PretrainedConfig, name: str) -> None:
    """Raises ModelError where a model's attention, or the one it was loaded with, takes no mask of a tree. The plain
    one of transformers' interface does, and where there is no other the model is loaded with it."""
    if not (_supports(kind, "sdpa") or _supports(kind, "attention_backend")):
        raise ModelError(
            f"model {name!r} ({config.model_type}) has attention of its own in transformers, which takes no mask of a "
            f"tree; {OTHERS}"
        )
    chosen = getattr(config, "_attn_implementation", None)
    if chosen not in (None, *ATTENTION):
        raise ModelError(
            f"model {name!r} ({config.model_type}) was loaded with {chosen} attention, which takes no mask of a tree; "
            "load it with attn_implementation='sdpa'"
        )


ATTENTION = ("sdpa", "eager")
"""The implementations of attention that take a mask of a tree."""


def attention_for(kind: type[PreTrainedModel]) -> str:
    """With which implementation of attention a model is loaded."""
    return "sdpa" if _supports(kind, "sdpa") else "eager"


def mask_for(model: PreTrainedModel, seen: torch.Tensor) -> torch.Tensor:
    """What rows see ([rows, rows of the cache], bool) as the model's attention takes it, [1, 1, ...]: the plain one
    adds it to its scores."""
    if getattr(model.config.get_text_config(), "_attn_implementation", None) == "eager":
        least = torch.finfo(model.dtype).min
        return torch.zeros_like(seen, dtype=model.dtype).masked_fill_(~seen, least)[None, None]
    return seen[None, None]


def _supports(kind: type[PreTrainedModel], what: str) -> bool:
    return bool(getattr(kind, f"_supports_{what}", False))


def lacking_arguments(model: PreTrainedModel) -> str:
    """Why a model scores no trees whose forward pass cannot be told the positions, the mask or the cache; "" where it
    can."""
    taken = inspect.signature(model.forward).parameters
    lacking = [name for name in ("position_ids", "attention_mask", "past_key_values") if name not in taken]
    return f"its forward pass takes no {' and no '.join(lacking)}; " if lacking else ""


def exact_context(model: PreTrainedModel, device: torch.device) -> tuple[int | None, str]:
    """The longest sequence at whose positions a tree is scored as its texts are, and why it is shorter than the
    configuration's ("" where it is not). ``device`` is where the model reads its input.

    In layers with a sliding window a token no longer sees all of its text once that is longer than the window; and
    rotary factors that depend on the deepest position of a call (LongRoPE: Phi-3-128k and the like) would depend on
    what was drafted. Such a model is read as far as its window, or up to the position at which they switch.
    """
    config = model.config.get_text_config()
    context = getattr(config, "max_position_embeddings", None)
    limits: list[tuple[int, str]] = []
    if WINDOWED in _kinds(config):
        window = _window(config)
        limits.append((window, f"beyond {window} layers with a sliding window would not see all of a text"))
    for kind, switch in _rotary_switches(config):
        if context and switch < context and (kind == "longrope" or _deeper_rows_matter(model, device, switch)):
            limits.append((switch, f"beyond {switch} its {kind} rotary factors change with the deepest token drafted"))
            break
    limit, reason = min(limits, default=(context, ""))
    if not limit or (context and limit >= context):
        return context, ""
    return limit, f"; {config.model_type} could read {context or 'more'}, but {reason}"


def _rotary_switches(config: PretrainedConfig) -> list[tuple[str, int]]:
    """The rope types, and the positions up to which each was trained at first, lowest first."""
    parameters: dict[str, Any] = getattr(config, "rope_parameters", None) or {}
    kinds = (
        [parameters]
        if "rope_type" in parameters
        else [value for value in parameters.values() if isinstance(value, dict)]
    )
    switches = [(kind.get("rope_type", "default"), kind.get("original_max_position_embeddings")) for kind in kinds]
    return sorted(((kind, int(switch)) for kind, switch in switches if switch), key=lambda pair: pair[1])


@torch.inference_mode()
def _deeper_rows_matter(model: PreTrainedModel, device: torch.device, switch: int) -> bool:
    """Whether a row at position ``switch`` changes what the one before it says of the next token."""
    tokens, positions = [1, 0, 1], [0, switch - 1]

    def second_row(positions: list[int]) -> torch.Tensor:
        count = len(positions)
        output = model(
            input_ids=torch.tensor([tokens[:count]], device=device),
            attention_mask=mask_for(model, torch.ones(count, count, dtype=torch.bool, device=device).tril()),
            position_ids=torch.tensor([positions], device=device),
            use_cache=False,
        )
        return output.logits[0, 1].float()

    beyond, within = second_row([*positions, switch]), second_row(positions)
    tolerance = 1e-3 if model.dtype == torch.float32 else 0.1
    return bool((beyond - within).abs().max() > tolerance * within.abs().max())
