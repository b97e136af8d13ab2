"""Whether what is recorded follows by an equation: views print one only where it does. A rule of one's own may record a
decision of a known kind and mean something else by it."""

from collections.abc import Callable
from contextlib import suppress
from math import isclose
from typing import Any

from specviz.trace.distribution import Distribution, JointDistribution

CLOSE = 1e-3
"""Relative difference of numbers that are the same: a record has probabilities in float32."""
EVEN = 1e-5
"""Difference of two probabilities that tells nothing."""


def follows(result: float | None, work: Callable[[], float]) -> bool:
    """Whether ``work`` gives the recorded ``result``."""
    with suppress(ArithmeticError, ValueError):
        return result is not None and isclose(work(), result, rel_tol=CLOSE, abs_tol=1e-6)
    return False


def ratio_follows(probability: float, target: float, draft: float, share: float = 1.0) -> bool:
    """Whether an acceptance probability is min(1, target / (share draft))."""
    return follows(probability, lambda: min(1.0, target / (share * draft)))


def is_left_over(
    now: Distribution | JointDistribution,
    target: Distribution | JointDistribution,
    draft: Distribution | JointDistribution | dict[Any, float],
    weight: float = 1.0,
) -> bool:
    """Whether ``now`` is norm((weight target - draft)+), or the target itself where nothing is left of that. What a
    record leaves out is not compared: of listed tokens the proportions are. ``draft`` may be a table of its own."""
    now_probs, p = dict(now.table().items()), dict(target.table().items())
    q = draft if isinstance(draft, dict) else dict(draft.table().items())
    whole = isinstance(draft, dict) or not draft.rest
    known = [key for key in p if key in now_probs and (whole or key in q)]
    residual = {key: max(0.0, weight * p[key] - q.get(key, 0.0)) for key in known}
    total, part = sum(residual.values()), sum(now_probs[key] for key in known)
    if total <= EVEN:
        return is_same(now, target) or total > 0.0
    return part > 0.0 and all(
        abs(amount - now_probs[key] * total / part) <= EVEN + CLOSE * amount for key, amount in residual.items()
    )


def is_same(distribution: Distribution | JointDistribution, other: Distribution | JointDistribution) -> bool:
    """Whether two distributions give what both list the same probabilities, and nothing else more than what the other
    leaves out."""
    p, q = dict(distribution.table().items()), dict(other.table().items())
    return distribution is other or (_within(p, q, _unlisted(other, q)) and _within(q, p, _unlisted(distribution, p)))


def _within(probs: dict[Any, float], other: dict[Any, float], unlisted: float) -> bool:
    return all(
        abs(prob - other[key]) <= EVEN + CLOSE * prob if key in other else prob <= EVEN + unlisted
        for key, prob in probs.items()
    )


def _unlisted(distribution: Distribution | JointDistribution, table: dict[Any, float]) -> float:
    """The most that a token may have which a record leaves out; 0 where it lists all."""
    listed = len(table) if isinstance(distribution, JointDistribution) else min(distribution.likeliest, len(table))
    if not distribution.rest:
        return 0.0
    return list(table.values())[listed - 1] if listed else 1.0
