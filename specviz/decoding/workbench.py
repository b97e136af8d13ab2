"""The workbench a method is built on: sessions that count their calls, the warp, the end tokens."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

import torch

from specviz.drafting.forest import Drafter
from specviz.errors import ModelError, OptionError
from specviz.lm.heads import Heads
from specviz.lm.language_model import LanguageModel, Scores, Session
from specviz.lm.pair import ModelPair
from specviz.lm.trie import TokenTrie
from specviz.lm.warp import Warp
from specviz.measure.calibration import cost_ratio, synchroniser
from specviz.trace.record import Call, Role
from specviz.verifying.verdict import Verifier

MOST_ROWS = 50_000  # of one session: who sees whom is a table of rows by rows


@dataclass(frozen=True)
class Setting:
    """What a verifier is made for, besides the options: the ``warp`` of the target's laws, the tokens that end a text,
    how long the prompt is, how many tokens are to follow it, and how many the vocabulary has."""

    warp: Warp
    end_tokens: frozenset[int]
    prompt_length: int
    max_new_tokens: int
    vocab_size: int


@dataclass(frozen=True)
class Decoder:
    """A drafter and a verifier, made for one run.

    ``draft`` is the model that the drafter uses, if any, ``drafts`` further ones, ``heads`` the prediction heads;
    ``cost_ratio`` is the cost of one draft call in target calls where the drafter's choices depend on it. ``beams`` is
    how many texts are kept at a time, ``beam_rows`` how many rows of the target they need besides one text (None: as
    many as texts that share nothing but the prompt). ``hidden``: the target's hidden states are wanted; ``peek``: so is
    its law after the prompt, before the first draft.
    """

    drafter: Drafter
    verifier: Verifier
    draft: LanguageModel | None = None
    cost_ratio: float | None = None
    drafts: tuple[LanguageModel, ...] = ()
    heads: Heads | None = None
    beams: int = 1
    beam_rows: int | None = None
    hidden: bool = False
    peek: bool = False


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

    def __init__(self, session: Session, role: Role, log: CallLog, synchronise, draft: int = 0):
        self.trie = session.trie
        self._session, self._role, self._log, self._synchronise, self._draft = session, role, log, synchronise, draft
        log.tries.append(session.trie)

    def extend(self, tokens: Sequence[int], parents: Sequence[int], *, last_only: bool = False) -> Scores:
        rows, start = len(self.trie), perf_counter()
        scores = self._session.extend(tokens, parents, last_only=last_only)
        if self._synchronise is not None:
            self._synchronise()
        self._log.note(Call(self._role, len(tokens), rows, perf_counter() - start, self._draft))
        return scores

    def keep(self, rows: Sequence[int]) -> None:
        self._session.keep(rows)


class CountedHeads:
    """Prediction heads whose calls are timed and noted."""

    def __init__(self, heads: Heads, log: CallLog, synchronise):
        self._heads, self._log, self._synchronise = heads, log, synchronise
        self.count, self.tree, self.accuracy = heads.count, heads.tree, heads.accuracy

    def logits(self, context: Sequence[int], hidden: torch.Tensor | None) -> torch.Tensor:
        start = perf_counter()
        logits = self._heads.logits(context, hidden)
        if self._synchronise is not None:
            self._synchronise()
        self._log.note(Call("heads", 1, 0, perf_counter() - start))
        return logits


class Workbench:
    """What a method's ``build`` gets. ``warp`` is the draft's, ``setting`` what its verifier is made for; ``room`` is
    the number of rows for prompt and output, ``max_new_tokens`` how many of them are output."""

    def __init__(self, pair: ModelPair, warp: Warp, target_warp: Warp, prompt_length: int, max_new_tokens: int):
        self.pair, self.warp, self.max_new_tokens = pair, warp, max_new_tokens
        self.room = prompt_length + max_new_tokens
        self.end_tokens = pair.end_tokens
        self.setting = Setting(target_warp, pair.end_tokens, prompt_length, max_new_tokens, pair.target.vocab_size)
        self.log = CallLog()
        self.draft_sessions: list[CountedSession] = []

    def need_draft(self, who: str, otherwise: str = "") -> LanguageModel:
        """The pair's draft model. Raises ModelError where there is none."""
        if self.pair.draft is None:
            raise ModelError(f"{who} needs a pair with a draft model" + (f"; {otherwise}" if otherwise else ""))
        return self.pair.draft

    def need_heads(self, who: str) -> CountedHeads:
        """The pair's prediction heads, counted. Raises ModelError where there are none."""
        if self.pair.heads is None:
            raise ModelError(f"{who} needs a pair with prediction heads, and {self.pair.target.name!r} has none")
        return CountedHeads(self.pair.heads, self.log, synchroniser(self.pair.target))

    def open_target(self, extra_rows: int, hidden: bool = False) -> CountedSession:
        """The target's session, with room for ``extra_rows`` rows besides one text."""
        return self._open(self.pair.target, "target", extra_rows, hidden)

    def open_draft(self, model: LanguageModel, extra_rows: int, *, hidden: bool = False) -> CountedSession:
        """A session of a draft model, with room for ``extra_rows`` rows besides one text (for several beams:
        ``beam_rows``); the loop lets it read all of the prompt but its last token before the clock starts."""
        session = self._open(model, "draft", extra_rows, hidden, number=len(self.draft_sessions))
        self.draft_sessions.append(session)
        return session

    def beam_rows(self, beams: int) -> int:
        """Rows that ``beams`` texts may take besides the first, when they share nothing but the prompt."""
        return (beams - 1) * self.max_new_tokens

    def _open(self, model: LanguageModel, role: Role, extra_rows: int, hidden: bool, number: int = 0):
        rows = self.room + extra_rows + 1
        if rows > MOST_ROWS:
            raise OptionError(
                f"beams and max_new_tokens ask for {rows} cache rows at a time, at most {MOST_ROWS} are allowed: "
                f"keep fewer beams, or write fewer than max_new_tokens={self.max_new_tokens}"
            )
        session = model.open(rows, hidden=hidden)
        return CountedSession(session, role, self.log, synchroniser(model), number)

    def cost_ratio(self, draft: LanguageModel) -> float:
        """One draft call in target calls: calibrated once for the pair's own draft; .001 for counts."""
        return cost_ratio(self.pair) if draft is self.pair.draft else 0.001
