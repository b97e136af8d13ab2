"""Beam drafts: drawn without replacement, the likeliest submitted."""

import pytest

from specviz.dice import SeededDice
from specviz.drafting.beam import BeamDrafter
from specviz.drafting.drafter import Beam
from specviz.lm.warp import Warp
from tests.decoding.methods.models import random_pair


def test_beams_are_drawn_without_replacement_and_the_likeliest_is_submitted():
    pair = random_pair(5, 8)
    session = pair.draft.open(64)
    session.extend([0], [-1])
    forest = BeamDrafter(session, Warp(), gamma=3, beams=4).draft([Beam([0, 1])], SeededDice(3))
    nodes = forest.nodes
    assert forest.proposals == tuple(forest.layers) and len(forest.layers) == 3
    for proposal in forest.proposals:
        drawn = [(nodes[node].parent, nodes[node].token) for node in proposal.draws]
        assert len(set(drawn)) == len(drawn) == 4 and not proposal.replacement
        assert sum(proposal.weights) == pytest.approx(1)

    def joint(node):
        return 1.0 if node < 0 else nodes[node].draft_prob * joint(nodes[node].parent)

    leaves = [node for node in range(len(forest)) if nodes[node].depth == 3]
    assert forest.submitted[-1] == max(leaves, key=joint)
    assert [nodes[node].depth for node in forest.submitted] == [1, 2, 3]
