"""The decisions of an iteration: one frozen class a rule, made by its verifier, kept in the trace, drawn by its view.

A decision's ``rule`` says which it is; views choose their drawing by it. ``node`` is the drafted token it is about,
``depth`` its distance from the last context token (1: the next token). ``acceptance_probability`` is that of a coin,
``uniform`` the coin's uniform number in [0, 1), accepted when it is the smaller one; None where nothing was left to
chance. ``target`` and ``draft`` are the distributions judged by; probabilities of the token are read off them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from pydantic import Field

from specviz.trace.distribution import Distribution, JointDistribution
from specviz.trace.forest import Origin


class OfToken:
    """What decisions about one token share."""

    token: int
    target: Distribution

    @property
    def target_prob(self) -> float:
        """The target's probability of the token, 0 to 1."""
        return self.target.prob(self.token)


class OfBoth(OfToken):
    """What decisions about one token under both models share."""

    draft: Distribution

    @property
    def draft_prob(self) -> float:
        """The draft's probability of the token, 0 to 1."""
        return self.draft.prob(self.token)


@dataclass(frozen=True)
class Coin(OfBoth):
    """Accept a drafted token with a coin: probability min(1, target_prob / (lenience draft_prob)); no coin falls for
    a greedy rule. Where several ``candidates`` follow one prefix, ``candidate`` counts them from 0 in the order judged;
    ``target`` is then what is left of the target's distribution after the rejections so far, ``draft`` of the draft's.
    """

    node: int
    depth: int
    token: int
    acceptance_probability: float
    uniform: float | None
    accepted: bool
    target: Distribution
    draft: Distribution
    candidate: int = 0
    candidates: int = 1
    rule: Literal["coin"] = "coin"


@dataclass(frozen=True)
class JointRatioTest(OfBoth):
    """MTAD's test of one prefix: min(0, log_ratio) > log_threshold, with log_ratio the sum over the prefix so far.

    ``log_ratio`` and ``step_log_ratio`` are None where the target gives the prefix no probability (minus infinity);
    ``log_threshold`` is None for a threshold of 0. ``passes`` is the test; ``kept`` whether the prefix is part of the
    longest passing one.
    """

    node: int
    depth: int
    token: int
    step_log_ratio: float | None
    log_ratio: float | None
    log_threshold: float | None
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["joint"] = "joint"


@dataclass(frozen=True)
class SampledToken:
    """One token drawn: from the residual after a rejection, or from the target (bonus, or no draft at all).

    ``after`` is the prefix it follows; ``target`` the target's distribution there, ``source`` the one drawn from (the
    same unless a residual).
    """

    after: int
    depth: int
    token: int
    origin: Origin
    uniform: float | None
    target: Distribution
    source: Distribution
    rule: Literal["draw"] = "draw"


@dataclass(frozen=True)
class SequenceTest(OfBoth):
    """K-SEQ's test of one candidate among ``candidates`` i.i.d. ones: accepted with min(1, target_prob / (rho
    draft_prob)). ``beta`` is beta(rho), ``accept_any`` = 1 - (1 - beta)^candidates the probability that one is
    accepted."""

    node: int
    depth: int
    token: int
    acceptance_probability: float
    uniform: float | None
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
class BlockTest(OfBoth):
    """Block verification's test of one prefix: ``weight`` is w_i, ``excess`` S_i (None at the last token),
    ``acceptance_probability`` h_i; it ``passes`` by its own coin; ``kept``: in the longest passing prefix."""

    node: int
    depth: int
    token: int
    weight: float
    excess: float | None
    acceptance_probability: float
    uniform: float | None
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["block"] = "block"


@dataclass(frozen=True)
class TypicalTest:
    """Typical acceptance: ``target_prob``, after the temperature alone, > ``threshold`` = min(epsilon, delta
    exp(-``entropy``)), the entropy in nats; ``kept``: on the longest accepted path."""

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
class RollbackTest(OfBoth):
    """Big Little Decoder's check of one token of the small model: it ``passes`` when ``surprise`` = -log of its raw
    target probability (nats, None for infinity) is at most ``threshold``; ``confidence`` is the small model's largest
    raw probability when it wrote the token; ``kept``: before the first that fails."""

    node: int
    depth: int
    token: int
    confidence: float
    surprise: float | None
    threshold: float
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["rollback"] = "rollback"


@dataclass(frozen=True)
class GreedyMatch(OfToken):
    """Greedy verification: accepted when the token is the target's ``best`` (its argmax) at that prefix.
    ``candidate`` counts the ``candidates`` there from 0."""

    node: int
    depth: int
    token: int
    best: int
    accepted: bool
    target: Distribution
    candidate: int = 0
    candidates: int = 1
    rule: Literal["match"] = "match"


@dataclass(frozen=True)
class BeamWidth:
    """How many beams a layer is to have, and the distributions its beams are judged by.

    ``offered`` drafts have a surviving parent; ``acceptances`` [offered] are alpha_j, the probability that the j-th is
    accepted after j - 1 rejections; ``at_least`` [offered] the probability that at least K = 1 .. offered are.
    ``width`` is max(``least``, the largest K whose probability reaches ``threshold``); with a threshold of None it is
    ``least``.
    ``target`` is p_beam, ``draft`` q_beam restricted to the surviving parents and renormalised (None: no drafts).
    """

    depth: int
    width: int
    least: int
    threshold: float | None
    offered: int
    acceptances: tuple[float, ...]
    at_least: tuple[float, ...]
    target: JointDistribution
    draft: JointDistribution | None
    rule: Literal["layer"] = "layer"


@dataclass(frozen=True)
class BeamCoin:
    """One drafted beam accepted with min(1, target_prob / draft_prob); ``target`` is p' (p_beam, or what is left of it
    after the rejections since the last acceptance), ``draft`` q_beam. ``parent`` is the beam it extends; a ``token`` of
    -1: that beam has ended and was drawn to stay, and ``node`` is its own prefix."""

    node: int
    parent: int
    depth: int
    token: int
    acceptance_probability: float
    uniform: float | None
    accepted: bool
    target: JointDistribution
    draft: JointDistribution
    rule: Literal["beam-coin"] = "beam-coin"

    @property
    def target_prob(self) -> float:
        """p' of the beam, 0 to 1."""
        return self.target.prob(self.parent, self.token)

    @property
    def draft_prob(self) -> float:
        """q_beam of the beam, 0 to 1."""
        return self.draft.prob(self.parent, self.token)


@dataclass(frozen=True)
class SampledBeam:
    """One beam drawn: the beam at the prefix ``parent`` goes on with ``token`` (-1: it has ended and stays); ``source``
    is p_beam or a residual of it."""

    parent: int
    depth: int
    token: int
    origin: Origin
    uniform: float | None
    source: JointDistribution
    rule: Literal["beam-draw"] = "beam-draw"


@dataclass(frozen=True)
class SearchStep:
    """One step of beam search on the target: its best continuations, best first.

    ``parents`` (prefixes) and ``tokens`` (-1: a finished beam stays) name them, ``logprobs`` are raw joint
    log-probabilities of the outputs (None for minus infinity), ``nodes`` the drafted nodes that are the same beams
    (None where not drafted). ``drafted`` are the draft's own beams of that layer. ``accepted``: all of the target's
    best were drafted, so the search goes on.
    """

    depth: int
    parents: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float | None, ...]
    nodes: tuple[int | None, ...]
    drafted: tuple[int, ...]
    accepted: bool
    rule: Literal["search"] = "search"


GuessTest = Coin | SequenceTest | GreedyMatch | BeamCoin
"""Of one guess (``node``), which is ``accepted`` or not."""
PrefixTest = JointRatioTest | BlockTest | TypicalTest | RollbackTest
"""Of the prefix that ends in one guess (``node``), which ``passes`` or not; ``kept`` in the text or not."""
FlippedCoin = Coin | SequenceTest | BeamCoin
"""Of one guess, accepted or not by a coin of its own."""
JudgedToken = Coin | SequenceTest | JointRatioTest | BlockTest | RollbackTest
"""Judged by the distributions that both models have at its place."""
UnderBoth = Coin | SequenceTest | BeamCoin | JointRatioTest | BlockTest | RollbackTest
"""Of one guess, by the distributions of both models: ``target`` and ``draft``."""
ByChance = Coin | SampledToken | SequenceTest | BlockTest | BeamCoin | SampledBeam
"""With a ``uniform`` number, None where nothing was left to chance."""

Decision = Annotated[
    Coin
    | JointRatioTest
    | SampledToken
    | SequenceTest
    | BlockTest
    | TypicalTest
    | RollbackTest
    | GreedyMatch
    | BeamWidth
    | BeamCoin
    | SampledBeam
    | SearchStep,
    Field(discriminator="rule"),
]
RULES: tuple[str, ...] = tuple(kind.__dataclass_fields__["rule"].default for kind in get_args(get_args(Decision)[0]))
