"""Rollback: the target goes over what the small model wrote and takes the text back to its first bad token.

Big Little Decoder (Kim et al. 2023), a baseline of mtad.txt; the small model's half, the fallback, is in
``drafting/confident.py``.
"""

from specviz.dice import Dice
from specviz.drafting.confident import confidence
from specviz.drafting.forest import ScoredForest
from specviz.verifying.prefix import draw_after
from specviz.verifying.verdict import RollbackTest, Verdict


class RollbackVerifier:
    """A token x_i fails when -log p(x_i) > threshold, with p the target's unwarped law, in nats.

    The text is rolled back to the earliest failing token, which a draw from the target (warped) replaces; where none
    fails, the target supplies the next token. No coin, no residual. ``threshold`` is 0 or more: at 0 only tokens that
    the target was certain of stay.
    """

    def __init__(self, threshold: float, end_tokens: frozenset[int] = frozenset()):
        self._threshold, self._end_tokens = threshold, end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, path = scored.forest, scored.forest.submitted
        verdict, kept = Verdict(offered=len(path)), True
        for node in path:
            token, target, draft = forest.tokens[node], scored.law_at(forest.parents[node]), forest.draft_laws[node]
            surprise = max(0.0, -target.logprob(token))
            passes = surprise <= self._threshold
            kept = kept and passes
            if kept:
                verdict.path.append(node)
            p, q, sure = float(target.probs[token]), float(draft.probs[token]), confidence(draft)
            verdict.decisions.append(
                RollbackTest(node, target, draft, p, q, sure, surprise, self._threshold, passes, kept)
            )
        return draw_after(verdict, scored, dice, self._end_tokens)
