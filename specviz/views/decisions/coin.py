"""A coin: the strip from 0 to 1, shaded up to the acceptance probability, a needle at the recorded uniform number."""

from functools import partial
from typing import Any, NamedTuple

from specviz.trace.decisions import BlockTest, Coin, FlippedCoin
from specviz.trace.distribution import without
from specviz.trace.record import Trace
from specviz.views.decisions.cascade import cascade_data, cascade_text
from specviz.views.decisions.chance import chance
from specviz.views.facts.follows import is_left_over, is_same, ratio_follows
from specviz.views.facts.iteration_facts import ancestors, nodes_of, siblings
from specviz.views.facts.prefix_names import next_name
from specviz.views.facts.scene_parts import Drawing, Moment, Shown, Telling, join
from specviz.views.facts.tokens import number, pair, quoted, worked
from specviz.views.plot import palette
from specviz.views.plot.probabilities import probabilities_data, probabilities_text

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
    verdict = "accept" if decision.accepted else "reject"
    if not uniform:
        return f"target {target}, draft {draft}: {verdict} (no coin is flipped)"
    below = draft if lenience == 1.0 else f"({share} × {draft})"
    by_ratio = by_the_ratio(decision, lenience)
    made = f"min(1, {target} / {below}) =" if by_ratio else "acceptance probability, by the method’s own rule:"
    return f"{made} {probability}; coin {uniform} {'<' if is_below(decision) else '≥'} {probability}: {verdict}"


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
    decision, trace, index = moment.decision, moment.trace, moment.decision_index
    panels = {}
    if decision.candidates > 1:
        judged = [d for d in siblings(moment.iteration, _parent(moment)) if d.rule == "coin"]
        judged = [d for d in judged if d.candidate <= decision.candidate]
        panels["probabilities"] = (
            f"probabilities-{index}",
            Drawing(partial(cascade_data, trace, judged, moment.iteration), partial(cascade_text, trace, judged)),
        )
    else:
        panels["probabilities"] = probabilities_panel(moment)
    if decision.uniform is not None:
        panels["decision"] = coin_panel(moment)
    return Shown(_tell_coin(moment), panels)


def probabilities_panel(moment: Moment) -> tuple[str, Drawing]:
    """Target against draft at the position of the decision."""
    arguments = (moment.trace, moment.decision, moment.iteration)
    return f"probabilities-{moment.decision_index}", Drawing(
        partial(probabilities_data, *arguments), partial(probabilities_text, *arguments)
    )


def coin_panel(moment: Moment) -> tuple[str, Drawing]:
    """The strip of the decision's coin."""
    decision = moment.decision
    return f"coin-{moment.decision_index}", Drawing(
        partial(coin_data, decision), partial(coin_text, moment.trace, decision)
    )


def _parent(moment: Moment) -> int:
    return nodes_of(moment.iteration)[moment.decision.node].parent


def _tell_coin(moment: Moment) -> Telling:
    decision = moment.decision
    token, said = quoted(moment.trace.vocabulary, decision.token), moment.said
    reason = said.get("accept" if decision.accepted else "reject", "") if decision.uniform is not None else ""
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
    token, last = quoted(moment.trace.vocabulary, decision.token), before[-1]
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
    return [d for d in judged if d.rule == "coin" and d.candidate < decision.candidate]


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
    earlier = [d for d in moment.made[:-1] if d.rule == "beam-coin" and d.depth == decision.depth]
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
    kept = sum(d.accepted for d in moment.made if d.rule == "beam-coin" and d.depth == decision.depth)
    full = f"That makes {kept} of the {layer.width} beams of this layer." if layer and decision.accepted else ""
    reason = moment.said.get("accept" if decision.accepted else "reject", "") if decision.uniform is not None else ""
    target, draft, *_ = odds(decision)
    given = gives(f"the beam {beam}", target, draft, left=bool(rejections))
    so, words = ("So it", "") if by_the_ratio(decision) else (OWN, own_words(moment))
    sentence = join(left, given, words, fall(decision, so), full, reason)
    panels = {"probabilities": probabilities_panel(moment)}
    if decision.uniform is not None:
        panels["decision"] = coin_panel(moment)
    return Shown(Telling(f"Layer {decision.depth}, beam {beam}: {verdict}", sentence, coin_formula(decision)), panels)


def coin_data(decision: FlippedCoin, *, dark: bool = False) -> dict[str, Any]:
    """The strip of a coin that was flipped (``decision.uniform`` is not None), as plain ``data`` and ``layout``."""
    layout = palette.frame(
        dark,
        90,
        coin_key(decision),
        notes=[needle_note(decision)],
        margin={"l": 24, "r": 24, "t": 34},
        barmode="stack",
        xaxis={"range": [0, 1], "tickvals": [0, 0.25, 0.5, 0.75, 1], "showgrid": False},
        yaxis={"visible": False, "range": [-0.5, 0.5]},
        shapes=[needle(decision, dark)],
    )
    layout["meta"] |= coin_chance(decision)
    return {"data": strip(decision), "layout": layout}


def coin_chance(decision: FlippedCoin, axis: str = "") -> dict[str, Any]:
    """What a coin of any value would lead to, for the handle on the strip (``chance``)."""
    assert decision.uniform is not None
    ends = (decision.acceptance_probability, "accepted", "accepted"), (1.0, "rejected", "rejected")
    return chance(decision.uniform, f"x{axis}", ends)


def coin_key(decision: FlippedCoin) -> palette.Key:
    """What the two sides of the strip mean."""
    assert decision.uniform is not None
    _, probability = pair(decision.uniform, decision.acceptance_probability)
    return palette.Key(((palette.ACCEPTED, "", f"✓ accept, {probability}"), (palette.REJECTED, "", "✗ reject")))


def needle_note(decision: FlippedCoin, axis: str = "") -> dict:
    """The word over the needle."""
    assert decision.uniform is not None
    uniform, _ = pair(decision.uniform, decision.acceptance_probability)
    anchor = {"xref": f"x{axis}", "yref": f"y{axis}", "x": decision.uniform, "y": 0.5, "yanchor": "bottom"}
    if decision.uniform > 0.85:  # not out of the drawing
        return anchor | {"text": f"<b>coin {uniform} ▼</b>", "showarrow": False, "xanchor": "right", "xshift": 7}
    side = {"xanchor": "left", "xshift": -7} if decision.uniform < 0.15 else {}
    return anchor | {"text": f"<b>▼ coin {uniform}</b>", "showarrow": False} | side


def needle(decision: FlippedCoin, dark: bool, axis: str = "") -> dict:
    """The recorded uniform number, as a line across the strip."""
    ends = {
        "x0": decision.uniform,
        "x1": decision.uniform,
        "y0": -0.5,
        "y1": 0.5,
        "xref": f"x{axis}",
        "yref": f"y{axis}",
    }
    return {"type": "line", "line": {"color": palette.theme(dark).ink, "width": 4}} | ends


def strip(decision: FlippedCoin, axis: str = "") -> list[dict[str, Any]]:
    """The two sides of the strip, on the axes x and y of that number ("" is the first)."""
    sides = (
        (decision.acceptance_probability, palette.ACCEPTED, "accept", ""),
        (1.0 - decision.acceptance_probability, palette.REJECTED, "reject", "/"),
    )
    bars = []
    for length, color, word, hatch in sides:
        pattern = {"pattern": {"shape": hatch, "fgcolor": color, "bgcolor": palette.CLEAR}} if hatch else {}
        marker = {"color": color, "line": {"color": color, "width": 1}} | pattern
        axes = {"x": [length], "y": [0], "xaxis": f"x{axis}", "yaxis": f"y{axis}", "width": 0.8}
        bars.append({"type": "bar", "orientation": "h", "name": word, "marker": marker, "hoverinfo": "name"} | axes)
    return bars
