"""Steps of beam search on drafted beams: which pass, and what is committed at the one that does not."""

from specviz.dice import SeededDice
from specviz.rules.beams.search import SpeculativeBeamVerifier
from specviz.trace.distribution import one_hot
from specviz.trace.forest import Forest
from tests import by_hand
from tests.by_hand import dense

ROOT, AFTER = dense([0.5, 0.3, 0.2]), dense([0.25, 0.5, 0.25])


def scored(*nodes):
    """A forest of (token, parent) nodes, AFTER following each."""
    forest = Forest()
    for token, parent in nodes:
        forest.add(token, parent, one_hot(ROOT, token))
    forest.submit()
    return by_hand.scored(forest, {-1: ROOT, **dict.fromkeys(forest.submitted, AFTER)})


def verdict(known, width=2, ends=frozenset()):
    return SpeculativeBeamVerifier(width, ends).verify(known, SeededDice(0))


def shown(found):
    return [[(step.before, step.token, step.node, step.origin) for step in layer] for layer in found.layers]


def test_a_step_that_was_drafted_whole_passes_and_one_more_follows():
    found = verdict(scored((1, -1), (0, -1), (2, -1)))
    assert shown(found) == [
        [(0, 0, 1, "accepted"), (0, 1, 0, "accepted")],
        [(0, 1, None, "bonus"), (1, 1, None, "bonus")],
    ]
    first, second = found.decisions
    assert first.accepted and first.nodes == (1, 0) and first.drafted == (0, 1, 2)
    assert not second.accepted and second.parents == (1, 0) and second.drafted == ()
    assert (found.offered, found.accepted) == (1, 1)


def test_at_the_step_that_fails_the_target_keeps_its_own_best():
    found = verdict(scored((0, -1), (2, -1), (1, 0)))
    assert shown(found) == [[(0, 0, 0, "accepted"), (0, 1, None, "target")]]
    assert (found.offered, found.accepted) == (2, 0) and found.decisions[0].nodes == (0, None)


def test_equals_keep_the_order_of_the_beams_and_tokens():
    even = dense([0.25, 0.25, 0.5])
    known = scored((2, -1), (0, -1))
    found = verdict(by_hand.scored(known.forest, dict.fromkeys((-1, 0, 1), even)))
    assert [step.token for step in found.layers[0]] == [2, 0]  # 0 before 1
    assert [(step.before, step.token) for step in found.layers[1]] == [(0, 2), (0, 0)]  # .25 .5 = .5 .25: before (1, 2)


def test_beams_that_have_ended_need_no_draft():
    found = verdict(scored((0, -1), (1, -1), (1, 1)), ends=frozenset({0}))
    assert [step.token for step in found.layers[1]] == [None, 1] and found.decisions[1].accepted
    assert [step.token for step in verdict(scored((0, -1)), width=1, ends=frozenset({0})).layers[0]] == [0]
    assert len(verdict(scored((0, -1)), width=1, ends=frozenset({0})).layers) == 1
