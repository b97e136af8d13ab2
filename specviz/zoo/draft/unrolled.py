"""What a small draft says along texts: once where it reads tokens alone; once for each depth where it hears the target.

At depth 1 a draft that hears reads the target's states; at depth d it has read the target's up to d - 1 tokens before
and its own from there on, as it will when it guesses (the training-time test of EAGLE-3: Li et al., 2025, arXiv
2503.01840). All positions are read together: those of a depth see, of each depth before, what their own guessing would
have read.
"""

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch.nn.functional import pad
from transformers.cache_utils import DynamicCache

from specviz.lm.loading.small_draft import SmallDraft
from specviz.lm.network.cache import LAST
from specviz.lm.network.stock import states_after

DEPTHS = 3


def said_by_draft(
    draft: SmallDraft,
    tokens: torch.Tensor,
    states: torch.Tensor | None,
    positions: torch.Tensor,
    depths: int = DEPTHS,
) -> list[torch.Tensor]:
    """Logits [n, k] where ``positions`` [texts, length] is true (n times), one tensor a depth: ``depths`` of them if
    the draft hears the target, else one. The texts are ``tokens`` [texts, length], with the target's ``states``
    [texts, length, layers x width], after the layers that the draft reads."""
    body, head = draft.model.base_model, draft.model.get_output_embeddings()
    assert head is not None, "it has the target's rows"
    joining = draft.joining
    if joining is None:
        return [head(body(tokens, use_cache=False).last_hidden_state[positions])]
    assert states is not None, "the target is heard"
    embedded = draft.model.get_input_embeddings()(tokens)
    cache, said = DynamicCache(config=draft.model.config), []
    before = joining.heard(states)
    for depth in range(depths):
        inputs = joining.inputs(embedded, pad(before, (0, 0, 1, 0))[:, :-1])
        mask = seen_at(depth, tokens.shape[-1], tokens.device)
        if joining.is_eagle3:
            mask[1:, 0] = False
            mask[0, 0] = depth == 0
        with states_after(draft.model, [joining.own]) as after:
            after[LAST] = cast(Any, body)(
                inputs_embeds=inputs,
                position_ids=torch.arange(tokens.shape[-1], device=tokens.device)[None],
                attention_mask=torch.zeros_like(mask, dtype=inputs.dtype).masked_fill(~mask, -torch.inf)[None, None],
                past_key_values=cache,
                use_cache=True,
            ).last_hidden_state
        said.append(head(after[LAST][positions]))
        before = after[joining.own]
    return said


def seen_at(depth: int, length: int, device: torch.device | None = None) -> torch.Tensor:
    """What the positions of a depth (0 first) see, bool [length, (depth + 1) length]: of the first depth all up to
    ``depth`` tokens before, of each later one the only position whose guess was ``depth`` less that depth before. The
    first tokens of a text, before which there are no so many, see themselves."""
    near = torch.arange(length, device=device)
    back = near[:, None] - near[None, :]
    parts = [back >= depth, *(back == depth - later for later in range(1, depth + 1))]
    return torch.cat(parts, dim=1)


def depths_of(draft: SmallDraft) -> Sequence[int]:
    """The depths that ``said_by_draft`` gives, 1 first."""
    return range(1, 1 + (1 if draft.joining is None else DEPTHS))
