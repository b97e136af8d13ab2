"""Token by token: speculative sampling's acceptance test and residual (speculative-decoding.txt, section 2.3).

A drafted token x with target distribution p and draft distribution q is accepted with probability min(1, p(x) / q(x));
after the first rejection one token is drawn from norm((p - q)+); when all pass, a bonus token is drawn from p.
"""

import math
from collections.abc import Sequence

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.trace.decisions import Coin
from specviz.trace.distribution import Distribution, residual
from specviz.trace.forest import Node
from specviz.verifying.verdict import Verdict, Verifier


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
            return finish(verdict, scored, dice, self._end_tokens)
        verdict.sample_next(dice, scored, path[-1] if path else -1, "resampled", source)
        return verdict

    def judge(
        self, scored: ScoredForest, chain: Sequence[int], dice: Dice
    ) -> tuple[list[int], list[Coin], Distribution | None]:
        """The accepted nodes of a chain, its coins up to the first rejection, and the distribution of the token that
        replaces the rejected one (None where all were accepted)."""
        coins = []
        for position, number in enumerate(chain):
            node = scored.forest.nodes[number]
            target = scored.target_at(node.parent)
            coins.append(self._flip(number, node, target, dice))
            if not coins[-1].accepted:
                return list(chain[:position]), coins, self._replacement(target, node.draft)
        return list(chain), coins, None

    def _flip(self, number: int, node: Node, target: Distribution, dice: Dice) -> Coin:
        p, q = target.prob(node.token), self._lenience * node.draft_prob
        probability = 1.0 if p >= q else p / q
        flip = dice.flip(probability)
        return Coin(number, node.depth, node.token, probability, flip.uniform, flip.heads, target, node.draft)

    def _replacement(self, target: Distribution, draft: Distribution) -> Distribution:
        return residual(target, draft)


class GreedyTokenVerifier(TokenVerifier):
    """Temperature 0, no coin: accept while the raw p(x) >= lenience max(p); a rejected token is replaced by the
    argmax."""

    reads = "nothing"

    def _flip(self, number: int, node: Node, target: Distribution, dice: Dice) -> Coin:
        log_ratio = target.logit(node.token) - target.logit(target.best)
        near = self._lenience < 1.0 and log_ratio >= math.log(self._lenience)
        accepted = near or target.prob(node.token) == 1.0
        return Coin(number, node.depth, node.token, float(accepted), None, accepted, target, node.draft)

    def _replacement(self, target: Distribution, draft: Distribution) -> Distribution:
        return target


def finish(verdict: Verdict, scored: ScoredForest, dice: Dice, end_tokens: frozenset[int]) -> Verdict:
    """Every submitted token was accepted: draw one more from the target, unless the text has ended."""
    last = verdict.path[-1] if verdict.path else -1
    if last < 0:
        verdict.sample_next(dice, scored, last, "target")
    elif scored.forest.nodes[last].token not in end_tokens:
        verdict.sample_next(dice, scored, last, "bonus")
    return verdict
