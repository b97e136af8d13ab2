"""Several traces and the screen they were seen on, in one file; and the reader of untrusted files.

A bundle is JSON: ``{"kind": "specviz bundle", "version": 1, "screen": {"view": "race", ...}, "traces": [...]}``. Every
trace in it is exactly what ``trace_to_json`` writes. ``screen`` are the parts of the page's address that do not name
the race itself: which page, lane, iteration and scene.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import to_json

from specviz.errors import TraceError, unfit
from specviz.trace.record import Trace
from specviz.trace.store import LIMIT, check_version, json_object, trace_from_parsed, trace_to_json

KIND = "specviz bundle"
VERSION = 1
MOST_TRACES = 4  # the lanes of a race
_NAME = re.compile(r"[a-z][a-z0-9._-]{0,30}")
_MOST_PARTS = 40
_LONGEST_PART = 1_000  # characters


@dataclass(frozen=True)
class Bundle:
    """Traces, one a lane, and the screen they were seen on (empty for a plain trace file)."""

    traces: tuple[Trace, ...]
    screen: Mapping[str, str] = field(default_factory=dict)


def bundle_to_json(traces: Sequence[Trace], screen: Mapping[str, str] | None = None) -> str:
    """A bundle of 1 to 4 traces as JSON. Raises TraceError for what ``read_file`` would refuse."""
    _count(len(traces))
    head = to_json({"kind": KIND, "version": VERSION, "screen": _screen(screen or {})}).decode()
    return f'{head[:-1]},"traces":[{",".join(trace_to_json(trace) for trace in traces)}]}}'


def read_file(text: str, *, limit: int = LIMIT) -> Bundle:
    """The bundle, or the one trace, in a file. All of it is checked before anything is returned.

    Raises TraceError saying why not: empty, more than ``limit`` bytes, not JSON, neither trace nor bundle, another
    version, more traces than a race has lanes, or a trace that ``trace_from_json`` refuses.
    """
    data = text.encode(errors="surrogatepass")
    if not data.strip():
        raise TraceError("the file is empty")
    if len(data) > limit:
        raise TraceError(f"the file has {len(data):,} bytes: at most {limit:,} are read", code="too_large")
    parsed = json_object(data, "a trace or a bundle")
    if "kind" not in parsed and "traces" not in parsed:
        return Bundle((trace_from_parsed(parsed, limit),))
    return _bundle(parsed, limit)


def _bundle(parsed: dict[str, Any], limit: int) -> Bundle:
    if parsed.get("kind") != KIND:
        raise TraceError(f"kind: a bundle says {KIND!r}, this file {str(parsed.get('kind'))[:40]!r}")
    check_version(parsed, VERSION, "bundle")
    unknown = set(parsed) - {"kind", "version", "screen", "traces"}
    if unknown:
        raise TraceError(f"{min(unknown)[:40]}: a bundle has no such field")
    traces = parsed.get("traces")
    if not isinstance(traces, list):
        raise TraceError(f"traces: a bundle has a list of traces, this file a {type(traces).__name__}")
    _count(len(traces))
    screen = _screen(parsed.get("screen", {}))
    return Bundle(tuple(_trace(number, trace, limit) for number, trace in enumerate(traces)), screen)


def _count(traces: int) -> None:
    if not 1 <= traces <= MOST_TRACES:
        raise TraceError(f"traces: a bundle has 1 to {MOST_TRACES} traces, this one {traces}")


def _trace(number: int, parsed: Any, limit: int) -> Trace:
    try:
        if not isinstance(parsed, dict):
            raise TraceError(f"this is not a trace: it is a {type(parsed).__name__}, and a trace is an object")
        return trace_from_parsed(parsed, limit)
    except TraceError as error:
        raise error.within(f"traces[{number}]: ") from None


def _screen(parts: Any) -> dict[str, str]:
    if not isinstance(parts, Mapping):
        raise TraceError(f"screen: must be an object of texts, not a {type(parts).__name__}")
    if len(parts) > _MOST_PARTS:
        raise TraceError(f"screen: has {len(parts)} parts, at most {_MOST_PARTS} are read")
    for name, text in parts.items():
        if not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise TraceError(f"screen: {str(name)[:40]!r} is no part of an address")
        if not (isinstance(text, str) and len(text) <= _LONGEST_PART and not unfit(text)):
            raise TraceError(f"screen.{name}: must be text of at most {_LONGEST_PART} characters")
    return dict(parts)
