"""What a verifier hands over: its decisions in order, and the tokens that become text.

Every rule has one decision class here and one record of the same name and fields in ``trace/decisions.py``, where laws
become sparse distributions; ``depth`` and ``token`` of a decision about a node are filled in from the forest.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

from specviz.dice import Dice, Pick
from specviz.drafting.forest import Law, LayerLaw, ScoredForest
from specviz.trace.decisions import Origin


@dataclass(frozen=True)
class Coin:
    """One drafted token accepted or rejected by a coin; ``draw`` is None where the rule leaves nothing to chance.
    ``target`` and ``draft`` are what is left of both laws when candidate number ``candidate`` is judged."""

    node: int
    target: Law
    draft: Law
    target_prob: float
    draft_prob: float
    chance: float
    draw: float | None
    accepted: bool
    candidate: int = 0
    candidates: int = 1


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
class SequenceTest:
    """K-SEQ's test of one of several i.i.d. candidates."""

    node: int
    target: Law
    draft: Law
    target_prob: float
    draft_prob: float
    chance: float
    draw: float | None
    accepted: bool
    candidate: int
    candidates: int
    rho: float
    beta: float
    accept_any: float


@dataclass(frozen=True)
class BlockTest:
    """Block verification's test of one prefix."""

    node: int
    target: Law
    draft: Law
    target_prob: float
    draft_prob: float
    weight: float
    excess: float | None
    chance: float
    draw: float | None
    passes: bool
    kept: bool


@dataclass(frozen=True)
class TypicalTest:
    """Typical acceptance of one token."""

    node: int
    target: Law
    target_prob: float
    entropy: float
    threshold: float
    passes: bool
    kept: bool


@dataclass(frozen=True)
class RollbackTest:
    """Big Little Decoder's check of one token of the small model; ``surprise`` may be infinite."""

    node: int
    target: Law
    draft: Law
    target_prob: float
    draft_prob: float
    confidence: float
    surprise: float
    threshold: float
    passes: bool
    kept: bool


@dataclass(frozen=True)
class Match:
    """Greedy verification of one token against the target's argmax ``best``."""

    node: int
    target: Law
    best: int
    target_prob: float
    accepted: bool
    candidate: int = 0
    candidates: int = 1


@dataclass(frozen=True)
class LayerWidth:
    """How many beams a layer is to have."""

    depth: int
    width: int
    least: int
    threshold: float | None
    offered: int
    acceptances: tuple[float, ...]
    at_least: tuple[float, ...]
    target: LayerLaw
    draft: LayerLaw | None


@dataclass(frozen=True)
class BeamCoin:
    """One drafted beam accepted or rejected: the beam at ``parent`` going on with ``token``, drafted as ``node``. A
    token of -1: the beam has ended and was drawn to stay; ``node`` is then its own place."""

    node: int
    parent: int
    depth: int
    token: int
    target: LayerLaw
    draft: LayerLaw
    target_prob: float
    draft_prob: float
    chance: float
    draw: float | None
    accepted: bool


@dataclass(frozen=True)
class BeamDraw:
    """One beam drawn from ``source``; a ``token`` of -1: the beam at ``parent`` has ended and stays."""

    parent: int
    depth: int
    token: int
    origin: Origin
    draw: float | None
    source: LayerLaw


@dataclass(frozen=True)
class SearchStep:
    """One step of beam search on the target: its best continuations, best first."""

    depth: int
    parents: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    nodes: tuple[int | None, ...]
    drafted: tuple[int, ...]
    accepted: bool


@dataclass(frozen=True)
class Draw:
    """One token drawn from ``source`` (a residual, or the target's law); ``after`` is the node it follows (-1: the last
    context token)."""

    after: int
    token: int
    origin: Origin
    draw: float | None
    target: Law
    source: Law


@dataclass(frozen=True)
class Step:
    """One beam of a new layer: which beam of the layer before it extends (``before``: its index there; the first layer
    extends the input beams), by which ``token`` (None: it has ended and stays), drafted as ``node`` (None: drawn), with
    the target's ``law`` at that place (None for one that stays)."""

    before: int
    token: int | None
    node: int | None
    origin: Origin
    law: Law | None


@dataclass
class Verdict:
    """What becomes text. Methods that write one text fill ``path``, the accepted nodes from depth 1 on, and ``drawn``,
    the token drawn after them, if any. Methods that keep several beams fill ``layers``, one list of beams per token,
    and ``going`` where not all beams of the last layer go on (indices into it).

    ``offered`` counts the drafted tokens on the judged path, ``accepted`` those accepted (None: the path's length).
    ``next_law`` is the law of the token after the path, where none was drawn from it.
    """

    path: list[int] = field(default_factory=list)
    decisions: list[Any] = field(default_factory=list)
    drawn: Draw | None = None
    offered: int = 0
    accepted: int | None = None
    layers: list[list[Step]] = field(default_factory=list)
    going: tuple[int, ...] | None = None
    next_law: Law | None = None
    next_origin: Origin = "target"

    def draw_next(self, dice: Dice, after: int, origin: Origin, target: Law, source: Law | None = None) -> None:
        """Draw the token after ``after`` from ``source`` (default: the target's law) and end the verdict with it."""
        source = source or target
        pick: Pick = dice.pick(source.probs)
        draw = None if source.probs[pick.index] == 1.0 else pick.draw  # a certain token needs no chance
        self.drawn = Draw(after, pick.index, origin, draw, target, source)
        self.decisions.append(self.drawn)


class Verifier(Protocol):
    """Judges a forest."""

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict: ...
