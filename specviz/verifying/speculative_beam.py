"""Speculative decoding of beam search (speculative-decoding.txt, appendix A.4).

A step of the search is accepted while top_w(target) is inside top_u(draft): then the target has scored all it needs
for the next step. The result is that of beam search on the target alone.
"""

from specviz.dice import Dice
from specviz.drafting.forest import ScoredForest
from specviz.drafting.joint_law import STAYS, most_likely
from specviz.verifying.beam import drafted_layer, input_beams, search_step, step_of
from specviz.verifying.verdict import Verdict


class SpeculativeBeamVerifier:
    """Beam search of ``width`` w among drafted beams, by unwarped joint probability under the target. At the step that
    was not drafted whole the target's own best are committed, and the iteration ends; a beam that has ended needs no
    draft. Ties as in ``beam.BeamSearch``: the beam that ranked higher, then the smaller token id."""

    def __init__(self, width: int, end_tokens: frozenset[int] = frozenset()):
        self._width, self._end_tokens = width, end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        forest, layer = scored.forest, input_beams(scored)
        deepest = max(forest.depths, default=0)
        verdict = Verdict(offered=deepest, accepted=0)
        drafted = {pair: node for node, pair in enumerate(zip(forest.parents, forest.tokens, strict=True))}
        inside = True
        while inside and any(beam.law is not None for beam in layer):
            depth = len(verdict.layers) + 1
            best = most_likely(layer, self._width)
            nodes = [drafted.get((place, token)) for place, token, _ in best]
            inside = all(node is not None or token == STAYS for node, (_, token, _) in zip(nodes, best, strict=True))
            there = [node for node, found in enumerate(forest.depths) if found == depth]
            verdict.decisions.append(search_step(depth, best, nodes, there, inside))
            verdict.accepted += inside
            undrafted = "bonus" if depth > deepest and depth > 1 else "target"
            steps = [
                step_of(layer, place, token, node, undrafted if node is None and token != STAYS else "accepted")
                for node, (place, token, _) in zip(nodes, best, strict=True)
            ]
            verdict.layers.append(steps)
            layer = drafted_layer(scored, layer, steps, self._end_tokens) if inside else layer
        return verdict
