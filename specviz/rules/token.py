"""Token by token: speculative sampling's acceptance test and residual (speculative-decoding.txt, section 2.3).

A drafted token x with target distribution p and draft distribution q is accepted with probability min(1, p(x) / q(x));
after the first rejection one token is drawn from norm((p - q)+); when all pass, a bonus token is drawn from p.

Several candidates for one position are a cascade: a small target and draft panel for each, so that the residual is seen
to shrink. After every rejection the target's distribution becomes norm((p - q)+); without replacement the draft's loses
the rejected token. All panels list the same tokens.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.facts.follows import is_left_over, is_same
from specviz.facts.iteration_facts import ancestors, nodes_of, siblings
from specviz.facts.tokens import number, pair, quoted
from specviz.options import Option, Options
from specviz.pictures.pairs import Pair, namer, nodes_after, paired_bars, pairs_picture, widest
from specviz.pictures.shapes import Picture
from specviz.pictures.shown import Moment, Shown, Telling, join
from specviz.rules.coin import (
    OWN,
    by_the_ratio,
    coin_formula,
    coin_panel,
    coin_reason,
    fall,
    gives,
    odds,
    own_words,
    probabilities_panel,
)
from specviz.rules.spec import LINE, VerifierSpec, VerifyContext, target_or_greedy
from specviz.rules.verdict import Verdict, Verifier, sample_after
from specviz.trace import forest
from specviz.trace.decisions import ByChance, GuessTest, OfBoth
from specviz.trace.distribution import Distribution, overlap, residual, without
from specviz.trace.forest import Drawing
from specviz.trace.ranges import Count, Depth, NodeNumber, Probability, Token
from specviz.trace.record import Guarantee, Iteration, Trace


@dataclass(frozen=True)
class Coin(OfBoth, GuessTest, ByChance):
    """Accept a drafted token with a coin: probability min(1, target_prob / (lenience draft_prob)); no coin falls for
    a greedy rule. Where several ``candidates`` follow one prefix, ``candidate`` counts them from 0 in the order judged;
    ``target`` is then what is left of the target's distribution after the rejections so far, ``draft`` of the draft's.
    """

    node: NodeNumber
    depth: Depth
    token: Token
    acceptance_probability: Probability
    uniform: Probability | None
    accepted: bool
    target: Distribution
    draft: Distribution
    candidate: Count = 0
    candidates: Count = 1
    rule: Literal["coin"] = "coin"
    beats = True

    def show(self, moment: Moment) -> Shown:
        """One drafted token, alone or among several candidates, meets its coin."""
        trace, iteration = moment.trace, moment.iteration
        probabilities = probabilities_panel(moment)
        if self.candidates > 1:
            judged = [d for d in siblings(iteration, _parent(moment)) if isinstance(d, Coin)]
            judged = [d for d in judged if d.candidate <= self.candidate]
            probabilities = (probabilities[0], cascade_picture(trace, iteration, judged))
        return Shown(_tell_coin(moment), {"probabilities": probabilities} | coin_panel(moment))


class TokenVerifier(Verifier):
    """Accept with min(1, p / (lenience q)), lenience in (0, 1]; 1 keeps the target's distribution exactly (appendix
    A.1), less bounds every token's probability by p / lenience (appendix A.5, whose inequality is printed the wrong way
    round)."""

    reads = "judged"

    def __init__(self, lenience: float = 1.0, end_tokens: frozenset[int] = frozenset()):
        self._lenience, self._end_tokens = lenience, end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        chain = scored.forest.submitted
        path, coins, source = self.judge(scored, chain, dice)
        verdict = Verdict(path=path, decisions=[*coins], offered=len(chain))
        if source is None:
            return sample_after(verdict, scored, dice, self._end_tokens)
        verdict.sample_next(dice, scored, path[-1] if path else -1, "resampled", source)
        return verdict

    def judge(
        self, scored: ScoredForest, chain: Sequence[int], dice: Dice
    ) -> tuple[list[int], list[Coin], Distribution | None]:
        """The accepted nodes of a chain, its coins up to the first rejection, and the distribution of the token that
        replaces the rejected one (None where all were accepted)."""
        coins = []
        for position, index in enumerate(chain):
            node = scored.forest.nodes[index]
            target = scored.target_at(node.parent)
            coins.append(self._flip(index, node, target, dice))
            if not coins[-1].accepted:
                return list(chain[:position]), coins, self._replacement(target, node.draft)
        return list(chain), coins, None

    def _flip(self, index: int, node: forest.Node, target: Distribution, dice: Dice) -> Coin:
        p, q = target.prob(node.token), self._lenience * node.draft_prob
        probability = 1.0 if p >= q else p / q
        flip = dice.flip(probability)
        return Coin(index, node.depth, node.token, probability, flip.uniform, flip.heads, target, node.draft)

    def _replacement(self, target: Distribution, draft: Distribution) -> Distribution:
        return residual(target, draft)


class GreedyTokenVerifier(TokenVerifier):
    """Temperature 0, no coin: accept while the raw p(x) >= lenience max(p); a rejected token is replaced by the
    argmax."""

    reads = "nothing"

    def _flip(self, index: int, node: forest.Node, target: Distribution, dice: Dice) -> Coin:
        log_ratio = target.logit(node.token) - target.logit(target.best)
        near = self._lenience < 1.0 and log_ratio >= math.log(self._lenience)
        accepted = near or target.prob(node.token) == 1.0
        return Coin(index, node.depth, node.token, float(accepted), None, accepted, target, node.draft)

    def _replacement(self, target: Distribution, draft: Distribution) -> Distribution:
        return target


def _build(context: VerifyContext, options: Options) -> Verifier:
    kind = GreedyTokenVerifier if context.warp.greedy else TokenVerifier
    return kind(options["lenience"], context.end_tokens)


def _guarantee(options: Options, drawing: Drawing) -> Guarantee:
    if options["lenience"] < 1.0:
        return "lossy"
    return target_or_greedy(options) if drawing in LINE or options["temperature"] == 0 else "lossy"


SPEC = VerifierSpec(
    "token",
    "token by token",
    _build,
    (
        Option(
            "lenience",
            "number",
            1.0,
            "Below 1 accepts more than is exact: no token becomes more than 1/lenience times likelier.",
            0.0,
            1.0,
            above_low=True,
        ),
    ),
    judges=("chain", "nothing"),
    exact=LINE,
    guarantee=_guarantee,
    title="Token by token",
    sentence="One coin for each guess: it stays with probability min(1, target / draft). At the first rejection a "
    "replacement is drawn from the residual, and all guesses after it go.",
)


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
        changed = was != now and not is_same(last.target, decision.target)
        return f"It is judged by another distribution than the candidate before: {change}." if changed else ""
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
    rejected = bool(before) and not any(coin.accepted for coin in before)
    return rejected and is_left_over(moment.decision.target, before[-1].target, before[-1].draft)


def _parent(moment: Moment) -> int:
    return nodes_of(moment.iteration)[moment.decision.node].parent


MOST = 4  # panels in a figure: the latest candidates
_TOKENS = 3  # listed in every panel, besides the candidates


def cascade_rows(decisions: Sequence[Coin]) -> list[tuple[Pair, ...]]:
    """The rows of every panel: the same tokens in the same order (None: all others)."""
    height: dict[int, float] = {}
    for decision in decisions:
        for distribution in (decision.target, decision.draft):
            for token, prob in distribution.table().items():
                height[token] = max(prob, height.get(token, 0.0))
    judged = {decision.token for decision in decisions}
    ranked = sorted(height, key=lambda token: -height[token])
    listed = [t for rank, t in enumerate(ranked) if rank < _TOKENS or t in judged]
    panels = []
    for decision in decisions:
        p, q = decision.target.table(), decision.draft.table()
        rows = [Pair(t, p.get(t, 0.0), q.get(t, 0.0), min(p.get(t, 0.0), q.get(t, 0.0))) for t in listed]
        target, draft = (max(0.0, 1.0 - sum(getattr(row, side) for row in rows)) for side in ("target", "draft"))
        shared = max(0.0, overlap(decision.target, decision.draft) - sum(row.shared for row in rows))
        panels.append((*rows, Pair(None, target, draft, shared)))
    if all(max(panel[-1].target, panel[-1].draft) <= 1e-6 for panel in panels):
        panels = [panel[:-1] for panel in panels]
    return panels


def verdict_of(decision: Coin) -> str:
    """What became of a candidate, with its acceptance probability."""
    verdict = "accepted" if decision.accepted else "rejected"
    return f"{verdict}, acceptance probability {number(decision.acceptance_probability)}"


def cascade_text(trace: Trace, decisions: Sequence[Coin]) -> str:
    """The cascade in sentences: one line a candidate; ``decisions`` are those judged for the position so far. What
    became of the newest is in the picture of the decision."""
    lines = []
    for decision in decisions:
        parts = [
            f"“{namer(trace)(token)}” target {number(prob)}, draft {number(decision.draft.table().get(token, 0.0))}"
            for token, prob in list(decision.target.table().items())[: _TOKENS + 1]
            if prob > 0
        ]
        verdict = f": {verdict_of(decision)}" if decision is not decisions[-1] else ""
        lines.append(
            f"Candidate {decision.candidate + 1} of {decision.candidates}, {quoted(trace.vocabulary, decision.token)}"
            f"{verdict}. Judged by {'; '.join(parts)}; target and draft share "
            f"{number(overlap(decision.target, decision.draft))}."
        )
    return "\n".join(lines)


def cascade_picture(trace: Trace, iteration: Iteration, decisions: Sequence[Coin]) -> Picture:
    """Bars for each of the latest ``MOST`` candidates judged for a position, the newest at the bottom."""
    shown, name = list(decisions)[-MOST:], namer(trace)
    panels = cascade_rows(shown)
    most = widest(row for rows in panels for row in rows)
    bars = [
        paired_bars(
            rows,
            decision.token,
            name,
            nodes_after(iteration, decision),
            most=most,
            title=_heading(decision, name(decision.token), decision is decisions[-1]),
        )
        for decision, rows in zip(shown, panels, strict=True)
    ]
    left = len(decisions) - len(panels)
    shrinks = all(is_left_over(now.target, before.target, before.draft) for before, now in pairwise(decisions))
    notes = ("solid: shared", "hatched: excess", "▸ the candidate", *([f"{left} earlier not shown"] if left else []))
    of = ", what is left" if shrinks else ", as judged by"
    return pairs_picture(bars, cascade_text(trace, decisions), notes, of)


def _heading(decision: Coin, name: str, newest: bool) -> str:
    """What the bars of a candidate are about; the newest one's verdict is in the picture of the decision."""
    which = f"{decision.candidate + 1} of {decision.candidates}: {name}"
    return which if newest else f"{which}, {verdict_of(decision)}"
