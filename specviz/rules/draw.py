"""The distribution a token was drawn from: a residual of the target, or the target itself.

The strip over it is a random number like a coin: what it may lead to end to end from 0 to 1, and the number on one of
them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Literal, NamedTuple

import numpy as np

from specviz.facts import iteration_facts as facts
from specviz.facts.follows import follows, is_left_over, is_same
from specviz.facts.iteration_facts import nodes_of_pairs, siblings
from specviz.facts.tokens import comes_out, number, quoted, worked
from specviz.pictures.bars import bars_picture, bars_text, origin_entry, token_choices
from specviz.pictures.pairs import AnyDistribution
from specviz.pictures.shapes import Picture, Strip, StripPart, Tone
from specviz.pictures.shown import Moment, Shown, Telling, join
from specviz.trace.decisions import ByChance, Decision, Draw, GuessTest, OfBoth
from specviz.trace.distribution import Distribution, JointDistribution
from specviz.trace.forest import Origin
from specviz.trace.ranges import Depth, Prefix, Probability, Token
from specviz.trace.record import Iteration, Trace

OWN = "distribution that the method’s rule draws from"
"""What is neither the target's nor a residual that an equation here gives."""
JointKey = tuple[int, int]
COINS = "(target − draft)+"
"""What a coin's rejection leaves."""
UNDER_STRIP = 7  # bars, beside the rest: the strip has all of them


@dataclass(frozen=True)
class SampledToken(Draw):
    """One token drawn: from the residual after a rejection, or from the target (bonus, or no draft at all).

    ``after`` is the prefix it follows; ``target`` the target's distribution there, ``source`` the one drawn from (the
    same unless a residual).
    """

    after: Prefix
    depth: Depth
    token: Token
    origin: Origin
    uniform: Probability | None
    target: Distribution
    source: Distribution
    rule: Literal["draw"] = "draw"
    last = True

    @property
    def prefix(self) -> int:
        return self.after

    def show(self, moment: Moment) -> Shown:
        """The token drawn at the end: from a residual, as a bonus, or from the target."""
        iteration = moment.iteration
        kind = residual_kind(iteration, self)
        picture = draw_picture(moment.trace, iteration, self, kind)
        return Shown(_tell_draw(moment, siblings(iteration, self.after), kind), {"decision": ("draw", picture)})


def residual_kind(iteration: Iteration, draw: SampledToken) -> str:
    """What the residual is called which the token was drawn from; "" for the target's own distribution, ``OWN`` where
    nothing was rejected, or the coins' residual is another."""
    if is_same(draw.source, draw.target):
        return ""
    left = _left(iteration, draw)
    if left is None:
        return OWN
    followed = left.called != COINS or is_left_over(draw.source, left.target, left.draft)
    return left.called if followed else OWN


class Residual(NamedTuple):
    """norm((weight target - draft)+), and what it is called."""

    target: Distribution
    draft: Distribution | dict[int, float]
    weight: float = 1.0
    called: str = COINS


@singledispatch
def residual_of(test: OfBoth, iteration: Iteration) -> Residual:
    """What a rejection leaves for the token in place of the rejected one: by the rule of coins, where the file of a
    rule registers no other."""
    return Residual(test.target, test.draft)


def _left(iteration: Iteration, draw: SampledToken) -> Residual | None:
    """What the last rejection at the drawn token's place leaves by its rule; None where none was rejected."""
    judged = siblings(iteration, draw.after)
    last = next(
        (decision for decision in reversed(judged) if isinstance(decision, OfBoth) and isinstance(decision, ByChance)),
        None,
    )
    if last is None or any(decision.accepted for decision in judged if isinstance(decision, GuessTest)):
        return None
    return residual_of(last, iteration)


def draw_picture(trace: Trace, iteration: Iteration, draw: SampledToken, kind: str) -> Picture:
    """Bars of the distribution drawn from, the drawn token marked with the look of its origin, and above them the strip
    on which the random number fell; ``kind`` as ``residual_kind`` has it."""
    choices = token_choices(trace, iteration, draw.after, draw.source.table(), draw.token, 24)
    title = kind if kind == OWN else f"residual: {kind}, renormalised" if kind else "target"
    how, word = ("Drawn from", "drawn") if draw.uniform is not None else ("From", "taken")
    words = bars_text(f"{how} the {title}", choices, word)
    words += "" if draw.uniform is None else f" The uniform number was {number(draw.uniform)}."
    strip = draw_strip(iteration, draw, draw.source, lambda key: quoted(trace.vocabulary, key[1])[1:-1])
    return bars_picture(
        title, choices, origin_entry(draw.origin), other_tone(draw), words, shown=UNDER_STRIP, above=strip
    )


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
        if not random and any(decision.rule == "match" for decision in moment.iteration.decisions):
            sentence, certain = f"The next token is the target's most likely one at this position: {token}.", ""
            formula = f"{token} = argmax target (no coin is flipped)"
    coins = any(isinstance(d, ByChance) and not isinstance(d, Draw) for d in moment.iteration.decisions)
    closes = decision.origin == "bonus" or not coins
    drawn = f"; drawn with random number {number(decision.uniform)}" if random else ""
    return Telling(title, join(sentence, certain, said.get("finish", "") if closes else ""), formula + drawn)


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
    drawn_prob = decision.source.prob(decision.token)
    if not follows(drawn_prob, lambda: (weight * mine - theirs) / total):
        return ""
    made = number(drawn_prob)
    texts = worked(made, _share, weight, mine, theirs, total)
    if not comes_out(made, _share, *texts):
        return ""
    share, p_text, q_text, all_of_it = texts
    words = "" if weight == 1.0 else f"{share} × "
    return f"residual = ({words}{p_text} − {q_text}) / {all_of_it} = {made}"


def _share(weight: float, target: float, draft: float, total: float) -> float:
    return (weight * target - draft) / total


def spans(draw: Draw, source: AnyDistribution) -> list[tuple[JointKey, float, float]]:
    """((prefix, token), from, to) in the order in which the dice lay the outcomes end to end, 0 to 1; none where the
    record lists only some of them. The prefix of a token that is drawn alone is that of the draw."""
    if source.rest > 0.0:
        return []
    ends = source.probs.cumsum(dtype=np.float64)
    ends /= ends[-1]
    prefixes = source.prefixes.tolist() if isinstance(source, JointDistribution) else [draw.prefix] * len(ends)
    keys = zip(prefixes, source.tokens.tolist(), strict=True)
    ranges = zip(keys, [0.0, *ends[:-1].tolist()], ends.tolist(), strict=True)
    return [(key, start, end) for key, start, end in ranges if end > start]


def draw_strip(
    iteration: Iteration, draw: Draw, source: AnyDistribution, name: Callable[[JointKey], str]
) -> tuple[Strip, ...]:
    """The strip of a draw from ``source``, the drawn outcome with the mark of its origin; ``name`` tells what an
    outcome is called. None where no number was needed, or where not all outcomes are known."""
    ranges, drawn, node_of = spans(draw, source), (draw.prefix, draw.token), nodes_of_pairs(iteration)
    if draw.uniform is None or not ranges:
        return ()
    parts = tuple(
        StripPart(end, name(key), fate="drawn", tone=draw.origin, node=node_of(*key))
        if key == drawn
        else StripPart(end, name(key), tone=other_tone(draw), node=node_of(*key))
        for key, _, end in ranges
    )
    return (Strip(parts, uniform=draw.uniform, called="random number", text=number(draw.uniform)),)


def other_tone(draw: Draw) -> Tone:
    """The tone of what was not drawn."""
    return "waiting" if draw.origin == "target" else "target"
