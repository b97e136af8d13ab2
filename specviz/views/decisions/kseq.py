"""K-SEQ: how rho follows from the overlap of target and draft, and the coin at target / (rho draft).

beta(rho) = sum of min(draft, target / rho). rho is where 1 - (1 - beta(rho))^k, the probability that one of k
candidates is accepted, meets rho beta(rho), the most the target can give. Curves are computed from the listed tokens.
"""

from typing import NamedTuple

from specviz.trace.decisions import SequenceTest
from specviz.trace.distribution import overlap
from specviz.trace.record import Trace
from specviz.views.decisions.coin import (
    OWN,
    by_the_ratio,
    coin_key,
    coin_reason,
    coin_strip,
    coin_text,
    fall,
    gives,
    outcome,
    own_words,
    panels,
    ratio_formula,
)
from specviz.views.facts.follows import follows
from specviz.views.facts.scene_parts import Moment, Shown, Telling, join
from specviz.views.facts.tokens import number, pair, worked_together
from specviz.views.pictures.charts import round_ticks
from specviz.views.pictures.shapes import Axis, Chart, Entry, Level, Line, Picture, Point

_POINTS = 49


def curves(decision: SequenceTest) -> tuple[list[float], list[float], list[float]]:
    """rho from 1 to the number of candidates, 1 - (1 - beta)^k, and rho beta."""
    most = max(float(decision.candidates), decision.rho, 1.0 + 1e-9)
    rhos = [1.0 + (most - 1.0) * step / (_POINTS - 1) for step in range(_POINTS)]
    betas = [overlap(decision.target, decision.draft, rho) for rho in rhos]
    some = [1.0 - (1.0 - beta) ** decision.candidates for beta in betas]
    return rhos, some, [rho * beta for rho, beta in zip(rhos, betas, strict=True)]


class Shares(NamedTuple):
    """The numbers of a test as they are written: enough digits for a reader to find ``some``, the probability that one
    candidate is accepted, and ``probability``, that this one is, again; ``uniform`` is "" where no coin was flipped."""

    beta: str
    rho: str
    target: str
    draft: str
    some: str
    probability: str
    uniform: str


def shares(decision: SequenceTest) -> Shares:
    """The numbers of 1 - (1 - beta)^k = rho beta, and of min(1, target / (rho draft)) with its coin."""
    some, probability, uniform = number(decision.accept_any), number(decision.acceptance_probability), ""
    if decision.uniform is not None:
        uniform, probability = pair(decision.uniform, decision.acceptance_probability)
    steps = [
        (some, lambda beta, rho, p, q: 1 - (1 - beta) ** decision.candidates),
        (some, lambda beta, rho, p, q: rho * beta),
        (probability, lambda beta, rho, p, q: min(1.0, p / (rho * q))),
    ]
    values = decision.beta, decision.rho, decision.target_prob, decision.draft_prob
    beta, rho, target, draft = worked_together(steps, *values)
    return Shares(beta, rho, target, draft, some, probability, uniform)


def kseq_formula(decision: SequenceTest) -> str:
    """The solution and the coin with the numbers put in."""
    beta, rho, target, draft, some, probability, uniform = shares(decision)
    parts = []
    if follows(decision.accept_any, lambda: 1 - (1 - decision.beta) ** decision.candidates):
        parts.append(f"1 − (1 − {beta})^{decision.candidates} = {some}")
    if follows(decision.accept_any, lambda: decision.rho * decision.beta):
        parts.append(f"ρ β = {rho} × {beta} = {some}")
    parts.append(ratio_formula(decision, decision.rho, target, f"({rho} × {draft})", probability))
    return "; ".join(parts) + outcome(decision, uniform, probability)


def _meeting(decision: SequenceTest) -> float:
    """Where the curves meet, by the recorded rho."""
    return 1.0 - (1.0 - overlap(decision.target, decision.draft, decision.rho)) ** decision.candidates


def kseq_text(trace: Trace, decision: SequenceTest) -> str:
    """The curves and the coin in sentences."""
    rhos, some, most = curves(decision)
    if not follows(decision.accept_any, lambda: _meeting(decision)):
        return coin_text(trace, decision)
    return (
        f"With {decision.candidates} candidates, the probability that one is accepted falls from {number(some[0])} at "
        f"rho 1 to {number(some[-1])} at rho {number(rhos[-1])}, while rho times beta goes from {number(most[0])} to "
        f"{number(most[-1])}. They meet at rho {number(decision.rho)}, where beta is {number(decision.beta)} and the "
        f"probability {number(decision.accept_any)}.\n{coin_text(trace, decision)}"
    )


def kseq_picture(trace: Trace, decision: SequenceTest) -> Picture:
    """The two curves with the solution marked, and under them the coin, where one was flipped."""
    rhos, some, most = curves(decision)
    right = max(rhos[-1], 1.1)  # of a single candidate all that matters is at 1
    left, top, rho = 1.0 - 0.02 * (right - 1.0), 1.08 * (max(*some, *most) or 1.0), f"ρ = {number(decision.rho)}"
    chart = Chart(
        Axis(left, right, round_ticks(left, right), "ρ"),
        Axis(0.0, top, round_ticks(0.0, top)),
        lines=(
            Line("accepted", tuple(zip(rhos, some, strict=True))),
            Line("resampled", tuple(zip(rhos, most, strict=True)), "dashed"),
        ),
        points=(Point(decision.rho, decision.accept_any, "muted", "", rho, hollow=True),),
        levels=(Level(decision.rho, rho, "muted", "dotted", upright=True),),
    )
    key = Entry("accepted", "", "probability that one is accepted"), Entry("resampled", "", "ρ β(ρ)")
    words = kseq_text(trace, decision)
    if decision.uniform is None:
        return Picture((chart,), words, key)
    return Picture((chart, coin_strip(decision)), words, key + coin_key(decision))


def show_kseq(moment: Moment) -> Shown:
    """One of several i.i.d. candidates meets its coin."""
    decision, trace, token = moment.decision, moment.trace, moment.token
    verdict = "accepted" if decision.accepted else "rejected"
    many, numbers = decision.candidates, shares(decision)
    first = (
        f"{many} drafted sequences agree with the text so far; ρ = {numbers.rho} shares the target's "
        "probability among them."
        if many > 1 or decision.rho != 1.0
        else "One drafted sequence agrees with the text so far, so ρ is 1 and the test is that of a single draft."
    )
    by_ratio, solved = by_the_ratio(decision, decision.rho), follows(decision.accept_any, lambda: _meeting(decision))
    telling = Telling(
        f"Token {decision.depth}, candidate {decision.candidate + 1} of {many}, {token}: {verdict}",
        join(
            first if decision.candidate == 0 and solved else "",
            gives(token, numbers.target, numbers.draft),
            "" if by_ratio else own_words(moment),
            fall(decision, "So it" if by_ratio else OWN),
            coin_reason(moment),
        ),
        kseq_formula(decision),
    )
    return Shown(telling, panels(moment, "kseq", kseq_picture(trace, decision)))
