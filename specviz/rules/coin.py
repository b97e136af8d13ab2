"""A coin: a strip from 0 to 1, in parts up to the acceptance probability and beyond, and the uniform number on it."""

from typing import NamedTuple, Protocol

from specviz.facts.follows import ratio_follows
from specviz.facts.tokens import number, pair, quoted, worked
from specviz.pictures.charts import failing, passing
from specviz.pictures.pairs import probabilities_picture
from specviz.pictures.shapes import KeyEntry, Picture, Strip, StripPart
from specviz.pictures.shown import Moment
from specviz.trace.record import Trace

OWN = "By the method's own rule it"


class Tossed(Protocol):
    """A decision with an ``acceptance_probability`` and a coin, whose number is None where none was flipped."""

    @property
    def acceptance_probability(self) -> float: ...
    @property
    def uniform(self) -> float | None: ...


class FlippedCoin(Tossed, Protocol):
    """Of one guess, accepted or not by a coin of its own."""

    @property
    def token(self) -> int: ...
    @property
    def accepted(self) -> bool: ...
    @property
    def target_prob(self) -> float: ...
    @property
    def draft_prob(self) -> float: ...


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


def is_below(decision: Tossed) -> bool:
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


def coin_reason(moment: Moment) -> str:
    """What the method says of a guess that came out so, where a coin was flipped."""
    return moment.reason if moment.decision.uniform is not None else ""


def own_words(moment: Moment) -> str:
    """What a rule says of itself, where no equation of ours does."""
    return moment.said.get("rule", "")


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


def two_sided(decision: Tossed, below: tuple[str, str], above: tuple[str, str]) -> Strip:
    """The strip of a coin that was flipped; the name of either side, and in words."""
    assert decision.uniform is not None
    uniform, _ = pair(decision.uniform, decision.acceptance_probability)
    parts = (
        StripPart(decision.acceptance_probability, *below, "accepted", "accepted"),
        StripPart(1.0, *above, "rejected", "rejected"),
    )
    return Strip(parts, uniform=decision.uniform, called="coin", text=uniform)


def coin_key(decision: FlippedCoin) -> tuple[KeyEntry, ...]:
    """What the two sides of the strip mean."""
    assert decision.uniform is not None
    _, probability = pair(decision.uniform, decision.acceptance_probability)
    return passing(f"accept, {probability}"), failing("reject")
