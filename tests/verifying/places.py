"""One place of a tree by itself: laws p and q, candidates drawn below it, and the law of the token that comes out."""

from collections.abc import Callable, Iterable

import numpy as np
import torch

from specviz.decoding.exact import law_of
from specviz.dice import Dice
from specviz.drafting.forest import Forest, Law, ScoredForest
from specviz.verifying.verdict import Verdict

Candidates = Iterable[tuple[int, Law]]
KINDS = ("random", "sharp", "zeros", "equal", "disjoint")


def as_law(probs) -> Law:
    probs = np.asarray(probs, dtype=np.float64)
    return Law(probs / probs.sum(), torch.from_numpy(probs / probs.sum()).log())


def laws_of_kind(kind: str, vocab_size: int, seed: int = 0, count: int = 2) -> list[Law]:
    """The target's law and ``count`` - 1 laws of drafts."""
    generator = np.random.default_rng((seed, vocab_size, KINDS.index(kind)))
    weights = generator.exponential(size=(count, vocab_size)) ** (3.0 if kind == "sharp" else 1.5)
    if kind == "zeros":
        weights[generator.random(weights.shape) < 0.4] = 0.0
        weights[np.arange(count), generator.integers(vocab_size, size=count)] += 1.0
    if kind == "equal":
        weights[:] = weights[0]
    if kind == "disjoint":
        weights[0, vocab_size // 2 :] = 0.0
        weights[1:, : vocab_size // 2] = 0.0
    return [as_law(row) for row in weights]


def place(target: Law, candidates: Candidates, after: Law | None = None) -> ScoredForest:
    """A forest of siblings; ``after`` is the target's law below each (default: token 0 for certain)."""
    forest, after = Forest(), after or target.certain(0)
    for token, law in candidates:
        forest.submitted.append(forest.add(token, -1, law))
    return ScoredForest(forest, (target,), dict.fromkeys(forest.submitted, after))


def first_token(scored: ScoredForest, verdict: Verdict) -> int:
    return scored.forest.tokens[verdict.path[0]] if verdict.path else verdict.drawn.token


def token_law(target: Law, draw: Callable[[Dice], Candidates], verifier) -> np.ndarray:
    """The law of the accepted-or-drawn token, candidates drawn and judged with every outcome of the dice."""

    def run(dice: Dice) -> tuple[int]:
        scored = place(target, draw(dice))
        return (first_token(scored, verifier.verify(scored, dice)),)

    law = np.zeros(len(target.probs))
    for (token,), probability in law_of(run).items():
        law[token] = probability
    return law


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """Total variation."""
    return float(np.abs(one - other).sum()) / 2
