"""The token trie: which rows a cache holds, and who sees whom."""

from collections.abc import Sequence

import numpy as np

from specviz.errors import SpecvizError


class TokenTrie:
    """Rows with a token, a parent row and a depth. Parents precede children; depth 0 has parent -1.

    ``tokens``, ``parents``, ``depths`` are lists of length ``len(trie)``; ``visible`` is a bool array
    [capacity, capacity] whose row r is true at r and at r's ancestors.
    """

    def __init__(self, capacity: int):
        if capacity < 1:
            raise SpecvizError(f"capacity must be at least 1 row, got {capacity}")
        self.capacity = capacity
        self.tokens: list[int] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self.visible = np.zeros((capacity, capacity), dtype=bool)

    def __len__(self) -> int:
        return len(self.tokens)

    def add(self, tokens: Sequence[int], parents: Sequence[int]) -> None:
        """Append rows. Raises SpecvizError when lengths differ, a parent is not an earlier row, or the trie is full."""
        start = len(self.tokens)
        if len(tokens) != len(parents):
            raise SpecvizError(f"parents must have one entry per token ({len(tokens)}), got {len(parents)}")
        if start + len(tokens) > self.capacity:
            raise SpecvizError(f"the session holds {self.capacity} rows; {start} are used and {len(tokens)} more asked")
        for row, parent in enumerate(parents, start):
            if not -1 <= parent < row:
                raise SpecvizError(f"parent of row {row} must be -1 or an earlier row, got {parent}")
        if len(tokens) > 1 and all(parent == row - 1 for row, parent in enumerate(parents[1:], start + 1)):
            self._add_chain(start, len(tokens), parents[0])
        else:
            for row, parent in enumerate(parents, start):
                if parent >= 0:
                    self.visible[row, :row] = self.visible[parent, :row]
                self.visible[row, row] = True
        self.tokens.extend(tokens)
        for parent in parents:
            self.parents.append(parent)
            self.depths.append(self.depths[parent] + 1 if parent >= 0 else 0)

    def _add_chain(self, start: int, count: int, parent: int) -> None:
        end = start + count
        if parent >= 0:
            self.visible[start:end, :start] = self.visible[parent, :start]
        self.visible[start:end, start:end] = np.tri(count, dtype=bool)

    def keep(self, rows: Sequence[int]) -> int:
        """Keep ``rows``, renumbered in order; returns how many leading rows stay where they are.

        Raises SpecvizError unless the rows ascend, exist, and contain the parent of each.
        """
        count = len(rows)
        if count and (rows[0] < 0 or rows[-1] >= len(self)):
            raise SpecvizError(f"rows to keep must lie in 0..{len(self) - 1}, got {list(rows)}")
        if count and rows[-1] == count - 1:  # with the check below: a prefix
            if any(rows[i] >= rows[i + 1] for i in range(count - 1)):
                raise SpecvizError(f"rows to keep must ascend, got {list(rows)}")
            stay = count
        else:
            stay = self._compact(rows)
        self.visible[count : len(self)] = False
        del self.tokens[count:], self.parents[count:], self.depths[count:]
        return stay

    def _compact(self, rows: Sequence[int]) -> int:
        stay = next((i for i, row in enumerate(rows) if row != i), len(rows))
        renumbered = {-1: -1} | {row: row for row in range(stay)}
        for new in range(stay, len(rows)):
            row = rows[new]
            if new and row <= rows[new - 1]:
                raise SpecvizError(f"rows to keep must ascend, got {list(rows)}")
            if self.parents[row] not in renumbered:
                raise SpecvizError(f"rows to keep must contain every parent: {self.parents[row]}, of {row}, is missing")
            renumbered[row] = new
        index = np.asarray(rows, dtype=np.intp)
        kept = self.visible[np.ix_(index[stay:], index)]
        self.visible[stay : len(rows)] = False
        self.visible[stay : len(rows), : len(rows)] = kept
        for new in range(stay, len(rows)):
            row = rows[new]
            self.tokens[new] = self.tokens[row]
            self.depths[new] = self.depths[row]
            self.parents[new] = renumbered[self.parents[row]]
        return stay

    def path(self, row: int) -> tuple[int, ...]:
        """The tokens from the first ancestor of ``row`` to ``row`` itself."""
        tokens = []
        while row >= 0:
            tokens.append(self.tokens[row])
            row = self.parents[row]
        return tuple(reversed(tokens))
