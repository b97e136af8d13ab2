"""Confident chains: the small model writes on for as long as it is sure of itself.

The fallback half of the Big Little Decoder (Kim et al. 2023, a baseline of mtad.txt); the other half, the rollback, is
in ``verifying/rollback.py``.
"""

import math

from specviz.drafting.chain import ChainDrafter
from specviz.drafting.forest import Law
from specviz.lm.language_model import Session
from specviz.lm.warp import Warp


def confidence(draft: Law) -> float:
    """The draft's largest unwarped probability, 0 to 1."""
    return min(1.0, math.exp(draft.logprob(int(draft.logits.argmax()))))


class ConfidentDrafter(ChainDrafter):
    """Draws up to gamma tokens from the warped draft law, each while the draft's largest probability at its place is at
    least ``fallback``, in [0, 1]. Unwarped, or temperature 0 would make that 1 always. A token drawn under the
    threshold is never drafted: the place is left to the target. An end token ends the chain.
    """

    def __init__(
        self, session: Session, warp: Warp, gamma: int, fallback: float, end_tokens: frozenset[int] = frozenset()
    ):
        super().__init__(session, warp, gamma, end_tokens)
        self._fallback = fallback

    def _goes_on(self, law: Law) -> bool:
        return super()._goes_on(law) and confidence(law) >= self._fallback
