"""Rollback: the target goes over what the small model wrote and takes the text back to its first bad token.

Big Little Decoder (Kim et al. 2023), a baseline of mtad.txt; the small model's half, the fallback, is in
``drafting/confident.py``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from specviz.dice import Dice
from specviz.drafting.confident import confidence
from specviz.drafting.drafter import ScoredForest
from specviz.errors import ReplayError
from specviz.facts.follows import follows
from specviz.facts.tokens import number, pair, quoted
from specviz.options import Option
from specviz.pictures.charts import failing, passing, point_of, round_ticks, ticks_at, token_axis
from specviz.pictures.shapes import Axis, Chart, Column, KeyEntry, Level, LevelOption, Line, Picture
from specviz.pictures.shown import Moment, Shown, Telling, join
from specviz.rules.coin import own_words, panels
from specviz.rules.spec import VerifierSpec, target_or_greedy
from specviz.rules.verdict import Verdict, Verifier, sample_after
from specviz.trace.decisions import OfBoth, PrefixTest
from specviz.trace.distribution import Distribution
from specviz.trace.forest import finite
from specviz.trace.ranges import Amount, Depth, NodeNumber, Probability, Token
from specviz.trace.record import Trace


@dataclass(frozen=True)
class RollbackTest(OfBoth, PrefixTest):
    """Big Little Decoder's check of one token of the small model: it ``passes`` when ``surprise`` = -log of its raw
    target probability (nats, None for infinity) is at most ``threshold``; ``confidence`` is the small model's largest
    raw probability when it wrote the token; ``kept``: before the first that fails."""

    node: NodeNumber
    depth: Depth
    token: Token
    confidence: Probability
    surprise: Amount | None
    threshold: Amount
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["rollback"] = "rollback"

    def show(self, moment: Moment) -> Shown:
        """One token of the small model: does it surprise the large one too much?"""
        token = moment.token
        surprise, allowed = surprises(self)
        telling = Telling(
            f"Token {self.depth}, {token}: {_verdict(self)}",
            join(
                f"The small model was sure of itself here ({number(self.confidence)}); the target is surprised by "
                f"{token} by {surprise} nats, {allowed} are allowed."
                if is_surprise(self)
                else own_words(moment),
                moment.reason,
            ),
            rollback_formula(self),
        )
        picture = rollback_picture(moment.trace, moment.tests, moment.option("fallback"), total=moment.total)
        return Shown(telling, panels(moment, "rollback", picture))


class RollbackVerifier(Verifier):
    """A token x_i fails when -log p(x_i) > threshold, with p the target's raw distribution, in nats.

    The text is rolled back to the earliest failing token, which a draw from the target (warped) replaces; where none
    fails, the target supplies the next token. No coin, no residual. ``threshold`` is 0 or more: at 0 only tokens that
    the target was certain of stay.
    """

    reads = "nothing"

    def __init__(self, threshold: float, end_tokens: frozenset[int] = frozenset()):
        self._threshold, self._end_tokens = threshold, end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        chain = scored.forest.submitted
        verdict, going_on = Verdict(offered=len(chain)), True
        for index in chain:
            node = scored.forest.nodes[index]
            target = scored.target_at(node.parent)
            surprise = max(0.0, -target.logprob(node.token))
            passes = surprise <= self._threshold
            going_on = going_on and passes
            if going_on:
                verdict.path.append(index)
            numbers = (confidence(node.draft), finite(surprise), self._threshold)
            verdict.decisions.append(
                RollbackTest(index, node.depth, node.token, *numbers, passes, going_on, target, node.draft)
            )
        return sample_after(verdict, scored, dice, self._end_tokens)


SPEC = VerifierSpec(
    "rollback",
    "Big Little Decoder's rollback",
    lambda context, options: RollbackVerifier(options["rollback"], context.end_tokens),
    (
        Option(
            "rollback",
            "number",
            2.0,
            "Surprise in nats, -log p(x), above which the text is rolled back.",
            0.0,
            100.0,
        ),
    ),
    judges=("chain",),
    guarantee=lambda options, drawing: target_or_greedy(options) if options["rollback"] == 0.0 else "lossy",
    title="Rollback",
    sentence="No coin: keeps the draft's text up to the first token that surprises the target by more than a "
    "threshold.",
)


def rollback_formula(decision: RollbackTest) -> str:
    """The check with the numbers put in."""
    surprise, threshold = surprises(decision)
    within = decision.surprise is not None and decision.surprise <= decision.threshold
    verdict = "stays" if decision.passes else "roll back to here"
    made = "−log target =" if is_surprise(decision) else "by the method’s own rule:"
    return f"{made} {surprise} {'≤' if within else '>'} {threshold}: {verdict} (no coin is flipped)"


def is_surprise(decision: RollbackTest) -> bool:
    """Whether the surprise is -log of the raw target probability."""
    try:
        surprise = -decision.target.logprob(decision.token)
    except ReplayError:  # not among the tokens that the record lists
        return decision.surprise is None
    return surprise == inf if decision.surprise is None else follows(decision.surprise, lambda: surprise)


def surprises(decision: RollbackTest) -> tuple[str, ...]:
    """The surprise and how much is allowed, as they are written."""
    if decision.surprise is None:
        return "∞", number(decision.threshold)
    return pair(decision.surprise, decision.threshold)


def _verdict(decision: RollbackTest) -> str:
    """What becomes of a token: one that passes after another failed is lost too."""
    if not decision.passes:
        return "rolled back"
    return "stays" if decision.kept else "passes, after the rollback"


def rollback_text(trace: Trace, decisions: Sequence[RollbackTest], fallback: float | None) -> str:
    """The checks so far in sentences."""
    lines = [f"At most {number(decisions[0].threshold)} nats of surprise are allowed."]
    for d in decisions:
        lines.append(
            f"{d.depth}, {quoted(trace.vocabulary, d.token)}: surprise {surprises(d)[0]}, "
            f"{'stays' if d.passes else 'rolled back'}; the small model's confidence was {number(d.confidence)}."
        )
    if fallback is not None:
        lines.append(f"Below a confidence of {number(fallback)} the small model does not write on.")
    return "\n".join(lines)


def rollback_picture(trace: Trace, decisions: Sequence[RollbackTest], fallback: float | None, *, total: int) -> Picture:
    """Surprise per token against the threshold, for the checks made so far, one at least, of ``total``; below, the
    small model's confidence when it wrote the token. Infinite surprise stands at the top."""
    threshold, tokens = decisions[0].threshold, token_axis(trace, decisions, total)
    top = 1.2 * max([threshold, 1.0, *(d.surprise for d in decisions if d.surprise is not None)])
    heights = [top if d.surprise is None else d.surprise for d in decisions]
    surprise = Chart(
        tokens,
        Axis(-0.08 * top, 1.12 * top, round_ticks(0.0, top), "surprise, nats"),
        lines=tuple(Line("muted", ((d.depth, 0.0), (d.depth, y))) for d, y in zip(decisions, heights, strict=True)),
        points=tuple(
            point_of(d, d.depth, y, f"{d.depth}: {surprises(d)[0]}", beyond="∞" if d.surprise is None else "")
            for d, y in zip(decisions, heights, strict=True)
        ),
        levels=(Level(threshold, f"at most {number(threshold)}", setting=LevelOption("rollback")),),
        tall=0.65,
    )
    confidence = Chart(
        tokens,
        Axis(0.0, 1.3, ticks_at(0.0, 0.5, 1.0)),
        columns=tuple(Column(d.depth, d.confidence, "draft", number(d.confidence)) for d in decisions),
        levels=() if fallback is None else (Level(fallback, number(fallback), "muted", "dotted"),),
        tall=0.35,
    )
    key = passing("surprise: stays"), failing("rolled back"), KeyEntry("draft", "", "the small model's confidence")
    return Picture((surprise, confidence), rollback_text(trace, decisions, fallback), key)
