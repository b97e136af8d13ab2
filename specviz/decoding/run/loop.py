"""The one loop: draft, let the target score, verify, commit. Every method runs on it."""

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from itertools import chain
from os.path import commonprefix
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import torch
import transformers

from specviz.decoding.context import DecodeContext
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.registry import find_method
from specviz.decoding.registry.specs import check_pair
from specviz.decoding.run.detokenizer import Detokenizer
from specviz.decoding.run.growing import GrowingBeam, GrowingTexts, PendingToken, TargetRows
from specviz.decoding.run.recording import Recorder, beam_record, tokens_in
from specviz.dice import Dice, SeededDice
from specviz.drafting.drafter import Beam, PromptReading, ScoredForest
from specviz.errors import OptionError, as_given
from specviz.lm.language_model import LanguageModel, Scores
from specviz.lm.network.cache import LAST
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.parts.heads import Heads
from specviz.lm.prompt import Prompt
from specviz.lm.scoring import distributions, listed_entries
from specviz.lm.threads import threads_for
from specviz.measure.clock import PhaseClock, stopwatch
from specviz.measure.devices import gpus_of, synchroniser
from specviz.measure.energy import energy_meter
from specviz.measure.summary import agreements, summarise
from specviz.options import Option, Value, is_whole
from specviz.rules.by_hand import put_by_hand
from specviz.rules.spec import VerifyContext, asked_warp
from specviz.rules.verdict import Verdict
from specviz.trace import record
from specviz.trace.distribution import Distribution
from specviz.trace.forest import Forest, Origin, finite
from specviz.trace.plain import as_number
from specviz.version import __version__

TAIL = 8  # context tokens that an iteration's record keeps
MAX_NEW_TOKENS = Option("max_new_tokens", "integer", 64, "Tokens to emit at most.", 1, 100_000)


T = TypeVar("T")


def _at_work(method: "Callable[[Run], T]") -> "Callable[[Run], T]":
    """The method of a run, computed by as many threads as its pair is to have; what its devices spend on it is
    counted."""

    @wraps(method)
    def run(self: "Run") -> T:
        with threads_for(self.pair), self.energy:
            return method(self)

    return run


@dataclass(frozen=True)
class Past:
    """What a run goes on from: a ``trace`` that may end anywhere, its ``texts``, which grow on in the run, and tokens
    that are put ``by_hand`` behind them (of one text). ``next`` is what the next token is to be drawn from, where the
    last verdict left it undrawn, with the ``origin`` that it will have."""

    trace: record.Trace
    texts: GrowingTexts
    by_hand: tuple[int, ...] = ()
    next: Distribution | None = None
    origin: Origin = "target"


class Run:
    """One decoding run: made, read the prompt (``start``), then stepped with ``step`` until ``stop`` is set. With a
    ``past`` it goes on from there: the prompt is that of the past, and its iterations, clock and output are continued.

    ``emitted`` are the output tokens so far, ``texts`` the beams being written (one for most methods); ``iterations``
    the records so far; ``clock`` the run's own clock, ``energy`` what its devices spend while it reads or steps.
    """

    def __init__(
        self,
        pair: ModelPair,
        method: Method,
        prompt: Prompt,
        *,
        options: dict[str, Value],
        max_new_tokens: int,
        dice: Dice,
        seed: int = 0,
        recorded: bool = True,
        template_arguments: Mapping[str, Any] | None = None,
        past: Past | None = None,
    ):
        self.pair, self.method, self.options, self.recorded = pair, method, method.resolve(**options), recorded
        self.prompt_text = prompt.encode(errors="replace").decode() if isinstance(prompt, str) else None
        self.prompt_tokens = pair.encode(prompt, template_arguments)
        self.max_new_tokens = MAX_NEW_TOKENS.whole(max_new_tokens)
        self.seed, self._dice = check_seed(seed), dice
        self._context = self._build()
        self._context.check_length(self._drafter.depth)
        whole = [Beam(list(self.prompt_tokens))]
        self.texts = GrowingTexts(whole, pair.end_tokens, self.max_new_tokens, len(self.prompt_tokens))
        self._past = past
        self._recorder = Recorder(self.options["temperature"])
        self._detokenizer = Detokenizer(pair, self.prompt_tokens)
        self.clock = PhaseClock(synchroniser(pair.target))
        self.emitted: list[int] = []
        self.iterations: list[record.Iteration] = []
        self._agreed: list[list[float]] = []
        self.prefill_seconds = 0.0
        self.energy = energy_meter(gpus_of(pair.target))
        if past is not None:
            self._continue(past)

    def _continue(self, past: Past) -> None:
        """Stand where the past ends."""
        trace, self.texts = past.trace, past.texts
        self.prompt_text, self.prefill_seconds = trace.header.prompt_text, trace.prefill_seconds
        self.iterations, self.emitted = list(trace.iterations), list(trace.tokens)
        self._recorder.floor = trace.header.probability_floor
        self.clock.seconds = max((s.end for iteration in trace.iterations for s in iteration.segments), default=0.0)
        pieces = [self._detokenizer.piece(token) for token in self.emitted]
        if self.iterations:  # one that was judged anew may have other tokens than its models have spelt
            last = self.iterations[-1]
            emitted = zip(last.emitted, pieces[len(pieces) - len(last.emitted) :], strict=True)
            self.iterations[-1] = replace(last, emitted=tuple(replace(one, piece=piece) for one, piece in emitted))

    def _build(self) -> DecodeContext:
        """The drafter, the verifier and the sessions of this run."""
        (draft_spec, verify_spec), options = self.method.pair(self.options), self.method.full(self.options)
        check_pair(draft_spec, verify_spec, options)
        pair, length = self.pair, len(self.prompt_tokens)
        self.warp = verify_spec.target_warp(options)
        judged = VerifyContext(self.warp, pair.end_tokens, length, self.max_new_tokens, pair.target.vocab_size)
        beams, beam_rows = verify_spec.beams(judged, options)
        context = DecodeContext(pair, asked_warp(options), self.method.name, length, self.max_new_tokens, beams)
        self._drafter, self._verifier = draft_spec.build(context, options), verify_spec.build(judged, options)
        self._heads = heads_record(context.heads) if context.heads else None
        drafter, verifier = self._drafter, self._verifier
        self._drawing = draft_spec.drawing(options)
        entries = listed_entries(pair.target.vocab_size, options["top_k"])
        self._entries = max(entries, drafter.target_entries, getattr(verifier, "entries", 0))
        beam_rows = context.beam_rows(beams) if beam_rows is None else beam_rows
        self._target = context.open_target(drafter.size + beams + beam_rows, drafter.wants_hidden)
        self._rows = TargetRows(self._target)
        return context

    @property
    def depth(self) -> int:
        """The most tokens that are drafted in a row."""
        return self._drafter.depth

    @property
    def stop(self) -> Literal["length", "end"] | None:
        """Why the run has ended: ``length`` or ``end``; None while it goes on."""
        return self.texts.stop

    @property
    def beam_texts(self) -> list[list[int]]:
        """Prompt and output of every beam, as far as written; one for most methods."""
        return [list(beam.tokens) for beam in self.texts.beams]

    @_at_work
    def start(self) -> None:
        """Read the text so far (all but its last token) with the target and the drafts; timed apart, as long as it is
        the prompt. Of several beams that is what all of them begin with, and the target reads the rest too."""
        drafter, past = self._drafter, self._past
        hidden = following = None
        with stopwatch(synchroniser(self.pair.target)) as watch:
            text = commonprefix([tuple(beam.tokens) for beam in self.texts.beams])
            if len(text) > 1:
                scores = self._target.extend(text[:-1], range(-1, len(text) - 2), last_only=True)
                scores.check()
                hidden = scores.hidden[-1] if drafter.wants_hidden and scores.hidden is not None else None
            self._rows.begin(self.texts.beams)
            for token in past.by_hand if past else ():
                hidden, text = self._put(token), (*text, token)
            if len(text) > 1:
                for session in self._context.draft_sessions:
                    session.extend(text[:-1], range(-1, len(text) - 2), last_only=True).check()
            if drafter.wants_prefill_distribution:
                scores = self._target.extend(text[-1:], [len(text) - 2], last_only=True)
                (following,) = distributions(scores, self.warp, entries=self._entries)
                self._target.keep(range(len(text) - 1))
            if past and past.next is not None:
                drafter.start(PromptReading(text, hidden, past.next, past.origin))
            else:
                drafter.start(PromptReading(text, hidden, following))
        self.prefill_seconds = past.trace.prefill_seconds if past else watch.seconds
        self._context.log.take()

    def _put(self, token: int) -> torch.Tensor | None:
        """An iteration of its own for a token put by hand, outside the clock; the target's hidden state before it."""
        forest, context = Forest(), len(self.prompt_tokens) + len(self.emitted)
        scored = self._scored(forest, self._rows.read(self.texts.beams, forest), {0: [token]})
        verdict, tail = put_by_hand(scored, token), tuple(self.texts.beams[0].tokens[-TAIL:])
        grown = self.texts.grow(verdict, scored, len(self.iterations))
        self._rows.keep(grown)
        iteration = self._record(scored, verdict, grown, self.texts.settle(), [], context, tail, 0.0, {})
        self.iterations.append(replace(iteration, calls=()))
        return scored.hidden.get(-1)

    @_at_work
    def step(self) -> record.Iteration:
        """One iteration: drafts, one target call, verdict, commit. Sets ``stop`` when it was the last."""
        drafter, clock, texts = self._drafter, self.clock, self.texts
        began, context = clock.seconds, len(self.prompt_tokens) + len(self.emitted)
        inputs, tail = list(zip(texts.beams, texts.waiting, strict=True)), tuple(texts.beams[0].tokens[-TAIL:])
        with clock.phase("draft"):
            forest = drafter.draft(texts.beams, self._dice)
            notes = {name: as_number(note, float, f"note {name!r}") for name, note in drafter.notes().items()}
            notes |= self._context.notes(max(len(beam.tokens) for beam in texts.beams))
        with clock.phase("target"):
            scores = self._rows.read(texts.beams, forest)
        with clock.phase("verify"):
            scored = self._scored(forest, scores)
            verdict = self._verifier.verify(scored, self._dice).plain()
            grown = texts.grow(verdict, scored, len(self.iterations))
            self._rows.keep(grown)
            drafter.commit([beam.accepted() for beam in grown], scored, verdict)
        with stopwatch() as watch:
            seconds = clock.seconds - began
            settled = texts.settle()
            iteration = self._record(scored, verdict, grown, settled, inputs, context, tail, seconds, notes)
        iteration = replace(iteration, record_seconds=watch.seconds)
        self.iterations.append(iteration)
        return iteration

    @_at_work
    def draft_and_score(self) -> ScoredForest:
        """The first half of an iteration: a forest with the target's distributions, for others to judge. The run ends
        here."""
        forest = self._drafter.draft(self.texts.beams, self._dice)
        scored = self._scored(forest, self._rows.read(self.texts.beams, forest))
        self._drafter.annotate(forest)
        return scored

    def _scored(
        self, forest: Forest, scores: Scores, listed: Mapping[int, Sequence[int]] = MappingProxyType({})
    ) -> ScoredForest:
        """The forest with the target's distribution after every prefix that was read, one for each row; the tokens
        drafted there are listed, and those that are ``listed`` by row."""
        rows, beams = self._rows.rows, self.texts.beams
        forest.drawing = self._drawing
        include = {row: [*tokens] for row, tokens in listed.items()}
        for number in forest.submitted:
            node = forest.nodes[number]
            include.setdefault(rows[node.parent], []).append(node.token)
        by_row = distributions(scores, self.warp, entries=self._entries, include=include)
        forest.target = {prefix: by_row[row] for prefix, row in rows.items()}
        hidden = {}
        if self._drafter.wants_hidden and scores.hidden is not None:
            hidden = {prefix: scores.hidden[row] for prefix, row in rows.items()}
        return ScoredForest(forest, tuple(beams), hidden)

    def _record(
        self,
        scored: ScoredForest,
        verdict: Verdict,
        grown: list[GrowingBeam],
        settled: list[PendingToken],
        inputs: list[tuple[Beam, tuple[PendingToken, ...]]],
        context: int,
        tail: tuple[int, ...],
        seconds: float,
        notes: dict[str, float],
    ) -> record.Iteration:
        calls, rows_peak = self._context.log.take()
        planned, deepest, several = scored.forest.planned_depth, scored.forest.submitted_depth, bool(verdict.layers)
        forest, decisions = None, ()
        if self.recorded:
            self._drafter.annotate(scored.forest)
            forest, decisions = self._recorder.iteration(scored, verdict, grown)
        if several:
            notes = notes | {"beams_kept": float(sum(map(len, self.texts.history)))}
        self.emitted += [pending.token for pending in settled]
        return record.Iteration(
            index=len(self.iterations),
            context_length=context,
            context_tail=tail,
            forest=forest,
            decisions=decisions,
            emitted=tuple(self._emitted(pending) for pending in settled),
            offered=verdict.offered,
            accepted=verdict.accepted_count,
            depth=deepest if planned is None else as_number(planned, int, "Forest.planned_depth"),
            calls=calls,
            segments=self.clock.take(),
            rows=len(self._target.trie),
            rows_peak=rows_peak,
            seconds=seconds,
            record_seconds=0.0,
            notes=notes,
            inputs=tuple(beam_record(beam, pending) for beam, pending in inputs) if several else (),
            beams=tuple(map(beam_record, self.texts.beams, self.texts.waiting)) if several else (),
            steps=len(self.texts.history) if several else None,
        )

    def _emitted(self, pending: PendingToken) -> record.Emitted:
        return record.Emitted(
            token=pending.token,
            origin=pending.origin,
            node=pending.node if pending.iteration == len(self.iterations) else None,
            logprob=finite(pending.logprob),
            piece=self._detokenizer.piece(pending.token),
        )

    def trace(self) -> record.Trace:
        """The trace so far; ``stop`` is ``stopped`` for a run that has not ended by itself."""
        header, iterations, past = self.header(), tuple(self.iterations), self._past
        self._agreed += [
            agreements(iteration) for iteration in iterations[len(self._agreed) :]
        ]  # a live view asks again and again
        agreed = [*chain.from_iterable(self._agreed)]
        joules, thread_seconds = (None, None) if past else (self.energy.joules, self.clock.thread_seconds)
        return record.Trace(
            header=header,
            iterations=iterations,
            metrics=summarise(iterations, header, self.prefill_seconds, joules, thread_seconds, agreed),
            vocabulary={token: self.pair.piece(token) for token in sorted(tokens_in(header, iterations))},
            prefill_seconds=self.prefill_seconds,
            stop=self.stop or "stopped",
            no_energy="the run goes on from another one" if past else self.energy.absent,
        )

    def header(self) -> record.Header:
        """Where the trace comes from."""
        drafts = tuple(draft_record(draft, self.pair.target) for draft in self._context.drafts)
        return record.Header(
            method=self.method.record(self.options),
            options={"max_new_tokens": self.max_new_tokens, **self.options},
            target=model_record(self.pair.target),
            draft=drafts[0] if drafts else None,
            prompt_text=self.prompt_text,
            prompt_tokens=self.prompt_tokens,
            seed=self.seed,
            device=str(self.pair.target.device),
            versions=versions(),
            end_token=min(self.pair.end_tokens, default=None),
            probability_floor=self._recorder.floor,
            cost_ratio=self._context.cost_ratio,
            recorded=self.recorded,
            drafts=drafts[1:],
            heads=self._heads,
            end_tokens=tuple(sorted(self.pair.end_tokens)),
            branches=self._past.trace.header.branches if self._past else (),
        )


def model_record(model: LanguageModel) -> record.ModelRecord:
    """What a trace keeps of a model."""
    shape = model.shape
    return record.ModelRecord(
        name=model.name,
        fingerprint=model.fingerprint,
        parameters=shape.parameters,
        embedding_parameters=shape.embedding_parameters,
        layers=shape.layers,
        width=shape.width,
        vocab_size=model.vocab_size,
        dtype=str(model.dtype).removeprefix("torch."),
        forward=model.forward if isinstance(model, TransformerLM) else "",
        graphs=isinstance(model, TransformerLM) and model.graphs and model.device.type == "cuda",
        weight_bytes=shape.weight_bytes,
        row_bytes=shape.row_bytes,
    )


def draft_record(draft: LanguageModel, target: LanguageModel) -> record.ModelRecord:
    """What a trace keeps of a draft of ``target``."""
    layers = (target.shape.layers if layer == LAST else layer for layer in getattr(draft, "reads_layers", ()))
    return replace(model_record(draft), reads=tuple(layers))


def heads_record(heads: Heads) -> record.ModelRecord:
    """What a trace keeps of prediction heads."""
    weights = [*heads.parameters()] if isinstance(heads, torch.nn.Module) else []
    dtype = weights[0].dtype if weights else getattr(heads, "dtype", torch.float32)
    return record.ModelRecord(
        name=heads.name,
        fingerprint=heads.fingerprint,
        parameters=sum(weight.numel() for weight in weights),
        embedding_parameters=0,
        layers=0,
        width=0,
        vocab_size=heads.vocab_size,
        dtype=str(dtype).removeprefix("torch."),
        weight_bytes=sum(weight.nbytes for weight in weights),
    )


def versions() -> dict[str, str]:
    """Versions of what computed the trace."""
    return {
        "specviz": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "transformers": transformers.__version__,
    }


def decode(
    pair: ModelPair,
    method: str | Method,
    prompt: Prompt,
    *,
    max_new_tokens: int = 64,
    seed: int = 0,
    record: bool = True,
    template_arguments: Mapping[str, Any] | None = None,
    **options: Any,
) -> record.Trace:
    """Run ``method`` (a name, or a Method of your own) on ``prompt`` and return its trace.

    The prompt is text, token ids, or messages: dicts with "role" and "content", system and earlier turns included,
    which go through the tokenizer's chat template; ``template_arguments`` are the template's own, such as
    ``{"enable_thinking": False}``.

    ``options`` are the method's own and the shared ``temperature`` (default 1), ``top_k`` (20) and ``top_p`` (.9), the
    papers' defaults; see ``specviz.methods()``. ``record=False`` keeps no forests and distributions; tokens and coins
    are the same. Raises OptionError, PromptError or ModelError, each naming what was wrong and what is allowed.

    >>> import specviz
    >>> pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
    >>> trace = specviz.decode(pair, "speculative", [0], max_new_tokens=6, gamma=2)
    >>> len(trace.tokens), trace.header.method.guarantee
    (6, 'target')
    """
    seed = check_seed(seed)
    run = Run(
        pair,
        find_method(method),
        prompt,
        options=options,
        max_new_tokens=max_new_tokens,
        dice=SeededDice(seed),
        seed=seed,
        recorded=record,
        template_arguments=template_arguments,
    )
    for _ in iterations(run):
        pass
    return run.trace()


def iterations(run: Run) -> Iterator[record.Iteration]:
    """Start a run and step it to its end."""
    run.start()
    while run.stop is None:
        yield run.step()


def check_seed(seed: int) -> int:
    """The seed. Raises OptionError unless it is a whole number in [0, 2^32)."""
    if not is_whole(seed) or not 0 <= seed < 2**32:
        raise OptionError(f"seed must be a whole number in [0, {2**32 - 1}], got {as_given(seed)}", argument="seed")
    return int(seed)
