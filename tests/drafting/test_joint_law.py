"""The joint law of beams and tokens: one warp, copies counted, ended beams as they are."""

import math

import numpy as np
import pytest
import torch

from specviz.drafting.forest import Beam, Forest, LayerLaw, laws
from specviz.drafting.joint_law import (
    STAYS,
    LiveBeam,
    joint_law,
    most_likely,
    node_places,
    prob_of,
    probs_at,
    restricted,
    root_places,
)
from specviz.lm.language_model import Scores
from specviz.lm.warp import Warp


def law(*row):
    return laws(Scores(torch.tensor([row], dtype=torch.float64).log()), Warp())[0]


A, B = law(0.5, 0.3, 0.2), law(0.1, 0.9, 0.0)
BEAMS = [LiveBeam(-1, math.log(0.4), A), LiveBeam(-2, math.log(0.1), B), LiveBeam(-3, math.log(0.05), None)]


def as_dict(found):
    return {
        (int(place), int(token)): p for place, token, p in zip(found.places, found.tokens, found.probs, strict=True)
    }


def test_every_pair_gets_its_joint_probability():
    found = joint_law(BEAMS, Warp())
    weights = {(-1, 0): 0.2, (-1, 1): 0.12, (-1, 2): 0.08, (-2, 0): 0.01, (-2, 1): 0.09, (-3, STAYS): 0.05}
    assert as_dict(found) == pytest.approx({pair: weight / 0.55 for pair, weight in weights.items()})
    assert dict(zip(zip(found.places, found.tokens, strict=True), found.logprobs, strict=True)) == pytest.approx(
        {pair: math.log(weight) for pair, weight in weights.items()}
    )


def test_the_warp_applies_once_to_the_joint():
    found = as_dict(joint_law(BEAMS, Warp(temperature=0.5, top_k=3)))
    squares = {(-1, 0): 0.2**2, (-1, 1): 0.12**2, (-2, 1): 0.09**2}
    assert found == pytest.approx({pair: square / sum(squares.values()) for pair, square in squares.items()})
    assert as_dict(joint_law(BEAMS, Warp(temperature=0.0))) == {(-1, 0): 1.0}


def test_copies_count_again_and_are_added_up():
    copies = [BEAMS[0], BEAMS[1], BEAMS[0]]
    found = as_dict(joint_law(copies, Warp()))
    assert found[-1, 0] == pytest.approx(2 * 0.2 / 0.9) and found[-2, 1] == pytest.approx(0.09 / 0.9)
    among_three = as_dict(joint_law(copies, Warp(top_k=3)))  # two copies of the best and, tied, two of the next
    assert among_three == pytest.approx({(-1, 0): 0.4 / 0.64, (-1, 1): 0.24 / 0.64})


def test_nothing_is_proposed_where_nothing_is_possible():
    assert len(joint_law([LiveBeam(-1, -math.inf, A)], Warp()).probs) == 0


def test_the_restriction_is_renormalised():
    found = as_dict(restricted(joint_law(BEAMS, Warp()), {-2, -3}))
    assert found == pytest.approx({(-2, 0): 1 / 15, (-2, 1): 9 / 15, (-3, STAYS): 5 / 15})


def test_one_law_at_the_pairs_of_another():
    one = LayerLaw(np.array([0, 0, 3]), np.array([1, 2, STAYS]), np.array([0.2, 0.3, 0.5]), np.zeros(3))
    other = LayerLaw(np.array([3, 0, 1]), np.array([STAYS, 2, 1]), np.array([0.1, 0.2, 0.7]), np.zeros(3))
    assert probs_at(other, one).tolist() == [0.0, 0.2, 0.1]
    assert (prob_of(one, 3, STAYS), prob_of(one, 3, 1)) == (0.5, 0.0)


def test_the_most_likely_come_first_and_equals_keep_their_order():
    best = most_likely(BEAMS, 4)
    assert [(place, token) for place, token, _ in best] == [(-1, 0), (-1, 1), (-2, 1), (-1, 2)]
    assert best[0][2] == pytest.approx(math.log(0.2))
    even = [LiveBeam(7, 0.0, law(0.25, 0.5, 0.25)), LiveBeam(4, 0.0, law(0.5, 0.25, 0.25))]
    assert [(place, token) for place, token, _ in most_likely(even, 4)] == [(7, 1), (4, 0), (7, 0), (7, 2)]
    assert len(most_likely(BEAMS[1:], 9)) == 3  # what has no probability is no continuation


def test_equal_texts_share_a_place():
    assert root_places([Beam([1, 2]), Beam([1, 3]), Beam([1, 2])]) == [-1, -2, -1]
    forest = Forest()
    for token, parent in ((5, -1), (5, -1), (5, -2), (6, 0), (6, 0)):
        forest.add(token, parent, A)
    assert node_places(forest) == [0, 0, 2, 3, 3]
