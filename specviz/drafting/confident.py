"""Confident chains: the small model writes on for as long as it is sure of itself.

The fallback half of the Big Little Decoder (Kim et al. 2023, a baseline of mtad.txt); the other half, the rollback, is
in ``rules/rollback.py``.
"""

import math
from collections.abc import Sequence

from specviz.dice import Dice
from specviz.drafting.chain import ChainDrafter
from specviz.lm.language_model import Session
from specviz.lm.warp import Warp
from specviz.trace.distribution import Distribution


def confidence(draft: Distribution) -> float:
    """The draft's largest raw probability, 0 to 1."""
    return min(1.0, math.exp(draft.logprob(draft.best)))


class ConfidentDrafter(ChainDrafter):
    """Draws up to gamma tokens from the warped draft distribution, each while the draft's largest probability there is
    at least ``fallback``, in [0, 1]. Raw, or temperature 0 would make that 1 always. A token drawn under the threshold
    is never drafted: the target writes it. An end token ends the chain.
    """

    def __init__(
        self, session: Session, warp: Warp, gamma: int, fallback: float, end_tokens: frozenset[int] = frozenset()
    ):
        super().__init__(session, warp, gamma, end_tokens)
        self._fallback = fallback

    def choose(self, draft: Distribution, text: Sequence[int], dice: Dice) -> tuple[int, Distribution] | None:
        sure = draft.possible and confidence(draft) >= self._fallback
        return super().choose(draft, text, dice) if sure else None
