"""The benchmark: methods and rivals side by side on the same prompts, in turns, with medians over rounds.

A round runs every contender on every prompt with the round's own seed, one after the other, so that a slow minute of
the machine slows all of them; the order rotates. Numbers are computed per round and given as the median over rounds
with a 95 % interval over prompts and rounds; ratios are taken within a round. End tokens are ignored on both sides (the
models go on with a new text), so every run has exactly the asked number of tokens; perplexity counts those up to the
first end token. Runs that other programs disturbed are left out of what is timed, on both sides. Our methods are timed
by their own clock, which leaves out reading the prompt; against transformers the wall time of whole calls counts, on
both sides.
"""

import gc
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import blake2b
from math import inf
from pathlib import Path
from time import thread_time
from typing import Any, NamedTuple

from specviz.decoding.registry.registry import find_method as find
from specviz.decoding.run.loop import decode
from specviz.errors import OptionError
from specviz.lab.bench import llamacpp, rivals
from specviz.lab.machine import machine, versions
from specviz.lab.prompts import PROMPTS, Prompt
from specviz.lab.sweep.log import LineLog
from specviz.lab.sweep.plan import identity
from specviz.lm.pair import ModelPair
from specviz.measure.clock import stopwatch, tidy
from specviz.measure.devices import synchroniser
from specviz.measure.disturbance import kept_waiting
from specviz.options import Options, label
from specviz.trace.record import WARP, Call, Metrics, Trace

RECORDED, EAGER = " (recorded)", " (eager)"  # the record kept; every kernel launched by itself, no CUDA graphs
GENERATE, ASSISTED = "transformers generate", "transformers assisted"
ALSO_RECORDED = ("speculative", "mtad")  # run a second time with the record kept, to see what that costs
DEFAULT_GAMMA = 4
RUNS = "runs.jsonl"

MethodSpec = str | tuple[str, Options]


@dataclass(frozen=True)
class Spent:
    """Where the seconds of a run's ``iterations`` went: ``target`` and ``drafting`` (draft models and prediction heads)
    in calls, of which those of the target are ``calls`` that ``read`` so many tokens; ``verifying`` as far as known.
    Of transformers an iteration is a target call, and reading the prompt one more, of which no seconds count."""

    iterations: int
    seconds: float
    target: float
    drafting: float
    verifying: float
    calls: int
    read: int

    @property
    def outside(self) -> float:
        """Seconds in no model's call."""
        return self.seconds - self.target - self.drafting


@dataclass(frozen=True)
class BenchRun:
    """One run of one contender. ``key`` says what was run, and where. ``wall`` is the whole call in seconds; ``nll``
    the negative log-likelihood under the raw target (before temperature, top-k and top-p), summed over the first
    ``scored`` tokens, up to and with the first end token; ``offered`` draft tokens, of which ``judged`` until the first
    that was rejected, and ``accepted``; ``spent`` is None where calls cannot be seen. Rivals have no ``metrics`` and no
    ``guarantee``.

    ``disturbed`` is the number that shows that other programs kept the run waiting: as in a sweep's rows, of rivals the
    share of the processor in the whole call (None: nothing shows it, or nobody knows)."""

    contender: str
    round: int
    prompt: int
    tokens: int
    wall: float
    nll: float
    scored: int
    key: str = ""
    guarantee: str | None = None
    metrics: Metrics | None = None
    spent: Spent | None = None
    offered: int = 0
    judged: int = 0
    accepted: int = 0
    disturbed: str | None = None

    def flat(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def run_of(flat: Any) -> BenchRun:
    """The run of ``flat()``. Raises TypeError or KeyError for what is none."""
    metrics, spent = flat["metrics"], flat["spent"]
    if metrics is not None:
        tuples = {name: tuple(value) for name, value in metrics.items() if isinstance(value, list)}
        metrics = Metrics(**metrics | tuples)
    return BenchRun(**flat | {"metrics": metrics, "spent": spent and Spent(**spent)})


@dataclass(frozen=True)
class Contender:
    """Something that continues a prompt. ``run(prompt tokens, seed)`` returns what came of it, ``tokens`` tokens;
    ``method`` is None for rivals."""

    name: str
    run: Callable[[tuple[int, ...], int], Trace | rivals.Generated]
    method: str | None
    options: dict[str, Any]
    tokens: int


def contenders(
    pair: ModelPair, methods: Sequence[MethodSpec], tokens: int, *, best_rivals: bool = False, **shared: Any
) -> list[Contender]:
    """Each method bare, those of ``ALSO_RECORDED`` recorded too; then transformers with the same pair, warp and gamma;
    with ``best_rivals`` also in the other dtype, and compiled; and llama.cpp with the target's file, where it can be.

    ``shared`` are temperature, top_k and top_p. Raises OptionError for an unknown method or option, and for
    a method listed twice with the same options.
    """
    pair = replace(pair, end_tokens=frozenset())
    ours = []
    for spec in methods:
        name, own = (spec, {}) if isinstance(spec, str) else spec
        options = find(name).resolve(**shared, **own)
        run = partial(_decode, pair, name, tokens, options)
        ours.append(Contender(label(name, own), partial(run, False), name, options, tokens))
        if name in ALSO_RECORDED:
            ours.append(Contender(label(name, own) + RECORDED, partial(run, True), name, options, tokens))
    names = [contender.name for contender in ours]
    if len(set(names)) < len(names):
        raise OptionError(f"methods must differ, got {', '.join(names)}", argument="methods")
    return ours + _rivals(pair, ours, tokens, best_rivals)


def _rivals(pair: ModelPair, ours: list[Contender], tokens: int, best: bool) -> list[Contender]:
    options = next((c.options for c in ours if c.method == "speculative"), ours[0].options)
    warp = {name: options[name] for name in WARP}
    gamma = options.get("gamma", DEFAULT_GAMMA)
    gamma = gamma if isinstance(gamma, int) else DEFAULT_GAMMA

    def rival(name: str, pair: ModelPair, gamma: int | None = None, **more: Any) -> Contender:
        def run(prompt: tuple[int, ...], seed: int) -> rivals.Generated:
            return rivals.generate(pair, prompt, tokens, seed, gamma=gamma, **more, **warp)

        return Contender(name, run, None, warp | ({} if gamma is None else {"gamma": gamma}) | more, tokens)

    def both(pair: ModelPair, dtype: str = "") -> list[Contender]:
        assisted = [rival(f"{ASSISTED}{dtype}", pair, gamma)] if pair.draft else []
        return [rival(f"{GENERATE}{dtype}", pair), *assisted]

    entered: list[Contender] = []
    if (known := rivals.rival_pair(pair)) is not None:
        entered += both(known)
        if best:
            other = rivals.in_other_dtype(known)
            dtype = f", {str(other.target.dtype).removeprefix('torch.')}"
            entered += both(other, dtype)
            entered.append(rival(f"{GENERATE}, compiled", known, compiled=True))
            entered.append(rival(f"{GENERATE}, compiled{dtype}", other, compiled=True))
    if llamacpp.can_rival(pair):
        entered.append(Contender(llamacpp.GENERATE, llamacpp.rival(pair, tokens, **warp), None, warp, tokens))
    return entered


def _decode(
    pair: ModelPair,
    method: str,
    tokens: int,
    options: dict[str, Any],
    recorded: bool,
    prompt: tuple[int, ...],
    seed: int,
) -> Trace:
    return decode(pair, method, prompt, max_new_tokens=tokens, seed=seed, record=recorded, **options)


def run_bench(
    pair: ModelPair,
    entered: Sequence[Contender],
    *,
    prompts: Sequence[Prompt] = PROMPTS,
    rounds: int = 6,
    seed: int = 0,
    work: Path | None = None,
) -> Iterator[BenchRun]:
    """Run every contender on every prompt, ``rounds`` times, and yield each run as it ends.

    A first, uncounted run of each contender warms caches up. Six rounds are the fewest that give an interval. With
    ``work``, a folder, every run is kept there as it ends, and what was run there before, by the same models on this
    machine, is yielded as it was. Raises OptionError for fewer than one round, and SpecvizError for a folder that
    cannot be written or read.
    """
    check_rounds(rounds)
    with LineLog(work / RUNS, run_of) if work else nullcontext(None) as log:
        kept = {} if log is None else {run.key: run for run in log}
        tasks = list(_tasks(pair, entered, [pair.encode(prompt.text) for prompt in prompts], rounds, seed))
        missing = {task.contender.name for task in tasks if task.key not in kept}
        for contender in entered:
            if contender.name in missing:
                contender.run(tasks[0].text, seed)
        with tidy():
            for task in tasks:
                run = kept.get(task.key)
                if run is None:
                    run = _timed(pair, task)
                    if log is not None:
                        log.append(run)
                yield run


class _Task(NamedTuple):
    key: str
    contender: Contender
    text: tuple[int, ...]
    seed: int
    round: int
    prompt: int


def _tasks(
    pair: ModelPair, entered: Sequence[Contender], texts: Sequence[tuple[int, ...]], rounds: int, seed: int
) -> Iterator[_Task]:
    where = [identity(pair), machine(str(pair.target.device)), versions()]
    for turn in range(rounds):
        for number, text in enumerate(texts):
            shift = (turn * len(texts) + number) % len(entered)
            for one in (*entered[shift:], *entered[:shift]):
                what = [one.name, one.options, one.tokens, text, seed + turn, where]
                key = blake2b(json.dumps(what, sort_keys=True).encode(), digest_size=16).hexdigest()
                yield _Task(key, one, text, seed + turn, turn, number)


def whole_rounds(measured: Iterator[BenchRun], advance: Callable[[], None]) -> list[BenchRun]:
    """All runs; where Ctrl-C breaks the benchmark off, those of the rounds that were whole, or else KeyboardInterrupt.
    ``advance`` is called after each."""
    runs: list[BenchRun] = []
    try:
        for run in measured:
            runs.append(run)
            advance()
    except KeyboardInterrupt:
        if not runs or not runs[-1].round:
            raise
        return [run for run in runs if run.round < runs[-1].round]
    return runs


def check_rounds(rounds: int) -> None:
    """Raises OptionError for fewer than one round."""
    if rounds < 1:
        raise OptionError(f"rounds is {rounds}: it must be 1 or more", argument="rounds")


def _timed(pair: ModelPair, task: _Task) -> BenchRun:
    """One run, which reads the prompt; garbage of runs before is swept first."""
    gc.collect()
    pair.forget_prompts()
    synchronise, began = synchroniser(pair.target), thread_time()
    with stopwatch(synchronise) as watch:
        found = task.contender.run(task.text, task.seed)
    used, tokens = thread_time() - began, found.tokens
    scored = next((count for count, token in enumerate(tokens, 1) if token in pair.end_tokens), len(tokens))
    written = found.written if isinstance(found, rivals.Generated) else None  # told by a process of its own
    count = len(tokens) if written is None else written
    run = BenchRun(task.contender.name, task.round, task.prompt, count, watch.seconds, 0.0, scored, task.key)
    if isinstance(found, Trace):
        disturbed = kept_waiting(found.metrics.processor_share, found.metrics.call_slowdown)
        return replace(of_trace(run, found), disturbed=disturbed)
    disturbed = kept_waiting(None if synchronise or written is not None else used / watch.seconds)
    nll = -sum(rivals.logprobs(pair, task.text, tokens[:scored]))
    spent = spent_in(found.calls, watch.seconds - found.reading) if found.calls else None
    return replace(run, nll=nll, spent=spent, disturbed=disturbed)


def of_trace(run: BenchRun, trace: Trace) -> BenchRun:
    iterations = trace.iterations
    logprobs = [emitted.logprob for iteration in iterations for emitted in iteration.emitted]
    verifying = [s.end - s.start for one in iterations for s in one.segments if s.phase == "verify"]
    spent = spent_in([call for one in iterations for call in one.calls], sum(one.seconds for one in iterations))
    return replace(
        run,
        nll=-sum(-inf if logprob is None else logprob for logprob in logprobs[: run.scored]),
        guarantee=trace.header.method.guarantee,
        metrics=trace.metrics,
        spent=replace(spent, iterations=len(iterations), verifying=sum(verifying)),
        offered=sum(one.offered for one in iterations),
        judged=sum(one.accepted + (one.accepted < one.offered) for one in iterations),
        accepted=sum(one.accepted for one in iterations),
    )


def spent_in(calls: Sequence[Call], seconds: float) -> Spent:
    target = [call for call in calls if call.role == "target"]
    inside = sum(call.seconds for call in target)
    drafting = sum(call.seconds for call in calls) - inside
    read = sum(call.tokens for call in target)
    return Spent(1 + len(target), seconds, inside, drafting, 0.0, len(target), read)
