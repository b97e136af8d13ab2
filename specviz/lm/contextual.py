"""Sessions of models without a cache: each row is scored from the tuple of all tokens on its path."""

from collections.abc import Callable, Sequence

import torch

from specviz.lm.language_model import Scores
from specviz.lm.trie import TokenTrie


class ContextSession:
    """A trie whose rows are scored by ``logits(context)``, [vocab_size] each, one after the other."""

    def __init__(self, logits: Callable[[tuple[int, ...]], torch.Tensor], capacity: int):
        self._logits = logits
        self.trie = TokenTrie(capacity)

    def extend(self, tokens: Sequence[int], parents: Sequence[int], *, last_only: bool = False) -> Scores:
        start = len(self.trie)
        self.trie.add(tokens, parents)
        rows = range(len(self.trie) - 1 if last_only else start, len(self.trie))
        return Scores(torch.stack([self._logits(self.trie.path(row)) for row in rows]))

    def keep(self, rows: Sequence[int]) -> None:
        self.trie.keep(rows)
