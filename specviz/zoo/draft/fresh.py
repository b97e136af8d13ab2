"""The draft before training: layers of the target, and the part of its vocabulary that answers use."""

import copy

import numpy as np
import torch
from transformers import PreTrainedModel

from specviz.errors import ModelError
from specviz.lm.loading.small_draft import SmallDraft, assembled, joined_shape

LEAST, MOST, COVERAGE = 8192, 16384, 0.985
TRIED = 64  # tokens from all over the vocabulary, on which magnitudes are measured
SHARE = 0.7  # of embedding and state each in an input


def draft_vocabulary(counts: np.ndarray, ends: frozenset[int]) -> torch.Tensor:
    """The ids (int64, ascending) of the likeliest tokens by ``counts`` [vocab_size] that cover ``COVERAGE`` of what was
    said, with the end tokens: ``LEAST`` to ``MOST`` of them, as far as there are so many. Among equals lower ids come
    first, which a byte-pair vocabulary learned earlier."""
    order = np.argsort(-counts, kind="stable")
    needed = int(np.searchsorted(counts[order].cumsum(), COVERAGE * counts.sum())) + 1
    chosen = order[: min(max(needed, LEAST), MOST)]
    return torch.from_numpy(np.union1d(chosen, np.array(sorted(ends), dtype=np.int64)))


def fresh_draft(
    target: PreTrainedModel, layers: int, vocabulary: torch.Tensor, *, listening: bool = False
) -> SmallDraft:
    """A draft of ``layers`` layers that begin as the target's first ones and its last, proposing ``vocabulary``; if
    ``listening`` it reads the target's hidden states, too, and its layers begin as the target's last ones. Raises
    ModelError for a target that has too few, or whose layers are not one list."""
    config = copy.deepcopy(target.config.get_text_config())
    own, (name, whole) = config.num_hidden_layers, _stack(target)
    if not 1 <= layers <= own:
        raise ModelError(f"layers must be from 1 to the target's {own}, got {layers}", argument="layers")
    picked = list(range(own))[-layers:] if listening else [*range(max(layers - 1, 1)), own - 1][:layers]
    config.num_hidden_layers, config.tie_word_embeddings = layers, False
    if getattr(config, "layer_types", None):
        config.layer_types = [config.layer_types[index] for index in picked]
    draft = assembled(target, config, vocabulary)
    _, stack = _stack(draft)
    for layer, index in zip(stack, picked, strict=True):
        layer.load_state_dict(whole[index].state_dict())
    taken = target.state_dict()
    with torch.no_grad():
        for rest, weight in SmallDraft(draft, vocabulary).weights().items():
            if not rest.startswith(f"{name}."):
                weight.copy_(taken[rest])
    return SmallDraft(draft.eval(), vocabulary, _joining(target, layers) if listening else None)


@torch.no_grad()
def _joining(target: PreTrainedModel, layers: int) -> torch.Tensor:
    """The initial joining matrix: multiples of embedding and last hidden state that make inputs as large as those of
    the target's last ``layers``."""
    vocab_size = target.config.get_text_config().vocab_size
    tokens = torch.arange(0, vocab_size, -(-vocab_size // TRIED), device=target.device)[None]
    states = target.base_model(tokens, use_cache=False, output_hidden_states=True).hidden_states
    size, embedded, said = (states[at].float().pow(2).mean().sqrt().item() for at in (-1 - layers, 0, -1))
    width, both = joined_shape(target.config.get_text_config())
    joining = torch.zeros(width, both, dtype=target.dtype, device=target.device)
    joining[:, :width].fill_diagonal_(SHARE * size / embedded)
    joining[:, width:].fill_diagonal_(SHARE * size / said)
    return joining


def _stack(model: PreTrainedModel) -> tuple[str, torch.nn.ModuleList]:
    """The model's layers and the name of their list."""
    count = model.config.get_text_config().num_hidden_layers
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) == count:
            return name, module
    raise ModelError(f"the layers of {model.config.model_type} are not one list: no draft can begin as some of them")
