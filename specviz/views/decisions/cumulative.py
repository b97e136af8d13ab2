"""A random number like a coin: what it may lead to end to end from 0 to 1, and the number on one of them."""

from collections.abc import Callable

import numpy as np

from specviz.trace.decisions import SampledBeam, SampledToken
from specviz.trace.distribution import Distribution, JointDistribution
from specviz.trace.record import Iteration
from specviz.views.facts.iteration_facts import nodes_of_pairs
from specviz.views.facts.tokens import number
from specviz.views.pictures.shapes import Part, Strip, Tone

UNDER_STRIP = 7  # bars, beside the rest: the strip has all of them

Key = tuple[int, int]


def spans(draw: SampledToken | SampledBeam) -> list[tuple[Key, float, float]]:
    """((prefix, token), from, to) in the order in which the dice lay the outcomes end to end, 0 to 1; none where the
    record lists only some of them. The prefix of a token that is drawn alone is that of the draw."""
    source: Distribution | JointDistribution = draw.source
    if source.rest > 0.0:
        return []
    ends = source.probs.cumsum(dtype=np.float64)
    ends /= ends[-1]
    prefixes = source.prefixes.tolist() if isinstance(source, JointDistribution) else [_before(draw)] * len(ends)
    keys = zip(prefixes, source.tokens.tolist(), strict=True)
    found = zip(keys, [0.0, *ends[:-1].tolist()], ends.tolist(), strict=True)
    return [(key, start, end) for key, start, end in found if end > start]


def draw_strip(iteration: Iteration, draw: SampledToken | SampledBeam, name: Callable[[Key], str]) -> tuple[Strip, ...]:
    """The strip of a draw, the drawn outcome with the mark of its origin; ``name`` tells what an outcome is called.
    None where no number was needed, or where not all outcomes are known."""
    found, drawn, node_of = spans(draw), (_before(draw), draw.token), nodes_of_pairs(iteration)
    if draw.uniform is None or not found:
        return ()
    parts = tuple(
        Part(end, name(key), fate="drawn", tone=draw.origin, node=node_of(*key))
        if key == drawn
        else Part(end, name(key), tone=other_tone(draw), node=node_of(*key))
        for key, _, end in found
    )
    return (Strip(parts, uniform=draw.uniform, called="random number", text=number(draw.uniform)),)


def other_tone(draw: SampledToken | SampledBeam) -> Tone:
    """The tone of what was not drawn."""
    return "waiting" if draw.origin == "target" else "target"


def _before(draw: SampledToken | SampledBeam) -> int:
    return draw.parent if isinstance(draw, SampledBeam) else draw.after
