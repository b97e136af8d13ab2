"""MTAD on a tree against its definition: the whole distribution by brute force, and its pitfalls."""

import math
from collections import defaultdict

import pytest

from specviz.decoding.exact.distribution import exact_distribution, target_distribution
from specviz.decoding.registry.methods.mtad import MTAD, TREE_MTAD
from specviz.lm.pair import ModelPair
from specviz.rules import joint
from specviz.rules.joint import JointVerifier
from specviz.rules.verdict import longest_path
from specviz.trace.distribution import total_variation
from tests.decoding.methods.brute_force import ordered_draws, repeated, warped, with_next
from tests.decoding.methods.models import PAIRS, random_pair
from tests.decoding.registry.variants import shortened, variant

EXACT = 1e-9


def tree_mtad_distribution(pair, prompt, n_tokens, gamma, beams, tau, **warp):
    """Every drafted beam's every prefix judged; the deepest that passes, then the likeliest under the target."""
    p, q = (warped(model.probabilities, **warp) for model in (pair.target, pair.draft))
    raw, ends = pair.target.probabilities, pair.end_tokens

    def joint(model, context, beam):
        return math.prod(model((*context, *beam[:i]))[token] for i, token in enumerate(beam))

    def trees(context):
        """The distribution of all the prefixes drafted."""
        layers = {(((),), frozenset()): 1.0}
        for _ in range(gamma):
            grown = defaultdict(float)
            for (alive, nodes), probability in layers.items():
                weights = {}
                for beam in alive:
                    if beam and beam[-1] in ends:
                        weights[beam] = joint(q, context, beam)
                    else:
                        weights |= {(*beam, x): joint(q, context, (*beam, x)) for x in range(len(q(context)))}
                for chosen, chance in ordered_draws(weights, beams).items():
                    grown[chosen, nodes | set(chosen)] += probability * chance
            layers = grown
        return layers

    def iteration(context):
        kept = defaultdict(float)
        for (_, nodes), probability in trees(context).items():
            passing = [x for x in nodes if min(1.0, joint(p, context, x) / joint(q, context, x)) > tau]
            best = max(passing, key=lambda x: (len(x), joint(raw, context, x)), default=())
            kept[best] += probability
        return with_next(kept, p, context, ends)

    return repeated(iteration, prompt, n_tokens, ends)


@pytest.mark.parametrize("tau", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize(("gamma", "beams"), [(1, 2), (2, 1), (2, 2)])
def test_the_whole_distribution_equals_brute_force(gamma, beams, tau):
    pair, options = random_pair(3, 31, sharpness=2.0), {"gamma": gamma, "beams": beams, "tau": tau}
    distribution = exact_distribution(pair, TREE_MTAD, [0], 2, restart=True, **options)
    assert total_variation(distribution, tree_mtad_distribution(pair, (0,), 2, **options)) < EXACT


@pytest.mark.parametrize("pair", ["zeros", "equal", "disjoint"])
def test_zeros_and_equal_models(pair):
    options = {"gamma": 2, "beams": 2, "tau": 0.3}
    distribution = exact_distribution(PAIRS[pair], TREE_MTAD, [0], 1, restart=True, **options)
    assert total_variation(distribution, tree_mtad_distribution(PAIRS[pair], (0,), 1, **options)) < EXACT


def test_the_warped_distribution_equals_brute_force():
    """Ratios and weights with the whole warp, ties by the raw joint."""
    pair, options = random_pair(4, 5), {"gamma": 2, "beams": 2, "tau": 0.3, "temperature": 1.6, "top_k": 2}
    distribution = exact_distribution(pair, TREE_MTAD, [0], 2, restart=True, **options)
    assert total_variation(distribution, tree_mtad_distribution(pair, (0,), 2, **options)) < EXACT


def test_a_text_that_ends():
    pair = random_pair(3, 12)
    pair = ModelPair(pair.target, pair.draft, end_tokens=frozenset({2}))
    options = {"gamma": 2, "beams": 2, "tau": 0.2}
    distribution = exact_distribution(pair, TREE_MTAD, [0], 3, restart=True, **options)
    assert total_variation(distribution, tree_mtad_distribution(pair, (0,), 3, **options)) < EXACT
    assert any(len(text) < 3 for text in distribution) and all(2 not in text[:-1] for text in distribution)


@pytest.mark.full
def test_iterations_follow_each_other_as_if_started_afresh():
    pair, options = random_pair(2, 31, sharpness=2.0), {"gamma": 2, "beams": 1, "tau": 0.5}
    whole = exact_distribution(pair, TREE_MTAD, [0], 3, **options)
    assert total_variation(whole, exact_distribution(pair, TREE_MTAD, [0], 3, restart=True, **options)) < EXACT


@pytest.mark.parametrize("tau", [0.0, 0.4, 0.9])
def test_one_beam_is_mtad(tau):
    pair, options = random_pair(3, 33, sharpness=2.0), {"gamma": 2, "beams": 1, "tau": tau}
    distribution = exact_distribution(pair, TREE_MTAD, [0], 2, restart=True, **options)
    assert total_variation(distribution, exact_distribution(pair, MTAD, [0], 2, restart=True, **options)) < EXACT


@pytest.mark.parametrize("method", [MTAD, TREE_MTAD], ids=lambda method: method.name)
def test_what_the_guarantee_is_called(method):
    """Lossy, but for the ends: tau 1 keeps nothing, and temperature 0 leaves only the greedy tokens a ratio."""
    assert (
        method.guarantee == "lossy"
        and method.guarantee_for(tau=1.0) == "target"
        and method.guarantee_for(temperature=0.0) == "greedy"
    )
    pair, options = random_pair(3, 33, sharpness=1.0), {"gamma": 2, "beams": 2}
    distribution = exact_distribution(pair, method, [0], 1, tau=0.4, **options)
    assert total_variation(distribution, target_distribution(pair, [0], 1)) > 0.02
    distribution = exact_distribution(pair, method, [0], 1, tau=1.0, **options)
    assert total_variation(distribution, target_distribution(pair, [0], 1)) < EXACT
    for tau in (0.0, 0.1, 1.0):
        greedy = exact_distribution(pair, method, [0], 4, temperature=0.0, tau=tau, **options)
        assert greedy == target_distribution(pair, [0], 4, temperature=0.0)


class _NeedsEveryAncestor(JointVerifier):
    """A node passes only below nodes that pass."""

    def verify(self, scored, dice):
        nodes, ratios, alive = scored.forest.nodes, {-1: 1.0}, {-1}
        for number in scored.forest.submitted:
            node = nodes[number]
            ratios[number] = ratios[node.parent] * scored.target_at(node.parent).prob(node.token) / node.draft_prob
            if node.parent in alive and min(1.0, ratios[number]) > TAU:
                alive.add(number)
        return super().verify(shortened(scored, sorted(alive - {-1})), dice)


class _MostLikelyBeamOnly(JointVerifier):
    def verify(self, scored, dice):
        forest = scored.forest
        leaves = [number for number in forest.submitted if forest.nodes[number].depth == forest.submitted_depth]

        def weight(leaf):
            return math.prod(forest.nodes[number].draft_prob for number in forest.path(leaf))

        return super().verify(shortened(scored, forest.path(max(leaves, key=weight))), dice)


def _first_of_equals(scored, ends):
    ends, nodes = list(ends), scored.forest.nodes
    depth = max((nodes[number].depth for number in ends), default=0)
    return longest_path(scored, [number for number in ends if nodes[number].depth == depth][:1])


TAU = 0.4
PITFALLS = {
    "stopping below a failing prefix": variant(TREE_MTAD, verifier=lambda built: _NeedsEveryAncestor(TAU)),
    "judging the most likely beam alone": variant(TREE_MTAD, verifier=lambda built: _MostLikelyBeamOnly(TAU)),
    "ties to the first drafted": TREE_MTAD,
}


@pytest.mark.parametrize("name", PITFALLS)
def test_every_pitfall_is_caught(name, monkeypatch, record_property):
    if name.startswith("ties"):
        monkeypatch.setattr(joint, "longest_path", _first_of_equals)
    options = {"gamma": 2, "beams": 2, "tau": TAU}
    for seed in (31, 33, 35):  # models of fixed seeds; each fault shows on at least one
        pair = random_pair(3, seed, sharpness=1.0)
        distribution = exact_distribution(pair, PITFALLS[name], [0], 1, **options)
        if (distance := float(total_variation(distribution, tree_mtad_distribution(pair, (0,), 1, **options)))) > 0.02:
            break
    record_property("total_variation", distance)
    print(f"{name}: total variation {distance:.3f}")
    assert distance > 0.02
