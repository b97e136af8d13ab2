"""Dynamic trees: the draft model is followed where it is sure of itself, and several ways where it is not.

Beyond the papers; grown in the manner of EAGLE-2 (Li et al. 2024), with a draft model of any kind.
"""

import math
from collections.abc import Sequence

from specviz.dice import Dice
from specviz.drafting.drafter import AcceptedBeam, Beam, Drafter, Remainder, ScoredForest
from specviz.drafting.tree import TreeReader
from specviz.lm.language_model import Session
from specviz.lm.warp import Warp
from specviz.trace.distribution import Distribution, one_hot
from specviz.trace.forest import Forest

EXPANDED = 8  # nodes of a layer that the draft model reads, in one call
SHOWN = 60  # nodes up to which pruned ones stay in the forest


class DynamicTreeDrafter(Drafter):
    """The ``nodes`` best tokens of a tree of at most ``depth`` layers, by the draft model's cumulative probability: the
    product of its raw probabilities along the way, whatever the temperature.

    Layer by layer the most likely of the newest nodes are expanded, at most ``EXPANDED`` and only such as are among
    the best ``nodes`` so far; in the end the best of all are kept. Nothing below a node is likelier than the node, so
    the kept ones hang together. They were taken, not drawn: each counts as drafted with probability one. The best of
    the pruned ones stay in the forest, not submitted, up to ``SHOWN`` nodes. A branch ends at an end token.
    """

    def __init__(self, session: Session, warp: Warp, nodes: int, depth: int, end_tokens: frozenset[int] = frozenset()):
        self._reader, self._nodes, self._end_tokens = TreeReader(session, warp, nodes), nodes, end_tokens
        self.depth = depth
        self._grown: list[int] = []  # by node of the forest: its number while the tree grew

    @property
    def size(self) -> int:
        return self._nodes

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        tree, logprobs = Forest(drawing="deterministic"), []
        self._branch(tree, logprobs, -1, self._reader.begin(beams[0].tokens))
        newest = range(len(tree))
        for _ in range(self.depth - 1):
            best = [node for node in _likeliest(logprobs, self._nodes) if node in newest]
            growing = [node for node in best if tree.nodes[node].token not in self._end_tokens][:EXPANDED]
            if not growing:
                break
            first = len(tree)
            for node, draft in zip(growing, self._reader.read(tree, growing), strict=True):
                self._branch(tree, logprobs, node, draft)
            newest = range(first, len(tree))
        return self._pruned(tree, logprobs)

    def commit(self, accepted: Sequence[AcceptedBeam], scored: ScoredForest, verdict: Remainder) -> None:
        self._reader.keep(self._grown[node] for node in accepted[0].path)

    def _branch(self, tree: Forest, logprobs: list[float], prefix: int, draft: Distribution) -> None:
        """Add the likeliest tokens after ``prefix`` and their cumulative log-probabilities."""
        above = logprobs[prefix] if prefix >= 0 else 0.0
        for token in draft.ranked(self._nodes).tolist():
            tree.add(token, prefix, draft)
            logprobs.append(above + min(0.0, draft.logprob(token)))

    def _pruned(self, tree: Forest, logprobs: list[float]) -> Forest:
        """The best nodes, submitted, with the best of those that are not."""
        forest, number = Forest(drawing="deterministic"), {-1: -1}
        submitted = set(_likeliest(logprobs, self._nodes))
        self._grown = sorted(_likeliest(logprobs, max(self._nodes, SHOWN)))
        for grown in self._grown:
            node, score = tree.nodes[grown], math.exp(logprobs[grown])
            number[grown] = forest.add(node.token, number[node.parent], one_hot(node.draft, node.token), score=score)
        forest.submit(number[grown] for grown in self._grown if grown in submitted)
        return forest


def _likeliest(logprobs: Sequence[float], count: int) -> list[int]:
    """The ``count`` likeliest nodes, best first; of equals the one added first, so none comes before its parent."""
    return sorted(range(len(logprobs)), key=lambda node: -logprobs[node])[:count]
