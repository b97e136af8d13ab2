"""Token by token: speculative sampling's acceptance test and residual (speculative-decoding.txt, section 2.3).

A drafted token x with target law p and draft law q is accepted with probability min(1, p(x) / q(x)); after the first
rejection one token is drawn from norm((p - q)+); when all pass, a bonus token is drawn from p.
"""

import math
from collections.abc import Sequence

import numpy as np

from specviz.dice import Dice
from specviz.drafting.forest import Law, ScoredForest
from specviz.verifying.verdict import Coin, Verdict


def residual(target: Law, draft: Law) -> Law:
    """norm((p - q)+), the law of the token that replaces a rejected one; p itself when nothing is left of it."""
    excess = np.maximum(target.probs - draft.probs, 0.0)
    total = excess.sum()
    return target.with_probs(excess / total) if total > 0.0 else target


class TokenVerifier:
    """Accept with min(1, p / (lenience q)), lenience in (0, 1]; 1 keeps the target's law exactly (appendix A.1), less
    bounds every token's probability by p / lenience (appendix A.5, whose inequality is printed the wrong way round)."""

    def __init__(self, lenience: float = 1.0, end_tokens: frozenset[int] = frozenset()):
        self._lenience, self._end_tokens = lenience, end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        chain = scored.forest.submitted
        path, coins, source = self.judge(scored, chain, dice)
        verdict = Verdict(path=path, decisions=[*coins], offered=len(chain))
        if source is None:
            return finish(verdict, scored, dice, self._end_tokens)
        last = path[-1] if path else -1
        verdict.draw_next(dice, last, "resampled", scored.law_at(last), source)
        return verdict

    def judge(self, scored: ScoredForest, chain: Sequence[int], dice: Dice) -> tuple[list[int], list[Coin], Law | None]:
        """The accepted nodes of a chain, its coins up to the first rejection, and the law of the token that replaces
        the rejected one (None where all were accepted)."""
        forest, coins = scored.forest, []
        for place, node in enumerate(chain):
            target, draft, token = scored.law_at(forest.parents[node]), forest.draft_laws[node], forest.tokens[node]
            chance, draw, accepted = self._judge(target, draft, token, dice)
            p, q = float(target.probs[token]), float(draft.probs[token])
            coins.append(Coin(node, target, draft, p, q, chance, draw, accepted))
            if not accepted:
                return list(chain[:place]), coins, self._replacement(target, draft)
        return list(chain), coins, None

    def _judge(self, target: Law, draft: Law, token: int, dice: Dice) -> tuple[float, float | None, bool]:
        """(chance, the coin's draw, accepted)."""
        p, q = float(target.probs[token]), self._lenience * float(draft.probs[token])
        chance = 1.0 if p >= q else p / q
        flip = dice.flip(chance)
        return chance, flip.draw, flip.heads

    def _replacement(self, target: Law, draft: Law) -> Law:
        return residual(target, draft)


class GreedyTokenVerifier(TokenVerifier):
    """Temperature 0, no coin: accept while the unwarped p(x) >= lenience max(p); a rejected token is replaced by the
    argmax."""

    def _judge(self, target: Law, draft: Law, token: int, dice: Dice) -> tuple[float, None, bool]:
        log_ratio = float(target.logits[token] - target.logits.max())
        near = self._lenience < 1.0 and log_ratio >= math.log(self._lenience)
        accepted = near or bool(target.probs[token] == 1.0)
        return float(accepted), None, accepted

    def _replacement(self, target: Law, draft: Law) -> Law:
        return target


def finish(verdict: Verdict, scored: ScoredForest, dice: Dice, end_tokens: frozenset[int]) -> Verdict:
    """Every submitted token was accepted: draw one more from the target, unless the text has ended."""
    forest = scored.forest
    last = verdict.path[-1] if verdict.path else -1
    if last < 0:
        verdict.draw_next(dice, last, "target", scored.root)
    elif forest.tokens[last] not in end_tokens:
        verdict.draw_next(dice, last, "bonus", scored.law_at(last))
    return verdict
