"""Speculative decoding of beam search (speculative-decoding.txt, appendix A.4).

A step of the search is accepted while top_w(target) is inside top_u(draft): then the target has scored all it needs
for the next step. The result is that of beam search on the target alone.
"""

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.drafting.joint import most_likely
from specviz.trace.distribution import STAYS
from specviz.verifying.beams.beam import drafted_layer, input_beams, search_step, step_of
from specviz.verifying.verdict import Verdict, Verifier


class SpeculativeBeamVerifier(Verifier):
    """Beam search of ``width`` w among drafted beams, by raw joint probability under the target. At the step that was
    not drafted whole the target's own best are committed, and the iteration ends; a beam that has ended needs no draft.
    Ties as in ``beam.BeamSearch``: the beam that ranked higher, then the smaller token id."""

    reads = "nothing"

    def __init__(self, width: int, end_tokens: frozenset[int] = frozenset()):
        self._width = self.entries = width
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        nodes, layer = scored.forest.nodes, input_beams(scored)
        deepest = scored.forest.submitted_depth
        verdict = Verdict(offered=deepest, accepted=0)
        drafted = {(node.parent, node.token): number for number, node in enumerate(nodes)}
        inside = True
        while inside and any(beam.next is not None for beam in layer):
            depth = len(verdict.layers) + 1
            best = most_likely(layer, self._width)
            found = [drafted.get((prefix, token)) for prefix, token, _ in best]
            inside = all(node is not None or token == STAYS for node, (_, token, _) in zip(found, best, strict=True))
            there = [number for number, node in enumerate(nodes) if node.depth == depth]
            verdict.decisions.append(search_step(depth, best, found, there, inside))
            verdict.accepted = verdict.accepted_count + inside
            undrafted = "bonus" if depth > deepest and depth > 1 else "target"
            steps = [
                step_of(layer, prefix, token, node, undrafted if node is None and token != STAYS else "accepted")
                for node, (prefix, token, _) in zip(found, best, strict=True)
            ]
            verdict.layers.append(steps)
            layer = drafted_layer(scored, layer, steps, self._end_tokens) if inside else layer
        return verdict
