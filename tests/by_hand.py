"""Distributions and scored forests written down by hand, over the whole of a small vocabulary."""

from collections.abc import Mapping, Sequence

import numpy as np

from specviz.drafting.drafter import Beam, ScoredForest
from specviz.trace.distribution import Distribution
from specviz.trace.forest import Forest


def dense(probs: Sequence[float], logits: Sequence[float] | None = None) -> Distribution:
    """The distribution over tokens 0 .. n - 1 with these ``probs`` (brought to sum to one), float64; the raw logits are
    their logarithms unless given."""
    probs = np.asarray(probs, dtype=np.float64)
    probs = probs / probs.sum()
    with np.errstate(divide="ignore"):
        logits = np.log(probs) if logits is None else np.asarray(logits, dtype=np.float64)
    return Distribution(np.arange(len(probs)), probs, logits, float(np.logaddexp.reduce(logits)), len(probs), True)


def scored(forest: Forest, target: Mapping[int, Distribution], beams: Sequence[Beam] = (Beam([0]),)) -> ScoredForest:
    """A forest with the target's distribution after each prefix."""
    forest.target = dict(target)
    return ScoredForest(forest, beams)


def scored_chain(
    target_rows: Sequence[Sequence[float]], draft_rows: Sequence[Sequence[float]], tokens: Sequence[int]
) -> ScoredForest:
    """A chain with both distributions before each token, and the target's after the last."""
    forest = Forest()
    for node, (token, row) in enumerate(zip(tokens, draft_rows, strict=True)):
        forest.add(token, node - 1, dense(row))
    forest.submit()
    return scored(forest, {prefix: dense(row) for prefix, row in enumerate(target_rows, -1)})
