"""Multi-token joint decoding: K tokens at a time from their joint law, on the target alone (mtad.txt, section 3.1).

    x_1..x_K ~ T(P(x_1..x_K | context)), the warp T applied to the joint of a whole block

A block is grown by beam sampling (or search) for K - 1 tokens; with the K-th, one beam is drawn from p_beam, the joint
law of what was grown. Growing every continuation there is makes this exact.
"""

import numpy as np

from specviz.dice import Dice
from specviz.drafting.forest import LayerLaw, ScoredForest
from specviz.drafting.joint_law import STAYS, LiveBeam, joint_law, pick
from specviz.lm.warp import Warp
from specviz.verifying.beam import BeamSampling, input_beams
from specviz.verifying.verdict import BeamDraw, Verdict, Verifier


class MultiTokenVerifier:
    """Grows a block by ``grow`` (a verifier of ``beam.py``) and commits one beam, drawn with ``warp`` (temperature 0:
    the most likely), at its end: after ``tokens`` tokens, with output token number ``most``, or as soon as all of its
    beams have ended. A block of one token is plain sampling. ``prompt_length`` tells the output from the prompt.
    """

    def __init__(
        self, grow: Verifier, warp: Warp, tokens: int, prompt_length: int, most: int, end_tokens: frozenset[int]
    ):
        self._grow, self._commit, self._warp = grow, BeamSampling(warp, 1), warp
        self._tokens, self._prompt_length, self._most, self._end_tokens = tokens, prompt_length, most, end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        number = max(len(beam.tokens) for beam in scored.beams) - self._prompt_length + 1
        if number % self._tokens == 0 or number == self._most:
            return self._commit.verify(scored, dice)
        verdict = self._grow.verify(scored, dice)
        if all(step.token is None or step.token in self._end_tokens for step in verdict.layers[0]):
            verdict.going = (self._choose(scored, verdict, dice),)
        return verdict

    def _choose(self, scored: ScoredForest, verdict: Verdict, dice: Dice) -> int:
        """Which of the layer's beams, all of them ended, the block leaves; drawn by weight, copies counted."""
        layer, (steps,) = input_beams(scored), verdict.layers
        pairs = [(layer[step.before].place, STAYS if step.token is None else step.token) for step in steps]
        ended = [
            LiveBeam(
                pairs.index(pair),
                layer[step.before].logprob + (step.law.logprob(step.token) if step.law else 0.0),
                None,
            )
            for pair, step in zip(pairs, steps, strict=True)
        ]
        law = joint_law(ended, self._warp)
        chosen, _, draw = pick(law, dice)
        places, tokens = np.array(pairs)[law.places].T
        source = LayerLaw(places, tokens, law.probs, law.logprobs)
        verdict.decisions.append(BeamDraw(*pairs[chosen][:1], 1, pairs[chosen][1], "target", draw, source))
        return chosen
