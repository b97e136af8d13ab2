"""A model with fewer tokens than the pair it drafts for: the tokens that it lacks have probability 0."""

from collections.abc import Sequence
from dataclasses import replace

from torch.nn.functional import pad

from specviz.lm.language_model import Scores, Session


class WidenedSession:
    """``session`` of a model with the tokens 0 .. ``own`` - 1, for a vocabulary of ``vocab_size``: the logits of the
    rest are minus infinity. Where a text has such a token, the model reads its last one: what a draft proposes may
    depend on the text in any way."""

    def __init__(self, session: Session, own: int, vocab_size: int):
        self.trie = session.trie
        self._session, self._own, self._lacking = session, own, vocab_size - own

    def extend(self, tokens: Sequence[int], parents: Sequence[int], *, last_only: bool = False) -> Scores:
        known = [min(token, self._own - 1) for token in tokens]
        scores = self._session.extend(known, parents, last_only=last_only)
        return replace(scores, logits=pad(scores.logits, (0, self._lacking), value=float("-inf")))

    def keep(self, rows: Sequence[int]) -> None:
        self._session.keep(rows)
