"""Which models of transformers can score a tree of tokens, and up to which position."""

from typing import Any

import torch
from transformers import PretrainedConfig, PreTrainedModel

from specviz.errors import ModelError

NO_WINDOW = "full_attention"
WINDOWED = "sliding_attention"


def refuse_unsuitable(whole: PretrainedConfig, config: PretrainedConfig, name: str) -> None:
    """Raises ModelError for an architecture whose cache cannot be a tree. A sliding window that the context cannot
    reach is none. ``config`` is the part of ``whole`` that is about text."""
    if getattr(whole, "is_encoder_decoder", False):
        raise ModelError(
            f"model {name!r} is an encoder-decoder ({config.model_type}); only causal decoders can be used"
        )
    kinds = set(getattr(config, "layer_types", None) or ())
    if not kinds and getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True):
        kinds = {WINDOWED}
    window, context = getattr(config, "sliding_window", None), getattr(config, "max_position_embeddings", None)
    harmless = {NO_WINDOW, WINDOWED} if window and context and window >= context else {NO_WINDOW}
    unsuitable = sorted(kinds - harmless)
    if unsuitable:
        raise ModelError(
            f"model {name!r} ({config.model_type}) has {', '.join(unsuitable)} layers, whose cache cannot be a tree of "
            "tokens; choose a model with full attention in every layer (Llama, Qwen3, OPT, GPT-2, GPT-NeoX, ...)"
        )


def refuse_other_attention(model: PreTrainedModel, name: str) -> None:
    """Raises ModelError where the model does not attend by scaled_dot_product_attention, which takes a tree's mask."""
    config = model.config.get_text_config()
    if not getattr(model, "_supports_sdpa", True):
        raise ModelError(no_tree_mask(name, config.model_type))
    chosen = getattr(config, "_attn_implementation", None)
    if chosen not in (None, "sdpa"):
        raise ModelError(
            f"model {name!r} ({config.model_type}) was loaded with {chosen} attention, which takes no mask of a tree; "
            "load it with attn_implementation='sdpa'"
        )


def no_tree_mask(name: str, model_type: str) -> str:
    """Why a model without scaled_dot_product_attention is refused."""
    return (
        f"model {name!r} ({model_type}) has no scaled_dot_product_attention in transformers, only attention that takes "
        "no mask of a tree; choose another architecture (Llama, Qwen3, OPT, GPT-2, GPT-NeoX, ...)"
    )


def exact_context(model: PreTrainedModel, device: torch.device) -> tuple[int | None, str]:
    """The longest sequence at whose positions a tree is scored as its texts are, and why it is shorter than the
    configuration's ("" where it is not). ``device`` is where the model reads its input.

    Rotary factors that depend on the deepest position of a call (LongRoPE: Phi-3-128k and the like) would depend on
    what was drafted: such a model is read up to the position at which they switch.
    """
    config = model.config.get_text_config()
    context = getattr(config, "max_position_embeddings", None)
    for kind, switch in _rotary_switches(config):
        if context and switch < context and (kind == "longrope" or _deeper_rows_matter(model, device, switch)):
            return switch, (
                f"; {config.model_type} could read {context}, but beyond {switch} its {kind} rotary factors change "
                "with the deepest token drafted"
            )
    return context, ""


def _rotary_switches(config: PretrainedConfig) -> list[tuple[str, int]]:
    """The rope types, and the positions up to which each was trained at first, lowest first."""
    found: dict[str, Any] = getattr(config, "rope_parameters", None) or {}
    kinds = [found] if "rope_type" in found else [one for one in found.values() if isinstance(one, dict)]
    switches = [(one.get("rope_type", "default"), one.get("original_max_position_embeddings")) for one in kinds]
    return sorted(((kind, int(switch)) for kind, switch in switches if switch), key=lambda pair: pair[1])


@torch.inference_mode()
def _deeper_rows_matter(model: PreTrainedModel, device: torch.device, switch: int) -> bool:
    """Whether a row at position ``switch`` changes what the one before it says of the next token."""
    tokens, positions = [1, 0, 1], [0, switch - 1]

    def second_row(positions: list[int]) -> torch.Tensor:
        count = len(positions)
        output = model(
            input_ids=torch.tensor([tokens[:count]], device=device),
            attention_mask=torch.ones(1, 1, count, count, dtype=torch.bool, device=device).tril(),
            position_ids=torch.tensor([positions], device=device),
            use_cache=False,
        )
        return output.logits[0, 1].float()

    beyond, within = second_row([*positions, switch]), second_row(positions)
    tolerance = 1e-3 if model.dtype == torch.float32 else 0.1
    return bool((beyond - within).abs().max() > tolerance * within.abs().max())
