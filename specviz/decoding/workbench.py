"""The workbench a method is built on: sessions that count their calls, the warp, the end tokens."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

from specviz.drafting.forest import Drafter
from specviz.lm.language_model import LanguageModel, Scores, Session
from specviz.lm.pair import ModelPair
from specviz.lm.trie import TokenTrie
from specviz.lm.warp import Warp
from specviz.measure.calibration import cost_ratio, synchroniser
from specviz.trace.record import Call, Role
from specviz.verifying.verdict import Verifier


@dataclass(frozen=True)
class Decoder:
    """A drafter and a verifier; ``draft`` is the model that the drafter uses, if any, ``cost_ratio`` the cost of one of
    its calls in target calls where the drafter's choices depend on it."""

    drafter: Drafter
    verifier: Verifier
    draft: LanguageModel | None
    cost_ratio: float | None = None


@dataclass
class CallLog:
    """The forward calls since the last ``take``, and the most rows that all sessions held together."""

    calls: list[Call] = field(default_factory=list)
    tries: list[TokenTrie] = field(default_factory=list)
    rows_peak: int = 0

    def note(self, call: Call) -> None:
        self.calls.append(call)
        self.rows_peak = max(self.rows_peak, sum(len(trie) for trie in self.tries))

    def take(self) -> tuple[tuple[Call, ...], int]:
        calls, peak = tuple(self.calls), self.rows_peak
        self.calls, self.rows_peak = [], 0
        return calls, peak


class CountedSession:
    """A session whose calls are timed, device work included, and noted."""

    def __init__(self, session: Session, role: Role, log: CallLog, synchronise):
        self.trie = session.trie
        self._session, self._role, self._log, self._synchronise = session, role, log, synchronise
        log.tries.append(session.trie)

    def extend(self, tokens: Sequence[int], parents: Sequence[int], *, last_only: bool = False) -> Scores:
        rows, start = len(self.trie), perf_counter()
        scores = self._session.extend(tokens, parents, last_only=last_only)
        if self._synchronise is not None:
            self._synchronise()
        self._log.note(Call(self._role, len(tokens), rows, perf_counter() - start))
        return scores

    def keep(self, rows: Sequence[int]) -> None:
        self._session.keep(rows)


class Workbench:
    """What a method's ``build`` gets. ``room`` is the number of rows for prompt and output."""

    def __init__(self, pair: ModelPair, warp: Warp, room: int):
        self.pair, self.warp, self.room = pair, warp, room
        self.end_tokens = pair.end_tokens
        self.log = CallLog()
        self.draft_sessions: list[CountedSession] = []

    def open_target(self, extra_rows: int) -> CountedSession:
        """The target's session, with room for ``extra_rows`` drafted rows at a time."""
        return self._open(self.pair.target, "target", extra_rows)

    def open_draft(self, model: LanguageModel, extra_rows: int) -> CountedSession:
        """A session of a draft model; the loop lets it read the prompt before the clock starts."""
        session = self._open(model, "draft", extra_rows)
        self.draft_sessions.append(session)
        return session

    def _open(self, model: LanguageModel, role: Role, extra_rows: int) -> CountedSession:
        return CountedSession(model.open(self.room + extra_rows + 1), role, self.log, synchroniser(model))

    def cost_ratio(self, draft: LanguageModel) -> float:
        """One draft call in target calls: calibrated once for the pair's own draft; .001 for counts."""
        return cost_ratio(self.pair) if draft is self.pair.draft else 0.001
