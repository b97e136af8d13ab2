"""Sampled trees: their shape, the distributions handed over, and what the draft sessions read and keep."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specviz.dice import SeededDice, explore
from specviz.drafting.drafter import AcceptedBeam, Beam, ScoredForest
from specviz.drafting.tree import SampledTreeDrafter, likeliest, tree_size
from specviz.lm.table import TableLM
from specviz.lm.warp import Warp
from tests.by_hand import dense

CONTEXT = (3, 1, 4)


class Reading:
    """A session that notes how many rows every call adds."""

    def __init__(self, model):
        self._session = model.open(256)
        self.trie, self.keep, self.calls = self._session.trie, self._session.keep, []
        self._session.extend(CONTEXT[:-1], range(-1, len(CONTEXT) - 2))

    def extend(self, tokens, parents, **options):
        self.calls.append(len(tokens))
        return self._session.extend(tokens, parents, **options)


def grown(k_config, seed=0, *, models=1, vocab_size=5, warp=None, ends=(), **options):
    """A tree over random table models, with the sessions that read it."""
    drafts = [TableLM.random(vocab_size, 50 + model) for model in range(models)]
    sessions = [Reading(draft) for draft in drafts]
    drafter = SampledTreeDrafter(sessions, warp or Warp(), k_config, end_tokens=frozenset(ends), **options)
    return drafter, drafter.draft([Beam(list(CONTEXT))], SeededDice(seed)), sessions, drafts


def siblings(forest):
    return forest.children()


def text(forest, prefix):
    return (*CONTEXT, *(forest.nodes[node].token for node in forest.path(prefix)))


def twins(forest, nodes):
    """The nodes that are copies of an earlier sibling."""
    seen, copies = set(), set()
    for node in nodes:
        (copies.add(node) if forest.nodes[node].token in seen else seen.add(forest.nodes[node].token))
    return copies


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.booleans(), st.integers(0, 99))
def test_the_shape(k_config, replacement, seed):
    drafter, forest, (session,), (draft,) = grown(k_config, seed, replacement=replacement)
    copies = {node for nodes in siblings(forest).values() for node in twins(forest, nodes)}
    assert len(forest) <= drafter.size == tree_size(k_config)
    assert forest.submitted == list(range(len(forest)))
    assert not copies if not replacement else True
    for prefix in (-1, *range(len(forest))):
        depth = forest.nodes[prefix].depth if prefix >= 0 else 0
        expected = 0 if depth == len(k_config) or prefix in copies else min(k_config[depth], 5 + 99 * replacement)
        assert len(siblings(forest).get(prefix, ())) == expected
    layers = [
        sum(node.depth == depth for i, node in enumerate(forest.nodes) if i not in copies)
        for depth in range(1, len(k_config))
    ]
    assert session.calls == [1, *layers]  # one call a layer, distinct nodes only


def test_with_replacement_every_child_has_the_distribution_after_its_prefix():
    _, forest, _, (draft,) = grown((4, 3))
    for prefix, nodes in siblings(forest).items():
        for node in nodes:
            np.testing.assert_allclose(forest.nodes[node].draft.probs, draft.probabilities(text(forest, prefix)))
    assert all(proposal.replacement for proposal in forest.proposals) and forest.drawing == "independent"
    assert sorted(node for proposal in forest.proposals for node in proposal.draws) == forest.submitted


def test_without_replacement_every_child_has_what_its_earlier_siblings_left():
    _, forest, _, (draft,) = grown((4, 3), replacement=False)
    for prefix, nodes in siblings(forest).items():
        left = draft.probabilities(text(forest, prefix)).copy()
        for node in nodes:
            np.testing.assert_allclose(forest.nodes[node].draft.probs, left / left.sum())
            left[forest.nodes[node].token] = 0.0
    assert not any(proposal.replacement for proposal in forest.proposals) and forest.drawing == "without_replacement"
    for proposal in forest.proposals:  # the proposal names the whole distribution, unharmed
        np.testing.assert_allclose(
            proposal.distributions[0].probs, draft.probabilities(text(forest, proposal.parents[0]))
        )


@pytest.mark.parametrize("replacement", [True, False])
def test_candidates_are_drawn_from_those_very_distributions(replacement):
    """The probability of every pair of siblings, every coin enumerated, is the product of the distributions handed
    over."""
    draft = TableLM.random(4, 50)
    q, found = draft.probabilities(CONTEXT), {}

    def run(dice):
        session = Reading(draft)
        drafter = SampledTreeDrafter([session], Warp(), (2,), replacement=replacement)
        forest = drafter.draft([Beam(list(CONTEXT))], dice)
        first, second = forest.nodes
        return (first.token, second.token), first.draft_prob * second.draft_prob

    for probability, (pair, handed) in explore(run):
        assert probability == pytest.approx(handed)
        found[pair] = probability
    left = q if replacement else q / (1 - q[1])
    assert found[1, 2] == pytest.approx(q[1] * left[2])


def test_an_exhausted_draft_stops():
    draft = TableLM(lambda context: [0.5, 0.5, 0.0, 0.0, 0.0], 5)
    drafter = SampledTreeDrafter([Reading(draft)], Warp(), (4, 3), replacement=False)
    forest = drafter.draft([Beam(list(CONTEXT))], SeededDice(0))
    assert [len(nodes) for nodes in siblings(forest).values()] == [2, 2, 2]


def test_models_take_turns_and_each_remembers_its_own_distribution():
    _, forest, sessions, drafts = grown((3, 2, 1), models=2)
    for prefix, nodes in siblings(forest).items():
        for number, node in enumerate(nodes):
            assert forest.nodes[node].model == number % 2
            expected = drafts[number % 2].probabilities(text(forest, prefix))
            np.testing.assert_allclose(forest.nodes[node].draft.probs, expected)
    assert sessions[0].calls[:2] == sessions[1].calls[:2]
    assert (len(sessions[0].calls), len(sessions[1].calls)) == (3, 2)  # the second has no child in the last layer


@pytest.mark.parametrize("top_k", [None, 1, 2, 4])
def test_temperature_zero_takes_the_most_likely_for_certain(top_k):
    _, forest, _, (draft,) = grown((3, 2), warp=Warp(0.0, top_k))
    for prefix, nodes in siblings(forest).items():
        q = draft.probabilities(text(forest, prefix))
        assert [forest.nodes[node].token for node in nodes] == np.argsort(-q)[: len(nodes)].tolist()
        assert all(forest.nodes[node].draft_prob == 1.0 for node in nodes)
    assert not forest.proposals and forest.drawing == "deterministic"
    assert [token for token, _ in likeliest(dense([0.0, 1.0, 0.0]), 3)] == [1]  # never an impossible one


def test_no_branch_passes_an_end_token():
    found = 0
    for seed in range(20):
        _, forest, _, _ = grown((3, 2, 2), seed, ends=(2,))
        ends = {number for number, node in enumerate(forest.nodes) if node.token == 2}
        assert not ends & {node.parent for node in forest.nodes}
        found += len(ends)
    assert found


@pytest.mark.parametrize("models", [1, 2])
def test_the_rows_of_the_accepted_way_are_kept(models):
    drafter, forest, sessions, _ = grown((3, 2, 2), models=models)
    node = next(number for number, node in enumerate(forest.nodes) if node.depth == 3)
    drafter.commit([AcceptedBeam(0, tuple(forest.path(node)), drawn=0)], ScoredForest(forest, ()), None)
    for session in sessions:
        assert session.trie.path(len(session.trie) - 1) == text(forest, node)[:-1]  # the last was not read
    drafter.draft([Beam([*text(forest, node), 0])], SeededDice(1))
    assert sessions[0].calls[3] == 2  # what was accepted unread, and the token drawn after it
