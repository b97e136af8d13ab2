"""Numbers of benchmark runs: each a plain function from runs to one number, and ways to choose the runs.

A metric means what ``measure/summary.py`` says it means; here it is taken over all given runs together.
"""

from collections.abc import Callable, Iterable, Sequence
from math import exp
from statistics import fmean

from specviz.lab.bench.runs import RECORDED, BenchRun
from specviz.measure.cost import total_flops
from specviz.measure.disturbance import disturbed_by
from specviz.trace.record import Call, Header, Iteration, Trace

Runs = Sequence[BenchRun]
Number = Callable[[Runs], float]


def of(runs: Iterable[BenchRun], name: str | None) -> Runs:
    """The runs of one contender."""
    return [run for run in runs if run.contender == name]


def of_round(runs: Iterable[BenchRun], name: str, turn: int) -> Runs:
    """The runs of one contender in one round."""
    return [run for run in runs if run.contender == name and run.round == turn]


def turns(runs: Iterable[BenchRun]) -> list[int]:
    """The numbers of the rounds."""
    return sorted({run.round for run in runs})


def by_round(runs: Runs, number: Number) -> list[float]:
    """``number`` of each round's runs, in order of rounds."""
    return [number([run for run in runs if run.round == turn]) for turn in turns(runs)]


def names(runs: Runs) -> list[str]:
    """The contenders, in the order of their first run."""
    return list(dict.fromkeys(run.contender for run in runs))


def headers(runs: Runs) -> dict[str, Header]:
    """The header of each of our contenders, recorded ones left out, in the order of their first run."""
    found = {run.contender: run.trace.header for run in reversed(runs) if run.trace is not None}
    return {name: found[name] for name in names(runs) if name in found and not name.endswith(RECORDED)}


def traces(runs: Runs) -> list[Trace]:
    """Those of our runs."""
    return [run.trace for run in runs if run.trace is not None]


def iterations(runs: Runs) -> list[Iteration]:
    """All iterations of our runs."""
    return [iteration for trace in traces(runs) for iteration in trace.iterations]


def calls(runs: Runs, role: str) -> list[Call]:
    """All calls of one role in our runs."""
    return [call for iteration in iterations(runs) for call in iteration.calls if call.role == role]


def tokens(runs: Runs) -> int:
    """Tokens of all runs."""
    return sum(run.tokens for run in runs)


def own_speed(runs: Runs) -> float:
    """Tokens per second by the own clock, reading prompts left out."""
    return tokens(runs) / sum(trace.metrics.seconds for trace in traces(runs))


def call_speed(runs: Runs) -> float:
    """Tokens per second by the wall time of whole calls."""
    return tokens(runs) / sum(run.wall for run in runs)


def perplexity(runs: Runs) -> float:
    """Geometric over all tokens of all runs, under the target's raw probabilities; infinite for impossible text."""
    return exp(sum(run.nll for run in runs) / tokens(runs))


def block_efficiency(runs: Runs) -> float:
    """Tokens per target call."""
    return tokens(runs) / len(calls(runs, "target"))


def acceptance_rate(runs: Runs) -> float:
    """Accepted draft tokens over those offered on the judged paths; 0 where nothing was offered."""
    offered = sum(iteration.offered for iteration in iterations(runs))
    return sum(iteration.accepted for iteration in iterations(runs)) / max(1, offered)


def longest_accepted(runs: Runs) -> float:
    """alpha of improved-mcsd.txt: accepted draft tokens over the depth drafted, averaged over iterations that drafted;
    0 where none did. Methods that keep several beams, of which many may be accepted a layer, are left out."""
    found = [iteration for iteration in iterations(runs) if iteration.depth > 0 and iteration.steps is None]
    shares = [iteration.accepted / iteration.depth for iteration in found]
    return fmean(shares) if shares else 0.0


def flops_per_token(runs: Runs) -> float:
    """Arithmetic of all calls after the prompt, over tokens."""
    return sum(_flops(trace) for trace in traces(runs)) / tokens(runs)


def _flops(trace: Trace) -> float:
    return total_flops([call for iteration in trace.iterations for call in iteration.calls], trace.header)


def disturbed(runs: Runs) -> int:
    """How many of our runs the machine was busy during, so that little follows from their speed."""
    return sum(disturbed_by(trace.metrics) is not None for trace in traces(runs))


def outside_models(runs: Runs) -> float:
    """Share of the iterations' time that no model call accounts for."""
    found = iterations(runs)
    inside = sum(call.seconds for iteration in found for call in iteration.calls)
    return 1.0 - inside / sum(iteration.seconds for iteration in found)
