"""Beam sampling and beam search on the target alone, one layer an iteration (dsbd.txt, section 2 and Eq. 1).

Beam sampling draws W beams with replacement from p_beam, the joint law of beams and tokens, warped once; beam search
keeps the W most likely. "Most likely" is by unwarped joint probability, not divided by length.
"""

from collections.abc import Sequence

from specviz.dice import Dice
from specviz.drafting.forest import LayerLaw, ScoredForest
from specviz.drafting.joint_law import STAYS, LiveBeam, joint_law, most_likely, node_places, pick, root_places
from specviz.lm.warp import Warp
from specviz.trace.decisions import Origin
from specviz.verifying.verdict import BeamDraw, SearchStep, Step, Verdict


class BeamSampling:
    """W beams, each drawn from p_beam = T(P(beam) P(token given beam)). With W = 1 that is sampling from p."""

    def __init__(self, warp: Warp, width: int):
        self._warp, self._width = warp, width

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        layer, verdict = input_beams(scored), Verdict()
        law = joint_law(layer, self._warp)
        draws = [draw_beam(law, 1, "target", dice, verdict) for _ in range(self._width)]
        verdict.layers.append([step_of(layer, draw.parent, draw.token, None, "target") for draw in draws])
        return verdict


class BeamSearch:
    """The W most likely continuations. Ties: the beam that ranked higher goes first, then the smaller token id."""

    def __init__(self, width: int):
        self._width = width

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        layer, verdict = input_beams(scored), Verdict()
        best = most_likely(layer, self._width)
        verdict.decisions.append(search_step(1, best, (None,) * len(best), (), False))
        verdict.layers.append([step_of(layer, place, token, None, "target") for place, token, _ in best])
        return verdict


def input_beams(scored: ScoredForest) -> list[LiveBeam]:
    """The input beams with the target's laws."""
    places = root_places(scored.beams)
    return [
        LiveBeam(place, beam.logprob, law) for place, beam, law in zip(places, scored.beams, scored.roots, strict=True)
    ]


def step_of(layer: Sequence[LiveBeam], place: int, token: int, node: int | None, origin: Origin) -> Step:
    """The step by which the beam of ``layer`` at ``place`` (the first, if there are copies) goes on with ``token``."""
    before = next(index for index, beam in enumerate(layer) if beam.place == place)
    if token == STAYS:
        return Step(before, None, None, origin, None)
    return Step(before, token, node, origin, layer[before].law)


def drafted_layer(
    scored: ScoredForest, layer: Sequence[LiveBeam], steps: Sequence[Step], end_tokens: frozenset[int]
) -> list[LiveBeam]:
    """What ``steps``, all drafted, make of ``layer``, with the target's laws; a beam that has ended has none."""
    places, beams = node_places(scored.forest), []
    for step in steps:
        before = layer[step.before]
        if step.node is None:
            beams.append(before)
            continue
        law = None if step.token in end_tokens else scored.law_at(step.node)
        beams.append(LiveBeam(places[step.node], before.logprob + step.law.logprob(step.token), law))
    return beams


def draw_beam(law: LayerLaw, depth: int, origin: Origin, dice: Dice, verdict: Verdict) -> BeamDraw:
    """Draw one beam from ``law`` and note it."""
    place, token, draw = pick(law, dice)
    drawn = BeamDraw(place, depth, token, origin, draw, law)
    verdict.decisions.append(drawn)
    return drawn


def search_step(
    depth: int,
    best: Sequence[tuple[int, int, float]],
    nodes: Sequence[int | None],
    drafted: Sequence[int],
    accepted: bool,
) -> SearchStep:
    """The record of a search step whose continuations are ``best`` (``joint_law.most_likely``)."""
    places, tokens, logprobs = zip(*best, strict=True)
    return SearchStep(depth, places, tokens, logprobs, tuple(nodes), tuple(drafted), accepted)
