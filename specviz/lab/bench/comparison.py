"""Benchmark runs compared: a row of numbers per contender, and the ratios between contenders."""

from dataclasses import dataclass

from specviz.lab.bench import llamacpp, numbers
from specviz.lab.bench.iteration_costs import first, speed_limit
from specviz.lab.bench.numbers import (
    CALL_SPEED,
    OWN_SPEED,
    PERPLEXITY,
    Number,
    Runs,
    measured,
    of,
    over,
    total,
    undisturbed,
)
from specviz.lab.bench.runs import ASSISTED, EAGER, GENERATE, RECORDED, BenchRun
from specviz.lab.sweep.summary import Estimate


@dataclass(frozen=True)
class MethodRow:
    """One contender. Speeds are medians over rounds, all else is over all runs together; None where it does not exist.

    ``guarantee`` is what its text is distributed as; ``tokens_per_second`` by the own clock, ``whole_call`` by the wall
    clock of whole calls, reading the prompt included; ``longest_accepted`` alpha; ``kv_rows_peak`` the most cache rows
    that any run held at a time; ``target_calls`` and ``draft_calls`` per run; ``disturbed`` how many of the runs the
    machine was busy during, which are left out of speeds."""

    contender: str
    guarantee: str | None
    tokens_per_second: Estimate | None
    whole_call: Estimate | None
    tokens_per_target_call: float | None
    acceptance_rate: float | None
    longest_accepted: float | None
    perplexity: float | None
    flops_per_token: float | None
    kv_rows_peak: int | None
    target_calls: float | None
    draft_calls: float | None
    disturbed: int


@dataclass(frozen=True)
class Ratio:
    """A number taken within each round, as median over rounds and interval; ``meaning`` says how it is made."""

    name: str
    meaning: str
    value: Estimate


def rows(runs: Runs) -> list[MethodRow]:
    """One row per contender, in the order of their first run."""
    return [_row(name, of(runs, name)) for name in numbers.names(runs)]


def _row(name: str, runs: Runs) -> MethodRow:
    metrics = [run.metrics for run in runs if run.metrics is not None]
    return MethodRow(
        contender=name,
        guarantee=runs[0].guarantee,
        tokens_per_second=measured(runs, OWN_SPEED),
        whole_call=measured(runs, CALL_SPEED),
        tokens_per_target_call=total(runs, numbers.EFFICIENCY),
        acceptance_rate=total(runs, numbers.ACCEPTANCE),
        longest_accepted=total(runs, numbers.LONGEST),
        perplexity=total(runs, PERPLEXITY),
        flops_per_token=total(runs, numbers.FLOPS),
        kv_rows_peak=max((one.kv_rows_peak for one in metrics), default=None),
        target_calls=total(runs, numbers.TARGET_CALLS),
        draft_calls=total(runs, numbers.DRAFT_CALLS),
        disturbed=len(runs) - len(undisturbed(runs)),
    )


def ratios(runs: Runs) -> list[Ratio]:
    """Every head-to-head that the contenders allow: with transformers, with and without the record, with and without
    graphs, with the limit."""
    found = numbers.names(runs)
    ours = [first(found, method) for method in ("autoregressive", "speculative", "mtad", "dsbd")]
    plain, chain, joint, _ = ours
    made = [
        compare(runs, chain, plain, OWN_SPEED),
        compare(runs, joint, chain, OWN_SPEED),
        compare(runs, joint, chain, PERPLEXITY),
    ]
    for mine, theirs in ((plain, GENERATE), (chain, ASSISTED), (plain, llamacpp.GENERATE), (chain, llamacpp.GENERATE)):
        made += [compare(runs, mine, name, CALL_SPEED) for name in found if name.startswith(theirs)]
    for number in (OWN_SPEED, CALL_SPEED):
        made += [compare(runs, name, bare(name), number) for name in found if name.endswith(RECORDED)]
        made += [compare(runs, bare(name), name, number) for name in found if name.endswith(EAGER)]
    made += [_overhead(runs, name) for name in ours if name in found]
    made.append(_against_limit(*(undisturbed(of(runs, name)) for name in (chain, plain))))
    return [ratio for ratio in made if ratio is not None]


def bare(name: str) -> str:
    """The contender that this one is another way to run."""
    return name.removesuffix(RECORDED).removesuffix(EAGER)


def compare(runs: Runs, one: str | None, other: str | None, number: Number) -> Ratio | None:
    """``number`` of one contender over that of another, round by round; None without runs of both, or where one has no
    such number."""
    found = over(of(runs, one), of(runs, other), number)
    return None if found is None else Ratio(f"{one} / {other}", number.meaning, found)


def _overhead(runs: Runs, name: str) -> Ratio | None:
    share = measured(of(runs, name), numbers.OUTSIDE)
    return None if share is None else Ratio(f"overhead of {name}", numbers.OUTSIDE.meaning, share)


def _against_limit(chain: Runs, plain: Runs) -> Ratio | None:
    """Prompt by prompt, since each has an acceptance of its own."""
    meaning = "measured speed-up over expected tokens per iteration / (gamma c + v), all of the same runs"

    def share(one: BenchRun, other: BenchRun) -> float:
        speeds = [total([run], OWN_SPEED) or 0.0 for run in (one, other)]
        return speeds[0] / speeds[1] / speed_limit(one, other)

    found = numbers.pairwise(share, chain, plain)
    return None if found.median is None else Ratio("speed-up / its limit", meaning, found)
