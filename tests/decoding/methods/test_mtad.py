"""MTAD against its definition: the whole distribution by brute force, and its pitfalls."""

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest

from specviz.decoding.exact.distribution import exact_distribution
from specviz.decoding.registry.registry import find_method
from specviz.drafting.beam import BeamDrafter
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.rules.joint import JointVerifier
from specviz.trace.distribution import total_variation
from tests.decoding.methods.models import random_pair
from tests.decoding.registry.variants import as_kind, shortened, variant


def brute_force_distribution(pair, prompt, gamma, beams, tau, n_tokens):
    """MTAD written again, straight from the paper's words, over tuples and dictionaries."""
    p_of, q_of = pair.target.probabilities, pair.draft.probabilities

    def draws(weights, count):
        """Every ordered draw of ``count`` keys without replacement, with its probability."""
        positive = {key: weight for key, weight in weights.items() if weight > 0}
        if count == 0 or not positive:
            yield 1.0, ()
            return
        total = sum(positive.values())
        for key, weight in positive.items():
            rest = {other: w for other, w in positive.items() if other != key}
            for probability, later in draws(rest, count - 1):
                yield weight / total * probability, (key, *later)

    def drafts(context):
        """Every submitted draft with its probability."""
        layers = [(1.0, ((),))]
        joint = {(): 1.0}
        for _ in range(gamma):
            grown = []
            for probability, alive in layers:
                weights = {}
                for beam in alive:
                    for token, q in enumerate(q_of((*context, *beam))):
                        joint[(*beam, token)] = weights[(*beam, token)] = joint[beam] * q
                grown += [(probability * chance, chosen) for chance, chosen in draws(weights, beams)]
            layers = grown
        distribution = defaultdict(float)
        for probability, alive in layers:
            distribution[max(alive, key=lambda beam: joint[beam])] += probability
        return distribution

    def iteration(context):
        distribution = defaultdict(float)
        for draft, probability in drafts(context).items():
            kept = 0
            for i in range(1, gamma + 1):
                p = math.prod(p_of((*context, *draft[:j]))[draft[j]] for j in range(i))
                q = math.prod(q_of((*context, *draft[:j]))[draft[j]] for j in range(i))
                kept = i if min(1.0, p / q) > tau else kept
            for token, p in enumerate(p_of((*context, *draft[:kept]))):
                distribution[(*draft[:kept], token)] += probability * p
        return distribution

    done, going = defaultdict(float), {(): 1.0}
    while going:
        following = defaultdict(float)
        for text, probability in going.items():
            for more, chance in iteration((*prompt, *text)).items():
                longer = (*text, *more)
                (done if len(longer) >= n_tokens else following)[longer[:n_tokens]] += probability * chance
        going = following
    return dict(done)


@pytest.mark.parametrize("tau", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize(("gamma", "beams"), [(1, 2), (2, 1), (2, 2)])
def test_the_whole_distribution_equals_brute_force(gamma, beams, tau):
    pair = random_pair(3, 31, sharpness=2.0)
    options = {"gamma": gamma, "beams": beams, "tau": tau}
    distribution = exact_distribution(pair, "mtad", [0], 2, restart=True, **options)
    assert total_variation(distribution, brute_force_distribution(pair, (0,), gamma, beams, tau, 2)) < 1e-9


@pytest.mark.full
def test_iterations_follow_each_other_as_if_started_afresh():
    """The whole run, its caches cut back after every iteration, is like iterations that start from the text."""
    pair, options = random_pair(2, 31, sharpness=2.0), {"gamma": 2, "beams": 1, "tau": 0.5}
    whole = exact_distribution(pair, "mtad", [0], 3, **options)
    assert total_variation(whole, exact_distribution(pair, "mtad", [0], 3, restart=True, **options)) < 1e-9


@pytest.mark.full
def test_it_is_lossy_and_says_so():
    pair = random_pair(3, 35, sharpness=2.0)
    assert find_method("mtad").guarantee == "lossy"
    distribution = exact_distribution(pair, "mtad", [0], 2, restart=True, gamma=2, beams=2)
    assert total_variation(distribution, exact_distribution(pair, "autoregressive", [0], 2)) > 0.05


class _JudgesTokensAlone(JointVerifier):
    """A per-token ratio in place of the joint one."""

    def verify(self, scored, dice):
        chain = [scored.forest.nodes[number] for number in scored.forest.submitted]
        ratios = [scored.target_at(node.parent).prob(node.token) / node.draft_prob for node in chain]
        passing = max((i for i, ratio in enumerate(ratios, 1) if min(1.0, ratio) > TAU), default=0)
        return JointVerifier(0.0).verify(shortened(scored, scored.forest.submitted[:passing]), dice)


class _StopsAtTheFirstFailure(JointVerifier):
    """Looks no further than the first prefix that fails."""

    def verify(self, scored, dice):
        ratio, passing = 1.0, []
        for number in scored.forest.submitted:
            node = scored.forest.nodes[number]
            ratio *= scored.target_at(node.parent).prob(node.token) / node.draft_prob
            if not min(1.0, ratio) > TAU:
                break
            passing.append(number)
        return super().verify(shortened(scored, passing), dice)


class _FlattensTheBeams(BeamDrafter):
    """Beam weights by the softmax of probabilities."""

    def _grow(self, forest, sequences, following, dice):
        def softmaxed(given):
            probs = np.exp(given.probs) * (given.probs > 0)
            return given.with_probs(probs / probs.sum())

        flat = [None if given is None else softmaxed(given) for given in following]
        real = dict(zip(map(id, flat), following, strict=True))
        grown = super()._grow(forest, sequences, flat, dice)
        for node in forest.nodes:
            node.draft = real.get(id(node.draft), node.draft)
        return grown


TAU = 0.6
PITFALLS = {
    "stopping at the first failing prefix": variant("mtad", verifier=lambda built: _StopsAtTheFirstFailure(TAU)),
    "per-token ratios": variant("mtad", verifier=lambda built: _JudgesTokensAlone(TAU)),
    "beam weights by softmax of probabilities": variant("mtad", drafter=as_kind(_FlattensTheBeams)),
}


@pytest.mark.full
@pytest.mark.every(4)
@pytest.mark.parametrize("name", PITFALLS)
def test_every_pitfall_is_caught(name, record_property):
    options = {"gamma": 2, "beams": 2, "tau": TAU}
    for seed in (31, 33, 35):  # models of fixed seeds; each fault shows on at least one
        pair = random_pair(3, seed, sharpness=2.0)
        expected = brute_force_distribution(pair, (0,), **options, n_tokens=2)
        found = exact_distribution(pair, PITFALLS[name], [0], 2, restart=True, **options)
        if (distance := float(total_variation(found, expected))) > 0.05:
            break
    record_property("total_variation", distance)
    print(f"{name}: total variation {distance:.3f}")
    assert distance > 0.05


def test_a_beam_that_ended_stands_for_itself():
    """With an end token that the draft always writes second, no beam grows past it and no bonus follows."""
    pair = random_pair(4, 8)
    draft = TableLM(lambda context: [0.25] * 4 if len(context) < 2 else [0, 0, 0, 1.0], 4)
    ended = ModelPair(pair.target, draft, end_tokens=frozenset({3}))
    distribution = exact_distribution(ended, "mtad", [0], 3, restart=True, gamma=3, beams=2, tau=0.0)
    assert sum(distribution.values()) == pytest.approx(1)
    assert all(3 not in text[:-1] for text in distribution)


def test_brute_force_agrees_with_itself_on_one_beam():
    """One beam and tau 0 on full supports: the draft is a sample from q and is kept whole."""
    pair = random_pair(3, 40)
    distribution = brute_force_distribution(pair, (0,), gamma=2, beams=1, tau=0.0, n_tokens=2)
    q = pair.draft.probabilities
    for one, two in itertools.product(range(3), repeat=2):
        assert distribution[(one, two)] == pytest.approx(q((0,))[one] * q((0, one))[two])
