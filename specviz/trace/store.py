"""Traces as files: versioned JSON that says exactly what the dataclasses of ``record.py`` say.

Reading trusts nothing: the size is limited, types are strict, numbers finite, unknown fields refused, and what types
cannot say (parents come before their children, probabilities are probabilities, ...) is checked by ``check.py``. Every
refusal is a TraceError that names the field. Writing passes through the same door, so what is saved can be loaded.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from pydantic_core import from_json, to_json

from specviz.errors import TraceError
from specviz.trace.check import first_problem
from specviz.trace.decisions import Decision
from specviz.trace.record import VERSION, Trace
from specviz.trace.shared import shared, spell_out, with_numbers

LIMIT = 64_000_000
"""Bytes that a trace file may have, unless the caller says otherwise."""


def _from_1(parsed: dict[str, Any]) -> dict[str, Any]:
    """Version 2 says where a drawn token stands: ``DrawDecision.after`` is the node kept at the depth before. Whatever
    else is new has a default."""
    for iteration in parsed["iterations"]:
        decisions = iteration["decisions"]
        for draw in (one for one in decisions if one["rule"] == "draw"):
            kept = (one for one in decisions if one.get("accepted") or one.get("kept"))
            draw["after"] = next((one["node"] for one in kept if one["depth"] == draw["depth"] - 1), -1)
    return parsed


def _from_2(parsed: dict[str, Any]) -> dict[str, Any]:
    """Version 3 names all end tokens. The unwarped laws that it adds cannot be made up: they stay empty, and whoever
    judges a step anew says that they are missing."""
    header = parsed["header"]
    header["end_tokens"] = [] if header["end_token"] is None else [header["end_token"]]
    return parsed


MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _from_1, 2: _from_2}
"""How an older file becomes one version younger: its version -> a function of the parsed JSON, before any check. A file
that a migration cannot read (KeyError, TypeError, AttributeError, IndexError) is refused."""

_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="constants")
_ADAPTER = TypeAdapter(with_config(_STRICT)(Trace))
_RULES = tuple(kind.__dataclass_fields__["rule"].default for kind in get_args(get_args(Decision)[0]))


def trace_to_json(trace: Trace) -> str:
    """The trace as JSON, one line: fields that are as usual are left out, and a distribution that stands in an
    iteration already is written as its number there (``shared.py``). Raises TraceError, naming the field, for a trace
    that could not be read back."""
    try:
        parsed = _ADAPTER.dump_python(trace, mode="json", exclude_defaults=True, warnings="error")
        _name_rules(parsed, trace)
        text = to_json(shared(parsed), inf_nan_mode="constants").decode()
    except ValueError as error:
        raise TraceError(f"the trace cannot be written as JSON: {_first_line(error)}") from None
    trace_from_json(text, limit=len(text) * 4)
    return text


def _name_rules(parsed: dict[str, Any], trace: Trace) -> None:
    """What is always written, default or not: the version, and the rule of every decision."""
    parsed["version"] = trace.version
    for plain, iteration in zip(parsed["iterations"], trace.iterations, strict=True):
        for one, decision in zip(plain["decisions"], iteration.decisions, strict=True):
            one["rule"] = decision.rule


def trace_from_json(text: str | bytes, *, limit: int = LIMIT) -> Trace:
    """The trace that ``trace_to_json`` wrote, equal in every field; an older version is migrated on the way.

    Raises TraceError, naming the field, for anything else: more than ``limit`` bytes, not JSON, not a trace, a version
    newer than ours or too old, a wrong type, a number that is not finite, or fields that contradict each other.
    """
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    if len(data) > limit:
        raise TraceError(f"the trace has {len(data)} bytes: at most {limit} are read")
    version, parsed = _version(data)
    if version != VERSION:
        data = to_json(_migrate(parsed, version), inf_nan_mode="constants")
    elif spell_out(parsed, limit // 8):  # that many tokens could be written out within the limit
        data = to_json(parsed, inf_nan_mode="constants")
    try:
        trace = _ADAPTER.validate_json(data)
    except ValidationError as error:
        raise TraceError(_describe(error)) from None
    problem = first_problem(trace)
    if problem is not None:
        raise TraceError(problem)
    return trace


def save_trace(trace: Trace, path: str | Path) -> None:
    """Write the trace to ``path`` as JSON. The file appears whole or not at all: an older one stays until then."""
    path = Path(path)
    text = trace_to_json(trace)
    try:
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise TraceError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(scratch, 0o666 & ~_umask())
        os.replace(scratch, path)
    except OSError as error:
        raise TraceError(f"{path}: cannot be written ({error.strerror})") from None
    finally:
        Path(scratch).unlink(missing_ok=True)


def load_trace(path: str | Path, *, limit: int | None = None) -> Trace:
    """Read a trace written by ``save_trace``, of any size unless a ``limit`` in bytes is given. Raises TraceError
    naming the file and the field (``trace_from_json``)."""
    try:
        with open(path, "rb") as file:
            data = file.read() if limit is None else file.read(limit + 1)
    except OSError as error:
        raise TraceError(f"{path}: cannot be read ({error.strerror})") from None
    if limit is not None and len(data) > limit:
        raise TraceError(f"{path}: the file has more than {limit} bytes, which is all that is read")
    try:
        return trace_from_json(data, limit=len(data))
    except TraceError as error:
        raise TraceError(f"{path}: {error}") from None


def trace_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of the current version."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **with_numbers(_ADAPTER.json_schema()),
        "title": f"specviz trace, version {VERSION}",
    }


def json_object(data: bytes, what: str) -> dict[str, Any]:
    """The object in a file. Raises TraceError for what is not JSON, or not an object: then it is not ``what``."""
    try:
        parsed = from_json(data)
    except ValueError as error:
        raise TraceError(f"not JSON: {_first_line(error)}") from None
    if not isinstance(parsed, dict):
        raise TraceError(f"not {what}: the file holds a {type(parsed).__name__}, {what} is an object")
    return parsed


def _version(data: bytes) -> tuple[int, dict[str, Any]]:
    parsed = json_object(data, "a trace")
    version = parsed.get("version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise TraceError(f"version: a trace carries a whole number from 1 to {VERSION}, this file {version!r:.40}")
    return version, parsed


def _migrate(parsed: dict[str, Any], version: int) -> dict[str, Any]:
    if version > VERSION:
        raise TraceError(f"version: this trace is version {version}, this specviz reads up to {VERSION}: please update")
    while version < VERSION:
        if version not in MIGRATIONS:
            raise TraceError(f"version: this trace is version {version}, which can no longer be read")
        try:
            parsed = MIGRATIONS[version](parsed)
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise TraceError(
                f"not a trace: this file of version {version} cannot be read ({type(error).__name__}: {error})"
            ) from None
        version += 1
        parsed["version"] = version
    return parsed


def _describe(error: ValidationError) -> str:
    """One line for the first wrong field: ``iterations[3].decisions[0].chance: input should be a valid number ...``."""
    first = error.errors(include_url=False, include_context=False)[0]
    place = _path(first["loc"])
    shown = repr(first["input"])
    shown = shown if len(shown) <= 40 else shown[:37] + "..."
    got = "" if first["type"] in ("missing", "unexpected_keyword_argument") else f", not {shown}"
    return f"{place}: {first['msg'][0].lower()}{first['msg'][1:]}{got}"


def _path(location: tuple[int | str, ...]) -> str:
    """``iterations[3].decisions[0].chance``, without the names that unions add to a location."""
    if location[:2] == ("header", "options"):
        location = location[:3]
    text = ""
    for i, part in enumerate(location):
        if part in _RULES and i >= 2 and location[i - 2] == "decisions" and isinstance(location[i - 1], int):
            continue
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.lstrip(".")


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
