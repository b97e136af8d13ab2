"""A token that a reader put into the text by hand: nobody drafted or drew it, and nothing judged it."""

from dataclasses import dataclass
from math import exp
from typing import Literal

from specviz.drafting.drafter import ScoredForest
from specviz.facts.tokens import number
from specviz.pictures.shown import Moment, Shown, Telling
from specviz.rules.draw import SampledToken, draw_picture
from specviz.rules.verdict import Verdict


@dataclass(frozen=True)
class TokenByHand(SampledToken):
    """The token that was put after the text; ``target`` and ``source`` are the target's distribution there."""

    rule: Literal["by-hand"] = "by-hand"  # pyright: ignore[reportIncompatibleVariableOverride]

    def show(self, moment: Moment) -> Shown:
        """What the target would have said."""
        prob, raw = number(self.target.prob(self.token)), number(exp(self.target.logprob(self.token)))
        sentence = (
            f"Nobody guessed or drew {moment.token}: it was put here by hand. The target gives it probability {prob} "
            f"({raw} before temperature, top-k and top-p). The method goes on behind it by its own rule."
        )
        telling = Telling(f"By hand: {moment.token}", sentence, f"target({moment.token}) = {prob}")
        return Shown(telling, {"decision": ("draw", draw_picture(moment.trace, moment.iteration, self, ""))})


def put_by_hand(scored: ScoredForest, token: int) -> Verdict:
    """The verdict that the token comes next, whatever the target says."""
    target = scored.root
    put = TokenByHand(-1, 1, token, "hand", None, target, target)
    return Verdict(sampled=put, decisions=[put])
