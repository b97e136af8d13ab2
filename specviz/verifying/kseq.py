"""K-SEQ: several i.i.d. candidates judged at once (Sun et al. 2023, SpecTr).

The k candidates X_1 .. X_k after a prefix are i.i.d. from q. With beta(rho) = sum min(q, p / rho), the probability that
one of them passes its coin, rho in [1, k] solves 1 - (1 - beta)^k = rho beta. The first X_i whose coin min(1, p / (rho
q)) falls for it is accepted; when none is, one token is drawn from norm(p - min(q, p / rho) p_acc / beta), with p_acc =
1 - (1 - beta)^k is the probability that any is accepted. The next candidates are those of all sequences whose tokens so
far match the output, those whose own coin failed included. After gamma accepted tokens a bonus is drawn from p.
"""

import numpy as np

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.trace.decisions import SequenceTest
from specviz.trace.distribution import Distribution, normalised
from specviz.verifying.recursive import toss
from specviz.verifying.token import finish
from specviz.verifying.verdict import Verdict, Verifier


class SequenceVerifier(Verifier):
    """Judges i.i.d. sequences kept as a tree (``drafting/sequences.py``): the children of a prefix are the next tokens
    of all sequences that match so far; what follows a token is found under the first of its copies. The text follows
    the target's distribution. Drafts that are not i.i.d. break it. k = 1 is token verification."""

    reads = "siblings"

    def __init__(self, end_tokens: frozenset[int] = frozenset()):
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, children = scored.forest, scored.forest.children()
        verdict, prefix = Verdict(offered=forest.submitted_depth), -1
        while candidates := children.get(prefix):
            target, draft, k = scored.target_at(prefix), forest.nodes[candidates[0]].draft, len(candidates)
            p, q = target.probs, draft.probs_of(target.tokens)
            rho = solve_rho(p, q, k)
            beta = passing(p, q, rho)
            accept_any = 1.0 - (1.0 - beta) ** k
            for candidate, number in enumerate(candidates):
                node = forest.nodes[number]
                target_prob, scaled = target.prob(node.token), rho * node.draft_prob
                probability = 1.0 if target_prob >= scaled else target_prob / scaled
                uniform, accepted = toss(dice, probability, node.draft)
                verdict.decisions.append(
                    SequenceTest(
                        *(number, node.depth, node.token, probability, uniform, accepted, target, node.draft),
                        *(candidate, k, rho, beta, accept_any),
                    )
                )
                if accepted:
                    break
            else:
                verdict.sample_next(dice, scored, prefix, "resampled", leftover(target, draft, rho, k))
                return verdict
            verdict.path = forest.path(number)
            prefix = next(other for other in candidates if forest.nodes[other].token == node.token)
        return finish(verdict, scored, dice, self._end_tokens)


def passing(p: np.ndarray, q: np.ndarray, rho: float) -> float:
    """beta(rho) = sum min(q, p / rho), 0 to 1: the probability that one candidate drawn from q passes its coin; p and q
    [n] of the same tokens."""
    return min(1.0, float(np.minimum(q, p / rho).sum(dtype=np.float64)))


def solve_rho(p: np.ndarray, q: np.ndarray, k: int) -> float:
    """The rho in [1, k] with 1 - (1 - beta(rho))^k = rho beta(rho), by bisection: the upper end of the last bracket,
    for below the root the residual would be negative. p and q are [n], of the same tokens.

    Divided by beta the equation reads ``tries`` = rho, which has one root for beta = 0 as well, at rho = k.
    """
    both = np.flatnonzero(np.minimum(p, q))  # other tokens add nothing to beta
    p, q = p[both].astype(np.float64), q[both].astype(np.float64)

    def enough(rho: float) -> bool:
        return tries(passing(p, q, rho), k) <= rho

    low, high = 1.0, float(k)
    if enough(low):
        return low
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def tries(beta: float, k: int) -> float:
    """p_acc / beta = 1 + (1 - beta) + .. + (1 - beta)^(k - 1), 1 to k: how many of k coins are flipped on average."""
    return sum((1.0 - beta) ** i for i in range(k))


def leftover(target: Distribution, draft: Distribution, rho: float, k: int) -> Distribution:
    """norm(p - min(q, p / rho) p_acc / beta), from which a token is drawn when no candidate was accepted; p itself when
    nothing is left of it, and where the two have no token in common."""
    p, q = target.probs, draft.probs_of(target.tokens)
    accepted = np.minimum(q, p / rho)
    return normalised(target, np.maximum(p - accepted * tries(passing(p, q, rho), k), 0.0))
