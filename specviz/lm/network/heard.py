"""What a draft hears of its target: hidden states of every row that the target's session holds."""

from collections.abc import Sequence

import torch

from specviz.lm.network.cache import LAST
from specviz.lm.trie import TokenTrie


class Heard:
    """The states of a session's rows after ``layers`` (numbers as in ``lm/network/cache.py``), joined [layers x width];
    the session writes and moves them."""

    def __init__(self, layers: Sequence[int] = (LAST,)) -> None:
        self.layers = tuple(layers)
        self._trie: TokenTrie | None = None
        self._states: torch.Tensor | None = None

    def listen_to(self, trie: TokenTrie) -> None:
        """The rows are those of ``trie`` from now on; none of them has been heard."""
        self._trie, self._states = trie, None

    def write(self, start: int, states: torch.Tensor) -> None:
        """``states`` [n, layers x width] are those of the rows from ``start`` on."""
        assert self._trie is not None, "a session says whose rows they are"
        if self._states is None:
            self._states = states.new_empty(self._trie.capacity, states.shape[-1])
        self._states[start : start + len(states)] = states

    def first(self, rows: int) -> torch.Tensor:
        """A copy of the states of the first ``rows`` rows [rows, layers x width]."""
        assert self._states is not None, "rows were read"
        return self._states[:rows].clone()

    def move(self, rows: Sequence[int], start: int) -> None:
        """What was said at ``rows`` is said at the rows from ``start`` on."""
        if self._states is not None:
            self._states[start : start + len(rows)] = self._states[list(rows)]

    def rows_of(self, trie: TokenTrie, rows: Sequence[int]) -> list[int]:
        """For each of ``rows`` of another ``trie`` the row here that ends the same text; -1 where there is none."""
        own = self._trie
        if own is None:
            return [-1] * len(rows)
        alike, known = _alike(own, trie), {-1: -1}
        return [self._row_of(trie, row, alike, known) for row in rows]

    def _row_of(self, trie: TokenTrie, row: int, alike: int, known: dict[int, int]) -> int:
        """The same for one of them, the first ``alike`` rows of both tries being the same."""
        way: list[int] = []
        while row >= alike and row not in known:
            way.append(row)
            row = trie.parents[row]
        here = row if 0 <= row < alike else known[row]
        for below in reversed(way):
            root = trie.parents[below] < 0
            here = self._child(here, trie.tokens[below]) if root or here >= 0 else -1
            known[below] = here
        return here

    def _child(self, parent: int, token: int) -> int:
        assert self._trie is not None, "asked by rows_of alone"
        parents, tokens = self._trie.parents, self._trie.tokens
        return next((r for r in range(parent + 1, len(tokens)) if parents[r] == parent and tokens[r] == token), -1)

    def states(self, rows: Sequence[int], layers: Sequence[int]) -> torch.Tensor:
        """Those of ``rows`` after ``layers``, some of its own, joined [n, layers x width]."""
        assert self._states is not None, "rows_of found them"
        states = self._states[list(rows)]
        if tuple(layers) == self.layers:
            return states
        parts = states.chunk(len(self.layers), dim=-1)
        return torch.cat([parts[self.layers.index(layer)] for layer in layers], dim=-1)


def _alike(trie: TokenTrie, other: TokenTrie) -> int:
    """How many leading rows are one chain of the same tokens in both."""
    most = min(trie.trunk, other.trunk)
    if trie.tokens[:most] == other.tokens[:most]:
        return most
    return next(row for row in range(most) if trie.tokens[row] != other.tokens[row])
