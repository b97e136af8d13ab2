"""Several candidates for one token: recursive rejection sampling (SpecInfer's multi-step verification; multi-candidate
speculative decoding, with and without replacement).

After a prefix with target distribution p the candidates x_1 .. x_k are judged in order, starting from p' = p. Candidate
x_j, drawn from q_j, is accepted with probability min(1, p'(x_j) / q_j(x_j)); rejected, it leaves p' <- norm((p' -
q_j)+). When none is accepted, one token is drawn from p'. Below an accepted candidate the same begins anew; at a leaf a
bonus token is drawn from p.

Each step is token verification of p' with q_j, so the token follows p for every q_j that depends on nothing but the
candidates before x_j. I.i.d. candidates have the same q_j = q, those of several draft models each its model's, those
drawn without replacement q_(j+1) = norm(q_j with q_j[x_j] = 0), and a deterministic one has q_j = 1 at x_j: it is
accepted with p'(x_j), or else zeroed.

Of one candidate drawn from q without its likeliest tokens, judged first, and these, taken for certain, no rule accepts
more: the linear programme of SpecHub (Sun et al. 2024, arXiv 2411.05289; two drafts) and the optimal transport of
greedy drafts (Hu et al. 2025, arXiv 2502.18779) have this rule for their solution (``measure/limits.py``).
"""

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.rules.spec import VerifierSpec
from specviz.rules.token import Coin
from specviz.rules.verdict import Verdict, Verifier, sample_after
from specviz.trace.distribution import Distribution, residual


class RecursiveVerifier(Verifier):
    """Judges a tree from its root down, the children of a node in the order drafted, each by the distribution it was
    drawn from. The text follows the target's distribution."""

    reads = "judged"

    def __init__(self, end_tokens: frozenset[int] = frozenset()):
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, children = scored.forest, scored.forest.children()
        verdict, prefix = Verdict(offered=forest.submitted_depth), -1
        while candidates := children.get(prefix):
            left = scored.target_at(prefix)  # p'
            for candidate, number in enumerate(candidates):
                node = forest.nodes[number]
                p, q = left.prob(node.token), node.draft_prob
                probability = 1.0 if p >= q else p / q
                uniform, accepted = toss(dice, probability, node.draft)
                verdict.decisions.append(
                    Coin(
                        *(number, node.depth, node.token, probability, uniform, accepted, left, node.draft),
                        *(candidate, len(candidates)),
                    )
                )
                if accepted:
                    break
                left = residual(left, node.draft)
            else:
                verdict.sample_next(dice, scored, prefix, "resampled", left)
                return verdict
            verdict.path.append(number)
            prefix = number
        return sample_after(verdict, scored, dice, self._end_tokens)


def toss(dice: Dice, probability: float, draft: Distribution) -> tuple[float | None, bool]:
    """Flip a coin for a drafted token: its uniform number, and whether the token is accepted. The number is None where
    nothing is left to chance: the token was certain to be drafted and is certain to be accepted, or to be rejected."""
    flip = dice.flip(probability)
    certain = probability in (0.0, 1.0) and draft.certain
    return None if certain else flip.uniform, flip.heads


SPEC = VerifierSpec(
    "recursive",
    "candidate after candidate at every node",
    lambda context, options: RecursiveVerifier(context.end_tokens),
    exact=("independent", "without_replacement", "deterministic", "one_drawn"),
    title="Candidate after candidate",
    sentence="At every position the candidates are tried in turn, each with a coin; after a rejection the next "
    "one is judged against what the residual has left.",
)
