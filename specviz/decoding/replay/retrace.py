"""From a new verdict on a recorded iteration to a trace that says so."""

from dataclasses import replace
from os.path import commonprefix
from typing import NamedTuple

from specviz.decoding.replay.recorded import RecordedIteration
from specviz.decoding.run.growing import GrowingTexts, PendingToken
from specviz.decoding.run.recording import Recorder, beam_record
from specviz.drafting.drafter import Beam, ScoredForest
from specviz.errors import ReplayError
from specviz.measure.summary import summarise
from specviz.rules.verdict import Verdict
from specviz.trace import record
from specviz.trace.forest import finite
from specviz.trace.record import Trace


class JudgedAnew(NamedTuple):
    """The trace up to an iteration with a new verdict as its last, the verdict, and the texts as they stand then."""

    trace: Trace
    verdict: Verdict
    texts: GrowingTexts


def traced(recorded: RecordedIteration, scored: ScoredForest, verdict: Verdict, new_coins: int) -> JudgedAnew:
    """The trace up to the iteration, with the new verdict as its last."""
    trace, old = recorded.trace, recorded.iteration
    texts = _texts(recorded, scored)
    grown = texts.grow(verdict, scored, recorded.index)
    settled = texts.settle()
    several = bool(verdict.layers)
    recorder = Recorder(0.0)
    forest, decisions = recorder.iteration(scored, verdict, grown)
    iteration = replace(
        old,
        forest=forest,
        decisions=decisions,
        emitted=_emitted(recorded, settled),
        offered=verdict.offered,
        accepted=verdict.accepted_count,
        rows=_rows(texts),
        notes=old.notes | ({"new_coins": float(new_coins)} if new_coins else {}),
        beams=tuple(map(beam_record, texts.beams, texts.waiting)) if several else (),
        steps=len(texts.history) if several else None,
    )
    iterations = (*trace.iterations[: recorded.index], iteration)
    header = _header(recorded, max(trace.header.probability_floor, recorder.floor))
    metrics = summarise(iterations, header, trace.prefill_seconds)
    about = {"stop": texts.stop or "stopped", "no_energy": "the last step was judged anew, not run"}
    trace = replace(trace, header=header, iterations=iterations, metrics=metrics, **about)
    return JudgedAnew(trace, verdict, texts)


def _header(recorded: RecordedIteration, floor: float) -> record.Header:
    header = recorded.trace.header
    about = recorded.method.record(recorded.options)
    names = ("guarantee", "distance", "greedy", "drafter", "verifier")
    method = replace(header.method, **{name: getattr(about, name) for name in names})
    branches = tuple(branch for branch in header.branches if branch.iteration <= recorded.index)
    options = header.options | recorded.options
    return replace(header, method=method, options=options, probability_floor=floor, branches=branches)


def _texts(recorded: RecordedIteration, scored: ScoredForest) -> GrowingTexts:
    """The beams as they stood before the verdict."""
    earlier = recorded.trace.iterations[: recorded.index]
    beams = [Beam(list(beam.tokens), beam.logprob, beam.finished) for beam in scored.beams]
    texts = GrowingTexts(beams, recorded.end_tokens, recorded.max_new_tokens, len(recorded.trace.header.prompt_tokens))
    texts.length = sum(len(iteration.emitted) if iteration.steps is None else iteration.steps for iteration in earlier)
    if recorded.iteration.inputs:
        texts.waiting = [_pending(recorded, beam) for beam in recorded.iteration.inputs]
    return texts


def _pending(recorded: RecordedIteration, beam: record.BeamRecord) -> tuple[PendingToken, ...]:
    """The tokens of a beam that are not output yet."""
    if len(beam.origins) != len(beam.tokens) or len(beam.logprobs) != len(beam.tokens):
        raise ReplayError("the record lacks where the beams' waiting tokens came from: decode again")
    return tuple(
        PendingToken(token, origin, None, -float("inf") if logprob is None else logprob, recorded.index - 1)
        for token, origin, logprob in zip(beam.tokens, beam.origins, beam.logprobs, strict=True)
    )


def _emitted(recorded: RecordedIteration, settled: list[PendingToken]) -> tuple[record.Emitted, ...]:
    """The output; a piece of text is the recorded one as long as the tokens are the same."""
    known, pieces, same = recorded.iteration.emitted, [], True
    for position, pending in enumerate(settled):
        same = same and position < len(known) and known[position].token == pending.token
        plain = "" if pending.token in recorded.end_tokens else recorded.trace.vocabulary[pending.token]
        pieces.append(known[position].piece if same else plain)
    return tuple(
        record.Emitted(
            token=pending.token,
            origin=pending.origin,
            node=pending.node if pending.iteration == recorded.index else None,
            logprob=finite(pending.logprob),
            piece=piece,
        )
        for pending, piece in zip(settled, pieces, strict=True)
    )


def _rows(texts: GrowingTexts) -> int:
    """The target's cache rows: one for every distinct beginning of a beam, but for its last token."""
    first = texts.beams[0].tokens
    shared = len(commonprefix([tuple(beam.tokens) for beam in texts.beams]))
    ends = {tuple(beam.tokens[shared:length]) for beam in texts.beams for length in range(shared + 1, len(beam.tokens))}
    return min(shared, len(first) - 1) + len(ends)
