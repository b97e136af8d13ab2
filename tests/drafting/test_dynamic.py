"""Dynamic trees against brute force: the most probable prefixes of all."""

import itertools
import math

import pytest

from specviz.dice import SeededDice
from specviz.drafting.drafter import AcceptedBeam, Beam, ScoredForest
from specviz.drafting.dynamic import EXPANDED, SHOWN, DynamicTreeDrafter
from specviz.lm.ngram import NgramLM
from specviz.lm.table import TableLM
from specviz.lm.warp import Warp
from tests.drafting.test_tree import CONTEXT, Reading, text


def drafted(draft, nodes, depth, warp=None, ends=()):
    session = Reading(draft)
    drafter = DynamicTreeDrafter(session, warp or Warp(), nodes, depth, frozenset(ends))
    return drafter, drafter.draft([Beam(list(CONTEXT))], SeededDice(0)), session


def cumulative(draft, tokens):
    return math.prod(draft.probabilities((*CONTEXT, *tokens[:i]))[token] for i, token in enumerate(tokens))


def best_prefixes(draft, nodes, depth, ends=()):
    """The most probable texts of up to ``depth`` tokens, nothing after an end token."""
    texts = [
        tokens
        for length in range(1, depth + 1)
        for tokens in itertools.product(range(draft.vocab_size), repeat=length)
        if not set(tokens[:-1]) & set(ends) and cumulative(draft, tokens) > 0
    ]
    return set(sorted(texts, key=lambda tokens: -cumulative(draft, tokens))[:nodes])


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("nodes", "depth"), [(1, 1), (3, 1), (4, 3), (8, 4)])
def test_the_best_of_all_prefixes_are_submitted(nodes, depth, temperature):
    for seed in range(5):
        draft = TableLM.random(4, seed, zeros=0.2, sharpness=2.0)
        _, forest, session = drafted(draft, nodes, depth, Warp(temperature=temperature), ends=(3,))
        found = {text(forest, node)[len(CONTEXT) :]: node for node in forest.submitted}
        assert set(found) == best_prefixes(draft, nodes, depth, ends=(3,))
        for tokens, node in found.items():
            assert forest.nodes[node].score == pytest.approx(cumulative(draft, tokens))
        assert len(session.calls) <= depth and max(session.calls) <= EXPANDED


def test_nodes_are_taken_not_drawn():
    _, forest, _ = drafted(TableLM.random(4, 7), 6, 3)
    assert all(node.draft_prob == 1.0 for node in forest.nodes)
    assert not forest.proposals and forest.drawing == "deterministic"


def test_the_best_of_the_pruned_stay_without_being_submitted():
    drafter, forest, _ = drafted(TableLM.random(12, 8, sharpness=0.5), 32, 4)
    submitted = set(forest.submitted)
    assert len(submitted) == drafter.size == 32 and len(forest) == SHOWN
    assert all(forest.nodes[node].parent in submitted | {-1} for node in submitted)
    pruned = [forest.nodes[node].score for node in range(len(forest)) if node not in submitted]
    assert max(pruned) <= min(forest.nodes[node].score for node in submitted)
    by_prefix = {}
    for node in forest.submitted:
        by_prefix.setdefault(forest.nodes[node].parent, []).append(forest.nodes[node].score)
    assert all(scores == sorted(scores, reverse=True) for scores in by_prefix.values())  # judged best first


@pytest.mark.parametrize(("vocab_size", "nodes"), [(4, 8), (30, 32)])
def test_the_rows_of_the_accepted_way_are_kept(vocab_size, nodes):
    draft = TableLM.random(vocab_size, 9, sharpness=3.0)
    drafter, forest, session = drafted(draft, nodes, 4)
    node = max(forest.submitted, key=lambda node: forest.nodes[node].depth)
    assert forest.nodes[node].depth > 2
    drafter.commit([AcceptedBeam(0, tuple(forest.path(node)), drawn=0)], ScoredForest(forest, ()), None)
    kept = session.trie.path(len(session.trie) - 1)
    assert kept == text(forest, node)[: len(kept)] and len(kept) >= len(CONTEXT) + forest.nodes[node].depth - 1
    again = drafter.draft([Beam([*text(forest, node), 0])], SeededDice(1))
    q = draft.probabilities((*text(forest, node), 0))
    for found in again.nodes:
        if found.depth == 1:
            assert found.score == pytest.approx(q[found.token])


def test_a_draft_without_anything_to_propose_drafts_nothing():
    assert len(drafted(NgramLM("prompt", 5), 8, 3)[1]) == 0
