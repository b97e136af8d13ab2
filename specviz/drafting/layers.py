"""Drafts of whole layers of beams, grown from several texts at a time.

``LayerDrafter`` samples each layer with replacement from the joint distribution of beams and tokens (dsbd.txt, section
3.1); ``SearchDrafter`` searches for the most likely ones (speculative-decoding.txt, appendix A.4).
"""

import math
from collections.abc import Sequence

import numpy as np

from specviz.dice import Dice
from specviz.drafting.drafter import AcceptedBeam, Beam, Drafter, Remainder, ScoredForest
from specviz.drafting.joint import joint_distribution, most_likely, node_prefixes, root_prefixes
from specviz.drafting.read_texts import TextRows
from specviz.lm.language_model import Session
from specviz.lm.warp import Warp
from specviz.trace.distribution import STAYS, Distribution, conditional, one_hot
from specviz.trace.forest import Forest, LayerBeam, Proposal, finite


class LayersDrafter(Drafter):
    """Grows ``width`` beams for ``gamma`` layers above the input beams and submits all of them."""

    def __init__(self, session: Session, warp: Warp, gamma: int, width: int, end_tokens: frozenset[int] = frozenset()):
        self._warp, self._width, self._end_tokens = warp, width, end_tokens
        self.depth = gamma
        self._rows = TextRows(session, warp, self._entries(width))

    def _entries(self, width: int) -> int | None:
        """How many tokens of every distribution are looked at, whatever the warp."""
        return None

    @property
    def size(self) -> int:
        return self.depth * self._width

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        forest = Forest(drawing="search")
        self._rows.read_beams(beams)
        layer, grown = self._roots(beams), []
        for depth in range(self.depth):
            layer = self._read(forest, grown) if depth else layer
            if all(beam.next is None for beam in layer):
                break
            grown = self._grow(forest, layer, dice)
            if not grown:  # a draft model with nothing to propose
                break
        forest.submit()
        return forest

    def _roots(self, beams: Sequence[Beam]) -> list[LayerBeam]:
        raise NotImplementedError

    def _grow(self, forest: Forest, layer: list[LayerBeam], dice: Dice) -> list[tuple[int, float]]:
        """Add a layer; returns the prefix and the joint log-probability of each of its beams."""
        raise NotImplementedError

    def _read(self, forest: Forest, grown: list[tuple[int, float]]) -> list[LayerBeam]:
        """Let the draft model read the new texts that have not ended."""
        first, at = node_prefixes(forest), self._rows.at
        grown = [(first[prefix] if prefix >= 0 else prefix, logprob) for prefix, logprob in grown]
        new = {prefix for prefix, _ in grown if prefix >= 0 and prefix not in at}
        self._rows.read_nodes(forest, sorted(node for node in new if forest.nodes[node].token not in self._end_tokens))
        return [
            LayerBeam(prefix, finite(logprob), at[prefix].next if prefix in at else None) for prefix, logprob in grown
        ]

    def commit(self, accepted: Sequence[AcceptedBeam], scored: ScoredForest, verdict: Remainder) -> None:
        self._rows.keep(accepted, node_prefixes(scored.forest))


class LayerDrafter(LayersDrafter):
    """Each layer is drawn i.i.d. from q_beam over the beams of the layer before it, copies counted.

    A proposal's ``joint`` is q_beam, and its ``draws`` are in the order drawn; a finished beam that was drawn to stay
    is named by its prefix. Equal draws are nodes of their own. Input beams that the draft model gives no probability at
    all are drafted from as if they were equally likely.
    """

    def _roots(self, beams: Sequence[Beam]) -> list[LayerBeam]:
        at, prefixes = self._rows.at, root_prefixes(beams)
        possible = any(at[prefix].logprob > -math.inf for prefix in prefixes)
        return [
            LayerBeam(prefix, finite(at[prefix].logprob) if possible else 0.0, at[prefix].next) for prefix in prefixes
        ]

    def _grow(self, forest: Forest, layer: list[LayerBeam], dice: Dice) -> list[tuple[int, float]]:
        joint = joint_distribution(layer, self._warp)
        if not len(joint):
            return []
        following = {beam.prefix: beam.next for beam in layer}
        drafts, draws, grown = {}, [], []
        for _ in range(self._width):
            index = dice.pick(joint.probs).index
            drawn = prefix = int(joint.prefixes[index])
            token = int(joint.tokens[index])
            if token != STAYS:
                if prefix not in drafts:
                    drafts[prefix] = conditional(joint, prefix, _goes_on(following[prefix]))
                drawn = forest.add(token, prefix, drafts[prefix])
            draws.append(drawn)
            grown.append((drawn, float(joint.logprobs[index])))
        weights = tuple(joint.of_prefix(prefix) for prefix in following)
        forest.add_layer(
            Proposal(tuple(following), weights, (), tuple(draws), replacement=True, joint=joint, beams=tuple(layer))
        )
        return grown


def _goes_on(following: Distribution | None) -> Distribution:
    """What follows a beam that was drawn to go on."""
    assert following is not None, "a beam that has ended stays as it is"
    return following


class SearchDrafter(LayersDrafter):
    """Beam search on the draft model: each layer keeps the most likely beams, by the target's joint log-probability of
    the input beam (it is known) plus the draft's of what follows. A node's score is its share of the probability of all
    continuations of its layer."""

    def _entries(self, width: int) -> int | None:
        return width

    def _roots(self, beams: Sequence[Beam]) -> list[LayerBeam]:
        return [
            LayerBeam(prefix, finite(beam.logprob), self._rows.at[prefix].next)
            for prefix, beam in zip(root_prefixes(beams), beams, strict=True)
        ]

    def _grow(self, forest: Forest, layer: list[LayerBeam], dice: Dice) -> list[tuple[int, float]]:
        following, grown = {beam.prefix: beam.next for beam in layer}, []
        total = float(np.logaddexp.reduce([-math.inf if beam.logprob is None else beam.logprob for beam in layer]))
        for prefix, token, logprob in most_likely(layer, self._width):
            if token != STAYS:
                score = math.exp(logprob - total)
                prefix = forest.add(token, prefix, one_hot(_goes_on(following[prefix]), token), score=score)
            grown.append((prefix, logprob))
        return grown
