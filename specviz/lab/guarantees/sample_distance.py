"""How far a sample is from a distribution that is known exactly, told apart from what sampling noise alone would
show."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

T = TypeVar("T", bound=Hashable)
FEWEST = 10
ROUNDS = 4000
CORRELATION = 2.0 / np.pi
"""Of what two halves of a sample of the distribution itself find, each in the outcomes that the other half has too many
of: with x normal, E[x; x > 0]^2 = Var(x) / (2 pi) for every outcome, over the variance of a share of one half, a
quarter."""
NORMAL = 1.96
"""Standard errors to either side that hold the truth 95 times in 100."""


@dataclass(frozen=True)
class Sampled:
    """What ``samples`` outcomes show. All distances are total variations, 0 to 1.

    ``tv`` is that between the shares counted and the distribution. It is never 0, even for a sample of the distribution
    itself: such samples show ``expected_tv`` on average, and ``low`` to ``high`` 95 times in 100; ``as_far`` is the
    share of them that are as far from it as this one, or farther. ``excess`` is the distance with that noise removed,
    give or take ``error`` (95 %): 0 on average for a sample of the distribution, and for any other at most the true
    distance, on average."""

    samples: int
    tv: float
    expected_tv: float
    low: float
    high: float
    as_far: float
    excess: float
    error: float


def compare(outcomes: Sequence[T], distribution: Mapping[T, float], *, seed: int = 0) -> Sampled:
    """Hold independent ``outcomes`` against ``distribution``; ``seed`` is that of the simulated samples. Raises
    ValueError for fewer than ``FEWEST`` outcomes."""
    if len(outcomes) < FEWEST:
        raise ValueError(f"outcomes must be at least {FEWEST}, got {len(outcomes)}")
    numbers = {outcome: number for number, outcome in enumerate(dict.fromkeys([*distribution, *outcomes]))}
    probs = np.array([distribution.get(outcome, 0.0) for outcome in numbers])
    probs /= probs.sum()
    seen = np.array([numbers[outcome] for outcome in outcomes])
    shares = np.bincount(seen, minlength=len(probs)) / len(seen)
    tv = float(abs(shares - probs).sum() / 2)
    drawn = np.random.default_rng(seed).multinomial(len(seen), probs, size=ROUNDS) / len(seen)
    noise = abs(drawn - probs).sum(axis=1) / 2
    low, high = np.quantile(noise, (0.025, 0.975))
    excess, error = beyond_noise(seen, probs)
    as_far = float((noise >= tv).mean())
    return Sampled(len(seen), tv, float(noise.mean()), float(low), float(high), as_far, excess, error)


def beyond_noise(seen: np.ndarray, probs: np.ndarray) -> tuple[float, float]:
    """The distance of the distribution behind the outcomes ``seen`` [n] from ``probs``, and its 95 % error, without the
    bias of counting.

    Total variation is the most by which any set of outcomes is likelier under one distribution than under the other.
    One half of the sample says which set that is, the other half how much likelier it is: a plain share, whose error is
    known. Then the halves swap roles. What they find is correlated by ``CORRELATION`` at most: that much where both
    distributions are the same and noise alone chooses the sets, less where the distributions differ and choose them.
    """
    distance, variance = 0.0, 0.0
    for first, second in ((seen[::2], seen[1::2]), (seen[1::2], seen[::2])):
        chosen = np.bincount(first, minlength=len(probs)) / len(first) > probs
        hits = chosen[second]
        distance += (hits.mean() - probs[chosen].sum()) / 2
        variance += hits.var() / len(second) / 4
    return float(distance), float(NORMAL * np.sqrt(variance * (1.0 + CORRELATION)))
