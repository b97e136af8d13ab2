"""What a run wrote, as columns of a row: ours by its trace, a rival by its calls and the target's judgement."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from specviz.lm.language_model import LanguageModel
from specviz.lm.pair import ModelPair
from specviz.measure.quality import perplexity
from specviz.trace.record import Call, Metrics, Trace


class RivalText(NamedTuple):
    """``tokens`` after the prompt, the models' ``calls`` for them, and the seconds of those before, ``reading`` the
    prompt. No calls are noted of compiled models. ``count``: how many tokens there were, where they are not known one
    by one, but told by a process of its own."""

    tokens: tuple[int, ...]
    calls: tuple[Call, ...] = ()
    reading: float = 0.0
    count: int | None = None


def trace_columns(trace: Trace, ends: frozenset[int] = frozenset()) -> dict[str, Any]:
    """The columns of one of our runs; its perplexity counts tokens up to the first of ``ends``."""
    header, iterations, scored = trace.header, trace.iterations, _up_to_end(trace.tokens, ends)
    logprobs = [emitted.logprob for iteration in iterations for emitted in iteration.emitted]
    parts = _in_calls([call for iteration in iterations for call in iteration.calls], len(iterations))
    verifying = [s.end - s.start for iteration in iterations for s in iteration.segments if s.phase == "verify"]
    judged = sum(iteration.accepted + (iteration.accepted < iteration.offered) for iteration in iterations)
    parts |= {"verifying": sum(verifying), "judged": judged} | ({"scored": scored} if ends else {})
    return {
        "guarantee": header.method.guarantee,
        "stop": trace.stop,
        "token_ids": trace.tokens,
        "text": trace.text,
        "metrics": replace(trace.metrics, perplexity=perplexity(logprobs[:scored])) if ends else trace.metrics,
        "offered": sum(iteration.offered for iteration in iterations),
        "accepted": sum(iteration.accepted for iteration in iterations),
        "cost_ratio": header.cost_ratio,
        "recorded": header.recorded,
        "device": header.device,
        "parts": parts,
    }


def rival_columns(
    text: RivalText, pair: ModelPair, prompt: Sequence[int], ends: frozenset[int], seconds: float, share: float | None
) -> dict[str, Any]:
    """The columns of a rival's run, whose whole call took ``seconds``, in which its thread had this ``share`` of a
    processor. Of its calls an iteration is one of the target, the one that reads the prompt included."""
    scored = _up_to_end(text.tokens, ends)
    logprobs = logprobs_of(pair.target, prompt, text.tokens[:scored])
    calls = 1 + sum(call.role == "target" for call in text.calls) if text.calls else 0
    parts = (_in_calls(text.calls, calls) if calls else {}) | ({"scored": scored} if ends else {})
    return {
        "guarantee": "",
        "stop": "length",
        "token_ids": text.tokens,
        "text": pair.decode(text.tokens),
        "metrics": _rival_metrics(text, calls, seconds, logprobs, share if text.count is None else None),
        "offered": 0,
        "accepted": 0,
        "cost_ratio": None,
        "recorded": False,
        "device": str(pair.target.device),
        "parts": parts,
    }


def _rival_metrics(
    text: RivalText, calls: int, seconds: float, logprobs: Sequence[float], share: float | None
) -> Metrics:
    """What can be said of a rival's run from outside; it has no clock of its own."""
    count = len(text.tokens) if text.count is None else text.count
    target, draft = ([call.seconds for call in text.calls if call.role == role] for role in ("target", "draft"))
    return Metrics(
        tokens=count,
        seconds=max(0.0, seconds - text.reading),
        tokens_per_second=None,
        seconds_to_first_token=text.reading,
        tokens_per_target_call=count / calls if calls else None,
        acceptance_rate=None,
        longest_accepted=None,
        perplexity=perplexity(logprobs),
        flops_per_token=None,
        kv_rows_peak=0,
        target_calls=calls,
        draft_calls=len(draft),
        joules_per_token=None,
        record_seconds=0.0,
        processor_share=share,
        ms_per_target_call=1e3 * sum(target) / len(target) if target else None,
        ms_per_draft_call=1e3 * sum(draft) / len(draft) if draft else None,
    )


def _in_calls(calls: Sequence[Call], iterations: int) -> dict[str, float]:
    """What calls add to ``Row.parts``: seconds in them, and how many they were, reading how many tokens."""
    target = [call for call in calls if call.role == "target"]
    inside = sum(call.seconds for call in target)
    read, drafting = sum(call.tokens for call in target), sum(call.seconds for call in calls) - inside
    return {"iterations": iterations, "calls": len(target), "read": read, "target": inside, "drafting": drafting}


def _up_to_end(tokens: Sequence[int], ends: frozenset[int]) -> int:
    """How many tokens there are up to and with the first end token."""
    return next((count for count, token in enumerate(tokens, 1) if token in ends), len(tokens))


def logprobs_of(target: LanguageModel, prompt: Sequence[int], tokens: Sequence[int]) -> list[float]:
    """Raw log-probabilities (before temperature, top-k and top-p) of ``tokens`` after ``prompt`` under the target."""
    if not tokens:
        return []
    session = target.open(len(prompt) + len(tokens))
    text = [*prompt, *tokens]
    logits = session.extend(text, range(-1, len(text) - 1)).logits[len(prompt) - 1 : -1]
    distributions = logits.float().log_softmax(-1)
    return [float(distributions[place, token]) for place, token in enumerate(tokens)]
