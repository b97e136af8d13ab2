"""One prefix of a tree by itself: distributions p and q, candidates drawn after it, and the distribution of the token
that comes out."""

from collections.abc import Callable, Iterable

import numpy as np

from specviz.decoding.exact.distribution import distribution_of
from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.rules.verdict import Verdict
from specviz.trace.distribution import Distribution, one_hot
from specviz.trace.forest import Forest
from tests.by_hand import dense, scored

Candidates = Iterable[tuple[int, Distribution]]
KINDS = ("random", "sharp", "zeros", "equal", "disjoint", "apart")  # the last: not over the same tokens


def distributions_of_kind(kind: str, vocab_size: int, seed: int = 0, count: int = 2) -> list[Distribution]:
    """The target's distribution and ``count`` - 1 of drafts."""
    generator = np.random.default_rng((seed, vocab_size, KINDS.index(kind)))
    weights = generator.exponential(size=(count, vocab_size)) ** (3.0 if kind == "sharp" else 1.5)
    if kind in ("zeros", "apart"):
        weights[generator.random(weights.shape) < 0.4] = 0.0
        weights[np.arange(count), generator.integers(vocab_size, size=count)] += 1.0
    if kind == "equal":
        weights[:] = weights[0]
    if kind == "disjoint":
        weights[0, vocab_size // 2 :] = 0.0
        weights[1:, : vocab_size // 2] = 0.0
    found = [dense(row) for row in weights]
    return [_possible(one) for one in found] if kind == "apart" else found


def _possible(given: Distribution) -> Distribution:
    """Only the possible tokens listed."""
    kept = np.flatnonzero(given.probs)
    return Distribution(given.tokens[kept], given.probs[kept], given.logits[kept], given.log_total, len(kept), True)


def siblings_of(target: Distribution, candidates: Candidates, after: Distribution | None = None) -> ScoredForest:
    """A forest of siblings; ``after`` is the target's distribution after each (default: token 0 for certain)."""
    forest, after = Forest(), after or one_hot(target, 0)
    for token, distribution in candidates:
        forest.add(token, -1, distribution)
    forest.submit()
    return scored(forest, {-1: target, **dict.fromkeys(forest.submitted, after)})


def first_token(scored: ScoredForest, verdict: Verdict) -> int:
    return scored.forest.nodes[verdict.path[0]].token if verdict.path else verdict.sampled.token


def token_distribution(target: Distribution, draw: Callable[[Dice], Candidates], verifier) -> np.ndarray:
    """The probabilities [n] of the target's n tokens to be accepted or drawn, candidates drawn and judged with every
    outcome of the dice."""

    def run(dice: Dice) -> tuple[int]:
        scored = siblings_of(target, draw(dice))
        return (first_token(scored, verifier.verify(scored, dice)),)

    found = distribution_of(run)
    assert {token for (token,) in found} <= set(target.tokens.tolist())
    return np.array([found.get((token,), 0.0) for token in target.tokens.tolist()])


def picked(draft: Distribution, dice: Dice) -> int:
    """A token drawn."""
    return int(draft.tokens[dice.pick(draft.probs).index])


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """Total variation."""
    return float(np.abs(one - other).sum()) / 2
