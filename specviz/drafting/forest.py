"""What a drafter hands over: drafted tokens as a forest, and the laws they were drawn from.

Live data with arrays inside; the loop turns them into the frozen records of ``trace/record.py``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
import torch

from specviz.dice import Dice
from specviz.lm.language_model import Scores
from specviz.lm.warp import Warp


class Law:
    """A model's next-token law at one place: ``probs`` after the warp, ``logits`` before it; [vocab_size], on the CPU.

    ``probs`` is float32, or float64 for table models, sums to one, and must not be changed in place: records keep it.
    """

    __slots__ = ("_batch", "_row", "logits", "probs")

    def __init__(self, probs: np.ndarray, logits: torch.Tensor, batch: "_Batch | None" = None, row: int = 0):
        self.probs, self.logits = probs, logits
        self._batch, self._row = batch or _Batch(logits[None]), row

    def logprob(self, token: int) -> float:
        """Unwarped natural log-probability of ``token``; minus infinity where the model gives it none."""
        return float(self.logits[token]) - self._batch.log_totals[self._row]

    def with_probs(self, probs: np.ndarray) -> "Law":
        """Another warped law over the same logits, such as a residual."""
        return Law(probs, self.logits, self._batch, self._row)


class _Batch:
    """The rows of one call; their normalisers are computed together, when the first is asked for."""

    def __init__(self, logits: torch.Tensor):
        self._logits = logits

    @cached_property
    def log_totals(self) -> list[float]:
        return self._logits.logsumexp(-1).tolist()


def laws(scores: Scores, warp: Warp) -> list[Law]:
    """One law per scored row, moved to the CPU in one go."""
    logits = scores.logits if scores.logits.dtype == torch.float64 else scores.logits.float()
    probs, logits = warp(logits).cpu().numpy(), logits.cpu()
    batch = _Batch(logits)
    return [Law(probs[row], logits[row], batch, row) for row in range(len(probs))]


@dataclass(frozen=True)
class Proposal:
    """What a group of nodes was drawn from: one parent's law, or the laws of a whole layer of beams weighted by
    ``weights`` [len(parents)]. ``draws`` are node numbers in the order drawn."""

    parents: tuple[int, ...]
    weights: tuple[float, ...]
    laws: tuple[Law, ...]
    draws: tuple[int, ...]
    replacement: bool


@dataclass
class Forest:
    """Drafted nodes, numbered in the order drafted; parent -1 is the last context token, depth 1 its children.

    ``draft_laws`` holds the law each node was drawn from, given its parent; a deterministic draft counts as
    probability one and its law says so. ``submitted`` are the nodes the target is to score, ancestors first.
    """

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    draft_laws: list[Law] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)
    submitted: list[int] = field(default_factory=list)
    notes: dict[str, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.tokens)

    def add(self, token: int, parent: int, law: Law) -> int:
        """Append a node and return its number."""
        self.tokens.append(token)
        self.parents.append(parent)
        self.depths.append(self.depths[parent] + 1 if parent >= 0 else 1)
        self.draft_laws.append(law)
        return len(self.tokens) - 1

    def draft_prob(self, node: int) -> float:
        """Warped probability with which the node was drawn, given its parent."""
        return float(self.draft_laws[node].probs[self.tokens[node]])


@dataclass(frozen=True)
class ScoredForest:
    """A forest and the target's law after the last context token (``root``) and after every submitted node."""

    forest: Forest
    root: Law
    after: dict[int, Law]

    def law_at(self, node: int) -> Law:
        """The target's law of the token that follows ``node`` (-1: the last context token)."""
        return self.root if node < 0 else self.after[node]


class Drafter(Protocol):
    """Proposes, iteration after iteration. ``depth`` is the most tokens it drafts in a row."""

    depth: int

    def draft(self, context: Sequence[int], dice: Dice) -> Forest:
        """A forest for the text so far (prompt and everything emitted, never empty)."""
        ...

    def commit(self, path: Sequence[int], scored: ScoredForest) -> None:
        """The nodes of the last forest that became text, root first; rows of all others may go."""
        ...
