"""The decisions of an iteration: one frozen class a rule, made by its verifier, kept in the trace, drawn by its view.

A decision's ``rule`` says which it is; views choose their drawing by it. ``node`` is the drafted token it is about,
``depth`` its distance from the last context token (1: the next token). ``acceptance_probability`` is that of a coin,
``uniform`` the coin's uniform number in [0, 1), accepted when it is the smaller one; None where nothing was left to
chance. ``target`` and ``draft`` are the distributions judged by; probabilities of the token are read off them.

A rule of one's own has a class of its own, in any package: it derives from the kinds below that fit, and is known once
it is defined. What it lacks is said then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import get_annotations
from typing import Annotated, Any, ClassVar, Literal, Union, get_type_hints

from pydantic import Field

from specviz.trace.distribution import Distribution, JointDistribution
from specviz.trace.forest import Origin
from specviz.trace.ranges import (
    RANGES,
    Amount,
    AnyNumber,
    BeamNode,
    BeamToken,
    Count,
    Depth,
    LogProb,
    Node,
    Prefix,
    Probability,
    Token,
    without_range,
)

_KINDS: dict[str, type[Decision]] = {}


class Decision:
    """What all decisions share. The class of a rule is a frozen dataclass with ``rule: Literal["name"] = "name"`` that
    derives from ``GuessTest``, ``PrefixTest``, ``LayerTest`` or ``Draw``, and from ``ByChance`` and ``OfBoth`` where
    these fit; the type of each of its numbers says what it may be (``trace/ranges.py``), and its ``show(moment)`` tells
    and draws it. Raises TypeError where it is defined otherwise, with the sentence that mends it."""

    rule: Any
    """Its rule's name, a Literal of each class."""
    needs: ClassVar[tuple[str, ...]] = ()
    """The fields that every class of a kind has."""

    def __init_subclass__(cls, *, kind: bool = False) -> None:
        super().__init_subclass__()
        if not kind:
            register(cls)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """What the types of its fields cannot say: the field ("": the whole) and what is wrong with it."""
        return iter(())

    @property
    def weighed(self) -> dict[int, bool]:
        """The drafted nodes that a test of a layer chooses from, and whether it takes each."""
        return {}


class GuessTest(Decision, kind=True):
    """Of one guess (``node``), which is ``accepted`` or not. Where several follow one prefix, ``candidate`` counts
    these ``candidates`` from 0 in the order judged."""

    node: Node
    depth: Depth
    token: Token
    accepted: bool
    needs = "node", "depth", "token", "accepted"
    closes: ClassVar[bool] = True
    """Nothing below a rejected guess is judged."""
    beats: ClassVar[bool] = False
    """Nothing beside an accepted guess is judged any more."""

    @property
    def passed(self) -> bool:
        """Whether the guess is accepted."""
        return self.accepted

    def contradictions(self) -> Iterator[tuple[str, str]]:
        candidate, candidates = getattr(self, "candidate", 0), getattr(self, "candidates", 1)
        if candidate >= candidates:
            yield "candidate", f"is {candidate}, candidates are counted from 0 to {candidates - 1}"


class PrefixTest(Decision, kind=True):
    """Of the prefix that ends in one guess (``node``), which ``passes`` or not; ``kept`` in the text or not."""

    node: Node
    depth: Depth
    token: Token
    passes: bool
    kept: bool
    needs = "node", "depth", "token", "passes", "kept"
    jumps: ClassVar[bool] = False
    """A longer prefix may pass where this one fails, and keeps it; else nothing counts after the first that fails."""

    @property
    def passed(self) -> bool:
        """Whether the prefix passes."""
        return self.passes


class LayerTest(Decision, kind=True):
    """Of a whole layer of beams."""

    depth: Depth
    needs = ("depth",)


class ByChance(Decision, kind=True):
    """With a ``uniform`` number, None where nothing was left to chance."""

    depth: Depth
    token: Token
    uniform: Probability | None
    needs = "depth", "token", "uniform"


class Draw(ByChance, kind=True):
    """Of a token that is drawn after a ``prefix``."""

    origin: Origin
    needs = (*ByChance.needs, "origin")

    @property
    def prefix(self) -> int:
        """The prefix that the token follows."""
        raise NotImplementedError


class OfToken(Decision, kind=True):
    """Of one token, by the target's distribution at its place."""

    token: Token
    target: Distribution
    needs = "token", "target"

    @property
    def target_prob(self) -> float:
        """The target's probability of the token, 0 to 1."""
        return self.target.prob(self.token)


class OfBoth(OfToken, kind=True):
    """Of one guess, by the distributions that both models have at its place."""

    node: Node
    depth: Depth
    draft: Distribution
    needs = (*OfToken.needs, "node", "depth", "draft")

    @property
    def draft_prob(self) -> float:
        """The draft's probability of the token, 0 to 1."""
        return self.draft.prob(self.token)


def register(kind: type[Decision]) -> None:
    """Make a class of decisions known by its rule, as defining it does: files hold its decisions from then on. Raises
    TypeError for a class that is not as ``Decision`` says."""
    wrong = _wrong(kind)
    if wrong:
        raise TypeError(f"{kind.__module__}.{kind.__qualname__} {wrong}")
    _KINDS[kind.__dict__["rule"]] = kind


def forget(rule: str) -> None:
    """Let go of the class of a rule of one's own."""
    _KINDS.pop(rule, None)


def known_kinds() -> tuple[type[Decision], ...]:
    """The classes of all rules, in the order defined. Raises TypeError for one that is no dataclass."""
    for kind in _KINDS.values():
        if "__dataclass_fields__" not in vars(kind):
            raise TypeError(
                f"{kind.__module__}.{kind.__qualname__} is no dataclass: write @dataclass(frozen=True) above it"
            )
    return tuple(_KINDS.values())


def _wrong(kind: type[Decision]) -> str:
    """What keeps a class from being a rule's, with what mends it; "" where nothing does."""
    rule, bases = kind.__dict__.get("rule"), [one for one in kind.__mro__ if issubclass(one, Decision)]
    of_rules = [one for one in bases if "rule" in vars(one)]
    fields = {name for one in of_rules for name in get_annotations(one)}
    hints = get_type_hints(kind, include_extras=True)
    if not isinstance(rule, str) or hints["rule"] != Literal[rule]:
        return 'says no rule: write rule: Literal["its name"] = "its name"'
    other = _KINDS.get(rule, kind)
    if (other.__module__, other.__qualname__) != (kind.__module__, kind.__qualname__):
        return f"has the rule {rule!r}, which {other.__module__}.{other.__qualname__} has already: give it another name"
    for field, of, base in (("accepted", "node", GuessTest), ("passes", "node", PrefixTest), ("uniform", "", ByChance)):
        if field in fields and (of in fields or not of) and not issubclass(kind, base):
            return f"has the field {field}, but is no {base.__name__}: derive it from {base.__name__} too"
    if not issubclass(kind, GuessTest | PrefixTest | LayerTest | ByChance):
        return "is of nothing that is judged or drawn: derive it from GuessTest, PrefixTest, LayerTest or ByChance"
    missing = [name for one in bases if one not in of_rules for name in one.needs if name not in fields]
    if missing:
        return f"lacks what its kind has: add the fields {', '.join(dict.fromkeys(missing))}"
    if unsaid := without_range(kind):
        return f"does not say what its numbers may be: give {', '.join(unsaid)} a type of trace/ranges.py ({RANGES})"
    if kind.__module__ != __name__ and not callable(getattr(kind, "show", None)):
        return "cannot be shown: write show(self, moment), which returns Shown (views/facts/scene_parts.py)"
    return ""


class _ByRule:
    """The type of a decision in a file: that of the classes known when the file is read or written."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return handler.generate_schema(Annotated[Union[known_kinds()], Field(discriminator="rule")])  # noqa: UP007


AnyDecision = Annotated[Decision, _ByRule()]


@dataclass(frozen=True)
class Coin(OfBoth, GuessTest, ByChance):
    """Accept a drafted token with a coin: probability min(1, target_prob / (lenience draft_prob)); no coin falls for
    a greedy rule. Where several ``candidates`` follow one prefix, ``candidate`` counts them from 0 in the order judged;
    ``target`` is then what is left of the target's distribution after the rejections so far, ``draft`` of the draft's.
    """

    node: Node
    depth: Depth
    token: Token
    acceptance_probability: Probability
    uniform: Probability | None
    accepted: bool
    target: Distribution
    draft: Distribution
    candidate: Count = 0
    candidates: Count = 1
    rule: Literal["coin"] = "coin"
    beats = True


@dataclass(frozen=True)
class JointRatioTest(OfBoth, PrefixTest):
    """MTAD's test of one prefix: min(0, log_ratio) > log_threshold, with log_ratio the sum over the prefix so far.

    ``log_ratio`` and ``step_log_ratio`` are None where the target gives the prefix no probability (minus infinity);
    ``log_threshold`` is None for a threshold of 0. ``passes`` is the test; ``kept`` whether the prefix is part of the
    longest passing one.
    """

    node: Node
    depth: Depth
    token: Token
    step_log_ratio: AnyNumber | None
    log_ratio: AnyNumber | None
    log_threshold: AnyNumber | None
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["joint"] = "joint"
    jumps = True


@dataclass(frozen=True)
class SampledToken(Draw):
    """One token drawn: from the residual after a rejection, or from the target (bonus, or no draft at all).

    ``after`` is the prefix it follows; ``target`` the target's distribution there, ``source`` the one drawn from (the
    same unless a residual).
    """

    after: Prefix
    depth: Depth
    token: Token
    origin: Origin
    uniform: Probability | None
    target: Distribution
    source: Distribution
    rule: Literal["draw"] = "draw"

    @property
    def prefix(self) -> int:
        return self.after


@dataclass(frozen=True)
class SequenceTest(OfBoth, GuessTest, ByChance):
    """K-SEQ's test of one candidate among ``candidates`` i.i.d. ones: accepted with min(1, target_prob / (rho
    draft_prob)). ``beta`` is beta(rho), ``accept_any`` = 1 - (1 - beta)^candidates the probability that one is
    accepted."""

    node: Node
    depth: Depth
    token: Token
    acceptance_probability: Probability
    uniform: Probability | None
    accepted: bool
    target: Distribution
    draft: Distribution
    candidate: Count
    candidates: Count
    rho: Amount
    beta: Probability
    accept_any: Probability
    rule: Literal["kseq"] = "kseq"
    closes = False  # what follows a rejected guess may follow its copy


@dataclass(frozen=True)
class BlockTest(OfBoth, PrefixTest, ByChance):
    """Block verification's test of one prefix: ``weight`` is w_i, ``excess`` S_i (None at the last token),
    ``acceptance_probability`` h_i; it ``passes`` by its own coin; ``kept``: in the longest passing prefix."""

    node: Node
    depth: Depth
    token: Token
    weight: Probability
    excess: Amount | None
    acceptance_probability: Probability
    uniform: Probability | None
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["block"] = "block"
    jumps = True


@dataclass(frozen=True)
class TypicalTest(PrefixTest):
    """Typical acceptance: ``target_prob``, after the temperature alone, > ``threshold`` = min(epsilon, delta
    exp(-``entropy``)), the entropy in nats; ``kept``: on the longest accepted path."""

    node: Node
    depth: Depth
    token: Token
    target_prob: Probability
    entropy: Amount
    threshold: Probability
    passes: bool
    kept: bool
    target: Distribution
    rule: Literal["typical"] = "typical"


@dataclass(frozen=True)
class RollbackTest(OfBoth, PrefixTest):
    """Big Little Decoder's check of one token of the small model: it ``passes`` when ``surprise`` = -log of its raw
    target probability (nats, None for infinity) is at most ``threshold``; ``confidence`` is the small model's largest
    raw probability when it wrote the token; ``kept``: before the first that fails."""

    node: Node
    depth: Depth
    token: Token
    confidence: Probability
    surprise: Amount | None
    threshold: Amount
    passes: bool
    kept: bool
    target: Distribution
    draft: Distribution
    rule: Literal["rollback"] = "rollback"


@dataclass(frozen=True)
class GreedyMatch(OfToken, GuessTest):
    """Greedy verification: accepted when the token is the target's ``best`` (its argmax) at that prefix.
    ``candidate`` counts the ``candidates`` there from 0."""

    node: Node
    depth: Depth
    token: Token
    best: Token
    accepted: bool
    target: Distribution
    candidate: Count = 0
    candidates: Count = 1
    rule: Literal["match"] = "match"


@dataclass(frozen=True)
class BeamWidth(LayerTest):
    """How many beams a layer is to have, and the distributions its beams are judged by.

    ``offered`` drafts have a surviving parent; ``acceptances`` [offered] are alpha_j, the probability that the j-th is
    accepted after j - 1 rejections; ``at_least`` [offered] the probability that at least K = 1 .. offered are.
    ``width`` is max(``least``, the largest K whose probability reaches ``threshold``); with a threshold of None it is
    ``least``.
    ``target`` is p_beam, ``draft`` q_beam restricted to the surviving parents and renormalised (None: no drafts).
    """

    depth: Depth
    width: Count
    least: Count
    threshold: Probability | None
    offered: Count
    acceptances: tuple[Probability, ...]
    at_least: tuple[Probability, ...]
    target: JointDistribution
    draft: JointDistribution | None
    rule: Literal["layer"] = "layer"

    def contradictions(self) -> Iterator[tuple[str, str]]:
        if not len(self.acceptances) == len(self.at_least) == self.offered:
            yield "", f"acceptances and at_least have one number for each of the {self.offered} offered drafts"


@dataclass(frozen=True)
class BeamCoin(GuessTest, ByChance):
    """One drafted beam accepted with min(1, target_prob / draft_prob); ``target`` is p' (p_beam, or what is left of it
    after the rejections since the last acceptance), ``draft`` q_beam. ``parent`` is the beam it extends; a ``token`` of
    -1: that beam has ended and was drawn to stay, and ``node`` is its own prefix."""

    node: BeamNode
    parent: Prefix
    depth: Depth
    token: BeamToken
    acceptance_probability: Probability
    uniform: Probability | None
    accepted: bool
    target: JointDistribution
    draft: JointDistribution
    rule: Literal["beam-coin"] = "beam-coin"
    closes = False

    @property
    def target_prob(self) -> float:
        """p' of the beam, 0 to 1."""
        return self.target.prob(self.parent, self.token)

    @property
    def draft_prob(self) -> float:
        """q_beam of the beam, 0 to 1."""
        return self.draft.prob(self.parent, self.token)


@dataclass(frozen=True)
class SampledBeam(Draw):
    """One beam drawn: the beam at the prefix ``parent`` goes on with ``token`` (-1: it has ended and stays); ``source``
    is p_beam or a residual of it."""

    parent: Prefix
    depth: Depth
    token: BeamToken
    origin: Origin
    uniform: Probability | None
    source: JointDistribution
    rule: Literal["beam-draw"] = "beam-draw"

    @property
    def prefix(self) -> int:
        return self.parent


@dataclass(frozen=True)
class SearchStep(LayerTest):
    """One step of beam search on the target: its best continuations, best first.

    ``parents`` (prefixes) and ``tokens`` (-1: a finished beam stays) name them, ``logprobs`` are raw joint
    log-probabilities of the outputs (None for minus infinity), ``nodes`` the drafted nodes that are the same beams
    (None where not drafted). ``drafted`` are the draft's own beams of that layer. ``accepted``: all of the target's
    best were drafted, so the search goes on.
    """

    depth: Depth
    parents: tuple[Prefix, ...]
    tokens: tuple[BeamToken, ...]
    logprobs: tuple[LogProb | None, ...]
    nodes: tuple[Node | None, ...]
    drafted: tuple[Node, ...]
    accepted: bool
    rule: Literal["search"] = "search"

    def contradictions(self) -> Iterator[tuple[str, str]]:
        if not len(self.parents) == len(self.tokens) == len(self.logprobs) == len(self.nodes):
            yield "", "parents, tokens, logprobs and nodes have different lengths"

    @property
    def weighed(self) -> dict[int, bool]:
        return {node: node in self.nodes for node in self.drafted}


UnderBoth = OfBoth | BeamCoin
"""Of one guess, by the distributions of both models: ``target`` and ``draft``."""
FlippedCoin = Coin | SequenceTest | BeamCoin
"""Of one guess, accepted or not by a coin of its own."""
