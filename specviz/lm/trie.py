"""The token trie: which rows a cache holds, and who sees whom."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from specviz.errors import SpecvizError


class TokenTrie:
    """Rows with a token, a parent row and a depth. Parents precede children; depth 0 has parent -1.

    ``tokens``, ``parents``, ``depths`` are lists of length ``len(trie)``. The leading rows that are one chain are the
    trunk: what a row sees of it is a number. Only the rows after it, the crown, keep a bit for each other, so that the
    mask of a long text with a small tree at its end costs little memory.
    """

    def __init__(self, capacity: int):
        if capacity < 1:
            raise SpecvizError(f"capacity must be at least 1 row, got {capacity}", argument="capacity")
        self.capacity = capacity
        self.tokens: list[int] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self._trunk = 0  # rows of the trunk
        self._seen = np.zeros(0, dtype=np.intp)  # of each row of the crown: how many rows of the trunk it sees
        self._crown = np.zeros((0, 0), dtype=bool)  # of each row of the crown: which rows of the crown it sees

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def trunk(self) -> int:
        """How many leading rows are one chain."""
        return self._trunk

    @property
    def is_chain(self) -> bool:
        """Whether every row is the child of the one before it."""
        return self._trunk == len(self.tokens)

    def mask(self, start: int = 0, end: int | None = None) -> np.ndarray:
        """Who sees whom: bool [end - start, end], whose row i is true at row start + i and at its ancestors."""
        end = len(self) if end is None else end
        trunk = min(self._trunk, end)
        of_trunk = max(0, trunk - start)
        crown = slice(start + of_trunk - trunk, end - trunk)
        seen = np.concatenate([np.arange(start, start + of_trunk) + 1, self._seen[crown]])
        mask = np.zeros((end - start, end), dtype=bool)
        np.less(np.arange(trunk), seen[:, None], out=mask[:, :trunk])
        mask[of_trunk:, trunk:] = self._crown[crown, : end - trunk]
        return mask

    def add(self, tokens: Sequence[int], parents: Sequence[int]) -> None:
        """Append rows. Raises SpecvizError when lengths differ, a parent is not an earlier row, or the trie is full."""
        start = len(self.tokens)
        if len(tokens) != len(parents):
            raise SpecvizError(
                f"parents must have one entry per token ({len(tokens)}), got {len(parents)}", argument="parents"
            )
        if start + len(tokens) > self.capacity:
            raise SpecvizError(
                f"the session holds {self.capacity} rows; {start} are used and {len(tokens)} more asked",
                code="too_many",
            )
        for row, parent in enumerate(parents, start):
            if not -1 <= parent < row:
                raise SpecvizError(
                    f"parent of row {row} must be -1 or an earlier row, got {parent}", argument="parents"
                )
        for row, parent in enumerate(parents, start):
            if parent == row - 1 and self._trunk == row:
                self._trunk += 1
            else:
                self._add_to_crown(row - self._trunk, parent)
            self.parents.append(parent)
            self.depths.append(self.depths[parent] + 1 if parent >= 0 else 0)
        self.tokens.extend(tokens)

    def _add_to_crown(self, row: int, parent: int) -> None:
        if row == len(self._crown):
            room = max(16, 2 * row)
            self._seen = np.resize(self._seen, room)
            crown, self._crown = self._crown, np.zeros((room, room), dtype=bool)
            self._crown[:row, :row] = crown
        above = parent - self._trunk
        self._seen[row] = self._seen[above] if above >= 0 else parent + 1
        self._crown[row] = self._crown[above] if above >= 0 else False
        self._crown[row, row] = True

    def keep(self, rows: Sequence[int]) -> int:
        """Keep ``rows``, renumbered in order; returns how many leading rows stay where they are.

        Raises SpecvizError unless the rows ascend, exist, and contain the parent of each.
        """
        count = len(rows)
        if count and (rows[0] < 0 or rows[-1] >= len(self)):
            raise SpecvizError(f"rows to keep must lie in 0..{len(self) - 1}, got {list(rows)}", argument="rows")
        stay = bisect_left(range(count), True, key=lambda index: rows[index] != index)  # of rows that ascend
        tail, joint = rows[stay:], max(0, stay - 1)
        ascending = all(row < other for row, other in pairwise(rows[joint:]))
        if not ascending or list(rows[:stay]) != list(range(stay)):
            raise SpecvizError(f"rows to keep must ascend, got {list(rows)}", argument="rows")
        if tail:
            self._compact(tail, stay)
        else:
            self._trunk = min(self._trunk, count)
        del self.tokens[count:], self.parents[count:], self.depths[count:]
        return stay

    def _compact(self, rows: Sequence[int], stay: int) -> None:
        """Of the rows from ``stay`` on keep ``rows``, where they close up."""
        renumbered: dict[int, int] = {}
        for new, row in enumerate(rows, stay):
            parent = self.parents[row]
            if parent >= stay and parent not in renumbered:
                raise SpecvizError(
                    f"rows to keep must contain every parent: {parent}, of {row}, is missing", argument="rows"
                )
            renumbered[row] = new
        trunk, count = min(stay, self._trunk), stay + len(rows)  # kept rows of a chain are its beginning
        crown_rows = np.asarray([*range(trunk, stay), *rows], dtype=np.intp) - self._trunk
        for new, row in enumerate(rows, stay):
            self.tokens[new] = self.tokens[row]
            self.depths[new] = self.depths[row]
            self.parents[new] = renumbered.get(self.parents[row], self.parents[row])
        self._trunk = next((row for row in range(trunk, count) if self.parents[row] != row - 1), count)
        joined, crown = (
            self._trunk - trunk,
            self._crown[np.ix_(crown_rows, crown_rows)],
        )  # the first of the crown join the trunk
        crown_size = count - self._trunk
        self._seen[:crown_size] = self._seen[crown_rows[joined:]] + crown[joined:, :joined].sum(axis=1)
        self._crown[:crown_size] = False
        self._crown[:crown_size, :crown_size] = crown[joined:, joined:]

    def path(self, row: int) -> tuple[int, ...]:
        """The tokens from the first ancestor of ``row`` to ``row`` itself."""
        tokens = []
        while row >= 0:
            tokens.append(self.tokens[row])
            row = self.parents[row]
        return tuple(reversed(tokens))
