"""The texts that a run writes, one or several beams: how they grow, which rows of the target's cache they need, and
which tokens are settled.

Beams are a multiset that grows by one token a layer. A token is settled, and becomes output, once every beam has it;
with one beam that is at once. When the run ends, the most likely beam settles everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from specviz.drafting.drafter import AcceptedBeam, Beam, ScoredForest
from specviz.drafting.read_texts import NewRows
from specviz.lm.language_model import Scores, Session
from specviz.rules.verdict import BeamStep, Verdict
from specviz.trace.forest import Forest, Origin


@dataclass(frozen=True)
class PendingToken:
    """A token on its way to the output: where it came from, its raw log-probability under the target (minus infinity
    possible), and the iteration whose forest its ``node`` belongs to."""

    token: int
    origin: Origin
    node: int | None
    logprob: float
    iteration: int


@dataclass(frozen=True)
class GrowingBeam:
    """A beam while an iteration grows it: the input beam it began as, and the steps taken since."""

    root: int
    steps: tuple[BeamStep, ...] = ()
    ended: bool = False

    def accepted(self) -> AcceptedBeam:
        """What the drafter is told of it."""
        nodes = tuple(step.node for step in self.steps if step.node is not None)
        drawn = self.steps[-1].token if self.steps and self.steps[-1].node is None else None
        return AcceptedBeam(self.root, nodes, drawn)

    @property
    def tokens(self) -> list[int]:
        """The tokens by which it has grown."""
        return [step.token for step in self.steps if step.token is not None]

    @property
    def prefixes(self) -> list[int]:
        """The prefixes whose rows of the target this beam needs: its root, then its nodes; not the newest token."""
        return [-1 - self.root, *(step.node for step in self.steps[:-1] if step.node is not None)]


def layers_of(verdict: Verdict, scored: ScoredForest) -> list[list[BeamStep]]:
    """The verdict of a one-text method as layers of one beam; that of a beam method as it is."""
    if verdict.layers:
        return verdict.layers
    layers = []
    for number in verdict.path:
        node = scored.forest.nodes[number]
        layers.append([BeamStep(0, node.token, number, node.root or "accepted", scored.target_at(node.parent))])
    if (sampled := verdict.sampled) is not None:
        layers.append([BeamStep(0, sampled.token, None, sampled.origin, sampled.target)])
    return layers


class GrowingTexts:
    """The beams of a run, given with their prompt of ``prompt_length`` tokens; they grow by ``most`` tokens at most.
    ``length`` counts the layers grown, that is the tokens of a beam that has not ended."""

    def __init__(self, beams: Sequence[Beam], end_tokens: frozenset[int], most: int, prompt_length: int = 0):
        self._prompt, self._end_tokens, self._most = prompt_length, end_tokens, most
        self.beams: list[Beam] = list(beams)
        self.waiting: list[tuple[PendingToken, ...]] = [()] * len(self.beams)
        self.length = 0
        self.stop: Literal["length", "end"] | None = None
        self.history: list[list[tuple[int, ...]]] = []  # the outputs after every layer of the last iteration

    def grow(self, verdict: Verdict, scored: ScoredForest, iteration: int) -> list[GrowingBeam]:
        """Grow the beams by a verdict, cut at end tokens and the length limit; sets ``stop``. Returns the beams that go
        on."""
        lines = [GrowingBeam(root, (), beam.finished) for root, beam in enumerate(self.beams)]
        layers, several = layers_of(verdict, scored), bool(verdict.layers)
        grown, self.history = 0, []
        for layer in layers[: self._most - self.length]:
            lines = [self._step(lines[step.before], step) for step in layer]
            grown += 1
            if several:
                self.history.append([self._output(line) for line in lines])
            if all(line.ended for line in lines):
                break
        whole = grown == len(layers)
        if verdict.surviving is not None and whole:
            lines = [lines[index] for index in verdict.surviving]
        self.length += grown
        self._take(lines, several, iteration)
        if all(line.ended for line in lines) or self.length >= self._most:
            self.stop = "end" if self.best.finished else "length"
        return lines

    @property
    def best(self) -> Beam:
        """The most likely beam, by raw joint probability; the first of equals."""
        return self.beams[self._best()]

    def _best(self) -> int:
        return max(range(len(self.beams)), key=lambda index: self.beams[index].logprob)

    def _step(self, line: GrowingBeam, step: BeamStep) -> GrowingBeam:
        if step.token is None:
            return line
        return GrowingBeam(line.root, (*line.steps, step), step.token in self._end_tokens)

    def _output(self, line: GrowingBeam) -> tuple[int, ...]:
        return (*self.beams[line.root].tokens[self._prompt :], *line.tokens)

    def _take(self, lines: list[GrowingBeam], several: bool, iteration: int) -> None:
        if not several:  # one text: grown in place
            (line,), (beam,), (waiting,) = lines, self.beams, self.waiting
            assert isinstance(beam.tokens, list)
            beam.tokens.extend(line.tokens)
            self.beams, self.waiting = [replace(beam, finished=line.ended)], [(*waiting, *_pending(line, iteration))]
            return
        beams, waiting = [], []
        for line in lines:
            beam, pending = self.beams[line.root], _pending(line, iteration)
            tokens = [*beam.tokens, *(token.token for token in pending)]
            logprob = beam.logprob
            for token in pending:  # token by token, so that methods of many and of few layers round alike
                logprob += token.logprob
            beams.append(Beam(tokens, logprob, line.ended))
            waiting.append((*self.waiting[line.root], *pending))
        self.beams, self.waiting = beams, waiting

    def settle(self) -> list[PendingToken]:
        """The tokens that became output since the last call: those that all beams share; at the end, once, those of the
        most likely beam."""
        if self.stop is not None:
            return list(self.waiting[self._best()])
        count = 0
        for tokens in zip(*([token.token for token in pending] for pending in self.waiting), strict=False):
            if any(token != tokens[0] for token in tokens):
                break
            count += 1
        settled = list(self.waiting[0][:count])
        self.waiting = [pending[count:] for pending in self.waiting]
        return settled


def _pending(line: GrowingBeam, iteration: int) -> list[PendingToken]:
    return [
        PendingToken(step.token, step.origin, step.node, step.logprob, iteration)
        for step in line.steps
        if step.token is not None
    ]


class TargetRows:
    """Which rows of the target's cache belong to which beam. The newest token of a beam has no row yet."""

    def __init__(self, session: Session):
        self._session = session
        self._last: list[int] = []  # by beam: the row of its last token but one
        self.rows: dict[int, int] = {}

    def begin(self, beams: Sequence[Beam]) -> None:
        """Read what the beams have beyond the session's rows, which all of them begin with; their newest tokens stay
        unread."""
        read = len(self._session.trie)
        new, self._last = NewRows(read), []
        for beam in beams:
            row = read - 1
            for token in beam.tokens[read:-1]:
                row = new.add(row, token)
            self._last.append(row)
        if new.tokens:
            self._session.extend(new.tokens, new.parents).check()

    def read(self, beams: Sequence[Beam], forest: Forest) -> Scores:
        """Read each beam's newest token and every submitted node in one call; equal rows are shared. ``rows`` then maps
        prefixes (nodes, -1 - i for beam i) to the index of their scores. Returns the scores."""
        start, rows = len(self._session.trie), dict[int, int]()
        new = NewRows(start)
        for index, beam in enumerate(beams):
            if not beam.finished:
                rows[-1 - index] = new.add(self._last[index], beam.tokens[-1])
        for node in forest.submitted:
            rows[node] = new.add(rows[forest.nodes[node].parent], forest.nodes[node].token)
        scores = self._session.extend(new.tokens, new.parents)
        self.rows = {prefix: row - start for prefix, row in rows.items()}
        self._start = start
        return scores

    def keep(self, lines: Sequence[GrowingBeam]) -> None:
        """Keep what the grown beams need: every token's row but the newest one's."""
        start, parents = self._start, self._session.trie.parents
        if len(lines) == 1 and len(self._last) == 1:  # one text: everything before, and its own way
            rows = sorted({start + self.rows[prefix] for prefix in lines[0].prefixes}) if lines[0].steps else []
            self._session.keep([*range(start), *rows])
            self._last = [start + len(rows) - 1]
            return
        needed: set[int] = set()
        last: list[int] = []
        for line in lines:
            row = start + self.rows[line.prefixes[-1]] if line.steps else self._last[line.root]
            last.append(row)
            while row >= 0 and row not in needed:
                needed.add(row)
                row = parents[row]
        needed_rows = sorted(needed)
        self._session.keep(needed_rows)
        moved = {row: index for index, row in enumerate(needed_rows)}
        self._last = [moved.get(row, -1) for row in last]  # -1: a prompt of one token
