"""Rollback: the target goes over what the small model wrote and takes the text back to its first bad token.

Big Little Decoder (Kim et al. 2023), a baseline of mtad.txt; the small model's half, the fallback, is in
``drafting/confident.py``.
"""

from specviz.dice import Dice
from specviz.drafting.confident import confidence
from specviz.drafting.drafter import ScoredForest
from specviz.trace.decisions import RollbackTest
from specviz.trace.forest import finite
from specviz.verifying.prefix import sample_after
from specviz.verifying.verdict import Verdict, Verifier


class RollbackVerifier(Verifier):
    """A token x_i fails when -log p(x_i) > threshold, with p the target's raw distribution, in nats.

    The text is rolled back to the earliest failing token, which a draw from the target (warped) replaces; where none
    fails, the target supplies the next token. No coin, no residual. ``threshold`` is 0 or more: at 0 only tokens that
    the target was certain of stay.
    """

    reads = "nothing"

    def __init__(self, threshold: float, end_tokens: frozenset[int] = frozenset()):
        self._threshold, self._end_tokens = threshold, end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        chain = scored.forest.submitted
        verdict, kept = Verdict(offered=len(chain)), True
        for number in chain:
            node = scored.forest.nodes[number]
            target = scored.target_at(node.parent)
            surprise = max(0.0, -target.logprob(node.token))
            passes = surprise <= self._threshold
            kept = kept and passes
            if kept:
                verdict.path.append(number)
            numbers = (confidence(node.draft), finite(surprise), self._threshold)
            verdict.decisions.append(
                RollbackTest(number, node.depth, node.token, *numbers, passes, kept, target, node.draft)
            )
        return sample_after(verdict, scored, dice, self._end_tokens)
