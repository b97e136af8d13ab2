"""Beam drafts for MTAD: beam sampling on the draft model, continuations without replacement (mtad.txt, section 3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specviz.dice import Dice
from specviz.drafting.forest import Beam, Drafter, Forest, Law, Proposal, ScoredForest, Survivor, laws
from specviz.lm.language_model import Session
from specviz.lm.warp import Warp


@dataclass(frozen=True)
class _Draft:
    """A drafted sequence: its last node, the product of warped probabilities and the unwarped joint log-probability."""

    node: int
    weight: float
    logprob: float
    finished: bool


class BeamDrafter(Drafter):
    """Grows ``beams`` sequences for gamma steps and submits the most likely one.

    Each step draws ``beams`` (beam, token) pairs without replacement, in proportion to the product of the per-token
    warped draft probabilities along the whole drafted sequence; no warp is applied to the joint. A beam that reached an
    end token has one continuation, itself. Most likely: by unwarped joint draft probability, not divided by length.
    """

    def __init__(self, session: Session, warp: Warp, gamma: int, beams: int, end_tokens: frozenset[int] = frozenset()):
        self._session, self._warp, self._end_tokens = session, warp, end_tokens
        self.depth, self._width = gamma, beams
        self._node_rows: dict[int, int] = {}

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        forest, session, context = Forest(drawing="search"), self._session, beams[0].tokens
        known = len(session.trie)
        scores = session.extend(list(context[known:]), range(known - 1, len(context) - 1), last_only=True)
        drafts = [_Draft(-1, 1.0, 0.0, False)]
        beam_laws = laws(scores, self._warp)
        self._node_rows = {}
        for step in range(self.depth):
            grown = self._grow(forest, drafts, beam_laws, dice)
            if not grown:  # a draft model with nothing to propose
                break
            drafts = grown
            if step == self.depth - 1 or all(draft.finished for draft in drafts):
                break
            beam_laws = self._read(forest, drafts)
        forest.submitted = self._submit(forest, drafts)
        return forest

    def _submit(self, forest: Forest, drafts: list[_Draft]) -> list[int]:
        """The nodes that the target is to judge: those of the most likely beam."""
        return forest.path(max(drafts, key=lambda draft: draft.logprob).node)

    def _grow(self, forest: Forest, beams: list[_Draft], beam_laws: list[Law | None], dice: Dice) -> list[_Draft]:
        """One layer: draw the next beams and record what they were drawn from."""
        owners, tokens, weights = _continuations(beams, beam_laws)
        chosen = draw_without_replacement(weights, self._width, dice)
        if not chosen:
            return []
        grown, drawn = [], []
        for index in chosen:
            beam, token = beams[owners[index]], int(tokens[index])
            if beam.finished:
                grown.append(beam)
                continue
            law = beam_laws[owners[index]]
            node = forest.add(token, beam.node, law)
            drawn.append(node)
            logprob = beam.logprob + law.logprob(token)
            grown.append(_Draft(node, float(weights[index]), logprob, token in self._end_tokens))
        open_beams = [(beam, law) for beam, law in zip(beams, beam_laws, strict=True) if law is not None]
        total = sum(beam.weight for beam, _ in open_beams)
        forest.proposals.append(
            Proposal(
                parents=tuple(beam.node for beam, _ in open_beams),
                weights=tuple(beam.weight / total for beam, _ in open_beams),
                laws=tuple(law for _, law in open_beams),
                draws=tuple(drawn),
                replacement=False,
            )
        )
        return grown

    def _read(self, forest: Forest, beams: list[_Draft]) -> list[Law | None]:
        """Let the draft model read the last token of every open beam; finished beams have no law."""
        unread = [beam for beam in beams if not beam.finished]
        start = len(self._session.trie)
        root = start - len(self._node_rows) - 1
        parents = [self._node_rows.get(forest.parents[beam.node], root) for beam in unread]
        new_laws = iter(laws(self._session.extend([forest.tokens[b.node] for b in unread], parents), self._warp))
        for row, beam in enumerate(unread, start):
            self._node_rows[beam.node] = row
        return [None if beam.finished else next(new_laws) for beam in beams]

    def commit(self, survivors: Sequence[Survivor], scored: ScoredForest, verdict) -> None:
        path = survivors[0].path
        context_rows = len(self._session.trie) - len(self._node_rows)
        read = [self._node_rows[node] for node in path if node in self._node_rows]
        self._session.keep([*range(context_rows), *read])


class BeamForestDrafter(BeamDrafter):
    """The same search, every drafted node submitted: the paper's future work, a tree in place of its best beam."""

    @property
    def size(self) -> int:
        return self.depth * self._width

    def _submit(self, forest: Forest, drafts: list[_Draft]) -> list[int]:
        return list(range(len(forest)))


def _continuations(beams: list[_Draft], beam_laws: list[Law | None]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All that a layer can be drawn from: beam index, token, product of warped probabilities; each [candidates].

    A finished beam is one candidate, with token -1 and its own weight.
    """
    open_beams = [index for index, law in enumerate(beam_laws) if law is not None]
    finished = [index for index, law in enumerate(beam_laws) if law is None]
    probs = np.stack([beam_laws[index].probs for index in open_beams])
    rows, tokens = np.nonzero(probs)
    weights = np.array([beam.weight for beam in beams])
    owners = np.concatenate([np.array(open_beams)[rows], np.array(finished, dtype=np.intp)])
    conditionals = np.concatenate([probs[rows, tokens].astype(np.float64), np.ones(len(finished))])
    return owners, np.concatenate([tokens, np.full(len(finished), -1)]), weights[owners] * conditionals


def draw_without_replacement(weights: np.ndarray, count: int, dice: Dice) -> list[int]:
    """At most ``count`` distinct indices, each drawn in proportion to the weights [n] not drawn yet."""
    left, chosen = weights.copy(), []
    for _ in range(min(count, int(np.count_nonzero(weights)))):
        index = dice.pick(left).index
        chosen.append(index)
        left[index] = 0.0
    return chosen
