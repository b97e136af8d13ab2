"""All chance in one place.

Drafters and verifiers never call a random generator: they ask ``dice.flip(probability)`` and ``dice.pick(weights)``.
Seeded dice return the uniform number behind each outcome, for the record. ``explore`` runs a function once per possible
sequence of outcomes, so that the distribution of whatever it computes is known exactly.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from specviz.errors import SpecvizError, TooManyOutcomes, as_given

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Flip:
    """A coin that fell: true when accepted. ``uniform`` is the number in [0, 1) behind it, None where outcomes are
    enumerated."""

    heads: bool
    uniform: float | None

    def __bool__(self) -> bool:
        return self.heads


@dataclass(frozen=True, slots=True)
class Pick:
    """A chosen index. ``uniform`` is the number in [0, 1) behind it, None where outcomes are enumerated."""

    index: int
    uniform: float | None


class Dice(Protocol):
    """Where every random outcome comes from."""

    def flip(self, probability: float) -> Flip:
        """Heads with probability ``probability`` (0 to 1; values outside are clipped). Raises SpecvizError for what is
        no number."""
        ...

    def pick(self, weights: np.ndarray | Sequence[float]) -> Pick:
        """An index drawn in proportion to ``weights`` (nonnegative, positive sum; need not be normalised).

        Raises ValueError when the weights sum to zero or are not finite.
        """
        ...


def _probability(number: float) -> float:
    """The number, numpy's and torch's as Python's own."""
    try:
        probability = float(number)
    except (TypeError, ValueError, RuntimeError):
        probability = math.nan
    if math.isnan(probability) or isinstance(number, str):
        raise SpecvizError(f"a coin's probability must be a number, got {as_given(number)}")
    return probability


def _total(cumulative: np.ndarray) -> float:
    total = float(cumulative[-1]) if len(cumulative) else 0.0
    if not 0.0 < total < math.inf:
        raise ValueError(f"weights must have a positive, finite sum, got {total}")
    return total


class SeededDice:
    """Reproducible dice: one uniform number per question, whatever its answer."""

    def __init__(self, seed: int):
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def _uniform(self) -> float:
        return float(self._generator.random())

    def flip(self, probability: float) -> Flip:
        uniform = self._uniform()
        return Flip(uniform < _probability(probability), uniform)

    def pick(self, weights: np.ndarray | Sequence[float]) -> Pick:
        cumulative = np.asarray(weights).cumsum(dtype=np.float64)
        total = _total(cumulative)
        uniform = self._uniform()
        index = int(cumulative.searchsorted(uniform * total, side="right"))
        if index >= len(cumulative) or not weights[index] > 0.0:  # rounding pushed the number past the last weight
            index = int(np.flatnonzero(np.asarray(weights))[-1])
        return Pick(index, uniform)


class Uniform(float):
    """A uniform number that knows which question it answered, from 0."""

    turn: int


class RepeatedDice(SeededDice):
    """Dice that fall as ``numbers`` say, one uniform number in [0, 1) per question; None, and every question after the
    last, takes a number of its own from ``seed``. Outcomes carry a ``Uniform``: its ``turn`` says which question it
    answered, so that whoever keeps it knows. ``fresh`` are the turns whose number was a new one."""

    def __init__(self, numbers: Sequence[float | None], seed: int):
        super().__init__(seed)
        self._numbers, self._turn = list(numbers), 0
        self.fresh: set[int] = set()

    def _uniform(self) -> float:
        turn, self._turn = self._turn, self._turn + 1
        number = self._numbers[turn] if turn < len(self._numbers) else None
        fresh = super()._uniform()  # drawn either way: the n-th question gets the same new number whatever came before
        if number is None:
            self.fresh.add(turn)
        uniform = Uniform(fresh if number is None else number)
        uniform.turn = turn
        return uniform


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

    def flip(self, probability: float) -> Flip:
        heads = min(1.0, max(0.0, _probability(probability)))
        outcomes = [(side, p) for side, p in ((1, heads), (0, 1.0 - heads)) if p > 0.0]
        return Flip(bool(self._branch(outcomes)), None)

    def pick(self, weights: np.ndarray | Sequence[float]) -> Pick:
        weights = np.asarray(weights, dtype=np.float64)
        total = _total(np.cumsum(weights))
        return Pick(self._branch([(int(i), float(weights[i]) / total) for i in np.flatnonzero(weights)]), None)


def explore(run: Callable[[Dice], T], limit: int = 2_000_000) -> Iterator[tuple[float, T]]:
    """Every outcome of ``run`` with its probability: ``run`` is called once per leaf of its tree of outcomes.

    ``run`` must be a function of the dice alone. Probabilities sum to one. Raises TooManyOutcomes past ``limit``
    leaves.
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
    raise TooManyOutcomes(f"more than {limit} outcomes: choose a smaller vocabulary, gamma or number of tokens")
