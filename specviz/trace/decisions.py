"""The decisions of an iteration: one frozen class a rule, made by its verifier, kept in the trace, shown by itself.

A decision's ``rule`` says which it is. ``node`` is the drafted token it is about, ``depth`` its distance from the last
context token (1: the next token). ``acceptance_probability`` is that of a coin, ``uniform`` the coin's uniform number
in [0, 1), accepted when it is the smaller one; None where nothing was left to chance. ``target`` and ``draft`` are the
distributions judged by; probabilities of the token are read off them.

A rule has a class of its own, in any package (ours in ``rules``): it derives from the kinds below that fit, and is
known once it is defined; defining an incomplete one raises TypeError.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import get_annotations
from typing import Annotated, Any, ClassVar, Literal, Union, get_type_hints

from pydantic import Field

from specviz.trace.distribution import Distribution, JointDistribution
from specviz.trace.forest import Origin
from specviz.trace.ranges import (
    RANGES,
    BeamNode,
    BeamToken,
    Count,
    Depth,
    NodeNumber,
    Prefix,
    Probability,
    Token,
    without_range,
)

_KINDS: dict[str, type[Decision]] = {}


class Decision:
    """What all decisions share. The class of a rule is a frozen dataclass with ``rule: Literal["name"] = "name"`` that
    derives from ``GuessTest``, ``PrefixTest``, ``LayerTest`` or ``Draw``, and from ``ByChance`` and ``OfBoth`` where
    these fit; the type of each of its numbers says what it may be (``trace/ranges.py``), and its ``show(moment)``
    describes and draws it. Raises TypeError, with how to fix it, for a class that is defined otherwise."""

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

    node: NodeNumber
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

    node: NodeNumber
    depth: Depth
    token: Token
    passes: bool
    kept: bool
    needs = "node", "depth", "token", "passes", "kept"
    jumps: ClassVar[bool] = False
    """Whether a longer prefix may pass where this one fails, and then keeps it; else nothing counts after the first
    failure."""

    @property
    def passed(self) -> bool:
        """Whether the prefix passes."""
        return self.passes


class LayerTest(Decision, kind=True):
    """Of a whole layer of beams."""

    depth: Depth
    needs = ("depth",)


class WidthTest(LayerTest, kind=True):
    """Of how many beams a layer is to have (``width``), when ``offered`` drafts have a parent that is left; ``target``
    is what its beams are judged by."""

    width: Count
    offered: Count
    target: JointDistribution
    needs = (*LayerTest.needs, "width", "offered", "target")


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
    last: ClassVar[bool] = False
    """The text of the iteration ends with it."""

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

    node: NodeNumber
    depth: Depth
    draft: Distribution
    needs = (*OfToken.needs, "node", "depth", "draft")

    @property
    def draft_prob(self) -> float:
        """The draft's probability of the token, 0 to 1."""
        return self.draft.prob(self.token)


class OfBeam(Decision, kind=True):
    """Of one drafted beam, the one at the prefix ``parent`` that goes on with ``token`` (-1: it has ended and stays),
    by the joint distributions that both models have of its layer."""

    node: BeamNode
    parent: Prefix
    depth: Depth
    token: BeamToken
    target: JointDistribution
    draft: JointDistribution
    needs = "node", "parent", "depth", "token", "target", "draft"

    @property
    def target_prob(self) -> float:
        """The target's joint probability of the beam, 0 to 1."""
        return self.target.prob(self.parent, self.token)

    @property
    def draft_prob(self) -> float:
        """The draft's joint probability of the beam, 0 to 1."""
        return self.draft.prob(self.parent, self.token)


UnderBoth = OfBoth | OfBeam
"""Of one guess, by the distributions of both models: ``target`` and ``draft``."""


def register(kind: type[Decision]) -> None:
    """Make a class of decisions known by its rule, as defining it does: files hold its decisions from then on. Raises
    TypeError for a class that is not as ``Decision`` says."""
    wrong = _wrong(kind)
    if wrong:
        raise TypeError(f"{kind.__module__}.{kind.__qualname__} {wrong}")
    _KINDS[kind.__dict__["rule"]] = kind


def forget(rule: str) -> None:
    """Unregister the class of a custom rule."""
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
    """Why a class cannot be a rule's, with how to fix it; "" if it can."""
    rule, bases = kind.__dict__.get("rule"), [base for base in kind.__mro__ if issubclass(base, Decision)]
    of_rules = [base for base in bases if "rule" in vars(base)]
    fields = {name for base in of_rules for name in get_annotations(base)}
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
    missing = [name for base in bases if base not in of_rules for name in base.needs if name not in fields]
    if missing:
        return f"lacks what its kind has: add the fields {', '.join(dict.fromkeys(missing))}"
    if unsaid := without_range(kind):
        return f"does not say what its numbers may be: give {', '.join(unsaid)} a type of trace/ranges.py ({RANGES})"
    if not callable(getattr(kind, "show", None)):
        return "cannot be shown: write show(self, moment), which returns Shown (pictures/shown.py)"
    return ""


class _ByRule:
    """The type of a decision in a file: that of the classes known when the file is read or written."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return handler.generate_schema(Annotated[Union[known_kinds()], Field(discriminator="rule")])  # noqa: UP007


AnyDecision = Annotated[Decision, _ByRule()]
