"""What is said about each scene: a title, a sentence with the numbers in it, a formula with the numbers put in.

Words come from the decision's rule and from the texts that the method's record carries, never from the method's name.
"""

from math import prod
from typing import NamedTuple

from specviz.trace.record import CoinDecision, DrawDecision, Iteration, JointDecision, Trace
from specviz.views import reading
from specviz.views.coin import coin_formula
from specviz.views.residual import is_residual
from specviz.views.staircase import joint_formula, jumped_over, longest_passing
from specviz.views.tokens import count, number, pair, quoted


class Telling(NamedTuple):
    """The words of one scene, all plain text."""

    title: str
    sentence: str
    formula: str


def _join(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def context(trace: Trace, iteration: Iteration) -> Telling:
    """Before anything happens."""
    last = quoted(trace.vocabulary, iteration.context_tail[-1])
    earlier = iteration.context_length - 1
    holds = "the one" if earlier == 1 else f"the {earlier:,}"
    cached = f"The target's cache holds {holds} before it" if earlier else ""
    return Telling(
        "The text so far",
        _join(
            f"The text is {count(iteration.context_length, 'token')} long and ends with {last}.",
            f"{cached}; {last} itself goes into the next target call." if earlier else "",
            trace.header.method.texts.get("rule", ""),
        ),
        "",
    )


def draft_layer(trace: Trace, iteration: Iteration, depth: int, by_chance: bool) -> Telling:
    """The nodes of one depth appear."""
    nodes = reading.nodes_of(iteration)
    layer = [node for node in nodes if node.depth == depth]
    drawn = ", ".join(f"{quoted(trace.vocabulary, node.token)} ({number(node.draft_prob)})" for node in layer[:4])
    more = f" and {len(layer) - 4} more" if len(layer) > 4 else ""
    lead = trace.header.method.texts.get("draft", "") if depth == 1 else ""
    if not by_chance or all(node.draft_prob == 1.0 for node in layer):
        what = f"At depth {depth} the draft leaves nothing to chance: {drawn}{more}."
    elif len(layer) == 1:
        token, prob = quoted(trace.vocabulary, layer[0].token), number(layer[0].draft_prob)
        what = f"At depth {depth} the draft draws {token}, to which it gives probability {prob}."
    else:
        what = (
            f"At depth {depth} the draft draws {count(len(layer), 'continuation')}, a sequence being likelier the "
            f"larger the product of its draft probabilities (in brackets, the last factor): {drawn}{more}."
        )
    path = [node for node in nodes if node.submitted and node.depth <= depth]
    formula = ""
    product = prod(node.draft_prob for node in path)
    last = depth == max(node.depth for node in nodes)
    if by_chance and last and 1 < len(path) == depth <= 8 and product < 1.0:
        factors = " × ".join(number(node.draft_prob) for node in path)
        formula = f"draft probability of the submitted path: {factors} = {number(product)}"
    return Telling(f"Draft, depth {depth}", _join(lead, what), formula)


def target_pass(trace: Trace, iteration: Iteration) -> Telling:
    """The one target call over the last context token and the submitted nodes."""
    nodes = reading.nodes_of(iteration)
    sent = len(reading.submitted(nodes))
    left = len(nodes) - sent
    what = "The target reads the last context token alone and gives the probabilities of the next one."
    if sent:
        what = (
            f"All {1 + sent} tokens go in at once: the last context token and "
            f"{count(sent, 'drafted token')}. The mask lets each see only the context and its own ancestors, so this "
            f"one call gives the target's probabilities at {count(1 + sent, 'place')}."
        )
    spared = f"{count(left, 'drafted token')} of other beams {'is' if left == 1 else 'are'} not sent." if left else ""
    return Telling("One target call", _join(trace.header.method.texts.get("verify", ""), what, spared), "")


def coin(trace: Trace, decision: CoinDecision) -> Telling:
    """One drafted token meets its coin."""
    texts, token = trace.header.method.texts, quoted(trace.vocabulary, decision.token)
    target, draft = number(decision.target_prob), number(decision.draft_prob)
    gives = f"The target gives {token} probability {target}, the draft {draft}."
    reason = texts.get("accept" if decision.accepted else "reject", "")
    if decision.draw is None:
        how, reason = f"No coin is needed: it is {'accepted' if decision.accepted else 'rejected'}.", ""
    elif decision.chance <= 0.0:
        how = "It is rejected wherever the coin falls."
    elif decision.chance >= 1.0:
        how = "It is accepted wherever the coin falls."
    else:
        draw, chance = pair(decision.draw, decision.chance)
        side = "below it: accepted" if decision.accepted else "not below it: rejected"
        how = f"So it is accepted with chance {chance}; the coin falls at {draw}, {side}."
    verdict = "accepted" if decision.accepted else "rejected"
    lenience = float(trace.header.options.get("lenience") or 1.0)
    return Telling(
        f"Token {decision.depth}, {token}: {verdict}",
        _join(gives, how, reason),
        coin_formula(decision, lenience),
    )


def joint(trace: Trace, decisions: list[JointDecision]) -> Telling:
    """The test of one prefix; ``decisions`` are the tests up to it, this one last."""
    texts, decision = trace.header.method.texts, decisions[-1]
    token = quoted(trace.vocabulary, decision.token)
    verdict = "passes" if decision.passes else "fails"
    target, draft = number(decision.target_prob), number(decision.draft_prob)
    gives = (
        f"The target gives {token} probability {target}, the draft {draft}; "
        f"what counts is the whole prefix of {count(decision.depth, 'token')}."
    )
    if decision.passes:
        jumped = [d for d in jumped_over(decisions) if d > longest_passing(decisions[:-1])]
        lengths = ", ".join(map(str, jumped))
        kept_too = f"Failing prefixes inside it are kept with it (length {lengths})." if jumped else ""
        note = _join(texts.get("accept", ""), kept_too)
    elif decision.kept:
        note = "It fails, but that is no end: a longer prefix passes and keeps this token too."
    else:
        note = texts.get("reject", "")
    title = f"Prefix of length {decision.depth}, ending in {token}: {verdict}"
    return Telling(title, _join(gives, note), joint_formula(decision))


def draw(trace: Trace, iteration: Iteration, decision: DrawDecision) -> Telling:
    """The token drawn at the end: from the residual, as a bonus, or from the target."""
    token = quoted(trace.vocabulary, decision.token)
    prob = number(reading.prob_of(decision.source, decision.token))
    certain = "" if decision.draw is not None else " There is no chance in it: it is the only one possible."
    formula = f"target({token}) = {prob}"
    if is_residual(decision):
        title = f"Drawn from the residual: {token}"
        sentence = (
            f"The rejected token's place is filled from what the target has more of than the draft: "
            f"{token}, with probability {prob}."
        )
        formula = _residual_formula(iteration, decision) or f"residual({token}) = {prob}"
    elif decision.origin == "bonus":
        title = f"Bonus: {token}"
        sentence = (
            f"Every offered token stays, so the same call yields one more, drawn from the target: "
            f"{token}, with probability {prob}."
        )
    else:
        title = f"Drawn from the target: {token}"
        sentence = f"The next token is drawn from the target at this place: {token}, with probability {prob}."
    told = decision.origin == "bonus" or any(d.rule == "joint" for d in iteration.decisions) or not trace.header.draft
    lead = trace.header.method.texts.get("finish", "") if told else ""
    drawn = f"; random number {number(decision.draw)}" if decision.draw is not None else ""
    return Telling(title, sentence + certain + (f" {lead}" if lead else ""), formula + drawn)


def _residual_formula(iteration: Iteration, decision: DrawDecision) -> str:
    """(p - q) / sum of all (p - q)+ at the drawn token, where the rejected place's draft distribution is known."""
    rejected = next((d for d in iteration.decisions if d.rule == "coin" and d.depth == decision.depth), None)
    if rejected is None:
        return ""
    p, q = reading.table_of(rejected.target), reading.table_of(rejected.draft)
    total = sum(max(0.0, prob - q.get(token, 0.0)) for token, prob in p.items())
    mine, theirs = p.get(decision.token, 0.0), q.get(decision.token, 0.0)
    if total <= 0.0:
        return ""
    return f"residual = ({number(mine)} − {number(theirs)}) / {number(total)} = {number((mine - theirs) / total)}"


def commit(trace: Trace, iteration: Iteration) -> Telling:
    """What became text, and which cache rows stay."""
    emitted = iteration.emitted
    tokens = " ".join(quoted(trace.vocabulary, token.token) for token in emitted)
    origins = [token.origin for token in emitted]
    parts = [f"{origins.count(origin)} {word}" for origin, word in _ORIGINS.items() if origin in origins]
    rows_in = 1 + len(reading.submitted(reading.nodes_of(iteration)))
    freed = iteration.context_length - 1 + rows_in - iteration.rows
    stays, go = rows_in - freed, "goes" if freed == 1 else "go"
    fate = f"{stays} {'stays' if stays == 1 else 'stay'}, {freed} {go}" if freed else "none goes"
    stay = f"The target's cache grew by {count(rows_in, 'row')}: {fate}, which makes {iteration.rows:,}"
    made = iteration.accepted + (reading.draw_of(iteration.decisions) is not None)
    cut = f" {count(made - len(emitted), 'token')} more would pass the end of the text." if made > len(emitted) else ""
    return Telling(
        f"Committed: {count(len(emitted), 'token')}",
        f"One target call gave {tokens}: {', '.join(parts)}.{cut} {stay}; "
        "the last token has no row yet: the next target call reads it.",
        f"{count(len(emitted), 'token')} / 1 target call",
    )


_ORIGINS = {"accepted": "accepted", "resampled": "resampled", "bonus": "bonus", "target": "from the target"}
