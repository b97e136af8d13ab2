"""Drafts of whole layers of beams, grown from several texts at a time.

``LayerDrafter`` samples each layer with replacement from the joint law of beams and tokens (dsbd.txt, section 3.1);
``SearchDrafter`` searches for the most likely ones (speculative-decoding.txt, appendix A.4).
"""

import math
from collections.abc import Sequence

import numpy as np

from specviz.dice import Dice
from specviz.drafting.forest import Beam, Drafter, Forest, LayerLaw, LiveBeam, Proposal, ScoredForest, Survivor
from specviz.drafting.joint_law import (
    STAYS,
    flat_logprobs,
    joint_law,
    most_likely,
    node_places,
    pick,
    root_places,
)
from specviz.drafting.rows import TextRows
from specviz.lm.language_model import Session
from specviz.lm.warp import Warp


class _BeamForestDrafter(Drafter):
    """Grows ``width`` beams for ``gamma`` layers above the input beams and submits all of them."""

    def __init__(self, session: Session, warp: Warp, gamma: int, width: int, end_tokens: frozenset[int] = frozenset()):
        self._warp, self._width, self._end_tokens = warp, width, end_tokens
        self.depth = gamma
        self._rows = TextRows(session, warp)

    @property
    def size(self) -> int:
        return self.depth * self._width

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        forest = Forest(drawing="search")
        self._rows.read_beams(beams)
        layer, grown = self._roots(beams), []
        for depth in range(self.depth):
            layer = self._read(forest, grown) if depth else layer
            if all(beam.law is None for beam in layer):
                break
            grown = self._grow(forest, layer, dice)
            if not grown:  # a draft model with nothing to propose
                break
        forest.submitted = list(range(len(forest)))
        return forest

    def _roots(self, beams: Sequence[Beam]) -> list[LiveBeam]:
        raise NotImplementedError

    def _grow(self, forest: Forest, layer: list[LiveBeam], dice: Dice) -> list[tuple[int, float]]:
        """Add a layer; returns the place and the joint log-probability of each of its beams."""
        raise NotImplementedError

    def _read(self, forest: Forest, grown: list[tuple[int, float]]) -> list[LiveBeam]:
        """Let the draft model read the new texts that have not ended."""
        places = node_places(forest)
        grown = [(places[place] if place >= 0 else place, logprob) for place, logprob in grown]
        new = {place for place, _ in grown if place >= 0 and place not in self._rows.at}
        self._rows.read_nodes(forest, sorted(node for node in new if forest.tokens[node] not in self._end_tokens))
        at = self._rows.at
        return [LiveBeam(place, logprob, at[place].law if place in at else None) for place, logprob in grown]

    def commit(self, survivors: Sequence[Survivor], scored: ScoredForest, verdict) -> None:
        self._rows.keep(survivors, node_places(scored.forest))


class LayerDrafter(_BeamForestDrafter):
    """Each layer is drawn i.i.d. from q_beam over the beams of the layer before it, copies counted.

    A proposal's ``joint`` is q_beam, and its ``draws`` are in the order drawn; a finished beam that was drawn to stay
    is named by its place. Equal draws are nodes of their own. Input beams that the draft model gives no probability at
    all are drafted from as if they were equally likely.
    """

    def _roots(self, beams: Sequence[Beam]) -> list[LiveBeam]:
        at, places = self._rows.at, root_places(beams)
        possible = any(at[place].logprob > -math.inf for place in places)
        return [LiveBeam(place, at[place].logprob if possible else 0.0, at[place].law) for place in places]

    def _grow(self, forest: Forest, layer: list[LiveBeam], dice: Dice) -> list[tuple[int, float]]:
        joint = joint_law(layer, self._warp)
        if not len(joint.probs):
            return []
        laws = {beam.place: beam.law for beam in layer}
        draft_laws, draws, grown = {}, [], []
        logprobs = dict(
            zip(zip(joint.places.tolist(), joint.tokens.tolist(), strict=True), joint.logprobs, strict=True)
        )
        for _ in range(self._width):
            place, token, _ = pick(joint, dice)
            if token == STAYS:
                drawn = place
            else:
                if place not in draft_laws:
                    draft_laws[place] = laws[place].with_probs(conditional(joint, place, len(laws[place].probs)))
                drawn = forest.add(token, place, draft_laws[place])
            draws.append(drawn)
            grown.append((drawn, float(logprobs[place, token])))
        parents = tuple(laws)
        weights = tuple(float(joint.probs[joint.places == place].sum()) for place in parents)
        drawn = Proposal(parents, weights, (), tuple(draws), replacement=True, joint=joint, beams=tuple(layer))
        forest.proposals.append(drawn)
        return grown


def conditional(joint: LayerLaw, place: int, vocab_size: int) -> np.ndarray:
    """The law of the next token, given that the beam at ``place`` is extended; [vocab_size]."""
    here = joint.places == place
    probs = np.zeros(vocab_size)
    probs[joint.tokens[here]] = joint.probs[here] / joint.probs[here].sum()
    return probs


class SearchDrafter(_BeamForestDrafter):
    """Beam search on the draft model: each layer keeps the most likely beams, by the target's joint log-probability of
    the input beam (it is known) plus the draft's of what follows. A node's score is its share of the probability of all
    continuations of its layer."""

    def _roots(self, beams: Sequence[Beam]) -> list[LiveBeam]:
        return [
            LiveBeam(place, beam.logprob, self._rows.at[place].law)
            for place, beam in zip(root_places(beams), beams, strict=True)
        ]

    def _grow(self, forest: Forest, layer: list[LiveBeam], dice: Dice) -> list[tuple[int, float]]:
        laws, grown = {beam.place: beam.law for beam in layer}, []
        total = float(np.logaddexp.reduce(flat_logprobs(layer)[0]))
        for place, token, logprob in most_likely(layer, self._width):
            if token != STAYS:
                place = forest.add(token, place, laws[place].certain(token))
                forest.scores[place] = math.exp(logprob - total)
            grown.append((place, logprob))
        return grown
