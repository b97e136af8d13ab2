"""What an iteration costs, and what of it: the numbers behind a speed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specviz.lab.rivals.entered import RECORDED
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.summary import Estimate, estimate
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
    verifying: float

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


def accounts(rows: Sequence[Row]) -> list[Account]:
    """One account for each contender, means over all iterations of all its runs; recorded and disturbed ones left out.
    Of transformers an iteration is a target call, and all that whole calls do besides reading the prompt counts; none
    where its calls cannot be seen."""
    timed = [row for row in undisturbed(rows) if row.parts.get("calls") and not row.setting.endswith(RECORDED)]
    names = dict.fromkeys(row.setting for row in timed)
    return [_account(name, [row for row in timed if row.setting == name]) for name in names]


def undisturbed(rows: Sequence[Row]) -> Sequence[Row]:
    """Those whose clocks say something about the contender."""
    return [row for row in rows if row.disturbed is None]


def _account(name: str, rows: Sequence[Row]) -> Account:
    calls, iterations = total(rows, "calls"), total(rows, "iterations")
    seconds = sum(row.metrics.seconds for row in rows)
    target, drafting = total(rows, "target"), total(rows, "drafting")
    return Account(
        contender=name,
        tokens=sum(row.metrics.tokens for row in rows) / iterations,
        read=total(rows, "read") / calls,
        seconds=seconds / calls,
        target=target / calls,
        drafting=drafting / calls,
        outside=(seconds - target - drafting) / calls,
        verifying=total(rows, "verifying") / iterations,
    )


def total(rows: Sequence[Row], part: str) -> float:
    """The sum of a part (``Row.parts``)."""
    return sum(row.parts.get(part, 0.0) for row in rows)


def iteration_cost(chain: Sequence[Row], plain: Sequence[Row]) -> IterationCost | None:
    """Means over all iterations of ``chain``; ``plain`` gives the one-token target call. None without runs of both, or
    where one has no iteration."""
    iterations, alone = total(chain, "iterations"), total(plain, "iterations")
    if not iterations or not alone:
        return None
    unit, judged = total(plain, "target") / alone, total(chain, "judged")
    return IterationCost(
        gamma=round(sum(row.offered for row in chain) / iterations),
        acceptance=sum(row.accepted for row in chain) / judged if judged else 0.0,
        unit=unit,
        drafting=total(chain, "drafting") / iterations / unit,
        verifying=total(chain, "target") / iterations / unit,
    )


def against_limit(chain: Sequence[Row], plain: Sequence[Row]) -> Estimate:
    """The speed-up of ``chain`` over Theorem 3.8 (Leviathan et al. 2023) with every cost measured in these runs: the
    expected tokens of an iteration over its cost in one-token target calls, drafting (gamma c) and verifying (v, which
    the theorem assumes to be 1). Prompt by prompt, since each has an acceptance of its own: the mean over prompts, as
    the median over rounds."""
    partners = {(row.round, row.prompt): row for row in plain}
    both = [(row, partners[row.round, row.prompt]) for row in chain if (row.round, row.prompt) in partners]
    rounds, prompts = (sorted({getattr(row, name) for row, _ in both}) for name in ("round", "prompt"))
    cells = np.zeros((2, len(rounds), len(prompts)))
    for row, partner in both:
        cost = iteration_cost([row], [partner])
        speeds = [run.metrics.tokens_per_second or 0.0 for run in (row, partner)]
        if cost is not None and speeds[1]:
            limit = expected_tokens(cost.acceptance, cost.gamma) / (cost.drafting + cost.verifying)
            cells[:, rounds.index(row.round), prompts.index(row.prompt)] += speeds[0] / speeds[1] / limit, 1.0
    return estimate([cells], lambda value: value)
