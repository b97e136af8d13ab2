"""K-SEQ: several i.i.d. candidates judged at once (Sun et al. 2023, SpecTr).

The k candidates X_1 .. X_k of a place are i.i.d. from q. With beta(rho) = sum min(q, p / rho), the chance that one of
them passes its coin, rho in [1, k] solves 1 - (1 - beta)^k = rho beta. The first X_i whose coin min(1, p / (rho q))
falls for it is accepted; when none is, one token is drawn from norm(p - min(q, p / rho) p_acc / beta), where
p_acc = 1 - (1 - beta)^k is the chance that any is accepted. The next place has as candidates all sequences whose tokens
so far match the output, those whose own coin failed included. After gamma accepted tokens a bonus is drawn from p.
"""

import numpy as np

from specviz.dice import Dice
from specviz.drafting.forest import Law, ScoredForest
from specviz.verifying.prefix import submitted_depth
from specviz.verifying.recursive import toss
from specviz.verifying.token import finish
from specviz.verifying.verdict import SequenceTest, Verdict


class SequenceVerifier:
    """Judges i.i.d. sequences kept as a tree (``drafting/sequences.py``): the children of a place are the next tokens
    of all sequences that match so far; what follows a token is found under the first of its copies. The law of the text
    is the target's. Drafts that are not i.i.d. break it. k = 1 is token verification."""

    def __init__(self, end_tokens: frozenset[int] = frozenset()):
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, children = scored.forest, scored.forest.children()
        verdict, place = Verdict(offered=submitted_depth(scored)), -1
        while candidates := children.get(place):
            target, law, k = scored.law_at(place), forest.draft_laws[candidates[0]], len(candidates)
            rho = solve_rho(target.probs, law.probs, k)
            beta = overlap(target.probs, law.probs, rho)
            accept_any = 1.0 - (1.0 - beta) ** k
            for number, node in enumerate(candidates):
                draft, token = forest.draft_laws[node], forest.tokens[node]
                p, q = float(target.probs[token]), float(draft.probs[token])
                chance = 1.0 if p >= rho * q else p / (rho * q)
                draw, accepted = toss(dice, chance, draft, token)
                verdict.decisions.append(
                    SequenceTest(node, target, draft, p, q, chance, draw, accepted, number, k, rho, beta, accept_any)
                )
                if accepted:
                    break
            else:
                verdict.draw_next(dice, place, "resampled", target, leftover(target, law, rho, k))
                return verdict
            verdict.path = forest.path(node)
            place = next(other for other in candidates if forest.tokens[other] == token)
        return finish(verdict, scored, dice, self._end_tokens)


def overlap(p: np.ndarray, q: np.ndarray, rho: float) -> float:
    """beta(rho) = sum min(q, p / rho), 0 to 1: the chance that one candidate drawn from q passes its coin."""
    return min(1.0, float(np.minimum(q, p / rho).sum(dtype=np.float64)))


def solve_rho(p: np.ndarray, q: np.ndarray, k: int) -> float:
    """The rho in [1, k] with 1 - (1 - beta(rho))^k = rho beta(rho), by bisection: the upper end of the last bracket,
    for below the root the residual would be negative. p and q are [vocab_size].

    Divided by beta the equation reads ``tries`` = rho, which has one root for beta = 0 as well, at rho = k.
    """
    both = np.flatnonzero(np.minimum(p, q))  # other tokens add nothing to beta
    p, q = p[both].astype(np.float64), q[both].astype(np.float64)

    def enough(rho: float) -> bool:
        return tries(overlap(p, q, rho), k) <= rho

    low, high = 1.0, float(k)
    if enough(low):
        return low
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def tries(beta: float, k: int) -> float:
    """p_acc / beta = 1 + (1 - beta) + .. + (1 - beta)^(k - 1), 1 to k: how many of k coins are flipped on average."""
    return sum((1.0 - beta) ** i for i in range(k))


def leftover(target: Law, draft: Law, rho: float, k: int) -> Law:
    """norm(p - min(q, p / rho) p_acc / beta), the law of the token drawn when no candidate was accepted; p itself when
    nothing is left of it, and where the laws have no token in common."""
    accepted = np.minimum(draft.probs, target.probs / rho)
    left = np.maximum(target.probs - accepted * tries(overlap(target.probs, draft.probs, rho), k), 0.0)
    total = left.sum()
    return target.with_probs(left / total) if total > 0.0 else target
