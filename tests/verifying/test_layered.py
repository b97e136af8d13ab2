"""One layer of drafted beams judged alone: its beams are i.i.d. from p_beam, drafts and coins all enumerated."""

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from specviz.dice import explore
from specviz.drafting import joint_law as joint_rules
from specviz.drafting.forest import Beam, Forest, Proposal, ScoredForest, laws
from specviz.drafting.joint_law import STAYS, LiveBeam, joint_law, pick, root_places
from specviz.lm.language_model import Scores
from specviz.lm.warp import Warp
from specviz.verifying import layered
from specviz.verifying.layered import LayeredVerifier
from specviz.verifying.verdict import BeamCoin, BeamDraw, LayerWidth

EXACT = 1e-9


@dataclass
class Layer:
    """Input beams: their texts, their joint probabilities under target and draft, and both models' next-token laws
    (None: ended)."""

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


def law(row, warp):
    return None if row is None else laws(Scores(torch.tensor([row], dtype=torch.float64).log()), warp)[0]


def drafted(layer, warp, count, dice):
    """``count`` drafts, i.i.d. from q_beam, and the target's laws."""
    beams = [
        Beam(text, math.log(weight), row is None)
        for text, (weight, _), row in zip(layer.texts, layer.weights, layer.target, strict=True)
    ]
    found = zip(root_places(beams), layer.weights, layer.draft, strict=True)
    joint = joint_law([LiveBeam(place, math.log(weight), law(row, warp)) for place, (_, weight), row in found], warp)
    forest, draws = Forest(), []
    for _ in range(count):
        place, token, _ = pick(joint, dice)
        draws.append(place if token == STAYS else forest.add(token, place, law(layer.draft[-1 - place], warp)))
    forest.proposals.append(Proposal((), (), (), tuple(draws), True, joint))
    forest.submitted = list(range(len(forest)))
    roots = tuple(law(row, warp) for row in layer.target)
    return ScoredForest(forest, roots, {node: roots[0] for node in forest.submitted}, beams)


class OneLayer(LayeredVerifier):
    def _one_more(self, layer, dice, verdict):
        pass


def outputs(scored, verdict):
    """The beams of the layer, in order."""
    return tuple(
        (*scored.beams[step.before].tokens, *(() if step.token is None else (step.token,)))
        for step in verdict.layers[0]
    )


def layer_law(layer, warp, count, verifier):
    """{width: {beams in order: probability given the width}}."""
    found = defaultdict(lambda: defaultdict(float))
    for drawn, scored in explore(lambda dice: drafted(layer, warp, count, dice)):
        for judged, verdict in explore(lambda dice, scored=scored: verifier.verify(scored, dice)):
            found[verdict.decisions[0].width][outputs(scored, verdict)] += drawn * judged
    return {width: {key: p / sum(law.values()) for key, p in law.items()} for width, law in found.items()}


def expected_law(layer, warp, width):
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
    for width, found in layer_law(layer, warp, count, verifier).items():
        expected = expected_law(layer, warp, width)
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


@pytest.mark.parametrize("name", ["two beams", "copies", "zeros", "equal", "disjoint", "one has ended"])
def test_the_chances_shown_are_those_of_the_coins(name):
    """At least K accepted: the recursion against all drafts and coins, none of them discarded."""
    drafts, accepted = 3, defaultdict(float)
    verifier = OneLayer(Warp(), drafts, None)
    for drawn, scored in explore(lambda dice: drafted(LAYERS[name], Warp(), drafts, dice)):
        for judged, verdict in explore(lambda dice, scored=scored: verifier.verify(scored, dice)):
            accepted[verdict.accepted] += drawn * judged
            width = verdict.decisions[0]
    expected = [sum(p for count, p in accepted.items() if count >= least) for least in (1, 2, 3)]
    assert isinstance(width, LayerWidth) and width.offered == 3
    assert width.at_least == pytest.approx(expected, abs=EXACT)


def test_no_draft_whose_parent_survived():
    """m = 0: the least width, all from p_beam, and the iteration ends."""
    layer = LAYERS["two beams"]
    for _, scored in explore(lambda dice: drafted(layer, Warp(), 1, dice)):
        orphan = Forest([0, 0], [-1, 0], [1, 2], [scored.root] * 2, submitted=[0, 1])
        joint = joint_rules.LayerLaw(np.array([0]), np.array([0]), np.ones(1), np.zeros(1))
        orphan.proposals.append(Proposal((), (), (), (1,), True, joint))
        lonely = ScoredForest(orphan, scored.roots, {0: scored.root, 1: scored.root}, scored.beams)
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
    coins = [decision for decision in verdict.decisions if isinstance(decision, BeamCoin | BeamDraw)]
    assert coins and all(coin.draw is None for coin in coins)
    assert {step.token for step in verdict.layers[0]} == {int(np.argmax(ONE[0]))}


# Negative controls at one layer; those of whole iterations are in tests/decoding/test_beams.py.


def test_merged_copies_are_caught(monkeypatch, record_property):
    stock = joint_rules.joint_law

    def merged(beams, warp):
        return stock(list({beam.place: beam for beam in beams}.values()), warp)

    monkeypatch.setattr(layered, "joint_law", merged)
    caught = distance(LAYERS["copies"], Warp(), 2, OneLayer(Warp(), 1, None))
    record_property("total_variation", caught)
    print(f"copies merged into one: total variation {caught:.3f}")
    assert caught > 0.02


def test_subtracting_twice_in_the_width_is_caught(monkeypatch, record_property):
    class Twice(OneLayer):
        def _width(self, depth, target, draft, acceptances, verdict):
            draft_probs = joint_rules.probs_at(draft, target)
            left = layered.rejections(target, 2 * draft_probs, len(acceptances))
            wrong = [float(np.minimum(draft_probs, law.probs).sum()) for law in left[:-1]]
            return super()._width(depth, target, draft, wrong, verdict)

    layer = LAYERS["copies"]
    (_, scored), *_ = explore(lambda dice: drafted(layer, Warp(), 3, dice))
    (_, right), *_ = explore(lambda dice: OneLayer(Warp(), 3, None).verify(scored, dice))
    (_, wrong), *_ = explore(lambda dice: Twice(Warp(), 3, None).verify(scored, dice))
    gaps = np.abs(np.subtract(right.decisions[0].at_least, wrong.decisions[0].at_least))
    record_property("largest_gap", gaps.max())
    print(f"q subtracted twice in the width recursion: chances off by up to {gaps.max():.3f}")
    assert gaps.max() > 0.02
