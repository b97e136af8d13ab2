"""Block verification of one of several sequences, chosen token by token (after Thomas and Pal 2026, Greedy Multi-Path
Block Verification for Faster Decoding in Speculative Sampling, arXiv 2602.16961).

Several sequences are drafted independently from q. Let U be a set of tokens that are preferred. Of the m sequences that
agree so far the first whose next token is in U is followed, or the first of all where none is. The token so chosen is
drawn from

    q_m(x) = q(x) (1 - (1 - q(U))^m) / q(U) in U,   q_m(x) = q(x) (1 - q(U))^(m - 1) outside,

and block verification of the chosen path with q_m in place of q keeps the target's distribution, whatever U is, for it
does not depend on the candidates. Greedy is the choice of U: the tokens with the greatest p / q, as many as make sum
min(w p, q_m), w being the path's weight, greatest. (The paper's abstract says no more than that paths are chosen
greedily; this rule was worked out from it and is proven by enumeration. One sequence is ``block``.)
"""

from dataclasses import replace

import numpy as np

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.rules.block import BlockVerifier
from specviz.rules.spec import VerifierSpec
from specviz.rules.verdict import Verdict
from specviz.trace.distribution import Distribution

ROUNDING = 1e-12
"""Differences of what two sets share that tell nothing."""


class BestPathVerifier(BlockVerifier):
    """Judges one path of i.i.d. sequences kept as a tree (``drafting/sequences.py``), or of any tree whose siblings are
    i.i.d. The text follows the target's distribution."""

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        return super().verify(best_path(scored), dice)


def best_path(scored: ScoredForest) -> ScoredForest:
    """The forest with nothing submitted but the chosen path, whose tokens say what they are drawn from: q_m."""
    nodes, children = list(scored.forest.nodes), scored.forest.children()
    chosen: dict[int, Distribution] = {}
    prefix, weight = -1, 1.0
    while candidates := children.get(prefix):
        target, draft = scored.target_at(prefix), nodes[candidates[0]].draft
        preferred = preferred_tokens(weight * target.probs_of(draft.tokens), draft.probs, len(candidates))
        wanted = {int(token) for token in draft.tokens[preferred]}
        prefix = next((number for number in candidates if nodes[number].token in wanted), candidates[0])
        chosen[prefix] = draft.with_probs(of_chosen(draft.probs, preferred, len(candidates)))
        token = nodes[prefix].token
        weight = min(weight * target.prob(token) / chosen[prefix].prob(token), 1.0)
    for number, node in enumerate(nodes):
        nodes[number] = replace(node, submitted=number in chosen, draft=chosen.get(number, node.draft))
    return replace(scored, forest=replace(scored.forest, nodes=nodes))


def preferred_tokens(p: np.ndarray, q: np.ndarray, count: int) -> np.ndarray:
    """The indices of U for ``count`` candidates: of the sets of tokens with the greatest p / q the one with the
    greatest sum min(p, q_m), the smallest of equals. ``p``, weighted, and ``q`` [n] are of the same tokens."""
    possible = np.flatnonzero(q)
    p, q = p[possible].astype(np.float64), q[possible].astype(np.float64)
    order = np.argsort(-p / q, kind="stable")
    ratios = p[order] / q[order]
    p_upto, q_upto = (np.concatenate([[0.0], values[order].cumsum()]) for values in (p, q))
    size = np.arange(len(order))
    inside, outside = _factors(q_upto[:-1], count)
    full = np.minimum(np.searchsorted(-ratios, -inside, side="right"), size)  # in U, and q_m is the smaller one
    rest = np.maximum(np.searchsorted(-ratios, -outside, side="right"), size)  # the same outside of U
    shared = inside * q_upto[full] + p_upto[size] - p_upto[full]
    shared += outside * (q_upto[rest] - q_upto[size]) + p_upto[-1] - p_upto[rest]
    return possible[order[: int((shared > shared.max() - ROUNDING).argmax())]]


def of_chosen(q: np.ndarray, preferred: np.ndarray, count: int) -> np.ndarray:
    """q_m [n]: what the token is drawn from that is chosen of ``count`` candidates from q."""
    inside, outside = _factors(q[preferred].sum(dtype=np.float64), count)
    chosen = outside * q.astype(np.float64)
    chosen[preferred] = inside * q[preferred]
    return (chosen / chosen.sum()).astype(q.dtype)


def _factors(mass: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """By how much q grows in a set of this ``mass``, (1 - (1 - mass)^m) / mass, and what is left of it outside."""
    missed = np.maximum(1.0 - mass, 0.0)
    return sum((missed**i for i in range(1, count)), np.ones_like(missed)), missed ** (count - 1)


SPEC = VerifierSpec(
    "best-path",
    "one of several sequences, as a block",
    lambda context, options: BestPathVerifier(context.end_tokens),
    drawings=("independent",),
    exact=("independent",),
    title="The best as a block",
    sentence="Of several sequences follows the guesses that the draft gives too little, knows how likely such a choice "
    "is, and weighs the chosen sequence as a whole.",
)
