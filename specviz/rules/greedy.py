"""Greedy verification: a drafted token is right when it is what the target would have written (slim.txt, Eq. 1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Literal

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.facts.iteration_facts import nodes_of, siblings
from specviz.facts.tokens import label, number, quoted
from specviz.lm.warp import Warp
from specviz.pictures.bars import target_bars
from specviz.pictures.charts import JOINED
from specviz.pictures.shapes import KeyEntry, ListEntry, Lists, Picture
from specviz.pictures.shown import Moment, Shown, Telling, join
from specviz.rules.spec import VerifierSpec
from specviz.rules.verdict import Verdict, Verifier, longest_path, sample_after
from specviz.trace.decisions import GuessTest, OfToken
from specviz.trace.distribution import Distribution
from specviz.trace.ranges import Count, Depth, NodeNumber, Token
from specviz.trace.record import Trace


@dataclass(frozen=True)
class GreedyMatch(OfToken, GuessTest):
    """Greedy verification: accepted when the token is the target's ``best`` (its argmax) at that prefix.
    ``candidate`` counts the ``candidates`` there from 0."""

    node: NodeNumber
    depth: Depth
    token: Token
    best: Token
    accepted: bool
    target: Distribution
    candidate: Count = 0
    candidates: Count = 1
    rule: Literal["match"] = "match"

    def show(self, moment: Moment) -> Shown:
        """One candidate against the target's most likely token."""
        trace = moment.trace
        judged = [
            d
            for d in siblings(moment.iteration, nodes_of(moment.iteration)[self.node].parent)
            if isinstance(d, GreedyMatch)
        ]
        judged = [d for d in judged if d.candidate <= self.candidate]
        token, best = moment.token, quoted(trace.vocabulary, self.best)
        of = f", candidate {self.candidate + 1} of {self.candidates}" if self.candidates > 1 else ""
        verdict = "accepted" if self.accepted else "rejected"
        what, formula = _argmax(moment, token, best)
        telling = Telling(
            f"Token {self.depth}{of}, {token}: {verdict}",
            join(what, moment.reason),
            f"{formula}: {'accept' if self.accepted else 'reject'} (no coin is flipped)",
        )
        panels = {
            "probabilities": (f"probabilities-{moment.decision_index}", match_target_picture(moment)),
            "decision": (f"match-{moment.decision_index}", match_picture(trace, judged)),
        }
        return Shown(telling, panels)


class GreedyVerifier(Verifier):
    """Keep the longest hypothesis with ``x_j = argmax f([h, x_1:j-1])`` at every j (slim.txt, Eq. 1), then write the
    target's own argmax after it: the greedy text, whatever was drafted. No coin, no residual.

    The target's distributions are to be warped at temperature 0: one-hot at the argmax, the first of equals. Judged are
    the submitted children, in the order drafted, of every prefix that is right.
    """

    reads = "nothing"

    def __init__(self, end_tokens: frozenset[int] = frozenset()):
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, right = scored.forest, {-1}
        verdict = Verdict(offered=forest.submitted_depth)
        for prefix, numbers in forest.children().items():
            if prefix not in right:
                continue
            target = scored.target_at(prefix)
            best = int(target.tokens[target.probs.argmax()])
            for candidate, index in enumerate(numbers):
                node = forest.nodes[index]
                matches = node.token == best
                verdict.decisions.append(
                    GreedyMatch(index, node.depth, node.token, best, matches, target, candidate, len(numbers))
                )
                if matches:
                    right.add(index)
        verdict.path = longest_path(scored, sorted(right - {-1}))
        return sample_after(verdict, scored, dice, self._end_tokens)


SPEC = VerifierSpec(
    "greedy",
    "the target's own choice",
    lambda context, options: GreedyVerifier(context.end_tokens),
    guarantee=lambda options, drawing: "greedy",
    target_warp=lambda options: Warp(0.0),
    changeable=lambda options: (),
    title="Greedy match",
    sentence="Nothing is random: a guess stays only when it is the target's single most likely token.",
)


def _argmax(moment: Moment, token: str, best: str) -> tuple[str, str]:
    """The candidate beside the target's choice, in a sentence and as a formula; of a rule that goes by something else,
    what that says of itself."""
    decision = moment.decision
    if decision.accepted != (decision.token == decision.best) or not is_likeliest(decision):
        return moment.said.get("rule", ""), "by the method’s own rule"
    if decision.accepted:
        return f"The target's most likely token here is {best}, and so is this candidate.", f"{token} = argmax target"
    return (
        f"The target's most likely token here is {best}; this candidate is {token}{_likelihood(decision)}.",
        f"{token} ≠ argmax target = {best}",
    )


def is_likeliest(decision: GreedyMatch) -> bool:
    """Whether what the decision calls the target's best is likelier than all else there."""
    return bool(decision.target.prob(decision.best) >= decision.target.probs.max(initial=0.0))


def _likelihood(decision: GreedyMatch) -> str:
    """How likely the target finds the candidate, before temperature, top-k and top-p."""
    value = decision.target.raw_logprobs().get(decision.token)
    return "" if value is None else f", with probability {number(exp(value))}"


def match_target_picture(moment: Moment) -> Picture:
    """The target's distribution at the position, its choice marked: the model's own probabilities, for the warped
    distribution of greedy decoding is one-hot and says nothing more."""
    decision, mark = moment.decision, KeyEntry("target", "◆", "the target's choice")
    table = {token: exp(value) for token, value in decision.target.raw_logprobs().items()}
    return target_bars(moment, "target, raw probabilities", table, marked=decision.best, mark=mark)


def match_text(trace: Trace, decisions: Sequence[GreedyMatch]) -> str:
    """The candidates for a position judged so far."""
    best = quoted(trace.vocabulary, decisions[0].best)
    parts = [f"{quoted(trace.vocabulary, d.token)} {'matches' if d.accepted else 'does not'}" for d in decisions]
    return f"The target's choice is {best}. Candidates so far: {', '.join(parts)}."


def match_picture(trace: Trace, decisions: Sequence[GreedyMatch]) -> Picture:
    """Candidates for a position judged so far on the left, the target's choice on the right, joined where they
    match."""
    left = tuple(ListEntry(label(trace.vocabulary, d.token, 16), d.accepted, d.node) for d in decisions)
    match = next((d.node for d in decisions if d.accepted), None)
    right = (ListEntry(label(trace.vocabulary, decisions[0].best, 16), match is not None, match),)
    joins = tuple((at, 0) for at, decision in enumerate(decisions) if decision.accepted)
    lists = Lists(("candidates", "target’s choice"), left, right, joins)
    return Picture((lists,), match_text(trace, decisions), JOINED)
