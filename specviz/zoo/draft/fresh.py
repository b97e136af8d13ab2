"""The draft before training: layers of the target, and the part of its vocabulary that answers use."""

import copy
from collections.abc import Sequence

import numpy as np
import torch
from transformers import PreTrainedModel

from specviz.errors import ModelError
from specviz.lm.loading.small_draft import LAYERS, SmallDraft, assembled, empty_joining
from specviz.lm.network.cache import LAST
from specviz.lm.network.joining import Joining
from specviz.lm.network.stock import layers_of

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
    target: PreTrainedModel, layers: int, vocabulary: torch.Tensor, *, reads: Sequence[int] = ()
) -> SmallDraft:
    """A draft of ``layers`` layers that begin as the target's first ones and its last, proposing ``vocabulary``; where
    it ``reads`` the target's states after some of its layers, too (``LAST`` alone is EAGLE's way, several are
    EAGLE-3's), its layers begin as the target's last ones. Raises ModelError for a target that has too few, or whose
    layers are not one list."""
    config = copy.deepcopy(target.config.get_text_config())
    own, (name, whole) = config.num_hidden_layers, layers_of(target)
    if not 1 <= layers <= own:
        raise ModelError(f"layers must be from 1 to the target's {own}, got {layers}", argument="layers")
    picked = list(range(own))[-layers:] if reads else [*range(max(layers - 1, 1)), own - 1][:layers]
    config.num_hidden_layers, config.tie_word_embeddings = layers, False
    if getattr(config, "layer_types", None):
        config.layer_types = [config.layer_types[index] for index in picked]
    if eagle3 := list(reads) not in ([], [LAST]):
        setattr(config, LAYERS, list(reads))
    draft = assembled(target, config, vocabulary)
    _, stack = layers_of(draft)
    for number, (layer, index) in enumerate(zip(stack, picked, strict=True)):
        begun = whole[index].state_dict()
        layer.load_state_dict(_of_two_inputs(begun) if eagle3 and number == 0 else begun)
    taken = target.state_dict()
    with torch.no_grad():
        for rest, weight in SmallDraft(draft, vocabulary).weights().items():
            if not rest.startswith(f"{name}."):
                weight.copy_(taken[rest])
    return SmallDraft(draft.eval(), vocabulary, _joining(target, draft) if reads else None)


def _of_two_inputs(layer: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """What a ``TwoInputLayer`` begins as that reads embedding and state as ``layer`` reads its one input."""
    projected = {
        name: torch.cat([SHARE * weight] * 2, dim=-1)
        for name, weight in layer.items()
        if name.endswith(("q_proj.weight", "k_proj.weight", "v_proj.weight"))
    }
    return {**layer, **projected, "hidden_norm.weight": layer["input_layernorm.weight"]}


@torch.no_grad()
def _joining(target: PreTrainedModel, draft: PreTrainedModel) -> Joining:
    """The initial joining matrix of a ``draft``. EAGLE's: multiples of embedding and last hidden state that make inputs
    as large as those of the target's last layers. EAGLE-3's: the highest layer's state."""
    joining, width, layers = empty_joining(draft), draft.config.hidden_size, draft.config.num_hidden_layers
    if joining.is_eagle3:
        joining.matrix[:, -width:].fill_diagonal_(1.0)
        return joining
    vocab_size = target.config.get_text_config().vocab_size
    tokens = torch.arange(0, vocab_size, -(-vocab_size // TRIED), device=target.device)[None]
    states = target.base_model(tokens, use_cache=False, output_hidden_states=True).hidden_states
    size, embedded, said = (states[at].float().pow(2).mean().sqrt().item() for at in (-1 - layers, 0, -1))
    joining.matrix[:, :width].fill_diagonal_(SHARE * size / embedded)
    joining.matrix[:, width:].fill_diagonal_(SHARE * size / said)
    return joining
