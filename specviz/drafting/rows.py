"""What a draft session has read of the texts being written: its rows, and the draft's own likelihood of each text.

Texts that share a beginning share its rows. The draft's joint log-probability counts every token of the output, those
that the draft did not propose included, as it reads them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from specviz.drafting.forest import Beam, Forest, Law, Survivor, laws
from specviz.lm.language_model import Session
from specviz.lm.warp import Warp


@dataclass(frozen=True)
class Reading:
    """How far one text has been read: its last row (-1: none is needed any more), the number of its tokens, prompt
    included, the unwarped joint log-probability of those of the output, and the law of the next token (None inside the
    prompt, or after the end)."""

    row: int
    length: int
    logprob: float
    law: Law | None

    def then(self, token: int, row: int, law: Law | None) -> "Reading":
        """With one more token read."""
        return Reading(row, self.length + 1, self.logprob + (self.law.logprob(token) if self.law else 0.0), law)


class TextRows:
    """The rows of several texts in one session. ``at`` maps places (-1 - i for input beam i, or a node that has been
    read) to readings."""

    def __init__(self, session: Session, warp: Warp):
        self._session, self._warp = session, warp
        self._known: list[Reading] = []
        self.at: dict[int, Reading] = {}

    def read_beams(self, beams: Sequence[Beam]) -> None:
        """Read what is new of every beam in one call; equal texts share rows. A finished beam's end token is counted
        but not read."""
        rows = len(self._session.trie)
        known = self._known or [Reading(rows - 1, rows, 0.0, None)]
        new = _NewRows(rows)
        ways = []
        for beam, reading in zip(beams, known, strict=True):
            unread, row, way = beam.tokens[reading.length :], reading.row, []
            for token in unread[:-1] if beam.finished else unread:
                row = new.add(row, token)
                way.append(row)
            ways.append((unread, way))
        new_laws = self._extend(new)
        for index, (reading, (unread, way)) in enumerate(zip(known, ways, strict=True)):
            for token, row in zip(unread, way, strict=False):
                reading = reading.then(token, row, new_laws[row - rows])
            if beams[index].finished:
                end = unread[-1:]
                reading = reading.then(end[0], -1, None) if end else Reading(-1, reading.length, reading.logprob, None)
            self.at[-1 - index] = reading

    def read_nodes(self, forest: Forest, nodes: Iterable[int]) -> None:
        """Read drafted nodes in one call, each the first of its text and below places that have been read."""
        nodes, rows = list(nodes), len(self._session.trie)
        new = _NewRows(rows)
        for node in nodes:
            new.add(self.at[forest.parents[node]].row, forest.tokens[node])
        for node, row, law in zip(nodes, range(rows, rows + len(nodes)), self._extend(new), strict=True):
            self.at[node] = self.at[forest.parents[node]].then(forest.tokens[node], row, law)

    def _extend(self, new: "_NewRows") -> list[Law]:
        return laws(self._session.extend(new.tokens, new.parents), self._warp) if new.tokens else []

    def keep(self, survivors: Sequence[Survivor], places: Sequence[int]) -> None:
        """Keep what has been read of the beams that go on; ``places`` names each node's text: the first that has it."""
        found = [self._deepest(survivor, places) for survivor in survivors]
        parents, needed = self._session.trie.parents, set()
        for reading in found:
            row = reading.row
            while row >= 0 and row not in needed:
                needed.add(row)
                row = parents[row]
        kept = sorted(needed)
        self._session.keep(kept)
        moved = {row: index for index, row in enumerate(kept)} | {-1: -1}
        self._known = [Reading(moved[found.row], found.length, found.logprob, found.law) for found in found]
        self.at = {}

    def _deepest(self, survivor: Survivor, places: Sequence[int]) -> Reading:
        reading = self.at[-1 - survivor.root]
        for node in survivor.path:
            reading = self.at.get(places[node], reading)
        return reading


class _NewRows:
    """Rows to be read in one call, numbered from ``start``; a (parent row, token) pair is one row however often it is
    added."""

    def __init__(self, start: int):
        self._start, self._numbers = start, {}
        self.tokens: list[int] = []
        self.parents: list[int] = []

    def add(self, parent: int, token: int) -> int:
        row = self._numbers.setdefault((parent, token), self._start + len(self.tokens))
        if row == self._start + len(self.tokens):
            self.tokens.append(token)
            self.parents.append(parent)
        return row
