"""Forks: every chain below its own root is judged by the token rule with its own coins, and the best one kept.

improved-mcsd.txt, section 3.1. Keeping the best of several chains is what makes the text leave the target's
distribution: the root is chosen by how well its continuation does.
"""

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.options import Options
from specviz.rules.spec import VerifierSpec, VerifyContext, target_or_greedy
from specviz.rules.token import GreedyTokenVerifier, TokenVerifier
from specviz.rules.verdict import Verdict, Verifier


class ForkVerifier(Verifier):
    """Keeps the chain with the longest accepted prefix, the first among equals: its root, which was drawn from the
    target and is judged by nobody, and its accepted tokens. Nothing is drawn after them.

    The distribution of the next iteration's roots is left in ``Verdict.next_distribution``: the target's own where the
    whole chain was accepted, the residual norm((p - q)+) at its first rejection (p where that is empty). None follows
    an end token. ``accepted`` and ``offered`` count the kept chain's drafts, its root left out. ``rule`` judges a
    chain.
    """

    def __init__(self, rule: TokenVerifier, end_tokens: frozenset[int] = frozenset()):
        self._rule, self._end_tokens, self.reads = rule, end_tokens, rule.reads

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        children = scored.forest.children()
        judged = []
        for root in children[-1]:
            chain = _chain_below(root, children)
            judged.append((root, chain, *self._rule.judge(scored, chain, dice)))
        root, chain, accepted, _, replacement = max(judged, key=lambda candidate: len(candidate[2]))
        decisions = [coin for *_, coins, _ in judged for coin in coins]
        verdict = Verdict(path=[root, *accepted], decisions=decisions, offered=len(chain), accepted=len(accepted))
        last = verdict.path[-1]
        if replacement is not None:
            verdict.next_distribution, verdict.next_origin = replacement, "resampled"
        elif scored.forest.nodes[last].token not in self._end_tokens:
            verdict.next_distribution, verdict.next_origin = scored.target_at(last), "bonus"
        return verdict


def _chain_below(root: int, children: dict[int, list[int]]) -> list[int]:
    """The nodes under ``root``, one below the other."""
    chain, node = [], root
    while node in children:
        (node,) = children[node]
        chain.append(node)
    return chain


def _build(context: VerifyContext, options: Options) -> Verifier:
    return ForkVerifier(GreedyTokenVerifier() if context.warp.greedy else TokenVerifier(), context.end_tokens)


SPEC = VerifierSpec(
    "fork",
    "every chain token by token, the longest kept",
    _build,
    judges=("fork",),
    guarantee=lambda options, drawing: target_or_greedy(options) if options["width"] == 1 else "lossy",
    free=False,
)
