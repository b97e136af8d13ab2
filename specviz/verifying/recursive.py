"""Several candidates for one token: recursive rejection sampling (SpecInfer's multi-step verification; multi-candidate
speculative decoding, with and without replacement).

At a node with target law p the candidates x_1 .. x_k are judged in order, starting from p' = p. Candidate x_j, drawn
from the law q_j, is accepted with probability min(1, p'(x_j) / q_j(x_j)); rejected, it leaves p' <- norm((p' - q_j)+).
When none is accepted, one token is drawn from p'. Below an accepted candidate the same begins anew; at a leaf a bonus
token is drawn from p.

Each step is token verification of p' with q_j, so the token follows p for every law q_j that depends on nothing but the
candidates before x_j. I.i.d. candidates have the same q_j = q, those of several draft models each its model's, those
drawn without replacement q_(j+1) = norm(q_j with q_j[x_j] = 0), and one taken for certain has q_j = 1 at x_j: it is
accepted with p'(x_j), or else zeroed.
"""

from specviz.dice import Dice
from specviz.drafting.forest import Law, ScoredForest
from specviz.verifying.prefix import submitted_depth
from specviz.verifying.token import finish, residual
from specviz.verifying.verdict import Coin, Verdict


class RecursiveVerifier:
    """Judges a tree from its root down, the children of a node in the order drafted, each by the law it was drawn
    from. The law of the text is the target's."""

    def __init__(self, end_tokens: frozenset[int] = frozenset()):
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, children = scored.forest, scored.forest.children()
        verdict, place = Verdict(offered=submitted_depth(scored)), -1
        while candidates := children.get(place):
            left = target = scored.law_at(place)  # left is p'
            for number, node in enumerate(candidates):
                draft, token = forest.draft_laws[node], forest.tokens[node]
                p, q = float(left.probs[token]), float(draft.probs[token])
                chance = 1.0 if p >= q else p / q
                draw, accepted = toss(dice, chance, draft, token)
                verdict.decisions.append(Coin(node, left, draft, p, q, chance, draw, accepted, number, len(candidates)))
                if accepted:
                    break
                left = residual(left, draft)
            else:
                verdict.draw_next(dice, place, "resampled", target, left)
                return verdict
            verdict.path.append(node)
            place = node
        return finish(verdict, scored, dice, self._end_tokens)


def toss(dice: Dice, chance: float, draft: Law, token: int) -> tuple[float | None, bool]:
    """Flip a coin for a drafted ``token``: its draw, and whether it fell for the token. The draw is None where nothing
    is left to chance: the token was certain to be drafted and is certain to be accepted, or to be rejected."""
    flip = dice.flip(chance)
    certain = chance in (0.0, 1.0) and draft.probs[token] == 1.0
    return None if certain else flip.draw, flip.heads
