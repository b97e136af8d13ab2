"""Several sequences, drawn i.i.d. from the draft model: what SpecTr's K-SEQ judges."""

from specviz.drafting.tree import SampledTreeDrafter
from specviz.lm.language_model import Session
from specviz.lm.warp import Warp


class SequencesDrafter(SampledTreeDrafter):
    """``drafts`` i.i.d. sequences of gamma tokens of the warped draft distribution q, drawn in step and kept as a tree.

    Sequences that agree so far share a prefix: a prefix that m of them reached has m children, of which equal ones are
    copies of the first, and all that follows any of the copies grows below that first one. So the children of a prefix
    are the next tokens of every sequence that begins with it.

    At temperature 0 the sequences coincide. A sequence ends at an end token.
    """

    def __init__(self, session: Session, warp: Warp, drafts: int, gamma: int, end_tokens: frozenset[int] = frozenset()):
        super().__init__([session], warp, (drafts,) * gamma, end_tokens=end_tokens)
        self._drawing = "independent"  # at temperature 0 as well

    @property
    def size(self) -> int:
        return self._k_config[0] * self.depth

    def _children(self, depth: int, copies: int) -> int:
        return copies if depth else self._k_config[0]
