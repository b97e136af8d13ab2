"""What the drafters of prediction heads hand over, compared with the heads and with every candidate written out."""

import math

import numpy as np
import pytest
import torch

from specviz.drafting.drafter import AcceptedBeam, Beam, PromptReading, ScoredForest
from specviz.drafting.heads import SHOWN, PosteriorDrafter, TreeDrafter
from specviz.lm.parts.correlation import DenseCorrelation
from specviz.lm.parts.heads import TableHeads
from specviz.trace.forest import Forest
from tests.by_hand import dense
from tests.drafting.test_posterior import brute_force

TEXT = [3, 1, 4]
TREE = ((1, 0), (0,), (1, 0, 2), (0, 1), (2,))


def probabilities(heads: TableHeads) -> np.ndarray:
    return heads.logits(TEXT[:-1], None).exp().numpy()


def texts(forest: Forest, nodes) -> list[tuple[int, ...]]:
    return [tuple(forest.nodes[n].token for n in forest.path(node)) for node in nodes]


def drafted(drafter) -> Forest:
    drafter.start(PromptReading(TEXT, None, None))
    forest = drafter.draft([Beam(TEXT)], dice=None)  # nothing random is asked for
    drafter.annotate(forest)
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
    assert forest.submitted == list(range(6)) and [node.parent for node in forest.nodes] == [-1, 0, -1, 1, 2, -1]
    for node in forest.nodes:
        assert node.draft_prob == 1.0 and node.draft.probs.sum() == 1.0
        expected = probs[node.depth - 1][node.token]
        assert node.score == pytest.approx(expected)
        assert node.draft_logprob == pytest.approx(math.log(expected))


@pytest.mark.parametrize("nodes", [1, 2, 4, 6])
def test_the_first_nodes_of_the_tree_are_a_tree(nodes):
    drafter = TreeDrafter(TableHeads.random(6, 3, seed=1), TREE, nodes)
    forest = drafted(drafter)
    assert len(forest) == drafter.size == nodes and drafter.depth == 3
    assert all(node.parent < number for number, node in enumerate(forest.nodes))


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
        for node, text in zip(forest.nodes, texts(forest, range(len(forest))), strict=True):
            assert node.score == pytest.approx(posterior_of[text] / total, rel=1e-9)
            assert 0.0 <= node.score <= 1.0


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


def test_what_is_only_there_to_be_seen_is_added_once_and_to_the_last_forest_alone():
    drafter = PosteriorDrafter(TableHeads.random(6, 3, 7), 6, 10, None)
    drafter.start(PromptReading(TEXT, None, None))
    first, last = (drafter.draft([Beam(TEXT)], dice=None) for _ in range(2))
    for forest in (first, last):
        assert forest.submitted == list(range(len(forest))) and not forest.hypotheses and not forest.considered
    drafter.annotate(first)
    assert len(first) == len(first.submitted) and not first.hypotheses
    drafter.annotate(last)
    assert len(last) == len(last.hypotheses) == SHOWN and last.submitted == first.submitted
    drafter.annotate(last)
    assert len(last) == len(last.hypotheses) == SHOWN


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
    rows = [0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.1, 0.1, 0.8]
    forest = Forest(target={prefix: dense(row) for prefix, row in enumerate(rows, -1)})
    forest.add(2, forest.add(1, -1, dense(rows[0])), dense(rows[0]))
    hidden = {prefix: torch.full((4,), float(prefix)) for prefix in (-1, 0, 1)}
    scored = ScoredForest(forest, (Beam([0]),), hidden)
    for path, drawn, prefix, root_prob in [
        ((), 2, -1, 0.5),
        ((0,), 0, 0, 0.6),
        ((0, 1), 2, 1, 0.8),
        ((0, 1), None, 0, 0.1),
    ]:
        drafter.commit([AcceptedBeam(0, path, drawn)], scored, None)
        assert drafter._hidden is hidden[prefix]
        found = drafter.draft([Beam([0, 1])], dice=None)
        drafter.annotate(found)
        assert found.hypotheses[0].posterior == pytest.approx(root_prob * 0.5)
