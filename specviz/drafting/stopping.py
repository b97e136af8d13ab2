"""How many tokens to draft: a fixed gamma, or the one that Theorem 3.8 calls best for what was accepted so far."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from specviz.drafting.drafter import ScoredForest
from specviz.trace.distribution import overlap


class Gamma(Protocol):
    """Chooses the number of tokens to draft next. ``most`` bounds it."""

    most: int

    def choose(self) -> int: ...

    def observe(self, scored: ScoredForest, path: Sequence[int]) -> None: ...

    def notes(self) -> dict[str, float]: ...


class FixedGamma:
    """Always the same."""

    def __init__(self, gamma: int):
        self.most = gamma

    def choose(self) -> int:
        return self.most

    def observe(self, scored: ScoredForest, path: Sequence[int]) -> None:
        pass

    def notes(self) -> dict[str, float]:
        return {}


class BestGamma:
    """The gamma from 1 to ``most`` with the greatest expected speed-up (1 - a^(g+1)) / ((1 - a)(g c + 1)).

    ``a`` is the running acceptance, the mean of sum min(p, q) over the prefixes judged so far, started from
    ``prior_count`` prefixes of ``prior``; ``c`` = ``cost_ratio``, one draft call in target calls
    (speculative-decoding.txt, Definition 3.7 and Theorem 3.8). The choice looks at the past alone, so the guarantee
    is kept.
    """

    def __init__(self, cost_ratio: float, most: int = 16, prior: float = 0.7, prior_count: float = 4.0):
        self.cost_ratio, self.most = cost_ratio, most
        self._sum, self._count = prior * prior_count, prior_count

    @property
    def acceptance(self) -> float:
        """The running acceptance, 0 to 1."""
        return min(1.0, self._sum / self._count)

    def choose(self) -> int:
        a, gammas = self.acceptance, np.arange(1, self.most + 1)
        expected = gammas + 1.0 if a == 1.0 else (1 - a ** (gammas + 1.0)) / (1 - a)
        return int(gammas[np.argmax(expected / (gammas * self.cost_ratio + 1))])

    def observe(self, scored: ScoredForest, path: Sequence[int]) -> None:
        nodes = scored.forest.nodes
        for node in nodes[: len(path) + 1]:
            self._sum += overlap(scored.target_at(node.parent), node.draft)
            self._count += 1.0

    def notes(self) -> dict[str, float]:
        return {"gamma": float(self.choose()), "running_acceptance": self.acceptance, "cost_ratio": self.cost_ratio}
