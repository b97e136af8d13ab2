"""Whether what a paper promises holds in the rows of a card: ratios and numbers with intervals, and words for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from specviz.lab.cards.card import Card, Check, Promise, same_setting
from specviz.lab.sweep.best_of import rank_gain
from specviz.lab.sweep.numbers import NUMBERS
from specviz.lab.sweep.summary import Estimate, Group

PromiseVerdict = Literal["holds", "does not hold here", "cannot be tested here"]


@dataclass(frozen=True)
class Checked:
    """A check with its number. ``holds``: the median keeps the limit; ``clear``: so do both ends of the interval, or
    neither (None: there is no interval)."""

    check: Check
    found: Estimate
    holds: bool
    clear: bool | None


@dataclass(frozen=True)
class Judged:
    """A promise with its verdict, and why where it ``cannot be tested here``."""

    promise: Promise
    verdict: PromiseVerdict
    because: str
    checks: tuple[Checked, ...] = ()

    @property
    def clear(self) -> bool:
        """Whether the intervals leave no doubt: all checks hold clearly, or one clearly does not."""
        if self.verdict == "holds":
            return all(check.clear for check in self.checks)
        return any(check.clear and not check.holds for check in self.checks)

    @property
    def said(self) -> str:
        """The verdict, with "not sure" if the intervals leave a doubt."""
        return self.verdict if self.because or self.clear else f"{self.verdict}, not sure"


def numbers_needed(card: Card) -> tuple[str, ...]:
    """The numbers that a card's promises are about."""
    checks = [check for promise in card.promises for check in promise.checks]
    ranked = ["perplexity"] if any(check.ranks for check in checks) else []
    equal = [check.at for check in checks if check.at]
    return tuple(dict.fromkeys([check.metric for check in checks] + equal + ranked))


def judged(card: Card, groups: Sequence[Group]) -> list[Judged]:
    """Every promise of a card, against the groups of its rows (with ``numbers_needed``)."""
    return [_judged(promise, groups) for promise in card.promises]


def _judged(promise: Promise, groups: Sequence[Group]) -> Judged:
    if promise.untestable:
        return Judged(promise, "cannot be tested here", promise.untestable)
    checks = []
    for check in promise.checks:
        if not groups:
            return Judged(promise, "cannot be tested here", "its card has not been run here yet")
        named = [(name, _group(name, groups)) for name in (check.of, *check.others)]
        if lacking := [name for name, group in named if group is None]:
            return Judged(promise, "cannot be tested here", f"there is no run of {lacking[0]}")
        of, *others = [group for _, group in named if group is not None]
        estimate = _found(check, of, others)
        if estimate.median is None:
            return Judged(promise, "cannot be tested here", _lacking(check.metric, of, *others))
        if not isfinite(estimate.median):
            why = f"the {NUMBERS[check.metric].label} of {', '.join(check.others)} is 0 in too many rounds"
            if check.at:
                why = f"the {NUMBERS[check.at].label} of {check.of} is worse than that of all it is held against"
            return Judged(promise, "cannot be tested here", why)
        checks.append(_checked(check, estimate))
    return Judged(promise, "holds" if all(check.holds for check in checks) else "does not hold here", "", tuple(checks))


def _found(check: Check, of: Group, others: Sequence[Group]) -> Estimate:
    """The number that a check is about."""
    if check.ranks:
        return rank_gain(of, *check.ranks)
    if check.at:
        return of.over_equals(others, check.metric, check.at)
    return of.over(others[0], check.metric) if others else of.summary(check.metric)


def _lacking(metric: str, *groups: Group) -> str:
    """Why there is no number of these groups."""
    if metric == "joules_per_token" and not all(group.has(metric) for group in groups):
        return "the machine that ran this has no energy counter that may be read"
    return f"there is no {NUMBERS[metric].label} of undisturbed runs"


def _group(name: str, groups: Sequence[Group]) -> Group | None:
    return next((group for group in groups if same_setting(name, group.first.setting)), None)


def _checked(check: Check, estimate: Estimate) -> Checked:
    def keeps(value: float) -> bool:
        return value >= check.limit if check.sense == "at least" else value <= check.limit

    assert estimate.median is not None
    holds = keeps(estimate.median)
    if estimate.low is None or estimate.high is None:
        return Checked(check, estimate, holds, None)
    return Checked(check, estimate, holds, keeps(estimate.low) == keeps(estimate.high) == holds)
