"""The metrics of a run: one meaning each, computed from its iterations and nothing else.

``METRIC_HELP`` says each meaning in one sentence; the page shows it as a tooltip, the command line as a footnote.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count, takewhile
from math import fsum
from statistics import median
from typing import NamedTuple

from specviz.measure.cost import cache_bytes, total_bytes, total_flops
from specviz.measure.quality import perplexity
from specviz.trace.decisions import OfBoth
from specviz.trace.distribution import overlap
from specviz.trace.record import Call, Header, Iteration, Metrics, Role

OFTEN = 5  # calls of a kind, for the fastest of them to stand for an undisturbed one


class MetricHelp(NamedTuple):
    """How to show a metric: its label, its unit ("" for a plain number) and what it means, in one sentence."""

    label: str
    unit: str
    meaning: str


METRIC_HELP: dict[str, MetricHelp] = {
    "tokens": MetricHelp("tokens", "", "Tokens emitted, the prompt not counted."),
    "seconds": MetricHelp("decoding time", "s", "The lane's own clock: its iterations, without reading the prompt."),
    "tokens_per_second": MetricHelp(
        "speed", "tokens/s", "Emitted tokens over the lane's own clock; reading the prompt and recording are left out."
    ),
    "seconds_to_first_token": MetricHelp(
        "time to first token",
        "s",
        "Reading the prompt and the iterations up to the first that emits, perhaps several tokens.",
    ),
    "tokens_per_target_call": MetricHelp(
        "tokens per target call",
        "",
        "Block efficiency: emitted tokens over target calls, bonus and resampled tokens counted.",
    ),
    "acceptance_rate": MetricHelp(
        "acceptance rate", "", "Accepted draft tokens over draft tokens offered on the judged path."
    ),
    "longest_accepted": MetricHelp(
        "longest accepted / depth", "", "Accepted draft tokens over the depth drafted, averaged over iterations."
    ),
    "perplexity": MetricHelp(
        "perplexity",
        "",
        "exp of the emitted tokens' mean negative log-likelihood under the target, before temperature, top-k and "
        "top-p; lower is likelier text.",
    ),
    "flops_per_token": MetricHelp(
        "arithmetic per token",
        "FLOP",
        "Arithmetic of all calls after the prompt, of prediction heads too, over emitted tokens.",
    ),
    "kv_rows_peak": MetricHelp("peak of the cache", "rows", "The most cache rows that all models held at one time."),
    "target_calls": MetricHelp("target calls", "", "Forward passes of the target after the prompt."),
    "draft_calls": MetricHelp("draft calls", "", "Forward passes of the draft after the prompt."),
    "joules_per_token": MetricHelp(
        "energy per token",
        "J",
        "Joules the processor or the GPU spent while the run worked, reading the prompt included, over emitted tokens; "
        "measured, or absent.",
    ),
    "record_seconds": MetricHelp("recording time", "s", "Time spent on keeping the record, outside the lane's clock."),
    "processor_share": MetricHelp(
        "share of the processor",
        "",
        "Processor time of the decoding thread over the lane's own clock, nearly 1 on an idle machine; measured where "
        "the models run on the processor, or absent.",
    ),
    "call_slowdown": MetricHelp(
        "calls over the fastest",
        "",
        "Median over the models' calls of their seconds over those of the run's fastest call of the same model and "
        "number of tokens; absent where none was made often enough.",
    ),
    "alpha": MetricHelp(
        "agreement α",
        "",
        "The mean, over the places judged, of the probability that target and draft share: sum of min(target, draft). "
        "It says how alike the two models are there, whatever the coins did; absent where nothing was recorded.",
    ),
    "acceptance_by_depth": MetricHelp(
        "acceptance by depth",
        "",
        "For the first drafted token, the second and so on: the share that was kept, of those whose forerunners were.",
    ),
    "bytes_per_token": MetricHelp(
        "memory read per token",
        "B",
        "Weights and cache that all calls after the prompt read, over emitted tokens: each call reads its weights "
        "once, however many tokens it takes.",
    ),
    "kv_bytes_peak": MetricHelp(
        "cache memory", "B", "The most bytes of cache that the target and the drafts held at one time."
    ),
    "kv_bytes_separate": MetricHelp(
        "with a cache for each beam",
        "B",
        "What the cache memory would be if every beam kept a cache of its own and shared no rows.",
    ),
    "drafts_stopped": MetricHelp(
        "drafts stopped early",
        "",
        "The share of drafts that a decision model ended before their full depth; absent where none decides.",
    ),
    "average_width": MetricHelp(
        "average width",
        "beams",
        "Beams kept after a layer, the mean over the layers written; of methods that keep several texts, or absent.",
    ),
    "ms_per_target_call": MetricHelp(
        "time of a target call",
        "ms",
        "The mean over the target’s forward passes after the prompt.",
    ),
    "ms_per_draft_call": MetricHelp(
        "time of a draft call", "ms", "The mean over the draft’s forward passes after the prompt."
    ),
}


def summarise(
    iterations: Sequence[Iteration],
    header: Header,
    prefill_seconds: float,
    joules: float | None = None,
    thread_seconds: float | None = None,
    agreed: Sequence[float] | None = None,
) -> Metrics:
    """The metrics of ``iterations``; ``METRIC_HELP`` defines each. None where a number does not exist for the run.
    Tokens put by hand count among ``tokens`` alone: every rate is that of the method's own. Of a run that left another
    one what was written before counts too, and of an iteration that was cut there all that it cost.

    ``header`` names the models that are charged for the calls, ``prefill_seconds`` is the time they took to read the
    prompt, ``joules`` the energy measured over the run, reading the prompt included, ``thread_seconds`` the processor
    time of the decoding thread during the iterations, ``agreed`` the ``agreements`` of all of them where they are known
    already.
    """
    emitted = [token for iteration in iterations for token in iteration.emitted]
    own = [token for token in emitted if token.origin != "hand"]
    calls = [call for iteration in iterations for call in iteration.calls]
    seconds = sum(iteration.seconds for iteration in iterations)
    target_calls = sum(call.role == "target" for call in calls)
    if agreed is None:
        agreed = [value for iteration in iterations for value in agreements(iteration)]
    stopped = [i.notes["stopped"] for i in iterations if "stopped" in i.notes]
    widths = [(i.notes["beams_kept"], i.steps or 0) for i in iterations if "beams_kept" in i.notes]
    drafted = [i for i in iterations if i.depth > 0 and i.steps is None]  # of beams, many are accepted a layer
    return Metrics(
        tokens=len(emitted),
        seconds=seconds,
        tokens_per_second=_ratio(len(own), seconds),
        seconds_to_first_token=prefill_seconds + _until_first(iterations),
        tokens_per_target_call=_ratio(len(own), target_calls),
        acceptance_rate=_ratio(sum(i.accepted for i in iterations), sum(i.offered for i in iterations)),
        longest_accepted=_ratio(sum(i.accepted / i.depth for i in drafted), len(drafted)),
        perplexity=perplexity(token.logprob for token in own),
        flops_per_token=_ratio(total_flops(calls, header), len(own)) if header.target.parameters else None,
        kv_rows_peak=max((iteration.rows_peak for iteration in iterations), default=0),
        target_calls=target_calls,
        draft_calls=sum(call.role == "draft" for call in calls),
        joules_per_token=None if joules is None else _ratio(joules, len(own)),
        record_seconds=sum(iteration.record_seconds for iteration in iterations),
        processor_share=None if thread_seconds is None else _ratio(thread_seconds, seconds),
        call_slowdown=call_slowdown(calls),
        alpha=_ratio(fsum(agreed), len(agreed)),
        acceptance_by_depth=acceptance_by_depth(i for i in iterations if i.steps is None),
        bytes_per_token=_ratio(total_bytes(calls, header), len(own)) if header.target.weight_bytes else None,
        kv_bytes_peak=cache_bytes(iterations, header) if header.target.row_bytes else None,
        kv_bytes_separate=cache_bytes(iterations, header, separate=True) if header.target.row_bytes else None,
        drafts_stopped=_ratio(sum(stopped), len(stopped)),
        average_width=_ratio(sum(beams for beams, _ in widths), sum(layers for _, layers in widths)),
        ms_per_target_call=_mean_ms(calls, "target"),
        ms_per_draft_call=_mean_ms(calls, "draft"),
    )


def acceptance_by_depth(iterations: Iterable[Iteration]) -> tuple[float, ...]:
    """For depth 1, 2 ...: of the iterations that came to judge a token there, the share that kept it (0 to 1). Ends
    before the first depth that none came to."""
    paths = [(iteration.offered, iteration.accepted) for iteration in iterations]
    shares = list[float]()
    while reached := [accepted for offered, accepted in paths if offered > len(shares) <= accepted]:
        shares.append(sum(accepted > len(shares) for accepted in reached) / len(reached))
    return tuple(shares)


def agreements(iteration: Iteration) -> list[float]:
    """sum min(target, draft), 0 to 1, at every place of an iteration where a drafted token was judged under both
    models (speculative-decoding.txt, Corollary 3.6); of several candidates for a place at the first, before anything
    is rejected."""
    return [agreement for _, agreement in _agreements(iteration)]


def agreement_by_depth(iterations: Iterable[Iteration]) -> tuple[float, ...]:
    """The mean of ``agreements`` at depth 1, 2 ..., 0 to 1. Ends before the first depth without any."""
    by_depth = defaultdict[int, list[float]](list)
    for iteration in iterations:
        for depth, agreement in _agreements(iteration):
            by_depth[depth].append(agreement)
    depths = takewhile(by_depth.__contains__, count(1))
    return tuple(fsum(by_depth[depth]) / len(by_depth[depth]) for depth in depths)


def _agreements(iteration: Iteration) -> list[tuple[int, float]]:
    """``agreements``, each with its depth."""
    nodes = iteration.forest.nodes if iteration.forest else ()
    first = dict[int, OfBoth]()
    for decision in iteration.decisions:
        if isinstance(decision, OfBoth):
            first.setdefault(nodes[decision.node].parent, decision)
    return [(decision.depth, min(1.0, overlap(decision.target, decision.draft))) for decision in first.values()]


def call_slowdown(calls: Iterable[Call]) -> float | None:
    """The median, over ``calls``, of a call's seconds over those of the fastest call of its kind: of the same model,
    reading as many tokens. Kinds with fewer than ``OFTEN`` calls are left out; None where no kind is left."""
    kinds = defaultdict[tuple[Role, int, int], list[float]](list)
    for call in calls:
        kinds[call.role, call.draft, call.tokens].append(call.seconds)
    often = [seconds for seconds in kinds.values() if len(seconds) >= OFTEN and min(seconds) > 0.0]
    return median(duration / min(seconds) for seconds in often for duration in seconds) if often else None


def _until_first(iterations: Sequence[Iteration]) -> float:
    """Seconds until the first iteration with output was over; beams may take several to agree on a token."""
    seconds = 0.0
    for iteration in iterations:
        seconds += iteration.seconds
        if any(token.origin != "hand" for token in iteration.emitted):
            break
    return seconds


def _mean_ms(calls: Iterable[Call], role: Role) -> float | None:
    seconds = [call.seconds for call in calls if call.role == role]
    return _ratio(1e3 * fsum(seconds), len(seconds))


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
