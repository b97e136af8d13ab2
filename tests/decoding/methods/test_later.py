"""What the rules beyond the papers keep of a draft, beside those they come after, and the limit of any rule."""

import itertools

import numpy as np
import pytest

from specviz.decoding.registry.methods.candidates import BLOCK, MCSD, SPECINFER
from specviz.decoding.registry.methods.later import BEST_PATH, GREEDY_DRAFTS, SPECHUB, TRAVERSAL
from specviz.decoding.registry.methods.speculative import REJECTION, SPECULATIVE
from specviz.dice import explore
from specviz.drafting.drafter import Beam, ScoredForest
from specviz.measure.limits import acceptance_limit
from specviz.rules.block import BlockVerifier
from specviz.rules.blocks.best_path import BestPathVerifier, of_chosen, preferred_tokens
from specviz.rules.blocks.traversal import TraversalVerifier
from specviz.rules.recursive import RecursiveVerifier
from specviz.trace.distribution import Distribution
from specviz.trace.forest import Forest
from tests.decoding.methods.models import PAIRS, random_pair
from tests.decoding.methods.test_candidates import EXACT, expected_accepted

KINDS = ("independent", "without_replacement", "one_drawn")
MODELS = [*PAIRS.values(), *(random_pair(3, seed, sharpness=2.0) for seed in range(30, 35)), random_pair(4, 40)]


@pytest.mark.full
@pytest.mark.every(3)
@pytest.mark.parametrize("k_config", [(2,), (2, 1), (1, 2)], ids=str)
@pytest.mark.parametrize(("fewer", "replacement"), [(MCSD, False), (SPECINFER, True)], ids=["mcsd", "specinfer"])
def test_from_the_leaves_up_no_fewer_tokens_are_kept_of_the_same_tree(fewer, replacement, k_config):
    gains = []
    for pair in MODELS[:2] + MODELS[5:7]:
        ours = expected_accepted(pair, TRAVERSAL, k_config=k_config, replacement=replacement)
        theirs = expected_accepted(pair, fewer, k_config=k_config)
        assert ours >= theirs - EXACT
        gains.append(ours - theirs)
    assert (max(gains) > 0.01) == (len(k_config) > 1)  # one layer is judged alike


def outcomes(verifier, scored):
    """{(kept nodes, drawn token): probability} of a verdict."""
    found = {}
    for probability, verdict in explore(lambda dice: verifier.verify(scored, dice)):
        key = tuple(verdict.path), verdict.sampled and verdict.sampled.token
        found[key] = found.get(key, 0.0) + probability
    return {key: pytest.approx(probability, abs=EXACT) for key, probability in found.items() if probability > EXACT}


def drafted(pair, paths, vocab_size=3):
    """A scored forest of these drafted sequences, i.i.d. from the draft model, kept as a tree."""
    forest, first = Forest(), {(): -1}
    for depth in range(max(map(len, paths))):
        for path in paths:
            above = path[:depth]
            node = forest.add(path[depth], first[above], distribution(pair.draft, above))
            first.setdefault(path[: depth + 1], node)
    forest.submit()
    forest.target = {node: distribution(pair.target, path) for path, node in first.items()}
    copies = {n: next(m for m in forest.target if twins(forest, n, m)) for n in range(len(forest))}
    forest.target = {-1: forest.target[-1]} | {n: forest.target[m] for n, m in copies.items()}
    return ScoredForest(forest, (Beam([0]),))


def twins(forest, one, other):
    return other >= 0 and [forest.nodes[n].token for n in forest.path(one)] == [
        forest.nodes[n].token for n in forest.path(other)
    ]


def distribution(model, text):
    probs = model.probabilities((0, *text))
    tokens = np.arange(len(probs))
    with np.errstate(divide="ignore"):
        return Distribution(tokens, probs, np.log(probs), 0.0, len(probs), True)


@pytest.mark.parametrize("verifier", [TraversalVerifier, BestPathVerifier])
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_one_chain_is_judged_as_a_block(verifier, pair):
    possible = [token for token, prob in enumerate(pair.draft.probabilities((0,))) if prob > 0]
    for path in itertools.product(possible, repeat=3):
        if all(pair.draft.probabilities((0, *path[:i]))[path[i]] > 0 for i in range(3)):
            scored = drafted(pair, [path])
            assert outcomes(verifier(), scored) == outcomes(BlockVerifier(), scored)


@pytest.mark.parametrize("pair", ["random", "sharp", "equal"])
def test_one_layer_is_judged_candidate_after_candidate(pair):
    for tokens in itertools.product(range(3), repeat=2):
        scored = drafted(PAIRS[pair], [(token,) for token in tokens])
        assert outcomes(TraversalVerifier(), scored) == outcomes(RecursiveVerifier(), scored)


@pytest.mark.parametrize("gamma", [1, 2])
def test_the_best_of_two_sequences_is_kept_longer_than_one(gamma):
    gains = []
    for pair in MODELS:
        ours, one = (expected_accepted(pair, BEST_PATH, drafts=drafts, gamma=gamma) for drafts in (2, 1))
        assert one == pytest.approx(expected_accepted(pair, BLOCK, gamma=gamma), abs=EXACT)
        assert ours >= one - EXACT
        gains.append(ours - one)
    assert max(gains) > 0.1


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("preferred", [[], [2], [0, 3]], ids=str)
def test_the_chosen_of_several_is_drawn_from_what_it_is_judged_by(preferred, count):
    q = np.array([0.1, 0.4, 0.2, 0.3])
    found = np.zeros(4)
    for tokens in itertools.product(range(4), repeat=count):
        found[next((token for token in tokens if token in preferred), tokens[0])] += np.prod(q[list(tokens)])
    np.testing.assert_allclose(of_chosen(q, np.array(preferred, dtype=int), count), found, atol=EXACT)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_as_many_tokens_are_preferred_as_makes_most_of_them(count):
    for seed in range(20):
        p, q = np.random.default_rng(seed).dirichlet(np.full(5, 0.7), size=2)
        order = np.argsort(-p / q)
        shared = [np.minimum(p, of_chosen(q, order[:size], count)).sum() for size in range(5)]
        preferred = preferred_tokens(p, q, count)
        assert np.minimum(p, of_chosen(q, preferred, count)).sum() == pytest.approx(max(shared), abs=EXACT)
        assert preferred.tolist() == order[: len(preferred)].tolist() and (count > 1 or not len(preferred))


# The limit of any rule, for one token.


@pytest.mark.parametrize("drafts", [1, 2, 3, 4])
def test_greedy_drafts_reach_the_limit_and_no_rule_passes_its_own(drafts):
    away = 0.0
    for pair in MODELS:
        p, q = (model.probabilities((0,)) for model in (pair.target, pair.draft))
        limit = {
            kind: acceptance_limit(p, q, drafts, kind) for kind in ("independent", "without_replacement", "one_drawn")
        }
        assert expected_accepted(pair, GREEDY_DRAFTS, k_config=(drafts,)) == pytest.approx(
            limit["one_drawn"], abs=EXACT
        )
        others = {
            "independent": expected_accepted(pair, SPECINFER, k_config=(drafts,)),
            "without_replacement": expected_accepted(pair, MCSD, k_config=(drafts,)),
        }
        for kind, kept in others.items():
            assert kept <= limit[kind] + EXACT
            away = max(away, limit[kind] - kept)
    assert (away > 0.001) == (drafts > 1)  # of one draft the rule of coins accepts all that can be


def test_two_candidates_of_spechub_are_its_programme_solved():
    """Mass of each pair {x, hub} goes to x up to p(x), what is over to the hub up to p(hub): Sun et al., section 4."""
    for pair in MODELS:
        p, q = (model.probabilities((0,)) for model in (pair.target, pair.draft))
        hub = int(q.argmax())
        joint = {(x, hub): q[x] for x in range(len(q)) if x != hub}  # which comes first, and then the hub
        if q[hub] < 1.0:
            joint |= {(hub, x): q[hub] * q[x] / (1 - q[hub]) for x in range(len(q)) if x != hub}
        mass = {x: sum(m for pair_of, m in joint.items() if x in pair_of) for x in range(len(q)) if x != hub}
        to_others = sum(min(p[x], m) for x, m in mass.items())
        wanted = to_others + min(p[hub], sum(mass.values()) - to_others) if q[hub] < 1.0 else p[hub]
        assert expected_accepted(pair, SPECHUB, k_config=(2,)) == pytest.approx(wanted, abs=EXACT)


def test_without_a_residual_a_guess_stays_with_the_least_ratio():
    for pair in MODELS:
        p, q = (model.probabilities((0,)) for model in (pair.target, pair.draft))
        wanted = min(1.0, float((q[p > 0] / p[p > 0]).min()))
        ours, theirs = (expected_accepted(pair, method, gamma=1) for method in (REJECTION, SPECULATIVE))
        assert ours == pytest.approx(wanted, abs=EXACT) and ours <= theirs + EXACT


# Hierarchical speculative decoding (Zhou et al. 2026, arXiv 2601.05724), a chain judged from its end: no method of its
# own here, for it is block verification.


def hierarchical(pair, path, *, capped_end=True):
    """{kept tokens: probability}: from the last prefix back, each is kept with D+ / max(D+, D-), where D+ and D- sum
    the positive and the negative parts of r p - q, r being the prefix's joint ratio over the greatest so far (at least
    1); the whole draft with its own ratio, ``capped_end`` in the same way."""
    ratios, largest, weights = [1.0], 1.0, [1.0]
    for i, token in enumerate(path):
        p, q = (model.probabilities((0, *path[:i]))[token] for model in (pair.target, pair.draft))
        ratios.append(ratios[-1] * p / q)
        largest = max(largest, ratios[-1])
        weights.append(ratios[-1] / largest)
    kept, left = {}, 1.0
    for length in range(len(path), -1, -1):
        if length == len(path):
            chance = weights[-1] if capped_end else min(1.0, ratios[-1])
        else:
            p, q = (model.probabilities((0, *path[:length])) for model in (pair.target, pair.draft))
            plus, minus = (np.maximum(sign * (weights[length] * p - q), 0).sum() for sign in (1, -1))
            chance = plus / max(plus, minus) if max(plus, minus) > EXACT else 1.0
        kept[path[:length]] = left * chance
        left *= 1.0 - chance
    return kept


@pytest.mark.parametrize("pair", ["random", "sharp", "equal"])
def test_hierarchical_verification_with_capping_is_block_verification(pair):
    other = 0.0
    for path in itertools.product(range(3), repeat=3):
        scored = drafted(PAIRS[pair], [path])
        found = dict.fromkeys((path[:length] for length in range(4)), 0.0)
        for probability, verdict in explore(lambda dice, scored=scored: BlockVerifier().verify(scored, dice)):
            found[tuple(scored.forest.nodes[node].token for node in verdict.path)] += probability
        assert hierarchical(PAIRS[pair], path) == {kept: pytest.approx(chance) for kept, chance in found.items()}
        other = max(other, hierarchical(PAIRS[pair], path, capped_end=False)[path] - found[path])
    assert (other > 0.05) == (
        pair != "equal"
    )  # uncapped at the end, as in the authors' code, it keeps what it must not
