"""The one loop: draft, let the target score, verify, commit. Every method runs on it."""

import math
import platform
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import torch
import transformers

from specviz.decoding.catalog import find
from specviz.decoding.detokenizer import Detokenizer
from specviz.decoding.method import Method, asked_warp
from specviz.decoding.options import Option, Value
from specviz.decoding.recorder import Recorder, beam_record, tokens_in
from specviz.decoding.texts import Line, Mark, TargetRows, Texts
from specviz.decoding.workbench import Workbench
from specviz.dice import Dice, SeededDice
from specviz.drafting.forest import Beam, Forest, PromptReading, ScoredForest, laws
from specviz.errors import OptionError, PromptError
from specviz.lm.heads import Heads
from specviz.lm.language_model import Scores
from specviz.lm.pair import ModelPair
from specviz.measure.calibration import synchroniser
from specviz.measure.clock import PhaseClock, stopwatch
from specviz.measure.energy import energy_meter
from specviz.measure.summary import summarise
from specviz.trace import record
from specviz.verifying.verdict import Verdict
from specviz.version import __version__

TAIL = 8  # context tokens that an iteration's record keeps
MAX_NEW_TOKENS = Option("max_new_tokens", "integer", 64, "Tokens to emit at most.", 1, 100_000)


class Run:
    """One decoding run: made, read the prompt (``start``), then stepped with ``step`` until ``stop`` is set.

    ``emitted`` are the output tokens so far, ``texts`` the beams being written (one for most methods); ``iterations``
    the records so far; ``clock`` the run's own clock.
    """

    def __init__(
        self,
        pair: ModelPair,
        method: Method,
        prompt: str | list[int] | tuple[int, ...],
        *,
        options: dict[str, Value],
        max_new_tokens: int,
        dice: Dice,
        seed: int = 0,
        recorded: bool = True,
    ):
        self.pair, self.method, self.options, self.recorded = pair, method, method.resolve(**options), recorded
        MAX_NEW_TOKENS.check(max_new_tokens)
        self.prompt_text = prompt if isinstance(prompt, str) else None
        self.prompt_tokens = pair.encode(prompt)
        self.max_new_tokens, self.seed, self._dice = int(max_new_tokens), seed, dice
        self.warp = method.warp(self.options)
        bench = Workbench(pair, asked_warp(self.options), self.warp, len(self.prompt_tokens), self.max_new_tokens)
        self._bench, self._decoder = bench, method.build(bench, self.options)
        drafter, heads = self._decoder.drafter, self._decoder.heads
        self._heads = heads_record(heads) if heads else None
        self._check_context(drafter.depth)
        beams, beam_rows = self._decoder.beams, self._decoder.beam_rows
        beam_rows = bench.beam_rows(beams) if beam_rows is None else beam_rows
        self._target = bench.open_target(drafter.size + beams + beam_rows, self._decoder.hidden)
        self._rows = TargetRows(self._target, len(self.prompt_tokens))
        whole = [Beam(list(self.prompt_tokens))]
        self.texts = Texts(whole, pair.end_tokens, self.max_new_tokens, len(self.prompt_tokens))
        self._recorder = Recorder(pair.target.vocab_size, self.options["top_k"], self.options["temperature"])
        self._detokenizer = Detokenizer(pair, self.prompt_tokens)
        self.clock = PhaseClock(synchroniser(pair.target))
        self.emitted: list[int] = []
        self.iterations: list[record.Iteration] = []
        self.prefill_seconds, self.joules = 0.0, None

    @property
    def stop(self) -> str | None:
        """Why the run has ended: ``length`` or ``end``; None while it goes on."""
        return self.texts.stop

    @property
    def beam_texts(self) -> list[list[int]]:
        """Prompt and output of every beam, as far as written; one for most methods."""
        return [list(beam.tokens) for beam in self.texts.beams]

    def _check_context(self, depth: int) -> None:
        length, context = len(self.prompt_tokens), self.pair.context
        if context is not None and length + self.max_new_tokens + depth > context:
            raise PromptError(
                f"prompt of {length} tokens is too long: with {self.max_new_tokens} new tokens and drafts of {depth} "
                f"it exceeds the context of {context}; at most {max(0, context - self.max_new_tokens - depth)} fit"
            )

    def start(self) -> None:
        """Read the prompt (all but its last token) with the target and the drafts; timed apart."""
        decoder, known = self._decoder, self.prompt_tokens[:-1]
        hidden = law = None
        with stopwatch(synchroniser(self.pair.target)) as watch:
            if known:
                parents = range(-1, len(known) - 1)
                scores = self._target.extend(known, parents, last_only=True)
                hidden = scores.hidden[-1] if decoder.hidden and scores.hidden is not None else None
                for session in self._bench.draft_sessions:
                    session.extend(known, parents, last_only=True)
            if decoder.peek:
                peeked = self._target.extend(self.prompt_tokens[-1:], [len(known) - 1], last_only=True)
                (law,) = laws(peeked, self.warp)
                self._target.keep(range(len(known)))
            decoder.drafter.start(PromptReading(self.prompt_tokens, hidden, law))
        self.prefill_seconds = watch.seconds
        self._bench.log.take()

    def step(self) -> record.Iteration:
        """One iteration: drafts, one target call, verdict, commit. Sets ``stop`` when it was the last."""
        drafter, clock, texts = self._decoder.drafter, self.clock, self.texts
        began, context = clock.seconds, len(self.prompt_tokens) + len(self.emitted)
        inputs, tail = list(zip(texts.beams, texts.waiting, strict=True)), tuple(texts.beams[0].tokens[-TAIL:])
        with clock.phase("draft"):
            forest = drafter.draft(texts.beams, self._dice)
        with clock.phase("target"):
            scores = self._rows.read(texts.beams, forest)
        with clock.phase("verify"):
            scored = self._scored(forest, scores)
            verdict = self._decoder.verifier.verify(scored, self._dice)
            lines = texts.grow(verdict, scored, len(self.iterations))
            self._rows.keep(lines)
            drafter.commit([line.survivor() for line in lines], scored, verdict)
        with stopwatch() as watch:
            seconds = clock.seconds - began
            settled = texts.settle()
            iteration = self._record(scored, verdict, lines, settled, inputs, context, tail, seconds)
        iteration = replace(iteration, record_seconds=watch.seconds)
        self.iterations.append(iteration)
        return iteration

    def draft_and_score(self) -> ScoredForest:
        """The first half of an iteration: a forest with the target's laws, for others to judge. The run ends here."""
        forest = self._decoder.drafter.draft(self.texts.beams, self._dice)
        return self._scored(forest, self._rows.read(self.texts.beams, forest))

    def _scored(self, forest: Forest, scores: Scores) -> ScoredForest:
        target_laws, rows, beams = laws(scores, self.warp), self._rows.rows, self.texts.beams
        hidden = {}
        if self._decoder.hidden and scores.hidden is not None:
            hidden = {place: scores.hidden[row] for place, row in rows.items()}
        roots = tuple(None if b.finished else target_laws[rows[-1 - i]] for i, b in enumerate(beams))
        after = {node: target_laws[rows[node]] for node in forest.submitted}
        return ScoredForest(forest, roots, after, tuple(beams), hidden)

    def _record(
        self,
        scored: ScoredForest,
        verdict: Verdict,
        lines: list[Line],
        settled: list[Mark],
        inputs: list[tuple[Beam, tuple[Mark, ...]]],
        context: int,
        tail: tuple[int, ...],
        seconds: float,
    ) -> record.Iteration:
        calls, rows_peak = self._bench.log.take()
        forest, several = scored.forest, bool(verdict.layers)
        forest_record, decisions = self._recorder.iteration(scored, verdict, lines) if self.recorded else (None, ())
        self.emitted += [mark.token for mark in settled]
        deepest = max((forest.depths[node] for node in forest.submitted), default=0)
        return record.Iteration(
            index=len(self.iterations),
            context_length=context,
            context_tail=tail,
            forest=forest_record,
            decisions=decisions,
            emitted=tuple(self._emitted(mark) for mark in settled),
            offered=verdict.offered,
            accepted=len(verdict.path) if verdict.accepted is None else verdict.accepted,
            depth=deepest if forest.planned_depth is None else forest.planned_depth,
            calls=calls,
            segments=self.clock.take(),
            rows=len(self._target.trie),
            rows_peak=rows_peak,
            seconds=seconds,
            record_seconds=0.0,
            notes=forest.notes,
            inputs=tuple(beam_record(beam, marks) for beam, marks in inputs) if several else (),
            beams=tuple(map(beam_record, self.texts.beams, self.texts.waiting)) if several else (),
            steps=len(self.texts.history) if several else None,
        )

    def _emitted(self, mark: Mark) -> record.Emitted:
        logprob = mark.logprob
        return record.Emitted(
            token=mark.token,
            origin=mark.origin,
            node=mark.node if mark.iteration == len(self.iterations) else None,
            logprob=logprob if math.isfinite(logprob) else None,
            piece=self._detokenizer.piece(mark.token),
        )

    def trace(self) -> record.Trace:
        """The trace so far; ``stop`` is ``stopped`` for a run that has not ended by itself."""
        decoder, target_record = self._decoder, model_record(self.pair.target)
        draft_record = model_record(decoder.draft) if decoder.draft else None
        drafts = tuple(model_record(draft) for draft in decoder.drafts)
        header = record.Header(
            method=self.method.record(self.options),
            options={"max_new_tokens": self.max_new_tokens, **self.options},
            target=target_record,
            draft=draft_record,
            prompt_text=self.prompt_text,
            prompt_tokens=self.prompt_tokens,
            seed=self.seed,
            device=str(self.pair.target.device),
            versions=versions(),
            end_token=min(self.pair.end_tokens, default=None),
            probability_floor=self._recorder.floor,
            cost_ratio=decoder.cost_ratio,
            recorded=self.recorded,
            drafts=drafts,
            heads=self._heads,
            end_tokens=tuple(sorted(self.pair.end_tokens)),
        )
        iterations = tuple(self.iterations)
        return record.Trace(
            header=header,
            iterations=iterations,
            metrics=summarise(iterations, header, self.prefill_seconds, self.joules),
            vocabulary={token: self.pair.piece(token) for token in sorted(tokens_in(header, iterations))},
            prefill_seconds=self.prefill_seconds,
            stop=self.stop or "stopped",
        )


def model_record(model) -> record.ModelRecord:
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
    )


def heads_record(heads: Heads) -> record.ModelRecord:
    """What a trace keeps of prediction heads."""
    return record.ModelRecord(
        name=heads.name,
        fingerprint=heads.fingerprint,
        parameters=sum(weight.numel() for weight in heads.parameters()) if isinstance(heads, torch.nn.Module) else 0,
        embedding_parameters=0,
        layers=0,
        width=0,
        vocab_size=heads.vocab_size,
        dtype="float32",
    )


def versions() -> dict[str, str]:
    """Versions of what computed the trace."""
    return {
        "specviz": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }


def decode(
    pair: ModelPair,
    method: str | Method,
    prompt: str | list[int] | tuple[int, ...],
    *,
    max_new_tokens: int = 64,
    seed: int = 0,
    record: bool = True,
    **options: Any,
) -> record.Trace:
    """Run ``method`` (a name, or a Method of your own) on ``prompt`` (text, or token ids) and return its trace.

    ``options`` are the method's own and the shared ``temperature`` (default 1), ``top_k`` (20) and ``top_p`` (.9), the
    papers' defaults; see ``specviz.methods()``. ``record=False`` keeps no forests and distributions; tokens and coins
    are the same. Raises OptionError, PromptError or ModelError, each naming what was wrong and what is allowed.
    """
    run = Run(
        pair,
        find(method),
        prompt,
        options=options,
        max_new_tokens=max_new_tokens,
        dice=SeededDice(check_seed(seed)),
        seed=seed,
        recorded=record,
    )
    meter = energy_meter(str(pair.target.device))
    with meter or nullcontext():
        for _ in steps(run):
            pass
    run.joules = meter.joules if meter else None
    return run.trace()


def steps(run: Run) -> Iterator[record.Iteration]:
    """Start a run and step it to its end."""
    run.start()
    while run.stop is None:
        yield run.step()


def check_seed(seed: int) -> int:
    """The seed. Raises OptionError unless it is a whole number in [0, 2^32)."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise OptionError(f"seed must be a whole number in [0, {2**32 - 1}], got {seed!r}")
    return seed
