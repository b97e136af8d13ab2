"""Big Little Decoder's check: how much each token of the small model surprises the target, against a threshold.

No coin. Below each token, how sure the small model was when it wrote the token.
"""

from collections.abc import Sequence
from math import inf

from specviz.errors import ReplayError
from specviz.trace.decisions import RollbackTest
from specviz.trace.record import Trace
from specviz.views.decisions.coin import own_words, panels
from specviz.views.facts.follows import follows
from specviz.views.facts.scene_parts import Moment, Shown, Telling, join
from specviz.views.facts.tokens import number, pair, quoted
from specviz.views.pictures.charts import failing, passing, point_of, round_ticks, ticks_at, token_axis
from specviz.views.pictures.shapes import Axis, Chart, Column, Entry, Level, Line, Picture, Setting


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
        found = -decision.target.logprob(decision.token)
    except ReplayError:  # not among the tokens that the record lists
        return decision.surprise is None
    return found == inf if decision.surprise is None else follows(decision.surprise, lambda: found)


def surprises(decision: RollbackTest) -> tuple[str, ...]:
    """The surprise and how much is allowed, as they are written."""
    if decision.surprise is None:
        return "∞", number(decision.threshold)
    return pair(decision.surprise, decision.threshold)


def show_rollback(moment: Moment) -> Shown:
    """One token of the small model: does it surprise the large one too much?"""
    decision, token = moment.decision, moment.token
    surprise, allowed = surprises(decision)
    telling = Telling(
        f"Token {decision.depth}, {token}: {_verdict(decision)}",
        join(
            f"The small model was sure of itself here ({number(decision.confidence)}); the target is surprised by "
            f"{token} by {surprise} nats, {allowed} are allowed."
            if is_surprise(decision)
            else own_words(moment),
            moment.reason,
        ),
        rollback_formula(decision),
    )
    picture = rollback_picture(moment.trace, moment.tests, moment.option("fallback"), total=moment.total)
    return Shown(telling, panels(moment, "rollback", picture))


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
        levels=(Level(threshold, f"at most {number(threshold)}", setting=Setting("rollback")),),
        tall=0.65,
    )
    confidence = Chart(
        tokens,
        Axis(0.0, 1.3, ticks_at(0.0, 0.5, 1.0)),
        columns=tuple(Column(d.depth, d.confidence, "draft", number(d.confidence)) for d in decisions),
        levels=() if fallback is None else (Level(fallback, number(fallback), "muted", "dotted"),),
        tall=0.35,
    )
    key = passing("surprise: stays"), failing("rolled back"), Entry("draft", "", "the small model's confidence")
    return Picture((surprise, confidence), rollback_text(trace, decisions, fallback), key)
