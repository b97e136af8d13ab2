"""A model that lacks tokens of the pair it drafts for: they have probability 0."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import torch
from torch.nn.functional import pad

from specviz.lm.language_model import Scores, Session


class WidenedSession:
    """``session`` of a model with the tokens 0 .. ``own`` - 1, for a vocabulary of ``vocab_size``: the logits of the
    rest, and of the ``unshared`` tokens, are minus infinity. Where a text has a token of the rest, the model reads its
    last one: what a draft proposes may depend on the text in any way."""

    def __init__(self, session: Session, own: int, vocab_size: int, unshared: Collection[int] = ()):
        self.trie = session.trie
        self._session, self._own, self._lacking = session, own, max(0, vocab_size - own)
        self._unshared = torch.tensor(sorted(token for token in unshared if token < vocab_size), dtype=torch.long)

    def extend(self, tokens: Sequence[int], parents: Sequence[int], *, last_only: bool = False) -> Scores:
        known = [min(token, self._own - 1) for token in tokens]
        scores = self._session.extend(known, parents, last_only=last_only)
        logits = pad(scores.logits, (0, self._lacking), value=float("-inf"))
        self._unshared = self._unshared.to(logits.device)
        return replace(scores, logits=logits.index_fill(1, self._unshared, float("-inf")))

    def keep(self, rows: Sequence[int]) -> None:
        self._session.keep(rows)
