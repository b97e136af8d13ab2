"""What a drafter says about itself, once, and which drafters and verifiers go together; what a verifier says is in
``rules/spec.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from specviz.decoding.context import DecodeContext
from specviz.drafting.drafter import Drafter
from specviz.errors import OptionError
from specviz.options import SHARED, Option, Options
from specviz.rules.spec import DraftShape, VerifierSpec
from specviz.trace.forest import Drawing


def independent(options: Options) -> Drawing:
    """Siblings are drawn independently of each other, whatever the options."""
    return "independent"


@dataclass(frozen=True)
class DrafterSpec:
    """A drafter: ``build`` makes one for a run from the context and the resolved options.

    ``about`` describes its drafts in a few words, ``shape`` says what they look like: one ``chain``, a ``tree``, a
    ``fork`` (roots from the target, a chain below each), ``layers`` of beams, or ``nothing``. ``drawing`` says how
    siblings are drawn, at resolved options; a way of drawing that is not among ``DRAWINGS`` is its own, and a step
    drafted so is replayed with the probabilities that were recorded, or not at all. ``uses`` is what drafts: the draft
    ``model``, the prediction ``heads``, or ``nothing``. ``carries``: more than the text goes from one iteration to the
    next. ``free``: it may be chosen in free pairings, with every verifier that judges its shape, and these of its
    options are offered there (True: all of them).
    """

    name: str
    about: str
    build: Callable[[DecodeContext, Options], Drafter] = field(repr=False)
    options: tuple[Option, ...] = ()
    shape: DraftShape = "chain"
    drawing: Callable[[Options], Drawing] = field(repr=False, default=independent)
    uses: Literal["model", "heads", "nothing"] = "model"
    carries: bool = False
    free: bool | tuple[str, ...] = True


TAKEN = ("pair", "method", "prompt", "max_new_tokens", "seed", "record", "template_arguments")
"""Arguments of ``decode``, which no option can be called like."""


def check_options(named: Iterable[tuple[str, Option]], otherwise: str = "") -> None:
    """Raises OptionError where an option, with the name of its drafter or verifier, is called like an argument of
    ``decode``, or like one before it or one that all methods share and means something else: it has another kind, range
    or choices. ``otherwise`` is what can be done besides giving it another name."""
    known = {option.name: ("all methods", option) for option in SHARED}
    for owner, option in named:
        if option.name in TAKEN:
            raise OptionError(
                f"option {option.name!r} of {owner!r} is called like an argument of decode: give it another name",
                argument="options",
            )
        before, other = known.setdefault(option.name, (repr(owner), option))
        if _meaning(option) != _meaning(other):
            raise OptionError(
                f"option {option.name!r} of {owner!r} must be {other.allowed}, as that of {before} is, "
                f"got {option.allowed}: give it another name{otherwise}",
                argument="options",
            )


def _meaning(option: Option) -> tuple[object, ...]:
    return option.kind, option.low, option.high, option.choices


def check_pair(drafter: DrafterSpec, verifier: VerifierSpec, options: Options) -> None:
    """Raises OptionError, with the reason, where the verifier cannot judge such drafts."""
    reason = verifier.refusal(drafter.shape, drafter.drawing(options), f"drafter {drafter.name!r}")
    if reason is not None:
        raise OptionError(reason, argument="verifier", code="incompatible")
