"""Benchmark runs compared: a row of numbers per contender, and the ratios between contenders."""

from dataclasses import dataclass
from math import isfinite
from statistics import fmean

from specviz.lab.bench import numbers
from specviz.lab.bench.iteration_costs import first, speed_limit
from specviz.lab.bench.numbers import Number, Runs, by_round, call_speed, of, of_round, own_speed, turns
from specviz.lab.bench.runs import ASSISTED, EAGER, GENERATE, RECORDED
from specviz.lab.bench.statistics import Estimate, estimate

SPEED, CALL_SPEED = "speed by own clocks", "speed by the wall time of whole calls"


@dataclass(frozen=True)
class MethodRow:
    """One contender. Speeds are medians over rounds, all else is over all runs together; None where it does not exist.

    ``guarantee`` is what its text is distributed as; ``tokens_per_second`` by the own clock, ``whole_call`` by the wall
    clock of whole calls, reading the prompt included; ``longest_accepted`` alpha; ``kv_rows_peak`` the most cache rows
    that any run held at a time; ``target_calls`` and ``draft_calls`` per run; ``disturbed`` how many of the runs the
    machine was busy during."""

    contender: str
    guarantee: str | None
    tokens_per_second: Estimate | None
    whole_call: Estimate
    tokens_per_target_call: float | None
    acceptance_rate: float | None
    longest_accepted: float | None
    perplexity: float | None
    flops_per_token: float | None
    kv_rows_peak: int | None
    target_calls: float | None
    draft_calls: float | None
    disturbed: int | None


@dataclass(frozen=True)
class Ratio:
    """A number taken within each round, as median and interval over rounds; ``meaning`` says how it is made."""

    name: str
    meaning: str
    value: Estimate


def rows(runs: Runs) -> list[MethodRow]:
    """One row per contender, in the order of their first run."""
    return [_row(name, of(runs, name)) for name in numbers.names(runs)]


def _row(name: str, runs: Runs) -> MethodRow:
    traces = [run.trace for run in runs if run.trace is not None]
    offered = any(iteration.offered for iteration in numbers.iterations(runs))
    drafted = any(iteration.depth and iteration.steps is None for iteration in numbers.iterations(runs))
    found = numbers.perplexity(runs)
    return MethodRow(
        contender=name,
        guarantee=traces[0].header.method.guarantee if traces else None,
        tokens_per_second=estimate(by_round(runs, own_speed)) if traces else None,
        whole_call=estimate(by_round(runs, call_speed)),
        tokens_per_target_call=numbers.block_efficiency(runs) if numbers.calls(runs, "target") else None,
        acceptance_rate=numbers.acceptance_rate(runs) if offered else None,
        longest_accepted=numbers.longest_accepted(runs) if drafted else None,
        perplexity=found if isfinite(found) else None,
        flops_per_token=numbers.flops_per_token(runs) if traces else None,
        kv_rows_peak=max((trace.metrics.kv_rows_peak for trace in traces), default=None),
        target_calls=fmean(trace.metrics.target_calls for trace in traces) if traces else None,
        draft_calls=fmean(trace.metrics.draft_calls for trace in traces) if traces else None,
        disturbed=numbers.disturbed(runs) if traces else None,
    )


def ratios(runs: Runs) -> list[Ratio]:
    """Every head-to-head that the contenders allow: with transformers, with and without the record, with and without
    graphs, with the limit."""
    found = numbers.names(runs)
    ours = [first(found, method) for method in ("autoregressive", "speculative", "mtad", "dsbd")]
    plain, chain, joint, _ = ours
    made = [
        compare(runs, chain, plain, own_speed, SPEED),
        compare(runs, joint, chain, own_speed, SPEED),
        compare(runs, joint, chain, numbers.perplexity, "perplexity; lower is likelier text"),
    ]
    for mine, theirs in ((plain, GENERATE), (chain, ASSISTED)):
        made += [compare(runs, mine, name, call_speed, CALL_SPEED) for name in found if name.startswith(theirs)]
    for number, meaning in ((own_speed, SPEED), (call_speed, CALL_SPEED)):
        made += [compare(runs, name, bare(name), number, meaning) for name in found if name.endswith(RECORDED)]
        made += [compare(runs, bare(name), name, number, meaning) for name in found if name.endswith(EAGER)]
    for name in ours:
        if name in found:
            share = by_round(of(runs, name), numbers.outside_models)
            meaning = "share of iterations outside the models' calls"
            made.append(Ratio(f"overhead of {name}", meaning, estimate(share)))
    if plain in found and chain in found:
        made.append(_against_limit(runs, plain, chain))
    return [ratio for ratio in made if ratio is not None]


def bare(name: str) -> str:
    """The contender that this one is another way to run."""
    return name.removesuffix(RECORDED).removesuffix(EAGER)


def compare(runs: Runs, one: str | None, other: str | None, number: Number, meaning: str) -> Ratio | None:
    """``number`` of one contender over that of another, round by round; None without runs of both, or where one is not
    finite or the other's is 0."""
    ours, theirs = of(runs, one), of(runs, other)
    if not ours or not theirs:
        return None
    pairs = list(zip(by_round(ours, number), by_round(theirs, number), strict=True))
    if not all(isfinite(a) and isfinite(b) and b for a, b in pairs):
        return None
    return Ratio(f"{one} / {other}", meaning, estimate([a / b for a, b in pairs]))


def _against_limit(runs: Runs, plain: str, chain: str) -> Ratio:
    measured = [own_speed(of_round(runs, chain, turn)) / own_speed(of_round(runs, plain, turn)) for turn in turns(runs)]
    limits = [speed_limit(of_round(runs, chain, turn), of_round(runs, plain, turn)) for turn in turns(runs)]
    meaning = "measured speed-up over expected tokens per iteration / (gamma c + v), all of the same runs"
    return Ratio("speed-up / its limit", meaning, estimate([a / b for a, b in zip(measured, limits, strict=True)]))
