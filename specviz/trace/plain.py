"""Python's own numbers: those of drafters and verifiers may be numpy's or torch's, which JSON cannot represent."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from operator import index
from types import NoneType, UnionType
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from specviz.errors import SpecvizError, as_given
from specviz.trace.distribution import Distribution, JointDistribution

T = TypeVar("T")
_WORDS = {bool: "true or false", int: "a whole number", float: "a number"}


class _Field(NamedTuple):
    """A field that holds a number, or ``several`` in a tuple; ``optional``: or None."""

    name: str
    kind: type
    optional: bool
    several: bool


def as_number(value: Any, kind: type, what: str) -> Any:
    """``value`` as a bool, an int or a float (``kind``). Raises SpecvizError that names ``what`` for what is none."""
    if type(value) is kind:
        return value
    try:
        held = value.item() if hasattr(value, "item") else value
        if isinstance(held, bool) or kind is not bool and not isinstance(held, str):
            return index(held) if kind is int else kind(held)
    except (TypeError, ValueError, RuntimeError):
        pass
    raise SpecvizError(f"{what} must be {_WORDS[kind]}, got {as_given(value)}")


def as_numbers(values: Iterable[Any], kind: type, what: str) -> tuple[Any, ...]:
    """Each of the ``values`` as ``as_number`` has it."""
    return tuple(as_number(value, kind, f"{what}[{at}]") for at, value in enumerate(values))


def plain(thing: T) -> T:
    """A dataclass of the trace with Python's own numbers. Raises SpecvizError that names its field for one that holds
    none, such as ``Coin.acceptance_probability``."""
    changed = {}
    for name, kind, optional, several in _numbers_of(type(thing)):
        value = getattr(thing, name)
        if type(value) is kind or (value is None and optional and not several):
            continue
        what = f"{type(thing).__name__}.{name}"
        if not several:
            changed[name] = as_number(value, kind, what)
        elif type(value) is not tuple or not all(type(item) is kind or item is None for item in value):
            items = [as_number(value, kind, what)] if value is None else value  # None is not a number
            numbers = (number if number is None and optional else as_number(number, kind, what) for number in items)
            changed[name] = tuple(numbers)
    return replace(thing, **changed) if changed else thing  # type: ignore[type-var]


@cache
def _numbers_of(kind: type) -> tuple[_Field, ...]:
    fields = []
    for name, hint in get_type_hints(kind).items():
        several = get_origin(hint) is tuple
        item = get_args(hint)[0] if several else hint
        kinds = get_args(item) if get_origin(item) in (Union, UnionType) else (item,)
        number_type = next((number_type for number_type in _WORDS if number_type in kinds), None)
        if number_type is not None:
            fields.append(_Field(name, number_type, NoneType in kinds, several))
    return tuple(fields)


def strange(value: Any, path: str = "") -> Iterator[str]:
    """The fields of a trace that JSON cannot represent, each as a path with its value."""
    if isinstance(value, Distribution | JointDistribution) or type(value) in (NoneType, bool, int, float, str):
        return
    if is_dataclass(value):
        parts = ((f"{path}.{field.name}", getattr(value, field.name)) for field in fields(value))
    elif isinstance(value, dict):
        parts = ((f"{path}[{key}]", item) for key, item in value.items())
    elif isinstance(value, tuple | list):
        parts = ((f"{path}[{at}]", item) for at, item in enumerate(value))
    else:
        yield f"{path.lstrip('.')} is {as_given(value)}, a {type(value).__name__}"
        return
    for where, part in parts:
        yield from strange(part, where)
