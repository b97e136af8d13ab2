"""Beam sampling and beam search on the target alone, one layer an iteration (dsbd.txt, section 2 and Eq. 1).

Beam sampling draws W beams with replacement from p_beam, the joint distribution of beams and tokens, warped once; beam
search keeps the W most likely. "Most likely" is by raw joint probability, not divided by length.
"""

from collections.abc import Sequence

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.drafting.joint import joint_distribution, most_likely, node_prefixes, pick, root_prefixes
from specviz.lm.warp import Warp
from specviz.trace.decisions import SampledBeam, SearchStep
from specviz.trace.distribution import STAYS, JointDistribution
from specviz.trace.forest import LayerBeam, Origin, finite
from specviz.verifying.verdict import BeamStep, Verdict, Verifier


class BeamSampling(Verifier):
    """W beams, each drawn from p_beam = T(P(beam) P(token given beam)). With W = 1 that is sampling from p."""

    reads = "nothing"

    def __init__(self, warp: Warp, width: int):
        self._warp, self._width = warp, width

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        layer, verdict = input_beams(scored), Verdict()
        joint = joint_distribution(layer, self._warp)
        drawn = [draw_beam(joint, 1, "target", dice, verdict) for _ in range(self._width)]
        verdict.layers.append([step_of(layer, beam.parent, beam.token, None, "target") for beam in drawn])
        return verdict


class BeamSearch(Verifier):
    """The W most likely continuations. Ties: the beam that ranked higher goes first, then the smaller token id."""

    reads = "nothing"

    def __init__(self, width: int):
        self._width = self.entries = width

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        layer, verdict = input_beams(scored), Verdict()
        best = most_likely(layer, self._width)
        verdict.decisions.append(search_step(1, best, (None,) * len(best), (), False))
        verdict.layers.append([step_of(layer, prefix, token, None, "target") for prefix, token, _ in best])
        return verdict


def input_beams(scored: ScoredForest) -> list[LayerBeam]:
    """The input beams with the target's distributions."""
    return [
        LayerBeam(prefix, finite(beam.logprob), None if beam.finished else scored.target_at(-1 - index))
        for index, (prefix, beam) in enumerate(zip(root_prefixes(scored.beams), scored.beams, strict=True))
    ]


def step_of(layer: Sequence[LayerBeam], prefix: int, token: int, node: int | None, origin: Origin) -> BeamStep:
    """The step by which the beam of ``layer`` at ``prefix`` (the first, if there are copies) goes on with ``token``."""
    before = next(index for index, beam in enumerate(layer) if beam.prefix == prefix)
    if token == STAYS:
        return BeamStep(before, None, None, origin, None)
    return BeamStep(before, token, node, origin, layer[before].next)


def drafted_layer(
    scored: ScoredForest, layer: Sequence[LayerBeam], steps: Sequence[BeamStep], end_tokens: frozenset[int]
) -> list[LayerBeam]:
    """What ``steps``, all drafted, make of ``layer``, with the target's distributions; nothing follows a beam that has
    ended."""
    first, beams = node_prefixes(scored.forest), []
    for step in steps:
        before = layer[step.before]
        if step.node is None:
            beams.append(before)
            continue
        following = None if step.token in end_tokens else scored.target_at(step.node)
        beams.append(LayerBeam(first[step.node], longer(before.logprob, step), following))
    return beams


def longer(logprob: float | None, step: BeamStep) -> float | None:
    """The raw joint log-probability of a beam after a step; None for minus infinity."""
    return None if logprob is None else finite(logprob + step.logprob)


def draw_beam(joint: JointDistribution, depth: int, origin: Origin, dice: Dice, verdict: Verdict) -> SampledBeam:
    """Draw one beam and note it."""
    prefix, token, uniform = pick(joint, dice)
    drawn = SampledBeam(prefix, depth, token, origin, uniform, joint)
    verdict.decisions.append(drawn)
    return drawn


def search_step(
    depth: int,
    best: Sequence[tuple[int, int, float]],
    nodes: Sequence[int | None],
    drafted: Sequence[int],
    accepted: bool,
) -> SearchStep:
    """The record of a search step whose continuations are ``best`` (``joint.most_likely``)."""
    prefixes, tokens, logprobs = zip(*best, strict=True)
    return SearchStep(depth, prefixes, tokens, tuple(map(finite, logprobs)), tuple(nodes), tuple(drafted), accepted)
