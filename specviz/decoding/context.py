"""What drafters are built from: sessions that count their calls, the warp, the end tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import torch

from specviz.errors import ModelError, OptionError, PromptError
from specviz.lm.language_model import LanguageModel, Scores, Session
from specviz.lm.limited import LimitedSession
from specviz.lm.network.heard import Heard
from specviz.lm.network.listening import ListeningLM
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.parts.heads import Heads
from specviz.lm.source import ScoreSource
from specviz.lm.trie import TokenTrie
from specviz.lm.warp import Warp
from specviz.measure.calibration import cost_ratio
from specviz.measure.devices import CallWatch, call_watch
from specviz.trace.record import Call, Role

Watches = Callable[[], CallWatch]
"""What times a model's calls, each by a watch of its own."""
MOST_ROWS = 50_000  # of one session: who sees whom is a table of rows by rows


@dataclass
class CallLog:
    """The forward calls since the last ``take``, and the most rows that all sessions held together. What a call took
    is read when it is taken, so that a GPU and the processor need not wait for each other in between."""

    calls: list[tuple[Call, CallWatch]] = field(default_factory=list)
    tries: list[TokenTrie] = field(default_factory=list)
    rows_peak: int = 0

    def note(self, call: Call, watch: CallWatch) -> None:
        watch.stop()
        self.calls.append((call, watch))
        self.rows_peak = max(self.rows_peak, sum(len(trie) for trie in self.tries))

    def take(self) -> tuple[tuple[Call, ...], int]:
        calls, peak = self.calls, self.rows_peak
        self.calls, self.rows_peak = [], 0
        return tuple(replace(call, seconds=round(watch.seconds, 9)) for call, watch in calls), peak


class CountedSession:
    """A session of ``model`` whose calls are timed, device work included, and noted; its scores say whose they are."""

    def __init__(
        self, session: Session, model: LanguageModel, role: Role, log: CallLog, watches: Watches, draft: int = 0
    ):
        self.trie = session.trie
        silent = 0 if role == "draft" and getattr(model, "may_abstain", False) else None
        self._source = ScoreSource(role, model.name, model.dtype, (), silent)
        self._session, self._log, self._watches, self._draft = session, log, watches, draft
        self._role: Role = role
        log.tries.append(session.trie)

    def extend(self, tokens: Sequence[int], parents: Sequence[int], *, last_only: bool = False) -> Scores:
        rows, watch = len(self.trie), self._watches()
        scores = self._session.extend(tokens, parents, last_only=last_only)
        self._log.note(Call(self._role, len(tokens), rows, 0.0, self._draft), watch)
        positions = self.trie.depths[-1 if last_only else rows :]
        return Scores(scores.logits, scores.hidden, self._source._replace(positions=positions))

    def keep(self, rows: Sequence[int]) -> None:
        self._session.keep(rows)


class CountedHeads:
    """Prediction heads whose calls are timed and noted."""

    def __init__(self, heads: Heads, log: CallLog, watches: Watches):
        self._heads, self._log, self._watches = heads, log, watches
        self.count, self.tree, self.accuracy = heads.count, heads.tree, heads.accuracy
        self.name, self.vocab_size, self.fingerprint = heads.name, heads.vocab_size, heads.fingerprint

    def logits(self, context: Sequence[int], hidden: torch.Tensor | None) -> torch.Tensor:
        watch = self._watches()
        logits = self._heads.logits(context, hidden)
        self._log.note(Call("heads", 1, 0, 0.0), watch)
        return logits

    def first(self, count: int) -> "CountedHeads":
        return CountedHeads(self._heads.first(count), self._log, self._watches)


class DecodeContext:
    """What a drafter is built from, for one run. ``warp`` is the draft's, ``room`` the number of rows for prompt and
    output, ``max_new_tokens`` how many of them are output; ``texts`` are kept at a time. ``who`` is the method, for
    messages. What a drafter asks for is remembered: ``drafts`` are the draft models it uses, ``heads`` the prediction
    heads, ``cost_ratio`` the cost of one draft call in target calls."""

    def __init__(self, pair: ModelPair, warp: Warp, who: str, prompt_length: int, max_new_tokens: int, texts: int = 1):
        self.pair, self.warp, self.who, self.max_new_tokens, self.texts = pair, warp, who, max_new_tokens, texts
        self.room = prompt_length + max_new_tokens
        self.end_tokens = pair.end_tokens
        self.log = CallLog()
        self.draft_sessions: list[Session] = []
        self.drafts: list[LanguageModel] = []
        self.heads: Heads | None = None
        self.cost_ratio: float | None = None
        self._heard: Heard | None = None

    def need_draft(self, number: int = 0, otherwise: str = "", argument: str = "drafts") -> LanguageModel:
        """The pair's draft model, or a further one by number. Raises ModelError where there is none, naming
        ``argument`` where it was a further one."""
        models = [] if self.pair.draft is None else [self.pair.draft, *self.pair.drafts]
        if number >= len(models):
            needed = "a draft model" if number == 0 else f"{number + 1} draft models, this has {len(models)}"
            raise ModelError(
                f"{self.who} needs a pair with {needed}" + (f"; {otherwise}" if otherwise else ""),
                argument=argument if number else None,
                code="missing_part",
            )
        return models[number]

    def need_heads(self, count: int | None = None) -> CountedHeads:
        """The pair's prediction heads, counted, the nearest ``count`` of them (None: all). Raises ModelError where
        there are none, OptionError for more than there are."""
        if self.pair.heads is None:
            raise ModelError(
                f"{self.who} needs a pair with prediction heads, and {self.pair.target.name!r} has none",
                code="missing_part",
            )
        heads = self.pair.heads
        if count is not None and count > heads.count:
            raise OptionError(f"heads must be at most {heads.count}, got {count}", argument="heads")
        self.heads = heads if count in (None, heads.count) else heads.first(count)
        return CountedHeads(self.heads, self.log, call_watch(self.pair.target))

    def measure_cost(self, draft: LanguageModel) -> float:
        """One draft call in target calls: calibrated once for each of the pair's own drafts; .001 for counts."""
        models = enumerate((self.pair.draft, *self.pair.drafts), start=1)
        number = next((number for number, model in models if model is draft), None)
        self.cost_ratio = 0.001 if number is None else cost_ratio(self.pair, number)
        return self.cost_ratio

    def open_target(self, extra_rows: int, hidden: bool = False) -> "CountedSession":
        """The target's session, with room for ``extra_rows`` rows besides one text."""
        return self._open(self.pair.target, "target", extra_rows, hidden)

    def open_draft(self, extra_rows: int, model: LanguageModel | None = None, *, hidden: bool = False) -> Session:
        """A session of a draft model (default: the pair's), with room for ``extra_rows`` rows besides the texts; all of
        the prompt but its last token is read before the clock starts. Where the texts may outgrow the model's context,
        nothing is proposed after its end. Raises ModelError where there is no model."""
        model = model or self.need_draft()
        rows = extra_rows + (2 * self.texts + self.beam_rows(self.texts) if self.texts > 1 else 0)
        session: Session = self._open(model, "draft", rows, hidden, number=len(self.draft_sessions))
        if model.context is not None and self.room + extra_rows > model.context:
            session = LimitedSession(session, model, model.context)
        self.draft_sessions.append(session)
        self.drafts.append(model)
        return session

    def check_length(self, depth: int) -> None:
        """Raises PromptError where the target cannot read the whole text with drafts of ``depth`` tokens, or a draft
        model that is used not even the prompt."""
        length, more, target = self.room - self.max_new_tokens, self.max_new_tokens, self.pair.target
        if target.context is not None and self.room + depth > target.context:
            raise PromptError(
                f"prompt of {length} tokens is too long: with {more} new tokens and drafts of {depth} it exceeds the "
                f"context of {target.context} of target {target.name!r}; at most "
                f"{max(0, target.context - more - depth)} fit{getattr(target, 'context_note', '')}",
                code="too_long",
            )
        for draft in self.drafts:
            if draft.context is not None and length > draft.context:
                raise PromptError(
                    f"prompt of {length} tokens is too long: it exceeds the context of {draft.context} of draft "
                    f"{draft.name!r}, with which {self.who} drafts{getattr(draft, 'context_note', '')}",
                    code="too_long",
                )

    def notes(self, length: int) -> dict[str, float]:
        """The context of the draft models, where it ends before a text of ``length`` tokens."""
        ended = [model.context for model in self.drafts if model.context is not None and length > model.context]
        return {"draft_context": float(max(ended))} if ended else {}

    def beam_rows(self, beams: int) -> int:
        """Rows that ``beams`` texts may take besides the first, when they share nothing but the prompt."""
        return (beams - 1) * self.max_new_tokens

    def _open(self, model: LanguageModel, role: Role, extra_rows: int, hidden: bool, number: int = 0) -> CountedSession:
        rows = self.room + extra_rows + 1
        if rows > MOST_ROWS:
            raise OptionError(
                f"beams and max_new_tokens ask for {rows} cache rows at a time, at most {MOST_ROWS} are allowed: "
                f"keep fewer beams, or write fewer than max_new_tokens={self.max_new_tokens}",
                argument="beams",
                code="too_many",
            )
        if isinstance(model, ListeningLM):
            session = model.open(rows, hidden=hidden, heard=self._spoken())
        elif self._heard and role == "target" and isinstance(model, TransformerLM):
            session = model.open(rows, hidden=hidden, heard=self._heard)
        else:
            session = model.open(rows, hidden=hidden)
        return CountedSession(session, model, role, self.log, call_watch(model), number)

    def _spoken(self) -> Heard:
        """The states that the target, opened after the drafts, hands to those that read them."""
        if self._heard is None:
            listening = [draft for draft in (self.pair.draft, *self.pair.drafts) if isinstance(draft, ListeningLM)]
            self._heard = Heard(sorted({layer for draft in listening for layer in draft.reads_layers}))
        return self._heard
