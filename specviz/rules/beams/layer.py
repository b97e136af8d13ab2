"""What rules over layers of beams share: the beams that go in, and what steps make of them."""

from collections.abc import Sequence

from specviz.drafting.drafter import ScoredForest
from specviz.drafting.joint import node_prefixes, root_prefixes
from specviz.rules.verdict import BeamStep
from specviz.trace.distribution import STAYS
from specviz.trace.forest import LayerBeam, Origin, finite


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
