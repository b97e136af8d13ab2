"""What a drafter is asked and what it hands over: the texts so far, drafted tokens as a forest, and the laws they were
drawn from.

Live data with arrays inside; the loop turns them into the frozen records of ``trace/``.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch

from specviz.dice import Dice
from specviz.lm.language_model import Scores
from specviz.lm.warp import Warp
from specviz.trace.decisions import Origin
from specviz.trace.laws import Drawing


class Law:
    """A model's next-token law at one place: ``probs`` after the warp, ``logits`` before it; [vocab_size], on the CPU.

    ``probs`` is float32, or float64 for table models, sums to one, and must not be changed in place: records keep it.
    The rows of one call are warped together, when the first is asked for. ``known`` are the tokens of which anything is
    known, None for all: a law that is read from a record may lack some.
    """

    __slots__ = ("_batch", "_probs", "_row", "logits")
    known: Sequence[int] | None = None

    def __init__(self, probs: np.ndarray | None, logits: torch.Tensor, batch: "_Batch | None" = None, row: int = 0):
        self._probs, self.logits = probs, logits
        self._batch, self._row = batch or _Batch(logits[None]), row

    @property
    def probs(self) -> np.ndarray:
        if self._probs is None:
            self._probs = self._batch.probs[self._row]
        return self._probs

    def logprob(self, token: int) -> float:
        """Unwarped natural log-probability of ``token``; minus infinity where the model gives it none."""
        total = self.log_total
        return float(self.logits[token]) - total if total > -math.inf else -math.inf  # a law of nothing

    def logprobs_of(self, tokens: Sequence[int]) -> list[float]:
        """``logprob`` of every one of ``tokens``."""
        return (self.logits[list(tokens)].double() - self.log_total).tolist()

    def logprobs(self, likeliest: int | None = None) -> np.ndarray:
        """Unwarped natural log-probabilities of all tokens, float64 [vocab_size]. Whoever looks at the ``likeliest``
        tokens alone says so: a law that is read from a record may know no others."""
        total = self.log_total
        logits = self.logits.double().numpy()
        return logits - total if total > -math.inf else logits

    @property
    def log_total(self) -> float:
        """log of the sum of exp(logits); minus infinity for a law of nothing."""
        return self._batch.log_totals[self._row]

    def softened(self, temperature: float) -> tuple[np.ndarray, float]:
        """The law after the temperature alone [vocab_size] and its entropy in nats."""
        probs = Warp(temperature)(self.logits[None])[0].numpy()
        positive = probs[probs > 0.0].astype(np.float64)
        return probs, max(0.0, float(-(positive * np.log(positive)).sum()))

    def with_probs(self, probs: np.ndarray) -> "Law":
        """Another warped law over the same logits, such as a residual."""
        return Law(probs, self.logits, self._batch, self._row)

    def certain(self, token: int) -> "Law":
        """All probability on ``token``: the law of a deterministic draft."""
        probs = np.zeros(len(self.logits), dtype=np.float64 if self.logits.dtype == torch.float64 else np.float32)
        probs[token] = 1.0
        return self.with_probs(probs)


class _Batch:
    """The rows of one call, as the model's device holds them; probabilities and normalisers are computed together."""

    def __init__(self, logits: torch.Tensor, warp: Warp | None = None):
        self._logits, self._warp = logits, warp

    @cached_property
    def probs(self) -> np.ndarray:
        return self._warp(self._logits).cpu().numpy()

    @cached_property
    def log_totals(self) -> list[float]:
        return self._logits.logsumexp(-1).tolist()


def laws(scores: Scores, warp: Warp) -> list[Law]:
    """One law per scored row; logits are moved to the CPU in one go."""
    logits = scores.logits if scores.logits.dtype == torch.float64 else scores.logits.float()
    batch, logits = _Batch(logits, warp), logits.cpu()
    return [Law(None, logits[row], batch, row) for row in range(len(logits))]


@dataclass(frozen=True, eq=False)
class LayerLaw:
    """A joint law over (beam, next token) pairs, flat arrays [n] of the pairs that have any probability.

    ``places`` say which beam a pair extends: a node, or -1 - i for input beam i; ``tokens`` what extends it (-1: a
    finished beam that stays as it is); ``probs`` sum to one, after the one warp of the joint; ``logprobs`` are the
    unwarped joint log-probabilities of the longer beam's output. Must not be changed in place.
    """

    places: np.ndarray
    tokens: np.ndarray
    probs: np.ndarray
    logprobs: np.ndarray


@dataclass(frozen=True)
class LiveBeam:
    """A beam of the current layer: its ``place`` (a node, or -1 - i for input beam i; the first of equal texts), the
    unwarped joint log-probability of its output and the law of its next token (None: it has ended)."""

    place: int
    logprob: float
    law: Law | None


@dataclass(frozen=True)
class Beam:
    """One text being written: prompt and output ``tokens``, the output's unwarped joint log-probability under the
    target, and whether it has ended. Methods that write one text have one beam (whose ``logprob`` is not kept)."""

    tokens: Sequence[int]
    logprob: float = 0.0
    finished: bool = False


@dataclass(frozen=True)
class Proposal:
    """What a group of nodes was drawn from: one parent's law, the laws of a whole layer of beams weighted by
    ``weights`` [len(parents)], or, where the joint was warped as one, ``joint`` (then without ``laws``).
    ``draws`` are node numbers in the order drawn; in a joint, a beam that has ended and was drawn to stay is named by
    its place, and ``beams`` is the layer that the joint was made of."""

    parents: tuple[int, ...]
    weights: tuple[float, ...]
    laws: tuple[Law, ...]
    draws: tuple[int, ...]
    replacement: bool
    joint: LayerLaw | None = None
    beams: tuple[LiveBeam, ...] = ()


@dataclass(frozen=True)
class Hypothesis:
    """One candidate of a drafter that prunes by posterior; fields as in ``trace/record.py``."""

    tokens: tuple[int, ...]
    posterior: float
    independent: float
    kept: bool
    node: int | None


@dataclass
class Forest:
    """Drafted nodes, numbered in the order drafted, grown from the input beams: a parent of -1 is the last token of the
    first (or only) one, -1 - i that of beam i. Nodes at depth 1 follow it.

    ``draft_laws`` holds the law each node was drawn from, given its parent; a deterministic draft counts as
    probability one and its law says so. ``submitted`` are the nodes the target is to score, ancestors first.
    ``models`` numbers the draft model of a node where it is not the first; ``scores`` what a deterministic drafter
    ranked it by; ``estimates`` a decision model's estimate of its acceptance; ``roots`` are nodes drawn from a law of
    the target that was known before: text without being judged, with the origin they are emitted with.
    ``planned_depth`` is the depth drafting could have reached (None: the deepest node's). ``drawing`` says how siblings
    were drawn: independently, without replacement (``distinct``), not at all (``certain``), or by a search over whole
    beams, after which nobody knows the chance of each (``search``). ``later`` adds what is only there to be
    seen, such as pruned nodes; whoever records calls ``show`` first, outside the clock.
    """

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    draft_laws: list[Law] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)
    submitted: list[int] = field(default_factory=list)
    notes: dict[str, float] = field(default_factory=dict)
    models: dict[int, int] = field(default_factory=dict)
    scores: dict[int, float] = field(default_factory=dict)
    estimates: dict[int, float] = field(default_factory=dict)
    roots: dict[int, Origin] = field(default_factory=dict)
    hypotheses: list[Hypothesis] = field(default_factory=list)
    considered: int = 0
    planned_depth: int | None = None
    drawing: Drawing = "independent"
    later: list[Callable[[], None]] = field(default_factory=list)

    def show(self) -> None:
        """Add what is only there to be seen."""
        while self.later:
            self.later.pop(0)()

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

    def path(self, node: int) -> list[int]:
        """The nodes from depth 1 to ``node``; empty for a negative one."""
        path = []
        while node >= 0:
            path.append(node)
            node = self.parents[node]
        return path[::-1]

    def children(self) -> dict[int, list[int]]:
        """The submitted children of every place that has any, in the order drafted."""
        found: dict[int, list[int]] = {}
        for node in sorted(self.submitted):
            found.setdefault(self.parents[node], []).append(node)
        return found


@dataclass(frozen=True)
class ScoredForest:
    """A forest and the target's law after the last token of every input beam (``roots``; None for a finished one) and
    after every submitted node. ``beams`` are the input beams, ``hidden`` the target's last hidden states by place
    (empty unless the method asked for them)."""

    forest: Forest
    roots: tuple[Law | None, ...]
    after: dict[int, Law]
    beams: Sequence[Beam] = ()
    hidden: dict[int, torch.Tensor] = field(default_factory=dict)

    @property
    def root(self) -> Law:
        """The law after the last token of the only beam."""
        return self.roots[0]

    def law_at(self, place: int) -> Law:
        """The target's law of the token that follows ``place``: a node, or -1 - i for input beam i."""
        return self.roots[-1 - place] if place < 0 else self.after[place]


@dataclass(frozen=True)
class Survivor:
    """A beam that goes on: the input beam ``root`` it grew from, the drafted nodes on its way, and the token that was
    drawn after them, if any (None also where a beam stayed as it was)."""

    root: int
    path: tuple[int, ...]
    drawn: int | None = None


@dataclass(frozen=True)
class PromptReading:
    """What reading the prompt gave: ``context`` its tokens; ``hidden`` the target's last hidden state [width] at its
    last token but one (None unless the method asked for hidden states and there is such a token); ``law`` the target's
    law after the whole prompt (None unless the method asked for it)."""

    context: Sequence[int]
    hidden: torch.Tensor | None
    law: Law | None


class Drafter:
    """Proposes, iteration after iteration. ``depth`` is the most tokens it drafts in a row, ``size`` the most nodes it
    submits at a time."""

    depth: int = 0

    @property
    def size(self) -> int:
        return self.depth

    def start(self, prompt: PromptReading) -> None:
        """The prompt has been read; called once, before the first draft."""

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        """A forest for the texts so far (prompt and output, never empty; one unless the method keeps several)."""
        raise NotImplementedError

    def commit(self, survivors: Sequence[Survivor], scored: ScoredForest, verdict) -> None:
        """What became of the last forest, cut at the length limit; rows that no survivor needs may go. ``verdict`` is
        the verifier's (``verifying/verdict.py``)."""
