"""Confident chains: the raw maximum decides before each token, and nothing is drafted under the threshold."""

import pytest

from specviz.dice import SeededDice
from specviz.drafting.confident import ConfidentDrafter, confidence
from specviz.drafting.drafter import Beam
from specviz.lm.scoring import distributions
from specviz.lm.table import TableLM
from specviz.lm.warp import Warp


def drafted(rows, fallback, gamma=4, warp=None, ends=frozenset()):
    """The forest of a draft model whose distribution depends on how many tokens were drafted, and the calls it took."""
    model = TableLM(lambda context: rows[min(len(context), len(rows)) - 1], 3)
    drafter = ConfidentDrafter(model.open(32), warp or Warp(), gamma, fallback, ends)
    return drafter.draft([Beam([0])], SeededDice(1))


SURE, UNSURE = [0.0, 0.95, 0.05], [0.4, 0.3, 0.3]


def test_it_writes_while_it_is_sure():
    assert len(drafted([SURE, SURE, UNSURE, SURE], 0.9)) == 2
    assert len(drafted([UNSURE, SURE], 0.9)) == 0
    assert len(drafted([SURE], 0.9, gamma=3)) == 3


@pytest.mark.parametrize("warp", [Warp(temperature=0.0), Warp(temperature=0.2), Warp(top_k=1)], ids=str)
def test_confidence_is_raw(warp):
    assert len(drafted([SURE, UNSURE], 0.9, warp=warp)) == 1
    forest = drafted([SURE, UNSURE], 0.3, gamma=2, warp=warp)
    draft = forest.nodes[1].draft
    assert draft.probs.max() > 0.6 and confidence(draft) == pytest.approx(0.4)


def test_the_ends_of_the_threshold():
    assert len(drafted([UNSURE], 0.0)) == 4
    assert len(drafted([SURE], 1.0)) == 0
    assert len(drafted([[0.0, 1.0, 0.0]], 1.0)) == 4
    assert len(drafted([UNSURE], 0.4 - 1e-12)) == 4 and len(drafted([UNSURE], 0.4 + 1e-9)) == 0


def test_an_end_token_ends_the_chain():
    assert len(drafted([[0.0, 0.0, 1.0]], 0.9, ends=frozenset({2}))) == 1
    assert drafted([[0.0, 0.0, 1.0]], 0.9, ends=frozenset({2})).nodes[0].token == 2


def test_confidence_is_a_probability():
    scores = TableLM(lambda context: [0.2, 0.5, 0.3], 3).open(4).extend([0], [-1])
    assert confidence(distributions(scores, Warp())[0]) == pytest.approx(0.5)
