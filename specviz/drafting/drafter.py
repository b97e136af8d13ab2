"""What a drafter is asked and what it is told: the texts so far, and what became of its forest."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import torch

from specviz.dice import Dice
from specviz.trace.distribution import Distribution
from specviz.trace.forest import Forest, Origin


@dataclass(frozen=True)
class Beam:
    """One text being written: prompt and output ``tokens``, the output's raw joint log-probability under the target,
    and whether it has ended. Methods that write one text have one beam (whose ``logprob`` is not kept)."""

    tokens: Sequence[int]
    logprob: float = 0.0
    finished: bool = False


@dataclass(frozen=True)
class ScoredForest:
    """A forest whose ``target`` distributions are known, and the input ``beams`` it grows from; ``hidden`` are the
    target's last hidden states by prefix (empty unless the method asked for them)."""

    forest: Forest
    beams: Sequence[Beam]
    hidden: dict[int, torch.Tensor] = field(default_factory=dict)

    @property
    def root(self) -> Distribution:
        """The target's distribution after the last token of the only beam."""
        return self.forest.target[-1]

    def target_at(self, prefix: int) -> Distribution:
        """The target's distribution of the token that follows ``prefix``: a node, or -1 - i for input beam i."""
        return self.forest.target[prefix]


@dataclass(frozen=True)
class AcceptedBeam:
    """A beam that goes on: the input beam ``root`` it grew from, the drafted nodes on its way, and the token that was
    drawn after them, if any (None also where a beam stayed as it was)."""

    root: int
    path: tuple[int, ...]
    drawn: int | None = None


@dataclass(frozen=True)
class PromptReading:
    """What reading the prompt gave: ``context`` its tokens; ``hidden`` the target's last hidden state [width] at its
    last token but one (None unless the drafter wants hidden states and there is such a token); ``next`` the target's
    distribution after the whole prompt (None unless the drafter wants it), and ``origin`` where a token drawn from it
    comes from. For a run that goes on from another one the text so far is the prompt, and ``next`` what the last
    verdict left."""

    context: Sequence[int]
    hidden: torch.Tensor | None
    next: Distribution | None
    origin: Origin = "target"


class Remainder(Protocol):
    """What a verdict (``rules/verdict.py``) leaves for the next draft: the distribution of the token after the
    text, where none was drawn from it, and where such a token would come from."""

    next_distribution: Distribution | None
    next_origin: Origin


class Drafter:
    """Proposes, iteration after iteration. ``depth`` is the most tokens it drafts in a row, ``size`` the most nodes it
    submits at a time. ``wants_hidden``: it reads the target's hidden states; ``wants_prefill_distribution``: the
    target's distribution after the prompt, before the first draft; ``target_entries``: how many of the target's
    likeliest tokens it looks at, whatever the warp."""

    depth: int = 0
    target_entries: int = 0
    wants_hidden = False
    wants_prefill_distribution = False

    @property
    def size(self) -> int:
        return self.depth

    def start(self, prompt: PromptReading) -> None:
        """The prompt has been read; called once, before the first draft."""

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        """A forest for the texts so far (prompt and output, never empty; one unless the method keeps several)."""
        raise NotImplementedError

    def commit(self, accepted: Sequence[AcceptedBeam], scored: ScoredForest, verdict: Remainder) -> None:
        """What became of the last forest, cut at the length limit; rows that no text needs any more may go."""

    def annotate(self, forest: Forest) -> None:
        """Add to the last forest what is only there to be seen, such as pruned nodes; called outside the clock."""

    def notes(self) -> dict[str, float]:
        """Numbers behind the last draft that are worth showing, such as the gamma it chose."""
        return {}
