"""Ranks of the heads' guesses against a count by hand, and the tree that follows from the accuracies."""

import itertools

import numpy as np
import pytest
import torch

from specviz.lm.parts.correlation import Correlation
from specviz.lm.parts.heads import check_tree, choose_tree
from specviz.zoo.training import calibration
from specviz.zoo.training.calibration import (
    CONTINUATION,
    PROMPT,
    RANKS,
    accuracies,
    expected_depth,
    greedy_continuations,
    log_correlation,
    measured_depth,
    rank_guesses,
)
from specviz.zoo.training.heads import fresh_heads
from specviz.zoo.training.network import llama

V = 30
ACCURACY = ((0.5, 0.2, 0.1), (0.4, 0.25, 0.05), (0.3, 0.3, 0.0))


def _target():
    torch.manual_seed(0)
    model = llama(V, 64, 1, 64).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return model


def _heads(target):
    heads = fresh_heads(target)
    with torch.no_grad():
        for parameter in heads.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return heads


def _correlation() -> Correlation:
    generator = np.random.default_rng(0)
    pairs = np.flatnonzero(generator.random(V * V) < 0.3)
    return Correlation.from_counts(pairs, generator.integers(1, 9, len(pairs)), V)


@pytest.mark.parametrize("first", [0, 7])
def test_ranks_are_those_found_one_position_at_a_time(first):
    target, correlation = _target(), _correlation()
    heads, r = _heads(target), correlation.r(range(V), range(V))
    tokens = torch.randint(V, (3, 20), generator=torch.Generator().manual_seed(1))
    found = rank_guesses(target, heads, log_correlation(correlation), tokens, first)
    row = 0
    for text in tokens:
        for t in range(first, 20 - 1 - heads.count):
            with torch.no_grad():
                hidden = target.model(text[None, : t + 1]).last_hidden_state[0, -1]
            for i, scores in enumerate(heads.logits((), hidden)):
                best = scores.sort(descending=True).indices[:RANKS].tolist()
                before, right = text[t + i + 1].item(), text[t + i + 2].item()
                assert found.plain[row, i] == (best.index(right) if right in best else RANKS)
                by_r = sorted(best, key=lambda y: -scores.double().softmax(-1)[y].item() * r[before, y].item())  # noqa: B023
                assert found.corrected[row, i] == (by_r.index(right) if right in best else RANKS)
            row += 1
    assert row == len(found.plain) == 3 * (15 - first)
    assert (found.plain != found.corrected).any()


def test_greedy_continuations_are_generate_s(monkeypatch):
    monkeypatch.setattr(calibration, "CONTINUATION", 12)
    target = _target()
    windows = torch.randint(1, V, (3, PROMPT + 1), generator=torch.Generator().manual_seed(2))
    target.generation_config.eos_token_id = None
    expected = target.generate(windows[:, :PROMPT], max_new_tokens=12, do_sample=False)
    assert torch.equal(greedy_continuations(target, windows), expected)
    assert CONTINUATION == 64


def test_accuracies_are_shares_of_positions():
    ranks = np.array([[0, 1], [0, RANKS], [2, 1], [1, 0]])
    first, second = accuracies(ranks)
    assert first[:4] == (0.5, 0.25, 0.25, 0.0) and second[:3] == (0.25, 0.5, 0.0)
    assert len(first) == RANKS and sum(second) == 0.75


@pytest.mark.parametrize("nodes", [1, 4, 9, 20])
def test_the_tree_holds_the_likeliest_paths(nodes):
    chances = {
        path: np.prod([ACCURACY[i][rank] for i, rank in enumerate(path)])
        for depth in (1, 2, 3)
        for path in itertools.product(range(3), repeat=depth)
    }
    tree = choose_tree(ACCURACY, nodes)
    check_tree(tree, 3, 3)
    best = sorted(chances.values(), reverse=True)[:nodes]
    assert [chances[path] for path in tree] == pytest.approx(best)
    assert expected_depth(tree, ACCURACY) == pytest.approx(sum(best))


def test_a_tree_has_no_more_nodes_than_there_are_paths():
    assert len(choose_tree(((0.5,), (0.5,)))) == 2


def test_expected_depth_is_what_independent_heads_do():
    """Counted over ranks drawn independently, the mean longest path approaches the expectation."""
    generator, tree = np.random.default_rng(0), choose_tree(ACCURACY, 8)
    columns = [generator.choice(RANKS + 1, 40_000, p=_filled(row)) for row in ACCURACY]
    assert measured_depth(tree, np.stack(columns, axis=1)) == pytest.approx(expected_depth(tree, ACCURACY), abs=0.02)


def _filled(row):
    return [*row, *[0.0] * (RANKS - len(row)), 1 - sum(row)]


def test_measured_depth_counts_the_longest_right_path():
    tree = ((0,), (1,), (0, 1), (0, 1, 0))
    ranks = np.array([[0, 1, 0], [0, 1, 2], [0, 0, 0], [1, 1, 0], [2, 1, 0]])
    assert measured_depth(tree, ranks) == pytest.approx((3 + 2 + 1 + 1 + 0) / 5)
