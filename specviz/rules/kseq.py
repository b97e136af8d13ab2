"""K-SEQ: several i.i.d. candidates judged at once (Sun et al. 2023, SpecTr).

The k candidates X_1 .. X_k after a prefix are i.i.d. from q. With beta(rho) = sum min(q, p / rho), the probability that
one of them passes its coin, rho in [1, k] solves 1 - (1 - beta)^k = rho beta. The first X_i whose coin min(1, p / (rho
q)) falls for it is accepted; when none is, one token is drawn from norm(p - min(q, p / rho) p_acc / beta), with p_acc =
1 - (1 - beta)^k is the probability that any is accepted. The next candidates are those of all sequences whose tokens so
far match the output, those whose own coin failed included. After gamma accepted tokens a bonus is drawn from p.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.facts.follows import follows
from specviz.facts.tokens import number, pair, worked_together
from specviz.pictures.charts import round_ticks
from specviz.pictures.shapes import Axis, Chart, KeyEntry, Level, Line, Picture, Point
from specviz.pictures.shown import Moment, Shown, Telling, join
from specviz.rules.coin import (
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
from specviz.rules.draw import Residual, residual_of
from specviz.rules.recursive import toss
from specviz.rules.spec import VerifierSpec
from specviz.rules.verdict import Verdict, Verifier, sample_after
from specviz.trace.decisions import ByChance, GuessTest, OfBoth
from specviz.trace.distribution import Distribution, normalised, overlap
from specviz.trace.ranges import Amount, Count, Depth, NodeNumber, Probability, Token
from specviz.trace.record import Iteration, Trace


@dataclass(frozen=True)
class SequenceTest(OfBoth, GuessTest, ByChance):
    """K-SEQ's test of one candidate among ``candidates`` i.i.d. ones: accepted with min(1, target_prob / (rho
    draft_prob)). ``beta`` is beta(rho), ``accept_any`` = 1 - (1 - beta)^candidates the probability that one is
    accepted."""

    node: NodeNumber
    depth: Depth
    token: Token
    acceptance_probability: Probability
    uniform: Probability | None
    accepted: bool
    target: Distribution
    draft: Distribution
    candidate: Count
    candidates: Count
    rho: Amount
    beta: Probability
    accept_any: Probability
    rule: Literal["kseq"] = "kseq"
    closes = False  # what follows a rejected guess may follow its copy

    def show(self, moment: Moment) -> Shown:
        """One of several i.i.d. candidates meets its coin."""
        trace, token = moment.trace, moment.token
        verdict = "accepted" if self.accepted else "rejected"
        many, numbers = self.candidates, shares(self)
        first = (
            f"{many} drafted sequences agree with the text so far; ρ = {numbers.rho} shares the target's "
            "probability among them."
            if many > 1 or self.rho != 1.0
            else "One drafted sequence agrees with the text so far, so ρ is 1 and the test is that of a single draft."
        )
        by_ratio, solved = by_the_ratio(self, self.rho), follows(self.accept_any, lambda: _meeting(self))
        telling = Telling(
            f"Token {self.depth}, candidate {self.candidate + 1} of {many}, {token}: {verdict}",
            join(
                first if self.candidate == 0 and solved else "",
                gives(token, numbers.target, numbers.draft),
                "" if by_ratio else own_words(moment),
                fall(self, "So it" if by_ratio else OWN),
                coin_reason(moment),
            ),
            kseq_formula(self),
        )
        return Shown(telling, panels(moment, "kseq", kseq_picture(trace, self)))


class SequenceVerifier(Verifier):
    """Judges i.i.d. sequences kept as a tree (``drafting/sequences.py``): the children of a prefix are the next tokens
    of all sequences that match so far; what follows a token is found under the first of its copies. The text follows
    the target's distribution. Drafts that are not i.i.d. break it. k = 1 is token verification."""

    reads = "siblings"

    def __init__(self, end_tokens: frozenset[int] = frozenset()):
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, children = scored.forest, scored.forest.children()
        verdict, prefix = Verdict(offered=forest.submitted_depth), -1
        while candidates := children.get(prefix):
            target, draft, k = scored.target_at(prefix), forest.nodes[candidates[0]].draft, len(candidates)
            p, q = target.probs, draft.probs_of(target.tokens)
            rho = solve_rho(p, q, k)
            beta = passing(p, q, rho)
            accept_any = 1.0 - (1.0 - beta) ** k
            for candidate, index in enumerate(candidates):
                node = forest.nodes[index]
                target_prob, scaled = target.prob(node.token), rho * node.draft_prob
                probability = 1.0 if target_prob >= scaled else target_prob / scaled
                uniform, accepted = toss(dice, probability, node.draft)
                verdict.decisions.append(
                    SequenceTest(
                        *(index, node.depth, node.token, probability, uniform, accepted, target, node.draft),
                        *(candidate, k, rho, beta, accept_any),
                    )
                )
                if accepted:
                    break
            else:
                verdict.sample_next(dice, scored, prefix, "resampled", leftover(target, draft, rho, k))
                return verdict
            verdict.path = forest.path(index)
            prefix = next(other for other in candidates if forest.nodes[other].token == node.token)
        return sample_after(verdict, scored, dice, self._end_tokens)


def passing(p: np.ndarray, q: np.ndarray, rho: float) -> float:
    """beta(rho) = sum min(q, p / rho), 0 to 1: the probability that one candidate drawn from q passes its coin; p and q
    [n] of the same tokens."""
    return min(1.0, float(np.minimum(q, p / rho).sum(dtype=np.float64)))


def solve_rho(p: np.ndarray, q: np.ndarray, k: int) -> float:
    """The rho in [1, k] with 1 - (1 - beta(rho))^k = rho beta(rho), by bisection: the upper end of the last bracket,
    for below the root the residual would be negative. p and q are [n], of the same tokens.

    Divided by beta the equation reads ``tries`` = rho, which has one root for beta = 0 as well, at rho = k.
    """
    both = np.flatnonzero(np.minimum(p, q))  # other tokens add nothing to beta
    p, q = p[both].astype(np.float64), q[both].astype(np.float64)

    def enough(rho: float) -> bool:
        return tries(passing(p, q, rho), k) <= rho

    low, high = 1.0, float(k)
    if enough(low):
        return low
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def tries(beta: float, k: int) -> float:
    """p_acc / beta = 1 + (1 - beta) + .. + (1 - beta)^(k - 1), 1 to k: how many of k coins are flipped on average."""
    return sum((1.0 - beta) ** i for i in range(k))


def leftover(target: Distribution, draft: Distribution, rho: float, k: int) -> Distribution:
    """norm(p - min(q, p / rho) p_acc / beta), from which a token is drawn when no candidate was accepted; p itself when
    nothing is left of it, and where the two have no token in common."""
    p, q = target.probs, draft.probs_of(target.tokens)
    accepted = np.minimum(q, p / rho)
    return normalised(target, np.maximum(p - accepted * tries(passing(p, q, rho), k), 0.0))


SPEC = VerifierSpec(
    "kseq",
    "K-SEQ, all candidates for a position at once",
    lambda context, options: SequenceVerifier(context.end_tokens),
    drawings=("independent",),
    exact=("independent",),
    title="K-SEQ",
    sentence="Judges all candidates for a position with one common discount on the acceptance probability, so "
    "that having several does not favour what the draft likes.",
)


_POINTS = 49


@residual_of.register
def _(test: SequenceTest, iteration: Iteration) -> Residual:
    share, p = test.accept_any / test.beta if test.beta > 0 else 0.0, test.target.table()
    draft = {token: share * min(prob, p.get(token, 0.0) / test.rho) for token, prob in test.draft.table().items()}
    return Residual(test.target, draft, called="what the target has left")


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
    key = KeyEntry("accepted", "", "probability that one is accepted"), KeyEntry("resampled", "", "ρ β(ρ)")
    words = kseq_text(trace, decision)
    if decision.uniform is None:
        return Picture((chart,), words, key)
    return Picture((chart, coin_strip(decision)), words, key + coin_key(decision))
