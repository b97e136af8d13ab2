"""The verdict on a race, in words: which lane was fastest and why, whose text is likelier, and which keep the target's
distribution."""

from collections.abc import Sequence

from specviz.facts.tokens import count, number, worked
from specviz.facts.words import WHATEVER, of_guarantee
from specviz.measure.disturbance import disturbed_by
from specviz.trace.record import TRAILING_SPACE, Trace
from specviz.views.race.timeline import lane_names, warp, warps_apart
from specviz.views.story.payload_types import Pace


def verdict(traces: Sequence[Trace]) -> list[str]:
    """The verdict in sentences, most important first. Everything in it comes from the traces' headers and metrics.

    A lane is called slower than another only when its tokens per second are lower; the reason given compares what one
    iteration costs, in autoregressive calls, with the tokens it yields. Nothing is concluded from the speed of a lane
    during which the machine was disturbed: the sentence says so, and gives its tokens per target call.
    """
    lanes = [(n, t) for n, t in zip(lane_names(traces), traces, strict=True) if t.metrics.tokens > 0]
    if not lanes:
        return ["No lane has emitted a token yet."]
    alone = [sentence for name, trace in lanes if (sentence := without_draft(name, trace))]
    lines = [
        _work(lanes),
        *_speeds(lanes),
        *alone,
        *_likelihood(lanes),
        _guarantees(lanes),
        *_texts(lanes),
        *_apart(lanes),
    ]
    return [*lines, *_space(lanes)]


def verdict_text(traces: Sequence[Trace]) -> str:
    """The verdict as one paragraph."""
    return " ".join(verdict(traces))


def paces(traces: Sequence[Trace]) -> list[Pace | None]:
    """One entry per lane: how it compares with the autoregressive lane and why, or that the machine was disturbed; None
    where there is nothing to compare."""
    base = plain_lane(traces)
    return [_pace(trace, base) for trace in traces]


def _pace(trace: Trace, base: Trace | None) -> Pace | None:
    if disturbed_by(trace.metrics):
        return {"kind": "disturbed", "text": disturbance("this lane", trace)}
    if base is None or trace is base or not trace.metrics.tokens_per_second:
        return None
    text = _against("", trace, base).removeprefix(" was ")
    return {"kind": "slower" if _speed(trace) < _speed(base) else "faster", "text": text[0].upper() + text[1:]}


def disturbance(name: str, trace: Trace) -> str:
    """How the lane called ``name`` was disturbed, and what is to be read instead of its speed."""
    metrics = trace.metrics
    if disturbed_by(metrics) == "processor_share":
        how = f"it had the processor for {100 * (metrics.processor_share or 0.0):.0f} % of its time"
    else:
        how = f"half of its calls took at least {metrics.call_slowdown:.1f} times as long as the fastest"
    tokens = metrics.tokens_per_target_call
    instead = "" if tokens is None else f" It emitted {tokens:.2f} tokens per target call."
    return f"The machine was busy while {name} ran: {how}, so nothing follows from its speed.{instead}"


def without_draft(name: str, trace: Trace) -> str:
    """From where on the lane called ``name`` was written without its draft model, whose context had ended; "" where it
    was not."""
    alone = [iteration for iteration in trace.iterations if "draft_context" in iteration.notes]
    if not alone:
        return ""
    return (
        f"From token {alone[0].context_length:,} of the text on {name} went on without its draft model, whose context "
        f"is {alone[0].notes['draft_context']:,.0f} tokens."
    )


def _work(lanes: list[tuple[str, Trace]]) -> str:
    parts = [
        f"{name} emitted {count(t.metrics.tokens, 'token')} in {count(t.metrics.target_calls, 'target call')}"
        for name, t in lanes
    ]
    return ", ".join(parts) + "."


def _speeds(lanes: list[tuple[str, Trace]]) -> list[str]:
    """Every lane's speed against the autoregressive lane; without one, the order of the lanes. Then the lanes that have
    no speed to speak of, since they were disturbed."""
    timed = [(name, t) for name, t in lanes if _is_timed(t)]
    base = plain_lane([t for _, t in timed])
    notes = [disturbance(name, t) for name, t in lanes if disturbed_by(t.metrics)]
    if base is None:
        ranked = sorted(timed, key=lambda lane: -_speed(lane[1]))
        words = [f"{name} {_speed(t):.1f} tokens/s" for name, t in ranked]
        return ["Speeds: " + ", ".join(words) + ".", *notes] if words else notes
    return [*(_against(name, t, base) for name, t in timed if t is not base), *notes]


def plain_lane(traces: Sequence[Trace]) -> Trace | None:
    """The autoregressive lane that others are compared with."""
    return next((trace for trace in traces if _is_timed(trace) and _is_plain(trace)), None)


def _is_timed(trace: Trace) -> bool:
    """Whether the lane has a speed that says something."""
    return bool(trace.metrics.tokens_per_second) and not disturbed_by(trace.metrics)


def _speed(trace: Trace) -> float:
    """Tokens per second; 0 where there is no such number."""
    return trace.metrics.tokens_per_second or 0.0


def _is_plain(trace: Trace) -> bool:
    """Whether the target wrote one text alone, a token a call."""
    header, several = trace.header, any(iteration.steps is not None for iteration in trace.iterations)
    return header.draft is None and header.heads is None and trace.metrics.acceptance_rate is None and not several


def _against(name: str, trace: Trace, base: Trace) -> str:
    """How a lane compares with the autoregressive one, and why."""
    ratio = _speed(trace) / _speed(base)
    step = base.metrics.seconds / base.metrics.tokens
    cost = trace.metrics.seconds / len(trace.iterations) / step
    tokens = trace.metrics.tokens / len(trace.iterations)
    factor = f"{ratio:.2f}"
    yields, costs = worked(factor, lambda tokens, cost: tokens / cost, tokens, cost)
    balance = f"an iteration costs {costs} autoregressive calls and yields {yields} tokens"
    mine, other = worked(factor, lambda mine, other: mine / other, _speed(trace), _speed(base), digits=1)
    speed = f"{mine} against {other} tokens/s"
    if ratio >= 1.0:
        return f"{name} was {factor} times as fast as autoregressive decoding ({speed}): {balance}."
    reason = f"{name} was slower than autoregressive decoding ({factor} times its speed, {speed}): {balance}"
    rate, draft_cost = trace.metrics.acceptance_rate, trace.header.cost_ratio
    if rate is None:
        return reason + "."
    reason += f"; {100 * rate:.0f} % of the offered tokens were accepted, too few for this cost"
    if draft_cost is not None:
        reason += f" (a draft call costs {number(draft_cost)} target calls)"
    return reason + "."


def _likelihood(lanes: list[tuple[str, Trace]]) -> list[str]:
    """Whose text is likelier under the target, when there is something to compare."""
    perplexities = [(name, t.metrics.perplexity) for name, t in lanes if t.metrics.perplexity is not None]
    if len(perplexities) < 2:
        return []
    ranked = sorted(perplexities, key=lambda lane: lane[1])
    words = [f"{name} {perplexity:.2f}" for name, perplexity in ranked]
    best = [name for name, perplexity in ranked if f"{perplexity:.2f}" == f"{ranked[0][1]:.2f}"]
    lead = f"{_listed(best)} wrote the {'text' if len(best) == 1 else 'texts'} likeliest under the target"
    if f"{ranked[0][1]:.2f}" == f"{ranked[-1][1]:.2f}":
        lead = "All texts are equally likely under the target"
    apart = warps_apart([t for _, t in lanes if t.metrics.perplexity is not None])
    care = f"; the lanes differ in {_listed(apart)}, which alone changes this" if apart else ""
    return [f"{lead} (perplexity, lower is likelier: {', '.join(words)}{care})."]


def _listed(names: list[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _guarantees(lanes: list[tuple[str, Trace]]) -> str:
    """Which lanes keep the target's distribution, and how far from it the others are where that is known."""
    groups: dict[tuple[str, bool, tuple[object, ...]], list[str]] = {}
    for name, trace in lanes:
        method = trace.header.method
        guarantee = method.guarantee, method.greedy and method.guarantee == "greedy"
        far = method.distance
        distance = "" if far is None else f" (lossy: total variation {far:.2f} on the reference model)"
        groups.setdefault((*guarantee, warp(trace)), []).append(name + distance)
    parts = []
    for (guarantee, always, _), names in groups.items():
        words = of_guarantee(guarantee)
        parts.append(f"{_listed(names)} {words.one if len(names) == 1 else words.many}{WHATEVER if always else ''}")
    return "; ".join(parts) + "."


def _texts(lanes: list[tuple[str, Trace]]) -> list[str]:
    """What it means that lossless lanes with one seed wrote the same text, or different ones."""
    alike, same = lossless_lanes([trace for _, trace in lanes])
    if not alike:
        return []
    names = _listed([name for name, trace in lanes if any(trace is other for other in alike)])
    if not all(_is_greedy(trace) for trace in alike):
        because = "each draws from the target's distribution, but they spend their random numbers on different things"
        return [] if same else [f"{names} wrote different texts from one seed, and nothing is lost: {because}."]
    if same:
        return [f"{names} wrote the same text, token for token: nothing was drawn, so it is plain decoding's."]
    because = "two tokens were so nearly equally likely that the rounding of a call decided"
    return [f"{names} wrote different texts although nothing was drawn: {because}."]


def lossless_lanes(traces: Sequence[Trace]) -> tuple[list[Trace], bool]:
    """The lossless lanes of one race (prompt, target, seed, temperature, top-k and top-p are the first one's), and
    whether all wrote the same tokens, as far as the shortest goes. Fewer than two are none."""
    alike: list[Trace] = []
    for trace in traces:
        if trace.header.method.guarantee == "target" or (
            trace.header.method.guarantee == "greedy" and _is_greedy(trace)
        ):
            same = not alike or _race_of(trace) == _race_of(alike[0])
            alike += [trace] * same
    tokens = [[token.token for iteration in trace.iterations for token in iteration.emitted] for trace in alike]
    shortest = min(map(len, tokens), default=0)
    return (alike if len(alike) > 1 else []), len({tuple(text[:shortest]) for text in tokens}) < 2


def lesson_of(traces: Sequence[Trace]) -> str:
    """The lesson that explains what is odd about this race; "" for none."""
    alike, same = lossless_lanes(traces)
    return "lossless" if alike and not same and not any(_is_greedy(trace) for trace in alike) else ""


def _race_of(trace: Trace) -> tuple[object, ...]:
    header = trace.header
    dice = None if _is_greedy(trace) else (header.seed, warp(trace))
    return header.prompt_tokens, header.target.fingerprint, dice


def _is_greedy(trace: Trace) -> bool:
    return trace.header.method.greedy or trace.header.options.get("temperature") == 0


def _apart(lanes: list[tuple[str, Trace]]) -> list[str]:
    """A warning that lanes with different warps do not share a distribution, whatever they guarantee."""
    apart = warps_apart([trace for _, trace in lanes])
    if not apart:
        return []
    return [
        f"The lanes differ in {_listed(apart)}: each is held against the target at its own, and lanes that differ "
        "have different distributions."
    ]


def _space(lanes: list[tuple[str, Trace]]) -> list[str]:
    """A warning that the prompt ends with a space, if no chat template follows it."""
    for header, vocabulary in ((trace.header, trace.vocabulary) for _, trace in lanes):
        if (header.prompt_text or "").endswith(" ") and vocabulary.get(header.prompt_tokens[-1], "").endswith(" "):
            return [f"{TRAILING_SPACE[0].upper()}{TRAILING_SPACE[1:]}."]
    return []
