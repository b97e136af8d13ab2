"""Dice: seeded ones are fair and reproducible, explored ones walk every outcome."""

import numpy as np
import pytest

from specviz.dice import Flip, RepeatedDice, SeededDice, explore
from specviz.errors import TooManyOutcomes


def test_the_same_seed_gives_the_same_outcomes():
    def outcomes(dice):
        return [dice.flip(0.3).uniform, dice.pick([1, 2, 3]), dice.flip(0.5)]

    assert outcomes(SeededDice(5)) == outcomes(SeededDice(5)) != outcomes(SeededDice(6))


def test_a_coin_shows_heads_below_its_probability():
    dice = SeededDice(0)
    flips = [dice.flip(0.3) for _ in range(4000)]
    assert all(flip.heads == (flip.uniform < 0.3) for flip in flips)
    assert np.mean([bool(flip) for flip in flips]) == pytest.approx(0.3, abs=0.03)


def test_picks_follow_the_weights_and_never_take_a_zero():
    dice, weights = SeededDice(1), np.array([0.0, 3.0, 0.0, 1.0, 0.0], dtype=np.float32)
    picks = [dice.pick(weights).index for _ in range(4000)]
    assert set(picks) == {1, 3}
    assert picks.count(1) / len(picks) == pytest.approx(0.75, abs=0.03)


def test_certain_answers_still_use_up_one_number():
    one, other = SeededDice(2), SeededDice(2)
    one.flip(1.0), other.flip(0.0)
    assert one.flip(0.5).uniform == other.flip(0.5).uniform


@pytest.mark.parametrize("weights", [[0.0, 0.0], [], [float("nan"), 1.0], [float("inf")]])
def test_weights_that_are_no_distribution_are_refused(weights):
    with pytest.raises(ValueError, match="positive, finite sum"):
        SeededDice(0).pick(weights)


def test_explore_walks_every_outcome_once_with_its_probability():
    def run(dice):
        if dice.flip(0.25):
            return ("heads", dice.pick([1, 0, 3]).index)
        return ("tails", bool(dice.flip(1.0)))

    distribution = {}
    for probability, outcome in explore(run):
        assert outcome not in distribution
        distribution[outcome] = probability
    assert distribution == pytest.approx({("heads", 0): 0.0625, ("heads", 2): 0.1875, ("tails", True): 0.75})


def test_explore_stops_at_its_limit():
    with pytest.raises(TooManyOutcomes, match="more than 3 outcomes"):
        list(explore(lambda dice: dice.pick([1] * 9).index, limit=3))


def test_repeated_dice_fall_as_told_and_go_on_by_themselves():
    """A new number is the same whatever was told before it."""
    fresh = RepeatedDice([], seed=3)
    numbers = [fresh.flip(0.5).uniform for _ in range(3)]
    dice = RepeatedDice([0.25, None], seed=3)
    told, picked, last = dice.flip(0.3), dice.pick([0.5, 0.5]), dice.flip(1.0)
    assert told == Flip(True, 0.25) and picked.uniform == numbers[1] and last.uniform == numbers[2]
    assert [outcome.uniform.turn for outcome in (told, picked, last)] == [0, 1, 2] and dice.fresh == {1, 2}
    assert RepeatedDice([0.25], seed=3).pick([0.2, 0.0, 0.8]).index == 2
