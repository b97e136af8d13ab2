"""Small hand-made traces with several beams: layers judged by coins and filled by draws, and a step of beam search."""

from dataclasses import replace
from math import inf

import numpy as np

from specviz.rules.beams.beam import SampledBeam
from specviz.rules.beams.layered import BeamCoin
from specviz.rules.beams.search import SearchStep
from specviz.rules.beams.width import BeamWidth
from specviz.trace.distribution import JointDistribution
from specviz.trace.forest import LayerBeam, Node, Proposal
from specviz.trace.record import BeamRecord, Emitted, Iteration, Trace
from tests.rule_traces import method
from tests.trace_parts import PROMPT, VOCABULARY, certain, distribution, forest, logprob, turn, whole


def layer(*pairs: tuple[int, int, float]) -> JointDistribution:
    """``layer((-1, 2, 0.6), (-2, 3, 0.4))``: (prefix, token, probability); what is missing to one is the rest."""
    prefixes, tokens, probs = zip(*pairs, strict=True)
    rest = max(0.0, round(1 - sum(probs), 12))
    return JointDistribution(
        np.array(prefixes), np.array(tokens), np.array(probs), np.array([logprob(prob) for prob in probs]), rest
    )


def table(distribution: JointDistribution) -> dict[tuple[int, int], float]:
    keys = zip(distribution.prefixes.tolist(), distribution.tokens.tolist(), strict=True)
    return dict(zip(keys, distribution.probs.tolist(), strict=True))


def left_of(target: JointDistribution, draft: JointDistribution) -> JointDistribution:
    """norm((target - draft)+)."""
    q = table(draft)
    excess = [max(0.0, prob - q.get(key, 0.0)) for key, prob in table(target).items()]
    return target.with_probs(np.array([value / sum(excess) for value in excess]))


def beam_coin(node: int, key: tuple[int, int], target, draft, uniform: float) -> BeamCoin:
    acceptance_probability = min(1.0, table(target).get(key, 0.0) / table(draft)[key])
    accepted = uniform < acceptance_probability
    return BeamCoin(node, key[0], 1, key[1], acceptance_probability, uniform, accepted, target, draft)


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
    width = BeamWidth(1, 2, 1, 0.3, 3, (0.5, 0.3, 0.1), chances, p, q)
    coins = (beam_coin(0, (-1, 3), p, q, 0.5), beam_coin(1, (-1, 2), p, q, 0.6))
    drawn = SampledBeam(-1, 1, 7, "resampled", 0.9, left_of(p, q))
    after = distribution(t2=0.5, t3=0.3, t5=0.2)
    outcomes = {3: "accepted", 2: "rejected", 5: "unjudged"}
    nodes = tuple(Node(token, -1, 1, after, True, outcome) for token, outcome in outcomes.items())
    drawn_layer = Proposal((-1,), (1.0,), (), (0, 1, 2), True, q, (LayerBeam(-1, 0.0, after),))
    drafts = forest(nodes, (drawn_layer,))
    start = BeamRecord((), PROMPT[-1], 0.0, False)
    two = (BeamRecord((3,), 3, logprob(0.6), False), BeamRecord((7,), 7, logprob(0.2), False))
    first = turn(0, PROMPT, 0.0, drafts, (width, *coins, drawn), (), (1,), offered=2, accepted=1)
    first = _beams(first, (start,), two, rows=4)
    p = layer((-1, 8, 0.5), (-2, 8, 0.3), (-2, 9, 0.2))
    draws = (SampledBeam(-1, 1, 8, "target", 0.1, p), SampledBeam(-1, 1, 8, "target", 0.3, p))
    second = turn(1, PROMPT, first.segments[-1].end, forest(), draws, (), ())
    grown = BeamRecord((), 8, logprob(0.3), False)
    second = _beams(second, two, (grown, grown), rows=5)
    second = replace(second, emitted=(_emitted(3, "accepted"), _emitted(8, "target")))
    return whole(method("layers", "beam"), {"threshold": 0.3}, [first, second], draft=True)


def search_trace() -> Trace:
    """Two beams of the target's search; its best two continuations: one drafted, one not, so the step is the last. The
    second beam has ended and stays."""
    inputs = (BeamRecord((2,), 2, logprob(0.5), False), BeamRecord((9,), 9, logprob(0.4), True))
    nodes = tuple(
        Node(token, -1, 1, certain(token, -inf), True, outcome, score=0.4)
        for token, outcome in ((7, "accepted"), (8, "rejected"))
    )
    step = SearchStep(1, (-2, -1), (-1, 7), (logprob(0.4), logprob(0.3)), (None, 0), (0, 1), False)
    made = turn(0, PROMPT, 0.0, forest(nodes, drawing="search"), (step,), (), (2,), offered=1)
    made = replace(made, context_tail=(*PROMPT, 2))
    beams = (inputs[1], BeamRecord((2, 7), 7, logprob(0.3), False))
    # tokens of one-token drafts: both beams differ in their first token, so nothing is settled
    last = turn(1, PROMPT, made.segments[-1].end, forest(drawing="search"), (), (_emitted(9, "target"),), ())
    step = SearchStep(1, (-1, -2), (-1, 9), (logprob(0.4), logprob(0.2)), (None, None), (), False)
    end = BeamRecord((), 9, logprob(0.4), True)
    last = _beams(replace(last, decisions=(step,)), beams, (end,), rows=3)
    trace = whole(
        method("search", "beam search"), {"beams": 2}, [_beams(made, inputs, beams, rows=5), last], draft=True
    )
    return replace(trace, stop="end")


BEAM_TRACES = {"layers": layers_trace, "search": search_trace}
