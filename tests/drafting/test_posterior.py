"""SLiM's posterior against its definition: every candidate written out, multiplied and sorted by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specviz.drafting.posterior import best, candidates
from specviz.lm.parts.correlation import Correlation, DenseCorrelation
from tests.by_hand import dense

VOCABULARY = 5
COUNTED = Correlation.from_counts(np.array([1, 2, 5, 9, 13, 17, 24]), np.array([4, 1, 7, 2, 2, 9, 3]), VOCABULARY)


def heads(seed: int, count: int = 3, vocab_size: int = VOCABULARY) -> np.ndarray:
    weights = np.random.default_rng(seed).exponential(size=(count, vocab_size))
    return weights / weights.sum(1, keepdims=True)


def top(row, count):
    """The best tokens of one head, equals by number, impossible ones left out."""
    return [token for token in sorted(range(len(row)), key=lambda t: (-row[t], t)) if row[token] > 0][:count]


def candidates_of(probs, root, count, correlation=None, ends=frozenset(), root_logprob=0.0):
    """The candidates of the ``count`` best tokens of heads that give the probabilities [heads, vocabulary]."""
    tokens = [dense(row).ranked(count) for row in probs]
    logprobs = [np.log(row[best]) for row, best in zip(probs, tokens, strict=True)]
    return candidates(tokens, logprobs, root, correlation, ends, root_logprob)


def brute_force(probs, root, count, r, ends=frozenset(), root_prob=1.0):
    """[(tokens, posterior, independent)] of every candidate: shorter first, better ranks first (slim.txt, Eq. 2, 3)."""
    found = []
    for length in range(1, len(probs) + 1):
        for text in itertools.product(*(top(row, count) for row in probs[:length])):
            if ends & set(text[:-1]):
                continue
            independent = root_prob * math.prod(row[token] for row, token in zip(probs, text, strict=False))
            pairs = itertools.pairwise((root, *text))
            found.append((text, independent * math.prod(r(x, y) for x, y in pairs), independent))
    return found


def r_by_hand(x: int, y: int) -> float:
    """Eq. 5 from the counts above, the floor for a pair that was never seen."""
    counts = dict(zip([1, 2, 5, 9, 13, 17, 24], [4, 1, 7, 2, 2, 9, 3], strict=True))
    total = sum(counts.values())
    joint = counts.get(VOCABULARY * x + y, 0) / total
    first = sum(n for pair, n in counts.items() if pair // VOCABULARY == x) / total
    second = sum(n for pair, n in counts.items() if pair % VOCABULARY == y) / total
    return joint / (first * second) if joint else COUNTED.floor


DENSE = DenseCorrelation.random(VOCABULARY, 3)
CORRELATIONS = {
    "none": (None, lambda x, y: 1.0),
    "dense": (DENSE, lambda x, y: float(DENSE.values[x, y])),
    "counted": (COUNTED, r_by_hand),
}


@pytest.mark.parametrize("name", CORRELATIONS)
@pytest.mark.parametrize("count", [1, 2, 4, VOCABULARY, 9])
def test_every_candidate_has_its_own_posterior(count, name):
    correlation, r = CORRELATIONS[name]
    for seed in range(8):
        probs, root = heads(seed), seed % VOCABULARY
        expected = brute_force(probs, root, count, r, root_prob=0.4)
        found = candidates_of(probs, root, count, correlation, root_logprob=math.log(0.4))
        ranks = [found.ranks(index) for index in range(len(expected))]
        assert len(found.log_posteriors) == len(expected) == sum(min(count, VOCABULARY) ** d for d in (1, 2, 3))
        assert [found.text(r) for r in ranks] == [text for text, _, _ in expected]
        posteriors = [posterior for _, posterior, _ in expected]
        assert np.exp(found.log_posteriors) == pytest.approx(posteriors, rel=1e-12)
        assert [math.exp(found.log_posterior(r)) for r in ranks] == pytest.approx(posteriors, rel=1e-12)
        independent = [value for _, _, value in expected]
        assert [math.exp(found.log_independent(r)) for r in ranks] == pytest.approx(independent, rel=1e-12)
        with pytest.raises(IndexError):
            found.ranks(len(expected))


def test_an_unseen_pair_costs_the_floor_and_no_more():
    """The same heads: a text whose pair was never seen is FLOOR times what independence says, never impossible."""
    found = candidates_of(heads(1, count=1), 4, VOCABULARY, COUNTED)
    ratios = {found.text((i,)): found.log_posterior((i,)) - found.log_independent((i,)) for i in range(VOCABULARY)}
    unseen = [math.exp(ratio) for (token,), ratio in ratios.items() if (4, token) != (4, 4)]
    assert unseen == pytest.approx([COUNTED.floor] * 4)
    assert math.exp(ratios[4,]) == pytest.approx(r_by_hand(4, 4))


@pytest.mark.parametrize("ends", [{0}, {1, 3}, set(range(VOCABULARY))])
def test_nothing_goes_on_after_an_end_token(ends):
    probs = heads(5)
    expected = brute_force(probs, 2, 3, CORRELATIONS["dense"][1], frozenset(ends))
    found = candidates_of(probs, 2, 3, DENSE, frozenset(ends))
    order = best(found.log_posteriors, 10_000)
    assert sorted(found.text(found.ranks(i)) for i in order) == sorted(text for text, _, _ in expected)


def test_what_a_head_rules_out_is_no_candidate():
    probs = np.array([[0.7, 0.3, 0.0], [0.0, 1.0, 0.0]])
    found = candidates_of(probs, 0, 3)
    assert [found.text(found.ranks(i)) for i in best(found.log_posteriors, 99)] == [(0,), (0, 1), (1,), (1, 1)]


def test_equals_shorter_ones_first_then_better_ranks():
    """All tokens equal and r one: the posterior of a candidate depends on its length alone."""
    found = candidates_of(np.full((2, 4), 0.25), 0, 3)
    order = [found.text(found.ranks(index)) for index in best(found.log_posteriors, 7)]
    assert order == [(0,), (1,), (2,), (0, 0), (0, 1), (0, 2), (1, 0)]
    level = candidates_of(np.full((2, 4), 0.25), 0, 2, DenseCorrelation(DENSE.values[:4, :4] * 0 + 4.0))
    order = [level.text(level.ranks(index)) for index in best(level.log_posteriors, 4)]
    assert level.log_posteriors == pytest.approx(0.0, abs=1e-12) and order == [(0,), (1,), (0, 0), (0, 1)]


numbers = st.sampled_from([-np.inf, -2.0, -1.0, 0.0, 0.5, 1.0, 2.0])


@settings(max_examples=300)
@given(st.lists(numbers, max_size=12), st.integers(1, 14))
def test_best_is_a_stable_sort_of_the_possible(values, count):
    expected = [i for i in sorted(range(len(values)), key=lambda i: -values[i]) if values[i] > -np.inf][:count]
    assert best(np.array(values, dtype=np.float64), count).tolist() == expected
