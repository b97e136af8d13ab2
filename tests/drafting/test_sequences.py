"""I.i.d. sequences kept as a tree: counted by prefix they are what separate draws would be."""

from collections import Counter

import pytest

from specviz.decoding.exact.distribution import distribution_of
from specviz.dice import SeededDice
from specviz.drafting.drafter import Beam
from specviz.drafting.sequences import SequencesDrafter
from specviz.lm.table import TableLM
from specviz.lm.warp import Warp
from specviz.trace.distribution import total_variation
from tests.drafting.test_tree import CONTEXT, Reading, twins


def drafted(draft, drafts, gamma, dice, warp=None, ends=()):
    drafter = SequencesDrafter(Reading(draft), warp or Warp(), drafts, gamma, frozenset(ends))
    return drafter, drafter.draft([Beam(list(CONTEXT))], dice)


def sequences(forest):
    """The drafted sequences, in no order: a leaf is one of them; a copy stands for its first."""
    children = forest.children()

    def below(prefix):
        for node in children[prefix]:
            own = (forest.nodes[node].token,)
            if node in children:
                yield from (own + rest for rest in below(node))
            elif not any(forest.nodes[other].token == own[0] and other in children for other in children[prefix]):
                yield own

    return tuple(sorted(below(-1)))


@pytest.mark.parametrize(("drafts", "gamma"), [(1, 3), (2, 2), (3, 1)])
def test_the_sequences_are_independent(drafts, gamma):
    draft = TableLM.random(3, 60)

    def separately(dice):
        found = []
        for _ in range(drafts):
            text = CONTEXT
            for _ in range(gamma):
                text = (*text, dice.pick(draft.probabilities(text)).index)
            found.append(text[len(CONTEXT) :])
        return tuple(sorted(found))

    together = distribution_of(lambda dice: sequences(drafted(draft, drafts, gamma, dice)[1]))
    assert total_variation(together, distribution_of(separately)) < 1e-9


def test_the_children_of_a_prefix_are_as_many_as_the_sequences_that_reached_it():
    for seed in range(20):
        drafter, forest = drafted(TableLM.random(3, 61), 5, 3, SeededDice(seed))
        children = forest.children()
        assert len(forest) == drafter.size == 15
        for nodes in children.values():
            copies, reached = twins(forest, nodes), Counter(forest.nodes[node].token for node in nodes)
            for node in nodes:
                last = forest.nodes[node].depth == 3
                expected = 0 if last or node in copies else reached[forest.nodes[node].token]
                assert len(children.get(node, ())) == expected
                assert forest.nodes[node].draft is forest.nodes[nodes[0]].draft


def test_temperature_zero_repeats_one_sequence():
    _, forest = drafted(TableLM.random(3, 62), 3, 2, SeededDice(0), Warp(temperature=0.0))
    assert len(set(sequences(forest))) == 1 and len(forest) == 6
    assert not forest.proposals and forest.drawing == "independent"


def test_a_sequence_ends_at_an_end_token():
    _, forest = drafted(TableLM(lambda context: [0.0, 0.5, 0.5], 3), 6, 3, SeededDice(2), ends=(2,))
    ended = {number for number, node in enumerate(forest.nodes) if node.token == 2}
    assert ended and not ended & {node.parent for node in forest.nodes}
