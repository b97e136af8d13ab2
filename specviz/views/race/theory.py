"""What theory expects of the lanes of a race, compared with the measurements, and why the two differ."""

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
        prediction = forecast(trace, None if disturbed_by(trace.metrics) else plain)
        if prediction is not None:
            theories.append(_entry(name, prediction, _numbers(prediction, trace, plain)))
    return theories


def _comparable(trace: Trace, other: Trace) -> bool:
    """Whether both lanes call the same model on the same device, and draw from the same distributions."""
    mine, its = ((lane.header.target, lane.header.device, warp(lane)) for lane in (trace, other))
    return mine == its


def _numbers(prediction: Forecast, trace: Trace, plain: Trace | None) -> TheoryNumbers:
    mine, other = trace.metrics.flops_per_token, plain.metrics.flops_per_token if plain else None
    return {
        "alpha": prediction.alpha,
        "c": prediction.costs and prediction.costs.draft,
        "v": prediction.costs and prediction.costs.verify,
        "gamma": prediction.gamma,
        "operations": _operations(trace),
        "tokens": prediction.tokens_measured,
        "speed": prediction.speed_measured,
        "arithmetic": mine / other if mine is not None and other else None,
    }


def _operations(trace: Trace) -> float | None:
    """c^: the draft's operations for a token that it reads, over the target's; None where the target counts none."""

    def each(role: Role) -> float:
        calls = [call for iteration in trace.iterations for call in iteration.calls if call.role == role]
        return total_flops(calls, trace.header) / max(1, sum(call.tokens for call in calls))

    return each("draft") / each("target") if each("target") else None


def _entry(name: str, prediction: Forecast, numbers: TheoryNumbers) -> LaneTheory:
    """Its numbers, with enough decimals to reproduce each expected one from those beside it."""
    costs, tokens, gamma = prediction.costs, number(prediction.tokens), number(prediction.gamma)
    cost, speed = (NONE, NONE), (NONE, NONE)
    if costs is not None and prediction.speed is not None and prediction.speed_measured is not None:
        speed = number(prediction.speed), number(prediction.speed_measured)
        values = prediction.gamma, prediction.tokens, costs.draft, costs.verify
        gamma, tokens, *cost = worked(speed[0], lambda count, made, c, v: made / (count * c + v), *values)
    (alpha,) = worked(tokens, prediction.expected, prediction.alpha)
    return {
        "name": name,
        "alpha": alpha,
        "draft_cost": cost[0],
        "verify_cost": cost[1],
        "gamma": gamma,
        "tokens": (tokens, number(prediction.tokens_measured)),
        "speed": speed,
        "best_gamma": NONE if prediction.best_gamma is None else str(prediction.best_gamma),
        "why": _why(prediction),
        "numbers": numbers,
    }


def _why(prediction: Forecast) -> str:
    """Whether theory and measurement agree, and if not, the larger of the two reasons that there can be."""
    tokens = log(prediction.tokens_measured / prediction.tokens)
    if prediction.speed is None or not prediction.speed_measured or prediction.costs is None:
        return _agree("tokens") if abs(tokens) <= CLOSE else _of_tokens(prediction)
    speed = log(prediction.speed_measured / prediction.speed)
    if abs(speed) <= CLOSE:
        return _agree("speed-up")
    return _of_tokens(prediction) if abs(tokens) >= abs(speed - tokens) else _of_time(prediction.costs, prediction)


def _agree(what: str) -> str:
    return f"Theory and measurement agree within {100 * CLOSE:.0f} % on the {what}."


def _of_tokens(prediction: Forecast) -> str:
    less = "fewer" if prediction.tokens_measured < prediction.tokens else "more"
    away = abs(prediction.tokens_measured - prediction.tokens)
    if prediction.tokens_error is None or away <= 2 * prediction.tokens_error:
        few = count(len(prediction.depths), "iteration")
        return f"It wrote {less} tokens an iteration than expected; {few} may do that by chance."
    return (
        f"It wrote {less} tokens an iteration than expected, beyond chance: the theory takes each guess "
        "to be as easy as any other, and in a text easy and hard places come in runs."
    )


def _of_time(costs: Costs, prediction: Forecast) -> str:
    if prediction.speed_measured and prediction.speed and prediction.speed_measured > prediction.speed:
        return "It was faster than its calls explain: plain decoding spent more of its time outside the model's calls."
    return (
        f"Drawing and judging took {number(costs.other)} target calls' time an iteration "
        f"({number(costs.other_plain)} in plain decoding), which the theory counts as nothing."
    )
