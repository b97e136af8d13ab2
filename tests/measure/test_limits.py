"""The limit of acceptance, against the minimum over all sets of tokens and every way that drafts can be drawn."""

import itertools

import numpy as np
import pytest

from specviz.errors import OptionError
from specviz.measure.limits import MOST_TUPLES, acceptance_limit

KINDS = ("independent", "without_replacement", "one_drawn")


def drawn(q, drafts, kind):
    """{drafts: probability}: every outcome of the drafting."""
    possible = [token for token in range(len(q)) if q[token] > 0]
    if kind == "independent":
        return {tokens: np.prod(q[list(tokens)]) for tokens in itertools.product(possible, repeat=drafts)}
    if kind == "one_drawn":
        ranked = sorted(possible, key=lambda token: -q[token])
        taken, rest = tuple(ranked[: drafts - 1]), ranked[drafts - 1 :]
        return {(x, *taken): q[x] / q[rest].sum() for x in rest} or {taken: 1.0}
    found = {}
    for tokens in itertools.permutations(possible, min(drafts, len(possible))):
        left, chance = 1.0, 1.0
        for token in tokens:
            chance, left = chance * q[token] / left, left - q[token]
        found[tokens] = chance
    return found


def over_all_sets(p, q, drafts, kind):
    outcomes = drawn(q, drafts, kind)
    sets = itertools.chain.from_iterable(itertools.combinations(range(len(p)), size) for size in range(len(p) + 1))
    inside = lambda chosen: sum(chance for tokens, chance in outcomes.items() if set(tokens) <= {*chosen})  # noqa: E731
    return 1 + min(p[list(chosen)].sum() - inside(chosen) for chosen in sets)


def models(seed):
    """p and q of two to five tokens, sharp or flat, some with zeros."""
    generator = np.random.default_rng(seed)
    size = generator.integers(2, 6)
    found = [generator.dirichlet(np.full(size, generator.choice([0.3, 1.0, 3.0]))) for _ in range(2)]
    for probs in found[seed % 4 :]:
        probs[generator.integers(size)] = 0.0
    return [probs / probs.sum() for probs in found]


@pytest.mark.parametrize("drafts", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_the_limit_is_the_minimum_over_all_sets(kind, drafts):
    for seed in range(25):
        p, q = models(seed)
        assert acceptance_limit(p, q, drafts, kind) == pytest.approx(over_all_sets(p, q, drafts, kind), abs=1e-9)


def test_one_draft_is_accepted_as_often_as_speculative_decoding_does():
    for seed in range(10):
        p, q = models(seed)
        for kind in KINDS:
            assert acceptance_limit(p, q, 1, kind) == pytest.approx(np.minimum(p, q).sum(), abs=1e-12)


def test_more_drafts_and_different_ones_are_accepted_no_less_often():
    for seed in range(10):
        p, q = models(seed)
        for kind in KINDS[:2]:
            limits = [acceptance_limit(p, q, drafts, kind) for drafts in range(1, 5)]
            assert np.diff(limits).min() > -1e-12
        assert acceptance_limit(p, q, 3, KINDS[1]) >= acceptance_limit(p, q, 3, KINDS[0]) - 1e-12


def test_a_whole_vocabulary_is_no_trouble():
    generator = np.random.default_rng(1)
    p, q = (generator.dirichlet(np.full(100_000, 0.1)) for _ in range(2))
    limits = [acceptance_limit(p, q, drafts, kind) for drafts in (1, 2) for kind in KINDS]
    assert all(0 < limit < 1 for limit in limits) and limits[3] > limits[0]
    with pytest.raises(OptionError, match="too many without replacement of"):
        acceptance_limit(p, q, 4, "without_replacement")
    assert MOST_TUPLES < 100_000**2


def test_no_draft_is_refused():
    with pytest.raises(OptionError, match="drafts is 0: it must be 1 or more"):
        acceptance_limit(np.array([1.0]), np.array([1.0]), 0)
