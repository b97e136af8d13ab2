"""The benchmark: methods and rivals side by side on the same prompts, in turns, with medians over rounds.

A round runs every contender on every prompt with the round's own seed, one after the other, so that a slow minute of
the machine slows all of them; the order rotates. Numbers are computed per round and given as the median over rounds
with a 95 % interval; ratios are taken within a round. End tokens are ignored on both sides (the models go on with a new
text), so every run has exactly the asked number of tokens. Our methods are timed by their own clock, which leaves out
reading the prompt; against transformers the wall time of whole calls counts, on both sides.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from specviz.decoding.registry.options import Options, label
from specviz.decoding.registry.registry import find_method as find
from specviz.decoding.run.loop import decode
from specviz.errors import OptionError
from specviz.lab.bench import rivals
from specviz.lab.prompts import PROMPTS, Prompt
from specviz.lm.pair import ModelPair
from specviz.measure.clock import stopwatch, tidy
from specviz.measure.devices import synchroniser
from specviz.trace.record import WARP, Call, Trace

RECORDED, EAGER = " (recorded)", " (eager)"  # the record kept; every kernel launched by itself, no CUDA graphs
GENERATE, ASSISTED = "transformers generate", "transformers assisted"
ALSO_RECORDED = ("speculative", "mtad")  # run a second time with the record kept, to see what that costs
DEFAULT_GAMMA = 4

MethodSpec = str | tuple[str, Options]


@dataclass(frozen=True)
class BenchRun:
    """One run of one contender. ``wall`` is the whole call in seconds; ``nll`` the negative log-likelihood of its
    tokens under the raw target (before temperature, top-k and top-p), summed; ``trace`` (without forests) is None for
    rivals, which have the models' ``calls`` and the seconds of ``reading`` the prompt instead."""

    contender: str
    round: int
    prompt: int
    tokens: int
    wall: float
    nll: float
    trace: Trace | None
    calls: tuple[Call, ...] = ()
    reading: float = 0.0


@dataclass(frozen=True)
class Contender:
    """Something that continues a prompt. ``run(prompt tokens, seed)`` returns what came of it; ``method`` is None for
    rivals."""

    name: str
    run: Callable[[tuple[int, ...], int], Trace | rivals.Generated]
    method: str | None
    options: dict[str, Any]


def contenders(
    pair: ModelPair, methods: Sequence[MethodSpec], tokens: int, *, best_rivals: bool = False, **shared: Any
) -> list[Contender]:
    """Each method bare, those of ``ALSO_RECORDED`` recorded too; then transformers with the same pair, warp and gamma;
    with ``best_rivals`` also in the other dtype, and compiled.

    ``shared`` are temperature, top_k and top_p. Raises OptionError for an unknown method or option, and for
    a method listed twice with the same options.
    """
    pair = replace(pair, end_tokens=frozenset())
    ours = []
    for spec in methods:
        name, own = (spec, {}) if isinstance(spec, str) else spec
        options = find(name).resolve(**shared, **own)
        run = partial(_decode, pair, name, tokens, options)
        ours.append(Contender(label(name, own), partial(run, False), name, options))
        if name in ALSO_RECORDED:
            ours.append(Contender(label(name, own) + RECORDED, partial(run, True), name, options))
    names = [contender.name for contender in ours]
    if len(set(names)) < len(names):
        raise OptionError(f"methods must differ, got {', '.join(names)}", argument="methods")
    return ours + (_rivals(pair, ours, tokens, best_rivals) if rivals.can_rival(pair) else [])


def _rivals(pair: ModelPair, ours: list[Contender], tokens: int, best: bool) -> list[Contender]:
    options = next((c.options for c in ours if c.method == "speculative"), ours[0].options)
    warp = {name: options[name] for name in WARP}
    gamma = options.get("gamma", DEFAULT_GAMMA)
    gamma = gamma if isinstance(gamma, int) else DEFAULT_GAMMA

    def rival(name: str, pair: ModelPair = pair, gamma: int | None = None, **more: Any) -> Contender:
        def run(prompt: tuple[int, ...], seed: int) -> rivals.Generated:
            return rivals.generate(pair, prompt, tokens, seed, gamma=gamma, **more, **warp)

        return Contender(name, run, None, warp | ({} if gamma is None else {"gamma": gamma}) | more)

    entered = [rival(GENERATE), rival(ASSISTED, gamma=gamma)]
    if best:
        other = rivals.in_other_dtype(pair)
        dtype = str(other.target.dtype).removeprefix("torch.")
        entered += [rival(f"{GENERATE}, {dtype}", other), rival(f"{ASSISTED}, {dtype}", other, gamma)]
        entered.append(rival(f"{GENERATE}, compiled", compiled=True))
        entered.append(rival(f"{GENERATE}, compiled, {dtype}", other, compiled=True))
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
) -> Iterator[BenchRun]:
    """Run every contender on every prompt, ``rounds`` times, and yield each run as it ends.

    A first, uncounted run of each contender warms caches up. Six rounds are the fewest whose smallest and largest
    value bound the median with 95 %. Raises OptionError for fewer than one round.
    """
    check_rounds(rounds)
    texts = [pair.encode(prompt.text) for prompt in prompts]
    for contender in entered:
        contender.run(texts[0], seed)
    with tidy():
        for turn in range(rounds):
            for number, text in enumerate(texts):
                shift = (turn * len(texts) + number) % len(entered)
                for contender in (*entered[shift:], *entered[:shift]):
                    run = _timed(pair, contender, text, seed + turn)
                    yield replace(run, round=turn, prompt=number)


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


def _timed(pair: ModelPair, contender: Contender, text: tuple[int, ...], seed: int) -> BenchRun:
    """One run, which reads the prompt; garbage of runs before is swept first."""
    gc.collect()
    pair.forget_prompts()
    with stopwatch(synchroniser(pair.target)) as watch:
        found = contender.run(text, seed)
    trace = found if isinstance(found, Trace) else None
    nll = _nll(pair, text, found.tokens, trace)
    called = ((), 0.0) if isinstance(found, Trace) else (found.calls, found.reading)
    return BenchRun(contender.name, 0, 0, len(found.tokens), watch.seconds, nll, _without_record(trace), *called)


@torch.inference_mode()
def _nll(pair: ModelPair, prompt: tuple[int, ...], tokens: tuple[int, ...], trace: Trace | None) -> float:
    if trace is None:
        return -sum(rivals.logprobs(pair, prompt, tokens))
    found = [emitted.logprob for iteration in trace.iterations for emitted in iteration.emitted]
    return -sum(float("-inf") if logprob is None else logprob for logprob in found)


def _without_record(trace: Trace | None) -> Trace | None:
    if trace is None:
        return None
    bare = tuple(replace(iteration, forest=None, decisions=()) for iteration in trace.iterations)
    return replace(trace, iterations=bare, vocabulary={})
