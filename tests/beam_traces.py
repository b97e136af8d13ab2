"""Small hand-made traces with several beams: layers judged by coins and filled by draws, and a step of beam search."""

from dataclasses import replace

from specviz.trace.decisions import (
    BeamCoinDecision,
    BeamDrawDecision,
    LayerDecision,
    LayerDistribution,
    SearchDecision,
)
from specviz.trace.record import BeamRecord, Emitted, ForestRecord, Iteration, Node, Proposal, Trace
from tests.rule_traces import method
from tests.trace_parts import PROMPT, VOCABULARY, logprob, turn, whole


def layer(*pairs: tuple[int, int, float]) -> LayerDistribution:
    """``layer((-1, 2, 0.6), (-2, 3, 0.4))``: (place, token, probability); what is missing to one is the rest."""
    ranked = sorted(pairs, key=lambda pair: -pair[2])
    probs = tuple(prob for _, _, prob in ranked)
    places, tokens = tuple(place for place, _, _ in ranked), tuple(token for _, token, _ in ranked)
    return LayerDistribution(places, tokens, probs, tuple(map(logprob, probs)), max(0.0, round(1 - sum(probs), 12)))


def table(law: LayerDistribution) -> dict[tuple[int, int], float]:
    return dict(zip(zip(law.places, law.tokens, strict=True), law.probs, strict=True))


def left_of(target: LayerDistribution, draft: LayerDistribution) -> LayerDistribution:
    """norm((target - draft)+)."""
    q = table(draft)
    excess = {key: prob - q.get(key, 0.0) for key, prob in table(target).items() if prob > q.get(key, 0.0)}
    return layer(*((*key, value / sum(excess.values())) for key, value in excess.items()))


def beam_coin(node: int, key: tuple[int, int], target, draft, draw: float) -> BeamCoinDecision:
    p, q = table(target).get(key, 0.0), table(draft)[key]
    chance = min(1.0, p / q)
    return BeamCoinDecision(node, key[0], 1, key[1], p, q, chance, draw, draw < chance, target, draft)


def _node(token: int, parent: int, prob: float, outcome: str) -> Node:
    return Node(token, parent, 1, prob, logprob(prob), True, outcome)


def _emitted(token: int, origin: str, node: int | None = None) -> Emitted:
    return Emitted(token, origin, node, logprob(0.5), VOCABULARY[token])


def _beams(made: Iteration, inputs: tuple, beams: tuple, rows: int) -> Iteration:
    return replace(made, inputs=inputs, beams=beams, steps=1, rows=rows)


def layers_trace() -> Trace:
    """Three drafts below two beams (one of them twice, none has output of its own yet); the layer is two wide: one is
    accepted, one rejected, one drawn from the residual. Then one beam is drawn for each of two, and the run ends."""
    q = layer((-1, 2, 0.5), (-1, 3, 0.3), (-1, 5, 0.2))
    p = layer((-1, 2, 0.2), (-1, 3, 0.6), (-1, 7, 0.2))
    chances = (0.9, 0.4, 0.05)
    width = LayerDecision(1, 2, 1, 0.3, 3, (0.5, 0.3, 0.1), chances, p, q)
    coins = (beam_coin(0, (-1, 3), p, q, 0.5), beam_coin(1, (-1, 2), p, q, 0.6))
    drawn = BeamDrawDecision(-1, 1, 7, "resampled", 0.9, left_of(p, q))
    nodes = (_node(3, -1, 0.3, "accepted"), _node(2, -1, 0.5, "rejected"), _node(5, -1, 0.2, "unjudged"))
    forest = ForestRecord(nodes, (Proposal((-1,), (1.0,), (), (0, 1, 2), True, q),))
    start = BeamRecord((), PROMPT[-1], 0.0, False)
    two = (BeamRecord((3,), 3, logprob(0.6), False), BeamRecord((7,), 7, logprob(0.2), False))
    first = turn(0, PROMPT, 0.0, forest, (width, *coins, drawn), (), (1,), offered=2, accepted=1)
    first = _beams(first, (start,), two, rows=4)
    p = layer((-1, 8, 0.5), (-2, 8, 0.3), (-2, 9, 0.2))
    draws = (BeamDrawDecision(-1, 1, 8, "target", 0.1, p), BeamDrawDecision(-1, 1, 8, "target", 0.3, p))
    second = turn(1, PROMPT, first.segments[-1].end, ForestRecord((), ()), draws, (), ())
    grown = BeamRecord((), 8, logprob(0.3), False)
    second = _beams(second, two, (grown, grown), rows=5)
    second = replace(second, emitted=(_emitted(3, "accepted"), _emitted(8, "target")))
    return whole(method("layers", "beam"), {"threshold": 0.3}, [first, second], draft=True)


def search_trace() -> Trace:
    """Two beams of the target's search; its best two continuations: one drafted, one not, so the step is the last. The
    second beam has ended and stays."""
    inputs = (BeamRecord((2,), 2, logprob(0.5), False), BeamRecord((9,), 9, logprob(0.4), True))
    one = {"draft_logprob": None, "submitted": True, "score": 0.4}
    nodes = (Node(7, -1, 1, 1.0, outcome="accepted", **one), Node(8, -1, 1, 1.0, outcome="rejected", **one))
    step = SearchDecision(1, (-2, -1), (-1, 7), (logprob(0.4), logprob(0.3)), (None, 0), (0, 1), False)
    made = turn(0, PROMPT, 0.0, ForestRecord(nodes, ()), (step,), (), (2,), offered=1)
    made = replace(made, context_tail=(*PROMPT, 2))
    beams = (inputs[1], BeamRecord((2, 7), 7, logprob(0.3), False))
    # tokens of one-token drafts: both beams differ in their first token, so nothing is settled
    last = turn(1, PROMPT, made.segments[-1].end, ForestRecord((), ()), (), (_emitted(9, "target"),), ())
    step = SearchDecision(1, (-1, -2), (-1, 9), (logprob(0.4), logprob(0.2)), (None, None), (), False)
    end = BeamRecord((), 9, logprob(0.4), True)
    last = _beams(replace(last, decisions=(step,)), beams, (end,), rows=3)
    trace = whole(
        method("search", "beam search"), {"beams": 2}, [_beams(made, inputs, beams, rows=5), last], draft=True
    )
    return replace(trace, stop="end")


BEAM_TRACES = {"layers": layers_trace, "search": search_trace}
