"""All chance of the house.

Drafters and verifiers never call a random generator: they ask ``dice.flip(chance)`` and ``dice.pick(weights)``. Seeded
dice return the uniform number behind each outcome, for the record. ``explore`` runs a function once per possible
sequence of outcomes, so that the law of whatever it computes is known exactly.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Flip:
    """A coin that fell: true when accepted. ``draw`` is the uniform number, None where outcomes are enumerated."""

    heads: bool
    draw: float | None

    def __bool__(self) -> bool:
        return self.heads


@dataclass(frozen=True, slots=True)
class Pick:
    """A chosen index. ``draw`` is the uniform number, None where outcomes are enumerated."""

    index: int
    draw: float | None


class Dice(Protocol):
    """Where every random outcome comes from."""

    def flip(self, chance: float) -> Flip:
        """Heads with probability ``chance`` (0 to 1; values outside are clipped)."""
        ...

    def pick(self, weights: np.ndarray | Sequence[float]) -> Pick:
        """An index drawn in proportion to ``weights`` (nonnegative, positive sum; need not be normalised).

        Raises ValueError when the weights sum to zero or are not finite.
        """
        ...


def _total(cumulative: np.ndarray) -> float:
    total = float(cumulative[-1]) if len(cumulative) else 0.0
    if not (total > 0.0 and np.isfinite(total)):
        raise ValueError(f"weights must have a positive, finite sum, got {total}")
    return total


class SeededDice:
    """Reproducible dice: one uniform number per question, whatever its answer."""

    def __init__(self, seed: int):
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def _uniform(self) -> float:
        return float(self._generator.random())

    def flip(self, chance: float) -> Flip:
        draw = self._uniform()
        return Flip(draw < chance, draw)

    def pick(self, weights: np.ndarray | Sequence[float]) -> Pick:
        cumulative = np.cumsum(weights, dtype=np.float64)
        total = _total(cumulative)
        draw = self._uniform()
        index = int(np.searchsorted(cumulative, draw * total, side="right"))
        if index >= len(cumulative) or not weights[index] > 0.0:  # rounding pushed the draw past the last weight
            index = int(np.flatnonzero(np.asarray(weights))[-1])
        return Pick(index, draw)


class RepeatedDice(SeededDice):
    """Dice that fall as ``numbers`` say, one uniform number in [0, 1) per question; None, and every question after the
    last, takes a number of its own from ``seed``. ``asked`` notes what every question was, ``flip`` or ``pick``, and
    whether its number was a new one."""

    def __init__(self, numbers: Sequence[float | None], seed: int):
        super().__init__(seed)
        self._numbers = list(numbers)
        self.asked: list[tuple[str, bool]] = []

    def _uniform(self) -> float:
        turn = len(self.asked) - 1
        number = self._numbers[turn] if turn < len(self._numbers) else None
        fresh = super()._uniform()  # drawn either way: the n-th question gets the same new number whatever came before
        if number is None:
            self.asked[-1] = (self.asked[-1][0], True)
            return fresh
        return number

    def flip(self, chance: float) -> Flip:
        self.asked.append(("flip", False))
        return super().flip(chance)

    def pick(self, weights: np.ndarray | Sequence[float]) -> Pick:
        self.asked.append(("pick", False))
        return super().pick(weights)


class _ScriptedDice:
    """Follows a script of branch numbers, then takes the first branch; notes every question's open branches."""

    def __init__(self, script: list[int]):
        self._script = script
        self.probability = 1.0
        self.branches: list[int] = []  # number of possible outcomes at each question

    def _branch(self, outcomes: list[tuple[int, float]]) -> int:
        turn = len(self.branches)
        chosen = self._script[turn] if turn < len(self._script) else 0
        self.branches.append(len(outcomes))
        outcome, probability = outcomes[chosen]
        self.probability *= probability
        return outcome

    def flip(self, chance: float) -> Flip:
        chance = min(1.0, max(0.0, float(chance)))
        outcomes = [(heads, p) for heads, p in ((1, chance), (0, 1.0 - chance)) if p > 0.0]
        return Flip(bool(self._branch(outcomes)), None)

    def pick(self, weights: np.ndarray | Sequence[float]) -> Pick:
        weights = np.asarray(weights, dtype=np.float64)
        total = _total(np.cumsum(weights))
        return Pick(self._branch([(int(i), float(weights[i]) / total) for i in np.flatnonzero(weights)]), None)


def explore(run: Callable[[Dice], Result], limit: int = 2_000_000) -> Iterator[tuple[float, Result]]:
    """Every outcome of ``run`` with its probability: ``run`` is called once per leaf of its tree of chances.

    ``run`` must be a function of the dice alone. Probabilities sum to one. Raises RuntimeError past ``limit`` leaves.
    """
    script: list[int] = []
    for _ in range(limit):
        dice = _ScriptedDice(script)
        result = run(dice)
        yield dice.probability, result
        taken = script + [0] * (len(dice.branches) - len(script))
        while taken and taken[-1] + 1 >= dice.branches[len(taken) - 1]:
            taken.pop()
        if not taken:
            return
        taken[-1] += 1
        script = taken
    raise RuntimeError(f"more than {limit} outcomes: choose a smaller vocabulary, gamma or number of tokens")
