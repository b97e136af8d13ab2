"""Distributions made of the scores of a call, against the warp of whole rows and torch's own logarithms."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from specviz.errors import ReplayError
from specviz.lm.language_model import Scores
from specviz.lm.scoring import MOST_LISTED, distributions, listed_entries
from specviz.lm.warp import Warp

TOLERANCE = {torch.float32: 1e-6, torch.float64: 1e-12}
TYPES = st.sampled_from([torch.float32, torch.float64, torch.bfloat16])
WARPS = st.builds(
    Warp,
    st.sampled_from([0.0, 0.5, 0.7, 1.0, 1.6]),
    st.none() | st.integers(1, 14),
    st.sampled_from([None, 0.3, 0.8, 0.95, 1.0]),
)
ENTRIES = st.none() | st.integers(1, 14)


@st.composite
def scored_rows(draw):
    """Raw logits [n, vocab_size]: far apart, or with many ties, or equal after some temperatures alone; impossible
    tokens and rows of nothing else among them."""
    count, vocab_size, kind = draw(st.integers(1, 4)), draw(st.integers(1, 12)), draw(TYPES)
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    logits = random.normal(size=(count, vocab_size)) * 3
    for row in range(count):
        if draw(st.booleans()):
            logits[row] = np.round(logits[row])
        if draw(st.integers(0, 3)) == 0:  # next to each other, and far from the best
            logits[row] = 5.0 + random.integers(-3, 3, size=vocab_size) * 1e-7
            logits[row, random.integers(vocab_size)] = 30.0
        logits[row, random.random(vocab_size) < draw(st.sampled_from([0.0, 0.3, 0.8, 1.0]))] = -math.inf
    return torch.from_numpy(logits).to(kind)


def exact(logits):
    """The rows as they are calculated with: float64 stays, all else becomes float32."""
    return logits if logits.dtype == torch.float64 else logits.float()


def likeliest(row, entries, warp):
    """The possible tokens that are among the ``entries`` likeliest after the temperature, or equal the last of them."""
    ranked = warp.tempered(row)
    least = ranked.sort(descending=True).values[min(entries, len(row)) - 1]
    return torch.nonzero((ranked >= least) & (row > -math.inf)).flatten().tolist()


@pytest.mark.full
@settings(max_examples=400)
@given(scored_rows(), WARPS, ENTRIES, st.data())
def test_every_distribution_is_that_of_its_whole_row(logits, warp, entries, data):
    vocab_size = logits.shape[-1]
    tokens = st.lists(st.integers(0, vocab_size - 1), max_size=3)
    include = data.draw(st.dictionaries(st.integers(0, len(logits) - 1), tokens))
    found = distributions(Scores(logits), warp, entries=entries, include=include)
    assert len(found) == len(logits)
    rows, probs = exact(logits), warp(logits)
    most = max(entries or warp.top_k or MOST_LISTED, warp.top_k or 1)
    whole = most >= vocab_size or (warp.top_k is None and not warp.greedy)
    for number, one in enumerate(found):
        row, tolerance = rows[number], TOLERANCE[rows.dtype]
        possible = torch.nonzero(row > -math.inf).flatten().tolist()
        first = list(range(vocab_size)) if whole else likeliest(row, most, warp)
        assert one.tokens.tolist() == sorted({*first, *include.get(number, ())}) and one.tokens.dtype == np.int64
        assert one.likeliest == len(first) and one.complete == (set(possible) <= set(first))
        assert one.logits.tolist() == row[one.tokens].tolist()
        assert one.probs.dtype == one.logits.dtype == row.numpy().dtype
        np.testing.assert_allclose(one.probs, probs[number, one.tokens], rtol=0, atol=tolerance)
        assert (one.probs > 0.0).tolist() == (probs[number, one.tokens] > 0.0).tolist()
        assert np.delete(probs[number].numpy(), one.tokens).sum() == 0.0 and one.rest == 0.0
        assert one.possible == bool(possible) and one.base is None
        if not possible:
            assert not one.probs.any() and one.logprob(0) == -math.inf
            continue
        total = float(row.double().logsumexp(-1))
        assert one.log_total == pytest.approx(total, abs=tolerance * max(1.0, abs(total)))
        logprobs = row.double().log_softmax(-1)
        np.testing.assert_allclose(one.logprobs, logprobs[one.tokens], rtol=tolerance, atol=tolerance)
        assert one.best == int(row.argmax()) and one.probs.sum() == pytest.approx(1.0, abs=tolerance)
        for token in range(vocab_size):  # those too that are not listed
            assert one.logit(token) == float(row[token])


@settings(max_examples=200)
@given(scored_rows(), WARPS, ENTRIES, st.data())
def test_all_rows_at_once_are_row_by_row(logits, warp, entries, data):
    tokens = st.lists(st.integers(0, logits.shape[-1] - 1), max_size=2)
    include = data.draw(st.dictionaries(st.integers(0, len(logits) - 1), tokens))
    together = distributions(Scores(logits), warp, entries=entries, include=include)
    for number, one in enumerate(together):
        scores, more = Scores(logits[number : number + 1]), {0: include.get(number, ())}
        (alone,) = distributions(scores, warp, entries=entries, include=more)
        assert one.tokens.tolist() == alone.tokens.tolist() and one.logits.tolist() == alone.logits.tolist()
        assert (one.likeliest, one.complete) == (alone.likeliest, alone.complete)
        np.testing.assert_allclose(one.probs, alone.probs, rtol=1e-6, atol=1e-12)
        assert one.log_total == pytest.approx(alone.log_total, rel=1e-6)


@settings(max_examples=100)
@given(scored_rows(), WARPS, st.sampled_from([0.5, 0.7, 1.0, 2.0]), st.data())
def test_after_the_temperature_alone_the_whole_row_is_known(logits, warp, temperature, data):
    rows = exact(logits)
    tolerance = {torch.float32: 1e-6, torch.float64: 1e-9}[rows.dtype]
    for number, one in enumerate(distributions(Scores(logits), warp, entries=2)):
        if not one.possible:
            continue
        expected = (rows[number].double() / temperature).softmax(-1)
        probs, entropy = one.at_temperature(temperature)
        np.testing.assert_allclose(probs, expected[one.tokens], rtol=1e-5, atol=tolerance)
        assert entropy == pytest.approx(float(torch.special.entr(expected).sum()), abs=10 * tolerance)
        one.call = None  # as a record has it: what was asked for stays known
        assert one.at_temperature(temperature)[1] == entropy
        if not one.complete:
            with pytest.raises(ReplayError, match="needs the entropy over all tokens"):
                one.at_temperature(temperature + 1.0)


def test_without_top_k_everything_is_listed():
    logits = torch.randn(3, 400, generator=torch.Generator().manual_seed(0))
    for one in distributions(Scores(logits), Warp(0.8, None, 0.9), entries=5):
        assert len(one) == one.likeliest == 400 and one.complete and (one.probs == 0.0).any()
    for one in distributions(Scores(logits), Warp(0.0)):
        assert len(one) == one.likeliest == MOST_LISTED and not one.complete
    for one in distributions(Scores(logits), Warp(top_k=300), entries=20):
        assert len(one) == one.likeliest == 300  # never fewer than the warp looks at


def test_what_does_not_fit_a_row_of_ties_is_listed_whole():
    """More tokens than asked for equal the last of them; all of them share what there is."""
    row = torch.tensor([[1.0, 3.0, 1.0, 1.0, 0.0, 1.0]])
    (one,) = distributions(Scores(row), Warp(top_k=2))
    assert one.tokens.tolist() == [0, 1, 2, 3, 5] and one.likeliest == 5 and not one.complete
    assert one.prob(0) == one.prob(5) > 0.0 == one.prob(4)


@pytest.mark.parametrize("entries", [2, 3, 4])
def test_how_many_are_listed_does_not_change_a_probability(entries):
    """Distances to the best that round to the same number are no tie at temperature 1."""
    row = torch.tensor([[2.0, 1e-8, 2e-8, -1.0, -2.0]])
    (one,) = distributions(Scores(row), Warp(top_k=2), entries=entries)
    assert {token for token, prob in one.table().items() if prob > 0.0} == {0, 2}


def test_a_token_that_is_included_is_listed_once():
    row = torch.tensor([[1.0, 3.0, 2.0, 0.0, -math.inf]])
    (one,) = distributions(Scores(row), Warp(top_k=2), include={0: [4, 1, 3, 4]})
    assert one.tokens.tolist() == [1, 2, 3, 4] and one.likeliest == 2 and not one.complete
    assert one.logits.tolist() == [3.0, 2.0, 0.0, -math.inf] and one.probs[2:].tolist() == [0.0, 0.0]
    assert one.logprob(4) == -math.inf and one.call is not None


@pytest.mark.parametrize(
    ("vocab_size", "top_k", "expected"),
    [(50, None, 50), (50, 20, 20), (50, 80, 50), (9999, None, MOST_LISTED), (9999, 300, MOST_LISTED), (9999, 1, 1)],
)
def test_what_a_record_lists_at_least(vocab_size, top_k, expected):
    assert listed_entries(vocab_size, top_k) == expected


def test_drafted_tokens_of_several_rows_are_read_together():
    logits = torch.arange(200.0).view(4, 50)
    asked = {0: [3, 49, 5], 2: [1], 3: [0, 7, 2, 7]}
    found = distributions(Scores(logits), Warp(1.0, 5, None), include=asked)
    for number, one in enumerate(found):
        assert one.tokens.tolist() == sorted({*range(45, 50), *asked.get(number, ())})
        assert one.logits.tolist() == logits[number, one.tokens].tolist()


@pytest.mark.parametrize("temperature", [1e-300, 1e-30, 0.7, 1.0, 10.0])
def test_entropies_are_those_of_plain_double_arithmetic_at_any_temperature(temperature):
    logits = torch.randn(3, 4096, generator=torch.Generator().manual_seed(1)) * 3
    logits[1, 7:] = -torch.inf
    call = distributions(Scores(logits), Warp(temperature, 20))
    for row, found in enumerate(call):
        known = found.call.tempered(temperature)
        x = logits[row].double()
        logprobs = ((x - x.max()) / temperature).log_softmax(-1)
        plain = -(logprobs.exp() * logprobs.clamp_min(-1e300)).sum()
        assert known.entropy == pytest.approx(float(plain), abs=1e-6)
        assert known.log_total == pytest.approx(float(-logprobs.max()), abs=1e-6)
