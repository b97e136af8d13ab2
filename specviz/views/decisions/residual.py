"""The distribution a token was drawn from: a residual of the target, or the target itself."""

from functools import partial
from math import isclose

import plotly.graph_objects as go

from specviz.trace.decisions import BlockTest, Coin, Decision, SampledToken, SequenceTest
from specviz.trace.record import Iteration, Trace
from specviz.views.decisions.cumulative import UNDER_STRIP, spans, with_draw
from specviz.views.facts import iteration_facts as facts
from specviz.views.facts.iteration_facts import siblings
from specviz.views.facts.scene_parts import Drawing, Moment, Shown, Telling, join
from specviz.views.facts.tokens import label, number, quoted, worked
from specviz.views.plot import palette
from specviz.views.plot.bars import Bar, bars_figure, bars_text, linked


def is_residual(draw: SampledToken) -> bool:
    """Whether the token replaces a rejected one from something other than the target's own distribution."""
    return draw.origin == "resampled" and draw.source != draw.target


def _bars(trace: Trace, draw: SampledToken) -> tuple[Bar, ...]:
    table = draw.source.table()
    return tuple(Bar(label(trace.vocabulary, t, 24), prob, t == draw.token, t) for t, prob in table.items())


def _title(draw: SampledToken, kind: str) -> str:
    if not is_residual(draw):
        return "target"
    made = {"coin": "(target − draft)+", "block": "(p target − draft)+"}.get(kind, "what the target has left")
    return f"residual: {made}, renormalised"


def draw_text(trace: Trace, draw: SampledToken, kind: str = "coin") -> str:
    """The distribution and the draw in sentences; ``kind`` is the rule that the residual comes from."""
    how, word = ("Drawn from", "drawn") if draw.uniform is not None else ("From", "taken")
    text = bars_text(f"{how} the {_title(draw, kind)}", _bars(trace, draw), word)
    return text if draw.uniform is None else f"{text} The uniform number was {number(draw.uniform)}."


def draw_figure(
    trace: Trace, draw: SampledToken, kind: str = "coin", iteration: Iteration | None = None, *, dark: bool = False
) -> go.Figure:
    """Bars of the distribution drawn from, the drawn token marked with the look of its origin, and above them the strip
    on which the random number fell; ``iteration`` links bars to the nodes that were drafted for the same position."""
    mark = palette.ORIGINS[draw.origin]
    plain = palette.theme(dark).pending if draw.origin == "target" else palette.TARGET
    bars = linked(_bars(trace, draw), iteration, draw.after)
    names = ((label(trace.vocabulary, t, 8), quoted(trace.vocabulary, t)) for (_, t), *_ in spans(draw))
    return with_draw(
        bars_figure(bars, mark, plain, _title(draw, kind), dark, shown=UNDER_STRIP), draw, names, dark=dark
    )


def show_draw(moment: Moment) -> Shown:
    """The token drawn at the end: from a residual, as a bonus, or from the target."""
    decision, trace, iteration = moment.decision, moment.trace, moment.iteration
    judged = siblings(iteration, decision.after)
    kind = judged[-1].rule if judged else "coin"
    drawing = Drawing(partial(draw_figure, trace, decision, kind, iteration), partial(draw_text, trace, decision, kind))
    panels = {"decision": ("draw", drawing)}
    return Shown(_tell_draw(moment, judged), panels)


def _tell_draw(moment: Moment, judged: tuple[Decision, ...]) -> Telling:
    decision, said = moment.decision, moment.said
    token = quoted(moment.trace.vocabulary, decision.token)
    prob = number(decision.source.prob(decision.token))
    random = decision.uniform is not None
    certain = "" if random else "Nothing is random here: it is the only one possible."
    formula = f"target({token}) = {prob}"
    if is_residual(decision):
        title, formula = f"From the residual: {token}", _residual_formula(moment, judged)
        formula = formula or f"residual({token}) = {prob}"
        several = len(judged) > 1 and judged[-1].rule in ("coin", "kseq")
        lead = (
            f"None of {len(judged)} candidates was accepted: the position"
            if several
            else "The rejected token's position"
        )
        sentence = (
            f"{lead} is filled from what the target has more of than the draft: {token}, with probability {prob}."
        )
    elif decision.origin == "bonus":
        title = f"Bonus: {token}"
        sentence = (
            f"{_all_stay(moment)}, so the same call yields one more, from the target: {token}, with probability {prob}."
        )
    else:
        title = f"From the target: {token}"
        comes = "is drawn from" if random else "comes from"
        sentence = f"The next token {comes} the target at this position: {token}, with probability {prob}."
        if not random and any(one.rule == "match" for one in moment.iteration.decisions):
            sentence, certain = f"The next token is the target's most likely one at this position: {token}.", ""
            formula = f"{token} = argmax target (no coin is flipped)"
    coins = any(d.rule in ("coin", "kseq", "block") for d in moment.iteration.decisions)
    told = decision.origin == "bonus" or not coins
    drawn = f"; drawn with random number {number(decision.uniform)}" if random else ""
    return Telling(title, join(sentence, certain, said.get("finish", "") if told else ""), formula + drawn)


def _all_stay(moment: Moment) -> str:
    nodes = facts.nodes_of(moment.iteration)
    branches = len({node.parent for node in nodes if node.submitted}) < sum(node.submitted for node in nodes)
    return "A path is accepted to its end" if branches else "Every offered token stays"


def _residual_formula(moment: Moment, judged: tuple[Decision, ...]) -> str:
    """How the residual gives the drawn token its probability, where the draft distribution at this position is known
    and gives that number."""
    decision = moment.decision
    rejected = next((d for d in reversed(judged) if isinstance(d, Coin | SequenceTest | BlockTest)), None)
    if rejected is None:
        return ""
    p, q = rejected.target.table(), rejected.draft.table()
    weight = 1.0
    if isinstance(rejected, BlockTest):
        weight = next((d.weight for d in moment.made if d.rule == "block" and d.node == decision.after), 1.0)
    if isinstance(rejected, SequenceTest):
        share = rejected.accept_any / rejected.beta if rejected.beta > 0 else 0.0
        q = {token: share * min(prob, p.get(token, 0.0) / rejected.rho) for token, prob in q.items()}
    total = sum(max(0.0, weight * prob - q.get(token, 0.0)) for token, prob in p.items())
    mine, theirs = p.get(decision.token, 0.0), q.get(decision.token, 0.0)
    if total <= 0.0 or not isclose(
        (weight * mine - theirs) / total, decision.source.prob(decision.token), rel_tol=1e-3
    ):
        return ""
    made = number(decision.source.prob(decision.token))
    share, p_text, q_text, all_of_it = worked(made, lambda w, p, q, t: (w * p - q) / t, weight, mine, theirs, total)
    words = "" if weight == 1.0 else f"{share} × "
    return f"residual = ({words}{p_text} − {q_text}) / {all_of_it} = {made}"
