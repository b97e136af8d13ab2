"""What a verifier hands over: its decisions in order, the accepted path, and the tokens that become text."""

from dataclasses import dataclass, field
from typing import Protocol

from specviz.dice import Dice, Pick
from specviz.drafting.forest import Law, ScoredForest
from specviz.trace.record import Origin


@dataclass(frozen=True)
class Coin:
    """One drafted token accepted or rejected by a coin; ``draw`` is None where the rule leaves nothing to chance."""

    node: int
    target: Law
    draft: Law
    target_prob: float
    draft_prob: float
    chance: float
    draw: float | None
    accepted: bool


@dataclass(frozen=True)
class JointTest:
    """One prefix of the draft tested by its joint likelihood; ratios are natural logarithms, -inf possible."""

    node: int
    target: Law
    draft: Law
    target_prob: float
    draft_prob: float
    step_log_ratio: float
    log_ratio: float
    log_threshold: float
    passes: bool
    kept: bool


@dataclass(frozen=True)
class Draw:
    """One token drawn from ``source`` (a residual, or the target's law) after ``node`` (-1: the last context token)."""

    node: int
    token: int
    origin: Origin
    draw: float | None
    target: Law
    source: Law


@dataclass
class Verdict:
    """``path`` are the accepted nodes, root first; ``drawn`` the token drawn after them, if any. ``offered`` counts the
    drafted tokens on the judged path."""

    path: list[int] = field(default_factory=list)
    decisions: list[Coin | JointTest | Draw] = field(default_factory=list)
    drawn: Draw | None = None
    offered: int = 0

    def draw_next(self, dice: Dice, node: int, origin: Origin, target: Law, source: Law | None = None) -> None:
        """Draw the token after ``node`` from ``source`` (default: the target's law) and end the verdict with it."""
        source = source or target
        pick: Pick = dice.pick(source.probs)
        draw = None if source.probs[pick.index] == 1.0 else pick.draw  # a certain token needs no chance
        self.drawn = Draw(node, pick.index, origin, draw, target, source)
        self.decisions.append(self.drawn)


class Verifier(Protocol):
    """Judges a forest."""

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict: ...
