"""What an iteration costs, and what of it: the numbers behind a speed."""

from dataclasses import dataclass

from specviz.lab.bench.numbers import Runs, names, of, ours, undisturbed
from specviz.lab.bench.runs import BenchRun, Spent
from specviz.measure.theory import expected_tokens


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
    """One account for each contender, means over all iterations of all runs; recorded and disturbed ones left out. Of
    transformers an iteration is a target call, and all that whole calls do besides reading the prompt counts; none
    where compiled."""
    runs = undisturbed(runs)
    theirs = dict.fromkeys(run.contender for run in runs if run.metrics is None)
    found = ((name, of(runs, name)) for name in (*ours(runs), *theirs))
    return [_account(name, own) for name, own in found if any(run.spent and run.spent.calls for run in own)]


def _account(name: str, runs: Runs) -> Account:
    spent = together(runs)
    count = spent.calls
    return Account(
        contender=name,
        tokens=sum(run.tokens for run in runs) / spent.iterations,
        read=spent.read / count,
        seconds=spent.seconds / count,
        target=spent.target / count,
        drafting=spent.drafting / count,
        outside=spent.outside / count,
        verifying=spent.verifying / spent.iterations,
    )


def together(runs: Runs) -> Spent:
    """What all these runs spent, added up."""
    found = [vars(run.spent) for run in runs if run.spent is not None]
    return Spent(**{name: sum(one[name] for one in found) for name in found[0]})


def first(found: list[str], method: str) -> str | None:
    """The first contender that runs ``method``; None without one."""
    return next((name for name in found if name.split(" ")[0] == method), None)


def chain_cost(runs: Runs) -> IterationCost | None:
    """What an iteration of the first ``speculative`` contender cost; None without it or ``autoregressive``."""
    runs = undisturbed(runs)
    chain, plain = (of(runs, first(names(runs), method)) for method in ("speculative", "autoregressive"))
    return iteration_cost(chain, plain) if chain and plain else None


def speed_limit(chain: BenchRun, plain: BenchRun) -> float:
    """Theorem 3.8 (Leviathan et al. 2023) with every cost measured in these runs: the expected tokens of an iteration
    over its cost in one-token target calls, drafting (gamma c) and verifying (v, which the theorem assumes to be 1)."""
    cost = iteration_cost([chain], [plain])
    return expected_tokens(cost.acceptance, cost.gamma) / (cost.drafting + cost.verifying)


def iteration_cost(chain: Runs, plain: Runs) -> IterationCost:
    """Means over all iterations of ``chain``; ``plain`` gives the one-token target call."""
    spent, alone = together(chain), together(plain)
    unit = alone.target / alone.iterations
    judged = sum(run.judged for run in chain)
    return IterationCost(
        gamma=round(sum(run.offered for run in chain) / spent.iterations),
        acceptance=sum(run.accepted for run in chain) / judged if judged else 0.0,
        unit=unit,
        drafting=spent.drafting / spent.iterations / unit,
        verifying=spent.target / spent.iterations / unit,
    )
