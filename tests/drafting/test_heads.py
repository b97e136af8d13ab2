"""What the drafters of prediction heads hand over, compared with the heads and with every candidate written out."""

import math

import numpy as np
import pytest
import torch

from specviz.drafting.forest import Beam, Forest, Law, PromptReading, ScoredForest, Survivor
from specviz.drafting.heads import SHOWN, PosteriorDrafter, TreeDrafter
from specviz.lm.correlation import DenseCorrelation
from specviz.lm.heads import TableHeads
from tests.drafting.test_posterior import brute_force

TEXT = [3, 1, 4]
TREE = ((1, 0), (0,), (1, 0, 2), (0, 1), (2,))


def probabilities(heads: TableHeads) -> np.ndarray:
    return heads.logits(TEXT[:-1], None).exp().numpy()


def texts(forest: Forest, nodes) -> list[tuple[int, ...]]:
    return [tuple(forest.tokens[n] for n in forest.path(node)) for node in nodes]


def drafted(drafter) -> Forest:
    drafter.start(PromptReading(TEXT, None, None))
    forest = drafter.draft([Beam(TEXT)], dice=None)  # no chance is asked for
    forest.show()
    return forest


def test_a_static_tree_takes_the_ranks_ancestors_first():
    heads = TableHeads.random(6, 3, seed=1)
    forest = drafted(TreeDrafter(heads, TREE, 64))
    probs = probabilities(heads)
    token = [np.argsort(-row) for row in probs]
    assert texts(forest, range(len(forest))) == [
        (token[0][1],),
        (token[0][1], token[1][0]),
        (token[0][0],),
        (token[0][1], token[1][0], token[2][2]),
        (token[0][0], token[1][1]),
        (token[0][2],),
    ]
    assert forest.submitted == list(range(6)) and forest.parents == [-1, 0, -1, 1, 2, -1]
    for node, depth in enumerate(forest.depths):
        assert forest.draft_prob(node) == 1.0 and forest.draft_laws[node].probs.sum() == 1.0
        expected = probs[depth - 1][forest.tokens[node]]
        assert forest.scores[node] == pytest.approx(expected)
        assert forest.draft_laws[node].logprob(forest.tokens[node]) == pytest.approx(math.log(expected))


@pytest.mark.parametrize("nodes", [1, 2, 4, 6])
def test_the_first_nodes_of_the_tree_are_a_tree(nodes):
    drafter = TreeDrafter(TableHeads.random(6, 3, seed=1), TREE, nodes)
    forest = drafted(drafter)
    assert len(forest) == drafter.size == nodes and drafter.depth == 3
    assert all(parent < node for node, parent in enumerate(forest.parents))


def test_branches_end_at_end_tokens_and_at_what_a_head_rules_out():
    heads = TableHeads([lambda c: [0.6, 0.4, 0, 0], lambda c: [0, 0, 1.0, 0]], 4)
    tree = ((0,), (1,), (2,), (0, 0), (1, 0), (0, 1), (2, 0))
    assert texts(drafted(TreeDrafter(heads, tree, 64)), range(4)) == [(0,), (1,), (0, 2), (1, 2)]
    forest = drafted(TreeDrafter(heads, tree, 64, frozenset({0})))
    assert texts(forest, range(len(forest))) == [(0,), (1,), (1, 2)]
    forest = drafted(PosteriorDrafter(heads, 4, 64, None, frozenset({0})))
    assert sorted(texts(forest, forest.submitted)) == [(0,), (1,), (1, 2)]


def test_a_text_of_one_token_has_no_state_to_read():
    for drafter in (
        TreeDrafter(TableHeads.random(6, 3, 1), TREE, 64),
        PosteriorDrafter(TableHeads.random(6, 3, 1), 2, 3, None),
    ):
        assert len(drafter.draft([Beam([3])], dice=None)) == 0


@pytest.mark.parametrize("correlated", [True, False])
@pytest.mark.parametrize(("top", "keep"), [(1, 1), (2, 5), (3, 1), (3, 8), (4, 20), (6, 40), (6, 258), (6, 1000)])
def test_the_reduction_keeps_the_best_with_their_ancestors(top, keep, correlated):
    correlation = DenseCorrelation.random(6, 5) if correlated else None
    for seed in range(5):
        heads = TableHeads.random(6, 3, seed)
        drafter = PosteriorDrafter(heads, top, keep, correlation)
        forest = drafted(drafter)

        def r(x, y):
            return float(correlation.values[x, y]) if correlated else 1.0

        every = brute_force(probabilities(heads), TEXT[-1], top, r)
        ordered = sorted(every, key=lambda candidate: -candidate[1])  # stable: the rule for equals
        kept = {text[:length] for text, _, _ in ordered[:keep] for length in range(1, len(text) + 1)}
        assert set(texts(forest, forest.submitted)) == kept and len(forest.submitted) == len(kept)
        assert len(kept) <= drafter.size and forest.submitted == list(range(len(kept)))
        assert forest.considered == len(every)
        total = sum(posterior for _, posterior, _ in every)
        posterior_of = {text: posterior for text, posterior, _ in every}
        for node, (text,) in enumerate(zip(texts(forest, range(len(forest))), strict=True)):
            assert forest.scores[node] == pytest.approx(posterior_of[text] / total, rel=1e-9)
            assert 0.0 <= forest.scores[node] <= 1.0


def test_the_record_shows_the_best_candidates_kept_or_not():
    heads, correlation = TableHeads.random(6, 3, 7), DenseCorrelation.random(6, 5)
    forest = drafted(PosteriorDrafter(heads, 6, 10, correlation))
    every = brute_force(probabilities(heads), TEXT[-1], 6, lambda x, y: float(correlation.values[x, y]))
    ordered = sorted(every, key=lambda candidate: -candidate[1])
    assert [h.tokens for h in forest.hypotheses] == [text for text, _, _ in ordered[:SHOWN]]
    for hypothesis, (text, posterior, independent) in zip(forest.hypotheses, ordered, strict=False):
        assert hypothesis.posterior == pytest.approx(posterior, rel=1e-9)
        assert hypothesis.independent == pytest.approx(independent, rel=1e-9)
        assert hypothesis.kept == (text in texts(forest, forest.submitted))
        assert texts(forest, [hypothesis.node]) == [text] if hypothesis.kept else hypothesis.node is None
    assert all(hypothesis.kept for hypothesis in forest.hypotheses[:10])
    assert len(forest.submitted) < len(forest) == SHOWN  # pruned ones beside them, not submitted
    pruned = texts(forest, range(len(forest.submitted), SHOWN))
    best_pruned = next(text for text, _, _ in ordered if text not in texts(forest, forest.submitted))
    assert best_pruned in pruned and len(set(texts(forest, range(SHOWN)))) == SHOWN


def test_ancestors_that_rank_below_are_kept_too():
    """r lifts a long text over its own beginning: the beginning is submitted with it."""
    values = torch.full((5, 5), 0.1, dtype=torch.float64)
    values[0, 1] = 50.0
    heads = TableHeads([lambda c: [0.2, 0.5, 0.3, 0, 0], lambda c: [0.3, 0.4, 0.3, 0, 0]], 5)
    forest = drafted(PosteriorDrafter(heads, 3, 1, DenseCorrelation(values)))
    assert texts(forest, forest.submitted) == [(0,), (0, 1)]
    kept = [hypothesis.tokens for hypothesis in forest.hypotheses if hypothesis.kept]
    assert kept[0] == (0, 1) and set(kept) == {(0,), (0, 1)}


def test_what_is_carried_over_is_read_before_the_text_s_last_token():
    """After an iteration the heads are read at the last accepted node, and p(x_1) is that of the token drawn there."""
    drafter = PosteriorDrafter(TableHeads([lambda c: [0.5, 0.3, 0.2]], 3), 3, 2, None)
    probs = [np.array(row) for row in ([0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.1, 0.1, 0.8])]
    law = [Law(row, torch.from_numpy(row).log()) for row in probs]
    forest = Forest()
    forest.add(2, forest.add(1, -1, law[0]), law[0])
    hidden = {place: torch.full((4,), float(place)) for place in (-1, 0, 1)}
    scored = ScoredForest(forest, (law[0],), {0: law[1], 1: law[2]}, hidden=hidden)
    for path, drawn, place, root_prob in [
        ((), 2, -1, 0.5),
        ((0,), 0, 0, 0.6),
        ((0, 1), 2, 1, 0.8),
        ((0, 1), None, 0, 0.1),
    ]:
        drafter.commit([Survivor(0, path, drawn)], scored, None)
        assert drafter._hidden is hidden[place]
        found = drafter.draft([Beam([0, 1])], dice=None)
        found.show()
        assert found.hypotheses[0].posterior == pytest.approx(root_prob * 0.5)
