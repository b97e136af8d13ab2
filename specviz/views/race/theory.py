"""What theory expected of the lanes of a race, beside what they did, and why the two differ."""

from collections.abc import Sequence
from math import log

from specviz.facts.tokens import count, number, worked
from specviz.measure.cost import total_flops
from specviz.measure.disturbance import disturbed_by
from specviz.measure.forecast import Costs, Forecast, forecast
from specviz.trace.record import Role, Trace
from specviz.views.race.timeline import lane_names, warp
from specviz.views.race.verdict import plain_lane
from specviz.views.story.payload_types import LaneTheory, TheoryNumbers

CLOSE = 0.05  # a share by which measurement and theory may differ and still be said to agree
NONE = "–"


def lane_theories(traces: Sequence[Trace]) -> list[LaneTheory]:
    """One entry for each lane that the theory is about; costs and speeds only beside an autoregressive lane of the same
    temperature, top-k and top-p, and of lanes that were not disturbed."""
    theories = list[LaneTheory]()
    for name, trace in zip(lane_names(traces), traces, strict=True):
        plain = plain_lane([other for other in traces if _comparable(trace, other)])
        found = forecast(trace, None if disturbed_by(trace.metrics) else plain)
        if found is not None:
            theories.append(_entry(name, found, _numbers(found, trace, plain)))
    return theories


def _comparable(trace: Trace, other: Trace) -> bool:
    """Whether both lanes call the same model on the same device, and draw from the same distributions."""
    mine, its = ((one.header.target, one.header.device, warp(one)) for one in (trace, other))
    return mine == its


def _numbers(found: Forecast, trace: Trace, plain: Trace | None) -> TheoryNumbers:
    mine, other = trace.metrics.flops_per_token, plain.metrics.flops_per_token if plain else None
    return {
        "alpha": found.alpha,
        "c": found.costs and found.costs.draft,
        "v": found.costs and found.costs.verify,
        "gamma": found.gamma,
        "operations": _operations(trace),
        "tokens": found.tokens_measured,
        "speed": found.speed_measured,
        "arithmetic": mine / other if mine is not None and other else None,
    }


def _operations(trace: Trace) -> float | None:
    """c^: the draft's operations for a token that it reads, over the target's; None where the target counts none."""

    def each(role: Role) -> float:
        calls = [call for one in trace.iterations for call in one.calls if call.role == role]
        return total_flops(calls, trace.header) / max(1, sum(call.tokens for call in calls))

    return each("draft") / each("target") if each("target") else None


def _entry(name: str, found: Forecast, numbers: TheoryNumbers) -> LaneTheory:
    """Its numbers, with as many decimals as it takes to find each expected one again from those beside it."""
    costs, tokens, gamma = found.costs, number(found.tokens), number(found.gamma)
    cost, speed = (NONE, NONE), (NONE, NONE)
    if costs is not None and found.speed is not None and found.speed_measured is not None:
        speed = number(found.speed), number(found.speed_measured)
        values = found.gamma, found.tokens, costs.draft, costs.verify
        gamma, tokens, *cost = worked(speed[0], lambda count, made, c, v: made / (count * c + v), *values)
    (alpha,) = worked(tokens, found.expected, found.alpha)
    return {
        "name": name,
        "alpha": alpha,
        "draft_cost": cost[0],
        "verify_cost": cost[1],
        "gamma": gamma,
        "tokens": (tokens, number(found.tokens_measured)),
        "speed": speed,
        "best_gamma": NONE if found.best_gamma is None else str(found.best_gamma),
        "why": _why(found),
        "numbers": numbers,
    }


def _why(found: Forecast) -> str:
    """Whether theory and measurement agree, and if not, the larger of the two reasons that there can be."""
    tokens = log(found.tokens_measured / found.tokens)
    if found.speed is None or not found.speed_measured or found.costs is None:
        return _agree("tokens") if abs(tokens) <= CLOSE else _of_tokens(found)
    speed = log(found.speed_measured / found.speed)
    if abs(speed) <= CLOSE:
        return _agree("speed-up")
    return _of_tokens(found) if abs(tokens) >= abs(speed - tokens) else _of_time(found.costs, found)


def _agree(what: str) -> str:
    return f"Theory and measurement agree within {100 * CLOSE:.0f} % on the {what}."


def _of_tokens(found: Forecast) -> str:
    less = "fewer" if found.tokens_measured < found.tokens else "more"
    away = abs(found.tokens_measured - found.tokens)
    if found.tokens_error is None or away <= 2 * found.tokens_error:
        few = count(len(found.depths), "iteration")
        return f"It wrote {less} tokens an iteration than expected; {few} may do that by chance."
    return (
        f"It wrote {less} tokens an iteration than expected, beyond chance: the theory takes each guess "
        "to be as easy as any other, and in a text easy and hard places come in runs."
    )


def _of_time(costs: Costs, found: Forecast) -> str:
    if found.speed_measured and found.speed and found.speed_measured > found.speed:
        return "It was faster than its calls explain: plain decoding spent more of its time outside the model's calls."
    return (
        f"Drawing and judging took {number(costs.other)} target calls' time an iteration "
        f"({number(costs.other_plain)} in plain decoding), which the theory counts as nothing."
    )
