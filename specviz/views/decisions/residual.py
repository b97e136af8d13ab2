"""The distribution a token was drawn from: a residual of the target, or the target itself."""

from typing import NamedTuple

from specviz.trace.decisions import BlockTest, ByChance, Decision, Draw, GuessTest, OfBoth, SampledToken, SequenceTest
from specviz.trace.distribution import Distribution
from specviz.trace.record import Iteration, Trace
from specviz.views.decisions.cumulative import UNDER_STRIP, draw_strip, other_tone
from specviz.views.facts import iteration_facts as facts
from specviz.views.facts.follows import follows, is_left_over, is_same
from specviz.views.facts.iteration_facts import siblings
from specviz.views.facts.scene_parts import Moment, Shown, Telling, join
from specviz.views.facts.tokens import comes_out, number, quoted, worked
from specviz.views.pictures.bars import bars_picture, bars_text, origin_entry, token_choices
from specviz.views.pictures.shapes import Picture

OWN = "own"
"""The kind of a distribution that is neither the target's nor a residual that an equation here gives."""


def residual_kind(iteration: Iteration, draw: SampledToken) -> str:
    """The rule that the residual comes from which the token was drawn from: ``coin``, ``kseq`` or ``block``; "" for the
    target's own distribution; ``OWN`` where nothing was rejected, or the coins' residual is another."""
    if is_same(draw.source, draw.target):
        return ""
    left = _left(iteration, draw)
    if left is None:
        return OWN
    followed = left.rule != "coin" or is_left_over(draw.source, left.target, left.draft)
    return left.rule if followed else OWN


class _Left(NamedTuple):
    """norm((weight target - draft)+), with the rule that it is the residual of."""

    rule: str
    weight: float
    target: Distribution
    draft: Distribution | dict[int, float]


def _left(iteration: Iteration, draw: SampledToken) -> _Left | None:
    """What the last rejection at the drawn token's place leaves by its rule; None where none was rejected."""
    judged = siblings(iteration, draw.after)
    last = next((one for one in reversed(judged) if isinstance(one, OfBoth) and isinstance(one, ByChance)), None)
    if last is None or any(one.accepted for one in judged if isinstance(one, GuessTest)):
        return None
    rule, weight, draft = "coin", 1.0, last.draft
    if isinstance(last, BlockTest):
        rule = "block"
        tests = (one for one in iteration.decisions if isinstance(one, BlockTest))
        weight = next((one.weight for one in tests if one.node == draw.after), 1.0)
    if isinstance(last, SequenceTest):
        rule = "kseq"
        share, p = last.accept_any / last.beta if last.beta > 0 else 0.0, last.target.table()
        draft = {token: share * min(prob, p.get(token, 0.0) / last.rho) for token, prob in last.draft.table().items()}
    return _Left(rule, weight, last.target, draft)


def _title(draw: SampledToken, kind: str) -> str:
    if not kind or is_same(draw.source, draw.target):
        return "target"
    if kind == OWN:
        return "distribution that the method’s rule draws from"
    made = {"coin": "(target − draft)+", "block": "(p target − draft)+"}.get(kind, "what the target has left")
    return f"residual: {made}, renormalised"


def draw_picture(trace: Trace, iteration: Iteration, draw: SampledToken, kind: str) -> Picture:
    """Bars of the distribution drawn from, the drawn token marked with the look of its origin, and above them the strip
    on which the random number fell; ``kind`` is the rule that the residual comes from."""
    choices, title = (
        token_choices(trace, iteration, draw.after, draw.source.table(), draw.token, 24),
        _title(draw, kind),
    )
    how, word = ("Drawn from", "drawn") if draw.uniform is not None else ("From", "taken")
    words = bars_text(f"{how} the {title}", choices, word)
    words += "" if draw.uniform is None else f" The uniform number was {number(draw.uniform)}."
    strip = draw_strip(iteration, draw, lambda key: quoted(trace.vocabulary, key[1])[1:-1])
    return bars_picture(
        title, choices, origin_entry(draw.origin), other_tone(draw), words, shown=UNDER_STRIP, above=strip
    )


def show_draw(moment: Moment) -> Shown:
    """The token drawn at the end: from a residual, as a bonus, or from the target."""
    decision, iteration = moment.decision, moment.iteration
    kind = residual_kind(iteration, decision)
    picture = draw_picture(moment.trace, iteration, decision, kind)
    return Shown(_tell_draw(moment, siblings(iteration, decision.after), kind), {"decision": ("draw", picture)})


def _tell_draw(moment: Moment, judged: tuple[Decision, ...], kind: str) -> Telling:
    decision, said = moment.decision, moment.said
    token = moment.token
    prob = number(decision.source.prob(decision.token))
    random = decision.uniform is not None
    certain = "" if random else "Nothing is random here: it is the only one possible."
    formula = f"target({token}) = {prob}"
    if kind == OWN:
        title, formula = f"By the method's own rule: {token}", f"probability of {token} = {prob}"
        comes = "is drawn from" if random else "comes from"
        sentence = join(
            f"The next token {comes} a distribution that is the method's own: {token}, with probability {prob}.",
            moment.said.get("rule", ""),
        )
    elif kind:
        title, formula = f"From the residual: {token}", _residual_formula(moment)
        formula = formula or f"residual({token}) = {prob}"
        several = len(judged) > 1 and isinstance(judged[-1], GuessTest)
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
    coins = any(isinstance(d, ByChance) and not isinstance(d, Draw) for d in moment.iteration.decisions)
    told = decision.origin == "bonus" or not coins
    drawn = f"; drawn with random number {number(decision.uniform)}" if random else ""
    return Telling(title, join(sentence, certain, said.get("finish", "") if told else ""), formula + drawn)


def _all_stay(moment: Moment) -> str:
    nodes, after = facts.nodes_of(moment.iteration), moment.decision.after
    if any(node.submitted and node.parent == after for node in nodes):
        return "The rule goes no further"
    branches = len({node.parent for node in nodes if node.submitted}) < sum(node.submitted for node in nodes)
    return "A path is accepted to its end" if branches else "Every offered token stays"


def _residual_formula(moment: Moment) -> str:
    """How the residual gives the drawn token its probability, where what is recorded gives that number."""
    decision, left = moment.decision, _left(moment.iteration, moment.decision)
    if left is None:
        return ""
    p, weight = left.target.table(), left.weight
    q = left.draft if isinstance(left.draft, dict) else left.draft.table()
    total = sum(max(0.0, weight * prob - q.get(token, 0.0)) for token, prob in p.items())
    mine, theirs = p.get(decision.token, 0.0), q.get(decision.token, 0.0)
    found = decision.source.prob(decision.token)
    if not follows(found, lambda: (weight * mine - theirs) / total):
        return ""
    made = number(found)
    texts = worked(made, _share, weight, mine, theirs, total)
    if not comes_out(made, _share, *texts):
        return ""
    share, p_text, q_text, all_of_it = texts
    words = "" if weight == 1.0 else f"{share} × "
    return f"residual = ({words}{p_text} − {q_text}) / {all_of_it} = {made}"


def _share(weight: float, target: float, draft: float, total: float) -> float:
    return (weight * target - draft) / total
