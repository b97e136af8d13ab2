"""Multi-token joint decoding: K tokens at a time from their joint distribution, on the target alone (mtad.txt, section
3.1).

    x_1..x_K ~ T(P(x_1..x_K | context)), the warp T applied to the joint of a whole block

A block is grown for K - 1 tokens and one beam is drawn with the K-th. Growing every continuation there is makes this
exact. Else it grows particles, drawn anew with every token, whose number stands for P(their tokens)^(1/T): what a draw
counts is P(token | particle)^(1/T) alone, and no likelihood counts twice. Without a warp that is exact at any width;
with one it approaches the exact joint as there are more of them.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.drafting.joint import continuations, joint_distribution, pick
from specviz.errors import OptionError
from specviz.lm.warp import Warp
from specviz.options import Option, Options
from specviz.rules.beams.beam import DETERMINISTIC, BeamSearch, SampledBeam, draw_beam, is_certain, sampling_changeable
from specviz.rules.beams.layer import input_beams, longer, step_of
from specviz.rules.spec import VerifierSpec, VerifyContext
from specviz.rules.verdict import Verdict, Verifier
from specviz.trace.distribution import STAYS, JointDistribution
from specviz.trace.forest import Drawing, LayerBeam
from specviz.trace.record import Guarantee


class Particles(Verifier):
    """``width`` particles, each a draw from all that the particles before it may go on to (``particle_distribution``);
    of every particle the top-k tokens."""

    reads = "nothing"

    def __init__(self, warp: Warp, width: int):
        self._warp, self._width = warp, width

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        layer, verdict = input_beams(scored), Verdict()
        joint = particle_distribution(layer, self._warp, last=False)
        drawn = [draw_beam(joint, 1, "target", dice, verdict) for _ in range(self._width)]
        verdict.layers.append([step_of(layer, token.parent, token.token, None, "target") for token in drawn])
        return verdict


def particle_distribution(particles: Sequence[LayerBeam], warp: Warp, *, last: bool = True) -> JointDistribution:
    """What ``particles`` may go on to, in proportion to their copies times P(token | particle)^(1/T). With the ``last``
    token of a block top-k and top-p keep the pairs with the largest joint P; before it, top-k the tokens of each."""
    copies = Counter(particle.prefix for particle in particles)
    distinct = {particle.prefix: particle.logprob or 0.0 for particle in particles}
    pairs = continuations([*{particle.prefix: particle for particle in particles}.values()], warp.top_k)
    numbers = pairs.prefixes.tolist()
    conditional = pairs.logprobs - [distinct[number] for number in numbers]
    logits = warp.tempered(torch.from_numpy(conditional)).numpy() + [math.log(copies[number]) for number in numbers]
    weights = np.exp(logits - logits.max())
    groups = [np.arange(len(pairs))] if last else [np.flatnonzero(pairs.prefixes == number) for number in distinct]
    for group in groups:
        weights[group] *= _inside(pairs.logprobs[group], weights[group], warp.top_k, warp.top_p if last else None)
    possible = np.flatnonzero(weights)
    probs = weights[possible] / weights.sum()
    return JointDistribution(pairs.prefixes[possible], pairs.tokens[possible], probs, pairs.logprobs[possible])


def _inside(logprobs: np.ndarray, weights: np.ndarray, top_k: int | None, top_p: float | None) -> np.ndarray:
    """Which of [n] outcomes a cut keeps, the likeliest first; those that equal the last one stay."""
    order = np.argsort(-logprobs, kind="stable")[:top_k]
    if top_p is not None:
        before = np.cumsum(weights[order]) - weights[order]
        order = order[: int((before < top_p * weights[order].sum()).sum())]
    return logprobs >= logprobs[order[-1]]


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


MOST_CONTINUATIONS = 20_000  # of a block, when all are enumerated


def _build(context: VerifyContext, options: Options) -> Verifier:
    width, _ = _block_beams(context, options)
    warp = Warp(temperature=0.0) if is_certain(options) else context.warp
    searching = is_certain(options) or options["exact"]
    grow: Verifier = BeamSearch(width) if searching else Particles(warp, width)
    joint = joint_distribution if searching else particle_distribution
    sizes = options["tokens"], context.prompt_length, context.max_new_tokens
    return MultiTokenVerifier(grow, joint, warp, *sizes, context.end_tokens)


def _block_beams(context: VerifyContext, options: Options) -> tuple[int, int]:
    """The beams of a block, and the rows that they need."""
    width, tokens = options["beams"], options["tokens"]
    return _all_continuations(context.vocab_size, tokens) if options["exact"] else (width, width * (tokens - 1))


def _all_continuations(vocab_size: int, tokens: int) -> tuple[int, int]:
    """V^(K-1), the most beams of a block of which every continuation is grown, and V + .. + V^(K-1), the rows that they
    need. Raises OptionError past ``MOST_CONTINUATIONS``."""
    if vocab_size**tokens > MOST_CONTINUATIONS:
        raise OptionError(
            f"exact=True enumerates vocabulary ** tokens continuations, here {vocab_size} ** {tokens} = "
            f"{vocab_size**tokens}; at most {MOST_CONTINUATIONS} are allowed: lower tokens, or use exact=False",
            argument="exact",
            code="too_many",
        )
    return vocab_size ** (tokens - 1), sum(vocab_size**length for length in range(1, tokens))


def _guarantee(options: Options, drawing: Drawing) -> Guarantee:
    if options["tokens"] == 1:
        return "greedy" if is_certain(options) else "target"
    raw = options["temperature"] == 1 and options["top_k"] is None and options["top_p"] in (None, 1.0)
    return "target" if raw and not options["deterministic"] else "lossy"


SPEC = VerifierSpec(
    "multi-token",
    "a block of tokens drawn from their joint distribution",
    _build,
    (
        Option("tokens", "integer", 4, "Tokens committed at a time (K).", 1, 16),
        Option("beams", "integer", 8, "Beams that approximate their joint distribution (W).", 1, 64),
        replace(DETERMINISTIC, help="Commit the most likely instead of drawing."),
        Option("exact", "flag", False, "Grow every continuation; for small vocabularies."),
    ),
    judges=("nothing",),
    guarantee=_guarantee,
    changeable=sampling_changeable,
    beams=_block_beams,
    carries=True,
    free=False,
)
