"""Greedy verification on random forests, against Eq. 1 of SLiM word by word."""

from hypothesis import given, settings
from hypothesis import strategies as st

from specviz.dice import SeededDice
from specviz.rules.greedy import GreedyVerifier
from specviz.trace.forest import Forest
from tests import by_hand
from tests.by_hand import dense

SURE = [dense([float(token == best) for token in range(3)]) for best in range(3)]


@st.composite
def forests(draw):
    """Any forest of up to 12 nodes, equal siblings and nodes that are not submitted included, and the target's argmax
    after every prefix."""
    forest = Forest()
    for node in range(draw(st.integers(0, 12))):
        forest.add(draw(st.integers(0, 2)), draw(st.integers(-1, node - 1)), SURE[0])
    out = set(draw(st.lists(st.integers(0, 11))))
    for number, node in enumerate(forest.nodes):
        if number not in out and (node.parent < 0 or forest.nodes[node.parent].submitted):
            forest.submit([number])
    best = {prefix: draw(st.integers(0, 2)) for prefix in (-1, *forest.submitted)}
    return forest, best


def scored(forest, best):
    return by_hand.scored(forest, {prefix: SURE[best[prefix]] for prefix in (-1, *forest.submitted)})


@settings(max_examples=300)
@given(forests())
def test_the_longest_hypothesis_that_is_the_target_s_own(case):
    forest, best = case
    nodes = forest.nodes
    verdict = GreedyVerifier().verify(scored(forest, best), SeededDice(0))

    def right(node):  # x_j = argmax f([h, x_1:j-1]) for all j
        return all(nodes[n].token == best[nodes[n].parent] for n in forest.path(node))

    longest = max((nodes[node].depth for node in forest.submitted if right(node)), default=0)
    assert len(verdict.path) == longest and forest.path(verdict.path[-1] if verdict.path else -1) == verdict.path
    assert all(map(right, verdict.path)) and set(verdict.path) <= set(forest.submitted)
    last = verdict.path[-1] if verdict.path else -1
    assert verdict.sampled.after == last and verdict.sampled.token == best[last]
    leaf = last >= 0 and all(nodes[node].parent != last for node in forest.submitted)
    assert verdict.sampled.origin == ("bonus" if leaf else "target")
    assert verdict.offered == max((nodes[node].depth for node in forest.submitted), default=0)


@settings(max_examples=300)
@given(forests())
def test_what_is_written_down_is_what_was_compared(case):
    forest, best = case
    nodes = forest.nodes
    *matches, drawn = GreedyVerifier().verify(scored(forest, best), SeededDice(0)).decisions
    assert drawn.uniform is None and drawn.source is drawn.target  # nothing is left to chance
    for match in matches:
        prefix = nodes[match.node].parent
        siblings = [node for node in forest.submitted if nodes[node].parent == prefix]
        assert (match.candidate, match.candidates) == (siblings.index(match.node), len(siblings))
        assert match.best == best[prefix] and match.target is SURE[best[prefix]]
        assert match.accepted == (nodes[match.node].token == best[prefix]) == (match.target.prob(match.token) == 1.0)
    judged = {match.node for match in matches}
    reached = {-1} | {match.node for match in matches if match.accepted}
    assert judged == {node for node in forest.submitted if nodes[node].parent in reached}


def test_nothing_is_written_after_an_accepted_end():
    forest = Forest()
    forest.add(2, forest.add(1, -1, SURE[0]), SURE[0])
    forest.submit()
    best = {-1: 1, 0: 2, 1: 0}
    verdict = GreedyVerifier(frozenset({2})).verify(scored(forest, best), SeededDice(0))
    assert verdict.path == [0, 1] and verdict.sampled is None
    assert GreedyVerifier().verify(scored(forest, best), SeededDice(0)).sampled.token == 0
