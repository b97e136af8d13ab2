"""A draft model whose context is shorter than the text: it drafts up to the end of it, and proposes nothing after."""

from collections.abc import Sequence
from itertools import count

import torch

from specviz.lm.language_model import LanguageModel, Scores, Session
from specviz.lm.trie import TokenTrie


class LimitedSession:
    """``session`` of ``model``, for texts longer than ``context`` tokens: rows at later positions are not read, and
    nothing follows them, their logits being minus infinity and their hidden states 0."""

    def __init__(self, session: Session, model: LanguageModel, context: int):
        self.trie = TokenTrie(session.trie.capacity)
        self._session, self._model, self._context = session, model, context
        self._numbers: list[int] = []  # of each row: its number in ``session``, -1 where it is not read

    def extend(self, tokens: Sequence[int], parents: Sequence[int], *, last_only: bool = False) -> Scores:
        trie, start, first = self.trie, len(self.trie), len(self._session.trie)
        trie.add(tokens, parents)
        end = 0 if last_only and trie.depths[-1] >= self._context else self._context  # 0: nobody asks for the others
        read: list[int] = []
        for row in range(start, len(trie)):
            parent = trie.parents[row]
            readable = trie.depths[row] < end and (parent < 0 or self._numbers[parent] >= 0)
            self._numbers.append(first + len(read) if readable else -1)
            read += [row] if readable else []
        if not read:
            model, rows = self._model, 1 if last_only else len(trie) - start
            return Scores(torch.full((rows, model.vocab_size), -torch.inf, dtype=model.dtype, device=model.device))
        above = [self._numbers[trie.parents[row]] if trie.parents[row] >= 0 else -1 for row in read]
        scores = self._session.extend([trie.tokens[row] for row in read], above, last_only=last_only)
        return scores if last_only or len(read) == len(trie) - start else self._placed(scores, start, read)

    def _placed(self, scores: Scores, start: int, read: list[int]) -> Scores:
        """The scores of the rows ``read`` among those of all rows from ``start`` on."""
        rows, vocab_size = len(self.trie) - start, scores.logits.shape[-1]
        own = torch.tensor([row - start for row in read], device=scores.logits.device)
        logits = scores.logits.new_full((rows, vocab_size), -torch.inf).index_copy(0, own, scores.logits)
        hidden = scores.hidden
        if hidden is not None:
            hidden = hidden.new_zeros(rows, hidden.shape[-1]).index_copy(0, own, hidden)
        source = scores.source._replace(positions=self.trie.depths[start:], silent_from=self._context)
        return Scores(logits, hidden, source)

    def keep(self, rows: Sequence[int]) -> None:
        numbers, new = [self._numbers[row] for row in rows], count()
        self.trie.keep(rows)
        self._session.keep([number for number in numbers if number >= 0])
        self._numbers = [next(new) if number >= 0 else -1 for number in numbers]
