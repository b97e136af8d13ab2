"""A model that lacks tokens of the pair it drafts for: they have probability 0."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import torch

from specviz.lm.language_model import Scores, Session


class WidenedSession:
    """``session`` of a model with the tokens 0 .. ``own`` - 1, for a vocabulary of ``vocab_size``: the logits of the
    rest, and of the ``unshared`` tokens, are minus infinity, and where the model ``proposes`` these tokens alone (int64
    [n], each below ``vocab_size``; its n logits are theirs), those of all others. Where a text has a token of the rest,
    the model reads its last one: what a draft proposes may depend on the text in any way."""

    def __init__(
        self,
        session: Session,
        own: int,
        vocab_size: int,
        unshared: Collection[int] = (),
        proposes: torch.Tensor | None = None,
    ):
        self.trie = session.trie
        self._session, self._own, self._vocab_size, self._proposes = session, own, vocab_size, proposes
        self._unshared = torch.tensor(sorted(token for token in unshared if token < vocab_size), dtype=torch.long)

    def extend(self, tokens: Sequence[int], parents: Sequence[int], *, last_only: bool = False) -> Scores:
        known = [min(token, self._own - 1) for token in tokens]
        scores = self._session.extend(known, parents, last_only=last_only)
        rows, count = scores.logits.shape
        logits = scores.logits.new_full((rows, self._vocab_size), float("-inf"))
        logits[:, slice(count) if self._proposes is None else self._proposes] = scores.logits
        self._unshared = self._unshared.to(logits.device)
        return replace(scores, logits=logits.index_fill_(1, self._unshared, float("-inf")))

    def keep(self, rows: Sequence[int]) -> None:
        self._session.keep(rows)
