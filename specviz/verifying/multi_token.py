"""Multi-token joint decoding: K tokens at a time from their joint distribution, on the target alone (mtad.txt, section
3.1).

    x_1..x_K ~ T(P(x_1..x_K | context)), the warp T applied to the joint of a whole block

A block is grown by beam sampling (or search) for K - 1 tokens; with the K-th, one beam is drawn from p_beam, the joint
distribution of what was grown. Growing every continuation there is makes this exact.
"""

import numpy as np

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.drafting.joint import joint_distribution, pick
from specviz.lm.warp import Warp
from specviz.trace.decisions import SampledBeam
from specviz.trace.distribution import STAYS, JointDistribution
from specviz.trace.forest import LayerBeam
from specviz.verifying.beams.beam import BeamSampling, input_beams, longer
from specviz.verifying.verdict import Verdict, Verifier


class MultiTokenVerifier(Verifier):
    """Grows a block by ``grow`` (a verifier of ``beam.py``) and commits one beam, drawn with ``warp`` (temperature 0:
    the most likely), at its end: after ``tokens`` tokens, with output token number ``most``, or as soon as all of its
    beams have ended. A block of one token is plain sampling. ``prompt_length`` tells the output from the prompt.
    """

    reads = "nothing"

    def __init__(
        self, grow: Verifier, warp: Warp, tokens: int, prompt_length: int, most: int, end_tokens: frozenset[int]
    ):
        self._grow, self._commit, self._warp, self.entries = grow, BeamSampling(warp, 1), warp, grow.entries
        self._tokens, self._prompt_length, self._most, self._end_tokens = tokens, prompt_length, most, end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        number = max(len(beam.tokens) for beam in scored.beams) - self._prompt_length + 1
        if number % self._tokens == 0 or number == self._most:
            return self._commit.verify(scored, dice)
        verdict = self._grow.verify(scored, dice)
        if all(step.token is None or step.token in self._end_tokens for step in verdict.layers[0]):
            verdict.surviving = (self._choose(scored, verdict, dice),)
        return verdict

    def _choose(self, scored: ScoredForest, verdict: Verdict, dice: Dice) -> int:
        """Which of the layer's beams, all of them ended, the block leaves; drawn by weight, copies counted."""
        layer, (steps,) = input_beams(scored), verdict.layers
        pairs = [(layer[step.before].prefix, STAYS if step.token is None else step.token) for step in steps]
        ended = []
        for pair, step in zip(pairs, steps, strict=True):
            logprob = layer[step.before].logprob
            ended.append(LayerBeam(pairs.index(pair), longer(logprob, step) if step.target else logprob, None))
        joint = joint_distribution(ended, self._warp)
        chosen, _, uniform = pick(joint, dice)
        prefixes, tokens = np.array(pairs)[joint.prefixes].T
        source = JointDistribution(prefixes, tokens, joint.probs, joint.logprobs)
        verdict.decisions.append(SampledBeam(pairs[chosen][0], 1, pairs[chosen][1], "target", uniform, source))
        return chosen
