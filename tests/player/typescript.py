"""The scripts' types from Python's: ``python -m tests.player.typescript`` writes assets/player/src/payload.d.ts."""

from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from inspect import getdoc
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, is_typeddict

from specviz.assets import ASSETS
from specviz.pictures import shapes
from specviz.pictures.data import KIND
from specviz.ui.messages import forest, header, lab, library, microscope, race, rooms, sweeps
from specviz.views.race import race_types
from specviz.views.story import payload_types

FILE = ASSETS / "player" / "src" / "payload.d.ts"
MODULES = (shapes, payload_types, race_types, header, race, microscope, forest, lab, library, rooms, sweeps)
_HEAD = "/* Made from Python's types by `python -m tests.player.typescript`: change those, not this. */\n"
_PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", Any: "any"}


def typescript() -> str:
    """The declarations of all TypedDicts, dataclasses and aliases of MODULES, in order."""
    return "\n".join([_HEAD, *(line for module in MODULES for line in _declarations(module))])


def _declarations(module: ModuleType) -> Iterator[str]:
    for name, value in vars(module).items():
        if _is_record(value) and value.__module__ == module.__name__:
            yield _interface(value)
        elif not name.startswith("_") and name[0].isupper() and get_origin(value) in (dict, Union, UnionType, Literal):
            yield f"export type {name} = {_type(value)};\n"


def _is_record(value: Any) -> bool:
    return is_typeddict(value) or is_dataclass(value)


def _interface(kind: Any) -> str:
    lines = [f"/** {getdoc(kind)} */", f"export interface {kind.__name__} {{"]
    given = {one.name for one in fields(kind) if one.default is not MISSING} - {KIND} if is_dataclass(kind) else set()
    for field, hint in kind.__annotations__.items():
        unneeded = get_origin(hint) is NotRequired
        optional = "?" if unneeded or field in given else ""
        lines.append(f"  {field}{optional}: {_type(get_args(hint)[0] if unneeded else hint)};")
    return "\n".join([*lines, "}\n"])


def _type(hint: Any) -> str:
    """A Python type as TypeScript. Raises TypeError for one that no payload has."""
    origin, arguments = get_origin(hint), get_args(hint)
    if _is_record(hint):
        return hint.__name__
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is Literal:
        return " | ".join(f"'{value}'" for value in arguments)
    if origin in (Union, UnionType):
        return " | ".join(_type(one) for one in arguments)
    if origin is tuple and arguments[-1] is Ellipsis:
        return _type(list[arguments[0]])
    if origin is tuple:
        return f"[{', '.join(_type(one) for one in arguments)}]"
    if origin is list:
        inner = _type(arguments[0])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if origin is dict and arguments[0] is str:
        return f"Record<string, {_type(arguments[1])}>"
    raise TypeError(f"no payload has a {hint!r}")


def write(file: Path = FILE) -> None:
    """Write the declarations."""
    file.write_text(typescript(), encoding="utf-8")


if __name__ == "__main__":
    write()
