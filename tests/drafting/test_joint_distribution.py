"""The joint distribution of beams and tokens: one warp, copies counted, ended beams as they are."""

import math

import numpy as np
import pytest

from specviz.drafting.drafter import Beam
from specviz.drafting.joint import joint_distribution, most_likely, node_prefixes, root_prefixes
from specviz.errors import ReplayError
from specviz.lm.warp import Warp
from specviz.trace.distribution import STAYS, Distribution, JointDistribution, restricted
from specviz.trace.forest import Forest, LayerBeam
from tests.by_hand import dense

A, B = dense([0.5, 0.3, 0.2]), dense([0.1, 0.9, 0.0])
BEAMS = [LayerBeam(-1, math.log(0.4), A), LayerBeam(-2, math.log(0.1), B), LayerBeam(-3, math.log(0.05), None)]


def as_dict(found):
    return {
        (int(prefix), int(token)): p for prefix, token, p in zip(found.prefixes, found.tokens, found.probs, strict=True)
    }


def test_every_pair_gets_its_joint_probability():
    found = joint_distribution(BEAMS, Warp())
    weights = {(-1, 0): 0.2, (-1, 1): 0.12, (-1, 2): 0.08, (-2, 0): 0.01, (-2, 1): 0.09, (-3, STAYS): 0.05}
    assert as_dict(found) == pytest.approx({pair: weight / 0.55 for pair, weight in weights.items()})
    assert dict(zip(zip(found.prefixes, found.tokens, strict=True), found.logprobs, strict=True)) == pytest.approx(
        {pair: math.log(weight) for pair, weight in weights.items()}
    )


def test_the_warp_applies_once_to_the_joint():
    found = as_dict(joint_distribution(BEAMS, Warp(temperature=0.5, top_k=3)))
    squares = {(-1, 0): 0.2**2, (-1, 1): 0.12**2, (-2, 1): 0.09**2}
    assert found == pytest.approx({pair: square / sum(squares.values()) for pair, square in squares.items()})
    assert as_dict(joint_distribution(BEAMS, Warp(temperature=0.0))) == {(-1, 0): 1.0}


def test_copies_count_again_and_are_added_up():
    copies = [BEAMS[0], BEAMS[1], BEAMS[0]]
    found = as_dict(joint_distribution(copies, Warp()))
    assert found[-1, 0] == pytest.approx(2 * 0.2 / 0.9) and found[-2, 1] == pytest.approx(0.09 / 0.9)
    among_three = as_dict(
        joint_distribution(copies, Warp(top_k=3))
    )  # two copies of the best and, tied, two of the next
    assert among_three == pytest.approx({(-1, 0): 0.4 / 0.64, (-1, 1): 0.24 / 0.64})


def test_nothing_is_proposed_where_nothing_is_possible():
    assert len(joint_distribution([LayerBeam(-1, None, A)], Warp()).probs) == 0


def test_the_restriction_is_renormalised():
    whole = joint_distribution(BEAMS, Warp())
    found = restricted(whole, {-2, -3})
    assert found.base is whole and len(found) == len(whole) == 6
    possible = {pair: prob for pair, prob in as_dict(found).items() if prob > 0.0}
    assert possible == pytest.approx({(-2, 0): 1 / 15, (-2, 1): 9 / 15, (-3, STAYS): 5 / 15})


def test_one_distribution_at_the_pairs_of_another():
    one = JointDistribution(np.array([0, 0, 3]), np.array([1, 2, STAYS]), np.array([0.2, 0.3, 0.5]), np.zeros(3))
    other = JointDistribution(np.array([3, 0, 1]), np.array([STAYS, 2, 1]), np.array([0.1, 0.2, 0.7]), np.zeros(3))
    assert other.probs_of(one).tolist() == [0.0, 0.2, 0.1]
    assert (one.prob(3, STAYS), one.prob(3, 1)) == (0.5, 0.0)


def test_the_likeliest_tokens_of_every_beam_are_enough():
    """With top-k, and for the most likely ones; anything else is refused."""
    listed = [LayerBeam(beam.prefix, beam.logprob, beam.next and two_likeliest(beam.next)) for beam in BEAMS]
    for warp in (Warp(top_k=2), Warp(0.7, top_k=2, top_p=0.8), Warp(0.0)):
        assert as_dict(joint_distribution(listed, warp)) == pytest.approx(as_dict(joint_distribution(BEAMS, warp)))
    assert most_likely(listed, 2) == most_likely(BEAMS, 2)
    for asked in (lambda: joint_distribution(listed, Warp(top_k=3)), lambda: joint_distribution(listed, Warp())):
        with pytest.raises(ReplayError, match="the record lists the 2 likeliest"):
            asked()
    with pytest.raises(ReplayError, match="the 3 likeliest tokens are needed"):
        most_likely(listed, 3)


def two_likeliest(given):
    """All but the two likeliest tokens left out."""
    kept = np.sort(np.argsort(-given.logits, kind="stable")[:2])
    return Distribution(given.tokens[kept], given.probs[kept], given.logits[kept], given.log_total, 2, False)


def test_the_most_likely_come_first_and_equals_keep_their_order():
    best = most_likely(BEAMS, 4)
    assert [(prefix, token) for prefix, token, _ in best] == [(-1, 0), (-1, 1), (-2, 1), (-1, 2)]
    assert best[0][2] == pytest.approx(math.log(0.2))
    even = [LayerBeam(7, 0.0, dense([0.25, 0.5, 0.25])), LayerBeam(4, 0.0, dense([0.5, 0.25, 0.25]))]
    assert [(prefix, token) for prefix, token, _ in most_likely(even, 4)] == [(7, 1), (4, 0), (7, 0), (7, 2)]
    assert len(most_likely(BEAMS[1:], 9)) == 3  # what has no probability is no continuation


def test_equal_texts_share_a_prefix():
    assert root_prefixes([Beam([1, 2]), Beam([1, 3]), Beam([1, 2])]) == [-1, -2, -1]
    forest = Forest()
    for token, parent in ((5, -1), (5, -1), (5, -2), (6, 0), (6, 0)):
        forest.add(token, parent, A)
    assert node_prefixes(forest) == [0, 0, 2, 3, 3]
