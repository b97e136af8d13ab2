"""Multi-token joint decoding: K tokens at a time from their joint distribution, on the target alone (mtad.txt, section
3.1).

    x_1..x_K ~ T(P(x_1..x_K | context)), the warp T applied to the joint of a whole block

A block is grown for K - 1 tokens and one beam is drawn with the K-th. Growing every continuation there is makes this
exact. Growing particles, each by a draw of its own, is unbiased without a warp and approaches the exact joint as there
are more of them: a particle is drawn with probability P(its tokens), so that is what its weight is divided by, once.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import torch

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.drafting.joint import continuations, joint_distribution, pick
from specviz.lm.warp import Warp
from specviz.trace.decisions import SampledBeam
from specviz.trace.distribution import STAYS, JointDistribution
from specviz.trace.forest import LayerBeam
from specviz.verifying.beams.beam import draw_beam, input_beams, longer, step_of
from specviz.verifying.verdict import Verdict, Verifier

RAW = Warp()


class Particles(Verifier):
    """``width`` particles, each of which goes on with a token drawn from its own p, raw; from one beam all of them."""

    reads = "nothing"

    def __init__(self, width: int, vocab_size: int):
        self._width, self.entries = width, vocab_size

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        layer, verdict = input_beams(scored), Verdict()
        draws = self._width // len(layer)
        own = [joint_distribution([beam], RAW) for beam in layer]
        drawn = [draw_beam(joint, 1, "target", dice, verdict) for joint in own for _ in range(draws)]
        verdict.layers.append([step_of(layer, one.parent, one.token, None, "target") for one in drawn])
        return verdict


def particle_distribution(particles: Sequence[LayerBeam], warp: Warp) -> JointDistribution:
    """The warped joint of all that ``particles``, drawn from the raw target, may go on to: in proportion to the number
    of copies times P(particle, token)^(1/T) / P(particle). Top-k and top-p keep the pairs with the largest P."""
    copies = Counter(particle.prefix for particle in particles)
    distinct = {particle.prefix: particle for particle in particles}
    pairs = continuations(list(distinct.values()), warp.top_k)
    drawn = {number: math.log(copies[number]) - (one.logprob or 0.0) for number, one in distinct.items()}
    logits = warp.tempered(torch.from_numpy(pairs.logprobs)).numpy() + [
        drawn[number] for number in pairs.prefixes.tolist()
    ]
    weights = np.exp(logits - logits.max())
    order = np.argsort(-pairs.logprobs, kind="stable")
    inside = len(order) if warp.top_k is None else min(warp.top_k, len(order))
    if warp.top_p is not None:
        before = np.cumsum(weights[order[:inside]]) - weights[order[:inside]]
        inside = int((before < warp.top_p * weights[order[:inside]].sum()).sum())
    weights[pairs.logprobs < pairs.logprobs[order[inside - 1]]] = 0.0  # those that equal the last one stay
    kept = np.flatnonzero(weights)
    probs = weights[kept] / weights.sum()
    return JointDistribution(pairs.prefixes[kept], pairs.tokens[kept], probs, pairs.logprobs[kept])


class MultiTokenVerifier(Verifier):
    """Grows a block by ``grow`` and commits one beam, drawn from ``joint`` of what was grown and ``warp`` (temperature
    0: the most likely), at its end: after ``tokens`` tokens, with output token number ``most``, or as soon as all of
    its beams have ended. A block of one token is plain sampling. ``prompt_length`` tells the output from the prompt.
    """

    reads = "nothing"

    def __init__(
        self,
        grow: Verifier,
        joint: Callable[[Sequence[LayerBeam], Warp], JointDistribution],
        warp: Warp,
        tokens: int,
        prompt_length: int,
        most: int,
        end_tokens: frozenset[int],
    ):
        self._grow, self._joint, self._warp, self.entries = grow, joint, warp, grow.entries
        self._tokens, self._prompt_length, self._most, self._end_tokens = tokens, prompt_length, most, end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        number = max(len(beam.tokens) for beam in scored.beams) - self._prompt_length + 1
        if number % self._tokens == 0 or number == self._most:
            return self._commit(scored, dice)
        verdict = self._grow.verify(scored, dice)
        if all(step.token is None or step.token in self._end_tokens for step in verdict.layers[0]):
            verdict.surviving = (self._choose(scored, verdict, dice),)
        return verdict

    def _commit(self, scored: ScoredForest, dice: Dice) -> Verdict:
        """The block's last token, and the beam that it leaves."""
        layer, verdict = input_beams(scored), Verdict()
        drawn = draw_beam(self._joint(layer, self._warp), 1, "target", dice, verdict)
        verdict.layers.append([step_of(layer, drawn.parent, drawn.token, None, "target")])
        return verdict

    def _choose(self, scored: ScoredForest, verdict: Verdict, dice: Dice) -> int:
        """Which of the layer's beams, all of them ended, the block leaves; drawn by weight, copies counted."""
        layer, (steps,) = input_beams(scored), verdict.layers
        pairs = [(layer[step.before].prefix, STAYS if step.token is None else step.token) for step in steps]
        ended = []
        for pair, step in zip(pairs, steps, strict=True):
            logprob = layer[step.before].logprob
            ended.append(LayerBeam(pairs.index(pair), longer(logprob, step) if step.target else logprob, None))
        joint = self._joint(ended, self._warp)
        chosen, _, uniform = pick(joint, dice)
        prefixes, tokens = np.array(pairs)[joint.prefixes].T
        source = JointDistribution(prefixes, tokens, joint.probs, joint.logprobs)
        verdict.decisions.append(SampledBeam(pairs[chosen][0], 1, pairs[chosen][1], "target", uniform, source))
        return chosen
