"""The law of a whole layer of beams: which beam goes on with which token (dsbd.txt, Eq. 1).

    p_beam(beam, token) = T(P(beam) P(token | beam) / sum of the same over all beams and tokens)

The models inside are unwarped; the warp T is applied once, to the joint. Beams are a multiset: each copy of a text is a
candidate of its own and counts again; what equal texts got is then added up, under the place of the first of them.
Drafters use it on the draft model (q_beam), verifiers on the target (p_beam).
"""

from collections.abc import Collection, Sequence

import numpy as np
import torch

from specviz.dice import Dice
from specviz.drafting.forest import Beam, Forest, LayerLaw, LiveBeam
from specviz.lm.warp import Warp

STAYS = -1  # the token of a finished beam, which goes on as it is


def joint_law(beams: Sequence[LiveBeam], warp: Warp) -> LayerLaw:
    """p_beam over all pairs of ``beams`` and tokens; empty where no pair has any probability. A finished beam has one
    continuation, itself (token -1), of probability one."""
    logprobs, starts = flat_logprobs(beams, 1 if warp.greedy else warp.top_k)
    probs = warp(torch.from_numpy(logprobs)[None])[0].numpy()
    kept = np.flatnonzero(probs)
    places, tokens = pairs_at(kept, beams, starts)
    law = LayerLaw(places, tokens, probs[kept], logprobs[kept])
    copies = len({beam.place for beam in beams}) < len(beams)
    return _add_up_copies(law) if copies else law


def flat_logprobs(beams: Sequence[LiveBeam], likeliest: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Unwarped joint log-probabilities of all continuations, beam after beam, float64 [n]; and where each begins. Of
    every beam the ``likeliest`` must be right (None: all)."""
    blocks = [beam.logprob + (np.zeros(1) if beam.law is None else beam.law.logprobs(likeliest)) for beam in beams]
    starts = np.cumsum([0, *(len(block) for block in blocks[:-1])])
    return np.concatenate(blocks), starts


def pairs_at(index: np.ndarray, beams: Sequence[LiveBeam], starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places and tokens of the continuations at ``index`` [n] of the flat array."""
    owners = np.searchsorted(starts, index, side="right") - 1
    ended = np.array([beam.law is None for beam in beams])[owners]
    places = np.array([beam.place for beam in beams])[owners]
    return places, np.where(ended, STAYS, index - starts[owners])


def _add_up_copies(law: LayerLaw) -> LayerLaw:
    _, first, group = np.unique(_keys(law), return_index=True, return_inverse=True)
    probs = np.bincount(group, weights=law.probs)
    return LayerLaw(law.places[first], law.tokens[first], probs, law.logprobs[first])


def _keys(law: LayerLaw) -> np.ndarray:
    """One whole number for each (place, token) pair."""
    return law.places.astype(np.int64) * 2**32 + law.tokens


def most_likely(beams: Sequence[LiveBeam], width: int) -> list[tuple[int, int, float]]:
    """The ``width`` most likely continuations, as (place, token, unwarped joint log-probability), best first; fewer
    where fewer have any probability. Equals keep their order: that of ``beams``, then the smaller token id."""
    logprobs, starts = flat_logprobs(beams, width)
    least = -np.partition(-logprobs, width - 1)[width - 1] if width < len(logprobs) else -np.inf
    index = np.flatnonzero((logprobs >= least) & (logprobs > -np.inf))
    index = index[np.argsort(-logprobs[index], kind="stable")][:width]
    places, tokens = pairs_at(index, beams, starts)
    return list(zip(places.tolist(), tokens.tolist(), logprobs[index].tolist(), strict=True))


def restricted(law: LayerLaw, places: Collection[int]) -> LayerLaw:
    """The law given that the beam extended is one of ``places``, renormalised; nothing is warped again."""
    inside = np.logical_or.reduce([law.places == place for place in places])
    probs = law.probs[inside]
    return LayerLaw(law.places[inside], law.tokens[inside], probs / probs.sum(), law.logprobs[inside])


def probs_at(law: LayerLaw, pairs: LayerLaw) -> np.ndarray:
    """The probability that ``law`` gives to each of the [n] pairs of another, 0 where it does not have it."""
    _, here, there = np.intersect1d(_keys(pairs), _keys(law), assume_unique=True, return_indices=True)
    probs = np.zeros(len(pairs.probs))
    probs[here] = law.probs[there]
    return probs


def prob_of(law: LayerLaw, place: int, token: int) -> float:
    """Probability of one pair, 0 where the law does not have it."""
    return float(law.probs[(law.places == place) & (law.tokens == token)].sum())


def pick(law: LayerLaw, dice: Dice) -> tuple[int, int, float | None]:
    """A pair drawn from the law, as (place, token, the uniform number behind it, None for a certain pair)."""
    chosen = dice.pick(law.probs)
    draw = None if law.probs[chosen.index] == 1.0 else chosen.draw
    return int(law.places[chosen.index]), int(law.tokens[chosen.index]), draw


def root_places(beams: Sequence[Beam]) -> list[int]:
    """The place of every input beam's text: -1 - i of the first beam i that has it."""
    first: dict[tuple[int, ...], int] = {}
    return [first.setdefault(tuple(beam.tokens), -1 - index) for index, beam in enumerate(beams)]


def node_places(forest: Forest) -> list[int]:
    """The place of every node's text: the first node that has it. Children are grown below first nodes alone."""
    first: dict[tuple[int, int], int] = {}
    return [first.setdefault(pair, node) for node, pair in enumerate(zip(forest.parents, forest.tokens, strict=True))]
