"""Benchmark runs compared: a row of numbers per contender, and the ratios between contenders."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp, isfinite
from statistics import median

from specviz.lab.bench import ASSISTED, GENERATE, RECORDED, BenchRun
from specviz.lab.statistics import Estimate, estimate
from specviz.measure.cost import total_flops
from specviz.measure.theory import chain_acceptance, expected_tokens

Runs = Sequence[BenchRun]


@dataclass(frozen=True)
class Row:
    """One contender. Speeds are medians over rounds, all else is over all runs together; None where it does not exist.

    ``tokens_per_second`` is by the own clock, ``whole_call`` by the wall clock of whole calls, reading the prompt
    included.
    """

    contender: str
    tokens_per_second: Estimate | None
    whole_call: Estimate
    tokens_per_target_call: float | None
    acceptance_rate: float | None
    perplexity: float | None
    flops_per_token: float | None


@dataclass(frozen=True)
class Ratio:
    """A number taken within each round, as median and interval over rounds; ``meaning`` says how it is made."""

    name: str
    meaning: str
    value: Estimate


@dataclass(frozen=True)
class IterationCost:
    """What an iteration of a chain cost. ``acceptance`` is alpha; ``unit`` the seconds of a one-token target call, in
    which ``drafting`` (gamma c, all draft calls of an iteration) and ``verifying`` (v) are expressed."""

    gamma: int
    acceptance: float
    unit: float
    drafting: float
    verifying: float


def rows(runs: Runs) -> list[Row]:
    """One row per contender, in the order of their first run."""
    return [_row(name, of(runs, name)) for name in dict.fromkeys(run.contender for run in runs)]


def _row(name: str, runs: Runs) -> Row:
    traces = [run.trace for run in runs if run.trace is not None]
    tokens = sum(run.tokens for run in runs)
    iterations = [iteration for trace in traces for iteration in trace.iterations]
    calls = [call for iteration in iterations for call in iteration.calls]
    offered = sum(iteration.offered for iteration in iterations)
    return Row(
        contender=name,
        tokens_per_second=estimate(by_round(runs, own_speed)) if traces else None,
        whole_call=estimate(by_round(runs, call_speed)),
        tokens_per_target_call=tokens / sum(call.role == "target" for call in calls) if calls else None,
        acceptance_rate=sum(iteration.accepted for iteration in iterations) / offered if offered else None,
        perplexity=perplexity(runs) if isfinite(perplexity(runs)) else None,
        flops_per_token=sum(_flops(run) for run in runs) / tokens if traces else None,
    )


def ratios(runs: Runs) -> list[Ratio]:
    """Every comparison that the contenders allow."""
    names = list(dict.fromkeys(run.contender for run in runs))
    plain, chain, joint = (_first(names, method) for method in ("autoregressive", "speculative", "mtad"))
    found = [
        _compare(runs, chain, plain, own_speed, "speed by own clocks"),
        _compare(runs, joint, chain, own_speed, "speed by own clocks"),
        _compare(runs, joint, chain, perplexity, "perplexity; lower is likelier text"),
        _compare(runs, plain, GENERATE, call_speed, "speed by the wall time of whole calls"),
        _compare(runs, chain, ASSISTED, call_speed, "speed by the wall time of whole calls"),
    ]
    for name in names:
        bare = name.removesuffix(RECORDED)
        if bare != name:
            found.append(_compare(runs, name, bare, own_speed, "speed by own clocks"))
            found.append(_compare(runs, name, bare, call_speed, "speed by the wall time of whole calls"))
    for name in (plain, chain, joint):
        if name in names:
            share = by_round(of(runs, name), outside_models)
            meaning = "share of iterations outside the models' calls"
            found.append(Ratio(f"overhead of {name}", meaning, estimate(share)))
    if plain in names and chain in names:
        found.append(_against_limit(runs, plain, chain))
    return [ratio for ratio in found if ratio is not None]


def chain_cost(runs: Runs) -> IterationCost | None:
    """What an iteration of the first ``speculative`` contender cost; None without it or ``autoregressive``."""
    names = list(dict.fromkeys(run.contender for run in runs))
    chain, plain = of(runs, _first(names, "speculative")), of(runs, _first(names, "autoregressive"))
    return iteration_cost(chain, plain) if chain and plain else None


def _first(names: list[str], method: str) -> str | None:
    return next((name for name in names if name.split(" ")[0] == method), None)


def _compare(runs: Runs, one: str | None, other: str | None, number: Callable[[Runs], float], meaning: str):
    ours, theirs = of(runs, one), of(runs, other)
    if not ours or not theirs:
        return None
    pairs = zip(by_round(ours, number), by_round(theirs, number), strict=True)
    return Ratio(f"{one} / {other}", meaning, estimate([a / b for a, b in pairs]))


def _against_limit(runs: Runs, plain: str, chain: str) -> Ratio:
    measured = [own_speed(of_round(runs, chain, turn)) / own_speed(of_round(runs, plain, turn)) for turn in turns(runs)]
    limits = [speed_limit(of_round(runs, chain, turn), of_round(runs, plain, turn)) for turn in turns(runs)]
    meaning = "measured speed-up over expected tokens per iteration / (gamma c + v), all of the same runs"
    return Ratio("speed-up / its limit", meaning, estimate([a / b for a, b in zip(measured, limits, strict=True)]))


def speed_limit(chain: Runs, plain: Runs) -> float:
    """Theorem 3.8 (Leviathan et al. 2023) with every cost measured in these runs: the expected tokens of an iteration
    over its cost in one-token target calls, drafting (gamma c) and verifying (v, which the theorem takes for 1)."""
    cost = iteration_cost(chain, plain)
    return expected_tokens(cost.acceptance, cost.gamma) / (cost.drafting + cost.verifying)


def iteration_cost(chain: Runs, plain: Runs) -> IterationCost:
    """Medians over all iterations of ``chain``; ``plain`` gives the one-token target call."""
    iterations = [iteration for run in chain for iteration in run.trace.iterations]
    unit = median(_seconds(run, "target") for run in plain)
    gamma = round(median(iteration.offered for iteration in iterations))
    alpha = chain_acceptance((iteration.accepted, iteration.offered) for iteration in iterations)
    return IterationCost(
        gamma=gamma,
        acceptance=alpha or 0.0,
        unit=unit,
        drafting=median(_seconds(run, "draft") for run in chain) / unit,
        verifying=median(_seconds(run, "target") for run in chain) / unit,
    )


def _seconds(run: BenchRun, role: str) -> float:
    """Median seconds that one iteration of ``run`` spent in calls of ``role``."""
    return median(sum(c.seconds for c in iteration.calls if c.role == role) for iteration in run.trace.iterations)


def own_speed(runs: Runs) -> float:
    """Tokens per second by the own clock, reading prompts left out."""
    return sum(run.tokens for run in runs) / sum(run.trace.metrics.seconds for run in runs)


def call_speed(runs: Runs) -> float:
    """Tokens per second by the wall time of whole calls."""
    return sum(run.tokens for run in runs) / sum(run.wall for run in runs)


def perplexity(runs: Runs) -> float:
    """Geometric over all tokens of all runs, under the unwarped target."""
    return exp(sum(run.nll for run in runs) / sum(run.tokens for run in runs))


def outside_models(runs: Runs) -> float:
    """Share of the iterations' time that no model call accounts for."""
    iterations = [iteration for run in runs for iteration in run.trace.iterations]
    inside = sum(call.seconds for iteration in iterations for call in iteration.calls)
    return 1.0 - inside / sum(iteration.seconds for iteration in iterations)


def _flops(run: BenchRun) -> float:
    header = run.trace.header
    calls = [call for iteration in run.trace.iterations for call in iteration.calls]
    return total_flops(calls, header)


def of(runs: Iterable[BenchRun], name: str | None) -> Runs:
    """The runs of one contender."""
    return [run for run in runs if run.contender == name]


def of_round(runs: Iterable[BenchRun], name: str, turn: int) -> Runs:
    """The runs of one contender in one round."""
    return [run for run in runs if run.contender == name and run.round == turn]


def turns(runs: Iterable[BenchRun]) -> list[int]:
    """The numbers of the rounds."""
    return sorted({run.round for run in runs})


def by_round(runs: Runs, number: Callable[[Runs], float]) -> list[float]:
    """``number`` of each round's runs, in order of rounds."""
    return [number([run for run in runs if run.round == turn]) for turn in turns(runs)]
