"""Distributions as small sorted arrays, against sums over the whole vocabulary: every equation once more, dense and in
float64."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from specviz.errors import ReplayError
from specviz.trace.distribution import (
    FEWEST,
    STAYS,
    Distribution,
    JointDistribution,
    Tempered,
    conditional,
    joint_residual,
    largest,
    listed,
    listed_joint,
    normalised,
    one_hot,
    overlap,
    residual,
    restricted,
    tempered,
    warped,
    warped_anew,
    without,
)
from tests.by_hand import dense

TOLERANCE = {np.float32: 1e-6, np.float64: 1e-12}
TEMPERATURES = (0.0, 0.25, 0.7, 1.0, 1.5, 3.0)
TYPES = st.sampled_from([np.float32, np.float64])
LOGITS = st.sampled_from([-math.inf, *(number / 4 for number in range(-12, 13))])  # with many ties
ROWS = st.lists(LOGITS, min_size=1, max_size=9).filter(lambda row: max(row) > -math.inf)
CUTS = st.tuples(st.none() | st.integers(1, 10), st.none() | st.sampled_from([0.1, 0.35, 0.6, 0.8, 0.95, 1.0]))


# The definitions, over the whole vocabulary.


def dense_warp(logits, temperature, top_k=None, top_p=None):
    """T of one row of raw logits: temperature, top-k, top-p, renormalise; equals at a cut stay. Rows for which rounding
    could decide what top-p keeps are not asked about."""
    logits = np.asarray(logits, dtype=np.float64)
    probs = np.zeros(len(logits))
    if logits.max() == -math.inf:
        return probs
    if temperature == 0.0:
        probs[logits.argmax()] = 1.0
        return probs
    kept = logits >= sorted(logits)[-min(top_k or len(logits), len(logits))]
    probs[kept] = np.exp((logits[kept] - logits.max()) / temperature)
    probs /= probs.sum()
    if top_p is None or top_p == 1.0:
        return probs
    before = {prob: probs[probs > prob].sum() for prob in probs}  # what lies before the first of its equals
    sums = [before[prob] + count * prob for prob in before for count in range(sum(probs == prob) + 1)]
    assume(all(abs(total - top_p) > 1e-6 for total in sums))
    probs[[prob == 0.0 or before[prob] >= top_p for prob in probs]] = 0.0
    return probs / probs.sum()


def dense_entropy(probs):
    return -sum(prob * math.log(prob) for prob in probs if prob > 0.0)


def ranked(logits):
    """The possible tokens, best first, smaller numbers first among equals."""
    return sorted(np.flatnonzero(np.asarray(logits) > -math.inf).tolist(), key=lambda token: (-logits[token], token))


def log_total(logits):
    return float(np.logaddexp.reduce(np.asarray(logits, dtype=np.float64)))


def spread(given, size):
    """The probabilities of all ``size`` tokens of the vocabulary, float64."""
    found = np.zeros(size)
    found[given.tokens] = given.probs
    return found


def same(found, expected, kind):
    """Equal up to rounding; what is impossible is exactly zero."""
    np.testing.assert_allclose(found, expected, rtol=TOLERANCE[kind], atol=TOLERANCE[kind])
    np.testing.assert_array_equal(np.asarray(found) > 0.0, np.asarray(expected) > 0.0)


# What is given.


@st.composite
def weighed(draw, size, kind, weights=None):
    """A distribution over some tokens of a vocabulary of ``size``; not all that are listed are possible."""
    tokens = sorted(draw(st.sets(st.integers(0, size - 1), min_size=1)))
    parts = draw(st.lists(st.integers(0, 7), min_size=len(tokens), max_size=len(tokens)).filter(any))
    logits = np.array(draw(st.lists(LOGITS, min_size=len(tokens), max_size=len(tokens))), dtype=kind)
    probs = (np.array(parts) / sum(parts)).astype(kind)
    return Distribution(np.array(tokens), probs, logits, log_total([*logits, 1.0]), 0, False)


@st.composite
def both(draw):
    """Target and draft, listing tokens of their own, or one and the same; the size of the vocabulary; the type."""
    size, kind = draw(st.integers(1, 8)), draw(TYPES)
    target = draw(weighed(size, kind))
    draft = draw(weighed(size, kind)) if draw(st.integers(0, 4)) else target.with_probs(target.probs.copy())
    return target, draft, size, kind


@st.composite
def recorded(draw):
    """All raw logits, and a distribution that lists the likeliest tokens with their ties, and some others."""
    kind = draw(TYPES)
    logits = np.array(draw(ROWS), dtype=kind)
    most = draw(st.integers(0, len(logits)))
    least = np.sort(logits)[-most] if most else math.inf
    likeliest = np.flatnonzero((logits >= least) & (logits > -math.inf))
    others = draw(st.sets(st.integers(0, len(logits) - 1)))
    tokens = np.array(sorted({*likeliest.tolist(), *others}), dtype=np.int64)
    probs = dense_warp(logits, 1.0).astype(kind)
    complete = np.isin(np.flatnonzero(logits > -math.inf), tokens).all()
    found = Distribution(
        *(tokens, probs[tokens], logits[tokens], log_total(logits), len(likeliest), bool(complete)),
        rest=float(np.delete(probs, tokens).sum(dtype=np.float64)),
    )
    return logits, found


def known_at(given, logits, temperature):
    """The same distribution, with what a record knows of it after the temperature alone."""
    x = (logits.astype(np.float64) - logits.max()) / temperature
    found = Tempered(temperature, log_total(x), dense_entropy(dense_warp(logits, temperature)))
    columns = (given.tokens, given.probs, given.logits, given.log_total, given.likeliest, given.complete)
    return Distribution(*columns, rest=given.rest, tempered=found)


# What is read off a distribution.


@given(recorded())
def test_a_token_is_found_where_it_is_listed(case):
    logits, record = case
    everything = np.arange(-2, len(logits) + 2)
    probs = record.probs_of(everything)
    assert probs.dtype == record.probs.dtype
    for token, prob in zip(everything.tolist(), probs, strict=True):
        if token in record.tokens:
            place = record.tokens.tolist().index(token)
            assert record.index(token) == place and record.prob(token) == prob == record.probs[place]
            assert record.logit(token) == logits[token]
            assert record.logprob(token) == pytest.approx(float(logits[token]) - log_total(logits), abs=1e-12)
            continue
        assert record.index(token) is None and record.prob(token) == prob == 0.0
        if record.complete:
            assert record.logit(token) == record.logprob(token) == -math.inf
        else:
            for read in (record.logit, record.logprob):
                with pytest.raises(ReplayError, match=f"token {token} is needed, and the record lists"):
                    read(token)
    shuffled = everything[::-1]
    assert record.probs_of(shuffled).tolist() == probs[::-1].tolist()
    assert record.probs_of(record.tokens).tolist() == record.probs.tolist()
    np.testing.assert_allclose(record.logprobs, logits[record.tokens].astype(np.float64) - log_total(logits))


@given(recorded())
def test_the_likeliest_are_ranked_smaller_numbers_first_among_equals(case):
    logits, record = case
    ranking = ranked(logits)
    for count in range(1, len(logits) + 2):
        if record.complete or count <= record.likeliest:
            assert record.ranked(count).tolist() == ranking[:count]
            record.need(count)
        else:
            for ask in (record.ranked, record.need):
                with pytest.raises(ReplayError, match=f"the {count} likeliest tokens are needed, and the record lists"):
                    ask(count)
    if record.complete or record.likeliest:
        assert record.best == ranking[0]
    if not record.complete:
        with pytest.raises(ReplayError, match="all tokens are needed"):
            record.need(None)


@given(recorded())
def test_the_table_is_most_probable_first(case):
    logits, record = case
    expected = sorted(record.tokens.tolist(), key=lambda token: (-record.prob(token), -logits[token], token))
    assert list(record.table()) == expected and record.tokens[record.order()].tolist() == expected
    assert record.table() == {token: record.prob(token) for token in expected}
    assert record.certain == (max(record.probs, default=0.0) == 1.0)


def test_nothing_is_known_of_a_model_with_nothing_to_propose():
    empty = np.array([])
    nothing = Distribution(empty.astype(np.int64), empty, empty, -math.inf, 0, True)
    assert not nothing.possible and not nothing.certain and len(nothing) == 0 and nothing.table() == {}
    assert nothing.prob(3) == 0.0 and nothing.logprob(3) == -math.inf and nothing.index(3) is None
    assert nothing.probs_of(np.array([0, 1])).tolist() == [0.0, 0.0] and nothing.ranked(2).tolist() == []
    for temperature in TEMPERATURES:
        for cuts in ((None, None), (3, 0.5), (None, 0.5)):
            assert len(warped_anew(nothing, temperature, *cuts)) == 0
    probs, entropy = nothing.at_temperature(0.0)
    assert len(probs) == 0 and entropy == 0.0 and dense([0.5, 0.5]).possible


def test_equal_ones_are_equal_by_value():
    assert dense([0.5, 0.5]) == dense([1, 1]) != dense([0.4, 0.6])
    assert dense([0.5, 0.5]) != dense([0.5, 0.5], [0.0, 0.0]) and dense([1.0]) != 1.0


# What is derived from it.


@given(both(), st.sampled_from([1.0, 0.5, 0.125, 0.0]))
def test_the_residual(case, weight):
    """norm((weight p - q)+); p itself where nothing is left."""
    target, draft, size, kind = case
    before = target.probs.copy(), draft.probs.copy()
    found = residual(target, draft, weight)
    excess = np.maximum(weight * spread(target, size) - spread(draft, size), 0.0)
    if excess.any():
        same(spread(found, size), excess / excess.sum(), kind)
        assert found.base is target and found.tokens is target.tokens and found.probs.dtype == kind
    else:
        assert found is target
    assert weight != 1.0 or residual(target, draft) == found
    assert target.probs.tolist() == before[0].tolist() and draft.probs.tolist() == before[1].tolist()


@given(both())
def test_the_overlap(case):
    """sum min(p, q)."""
    target, draft, size, kind = case
    expected = np.minimum(spread(target, size), spread(draft, size)).sum()
    assert overlap(target, draft) == pytest.approx(expected, abs=TOLERANCE[kind])
    assert overlap(draft, target) == pytest.approx(expected, abs=TOLERANCE[kind])


@given(both(), st.data())
def test_without_a_token_that_was_drawn(case, data):
    """norm(q with q[token] = 0), token after token; all zeros at the end. A token that is not listed has no q."""
    _, left, size, kind = case
    for token in data.draw(st.permutations(range(size))):
        probs = spread(left, size)
        probs[token] = 0.0
        before, left = left, without(left, token)
        same(spread(left, size), probs / probs.sum() if probs.any() else probs, kind)
        assert left.base is (before.base or before) and left.probs.dtype == kind
    assert not left.probs.any()


@given(both(), st.data())
def test_weights_are_brought_to_sum_to_one(case, data):
    given_, _, size, kind = case
    weights = np.array(data.draw(st.lists(st.integers(0, 9), min_size=len(given_), max_size=len(given_))), dtype=kind)
    found = normalised(given_, weights)
    if weights.any():
        expected = np.zeros(size)
        expected[given_.tokens] = weights.astype(np.float64) / weights.sum(dtype=np.float64)
        same(spread(found, size), expected, kind)
    else:
        assert found is given_


@given(recorded(), st.data())
def test_all_probability_on_one_token(case, data):
    logits, record = case
    assume(len(record))
    token = data.draw(st.sampled_from(record.tokens.tolist()))
    found = one_hot(record, token)
    assert spread(found, len(logits)).tolist() == [float(other == token) for other in range(len(logits))]
    assert found.certain and found.probs.dtype == record.probs.dtype and found.possible
    assert found.logprob(token) == pytest.approx(record.logprob(token), rel=1e-6)
    with pytest.raises(ReplayError):  # of other tokens nothing is known
        found.logprob(token + 1)
    with pytest.raises(ReplayError):
        found.ranked(1)


# The warp.


@given(ROWS, TYPES, st.sampled_from(TEMPERATURES), CUTS)
def test_the_warp(row, kind, temperature, cuts):
    logits = np.array(row, dtype=kind)
    found = warped(logits[None], temperature, *cuts)
    assert found.dtype == kind and found.shape == (1, len(row))
    same(found[0], dense_warp(logits, temperature, *cuts), kind)


@given(st.integers(0, 10_000), TYPES, st.sampled_from(TEMPERATURES), CUTS)
def test_the_warp_of_several_rows_is_that_of_each(seed, kind, temperature, cuts):
    rows = (np.random.default_rng(seed).normal(size=(4, 12)) * 3).astype(kind)
    rows[2], rows[3, ::2] = -math.inf, -math.inf
    found = warped(rows, temperature, *cuts)
    for row, alone in zip(rows, found, strict=True):
        same(alone, dense_warp(row, temperature, *cuts), kind)
        assert alone.tolist() == warped(row[None], temperature, *cuts)[0].tolist()
    assert not found[2].any()


def test_equals_at_a_cut_stay_and_greedy_takes_the_first():
    row = np.array([[1.0, 3.0, 0.0, 3.0, 1.0]])
    assert (warped(row, 1.0, top_k=1) > 0.0).tolist() == [[False, True, False, True, False]]
    assert (warped(row, 1.0, top_k=3) > 0.0).tolist() == [[True, True, False, True, True]]
    assert (warped(row, 1.0, top_p=0.2) > 0.0).tolist() == [[False, True, False, True, False]]
    assert warped(row, 0.0).tolist() == [[0.0, 1.0, 0.0, 0.0, 0.0]]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_at_temperature_one_only_equal_logits_are_equal(kind):
    """Also where their distances to the best round to the same number."""
    tiny = 1e-8 if kind is np.float32 else 1e-17
    row = np.array([[2.0, tiny, 2 * tiny, -1.0]], dtype=kind)
    assert row[0, 1] - row[0, 0] == row[0, 2] - row[0, 0]
    assert (warped(row, 1.0, top_k=2) > 0.0).tolist() == [[True, False, True, False]]


def test_no_temperature_is_too_small():
    row = np.array([[0.5, 0.25, -math.inf]], dtype=np.float32)
    assert warped(row, 1e-300).tolist() == [[1.0, 0.0, 0.0]]


@given(recorded(), st.sampled_from(TEMPERATURES), CUTS, st.sampled_from(TEMPERATURES[1:]), st.booleans())
def test_another_warp_from_a_part_of_the_vocabulary(case, temperature, cuts, known, is_known):
    """What the whole vocabulary would give, or a refusal where the part does not say it."""
    logits, record = case
    record = known_at(record, logits, known) if is_known else record
    top_k, top_p = cuts
    expected = dense_warp(logits, temperature, top_k, top_p)
    if temperature == 0.0:
        enough = record.complete or record.likeliest >= 1
    elif top_k is not None:
        enough = record.complete or record.likeliest >= top_k
    else:
        sure = np.sort(dense_warp(logits, temperature))[::-1][: record.likeliest].sum()
        total_known = temperature == 1.0 or (is_known and temperature == known)
        enough = record.complete or (total_known and top_p not in (None, 1.0) and sure >= top_p)
    if not enough:
        with pytest.raises(ReplayError, match="needed, and the record lists"):
            warped_anew(record, temperature, top_k, top_p)
        return
    found = warped_anew(record, temperature, top_k, top_p)
    same(spread(found, len(logits)), expected, record.probs.dtype.type)
    assert found.base is record and found.logits is record.logits and found.probs.dtype == record.probs.dtype


@settings(max_examples=300)
@given(recorded(), st.sampled_from(TEMPERATURES[1:]), st.floats(0.05, 0.99))
def test_top_p_cuts_inside_the_likeliest_or_needs_them_all(case, temperature, top_p):
    """Tokens that are listed for another reason do not stand for those between."""
    logits, record = case
    record = known_at(record, logits, temperature)
    expected = dense_warp(logits, temperature, None, top_p)
    sure = np.sort(dense_warp(logits, temperature))[::-1][: record.likeliest].sum()
    if record.complete or sure >= top_p:
        found = warped_anew(record, temperature, None, top_p)
        same(spread(found, len(logits)), expected, record.probs.dtype.type)
    else:
        with pytest.raises(ReplayError, match="without top_k all tokens are needed"):
            warped_anew(record, temperature, None, top_p)


def test_the_refusal_says_what_is_known():
    record = Distribution(np.arange(3), np.array([0.5, 0.3, 0.1]), np.log([0.5, 0.3, 0.1]), 0.0, 3, False, rest=0.1)
    with pytest.raises(ReplayError, match="the 4 likeliest tokens are needed, and the record lists the 3 likeliest"):
        warped_anew(record, 1.0, top_k=4)
    for top_p in (None, 1.0, 0.95):
        with pytest.raises(ReplayError, match="the record lists 3: top_k can be 3 at most"):
            warped_anew(record, 1.0, top_p=top_p)
    with pytest.raises(ReplayError, match="top_k can be 3"):  # of another temperature the total is not known
        warped_anew(record, 0.5, top_p=0.5)
    drafted = one_hot(record, 1)
    with pytest.raises(ReplayError, match="the record lists 1$"):
        warped_anew(drafted, 1.0)
    with pytest.raises(ReplayError, match="the 1 likeliest tokens are needed"):
        warped_anew(drafted, 0.0)


# After the temperature alone.


@given(ROWS, TYPES, st.sampled_from(TEMPERATURES[1:]))
def test_what_is_known_after_the_temperature(row, kind, temperature):
    found = tempered(np.array(row, dtype=kind), temperature)
    expected = dense_warp(row, temperature)
    assert found.temperature == temperature
    assert found.log_total == pytest.approx(-math.log(expected.max()), abs=1e-6 if kind is np.float32 else 1e-12)
    assert found.entropy == pytest.approx(dense_entropy(expected), abs=1e-6 if kind is np.float32 else 1e-12)


@given(recorded(), st.sampled_from(TEMPERATURES), st.sampled_from(TEMPERATURES[1:]), st.booleans())
def test_probabilities_and_entropy_after_the_temperature_alone(case, temperature, known, is_known):
    logits, record = case
    record = known_at(record, logits, known) if is_known else record
    kind = record.probs.dtype.type
    if temperature == 0.0:
        enough = record.complete or record.likeliest >= 1
    else:
        enough = record.complete or (is_known and temperature == known)
    derived = record.with_probs(np.zeros_like(record.probs))  # shares what is known of all tokens
    for one in (record, derived):
        if not enough:
            with pytest.raises(ReplayError, match="the record lists"):
                one.at_temperature(temperature)
            continue
        probs, entropy = one.at_temperature(temperature)
        expected = dense_warp(logits, temperature)
        assert probs.dtype == kind and len(probs) == len(record)
        np.testing.assert_allclose(probs, expected[record.tokens], rtol=TOLERANCE[kind], atol=TOLERANCE[kind])
        assert entropy == pytest.approx(dense_entropy(expected), abs=1e-9)


# Joint distributions of beams and tokens.

PAIRS = st.dictionaries(
    st.tuples(st.integers(-3, 3), st.integers(STAYS, 4)), st.integers(0, 7), min_size=1, max_size=10
).filter(lambda weights: any(weights.values()))


def joint_of(weights, raw=lambda pair: 0.0):
    total = sum(weights.values())
    prefixes, tokens = (np.array(column, dtype=np.int64) for column in zip(*weights, strict=True))
    probs = np.array([weight / total for weight in weights.values()])
    return JointDistribution(prefixes, tokens, probs, np.array([raw(pair) for pair in weights]))


def pairs_of(joint):
    return list(zip(joint.prefixes.tolist(), joint.tokens.tolist(), strict=True))


@given(PAIRS, PAIRS)
def test_a_pair_is_found_where_it_is_listed(one, other):
    first, second = joint_of(one), joint_of(other)
    total = sum(other.values())
    assert second.probs_of(first).tolist() == [other.get(pair, 0) / total for pair in one]
    for prefix in range(-4, 5):
        mine = [weight for (at, _), weight in other.items() if at == prefix]
        assert second.of_prefix(prefix) == pytest.approx(sum(mine) / total, abs=1e-12)
        assert all(second.prob(prefix, token) == other.get((prefix, token), 0) / total for token in range(-2, 6))
    assert second.table() == {pair: weight / total for pair, weight in other.items()}


@given(PAIRS)
def test_pairs_in_order_earlier_beams_first_among_equals(weights):
    """Input beams in their order, then nodes in theirs."""
    joint = joint_of(weights)

    def rank(pair):
        prefix, token = pair
        return -weights[pair], prefix >= 0, prefix if prefix >= 0 else -1 - prefix, token

    assert list(joint.table()) == sorted(weights, key=rank)


@given(PAIRS, st.data())
def test_the_restriction_to_some_beams(weights, data):
    """q(pair | one of these beams is extended)."""
    joint, possible = joint_of(weights), {prefix for (prefix, _), weight in weights.items() if weight}
    prefixes = data.draw(st.sets(st.integers(-3, 3)).map(lambda more: more | {min(possible)}))
    found, total = restricted(joint, prefixes), sum(weight for (at, _), weight in weights.items() if at in prefixes)
    expected = [weight / total if at in prefixes else 0.0 for (at, _), weight in weights.items()]
    same(found.probs, expected, np.float64)
    assert found.base is joint and pairs_of(found) == pairs_of(joint)


@given(PAIRS, PAIRS)
def test_the_residual_over_pairs(one, other):
    """norm((p' - q)+) over all pairs; p' itself where nothing is left."""
    target, draft = joint_of(one), joint_of(other)
    found = joint_residual(target, draft.probs_of(target))
    p, q = target.table(), draft.table()
    excess = [max(0.0, p[pair] - q.get(pair, 0.0)) for pair in pairs_of(target)]
    if any(excess):
        same(found.probs, np.array(excess) / sum(excess), np.float64)
        assert found.base is target
    else:
        assert found is target
    assert joint_residual(target, target.probs) is target


@given(PAIRS, TYPES)
def test_the_next_token_given_the_beam(weights, kind):
    """q(token | beam) = q(beam, token) / sum over the beam's tokens."""
    weights = {pair: weight for pair, weight in weights.items() if weight and pair[1] != STAYS}
    assume(weights)
    joint, own = joint_of(weights), dense([1.0] * 5)
    own = Distribution(own.tokens, own.probs.astype(kind), own.logits.astype(kind), own.log_total, 5, True)
    for prefix in {prefix for prefix, _ in weights}:
        found = conditional(joint, prefix, own)
        total = sum(weight for (at, _), weight in weights.items() if at == prefix)
        same(found.probs, [weights.get((prefix, token), 0) / total for token in range(5)], kind)
        assert found.base is own and found.tokens is own.tokens


# What a record keeps of a large one.


@given(
    st.lists(st.integers(-40, 0), min_size=30, max_size=60),
    st.sampled_from([5, FEWEST, 25]),
    st.sampled_from([1e-4, 1e-2]),
    st.sampled_from(TEMPERATURES),
    st.sampled_from([None, 0.6, 0.95]),
    st.data(),
)
def test_a_shortened_record_says_the_same_or_refuses(row, entries, smallest, temperature, top_p, data):
    """The likeliest are the vocabulary's, with all that equal the last of them: as many of them as a warp may ask for
    it gets, and gets right."""
    logits = np.array(row, dtype=np.float64) / 4
    whole = Distribution(np.arange(len(row)), dense_warp(logits, 1.0), logits, log_total(logits), len(row), True)
    required = data.draw(st.lists(st.integers(0, len(row) - 1), max_size=3))
    record = listed(whole, entries, smallest, required)
    assert set(required) <= set(record.tokens.tolist()) and record.tokens.tolist() == sorted(record.tokens.tolist())
    assert record.probs.tolist() == whole.probs[record.tokens].tolist() and record.log_total == whole.log_total
    assert record.probs.sum() + record.rest == pytest.approx(1.0) and not record.complete
    assert record.ranked(record.likeliest).tolist() == ranked(logits)[: record.likeliest]
    in_order = np.sort(logits)[::-1]
    assert record.likeliest >= min(FEWEST, entries) or in_order[record.likeliest] == in_order[entries]
    common = np.flatnonzero(logits - log_total(logits) >= math.log(smallest))
    assert len(common) > entries or set(common.tolist()) <= set(record.tokens.tolist())
    for top_k in {1, 3, record.likeliest, record.likeliest + 1} - {0}:
        if record.likeliest < (top_k if temperature > 0.0 else 1):
            with pytest.raises(ReplayError):
                warped_anew(record, temperature, top_k, top_p)
        else:
            found = warped_anew(record, temperature, top_k, top_p)
            same(spread(found, len(row)), dense_warp(logits, temperature, top_k, top_p), np.float64)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.integers(1, 35))
def test_the_largest_with_all_that_equal_the_last(values, count):
    order = sorted(range(len(values)), key=lambda at: -values[at])  # equal ones in their order
    found = largest(np.array(values, dtype=np.float32), count).tolist()
    last = values[order[min(count, len(values)) - 1]]
    assert found == [at for at in order if values[at] >= last or count >= len(values)]


@given(PAIRS, st.integers(1, 10))
def test_a_shortened_joint_record_keeps_the_most_probable(weights, entries):
    joint = joint_of(weights, raw=sum)
    found = listed_joint(joint, entries)
    assert set(pairs_of(found)) == set(list(joint.table())[:entries])
    assert found.probs.sum() + found.rest == pytest.approx(1.0)
    assert found.logprobs.tolist() == [sum(pair) for pair in pairs_of(found)]
