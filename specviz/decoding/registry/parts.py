"""The drafters and verifiers that are known by their names, in the order registered."""

from typing import Protocol, TypeVar

from specviz.decoding.registry.specs import DrafterSpec, check_options
from specviz.errors import OptionError, as_given
from specviz.options import Option
from specviz.rules.spec import VerifierSpec


class Named(Protocol):
    """What is registered by its name."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)
DRAFTERS: dict[str, DrafterSpec] = {}
VERIFIERS: dict[str, VerifierSpec] = {}
IN_FREE_PAIRINGS = ", or leave it out of the options that free pairings offer (free=)"


def register_drafter(spec: DrafterSpec) -> DrafterSpec:
    """Make a drafter known by its name, everywhere. Raises OptionError where the name is taken, or an option is called
    like another one and has another kind, range or choices: one that all methods share, or one that free pairings
    offer. Then give it a name of its own, or leave it out of ``free``."""
    _check_options(spec)
    return add(DRAFTERS, "drafter", spec)


def register_verifier(spec: VerifierSpec) -> VerifierSpec:
    """Make a verifier known by its name, everywhere. Raises as ``register_drafter`` does."""
    _check_options(spec)
    return add(VERIFIERS, "verifier", spec)


def _check_options(spec: DrafterSpec | VerifierSpec) -> None:
    """One form offers the options of all free pairings, so a name means one thing there."""
    others = (other for other in (*free_drafters().values(), *free_verifiers().values()) if other is not spec)
    known = [(other.name, option) for other in others for option in free_options(other)]
    check_options([*known, *((spec.name, option) for option in free_options(spec))], IN_FREE_PAIRINGS)
    check_options([(spec.name, option) for option in spec.options])


def drafters() -> dict[str, DrafterSpec]:
    """Every drafter by name."""
    return dict(DRAFTERS)


def verifiers() -> dict[str, VerifierSpec]:
    """Every verifier by name."""
    return dict(VERIFIERS)


def free_drafters() -> dict[str, DrafterSpec]:
    """The drafters that free pairings may choose."""
    return {name: spec for name, spec in DRAFTERS.items() if spec.free is not False}


def free_verifiers() -> dict[str, VerifierSpec]:
    """The verifiers that free pairings may choose, and that judge a frozen forest."""
    return {name: spec for name, spec in VERIFIERS.items() if spec.free is not False}


def free_options(spec: DrafterSpec | VerifierSpec) -> tuple[Option, ...]:
    """The options of it that free pairings offer."""
    if isinstance(spec.free, bool):
        return spec.options if spec.free else ()
    return tuple(option for option in spec.options if option.name in spec.free)


def find_drafter(drafter: str | DrafterSpec) -> DrafterSpec:
    """The drafter called so; a spec stands for itself. Raises OptionError listing the names there are."""
    return drafter if isinstance(drafter, DrafterSpec) else find(DRAFTERS, "drafter", drafter)


def find_verifier(verifier: str | VerifierSpec) -> VerifierSpec:
    """The verifier called so; a spec stands for itself. Raises OptionError listing the names there are."""
    return verifier if isinstance(verifier, VerifierSpec) else find(VERIFIERS, "verifier", verifier)


def add(known: dict[str, T], kind: str, thing: T) -> T:
    """Make ``thing`` known by its name. Raises OptionError where that is another one's."""
    if known.get(thing.name, thing) is not thing:
        raise OptionError(f"{kind} {thing.name!r} is registered already", argument="name")
    known[thing.name] = thing
    return thing


def find(known: dict[str, T], kind: str, name: object) -> T:
    """What is known by its name. Raises OptionError listing the names there are."""
    if not isinstance(name, str) or name not in known:
        raise OptionError(
            f"{kind} must be one of {', '.join(known)}, got {as_given(name)}", argument=kind, code="unknown_name"
        )
    return known[name]
