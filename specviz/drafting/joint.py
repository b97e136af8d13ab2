"""The distribution of a whole layer of beams: which beam goes on with which token (dsbd.txt, Eq. 1).

    p_beam(beam, token) = T(P(beam) P(token | beam) / sum of the same over all beams and tokens)

The models inside are raw; the warp T is applied once, to the joint. Beams are a multiset: each copy of a text is a
candidate of its own and counts again; what equal texts got is then added up, under the prefix of the first of them.
Drafters use it on the draft model (q_beam), verifiers on the target (p_beam).
"""

import math
from collections.abc import Sequence

import numpy as np

from specviz.dice import Dice
from specviz.drafting.drafter import Beam
from specviz.lm.warp import Warp
from specviz.trace.distribution import STAYS, JointDistribution, warped
from specviz.trace.forest import Forest, LayerBeam

_STAYS, _CERTAIN = np.array([STAYS]), np.zeros(1)  # the one continuation of a beam that has ended


def joint_distribution(beams: Sequence[LayerBeam], warp: Warp) -> JointDistribution:
    """p_beam over all pairs of ``beams`` and tokens; empty where no pair has any probability. A finished beam has one
    continuation, itself (token -1), of probability one."""
    pairs = continuations(beams, 1 if warp.greedy else warp.top_k)
    if not len(pairs):  # a draft model with nothing to propose
        return pairs
    (probs,) = warped(pairs.logprobs[None], warp.temperature, warp.top_k, warp.top_p)
    possible = np.flatnonzero(probs)
    joint = JointDistribution(
        pairs.prefixes[possible], pairs.tokens[possible], probs[possible], pairs.logprobs[possible]
    )
    copies = len({beam.prefix for beam in beams}) < len(beams)
    return _add_up_copies(joint) if copies else joint


def continuations(beams: Sequence[LayerBeam], likeliest: int | None = None) -> JointDistribution:
    """All pairs of beams and tokens, beam after beam, with their raw joint log-probabilities and no probabilities yet.
    Of every beam the ``likeliest`` tokens are enough (None: all). Raises ReplayError where a record lists fewer."""
    parts: list[tuple[np.ndarray, np.ndarray, float]] = []  # tokens, raw logits, log of the sum of all exp(logit)
    for beam in beams:
        if beam.next is None:
            parts.append((_STAYS, _CERTAIN, 0.0))
        else:
            beam.next.need(likeliest)
            parts.append((beam.next.tokens, beam.next.logits, beam.next.log_total if beam.next.possible else 0.0))
    tokens, logits, totals = zip(*parts, strict=True)
    counts = [len(own) for own in tokens]
    prefixes = np.repeat(np.array([beam.prefix for beam in beams], dtype=np.int64), counts)
    before = np.repeat([-math.inf if beam.logprob is None else beam.logprob for beam in beams], counts)
    logprobs = before + (np.concatenate(logits, dtype=np.float64) - np.repeat(totals, counts))
    return JointDistribution(prefixes, np.concatenate(tokens), np.zeros(len(logprobs)), logprobs)


def _add_up_copies(joint: JointDistribution) -> JointDistribution:
    _, first, group = np.unique(joint.keys(), return_index=True, return_inverse=True)
    probs = np.bincount(group, weights=joint.probs)
    return JointDistribution(joint.prefixes[first], joint.tokens[first], probs, joint.logprobs[first])


def most_likely(beams: Sequence[LayerBeam], width: int) -> list[tuple[int, int, float]]:
    """The ``width`` most likely continuations, as (prefix, token, raw joint log-probability), best first; fewer where
    fewer have any probability. Equals keep their order: that of ``beams``, then the smaller token id."""
    pairs = continuations(beams, width)
    index = np.flatnonzero(pairs.logprobs > -np.inf)
    index = index[np.argsort(-pairs.logprobs[index], kind="stable")][:width]
    columns = (pairs.prefixes, pairs.tokens, pairs.logprobs)
    return list(zip(*(column[index].tolist() for column in columns), strict=True))


def pick(joint: JointDistribution, dice: Dice) -> tuple[int, int, float | None]:
    """A pair drawn, as (prefix, token, the uniform number behind it, None for a certain pair)."""
    chosen = dice.pick(joint.probs)
    uniform = None if joint.probs[chosen.index] == 1.0 else chosen.uniform
    return int(joint.prefixes[chosen.index]), int(joint.tokens[chosen.index]), uniform


def root_prefixes(beams: Sequence[Beam]) -> list[int]:
    """The prefix of every input beam's text: -1 - i of the first beam i that has it."""
    first: dict[tuple[int, ...], int] = {}
    return [first.setdefault(tuple(beam.tokens), -1 - index) for index, beam in enumerate(beams)]


def node_prefixes(forest: Forest) -> list[int]:
    """The prefix of every node's text: the first node that has it. Children are grown below first nodes alone."""
    first: dict[tuple[int, int], int] = {}
    return [first.setdefault((node.parent, node.token), number) for number, node in enumerate(forest.nodes)]
