"""Beam drafts: drawn without replacement, the likeliest submitted."""

import pytest

from specviz.dice import SeededDice
from specviz.drafting.beam import BeamDrafter
from specviz.drafting.forest import Beam
from specviz.lm.warp import Warp
from tests.decoding.models import random_pair


def test_beams_are_drawn_without_replacement_and_the_likeliest_is_submitted():
    pair = random_pair(5, 8)
    session = pair.draft.open(64)
    session.extend([0], [-1])
    forest = BeamDrafter(session, Warp(), gamma=3, beams=4).draft([Beam([0, 1])], SeededDice(3))
    for proposal in forest.proposals:
        drawn = [(forest.parents[node], forest.tokens[node]) for node in proposal.draws]
        assert len(set(drawn)) == len(drawn) == 4 and not proposal.replacement
        assert sum(proposal.weights) == pytest.approx(1)

    def joint(node):
        return 1.0 if node < 0 else forest.draft_prob(node) * joint(forest.parents[node])

    leaves = [node for node in range(len(forest)) if forest.depths[node] == 3]
    assert forest.submitted[-1] == max(leaves, key=joint)
    assert [forest.depths[node] for node in forest.submitted] == [1, 2, 3]
