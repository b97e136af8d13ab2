"""The decisions of a trace: one frozen record per rule, with the numbers it was made from.

Part of the trace (``trace/record.py``); a decision's ``rule`` says which it is, and views choose their drawing by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

Origin = Literal["accepted", "resampled", "bonus", "target"]


@dataclass(frozen=True)
class Distribution:
    """A sparse distribution over the vocabulary, most probable first.

    ``probs`` are after the warp, ``logprobs`` the unwarped natural logarithms of the same tokens under the same model
    (None where the model gives the token no probability). ``rest`` is the probability of all tokens not listed, none of
    which is likelier than ``Header.probability_floor`` (0: nothing was left out). The drafted and the emitted tokens
    are always listed; tokens that the warp cut may be, with probability 0.
    """

    tokens: tuple[int, ...]
    probs: tuple[float, ...]
    logprobs: tuple[float | None, ...]
    rest: float


@dataclass(frozen=True)
class LayerDistribution:
    """A sparse joint law over (beam, next token) pairs of one layer, most probable first.

    ``places`` say which beam each pair extends: a node number, or -1 - i for the iteration's input beam i; ``tokens``
    what extends it (-1: a finished beam that stays as it is). ``probs`` are after the warp of the joint, ``logprobs``
    the unwarped joint log-probabilities of the longer beam's output (None for minus infinity), ``rest`` the
    probability of all pairs not listed.
    """

    places: tuple[int, ...]
    tokens: tuple[int, ...]
    probs: tuple[float, ...]
    logprobs: tuple[float | None, ...]
    rest: float


@dataclass(frozen=True)
class CoinDecision:
    """Accept a drafted token with a coin: ``chance`` = min(1, target_prob / (lenience draft_prob)).

    ``draw`` is the uniform number of the coin, accepted when draw < chance; None when the rule flips no coin (greedy).
    Where several ``candidates`` stand at one place, ``candidate`` counts them from 0 in the order judged; ``target`` is
    then what is left of the target's law after the rejections so far, ``draft`` what is left of the draft's.
    """

    node: int
    depth: int
    token: int
    target_prob: float
    draft_prob: float
    chance: float
    draw: float | None
    accepted: bool
    target: Distribution
    draft: Distribution
    candidate: int = 0
    candidates: int = 1
    rule: Literal["coin"] = "coin"


@dataclass(frozen=True)
class JointDecision:
    """MTAD's test of one prefix: min(0, log_ratio) > log_threshold, with log_ratio the sum over the prefix so far.

    ``log_ratio`` and ``step_log_ratio`` are None where the target gives the prefix no probability (minus infinity);
    ``log_threshold`` is None for a threshold of 0. ``passes`` is the test; ``kept`` whether the prefix is part of the
    longest passing one.
    """

    node: int
    depth: int
    token: int
    target_prob: float
    draft_prob: float
    step_log_ratio: float | None
    log_ratio: float | None
    log_threshold: float | None
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["joint"] = "joint"


@dataclass(frozen=True)
class DrawDecision:
    """Draw one token: from the residual after a rejection, or from the target (bonus, or no draft at all).

    ``depth`` is the token's distance from the last context token (1 = the next one); ``draw`` the uniform number.
    ``target`` is the target's distribution at that place, ``source`` the one drawn from (the same unless a residual);
    ``after`` the node it follows (-1: the last context token).
    """

    depth: int
    token: int
    origin: Origin
    draw: float | None
    target: Distribution
    source: Distribution
    after: int = -1
    rule: Literal["draw"] = "draw"


@dataclass(frozen=True)
class SequenceDecision:
    """K-SEQ's test of one candidate among ``candidates`` i.i.d. ones: ``chance`` = min(1, target_prob / (rho
    draft_prob)). ``beta`` is beta(rho), ``accept_any`` = 1 - (1 - beta)^candidates the chance that one is accepted."""

    node: int
    depth: int
    token: int
    target_prob: float
    draft_prob: float
    chance: float
    draw: float | None
    accepted: bool
    target: Distribution
    draft: Distribution
    candidate: int
    candidates: int
    rho: float
    beta: float
    accept_any: float
    rule: Literal["kseq"] = "kseq"


@dataclass(frozen=True)
class BlockDecision:
    """Block verification's test of one prefix: ``weight`` is p_i, ``excess`` S_i (None at the last place), ``chance``
    h_i; it ``passes`` when its own coin ``draw`` falls below ``chance``; ``kept``: in the longest passing prefix."""

    node: int
    depth: int
    token: int
    target_prob: float
    draft_prob: float
    weight: float
    excess: float | None
    chance: float
    draw: float | None
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["block"] = "block"


@dataclass(frozen=True)
class TypicalDecision:
    """Typical acceptance: target_prob > ``threshold`` = min(epsilon, delta exp(-``entropy``)), entropy in nats of the
    target's law after temperature only; ``kept``: on the longest accepted path."""

    node: int
    depth: int
    token: int
    target_prob: float
    entropy: float
    threshold: float
    passes: bool
    kept: bool
    target: Distribution
    rule: Literal["typical"] = "typical"


@dataclass(frozen=True)
class RollbackDecision:
    """Big Little Decoder's check of one token of the small model: it ``passes`` when ``surprise`` = -log of its
    unwarped target probability (nats, None for infinity) is at most ``threshold``; ``confidence`` is the small model's
    largest unwarped probability when it wrote the token; ``kept``: before the first that fails."""

    node: int
    depth: int
    token: int
    target_prob: float
    draft_prob: float
    confidence: float
    surprise: float | None
    threshold: float
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["rollback"] = "rollback"


@dataclass(frozen=True)
class MatchDecision:
    """Greedy verification: accepted when the token is the target's ``best`` (its argmax) at that place.
    ``candidate`` counts the ``candidates`` of the place from 0."""

    node: int
    depth: int
    token: int
    best: int
    target_prob: float
    accepted: bool
    target: Distribution
    candidate: int = 0
    candidates: int = 1
    rule: Literal["match"] = "match"


@dataclass(frozen=True)
class LayerDecision:
    """How many beams a layer is to have, and the laws its beams are judged by.

    ``offered`` drafts have a surviving parent; ``acceptances`` [offered] are alpha_j, the chance that the j-th is
    accepted after j - 1 rejections; ``at_least`` [offered] the chance that at least K = 1 .. offered are accepted.
    ``width`` is max(``least``, the largest K whose chance reaches ``threshold``); a threshold of None means ``least``.
    ``target`` is p_beam, ``draft`` q_beam restricted to the surviving parents and renormalised (None: no drafts).
    """

    depth: int
    width: int
    least: int
    threshold: float | None
    offered: int
    acceptances: tuple[float, ...]
    at_least: tuple[float, ...]
    target: LayerDistribution
    draft: LayerDistribution | None
    rule: Literal["layer"] = "layer"


@dataclass(frozen=True)
class BeamCoinDecision:
    """One drafted beam accepted with chance min(1, target_prob / draft_prob); ``target`` is p' (p_beam, or what is left
    of it after the rejections since the last acceptance), ``draft`` q_beam. ``parent`` is the beam it extends; a
    ``token`` of -1: that beam has ended and was drawn to stay, and ``node`` is its own place."""

    node: int
    parent: int
    depth: int
    token: int
    target_prob: float
    draft_prob: float
    chance: float
    draw: float | None
    accepted: bool
    target: LayerDistribution
    draft: LayerDistribution
    rule: Literal["beam-coin"] = "beam-coin"


@dataclass(frozen=True)
class BeamDrawDecision:
    """One beam drawn: the beam at ``parent`` (a node, or -1 - i for input beam i) goes on with ``token`` (-1: it has
    ended and stays); ``source`` is p_beam or a residual of it."""

    parent: int
    depth: int
    token: int
    origin: Origin
    draw: float | None
    source: LayerDistribution
    rule: Literal["beam-draw"] = "beam-draw"


@dataclass(frozen=True)
class SearchDecision:
    """One step of beam search on the target: its best continuations, best first.

    ``parents`` and ``tokens`` (-1: a finished beam stays) name them, ``logprobs`` are unwarped joint log-probabilities
    of the outputs, ``nodes`` the drafted nodes that are the same beams (None where not drafted). ``drafted`` are the
    draft's own beams of that layer. ``accepted``: all of the target's best were drafted, so the search goes on.
    """

    depth: int
    parents: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float | None, ...]
    nodes: tuple[int | None, ...]
    drafted: tuple[int, ...]
    accepted: bool
    rule: Literal["search"] = "search"


Decision = Annotated[
    CoinDecision
    | JointDecision
    | DrawDecision
    | SequenceDecision
    | BlockDecision
    | TypicalDecision
    | RollbackDecision
    | MatchDecision
    | LayerDecision
    | BeamCoinDecision
    | BeamDrawDecision
    | SearchDecision,
    Field(discriminator="rule"),
]
