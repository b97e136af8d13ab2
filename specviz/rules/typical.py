"""Typical acceptance: keep a drafted token that the target finds likely enough for how open the next token is.

Medusa's rule (Cai et al. 2024), in mtad.txt's comparison of baselines: where the target is undecided it asks less of a
token than where it is sure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, log10
from typing import Literal

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.facts.follows import follows
from specviz.facts.tokens import number, pair, quoted, worked
from specviz.options import Option, Options
from specviz.pictures.bars import target_bars
from specviz.pictures.charts import failing, passing, point_of, round_ticks
from specviz.pictures.shapes import Axis, Chart, KeyEntry, Level, Line, Picture, Tick
from specviz.pictures.shown import Moment, Shown, Telling, join
from specviz.rules.spec import VerifierSpec, VerifyContext
from specviz.rules.verdict import Verdict, Verifier, longest_path, sample_after
from specviz.trace.decisions import PrefixTest
from specviz.trace.distribution import Distribution
from specviz.trace.ranges import Amount, Depth, NodeNumber, Probability, Token
from specviz.trace.record import Trace


@dataclass(frozen=True)
class TypicalTest(PrefixTest):
    """Typical acceptance: ``target_prob``, after the temperature alone, > ``threshold`` = min(epsilon, delta
    exp(-``entropy``)), the entropy in nats; ``kept``: on the longest accepted path."""

    node: NodeNumber
    depth: Depth
    token: Token
    target_prob: Probability
    entropy: Amount
    threshold: Probability
    passes: bool
    kept: bool
    target: Distribution
    rule: Literal["typical"] = "typical"

    def show(self, moment: Moment) -> Shown:
        """One token against the threshold that the entropy at its position makes."""
        token = moment.token
        epsilon, delta = moment.option("epsilon"), moment.option("delta")
        prob, threshold, *how = bound(self, epsilon, delta)
        open_ = ""
        if how and epsilon is not None and delta is not None:
            sets = "the entropy" if delta * exp(-self.entropy) < epsilon else "the fixed bound"
            open_ = f" There the distribution has {how[2]} nats of entropy, and {sets} sets the threshold."
        telling = Telling(
            f"Token {self.depth}, {token}: {_verdict(self)}",
            join(
                f"The target gives {token} probability {prob} (temperature alone); "
                f"the threshold is {threshold}.{open_}",
                moment.reason,
            ),
            typical_formula(self, epsilon, delta),
        )
        panels = {
            "probabilities": (f"probabilities-{moment.decision_index}", temperature_picture(moment)),
            "decision": (
                f"typical-{moment.decision_index}",
                typical_picture(moment.trace, moment.tests, epsilon, delta),
            ),
        }
        return Shown(telling, panels)


class TypicalVerifier(Verifier):
    """A token x passes when p(x) > min(epsilon, delta exp(-H(p))), with p the target's distribution after the
    temperature alone (no top-k, no top-p) and H its entropy in nats.

    The longest path whose tokens all pass is kept; among equally long ones the likeliest under the target. One token
    is drawn from the target after it, with the whole warp: no coin, no residual. Chains and trees alike; what the draft
    was drawn from plays no part. ``epsilon`` and ``delta`` in [0, 1]; at temperature 0 p is one-hot, so exactly the
    argmax passes (where both are 1 nothing does) and the text is the greedy one.
    """

    reads = "nothing"

    def __init__(self, epsilon: float, delta: float, temperature: float, end_tokens: frozenset[int] = frozenset()):
        self._epsilon, self._delta, self._temperature = epsilon, delta, temperature
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, typical = scored.forest, {-1}
        tests: list[tuple[int, int, int, float, float, float, bool]] = []
        for index in forest.submitted:
            node = forest.nodes[index]
            target = scored.target_at(node.parent)
            probs, entropy = target.at_temperature(self._temperature)
            place = target.index(node.token)
            target_prob = 0.0 if place is None else float(probs[place])
            threshold = min(self._epsilon, self._delta * exp(-entropy))
            passes = target_prob > threshold
            tests.append((index, node.depth, node.token, target_prob, entropy, threshold, passes))
            if passes and node.parent in typical:
                typical.add(index)
        path = longest_path(scored, sorted(typical - {-1}))
        verdict = Verdict(path=path, offered=forest.submitted_depth)
        for test in tests:
            target = scored.target_at(forest.nodes[test[0]].parent)
            verdict.decisions.append(TypicalTest(*test, test[0] in path, target))
        return sample_after(verdict, scored, dice, self._end_tokens)


def _build(context: VerifyContext, options: Options) -> Verifier:
    return TypicalVerifier(options["epsilon"], options["delta"], options["temperature"], context.end_tokens)


SPEC = VerifierSpec(
    "typical",
    "typical acceptance",
    _build,
    (
        Option("epsilon", "number", 0.09, "Probability that is always enough for a token to be kept.", 0.0, 1.0),
        Option(
            "delta", "number", 0.3, "Share of exp(-entropy) that is enough where the target is uncertain.", 0.0, 1.0
        ),
    ),
    guarantee=lambda options, drawing: "greedy" if options["temperature"] == 0 else "lossy",
    title="Typical acceptance",
    sentence="No coin: keeps a guess that the target finds likely enough, and asks for less where the target "
    "itself is undecided.",
)


_FLOOR = 1e-4  # where probabilities of zero stand on a logarithmic axis


_KNOTS = 60


def typical_formula(decision: TypicalTest, epsilon: float | None, delta: float | None) -> str:
    """The test with the numbers put in."""
    prob, threshold, *how = bound(decision, epsilon, delta)
    made = f" = min({how[0]}, {how[1]} exp(−{how[2]}))" if how else ""
    sign = ">" if decision.target_prob > decision.threshold else "≤"
    verdict = "accept" if decision.passes else "reject"
    return f"p = {prob} {sign} {threshold}{made}: {verdict} (no coin is flipped)"


def bound(decision: TypicalTest, epsilon: float | None, delta: float | None) -> tuple[str, ...]:
    """Probability and threshold as they are written; where both options are known, epsilon, delta and the entropy,
    with enough digits for a reader to find the threshold again."""
    prob, threshold = pair(decision.target_prob, decision.threshold)
    if epsilon is None or delta is None or not _sets(decision, epsilon, delta):
        return prob, threshold
    values = epsilon, delta, decision.entropy
    return prob, threshold, *worked(threshold, lambda e, d, h: min(e, d * exp(-h)), *values)


def _sets(decision: TypicalTest, epsilon: float, delta: float) -> bool:
    """Whether the threshold is min(epsilon, delta exp(-entropy))."""
    return follows(decision.threshold, lambda: min(epsilon, delta * exp(-decision.entropy)))


def _verdict(decision: TypicalTest) -> str:
    if not decision.passes:
        return "rejected"
    return "accepted" if decision.kept else "passes, but is not kept"


def at_temperature(decision: TypicalTest, temperature: float | None) -> dict[int, float]:
    """The listed tokens under the distribution of the test, the target's after the temperature alone, from their raw
    log-probabilities: exact up to the listing."""
    heat = 1.0 if temperature is None else temperature
    logs = decision.target.raw_logprobs()
    if heat <= 0.0 or decision.target_prob <= 0.0 or decision.token not in logs:
        return {t: exp(value) for t, value in logs.items()} if heat == 1.0 else decision.target.table()
    shift = log(decision.target_prob) - logs[decision.token] / heat
    return {token: exp(value / heat + shift) for token, value in logs.items()}


def temperature_picture(moment: Moment) -> Picture:
    """Bars of the distribution of the test, the drafted token marked, the threshold a line across."""
    decision, threshold = moment.decision, number(moment.decision.threshold)
    table = at_temperature(decision, moment.option("temperature")) | {decision.token: decision.target_prob}
    level, note = Level(decision.threshold, f"threshold {threshold}", upright=True), f"The threshold is {threshold}."
    return target_bars(moment, "target, temperature alone", table, level=level, note=note)


def typical_text(trace: Trace, decisions: Sequence[TypicalTest]) -> str:
    """The tests so far in sentences."""
    return "\n".join(
        f"{quoted(trace.vocabulary, d.token)} at depth {d.depth}: entropy {number(d.entropy)} nats, threshold "
        f"{number(d.threshold)}, target probability {number(d.target_prob)}: {'passes' if d.passes else 'fails'}."
        for d in decisions
    )


def typical_picture(
    trace: Trace, decisions: Sequence[TypicalTest], epsilon: float | None, delta: float | None
) -> Picture:
    """The threshold as a curve over the entropy, the tokens tested so far, one at least, above or below it, the newest
    ringed. Both options unknown: the recorded thresholds alone."""
    widest = 1.15 * max(2.0, *(d.entropy for d in decisions))
    if epsilon is not None and delta is not None:
        knots = [widest * step / _KNOTS for step in range(_KNOTS + 1)]
        curve = [(h, min(epsilon, delta * exp(-h))) for h in knots]
    else:
        curve = sorted((d.entropy, d.threshold) for d in decisions)
    left = -0.04 * widest
    chart = Chart(
        Axis(left, widest, round_ticks(left, widest)),
        Axis(-4.3, 0.25, tuple(Tick(power, f"{10.0**power:.4g}") for power in range(-4, 1)), "probability"),
        lines=(Line("rejected", tuple((h, _height(t)) for h, t in curve), "dashed"),),
        points=tuple(
            point_of(
                d, d.entropy, _height(d.target_prob), f"{d.depth}: {number(d.target_prob)}", ringed=d is decisions[-1]
            )
            for d in decisions
        ),
    )
    key = KeyEntry("rejected", "", "threshold (dashed)"), passing("likely enough"), failing("not")
    notes = ("across: the target's entropy, nats", "ringed: this token")
    notes += (f"below {_FLOOR:g}: on the floor",) if any(d.target_prob < _FLOOR for d in decisions) else ()
    return Picture((chart,), typical_text(trace, decisions), key, notes)


def _height(prob: float) -> float:
    return log10(max(_FLOOR, prob))
