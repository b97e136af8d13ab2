"""Runs of rivals as rows of a sweep: what they wrote, the calls they made for it, and the text scored by the target."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch

from specviz.lm.language_model import LanguageModel
from specviz.measure.quality import perplexity
from specviz.trace.record import Call, Metrics, Trace


class Written(NamedTuple):
    """``tokens`` after the prompt, the models' ``calls`` for them, and the seconds of those before, ``reading`` the
    prompt. No calls are noted of compiled models. ``count``: how many tokens there were, where they are not known one
    by one, but told by a process of its own."""

    tokens: tuple[int, ...]
    calls: tuple[Call, ...] = ()
    reading: float = 0.0
    count: int | None = None


def written_metrics(written: Written, seconds: float, logprobs: Sequence[float], share: float | None) -> Metrics:
    """What can be said of a rival's run, whose whole call took ``seconds``, in which its thread had this ``share`` of a
    processor. ``logprobs`` are those of its text. It has no clock of its own; reading the prompt is one more call of
    the target than those timed."""
    count = len(written.tokens) if written.count is None else written.count
    target, draft = ([call.seconds for call in written.calls if call.role == role] for role in ("target", "draft"))
    calls = 1 + len(target) if written.calls else 0
    return Metrics(
        tokens=count,
        seconds=max(0.0, seconds - written.reading),
        tokens_per_second=None,
        seconds_to_first_token=written.reading,
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


def parts_of(calls: Iterable[Call], iterations: int) -> dict[str, float]:
    """What ``calls`` add to ``Row.parts``: seconds in them, and how many they were, reading how many tokens."""
    calls = list(calls)
    target = [call for call in calls if call.role == "target"]
    inside = sum(call.seconds for call in target)
    return {
        "iterations": iterations,
        "calls": len(target),
        "read": sum(call.tokens for call in target),
        "target": inside,
        "drafting": sum(call.seconds for call in calls) - inside,
    }


def trace_parts(trace: Trace) -> dict[str, float]:
    """``Row.parts`` of one of our runs."""
    verifying = [s.end - s.start for one in trace.iterations for s in one.segments if s.phase == "verify"]
    judged = sum(one.accepted + (one.accepted < one.offered) for one in trace.iterations)
    parts = parts_of((call for one in trace.iterations for call in one.calls), len(trace.iterations))
    return parts | {"verifying": sum(verifying), "judged": judged}


def up_to_end(tokens: Sequence[int], ends: frozenset[int]) -> int:
    """How many tokens there are up to and with the first end token."""
    return next((count for count, token in enumerate(tokens, 1) if token in ends), len(tokens))


def logprobs_of(target: LanguageModel, prompt: Sequence[int], tokens: Sequence[int]) -> list[float]:
    """Raw log-probabilities (before temperature, top-k and top-p) of ``tokens`` after ``prompt`` under the target."""
    if not tokens:
        return []
    session = target.open(len(prompt) + len(tokens))
    text = [*prompt, *tokens]
    logits = session.extend(text, range(-1, len(text) - 1)).logits[len(prompt) - 1 : -1]
    distributions = torch.as_tensor(logits).float().log_softmax(-1)
    return [float(distributions[place, token]) for place, token in enumerate(tokens)]
