"""Dynamic trees: the draft model is followed where it is sure of itself, and several ways where it is not.

Beyond the papers; grown in the manner of EAGLE-2 (Li et al. 2024), with a draft model of any kind.
"""

import math
from collections.abc import Sequence

from specviz.dice import Dice
from specviz.drafting.forest import Beam, Drafter, Forest, Law, ScoredForest, Survivor
from specviz.drafting.tree import TreeReader
from specviz.lm.language_model import Session
from specviz.lm.warp import Warp

EXPANDED = 8  # nodes of a layer that the draft model reads, in one call
SHOWN = 60  # nodes up to which pruned ones stay in the forest


class DynamicTreeDrafter(Drafter):
    """The ``nodes`` best tokens of a tree of at most ``depth`` layers, by the draft model's cumulative probability: the
    product of its unwarped probabilities along the way, whatever the temperature.

    Layer by layer the most likely of the newest nodes are expanded, at most ``EXPANDED`` and only such as are among
    the best ``nodes`` so far; in the end the best of all are kept. Nothing below a node is likelier than the node, so
    the kept ones hang together. They were taken, not drawn: each counts as drafted with probability one. The best of
    the pruned ones stay in the forest, not submitted, up to ``SHOWN`` nodes. A branch ends at an end token.
    """

    def __init__(self, session: Session, warp: Warp, nodes: int, depth: int, end_tokens: frozenset[int] = frozenset()):
        self._reader, self._nodes, self._end_tokens = TreeReader(session, warp), nodes, end_tokens
        self.depth = depth
        self._grown: list[int] = []  # by node of the forest: its number while the tree grew

    @property
    def size(self) -> int:
        return self._nodes

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        tree, logprobs = Forest(drawing="certain"), []
        self._branch(tree, logprobs, -1, self._reader.begin(beams[0].tokens))
        newest = range(len(tree))
        for _ in range(self.depth - 1):
            best = [node for node in _likeliest(logprobs, self._nodes) if node in newest]
            growing = [node for node in best if tree.tokens[node] not in self._end_tokens][:EXPANDED]
            if not growing:
                break
            first = len(tree)
            for node, law in zip(growing, self._reader.read(tree, growing), strict=True):
                self._branch(tree, logprobs, node, law)
            newest = range(first, len(tree))
        return self._pruned(tree, logprobs)

    def commit(self, survivors: Sequence[Survivor], scored: ScoredForest, verdict) -> None:
        self._reader.keep(self._grown[node] for node in survivors[0].path)

    def _branch(self, tree: Forest, logprobs: list[float], place: int, law: Law) -> None:
        """Add the likeliest tokens after ``place`` and their cumulative log-probabilities."""
        above = logprobs[place] if place >= 0 else 0.0
        found = law.logits.topk(min(self._nodes, len(law.logits)))
        values, tokens = found.values.tolist(), found.indices.tolist()
        if values[0] == -math.inf:  # nothing to propose
            return
        log_total = values[0] - law.logprob(tokens[0])
        for value, token in zip(values, tokens, strict=True):
            if value > -math.inf:
                tree.add(token, place, law)
                logprobs.append(above + min(0.0, value - log_total))

    def _pruned(self, tree: Forest, logprobs: list[float]) -> Forest:
        """The best nodes, submitted, with the best of those that are not."""
        forest, number = Forest(drawing="certain"), {-1: -1}
        kept = set(_likeliest(logprobs, self._nodes))
        self._grown = sorted(_likeliest(logprobs, max(self._nodes, SHOWN)))
        for grown in self._grown:
            token, parent = tree.tokens[grown], number[tree.parents[grown]]
            node = number[grown] = forest.add(token, parent, tree.draft_laws[grown].certain(token))
            forest.scores[node] = math.exp(logprobs[grown])
            if grown in kept:
                forest.submitted.append(node)
        return forest


def _likeliest(logprobs: Sequence[float], count: int) -> list[int]:
    """The ``count`` likeliest nodes, best first; of equals the one added first, so none comes before its parent."""
    return sorted(range(len(logprobs)), key=lambda node: -logprobs[node])[:count]
