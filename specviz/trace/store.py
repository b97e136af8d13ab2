"""Traces as files: versioned JSON that says exactly what the dataclasses of ``record.py`` say, every distribution once
(``table.py``).

Reading trusts nothing: the size is limited, types are strict, numbers finite, unknown fields refused, and what types
cannot say (parents come before their children, probabilities are probabilities, ...) is checked by ``check.py``. Every
refusal is a TraceError that names the field. Writing passes through the same door, so what is saved can be loaded.
"""

import json
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError, with_config
from pydantic_core import from_json, to_json

from specviz.errors import TraceError, as_given, unfit
from specviz.trace.check import first_problem
from specviz.trace.decisions import Decision, known_kinds
from specviz.trace.plain import strange
from specviz.trace.record import VERSION, Trace
from specviz.trace.table import LONGEST, STRICT, TableReader, TableWriter, entry_schema, settings_of

LIMIT = 64_000_000
"""Bytes that a trace file may have, unless the caller says otherwise."""


@cache
def _adapter_for(kinds: tuple[type[Decision], ...]) -> TypeAdapter[Trace]:
    return TypeAdapter(with_config(STRICT)(Trace))


def _adapter() -> TypeAdapter[Trace]:
    """Reads and writes traces with decisions of the rules that are known now."""
    return _adapter_for(known_kinds())


def trace_to_json(trace: Trace) -> str:
    """The trace as JSON, one line: fields that are as usual are left out, and every distribution stands once, under
    ``distributions``. Raises TraceError, naming the field, for a trace that could not be read back."""
    text = _written(trace)
    trace_from_json(text, limit=max(LIMIT, len(text) * 4))
    return text


def _written(trace: Trace) -> str:
    table = TableWriter(settings_of(trace.header.options))
    parsed: dict[str, Any] = {}
    try:
        parsed = _adapter().dump_python(trace, mode="json", exclude_defaults=True, warnings="error", context=table)
        parsed["version"] = trace.version  # always written, default or not
        for plain, iteration in zip(parsed["iterations"], trace.iterations, strict=True):
            for written, decision in zip(plain["decisions"], iteration.decisions, strict=True):
                written["rule"] = decision.rule
        _share_beams(parsed["iterations"])
        parsed["distributions"] = table.entries
        return to_json(parsed, inf_nan_mode="constants").decode()
    except ValueError as error:
        problem = unfit(parsed) or next(strange(trace), None)
        message = problem or next(line for line in str(error).split("\n") if "warnings:" not in line)
        raise TraceError(f"the trace cannot be written as JSON: {message.strip()}") from None


def trace_size(trace: Trace) -> int:
    """Bytes of the trace as a file; its objects take three to twelve times as much memory."""
    return len(_written(trace).encode())


def trace_from_json(text: str | bytes, *, limit: int = LIMIT) -> Trace:
    """The trace that ``trace_to_json`` wrote, equal in every field.

    Raises TraceError, naming the field, for anything else: more than ``limit`` bytes, not JSON, not a trace, another
    version, a wrong type, a number that is not finite, or fields that contradict each other.
    """
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    if len(data) > limit:
        raise TraceError(f"the trace has {len(data)} bytes: at most {limit} are read", code="too_large")
    return trace_from_parsed(json_object(data, "a trace"), limit)


def trace_from_parsed(parsed: dict[str, Any], limit: int = LIMIT) -> Trace:
    """The trace of a parsed file (which this takes apart); raises as ``trace_from_json`` does."""
    check_version(parsed, VERSION, "trace")
    vocabulary = parsed.get("vocabulary")
    known = {int(key) for key in vocabulary if _is_token(key)} if isinstance(vocabulary, dict) else set()
    _spread_beams(parsed.get("iterations"))
    header = parsed.get("header")
    warp = settings_of(header.get("options") if isinstance(header, dict) else None)
    most = limit // 8  # numbers that could be written out within the limit
    table = TableReader(parsed.pop("distributions", None), known, most, warp)
    try:
        trace = _adapter().validate_json(to_json(parsed, inf_nan_mode="constants"), context=table)
    except ValidationError as error:
        raise TraceError(_describe(error)[:LONGEST]) from None
    except ValueError as error:  # half of a surrogate pair
        raise TraceError(_first_line(error)[:LONGEST]) from None
    problem = unfit(parsed) or first_problem(trace)
    if problem:
        raise TraceError(problem[:LONGEST])
    return trace


def _share_beams(iterations: list[dict[str, Any]]) -> None:
    """Leave out the beams that an iteration begins with where the one before ended with the same."""
    for before, iteration in reversed(list(zip(iterations, iterations[1:], strict=False))):
        if before.get("beams"):
            if iteration.get("inputs") == before["beams"]:
                del iteration["inputs"]
            else:
                iteration.setdefault("inputs", [])


def _spread_beams(iterations: Any) -> None:
    """Put back the beams that were left out. Anything that is not a trace is refused later."""
    known = iterations if isinstance(iterations, list) else []
    for before, iteration in zip(known, known[1:], strict=False):
        if isinstance(before, dict) and isinstance(iteration, dict) and before.get("beams"):
            iteration.setdefault("inputs", before["beams"])


def _is_token(key: Any) -> bool:
    return isinstance(key, str) and key.isascii() and key.isdecimal() and len(key) < 10


def save_trace(trace: Trace, path: str | Path) -> None:
    """Write the trace to ``path`` as JSON, which ``load_trace`` reads. The file appears whole or not at all: an older
    one stays until then. Raises TraceError for a trace that could not be read back, or a place that cannot be written.
    """
    path = Path(os.path.expanduser(path))
    text = trace_to_json(trace)
    try:
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise TraceError(f"{path} cannot be written ({error.strerror})") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(scratch, 0o666 & ~_umask())
        os.replace(scratch, path)
    except OSError as error:
        raise TraceError(f"{path} cannot be written ({error.strerror})") from None
    finally:
        Path(scratch).unlink(missing_ok=True)


def load_trace(path: str | Path, *, limit: int | None = None) -> Trace:
    """Read a trace written by ``save_trace``, of any size unless a ``limit`` in bytes is given. Raises TraceError
    naming the file and the field (``trace_from_json``)."""
    path = Path(os.path.expanduser(path))
    try:
        with open(path, "rb") as file:
            data = file.read() if limit is None else file.read(limit + 1)
    except OSError as error:
        raise TraceError(f"{path} cannot be read ({error.strerror})") from None
    if limit is not None and len(data) > limit:
        raise TraceError(f"{path}: the file has more than {limit} bytes, which is all that is read", code="too_large")
    try:
        return trace_from_json(data, limit=max(limit or LIMIT, len(data)))
    except TraceError as error:
        raise error.within(f"{path}: ") from None


def trace_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of the current version."""
    schema = _adapter().json_schema()
    entries, definitions = entry_schema()
    schema["$defs"] |= definitions
    schema["properties"]["distributions"] = {"type": "array", "items": entries}
    schema["required"] = [*schema["required"], "distributions"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": f"specviz trace, version {VERSION}",
    }


def json_object(data: bytes, what: str) -> dict[str, Any]:
    """The object in a file. Raises TraceError for what is not JSON, or not an object: then it is not ``what``."""
    try:
        parsed = from_json(data)
    except ValueError as error:
        raise TraceError(_half_character(data) or f"the file is not JSON: {_first_line(error)}") from None
    if not isinstance(parsed, dict):
        raise TraceError(f"this is not {what}: the file holds a {type(parsed).__name__}, and {what} is an object")
    return parsed


def check_version(parsed: dict[str, Any], known: int, what: str) -> None:
    """Raises TraceError where a file is not ``what`` of the ``known`` version: which one it is, and what helps."""
    version = parsed.get("version")
    whole = type(version) is int
    if whole and version == known:
        return
    says = f"is version {as_given(version, 40)}" if "version" in parsed else "has no version"
    helps = "open it with a newer specviz" if whole and version > known else "record it again"
    raise TraceError(f"version: this {what} {says}, and this specviz reads version {known}: {helps}")


def _half_character(data: bytes) -> str:
    """Where the JSON contains half a surrogate pair, which Python reads and other parsers refuse; else empty."""
    try:
        return unfit(json.loads(data.decode(errors="surrogatepass")))[:LONGEST]
    except (ValueError, RecursionError):
        return ""


def _describe(error: ValidationError) -> str:
    """One line for the first wrong field: ``iterations[3].decisions[0].uniform: input should be a number``."""
    first = error.errors(include_url=False, include_context=False)[0]
    path = _path(first["loc"])
    shown = repr(first["input"])
    shown = shown if len(shown) <= 40 else shown[:37] + "..."
    got = "" if first["type"] in ("missing", "unexpected_keyword_argument") else f", not {shown}"
    said = first["msg"].removeprefix("Value error, ")
    return f"{path}: {said[0].lower()}{said[1:]}{got}"


def _path(location: tuple[int | str, ...]) -> str:
    """``iterations[3].decisions[0].uniform``, without the names that unions add to a location."""
    if location[:2] == ("header", "options"):
        location = location[:3]
    text, rules = "", [kind.rule for kind in known_kinds()]
    for i, part in enumerate(location):
        if part in rules and i >= 2 and location[i - 2] == "decisions" and isinstance(location[i - 1], int):
            continue
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.lstrip(".")


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
