"""What theory expects of a run of speculative decoding, beside what was measured: Leviathan et al. 2023
(arXiv:2211.17192), Equation 1 and Theorem 3.8, with the run's own acceptance and the costs of its own calls."""

from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean, stdev

from specviz.measure.theory import best_gamma, expected_tokens
from specviz.trace.decisions import OfBoth
from specviz.trace.distribution import overlap
from specviz.trace.record import Iteration, Role, Trace


@dataclass(frozen=True)
class Costs:
    """Mean seconds in units of one target call on one token, of the run itself: ``draft`` c, for each drafted token;
    ``verify`` v, for a target call on a whole draft; ``other``, outside the models' calls, for each iteration;
    ``other_plain``, the same of plain decoding. The paper takes v as 1 and the last two as 0."""

    draft: float
    verify: float
    other: float
    other_plain: float


@dataclass(frozen=True)
class Forecast:
    """``alpha``: the mean of sum min(target, draft) over the places judged (Corollary 3.6), 0 to 1; ``judged`` of them.
    ``depths``: tokens drafted, of each iteration. ``tokens``: expected of an iteration by Equation 1, the mean over
    them; ``tokens_measured`` beside it, with its standard error ``tokens_error`` (None: a single iteration). ``costs``,
    ``speed`` (Theorem 3.8) and ``speed_measured``, both in times plain decoding's tokens a second, and ``best_gamma``,
    from 1 to MOST_GAMMA, which the theorem expects to be fastest: None where there is no plain lane to compare with."""

    alpha: float
    judged: int
    depths: tuple[int, ...]
    tokens: float
    tokens_measured: float
    tokens_error: float | None
    costs: Costs | None = None
    speed: float | None = None
    speed_measured: float | None = None
    best_gamma: int | None = None

    @property
    def gamma(self) -> float:
        """Tokens drafted in an iteration, on average."""
        return fmean(self.depths)

    def expected(self, alpha: float) -> float:
        """Tokens of an iteration at this acceptance, 0 to 1, and the depths drafted."""
        return fmean(expected_tokens(alpha, depth) for depth in self.depths)


def forecast(trace: Trace, plain: Trace | None = None) -> Forecast | None:
    """What theory says of a run, with the calls of a ``plain`` (autoregressive) run of the same target on the same
    machine as the measure of cost. None where the theory does not apply: the method is not a chain judged token by
    token, or the run has no record."""
    method, iterations = trace.header.method, trace.iterations
    coins = [decision for iteration in iterations for decision in iteration.decisions if isinstance(decision, OfBoth)]
    if (method.drafter, method.verifier) != ("chain", "token") or not coins:
        return None
    lenience = trace.header.options.get("lenience")
    rho = float(lenience) if isinstance(lenience, int | float) else 1.0
    alpha = min(1.0, fmean(overlap(coin.target, coin.draft, rho) for coin in coins))
    written = [len(iteration.emitted) for iteration in iterations]
    error = stdev(written) / sqrt(len(written)) if len(written) > 1 else None
    prediction = Forecast(
        alpha, len(coins), tuple(iteration.depth for iteration in iterations), 0.0, fmean(written), error
    )
    prediction = replace(prediction, tokens=prediction.expected(alpha))
    costs = _costs(trace, plain) if plain is not None else None
    if plain is None or costs is None:
        return prediction
    return replace(
        prediction,
        costs=costs,
        speed=prediction.tokens / (prediction.gamma * costs.draft + costs.verify),
        speed_measured=(trace.metrics.tokens_per_second or 0.0) / (plain.metrics.tokens_per_second or 1.0),
        best_gamma=best_gamma(alpha, costs.draft, costs.verify, prediction.gamma),
    )


def _costs(trace: Trace, plain: Trace) -> Costs | None:
    """None where nothing was timed."""
    call_seconds = _seconds(plain.iterations, "target") / max(1, len(plain.iterations))
    drafted = sum(iteration.depth for iteration in trace.iterations)
    if call_seconds <= 0.0 or not drafted or not plain.metrics.tokens_per_second:
        return None
    count = len(trace.iterations)
    draft, target = (_seconds(trace.iterations, role) for role in ("draft", "target"))
    other = trace.metrics.seconds - draft - target
    other_plain = plain.metrics.seconds / len(plain.iterations) - call_seconds
    return Costs(
        draft / drafted / call_seconds,
        target / count / call_seconds,
        other / count / call_seconds,
        other_plain / call_seconds,
    )


def _seconds(iterations: tuple[Iteration, ...], role: Role) -> float:
    return sum(call.seconds for iteration in iterations for call in iteration.calls if call.role == role)
