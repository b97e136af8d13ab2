"""How many tokens to draft: a fixed gamma, or the one that Theorem 3.8 calls best for what was accepted so far."""

from typing import Protocol

import numpy as np

from specviz.drafting.forest import ScoredForest


class Gamma(Protocol):
    """Chooses the number of tokens to draft next. ``most`` bounds it."""

    most: int

    def choose(self) -> int: ...

    def observe(self, scored: ScoredForest, path) -> None: ...

    def notes(self) -> dict[str, float]: ...


class FixedGamma:
    """Always the same."""

    def __init__(self, gamma: int):
        self.most = gamma

    def choose(self) -> int:
        return self.most

    def observe(self, scored: ScoredForest, path) -> None:
        pass

    def notes(self) -> dict[str, float]:
        return {}


class BestGamma:
    """The gamma from 1 to ``most`` with the greatest expected speed-up (1 - a^(g+1)) / ((1 - a)(g c + 1)).

    ``a`` is the running acceptance, the mean of sum min(p, q) over the places judged so far, started from
    ``prior_places`` places of ``prior``; ``c`` = ``cost_ratio``, one draft call in target calls
    (speculative-decoding.txt, Definition 3.7 and Theorem 3.8). The choice looks at the past alone, so the law is kept.
    """

    def __init__(self, cost_ratio: float, most: int = 16, prior: float = 0.7, prior_places: float = 4.0):
        self.cost_ratio, self.most = cost_ratio, most
        self._sum, self._places = prior * prior_places, prior_places

    @property
    def acceptance(self) -> float:
        """The running acceptance, 0 to 1."""
        return min(1.0, self._sum / self._places)

    def choose(self) -> int:
        a, gammas = self.acceptance, np.arange(1, self.most + 1)
        expected = gammas + 1.0 if a == 1.0 else (1 - a ** (gammas + 1.0)) / (1 - a)
        return int(gammas[np.argmax(expected / (gammas * self.cost_ratio + 1))])

    def observe(self, scored: ScoredForest, path) -> None:
        forest = scored.forest
        judged = min(len(path) + 1, len(forest))
        for node in range(judged):
            target, draft = scored.law_at(forest.parents[node]).probs, forest.draft_laws[node].probs
            self._sum += float(np.minimum(target, draft).sum())
            self._places += 1.0

    def notes(self) -> dict[str, float]:
        return {"gamma": float(self.choose()), "running_acceptance": self.acceptance, "cost_ratio": self.cost_ratio}
