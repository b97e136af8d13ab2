"""What a method is: a drafter and a verifier by name, with defaults, a citation and texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from specviz.decoding.registry import parts
from specviz.decoding.registry.specs import DrafterSpec, check_options, check_pair
from specviz.lm.warp import Warp
from specviz.options import SHARED, Option, Options, Value, resolve
from specviz.rules.spec import WARPS, VerifierSpec
from specviz.trace.record import Guarantee, MethodRecord

FAMILIES = {
    "target": "The target alone",
    "chain": "One drafted chain, judged by coins",
    "candidates": "Several candidates, judged by coins",
    "threshold": "A threshold in place of coins",
    "beams": "Several beams, drafted",
    "heads": "Prediction heads in place of a draft model",
    "own": "Your own",
}
"""What kinds of methods there are, in the order they are shown: a method's ``family`` and its heading."""


@dataclass(frozen=True)
class Method:
    """A drafter and a verifier under one name: registered ones by their names, or specs of one's own.

    ``shows`` are the options offered, in order, by name or as an Option that stands in for the one of that name
    (default: all of the drafter's, then the verifier's); ``defaults`` are other defaults, of options not shown too.
    ``acceptance`` is an option whose value names the verifier, where a method has more than one.
    ``family`` is one of ``FAMILIES``, ``paper`` the citation, ``summary`` a sentence or two; ``texts`` explain the
    method by phase (rule, draft, verify, accept, reject, finish). ``distance`` is, for a method that is lossy at its
    defaults, the total variation from the target's distribution on the reference model (``exact/distance.py``), once
    measured.

    What the output is distributed as (``guarantee``) follows from the pair. Raises ValueError for an unknown family,
    OptionError for a drafter or verifier that is not registered, a pair that does not fit, or an option of theirs that
    is called like another one and means something else.
    """

    name: str
    drafter: str | DrafterSpec
    verifier: str | VerifierSpec
    title: str = ""
    family: str = "own"
    paper: str = ""
    summary: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    shows: tuple[str | Option, ...] | None = None
    defaults: Mapping[str, Value] = field(default_factory=dict)
    acceptance: Option | None = None
    distance: float | None = None

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise ValueError(f"family must be one of {', '.join(FAMILIES)}, got {self.family!r}")
        object.__setattr__(self, "title", self.title or self.name)
        check_options((spec.name, option) for spec in self.pair({}) for option in spec.options)
        check_pair(*self.pair({}), self.full(self.resolve()))

    def pair(self, options: Mapping[str, Any]) -> tuple[DrafterSpec, VerifierSpec]:
        """The drafter and the verifier, at (resolved) options."""
        verifier = self.verifier
        if self.acceptance is not None:
            verifier = options.get(self.acceptance.name, self.acceptance.default)
        return parts.find_drafter(self.drafter), parts.find_verifier(verifier)

    @property
    def own_options(self) -> tuple[Option, ...]:
        """The options offered, without those that all methods share."""
        drafter, verifier = self.pair({})
        known = {option.name: option for option in (*drafter.options, *verifier.options)}
        shown = (
            known[option] if isinstance(option, str) else option
            for option in (known if self.shows is None else self.shows)
        )
        shown = [
            replace(option, default=self.defaults[option.name]) if option.name in self.defaults else option
            for option in shown
        ]
        return (*shown, *([] if self.acceptance is None else [self.acceptance]))

    @property
    def options(self) -> dict[str, Option]:
        """Own options first, then those that all methods share."""
        return {option.name: option for option in (*self.own_options, *SHARED)}

    def resolve(self, /, **options: Value) -> Options:
        """Every option, defaults filled in. Raises OptionError naming the option, the value and the allowed range."""
        return resolve(tuple(self.options.values()), options, f"method {self.name!r}")

    def full(self, options: Options) -> Options:
        """Resolved options with those that are not shown: what drafters and verifiers are built from."""
        hidden = {option.name: option.default for spec in self.pair(options) for option in spec.options}
        return hidden | dict(self.defaults) | options

    @property
    def guarantee(self) -> Guarantee:
        """What the output is distributed as, at the default options."""
        return self.guarantee_for()

    def guarantee_for(self, /, **options: Value) -> Guarantee:
        """``target``, ``greedy``, ``beam``, ``beam search`` or ``lossy`` at the given options."""
        return self.guarantee_of(self.resolve(**options))

    def guarantee_of(self, options: Options) -> Guarantee:
        """The same at resolved options. Raises OptionError for a pair that does not fit."""
        (drafter, verifier), options = self.pair(options), self.full(options)
        check_pair(drafter, verifier, options)
        return verifier.guarantee_for(options, drafter.drawing(options))

    def target_warp(self, options: Options) -> Warp:
        """The warp of the target's distributions, at resolved options."""
        return self.pair(options)[1].target_warp(self.full(options))

    def always_greedy(self, options: Options) -> bool:
        """Whether it decodes greedily whatever the temperature, at (otherwise) resolved options."""
        return self.target_warp({**options, "temperature": 1.0}).greedy

    def changeable(self, options: Options) -> tuple[str, ...]:
        """The options offered that the verdict on a given draft depends on, at resolved options."""
        names = self.pair(options)[1].changeable_for(self.full(options))
        chosen = () if self.acceptance is None else (self.acceptance.name,)
        return (*chosen, *(name for name in names if name in self.options))

    @property
    def carries(self) -> bool:
        """Whether more than the text goes from one iteration to the next."""
        return any(spec.carries for spec in self.pair({}))

    @property
    def uses(self) -> str:
        """What drafts: ``model``, ``heads`` or ``nothing``."""
        return self.pair({})[0].uses

    def record(self, options: Options) -> MethodRecord:
        """What a trace says about the method."""
        guarantee = self.guarantee_of(options)
        drafter, verifier = self.pair(options)
        return MethodRecord(
            self.name,
            self.title,
            self.paper,
            guarantee,
            self.summary,
            dict(self.texts),
            drafter.name,
            verifier.name,
            self.distance if guarantee == "lossy" else None,
            self.always_greedy(options),
        )


class FreePairing(Method):
    """Any drafter with any verifier that can judge its drafts, chosen by the options ``drafter`` and ``verifier``.
    Offered are the options of all of them, each used by those that have it."""

    def pair(self, options: Mapping[str, Any]) -> tuple[DrafterSpec, VerifierSpec]:
        drafter = options.get("drafter", self.drafter)
        return parts.find_drafter(drafter), parts.find_verifier(options.get("verifier", self.verifier))

    @property
    def own_options(self) -> tuple[Option, ...]:
        drafters, verifiers = parts.free_drafters(), parts.free_verifiers()
        drafter, verifier = self.pair({})
        choices = (
            Option("drafter", "choice", drafter.name, f"Who drafts. {_listed(drafters)}.", choices=tuple(drafters)),
            Option("verifier", "choice", verifier.name, f"Who judges. {_listed(verifiers)}.", choices=tuple(verifiers)),
        )
        merged: dict[str, Option] = {}
        for spec in (*drafters.values(), *verifiers.values()):
            for option in parts.free_options(spec):
                first = merged.get(option.name, option)
                merged[option.name] = replace(first, used_by=(*first.used_by, spec.name))
        return (*choices, *merged.values())

    def full(self, options: Options) -> Options:
        specs = self.pair(options)
        offered = {option.name for spec in specs for option in parts.free_options(spec)} | {*WARPS}
        hidden = {option.name: option.default for spec in specs for option in spec.options}
        return hidden | {name: value for name, value in options.items() if name in offered}


def _listed(specs: Mapping[str, DrafterSpec | VerifierSpec]) -> str:
    return "; ".join(f"{name}: {spec.about}" for name, spec in specs.items())
