"""What a draft session has read of the texts being written: its rows, and the draft's own likelihood of each text.

Texts that share a beginning share its rows. The draft's joint log-probability counts every token of the output, those
that the draft did not propose included, as it reads them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from specviz.drafting.drafter import AcceptedBeam, Beam
from specviz.lm.language_model import Session
from specviz.lm.scoring import CallRow, distributions
from specviz.lm.warp import Warp
from specviz.trace.distribution import Distribution
from specviz.trace.forest import Forest


@dataclass(frozen=True)
class Reading:
    """How far one text has been read: its last row (-1: none is needed any more), the number of its tokens, prompt
    included, the raw joint log-probability of those of the output, and the distribution of the next token (None inside
    the prompt, or after the end), with the row of ``scores`` that it was made of: the next token may be one that it
    does not list."""

    row: int
    length: int
    logprob: float
    next: Distribution | None
    scores: CallRow | None = None

    def then(self, token: int, row: int, following: Distribution | None) -> "Reading":
        """With one more token read."""
        scores = None if following is None else following.call
        return Reading(row, self.length + 1, self.logprob + self._logprob(token), following, scores)

    def _logprob(self, token: int) -> float:
        if self.next is None:
            return 0.0
        if self.next.index(token) is not None or self.next.complete:
            return self.next.logprob(token)
        assert self.scores is not None  # nothing but a call says what is not listed
        return self.scores.logit(token) - self.next.log_total


class TextRows:
    """The rows of several texts in one session. ``at`` maps prefixes (-1 - i for input beam i, or a node that has been
    read) to readings. Distributions list ``entries`` tokens at least."""

    def __init__(self, session: Session, warp: Warp, entries: int | None = None):
        self._session, self._warp, self._entries = session, warp, entries
        self._known: list[Reading] = []
        self.at: dict[int, Reading] = {}

    def read_beams(self, beams: Sequence[Beam]) -> None:
        """Read what is new of every beam in one call; equal texts share rows. A finished beam's end token is counted
        but not read."""
        rows = len(self._session.trie)
        known = self._known or [Reading(rows - 1, rows, 0.0, None)] * len(beams)
        new = NewRows(rows)
        ways = []
        for beam, reading in zip(beams, known, strict=True):
            unread, row, way = beam.tokens[reading.length :], reading.row, []
            for token in unread[:-1] if beam.finished else unread:
                row = new.add(row, token)
                way.append(row)
            ways.append((unread, way))
        distributions = self._extend(new)
        for index, (reading, (unread, way)) in enumerate(zip(known, ways, strict=True)):
            for token, row in zip(unread, way, strict=False):
                reading = reading.then(token, row, distributions[row - rows])
            if beams[index].finished:
                end = unread[-1:]
                reading = reading.then(end[0], -1, None) if end else Reading(-1, reading.length, reading.logprob, None)
            self.at[-1 - index] = reading

    def read_nodes(self, forest: Forest, nodes: Iterable[int]) -> None:
        """Read drafted nodes in one call, each the first of its text and below prefixes that have been read."""
        numbers, rows = list(nodes), len(self._session.trie)
        new = NewRows(rows)
        for node in (forest.nodes[number] for number in numbers):
            new.add(self.at[node.parent].row, node.token)
        for number, row, following in zip(numbers, range(rows, rows + len(numbers)), self._extend(new), strict=True):
            node = forest.nodes[number]
            self.at[number] = self.at[node.parent].then(node.token, row, following)

    def _extend(self, new: "NewRows") -> list[Distribution]:
        if not new.tokens:
            return []
        return distributions(self._session.extend(new.tokens, new.parents), self._warp, entries=self._entries)

    def keep(self, accepted: Sequence[AcceptedBeam], first: Sequence[int]) -> None:
        """Keep what has been read of the beams that go on; ``first`` has for each node the first node of its text."""
        readings = [self._deepest(beam, first) for beam in accepted]
        parents, needed = self._session.trie.parents, set()
        for reading in readings:
            row = reading.row
            while row >= 0 and row not in needed:
                needed.add(row)
                row = parents[row]
        rows = sorted(needed)
        self._session.keep(rows)
        moved = {row: index for index, row in enumerate(rows)} | {-1: -1}
        self._known = [
            Reading(moved[reading.row], reading.length, reading.logprob, reading.next, reading.scores)
            for reading in readings
        ]
        self.at = {}

    def _deepest(self, beam: AcceptedBeam, first: Sequence[int]) -> Reading:
        reading = self.at[-1 - beam.root]
        for node in beam.path:
            reading = self.at.get(first[node], reading)
        return reading


class NewRows:
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
