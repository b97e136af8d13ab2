"""The correlation of adjacent tokens against a count by hand."""

import random
from collections import Counter

import numpy as np
import pytest
import torch

from specviz.errors import ModelError
from specviz.lm.pair import ModelPair
from specviz.lm.parts.correlation import FLOOR, Correlation, DenseCorrelation
from specviz.lm.table import TableLM
from specviz.zoo.training.bigrams import count_bigrams

V = 7


def _streams() -> list[np.ndarray]:
    rng = random.Random(0)
    return [np.array([min(rng.randrange(V), rng.randrange(V)) for _ in range(n)], dtype=np.uint16) for n in (60, 1, 25)]


def _by_hand(x: int, y: int, streams) -> float | None:
    """Eq. 5 term by term; None for a pair never seen."""
    pairs = Counter((int(a), int(b)) for stream in streams for a, b in zip(stream, stream[1:], strict=False))
    n = sum(pairs.values())
    if not pairs[x, y]:
        return None
    p_x = sum(count for (a, _), count in pairs.items() if a == x) / n
    p_y = sum(count for (_, b), count in pairs.items() if b == y) / n
    return pairs[x, y] / n / (p_x * p_y)


def test_r_is_equation_5():
    correlation = count_bigrams(_streams(), V)
    r = correlation.r(range(V), range(V))
    assert r.dtype == torch.float64 and r.shape == (V, V)
    unseen = 0
    for x in range(V):
        for y in range(V):
            expected = _by_hand(x, y, _streams())
            unseen += expected is None
            assert r[x, y].item() == pytest.approx(FLOOR if expected is None else expected, rel=1e-12)
    assert 0 < unseen < V * V


def test_any_rows_and_columns_can_be_asked_for():
    correlation = count_bigrams(_streams(), V)
    whole = correlation.r(range(V), range(V))
    assert torch.equal(correlation.r([3, 0, 3], torch.tensor([6, 1])), whole[[3, 0, 3]][:, [6, 1]])
    assert correlation.r([], [1, 2]).shape == (0, 2)


def test_a_share_of_the_text_is_counted_as_if_there_were_no_more():
    chance = np.random.default_rng(1)
    pairs = chance.permutation(400)[:300]
    whole = Correlation.from_counts(pairs, chance.integers(1, 400, 300), 20, at_least=5)
    half = whole.thinned(0.5)
    assert whole.thinned(1.0) is whole and half.fingerprint == whole.thinned(0.5).fingerprint != whole.fingerprint
    assert set(half.pairs.tolist()) <= set(whole.pairs.tolist())
    known = {pair: count for pair, count in zip(whole.pairs.tolist(), whole.counts.tolist(), strict=True)}
    assert all(0 < count <= known[pair] for pair, count in zip(half.pairs.tolist(), half.counts.tolist(), strict=True))
    assert half.total == int(half.firsts.sum()) == pytest.approx(whole.total / 2, rel=0.02)
    assert int(half.seconds.sum()) == pytest.approx(half.total, rel=0.01)
    assert (half.firsts <= whole.firsts).all() and (half.seconds <= whole.seconds).all()
    often = [pair for pair, count in known.items() if count > 300]
    x, y = np.divmod(np.array(often), 20)
    ratio = torch.stack([half.r([a], [b]) / whole.r([a], [b]) for a, b in zip(x.tolist(), y.tolist(), strict=True)])
    assert ratio.mean().item() == pytest.approx(1.0, abs=0.02)  # what it estimates stays the same
    little = whole.thinned(0.001)
    assert len(little.pairs) < 0.3 * len(whole.pairs) and little.r([0], [0]).item() > 0


def test_rare_pairs_can_be_left_out_and_still_count_in_the_marginals():
    pairs, counts = np.array([1, 0, 5]), np.array([1, 4, 3])  # over 3 tokens: (0, 1) once, (0, 0) 4 and (1, 2) 3 times
    r = Correlation.from_counts(pairs, counts, 3, at_least=2, floor=0.5).r(range(3), range(3))
    assert r[0, 1] == 0.5 and r[2, 2] == 0.5
    assert r[0, 0].item() == pytest.approx(4 / 8 / (5 / 8 * 4 / 8))
    assert r[1, 2].item() == pytest.approx(3 / 8 / (3 / 8 * 3 / 8))


def test_without_any_pair_everything_is_the_floor():
    empty = Correlation.from_counts(np.array([], dtype=int), np.array([], dtype=int), 3)
    assert empty.r([0, 1], [2]).tolist() == [[FLOOR], [FLOOR]]


def test_a_saved_correlation_is_the_same(tmp_path):
    correlation = count_bigrams(_streams(), V)
    correlation.save(tmp_path / "new" / "r.safetensors")
    loaded = Correlation.load(tmp_path / "new" / "r.safetensors")
    assert torch.equal(loaded.r(range(V), range(V)), correlation.r(range(V), range(V)))
    assert (loaded.vocab_size, loaded.total, loaded.floor) == (V, correlation.total, FLOOR)


@pytest.mark.parametrize("content", [None, b"nothing"])
def test_a_file_that_is_none_is_refused_by_name(tmp_path, content):
    path = tmp_path / "r.safetensors"
    if content:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=r"correlation '.*r.safetensors' could not be loaded"):
        Correlation.load(path)


@pytest.mark.parametrize(
    ("pair", "count", "floor", "message"),
    [(9, 1, 0.1, "pairs must lie in 0..8"), (1, 0, 0.1, "counts must be at least 1"), (1, 1, 0.0, "floor must be in")],
)
def test_wrong_counts_are_refused(pair, count, floor, message):
    with pytest.raises(ModelError, match=message):
        Correlation.from_counts(np.array([pair]), np.array([count]), 3, floor=floor)


def test_the_dense_form_is_a_joint_over_its_marginals():
    dense = DenseCorrelation.random(4, seed=3)
    r = dense.r(range(4), range(4))
    assert dense.vocab_size == 4 and torch.equal(r, dense.values) and (r > 0).all()
    assert torch.equal(dense.r([2, 1], [3]), r[[2, 1]][:, [3]])
    # r is a joint over its marginals: some positive weights make all its weighted row means and column means 1
    weights = torch.linalg.solve(r, torch.ones(4, dtype=torch.float64))
    assert weights.sum().item() == pytest.approx(1) and (weights > 0).all()


def test_a_pair_refuses_a_correlation_of_another_vocabulary():
    with pytest.raises(ModelError, match="correlation has a vocabulary of 4, target 'random table 0' one of 5"):
        ModelPair(TableLM.random(5, 0), correlation=DenseCorrelation.random(4, 0))
