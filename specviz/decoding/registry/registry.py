"""The registry of drafters, verifiers and methods: by name, in the order registered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from specviz.decoding.registry.specs import DrafterSpec, check_options
from specviz.errors import OptionError, as_given
from specviz.options import Option
from specviz.rules.spec import VerifierSpec

if TYPE_CHECKING:
    from specviz.decoding.registry.method import Method

Entry = TypeVar("Entry", "DrafterSpec", "VerifierSpec", "Method")
_DRAFTERS: dict[str, DrafterSpec] = {}
_VERIFIERS: dict[str, VerifierSpec] = {}
_METHODS: dict[str, Method] = {}
BUILT_IN: list[DrafterSpec | VerifierSpec | Method] = []
"""What the package itself registers (``registry/__init__.py``)."""
IN_FREE_PAIRINGS = ", or leave it out of the options that free pairings offer (free=)"


def register_drafter(spec: DrafterSpec) -> DrafterSpec:
    """Make a drafter known by its name, everywhere. Raises OptionError where the name is taken, or an option is called
    like another one and has another kind, range or choices: one that all methods share, or one that free pairings
    offer. Then give it a name of its own, or leave it out of ``free``."""
    return _register(_DRAFTERS, "drafter", spec)


def register_verifier(spec: VerifierSpec) -> VerifierSpec:
    """Make a verifier known by its name, everywhere. Raises as ``register_drafter`` does."""
    return _register(_VERIFIERS, "verifier", spec)


def register_method(method: Method) -> Method:
    """Make a method known by its name, everywhere. Raises OptionError where the name is taken."""
    return _register(_METHODS, "method", method)


def unregister(name: str) -> None:
    """Forget a drafter, a verifier and a method of this name."""
    for known in (_DRAFTERS, _VERIFIERS, _METHODS):
        known.pop(name, None)


def entries() -> tuple[DrafterSpec | VerifierSpec | Method, ...]:
    """All that is registered."""
    return (*_DRAFTERS.values(), *_VERIFIERS.values(), *_METHODS.values())


def own_entries() -> tuple[DrafterSpec | VerifierSpec | Method, ...]:
    """What is registered besides the built-in drafters, verifiers and methods."""
    return tuple(one for one in entries() if not any(one is known for known in BUILT_IN))


def register_missing(found: Iterable[DrafterSpec | VerifierSpec | Method]) -> None:
    """Make known what is not known by its name: in a new process, the ``own_entries`` of another one."""
    for one in found:
        if isinstance(one, DrafterSpec):
            _DRAFTERS.setdefault(one.name, one)
        elif isinstance(one, VerifierSpec):
            _VERIFIERS.setdefault(one.name, one)
        else:
            _METHODS.setdefault(one.name, one)


def _register(known: dict[str, Entry], kind: str, thing: Entry) -> Entry:
    if known.get(thing.name, thing) is not thing:
        raise OptionError(f"{kind} {thing.name!r} is registered already", argument="name")
    if isinstance(thing, DrafterSpec | VerifierSpec):
        _check_options(thing)
    known[thing.name] = thing
    return thing


def _check_options(spec: DrafterSpec | VerifierSpec) -> None:
    """One form offers the options of all free pairings, so a name means one thing there."""
    others = (other for other in (*free_drafters().values(), *free_verifiers().values()) if other is not spec)
    known = [(other.name, option) for other in others for option in free_options(other)]
    check_options([*known, *((spec.name, option) for option in free_options(spec))], IN_FREE_PAIRINGS)
    check_options([(spec.name, option) for option in spec.options])


def drafters() -> dict[str, DrafterSpec]:
    """Every drafter by name."""
    return dict(_DRAFTERS)


def verifiers() -> dict[str, VerifierSpec]:
    """Every verifier by name."""
    return dict(_VERIFIERS)


def methods() -> dict[str, Method]:
    """Every method by name."""
    return dict(_METHODS)


def free_drafters() -> dict[str, DrafterSpec]:
    """The drafters that free pairings may choose."""
    return {name: spec for name, spec in _DRAFTERS.items() if spec.free is not False}


def free_verifiers() -> dict[str, VerifierSpec]:
    """The verifiers that free pairings may choose, and that judge a frozen forest."""
    return {name: spec for name, spec in _VERIFIERS.items() if spec.free is not False}


def free_options(spec: DrafterSpec | VerifierSpec) -> tuple[Option, ...]:
    """The options of it that free pairings offer."""
    if isinstance(spec.free, bool):
        return spec.options if spec.free else ()
    return tuple(option for option in spec.options if option.name in spec.free)


def find_drafter(drafter: str | DrafterSpec) -> DrafterSpec:
    """The drafter called so; a spec stands for itself. Raises OptionError listing the names there are."""
    return drafter if isinstance(drafter, DrafterSpec) else _find(_DRAFTERS, "drafter", drafter)


def find_verifier(verifier: str | VerifierSpec) -> VerifierSpec:
    """The verifier called so; a spec stands for itself. Raises OptionError listing the names there are."""
    return verifier if isinstance(verifier, VerifierSpec) else _find(_VERIFIERS, "verifier", verifier)


def find_method(method: str | Method) -> Method:
    """The method called so; a Method stands for itself. Raises OptionError listing the names there are."""
    from specviz.decoding.registry.method import Method

    return method if isinstance(method, Method) else _find(_METHODS, "method", method)


def _find(known: dict[str, Entry], kind: str, name: object) -> Entry:
    if not isinstance(name, str) or name not in known:
        raise OptionError(
            f"{kind} must be one of {', '.join(known)}, got {as_given(name)}", argument=kind, code="unknown_name"
        )
    return known[name]
