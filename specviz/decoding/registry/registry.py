"""The registry of drafters, verifiers and methods: by name, in the order registered."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager

from specviz.decoding.registry.method import Method
from specviz.decoding.registry.parts import DRAFTERS, VERIFIERS, add, find
from specviz.decoding.registry.specs import DrafterSpec
from specviz.rules.spec import VerifierSpec

_METHODS: dict[str, Method] = {}
BUILT_IN: list[DrafterSpec | VerifierSpec | Method] = []
"""What the package itself registers (``registry/__init__.py``)."""


def register_method(method: Method) -> Method:
    """Make a method known by its name, everywhere. Raises OptionError where the name is taken."""
    return add(_METHODS, "method", method)


def unregister(name: str) -> None:
    """Forget a drafter, a verifier and a method of this name."""
    for known in (DRAFTERS, VERIFIERS, _METHODS):
        known.pop(name, None)


@contextmanager
def all_or_nothing() -> Generator[None]:
    """What is registered in here is forgotten where it ends by an error."""
    registries = (DRAFTERS, VERIFIERS, _METHODS)
    before = [dict(known) for known in registries]
    try:
        yield
    except BaseException:
        for known, earlier in zip(registries, before, strict=True):
            for name in known.keys() - earlier.keys():
                del known[name]
        raise


def entries() -> tuple[DrafterSpec | VerifierSpec | Method, ...]:
    """All that is registered."""
    return (*DRAFTERS.values(), *VERIFIERS.values(), *_METHODS.values())


def own_entries() -> tuple[DrafterSpec | VerifierSpec | Method, ...]:
    """What is registered besides the built-in drafters, verifiers and methods."""
    return tuple(entry for entry in entries() if not any(entry is known for known in BUILT_IN))


def register_missing(missing: Iterable[DrafterSpec | VerifierSpec | Method]) -> None:
    """Make known what is not known by its name: in a new process, the ``own_entries`` of another one."""
    for entry in missing:
        if isinstance(entry, DrafterSpec):
            DRAFTERS.setdefault(entry.name, entry)
        elif isinstance(entry, VerifierSpec):
            VERIFIERS.setdefault(entry.name, entry)
        else:
            _METHODS.setdefault(entry.name, entry)


def methods() -> dict[str, Method]:
    """Every method by name."""
    return dict(_METHODS)


def find_method(method: str | Method) -> Method:
    """The method called so; a Method stands for itself. Raises OptionError listing the names there are."""
    return method if isinstance(method, Method) else find(_METHODS, "method", method)
