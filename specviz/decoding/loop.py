"""The one loop: draft, let the target score, verify, commit. Every method runs on it."""

import platform
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import torch
import transformers

from specviz.decoding.catalog import Method, find
from specviz.decoding.detokenizer import Detokenizer
from specviz.decoding.options import Option, Value
from specviz.decoding.recorder import Recorder
from specviz.decoding.workbench import Workbench
from specviz.dice import Dice, SeededDice
from specviz.drafting.forest import Forest, ScoredForest, laws
from specviz.errors import OptionError, PromptError
from specviz.lm.pair import ModelPair
from specviz.lm.warp import Warp
from specviz.measure.calibration import synchroniser
from specviz.measure.clock import PhaseClock, stopwatch
from specviz.measure.energy import energy_meter
from specviz.measure.summary import summarise
from specviz.trace import record
from specviz.verifying.verdict import Verdict
from specviz.version import __version__

MAX_NEW_TOKENS = Option("max_new_tokens", "integer", 64, "Tokens to emit at most.", 1, 100_000)


class Run:
    """One decoding run: made, read the prompt (``start``), then stepped with ``step`` until ``stop`` is set.

    ``tokens`` are prompt and output; ``iterations`` the records so far; ``clock`` the run's own clock.
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
        self.warp = Warp(self.options["temperature"], self.options["top_k"], self.options["top_p"])
        bench = Workbench(pair, self.warp, room=len(self.prompt_tokens) + self.max_new_tokens)
        self._bench, self._decoder = bench, method.build(bench, self.options)
        depth = self._decoder.drafter.depth
        self._check_context(depth)
        self._target = bench.open_target(extra_rows=depth)
        self._recorder = Recorder(pair.target.vocab_size, None if self.warp.greedy else self.options["top_k"])
        self._detokenizer = Detokenizer(pair, self.prompt_tokens)
        self.clock = PhaseClock(synchroniser(pair.target))
        self.tokens = list(self.prompt_tokens)
        self.iterations: list[record.Iteration] = []
        self.prefill_seconds, self.joules = 0.0, None
        self.stop: str | None = None

    def _check_context(self, depth: int) -> None:
        length, context = len(self.prompt_tokens), self.pair.context
        if context is not None and length + self.max_new_tokens + depth > context:
            raise PromptError(
                f"prompt of {length} tokens is too long: with {self.max_new_tokens} new tokens and drafts of {depth} "
                f"it exceeds the context of {context}; at most {max(0, context - self.max_new_tokens - depth)} fit"
            )

    def start(self) -> None:
        """Read the prompt (all but its last token) with the target and the drafts; timed apart."""
        sessions = [self._target, *self._bench.draft_sessions]
        with stopwatch(synchroniser(self.pair.target)) as watch:
            known = self.prompt_tokens[:-1]
            for session in sessions if known else ():
                session.extend(known, range(-1, len(known) - 1), last_only=True)
        self.prefill_seconds = watch.seconds
        self._bench.log.take()

    def step(self) -> record.Iteration:
        """One iteration: drafts, one target call, verdict, commit. Sets ``stop`` when it was the last."""
        drafter, clock, context = self._decoder.drafter, self.clock, len(self.tokens)
        began = clock.seconds
        with clock.phase("draft"):
            forest = drafter.draft(self.tokens, self._dice)
        with clock.phase("target"):
            scores = self._score(forest)
        with clock.phase("verify"):
            target_laws = laws(scores, self.warp)
            after = dict(zip(forest.submitted, target_laws[1:], strict=True))
            scored = ScoredForest(forest, target_laws[0], after)
            verdict = self._decoder.verifier.verify(scored, self._dice)
            emitted = self._cut(forest, verdict)
            kept = min(len(verdict.path), len(emitted))
            self._target.keep(range(context + min(kept, len(emitted) - 1)))
            drafter.commit(verdict.path[:kept], scored)
            self.tokens.extend(emitted)
        with stopwatch() as watch:
            iteration = self._record(scored, verdict, emitted, kept, context, clock.seconds - began)
        iteration = replace(iteration, record_seconds=watch.seconds)
        self.iterations.append(iteration)
        return iteration

    def _score(self, forest: Forest):
        """The target reads the newest token and every submitted node in one call."""
        root = len(self._target.trie)
        row_of = {-1: root} | {node: root + i for i, node in enumerate(forest.submitted, 1)}
        tokens = [self.tokens[-1], *(forest.tokens[node] for node in forest.submitted)]
        parents = [root - 1, *(row_of[forest.parents[node]] for node in forest.submitted)]
        return self._target.extend(tokens, parents)

    def _cut(self, forest: Forest, verdict: Verdict) -> list[int]:
        """The tokens that become text: up to the first end token and the length limit."""
        tokens = [forest.tokens[node] for node in verdict.path]
        if verdict.drawn is not None:
            tokens.append(verdict.drawn.token)
        end = next((i for i, token in enumerate(tokens) if token in self.pair.end_tokens), None)
        if end is not None:
            tokens = tokens[: end + 1]
        left = self.max_new_tokens - (len(self.tokens) - len(self.prompt_tokens))
        if end is not None and len(tokens) <= left:
            self.stop = "end"
        elif len(tokens) >= left:
            self.stop = "length"
        return tokens[:left]

    def _record(
        self, scored: ScoredForest, verdict: Verdict, emitted: list[int], kept: int, context: int, seconds: float
    ) -> record.Iteration:
        calls, rows_peak = self._bench.log.take()
        forest_record, decisions = self._recorder.iteration(scored, verdict, kept) if self.recorded else (None, ())
        return record.Iteration(
            index=len(self.iterations),
            context_length=context,
            context_tail=tuple(self.tokens[max(0, context - 8) : context]),
            forest=forest_record,
            decisions=decisions,
            emitted=self._emitted(scored, verdict, emitted, kept),
            offered=verdict.offered,
            accepted=len(verdict.path),
            depth=len(scored.forest.submitted),
            calls=calls,
            segments=self.clock.take(),
            rows=len(self._target.trie),
            rows_peak=rows_peak,
            seconds=seconds,
            record_seconds=0.0,
            notes=scored.forest.notes,
        )

    def _emitted(self, scored: ScoredForest, verdict: Verdict, tokens: list[int], kept: int):
        nodes = [*verdict.path[:kept], None][: len(tokens)]
        places = [scored.forest.parents[node] if node is not None else verdict.drawn.node for node in nodes]
        rows = torch.stack([scored.law_at(place).logits for place in places]).log_softmax(-1)
        logprobs = rows[torch.arange(len(tokens)), torch.tensor(tokens)].tolist()
        return tuple(
            record.Emitted(
                token=token,
                origin="accepted" if node is not None else verdict.drawn.origin,
                node=node,
                logprob=logprob if np.isfinite(logprob) else None,
                piece=self._detokenizer.piece(token),
            )
            for token, node, logprob in zip(tokens, nodes, logprobs, strict=True)
        )

    def trace(self) -> record.Trace:
        """The trace so far; ``stop`` is ``stopped`` for a run that has not ended by itself."""
        draft = self._decoder.draft
        target_record, draft_record = model_record(self.pair.target), model_record(draft) if draft else None
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
            cost_ratio=self._decoder.cost_ratio,
            recorded=self.recorded,
        )
        iterations = tuple(self.iterations)
        return record.Trace(
            header=header,
            iterations=iterations,
            metrics=summarise(iterations, target_record, draft_record, self.prefill_seconds, self.joules),
            vocabulary={token: self.pair.piece(token) for token in sorted(_tokens_in(header, iterations))},
            prefill_seconds=self.prefill_seconds,
            stop=self.stop or "stopped",
        )


def _tokens_in(header: record.Header, iterations: tuple[record.Iteration, ...]) -> set[int]:
    found = set(header.prompt_tokens)
    for iteration in iterations:
        found.update(emitted.token for emitted in iteration.emitted)
        for decision in iteration.decisions:
            found.update(decision.target.tokens)
            found.update(decision.source.tokens if decision.rule == "draw" else decision.draft.tokens)
            found.add(decision.token)
        if iteration.forest is not None:
            found.update(node.token for node in iteration.forest.nodes)
            for proposal in iteration.forest.proposals:
                for distribution in proposal.conditionals:
                    found.update(distribution.tokens)
    return found


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
    method: str,
    prompt: str | list[int] | tuple[int, ...],
    *,
    max_new_tokens: int = 64,
    seed: int = 0,
    record: bool = True,
    **options: Any,
) -> record.Trace:
    """Run ``method`` on ``prompt`` (text, or token ids) and return its trace.

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
