"""Sampled trees: at every node several candidates for the next token, drawn from the draft model's law q.

SpecInfer draws them i.i.d., from one draft model or several; multi-candidate speculative decoding may draw them without
replacement. ``sequences.py`` draws whole i.i.d. sequences, which are such a tree too.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from specviz.dice import Dice
from specviz.drafting.forest import Beam, Drafter, Drawing, Forest, Law, Proposal, ScoredForest, Survivor, laws
from specviz.lm.language_model import Session
from specviz.lm.warp import Warp


class TreeReader:
    """One draft model reading a tree as it grows: a layer of nodes per call, rows remembered by node.

    The session holds rows for the text before the last token at least; missing ones are read first.
    """

    def __init__(self, session: Session, warp: Warp):
        self._session, self._warp = session, warp
        self._context_rows = 0
        self._rows: dict[int, int] = {}

    def begin(self, context: Sequence[int]) -> Law:
        """Read what is missing of ``context``; the law of the token after it."""
        known, self._context_rows = len(self._session.trie), len(context)
        self._rows = {-1: len(context) - 1}
        parents = range(known - 1, len(context) - 1)
        (law,) = laws(self._session.extend(list(context[known:]), parents, last_only=True), self._warp)
        return law

    def read(self, forest: Forest, nodes: Sequence[int]) -> list[Law]:
        """The law after each of ``nodes``, whose parents have been read; one call."""
        start = len(self._session.trie)
        parents = [self._rows[forest.parents[node]] for node in nodes]
        self._rows.update({node: row for row, node in enumerate(nodes, start)})
        return laws(self._session.extend([forest.tokens[node] for node in nodes], parents), self._warp)

    def keep(self, path: Iterable[int]) -> None:
        """Keep the rows of the context and those of ``path``, as far as they were read."""
        read = [self._rows[node] for node in path if node in self._rows]
        self._session.keep([*range(self._context_rows), *read])


class SampledTreeDrafter(Drafter):
    """Below every node of depth d, ``k_config[d]`` children drawn from the warped draft law q; the root has depth 0.

    With replacement the children are i.i.d., and a later one may be a copy of an earlier one. A copy stays as a
    candidate but is not expanded: verified in order, it can never be accepted after its twin was rejected, for that
    leaves its token no probability. Without replacement each child is drawn from what its elder siblings left of q,
    renormalised, and that is the law it hands over; drawing stops when q is exhausted.

    Several ``sessions``: the children of a node alternate among the draft models, each remembering its own q; every
    model reads all nodes that grow, as long as it has children to draw (SpecInfer's merged tree).

    Temperature 0: the children are the most likely tokens of the unwarped q, taken for certain. A branch ends at an end
    token, and where the draft model has nothing to propose.
    """

    def __init__(
        self,
        sessions: Sequence[Session],
        warp: Warp,
        k_config: Sequence[int],
        *,
        replacement: bool = True,
        end_tokens: frozenset[int] = frozenset(),
    ):
        self._readers = [TreeReader(session, warp) for session in sessions]
        self._k_config, self._end_tokens = tuple(k_config), end_tokens
        self._drawing: Drawing = "certain" if warp.greedy else "independent" if replacement else "distinct"
        self.depth = len(self._k_config)

    @property
    def size(self) -> int:
        return tree_size(self._k_config)

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        forest = Forest(drawing=self._drawing)
        layer = {-1: 1}  # places to grow from, and how many copies were drafted of each
        for depth in range(self.depth):
            growing = [place for place in layer if place < 0 or forest.tokens[place] not in self._end_tokens]
            if not growing:
                break
            models = self._readers[: max(self._k_config[depth:])]  # those that still have children to draw
            read = [
                [reader.begin(beams[0].tokens)] if depth == 0 else reader.read(forest, growing) for reader in models
            ]
            grown: dict[int, int] = {}
            for place, model_laws in zip(growing, zip(*read, strict=True), strict=True):
                grown |= self._grow(forest, place, model_laws, self._children(depth, layer[place]), dice)
            layer = grown
        forest.submitted = list(range(len(forest)))
        return forest

    def commit(self, survivors: Sequence[Survivor], scored: ScoredForest, verdict) -> None:
        for reader in self._readers:
            reader.keep(survivors[0].path)

    def _children(self, depth: int, copies: int) -> int:
        """How many children a node of ``depth`` gets, of which ``copies`` were drafted."""
        return self._k_config[depth]

    def _grow(self, forest: Forest, place: int, model_laws: Sequence[Law], count: int, dice: Dice) -> dict[int, int]:
        """Draw the children of one place. Returns the distinct ones, each with the number of its copies."""
        first: dict[int, int] = {}
        copies: dict[int, int] = {}
        drawn: list[list[int]] = [[] for _ in model_laws]
        turns = [self._candidates(law, count, dice) for law in model_laws]
        for number in range(count):
            model = number % len(turns)
            token, law = next(turns[model], (None, None))
            if law is None:  # nothing (more) to propose
                continue
            node = forest.add(token, place, law)
            if model:
                forest.models[node] = model
            drawn[model].append(node)
            twin = first.setdefault(token, node)
            copies[twin] = copies.get(twin, 0) + 1
        for law, nodes in zip(model_laws, drawn, strict=True):
            if nodes and law.probs.max() < 1.0:  # a certain token is no draw
                forest.proposals.append(
                    Proposal((place,), (1.0,), (law,), tuple(nodes), self._drawing == "independent")
                )
        return copies

    def _candidates(self, law: Law, count: int, dice: Dice) -> Iterator[tuple[int, Law]]:
        """Candidates after one place, each with the law it was drawn from."""
        if self._drawing == "certain":
            return likeliest(law, count)
        return independent(law, dice) if self._drawing == "independent" else without_replacement(law, dice)


def independent(law: Law, dice: Dice) -> Iterator[tuple[int, Law]]:
    """I.i.d. tokens without end, each with the law it was drawn from; none where the model has nothing to propose."""
    while law.probs.any():
        yield dice.pick(law.probs).index, law


def without_replacement(law: Law, dice: Dice) -> Iterator[tuple[int, Law]]:
    """Distinct tokens until q is exhausted. Each comes with the law it was really drawn from: q without the tokens
    before it, renormalised."""
    left = law
    while left.probs.any():
        token = dice.pick(left.probs).index
        yield token, left
        probs = left.probs.copy()
        probs[token] = 0.0
        left = law.with_probs(probs / max(probs.sum(), np.finfo(probs.dtype).tiny))


def likeliest(law: Law, count: int) -> Iterator[tuple[int, Law]]:
    """The ``count`` most likely tokens of the unwarped law, best first, each taken for certain; no impossible ones."""
    found = law.logits.topk(min(count, len(law.logits)))
    for logit, token in zip(found.values.tolist(), found.indices.tolist(), strict=True):
        if logit > -math.inf:
            yield token, law.certain(token)


def tree_size(k_config: Sequence[int]) -> int:
    """Nodes of a tree whose nodes of depth d have ``k_config[d]`` children, the root not counted."""
    return sum(math.prod(k_config[: depth + 1]) for depth in range(len(k_config)))
