"""What an iteration costs, and what of it: the numbers behind a speed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from specviz.lab.bench.numbers import Runs, headers, iterations, names, of, tokens, traces
from specviz.measure.theory import chain_acceptance, expected_tokens
from specviz.trace.record import Call, Trace


@dataclass(frozen=True)
class Account:
    """Where an average iteration of one contender goes. ``seconds`` by the own clock: in calls of the ``target``, in
    ``drafting`` calls (draft models and prediction heads), and ``outside`` of all calls, of which ``verifying`` is
    known of ours; ``tokens`` is what it emits, ``read`` how many tokens the target reads for that."""

    contender: str
    tokens: float
    read: float
    seconds: float
    target: float
    drafting: float
    outside: float
    verifying: float = 0.0

    @property
    def rest(self) -> float:
        """Seconds outside the calls that are not verifying: bookkeeping."""
        return self.outside - self.verifying


@dataclass(frozen=True)
class IterationCost:
    """What an iteration of a chain cost. ``acceptance`` is alpha; ``unit`` the seconds of a one-token target call, in
    which ``drafting`` (gamma c, all draft calls of an iteration) and ``verifying`` (v) are expressed."""

    gamma: int
    acceptance: float
    unit: float
    drafting: float
    verifying: float


def accounts(runs: Runs) -> list[Account]:
    """One account for each contender, means over all iterations of all runs; recorded ones left out. Of transformers an
    iteration is a target call, and all that whole calls do besides reading the prompt counts; none where compiled."""
    ours = [_account(name, of(runs, name)) for name in headers(runs)]
    theirs = dict.fromkeys(run.contender for run in runs if any(call.role == "target" for call in run.calls))
    return ours + [_rival_account(name, of(runs, name)) for name in theirs]


def _account(name: str, runs: Runs) -> Account:
    found = iterations(runs)
    whole = sum(iteration.seconds for iteration in found)
    account = _shared_out(name, tokens(runs) / len(found), whole, [call for one in found for call in one.calls])
    segments = [segment for one in found for segment in one.segments if segment.phase == "verify"]
    return replace(account, verifying=sum(segment.end - segment.start for segment in segments) / len(found))


def _rival_account(name: str, runs: Runs) -> Account:
    calls = [call for run in runs for call in run.calls]
    iterations = len(runs) + sum(call.role == "target" for call in calls)  # reading a prompt is one of each run
    return _shared_out(name, tokens(runs) / iterations, sum(run.wall - run.reading for run in runs), calls)


def _shared_out(name: str, emitted: float, whole: float, calls: Sequence[Call]) -> Account:
    count = sum(call.role == "target" for call in calls)
    target = sum(call.seconds for call in calls if call.role == "target")
    drafting = sum(call.seconds for call in calls) - target
    return Account(
        contender=name,
        tokens=emitted,
        read=sum(call.tokens for call in calls if call.role == "target") / count,
        seconds=whole / count,
        target=target / count,
        drafting=drafting / count,
        outside=(whole - target - drafting) / count,
    )


def first(found: list[str], method: str) -> str | None:
    """The first contender that runs ``method``; None without one."""
    return next((name for name in found if name.split(" ")[0] == method), None)


def chain_cost(runs: Runs) -> IterationCost | None:
    """What an iteration of the first ``speculative`` contender cost; None without it or ``autoregressive``."""
    chain, plain = (of(runs, first(names(runs), method)) for method in ("speculative", "autoregressive"))
    return iteration_cost(chain, plain) if chain and plain else None


def speed_limit(chain: Runs, plain: Runs) -> float:
    """Theorem 3.8 (Leviathan et al. 2023) with every cost measured in these runs: the expected tokens of an iteration
    over its cost in one-token target calls, drafting (gamma c) and verifying (v, which the theorem assumes to be 1)."""
    cost = iteration_cost(chain, plain)
    return expected_tokens(cost.acceptance, cost.gamma) / (cost.drafting + cost.verifying)


def iteration_cost(chain: Runs, plain: Runs) -> IterationCost:
    """Medians over all iterations of ``chain``; ``plain`` gives the one-token target call."""
    found = iterations(chain)
    unit = median(_seconds(trace, "target") for trace in traces(plain))
    alpha = chain_acceptance((iteration.accepted, iteration.offered) for iteration in found)
    return IterationCost(
        gamma=round(median(iteration.offered for iteration in found)),
        acceptance=alpha or 0.0,
        unit=unit,
        drafting=median(_seconds(trace, "draft") for trace in traces(chain)) / unit,
        verifying=median(_seconds(trace, "target") for trace in traces(chain)) / unit,
    )


def _seconds(trace: Trace, role: str) -> float:
    """Median seconds that one iteration of ``trace`` spent in calls of ``role``."""
    return median(sum(c.seconds for c in iteration.calls if c.role == role) for iteration in trace.iterations)
