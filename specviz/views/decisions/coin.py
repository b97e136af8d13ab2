"""A coin: a strip from 0 to 1, in parts up to the acceptance probability and beyond, and the uniform number on it."""

from typing import NamedTuple

from specviz.trace.decisions import BlockTest, Coin, FlippedCoin
from specviz.trace.distribution import without
from specviz.trace.record import Trace
from specviz.views.decisions.cascade import cascade_picture
from specviz.views.facts.follows import is_left_over, is_same, ratio_follows
from specviz.views.facts.iteration_facts import ancestors, nodes_of, siblings
from specviz.views.facts.prefix_names import next_name
from specviz.views.facts.scene_parts import Moment, Shown, Telling, join
from specviz.views.facts.tokens import number, pair, quoted, worked
from specviz.views.pictures.charts import failing, passing
from specviz.views.pictures.pairs import probabilities_picture
from specviz.views.pictures.shapes import Entry, Part, Picture, Strip

OWN = "By the method's own rule it"


class Odds(NamedTuple):
    """The numbers of a coin as they are written, with enough digits for a reader to find the acceptance probability
    again; ``uniform`` is "" where none was flipped."""

    target: str
    draft: str
    lenience: str
    probability: str
    uniform: str


def odds(decision: FlippedCoin, lenience: float = 1.0) -> Odds:
    """The numbers of min(1, target / (lenience draft)) and of its coin."""
    probability, uniform = number(decision.acceptance_probability), ""
    if decision.uniform is not None:
        uniform, probability = pair(decision.uniform, decision.acceptance_probability)
    factors = decision.target_prob, decision.draft_prob, lenience
    target, draft, share = worked(probability, lambda p, q, share: min(1.0, p / (share * q)), *factors)
    return Odds(target, draft, share, probability, uniform)


def coin_formula(decision: FlippedCoin, lenience: float = 1.0) -> str:
    """The acceptance test with the numbers put in; of a rule that has another one, the probability that it gave."""
    target, draft, share, probability, uniform = odds(decision, lenience)
    if not uniform:
        return f"target {target}, draft {draft}{outcome(decision, uniform, probability)}"
    below = draft if lenience == 1.0 else f"({share} × {draft})"
    return ratio_formula(decision, lenience, target, below, probability) + outcome(decision, uniform, probability)


def ratio_formula(decision: FlippedCoin, lenience: float, target: str, below: str, probability: str) -> str:
    """min(1, target / below) = probability, where it is; else whose rule gave the probability."""
    if by_the_ratio(decision, lenience):
        return f"min(1, {target} / {below}) = {probability}"
    return f"acceptance probability, by the method’s own rule: {probability}"


def outcome(decision: FlippedCoin, uniform: str, probability: str) -> str:
    """The end of a formula: the coin beside its probability, as written, and what follows."""
    verdict = "accept" if decision.accepted else "reject"
    if not uniform:
        return f": {verdict} (no coin is flipped)"
    return f"; coin {uniform} {'<' if is_below(decision) else '≥'} {probability}: {verdict}"


def by_the_ratio(decision: FlippedCoin, lenience: float = 1.0) -> bool:
    """Whether the acceptance probability is min(1, target / (lenience draft))."""
    return ratio_follows(decision.acceptance_probability, decision.target_prob, decision.draft_prob, lenience)


def is_below(decision: FlippedCoin | BlockTest) -> bool:
    """Whether the coin fell below its probability."""
    return decision.uniform is not None and decision.uniform < decision.acceptance_probability


def coin_text(trace: Trace, decision: FlippedCoin) -> str:
    """The coin in a sentence."""
    token = quoted(trace.vocabulary, decision.token)
    verdict = "accepted" if decision.accepted else "rejected"
    if decision.uniform is None:
        return f"{token} is {verdict}; no coin is flipped."
    uniform, probability = pair(decision.uniform, decision.acceptance_probability)
    side = "below" if is_below(decision) else "not below"
    return f"{token} is accepted with probability {probability}. The coin fell at {uniform}, {side} that: {verdict}."


def fall(decision: FlippedCoin, so: str = "So it") -> str:
    """How the coin fell, for a sentence about a token whose target and draft probabilities have been told; ``so``: in
    what way the acceptance probability comes from them."""
    verdict = "accepted" if decision.accepted else "rejected"
    if decision.uniform is None:
        return f"No coin is needed: it is {verdict}."
    if decision.acceptance_probability <= 0.0 and not decision.accepted:
        return "It is rejected wherever the coin falls."
    if decision.acceptance_probability >= 1.0 and decision.accepted:
        return "It is accepted wherever the coin falls."
    uniform, probability = pair(decision.uniform, decision.acceptance_probability)
    side = "below" if is_below(decision) else "not below"
    return f"{so} is accepted with probability {probability}; the coin falls at {uniform}, {side} it: {verdict}."


def gives(token: str, target: str, draft: str, *, left: bool = False) -> str:
    """What target and draft give a token, as written; ``left``: what earlier rejections left of the target's
    distribution."""
    who = "What is left of the target's distribution" if left else "The target"
    if draft == "1":
        return f"{who} gives {token} probability {target}; the draft's guess counts as certain."
    return f"{who} gives {token} probability {target}, the draft {draft}."


def show_coin(moment: Moment) -> Shown:
    """One drafted token, alone or among several candidates, meets its coin."""
    decision, trace, iteration = moment.decision, moment.trace, moment.iteration
    probabilities = probabilities_panel(moment)
    if decision.candidates > 1:
        judged = [d for d in siblings(iteration, _parent(moment)) if isinstance(d, Coin)]
        judged = [d for d in judged if d.candidate <= decision.candidate]
        probabilities = (probabilities[0], cascade_picture(trace, iteration, judged))
    return Shown(_tell_coin(moment), {"probabilities": probabilities} | coin_panel(moment))


def panels(moment: Moment, name: str, picture: Picture) -> dict[str, tuple[str, Picture]]:
    """Target against draft, and under it the picture of the decision."""
    return {"probabilities": probabilities_panel(moment), "decision": (f"{name}-{moment.decision_index}", picture)}


def probabilities_panel(moment: Moment) -> tuple[str, Picture]:
    """Target against draft at the position of the decision."""
    picture = probabilities_picture(moment.trace, moment.iteration, moment.decision)
    return f"probabilities-{moment.decision_index}", picture


def coin_panel(moment: Moment) -> dict[str, tuple[str, Picture]]:
    """The strip of the decision's coin, as the panel it has; none where no coin was flipped."""
    decision = moment.decision
    if decision.uniform is None:
        return {}
    picture = Picture((coin_strip(decision),), coin_text(moment.trace, decision), coin_key(decision))
    return {"decision": (f"coin-{moment.decision_index}", picture)}


def coin_strip(decision: FlippedCoin) -> Strip:
    """The strip of a coin that was flipped (``decision.uniform`` is not None)."""
    return two_sided(decision, ("✓ accept", "accepted"), ("✗ reject", "rejected"))


def two_sided(decision: FlippedCoin | BlockTest, below: tuple[str, str], above: tuple[str, str]) -> Strip:
    """The strip of a coin that was flipped; the name of either side, and in words."""
    assert decision.uniform is not None
    uniform, _ = pair(decision.uniform, decision.acceptance_probability)
    parts = (
        Part(decision.acceptance_probability, *below, "accepted", "accepted"),
        Part(1.0, *above, "rejected", "rejected"),
    )
    return Strip(parts, uniform=decision.uniform, called="coin", text=uniform)


def coin_key(decision: FlippedCoin) -> tuple[Entry, ...]:
    """What the two sides of the strip mean."""
    assert decision.uniform is not None
    _, probability = pair(decision.uniform, decision.acceptance_probability)
    return passing(f"accept, {probability}"), failing("reject")


def _parent(moment: Moment) -> int:
    return nodes_of(moment.iteration)[moment.decision.node].parent


def _tell_coin(moment: Moment) -> Telling:
    decision = moment.decision
    token, reason = moment.token, coin_reason(moment)
    verdict = "accepted" if decision.accepted else "rejected"
    which = f"Token {decision.depth}, {token}" if decision.candidates == 1 else _candidate(decision, token)
    which, taken = _chain(moment, token) or which, _taken(moment)
    lenience = moment.option("lenience") or 1.0
    lenience = lenience if by_the_ratio(decision, lenience) else 1.0
    so, words = ("So it", "") if by_the_ratio(decision, lenience) else (OWN, own_words(moment))
    target, draft, *_ = odds(decision, lenience)
    left = bool(taken) and _since_rejections(moment)
    return Telling(
        f"{which}: {verdict}",
        join(taken, gives(token, target, draft, left=left), words, fall(decision, so), reason),
        coin_formula(decision, lenience),
    )


def coin_reason(moment: Moment) -> str:
    """What the method says of a guess that came out so, where a coin was flipped."""
    return moment.reason if moment.decision.uniform is not None else ""


def own_words(moment: Moment) -> str:
    """What a rule says of itself, where no equation of ours does."""
    return moment.said.get("rule", "")


def _candidate(decision: Coin, token: str) -> str:
    return f"Token {decision.depth}, candidate {decision.candidate + 1} of {decision.candidates}, {token}"


def _chain(moment: Moment, token: str) -> str:
    """For a token below a root of its own: which chain it belongs to, and how far down; "" for others."""
    nodes, node = nodes_of(moment.iteration), moment.decision.node
    path = [prefix for prefix in ancestors(nodes, node) if prefix >= 0]
    if not path or not nodes[path[-1]].root:
        return ""
    return f"Chain of {quoted(moment.trace.vocabulary, nodes[path[-1]].token)}, draft {len(path)}, {token}"


def _taken(moment: Moment) -> str:
    """For a later candidate: what the earlier rejections took away."""
    decision, before = moment.decision, _earlier(moment)
    if not before:
        return ""
    token, last = moment.token, before[-1]
    was, now = last.target.prob(decision.token), decision.target_prob
    before_it, after_it = pair(was, now)
    change = f"{token} had {before_it} and has {after_it}" if was != now else f"{token} has {after_it}, as before"
    if not _since_rejections(moment):
        told = was != now and not is_same(last.target, decision.target)
        return f"It is judged by another distribution than the candidate before: {change}." if told else ""
    lead = "After a rejection" if len(before) == 1 else f"After {len(before)} rejections"
    removed = decision.draft != last.draft and is_same(decision.draft, without(last.draft, last.token))
    lost = " The rejected token is removed from the draft's distribution." if removed else ""
    return f"{lead} the target's distribution is what it has more of than the draft: {change}.{lost}"


def _earlier(moment: Moment) -> list[Coin]:
    """The candidates that were judged before at the same place."""
    decision = moment.decision
    judged = siblings(moment.iteration, _parent(moment)) if decision.candidate else ()
    return [d for d in judged if isinstance(d, Coin) and d.candidate < decision.candidate]


def _since_rejections(moment: Moment) -> bool:
    """Whether all earlier candidates were rejected, and what is judged by now is what the last one left."""
    before = _earlier(moment)
    rejected = bool(before) and not any(one.accepted for one in before)
    return rejected and is_left_over(moment.decision.target, before[-1].target, before[-1].draft)


def show_beam_coin(moment: Moment) -> Shown:
    """One drafted beam meets its coin."""
    decision, iteration = moment.decision, moment.iteration
    beam = f"“{next_name(moment.trace, iteration, decision.parent, decision.token, 16)}”"
    verdict = "accepted" if decision.accepted else "rejected"
    earlier = [d for d in moment.tests[:-1] if d.depth == decision.depth]
    rejections = 0
    for one in reversed(earlier):
        if one.accepted:
            break
        rejections += 1
    if rejections and not is_left_over(decision.target, earlier[-1].target, earlier[-1].draft):
        rejections = 0  # by a rule of its own
    since = "the rejection" if rejections == 1 else f"the {rejections} rejections"
    left = f"p' is what {since} before left of the target's joint distribution over beams." if rejections else ""
    layer = next((d for d in moment.made if d.rule == "layer" and d.depth == decision.depth), None)
    kept = sum(d.accepted for d in moment.tests if d.depth == decision.depth)
    full = f"That makes {kept} of the {layer.width} beams of this layer." if layer and decision.accepted else ""
    target, draft, *_ = odds(decision)
    given = gives(f"the beam {beam}", target, draft, left=bool(rejections))
    so, words = ("So it", "") if by_the_ratio(decision) else (OWN, own_words(moment))
    sentence = join(left, given, words, fall(decision, so), full, coin_reason(moment))
    telling = Telling(f"Layer {decision.depth}, beam {beam}: {verdict}", sentence, coin_formula(decision))
    return Shown(telling, {"probabilities": probabilities_panel(moment)} | coin_panel(moment))
