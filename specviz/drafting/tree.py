"""Sampled trees: at every node several candidates for the next token, drawn from the draft model's distribution q.

SpecInfer draws them i.i.d., from one draft model or several; multi-candidate speculative decoding may draw them without
replacement. ``sequences.py`` draws whole i.i.d. sequences, which are such a tree too.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

from specviz.dice import Dice
from specviz.drafting.drafter import AcceptedBeam, Beam, Drafter, Remainder, ScoredForest
from specviz.lm.language_model import Session
from specviz.lm.scoring import distributions
from specviz.lm.warp import Warp
from specviz.trace.distribution import Distribution, one_hot, without
from specviz.trace.forest import Drawing, Forest

ONE_DRAWN: Drawing = "one_drawn"
"""Of the siblings one was drawn and the others are taken for certain, chosen without looking at it."""


class TreeReader:
    """One draft model reading a tree as it grows: a layer of nodes per call, rows remembered by node. Distributions
    list ``entries`` tokens at least.

    The session holds rows for the text before the last token at least; missing ones are read first.
    """

    def __init__(self, session: Session, warp: Warp, entries: int | None = None):
        self._session, self._warp, self._entries = session, warp, entries
        self._context_rows = 0
        self._rows: dict[int, int] = {}

    def begin(self, context: Sequence[int]) -> Distribution:
        """Read what is missing of ``context``; the distribution of the token after it."""
        known, self._context_rows = len(self._session.trie), len(context)
        self._rows = {-1: len(context) - 1}
        parents = range(known - 1, len(context) - 1)
        scores = self._session.extend(list(context[known:]), parents, last_only=True)
        return distributions(scores, self._warp, entries=self._entries)[0]

    def read(self, forest: Forest, nodes: Sequence[int]) -> list[Distribution]:
        """The distribution after each of ``nodes``, whose parents have been read; one call."""
        start = len(self._session.trie)
        parents = [self._rows[forest.nodes[node].parent] for node in nodes]
        self._rows.update({node: row for row, node in enumerate(nodes, start)})
        scores = self._session.extend([forest.nodes[node].token for node in nodes], parents)
        return distributions(scores, self._warp, entries=self._entries)

    def keep(self, path: Iterable[int]) -> None:
        """Keep the rows of the context and those of ``path``, as far as they were read."""
        read = [self._rows[node] for node in path if node in self._rows]
        self._session.keep([*range(self._context_rows), *read])


class SampledTreeDrafter(Drafter):
    """Below every node of depth d, ``k_config[d]`` children drawn from the warped draft distribution q; the root has
    depth 0.

    With replacement the children are i.i.d., and a later one may be a copy of an earlier one. A copy stays as a
    candidate but is not expanded: verified in order, it can never be accepted after its twin was rejected, for that
    leaves its token no probability. Without replacement each child is drawn from what its earlier siblings left of q,
    renormalised, and that is the distribution it hands over; drawing stops when q is exhausted.

    Several ``sessions``: the children of a node alternate among the draft models, each remembering its own q; every
    model reads all nodes that grow, as long as it has children to draw (SpecInfer's merged tree).

    Temperature 0: the children are the most likely tokens of the raw q, taken, not drawn. A branch ends at an end
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
        self._k_config, self._end_tokens = tuple(k_config), end_tokens
        entries = max(self._k_config) if warp.greedy and warp.top_k else None  # that may be taken, whatever top-k
        self._readers = [TreeReader(session, warp, entries) for session in sessions]
        self._drawing: Drawing = (
            "deterministic" if warp.greedy else "independent" if replacement else "without_replacement"
        )
        self.depth = len(self._k_config)

    @property
    def size(self) -> int:
        return tree_size(self._k_config)

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        forest = Forest(drawing=self._drawing)
        layer = {-1: 1}  # prefixes to grow from, and how many copies were drafted of each
        for depth in range(self.depth):
            growing = [prefix for prefix in layer if prefix < 0 or forest.nodes[prefix].token not in self._end_tokens]
            if not growing:
                break
            models = self._readers[: max(self._k_config[depth:])]  # those that still have children to draw
            read = [
                [reader.begin(beams[0].tokens)] if depth == 0 else reader.read(forest, growing) for reader in models
            ]
            grown: dict[int, int] = {}
            for prefix, drafts in zip(growing, zip(*read, strict=True), strict=True):
                grown |= self._grow(forest, prefix, drafts, self._children(depth, layer[prefix]), dice)
            layer = grown
        forest.submit()
        return forest

    def commit(self, accepted: Sequence[AcceptedBeam], scored: ScoredForest, verdict: Remainder) -> None:
        for reader in self._readers:
            reader.keep(accepted[0].path)

    def _children(self, depth: int, copies: int) -> int:
        """How many children a node of ``depth`` gets, of which ``copies`` were drafted."""
        return self._k_config[depth]

    def _grow(
        self, forest: Forest, prefix: int, drafts: Sequence[Distribution], count: int, dice: Dice
    ) -> dict[int, int]:
        """Draw the children of one prefix. Returns the distinct ones, each with the number of its copies."""
        first: dict[int, int] = {}
        copies: dict[int, int] = {}
        turns = [self._candidates(draft, count, dice) for draft in drafts]
        for number in range(count):
            model = number % len(turns)
            drawn = next(turns[model], None)
            if drawn is None:  # nothing (more) to propose
                continue
            token, draft = drawn
            node = forest.add(token, prefix, draft, model=model)
            twin = first.setdefault(token, node)
            copies[twin] = copies.get(twin, 0) + 1
        return copies

    def _candidates(self, draft: Distribution, count: int, dice: Dice) -> Iterator[tuple[int, Distribution]]:
        """Candidates after one prefix, each with the distribution it was drawn from."""
        if self._drawing == "deterministic":
            return likeliest(draft, count)
        return independent(draft, dice) if self._drawing == "independent" else without_replacement(draft, dice)


class LeadingTreeDrafter(SampledTreeDrafter):
    """Of k children only one is drawn: the others are the k - 1 most probable tokens of q, taken, and the first is
    drawn from what q has besides them (Hu et al. 2025, Towards Optimal Multi-Draft Speculative Decoding, greedy drafts;
    with two children SpecHub's, Sun et al. 2024, in which the most probable token is one of every pair)."""

    def __init__(self, session: Session, warp: Warp, k_config: Sequence[int], end_tokens: frozenset[int] = frozenset()):
        super().__init__([session], warp, k_config, end_tokens=end_tokens)
        if not warp.greedy:
            self._drawing = ONE_DRAWN

    def _candidates(self, draft: Distribution, count: int, dice: Dice) -> Iterator[tuple[int, Distribution]]:
        return one_drawn(draft, count, dice) if self._drawing == ONE_DRAWN else likeliest(draft, count)


def one_drawn(draft: Distribution, count: int, dice: Dice) -> Iterator[tuple[int, Distribution]]:
    """One token drawn from q without its ``count`` - 1 most probable ones, where anything is left, then these, each
    taken."""
    leading = [token for token, prob in list(draft.table().items())[: count - 1] if prob > 0.0]
    left = draft
    for token in leading:
        left = without(left, token)
    if left.probs.any():
        yield int(left.tokens[dice.pick(left.probs).index]), left
    yield from ((token, one_hot(draft, token)) for token in leading)


def independent(draft: Distribution, dice: Dice) -> Iterator[tuple[int, Distribution]]:
    """I.i.d. tokens without end, each with the distribution it was drawn from; none where the model has nothing to
    propose."""
    while draft.possible:
        yield int(draft.tokens[dice.pick(draft.probs).index]), draft


def without_replacement(draft: Distribution, dice: Dice) -> Iterator[tuple[int, Distribution]]:
    """Distinct tokens until q is exhausted. Each comes with the distribution it was really drawn from: q without the
    tokens before it, renormalised."""
    left = draft
    while left.probs.any():
        token = int(left.tokens[dice.pick(left.probs).index])
        yield token, left
        left = without(left, token)


def likeliest(draft: Distribution, count: int) -> Iterator[tuple[int, Distribution]]:
    """The ``count`` most likely tokens of the raw distribution, best first, each taken; no impossible ones."""
    for token in draft.ranked(count).tolist():
        yield token, one_hot(draft, token)


def tree_size(k_config: Sequence[int]) -> int:
    """Nodes of a tree whose nodes of depth d have ``k_config[d]`` children, the root not counted."""
    return sum(math.prod(k_config[: depth + 1]) for depth in range(len(k_config)))
