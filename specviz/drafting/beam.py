"""Beam drafts for MTAD: beam sampling on the draft model, continuations without replacement (mtad.txt, section 3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specviz.dice import Dice
from specviz.drafting.drafter import AcceptedBeam, Beam, Drafter, Remainder, ScoredForest
from specviz.lm.language_model import Session
from specviz.lm.scoring import distributions
from specviz.lm.warp import Warp
from specviz.trace.distribution import STAYS, Distribution
from specviz.trace.forest import Forest, Proposal


@dataclass(frozen=True)
class _Sequence:
    """A drafted sequence: its last node, the product of warped probabilities and the raw joint log-probability."""

    node: int
    weight: float
    logprob: float
    finished: bool


class BeamDrafter(Drafter):
    """Grows ``beams`` sequences for gamma steps and submits the most likely one.

    Each step draws ``beams`` (sequence, token) pairs without replacement, in proportion to the product of the per-token
    warped draft probabilities along the whole drafted sequence; no warp is applied to the joint. A sequence that
    reached an end token has one continuation, itself. Most likely: by raw joint draft probability, not divided by
    length.
    """

    def __init__(self, session: Session, warp: Warp, gamma: int, beams: int, end_tokens: frozenset[int] = frozenset()):
        self._session, self._warp, self._end_tokens = session, warp, end_tokens
        self.depth, self._width = gamma, beams
        self._node_rows: dict[int, int] = {}

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        forest, session, context = Forest(drawing="search"), self._session, beams[0].tokens
        known = len(session.trie)
        scores = session.extend(list(context[known:]), range(known - 1, len(context) - 1), last_only=True)
        sequences = [_Sequence(-1, 1.0, 0.0, False)]
        following: list[Distribution | None] = [*distributions(scores, self._warp)]
        self._node_rows = {}
        for step in range(self.depth):
            grown = self._grow(forest, sequences, following, dice)
            if not grown:  # a draft model with nothing to propose
                break
            sequences = grown
            if step == self.depth - 1 or all(sequence.finished for sequence in sequences):
                break
            following = self._read(forest, sequences)
        forest.submit(self._chosen(forest, sequences))
        return forest

    def _chosen(self, forest: Forest, sequences: list[_Sequence]) -> Sequence[int]:
        """The nodes that the target is to judge: those of the most likely sequence."""
        return forest.path(max(sequences, key=lambda sequence: sequence.logprob).node)

    def _grow(
        self, forest: Forest, sequences: list[_Sequence], following: list[Distribution | None], dice: Dice
    ) -> list[_Sequence]:
        """One layer: draw the next sequences and record what they were drawn from."""
        owners, tokens, weights = _continuations(sequences, following)
        chosen = draw_without_replacement(weights, self._width, dice)
        if not chosen:
            return []
        grown, drawn = [], []
        for index in chosen:
            sequence, token = sequences[owners[index]], int(tokens[index])
            if sequence.finished:
                grown.append(sequence)
                continue
            draft = following[owners[index]]
            node = forest.add(token, sequence.node, draft)
            drawn.append(node)
            logprob = sequence.logprob + draft.logprob(token)
            grown.append(_Sequence(node, float(weights[index]), logprob, token in self._end_tokens))
        growing = [(sequence, draft) for sequence, draft in zip(sequences, following, strict=True) if draft is not None]
        total = sum(sequence.weight for sequence, _ in growing)
        forest.add_layer(
            Proposal(
                parents=tuple(sequence.node for sequence, _ in growing),
                weights=tuple(sequence.weight / total for sequence, _ in growing),
                distributions=tuple(draft for _, draft in growing),
                draws=tuple(drawn),
                replacement=False,
            )
        )
        return grown

    def _read(self, forest: Forest, sequences: list[_Sequence]) -> list[Distribution | None]:
        """Let the draft model read the last token of every sequence; nothing follows a finished one."""
        unread = [sequence.node for sequence in sequences if not sequence.finished]
        start = len(self._session.trie)
        root = start - len(self._node_rows) - 1
        parents = [self._node_rows.get(forest.nodes[node].parent, root) for node in unread]
        scores = self._session.extend([forest.nodes[node].token for node in unread], parents)
        self._node_rows.update({node: row for row, node in enumerate(unread, start)})
        read = iter(distributions(scores, self._warp))
        return [None if sequence.finished else next(read) for sequence in sequences]

    def commit(self, accepted: Sequence[AcceptedBeam], scored: ScoredForest, verdict: Remainder) -> None:
        context_rows = len(self._session.trie) - len(self._node_rows)
        read = [self._node_rows[node] for node in accepted[0].path if node in self._node_rows]
        self._session.keep([*range(context_rows), *read])


class BeamForestDrafter(BeamDrafter):
    """The same search, every drafted node submitted: the paper's future work, a tree in place of its best sequence."""

    @property
    def size(self) -> int:
        return self.depth * self._width

    def _chosen(self, forest: Forest, sequences: list[_Sequence]) -> Sequence[int]:
        return range(len(forest))


def _continuations(
    sequences: list[_Sequence], following: list[Distribution | None]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All that a layer can be drawn from: index of the sequence, token, product of warped probabilities; each
    [candidates], sequences in order, tokens ascending; finished sequences last, with token -1 and their own weight."""
    growing = [(index, draft) for index, draft in enumerate(following) if draft is not None]
    finished = [index for index, draft in enumerate(following) if draft is None]
    owners, tokens, weights = [], [], []
    for index, draft in growing:
        possible = np.flatnonzero(draft.probs)
        owners.append(np.full(len(possible), index))
        tokens.append(draft.tokens[possible])
        weights.append(sequences[index].weight * draft.probs[possible].astype(np.float64))
    owners.append(np.array(finished, dtype=np.intp))
    tokens.append(np.full(len(finished), STAYS))
    weights.append(np.array([sequences[index].weight for index in finished]))
    return np.concatenate(owners).astype(np.intp), np.concatenate(tokens), np.concatenate(weights)


def draw_without_replacement(weights: np.ndarray, count: int, dice: Dice) -> list[int]:
    """At most ``count`` distinct indices, each drawn in proportion to the weights [n] not drawn yet."""
    left, chosen = weights.copy(), []
    for _ in range(min(count, int(np.count_nonzero(weights)))):
        index = dice.pick(left).index
        chosen.append(index)
        left[index] = 0.0
    return chosen
