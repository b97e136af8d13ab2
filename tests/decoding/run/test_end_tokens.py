"""Where a text ends: inside the drafters and verifiers, before the loop cuts anything."""

import pytest

from specviz.dice import SeededDice
from specviz.drafting.beam import BeamDrafter
from specviz.drafting.chain import ChainDrafter
from specviz.drafting.drafter import Beam
from specviz.lm.table import TableLM
from specviz.lm.warp import Warp
from specviz.rules.joint import JointVerifier
from specviz.rules.token import GreedyTokenVerifier, TokenVerifier
from tests.by_hand import scored_chain

END = 2
ENDS = frozenset({END})


def session_of(*rows):
    """A draft whose distribution depends on how many tokens were drafted; two tokens of context are read."""
    model = TableLM(lambda context: rows[min(len(context), len(rows) + 1) - 2] if len(context) > 1 else rows[0], 3)
    session = model.open(64)
    session.extend([0], [-1])
    return session


def test_a_chain_ends_at_an_end_token():
    session = session_of([0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
    forest = ChainDrafter(session, Warp(), 4, ENDS).draft([Beam([0, 1])], SeededDice(0))
    assert forest.nodes[-1].token == END and len(forest) == 2
    assert len(ChainDrafter(session_of([0.0, 0.0, 1.0]), Warp(), 4).draft([Beam([0, 1])], SeededDice(0))) == 4


def test_no_beam_grows_past_an_end_token():
    session = session_of([0.4, 0.3, 0.3], [0.4, 0.3, 0.3])
    forest = BeamDrafter(session, Warp(), 3, 5, ENDS).draft([Beam([0, 1])], SeededDice(1))
    ended = {number for number, node in enumerate(forest.nodes) if node.token == END}
    assert ended and not ended & {node.parent for node in forest.nodes}
    assert any(node.depth == 3 for node in forest.nodes)


def test_a_likely_ended_beam_is_submitted_as_it_is():
    session = session_of([0.05, 0.05, 0.9], [0.5, 0.5, 0.0])
    forest = BeamDrafter(session, Warp(), 3, 3, ENDS).draft([Beam([0, 1])], SeededDice(1))
    assert [forest.nodes[node].token for node in forest.submitted] == [END]


@pytest.mark.parametrize(
    "verifier",
    [TokenVerifier(1.0, ENDS), GreedyTokenVerifier(1.0, ENDS), JointVerifier(0.1, ENDS)],
    ids=lambda one: type(one).__name__,
)
def test_nothing_is_drawn_after_an_accepted_end(verifier):
    certain = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    verdict = verifier.verify(scored_chain(certain, certain[:2], [1, END]), SeededDice(0))
    assert verdict.path == [0, 1] and verdict.sampled is None
    going_on = verifier.verify(scored_chain(certain[:2], certain[:1], [1]), SeededDice(0))
    assert going_on.sampled.origin == "bonus" and going_on.sampled.token == END
