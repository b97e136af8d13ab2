"""From a new verdict on a recorded step to a trace that says so."""

import math
from dataclasses import replace

from specviz.decoding.recorded import known_token
from specviz.decoding.recorder import Recorder, beam_record
from specviz.decoding.step import Step
from specviz.decoding.texts import Line, Mark, Texts
from specviz.drafting.forest import Beam, ScoredForest
from specviz.errors import ReplayError
from specviz.measure.summary import summarise
from specviz.trace import record
from specviz.trace.decisions import Decision
from specviz.trace.record import Trace
from specviz.verifying.verdict import Verdict


def traced(step: Step, scored: ScoredForest, verdict: Verdict, new_coins: int) -> Trace:
    trace, old = step.trace, step.iteration
    texts = _texts(step, scored)
    lines = texts.grow(verdict, scored, step.index)
    settled = texts.settle()
    several = bool(verdict.layers)
    forest, decisions, floor = _recorded(step, scored, verdict, lines)
    emitted = _emitted(step, settled)
    iteration = replace(
        old,
        forest=forest,
        decisions=decisions,
        emitted=emitted,
        offered=verdict.offered,
        accepted=len(verdict.path) if verdict.accepted is None else verdict.accepted,
        rows=_rows(texts),
        notes=old.notes | ({"new_coins": float(new_coins)} if new_coins else {}),
        beams=tuple(map(beam_record, texts.beams, texts.waiting)) if several else (),
        steps=len(texts.history) if several else None,
    )
    iterations = (*trace.iterations[: step.index], iteration)
    header = _header(step, max(trace.header.probability_floor, floor))
    metrics = summarise(iterations, header, trace.prefill_seconds)
    return replace(trace, header=header, iterations=iterations, metrics=metrics, stop=texts.stop or "stopped")


def _header(step: Step, floor: float) -> record.Header:
    header = step.trace.header
    about = step.method.record(step.options)
    method = replace(header.method, law=about.law, distance=about.distance, greedy=about.greedy)
    return replace(header, method=method, options=header.options | step.options, probability_floor=floor)


def _texts(step: Step, scored: ScoredForest) -> Texts:
    """The beams as they stood before the verdict."""
    earlier = step.trace.iterations[: step.index]
    beams = [Beam(list(beam.tokens), beam.logprob, beam.finished) for beam in scored.beams]
    texts = Texts(beams, step.end_tokens, step.most, len(step.trace.header.prompt_tokens))
    texts.length = sum(len(one.emitted) if one.steps is None else one.steps for one in earlier)
    if step.iteration.inputs:
        texts.waiting = [_marks(step, beam) for beam in step.iteration.inputs]
    return texts


def _marks(step: Step, beam: record.BeamRecord) -> tuple[Mark, ...]:
    """The tokens of a beam that are not output yet."""
    if len(beam.origins) != len(beam.tokens) or len(beam.logprobs) != len(beam.tokens):
        raise ReplayError("the record lacks where the beams' waiting tokens came from: decode again")
    return tuple(
        Mark(token, origin, None, known_token(token, logprob, step.size), step.index - 1)
        for token, origin, logprob in zip(beam.tokens, beam.origins, beam.logprobs, strict=True)
    )


def _recorded(
    step: Step, scored: ScoredForest, verdict: Verdict, lines: list[Line]
) -> tuple[record.ForestRecord, tuple[Decision, ...], float]:
    """The forest and the decisions as the recorder writes them; of the forest all that no warp and no verdict changes
    is the record's own."""
    recorder = Recorder(step.size, step.before["top_k"], step.before["temperature"])
    found, decisions = recorder.iteration(scored, verdict, lines)
    old, warped = step.forest, step.options != step.before and _warps_differ(step)
    nodes = tuple(
        replace(node, outcome=new.outcome, draft_prob=new.draft_prob if warped else node.draft_prob)
        for node, new in zip(old.nodes, found.nodes, strict=True)
    )
    proposals = found.proposals if warped else old.proposals
    return replace(old, nodes=nodes, proposals=proposals, drawing=found.drawing), decisions, recorder.floor


def _warps_differ(step: Step) -> bool:
    return any(step.options[name] != step.before[name] for name in ("temperature", "top_k", "top_p"))


def _emitted(step: Step, settled: list[Mark]) -> tuple[record.Emitted, ...]:
    """The output; a piece of text is the recorded one as long as the tokens are the same."""
    known, pieces, same = step.iteration.emitted, [], True
    for position, mark in enumerate(settled):
        same = same and position < len(known) and known[position].token == mark.token
        plain = "" if mark.token in step.end_tokens else step.trace.vocabulary[mark.token]
        pieces.append(known[position].piece if same else plain)
    return tuple(
        record.Emitted(
            token=mark.token,
            origin=mark.origin,
            node=mark.node if mark.iteration == step.index else None,
            logprob=mark.logprob if math.isfinite(mark.logprob) else None,
            piece=piece,
        )
        for mark, piece in zip(settled, pieces, strict=True)
    )


def _rows(texts: Texts) -> int:
    """The target's cache rows: one for every distinct beginning of a beam, but for its last token."""
    first = texts.beams[0].tokens
    shared = len(first) if len(texts.beams) == 1 else _common([beam.tokens for beam in texts.beams])
    ends = {tuple(beam.tokens[shared:length]) for beam in texts.beams for length in range(shared + 1, len(beam.tokens))}
    return min(shared, len(first) - 1) + len(ends)


def _common(texts: list) -> int:
    """How many tokens all texts begin with."""
    count = 0
    for tokens in zip(*texts, strict=False):
        if len(set(tokens)) > 1:
            break
        count += 1
    return count
