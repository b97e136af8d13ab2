"""One layer of drafted beams judged alone: its beams are i.i.d. from p_beam, drafts and coins all enumerated."""

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from specviz.dice import explore
from specviz.drafting import joint as joint_rules
from specviz.drafting.drafter import Beam
from specviz.drafting.joint import joint_distribution, pick, root_prefixes
from specviz.lm.language_model import Scores
from specviz.lm.scoring import distributions
from specviz.lm.warp import Warp
from specviz.rules.beams import layered
from specviz.rules.beams.beam import SampledBeam
from specviz.rules.beams.layered import BeamCoin, LayeredVerifier
from specviz.rules.beams.width import BeamWidth
from specviz.trace.distribution import STAYS, JointDistribution
from specviz.trace.forest import Forest, LayerBeam, Proposal
from tests.by_hand import scored as scored_forest

EXACT = 1e-9


@dataclass
class Layer:
    """Input beams: their texts, their joint probabilities under target and draft, and both models' next-token
    distributions (None: ended)."""

    texts: list[tuple[int, ...]]
    weights: list[tuple[float, float]]
    target: list[list[float] | None]
    draft: list[list[float] | None]


def rows(count, vocab_size, seed, zeros=0.0):
    generator = np.random.default_rng(seed)
    found = generator.exponential(size=(count, vocab_size)) ** 1.5
    found[generator.random(found.shape) < zeros] = 0.0
    found[found.sum(1) == 0.0, 0] = 1.0
    return (found / found.sum(1, keepdims=True)).tolist()


ONE, TWO = rows(1, 5, 1), rows(1, 5, 2)
THREE, FOUR = rows(2, 3, 3), rows(2, 3, 4)
LAYERS = {
    "one beam, vocabulary 5": Layer([(0,)], [(1.0, 1.0)], ONE, TWO),
    "zeros": Layer([(0,)], [(1.0, 1.0)], rows(1, 5, 5, zeros=0.4), rows(1, 5, 6, zeros=0.4)),
    "equal": Layer([(0,)], [(1.0, 1.0)], THREE[:1], THREE[:1]),
    "disjoint": Layer([(0,)], [(1.0, 1.0)], [[0.2, 0.8, 0, 0]], [[0, 0, 0.5, 0.5]]),
    "two beams": Layer([(0,), (1,)], [(0.3, 0.5), (0.6, 0.1)], THREE, FOUR),
    "copies": Layer([(0,), (1,), (0,)], [(0.3, 0.4), (0.4, 0.3), (0.3, 0.4)], [*THREE, THREE[0]], [*FOUR, FOUR[0]]),
    "one has ended": Layer([(0,), (2,)], [(0.5, 0.2), (0.4, 0.6)], [THREE[0], None], [FOUR[0], None]),
}


def distribution(row, warp):
    return None if row is None else distributions(Scores(torch.tensor([row], dtype=torch.float64).log()), warp)[0]


def drafted(layer, warp, count, dice):
    """``count`` drafts, i.i.d. from q_beam, and the target's distributions."""
    beams = [
        Beam(text, math.log(weight), row is None)
        for text, (weight, _), row in zip(layer.texts, layer.weights, layer.target, strict=True)
    ]
    found = zip(root_prefixes(beams), layer.weights, layer.draft, strict=True)
    joint = joint_distribution(
        [LayerBeam(prefix, math.log(weight), distribution(row, warp)) for prefix, (_, weight), row in found], warp
    )
    forest, draws = Forest(), []
    for _ in range(count):
        prefix, token, _ = pick(joint, dice)
        draws.append(
            prefix if token == STAYS else forest.add(token, prefix, distribution(layer.draft[-1 - prefix], warp))
        )
    forest.layers.append(Proposal((), (), (), tuple(draws), True, joint))
    forest.submit()
    roots = {-1 - index: distribution(row, warp) for index, row in enumerate(layer.target) if row is not None}
    return scored_forest(forest, roots | dict.fromkeys(forest.submitted, roots[-1]), beams)


class OneLayer(LayeredVerifier):
    def _one_more(self, layer, dice, verdict):
        pass


def outputs(scored, verdict):
    """The beams of the layer, in order."""
    return tuple(
        (*scored.beams[step.before].tokens, *(() if step.token is None else (step.token,)))
        for step in verdict.layers[0]
    )


def recorded_joint(layer, warp, count, verifier):
    """{width: {beams in order: probability given the width}}."""
    found = defaultdict(lambda: defaultdict(float))
    for drawn, scored in explore(lambda dice: drafted(layer, warp, count, dice)):
        for judged, verdict in explore(lambda dice, scored=scored: verifier.verify(scored, dice)):
            found[verdict.decisions[0].width][outputs(scored, verdict)] += drawn * judged
    return {
        width: {key: p / sum(distribution.values()) for key, p in distribution.items()}
        for width, distribution in found.items()
    }


def expected_distribution(layer, warp, width):
    """I.i.d. from T(P(beam) P(token given beam)), copies counted, from the definition."""
    texts, weights = [], []
    for text, (weight, _), row in zip(layer.texts, layer.weights, layer.target, strict=True):
        texts += [text] if row is None else [(*text, token) for token in range(len(row))]
        weights += [weight] if row is None else [weight * p for p in row]
    one = defaultdict(float)
    for text, p in zip(texts, warp(torch.tensor([weights], dtype=torch.float64).log())[0].tolist(), strict=True):
        one[text] += p
    return {key: math.prod(one[text] for text in key) for key in itertools.product(one, repeat=width)}


def distance(layer, warp, count, verifier):
    """The largest total variation from i.i.d. p_beam over the widths that occur."""
    worst = 0.0
    for width, found in recorded_joint(layer, warp, count, verifier).items():
        expected = expected_distribution(layer, warp, width)
        gaps = (abs(found.get(key, 0.0) - expected.get(key, 0.0)) for key in found.keys() | expected)
        worst = max(worst, sum(gaps) / 2)
    return worst


CASES = [
    *[(name, 4, 1, None) for name in ("one beam, vocabulary 5", "zeros", "equal", "disjoint")],
    *[(name, 3, 1, 0.6) for name in ("one beam, vocabulary 5", "two beams", "copies", "one has ended")],
    *[(name, 2, 2, None) for name in ("two beams", "copies", "one has ended", "zeros")],
    ("two beams", 2, 1, 0.2),
    ("one has ended", 2, 3, 0.5),
    ("disjoint", 2, 2, 0.5),
]


@pytest.mark.parametrize(("name", "drafts", "least", "threshold"), CASES, ids=str)
def test_the_beams_are_independent_draws_from_p_beam(name, drafts, least, threshold):
    assert distance(LAYERS[name], Warp(), drafts, OneLayer(Warp(), least, threshold)) < EXACT


@pytest.mark.parametrize("warp", [Warp(0.6), Warp(top_k=3), Warp(1.5, top_p=0.8)], ids=str)
@pytest.mark.parametrize("name", ["copies", "one has ended"])
def test_the_warp_is_applied_once_to_the_joint(name, warp):
    assert distance(LAYERS[name], warp, 2, OneLayer(warp, 2, None)) < EXACT


@pytest.mark.full
@pytest.mark.parametrize("name", ["two beams", "copies", "zeros", "equal", "disjoint", "one has ended"])
def test_the_probabilities_shown_are_those_of_the_coins(name):
    """At least K accepted: the recursion against all drafts and coins, none of them discarded."""
    drafts, accepted = 3, defaultdict(float)
    verifier = OneLayer(Warp(), drafts, None)
    for drawn, scored in explore(lambda dice: drafted(LAYERS[name], Warp(), drafts, dice)):
        for judged, verdict in explore(lambda dice, scored=scored: verifier.verify(scored, dice)):
            accepted[verdict.accepted] += drawn * judged
            width = verdict.decisions[0]
    expected = [sum(p for count, p in accepted.items() if count >= least) for least in (1, 2, 3)]
    assert isinstance(width, BeamWidth) and width.offered == 3
    assert width.at_least == pytest.approx(expected, abs=EXACT)


def test_no_draft_whose_parent_survived():
    """m = 0: the least width, all from p_beam, and the iteration ends."""
    layer = LAYERS["two beams"]
    for _, scored in explore(lambda dice: drafted(layer, Warp(), 1, dice)):
        orphan = Forest()
        orphan.add(0, orphan.add(0, -1, scored.root), scored.root)
        orphan.submit()
        joint = JointDistribution(np.array([0]), np.array([0]), np.ones(1), np.zeros(1))
        orphan.layers.append(Proposal((), (), (), (1,), True, joint))
        known = {-1: scored.root, -2: scored.target_at(-2), 0: scored.root, 1: scored.root}
        lonely = scored_forest(orphan, known, scored.beams)
        for _, verdict in explore(lambda dice, lonely=lonely: LayeredVerifier(Warp(), 2, 0.1).verify(lonely, dice)):
            width, *draws = verdict.decisions
            assert (width.width, width.offered, width.draft, len(verdict.layers)) == (2, 0, None, 1)
            assert [(draw.origin, draw.source) for draw in draws] == [("target", width.target)] * 2
        break


def test_after_a_full_layer_comes_one_more_as_wide():
    layer = LAYERS["equal"]
    verifier = LayeredVerifier(Warp(), 1, 0.9)
    for _, scored in itertools.islice(explore(lambda dice: drafted(layer, Warp(), 2, dice)), 3):
        for _, verdict in itertools.islice(explore(lambda dice, scored=scored: verifier.verify(scored, dice)), 5):
            assert [len(steps) for steps in verdict.layers] == [2, 2]
            assert [step.origin for step in verdict.layers[1]] == ["bonus"] * 2
            assert (verdict.offered, verdict.accepted) == (2, 2)


def test_temperature_zero_flips_no_coin():
    warp = Warp(0.0)
    (_, scored), *_ = explore(lambda dice: drafted(LAYERS["one beam, vocabulary 5"], warp, 3, dice))
    ((_, verdict),) = explore(lambda dice: LayeredVerifier(warp).verify(scored, dice))
    coins = [decision for decision in verdict.decisions if isinstance(decision, BeamCoin | SampledBeam)]
    assert coins and all(coin.uniform is None for coin in coins)
    assert {step.token for step in verdict.layers[0]} == {int(np.argmax(ONE[0]))}


# Negative controls at one layer; those of whole iterations are in tests/decoding/methods/test_beams.py.


def test_merged_copies_are_caught(monkeypatch, record_property):
    stock = joint_rules.joint_distribution

    def merged(beams, warp):
        return stock(list({beam.prefix: beam for beam in beams}.values()), warp)

    monkeypatch.setattr(layered, "joint_distribution", merged)
    caught = distance(LAYERS["copies"], Warp(), 2, OneLayer(Warp(), 1, None))
    record_property("total_variation", float(caught))
    print(f"copies merged into one: total variation {caught:.3f}")
    assert caught > 0.02


def test_subtracting_twice_in_the_width_is_caught(monkeypatch, record_property):
    class Twice(OneLayer):
        def _width(self, depth, target, draft, acceptances, verdict):
            draft_probs = draft.probs_of(target)
            left = layered.rejections(target, 2 * draft_probs, len(acceptances))
            wrong = [float(np.minimum(draft_probs, distribution.probs).sum()) for distribution in left[:-1]]
            return super()._width(depth, target, draft, wrong, verdict)

    layer = LAYERS["copies"]
    (_, scored), *_ = explore(lambda dice: drafted(layer, Warp(), 3, dice))
    (_, right), *_ = explore(lambda dice: OneLayer(Warp(), 3, None).verify(scored, dice))
    (_, wrong), *_ = explore(lambda dice: Twice(Warp(), 3, None).verify(scored, dice))
    gaps = np.abs(np.subtract(right.decisions[0].at_least, wrong.decisions[0].at_least))
    record_property("largest_gap", float(gaps.max()))
    print(f"q subtracted twice in the width recursion: probabilities off by up to {gaps.max():.3f}")
    assert gaps.max() > 0.02
