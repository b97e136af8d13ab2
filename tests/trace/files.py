"""What the tests of files share: samples, how to damage them, and whether two traces are the same to the last field."""

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from specviz.trace.distribution import Distribution, JointDistribution
from specviz.trace.record import Trace
from specviz.trace.store import trace_to_json
from tests.beam_traces import BEAM_TRACES
from tests.rule_traces import RULE_TRACES
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

PLAIN = [autoregressive_trace, speculative_trace, mtad_trace]
SAMPLES = [*PLAIN, *RULE_TRACES.values(), *BEAM_TRACES.values()]


def difference(one: Any, other: Any, path: str = "trace") -> str | None:
    """The first field in which two traces differ: in value or in type (1 is not 1.0, a list no tuple, float32 not
    float64), and in what a distribution was derived from; None for the same."""
    if type(one) is not type(other):
        return f"{path}: {type(one).__name__} {type(other).__name__}"
    if isinstance(one, Distribution | JointDistribution):
        names = [name.removeprefix("_") for name in type(one).__slots__ if name != "call"]
        return _first((f"{path}.{name}", getattr(one, name), getattr(other, name)) for name in sorted(names))
    if is_dataclass(one):
        return _first((f"{path}.{f.name}", getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, np.ndarray):
        same = one.dtype == other.dtype and one.tobytes() == other.tobytes()
        return None if same else f"{path}: {one!r} {other!r}"
    if isinstance(one, dict):
        same = None if list(one) == list(other) else f"{path}: {list(one)} {list(other)}"
        return same or _first((f"{path}[{key!r}]", one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        same = None if len(one) == len(other) else f"{path}: {len(one)} {len(other)} entries"
        return same or _first((f"{path}[{i}]", *pair) for i, pair in enumerate(zip(one, other, strict=True)))
    return None if repr(one) == repr(other) else f"{path}: {one!r} {other!r}"


def _first(pairs) -> str | None:
    return next(filter(None, (difference(one, other, path) for path, one, other in pairs)), None)


def parsed_file(trace: Trace) -> dict[str, Any]:
    """The file of a trace as parsed JSON."""
    return json.loads(trace_to_json(trace))


def changed(change: Callable[[dict], Any], sample: Callable[[], Trace] = mtad_trace) -> str:
    """A sample as JSON after ``change(parsed)``."""
    parsed = parsed_file(sample())
    change(parsed)
    return json.dumps(parsed)


def set_at(path: str, value: Any) -> Callable[[dict], None]:
    """``set_at("iterations.1.rows", 3)`` as a change of the parsed JSON."""

    def change(parsed):
        *way, last = [int(part) if part.lstrip("-").isdigit() else part for part in path.split(".")]
        for part in way:
            parsed = parsed[part] if isinstance(parsed, list) else parsed[str(part)]
        parsed[last if isinstance(parsed, list) else str(last)] = value

    return change


def mentions(parsed: dict[str, Any]) -> list[int]:
    """The numbers of distributions that a file refers to, from anywhere, as often as it does."""
    found = [entry.get("of") for entry in parsed["distributions"]]
    for iteration in parsed["iterations"]:
        forest = iteration["forest"] or {"nodes": {"drafts": []}}
        found += [*forest["nodes"]["drafts"], *forest.get("target", {}).values()]
        for proposal in forest.get("layers", ()):
            found += [*proposal["distributions"], *(beam["next"] for beam in proposal.get("beams", ()))]
            found.append(proposal.get("joint"))
        for decision in iteration["decisions"]:
            found += [decision.get(name) for name in ("target", "draft", "source")]
    return [number for number in found if number is not None]


def reused(trace: Trace, *, by_identity: bool = False) -> int:
    """How many different distributions a trace has, those that others are derived from included; ``by_identity``: how
    many objects."""
    found: dict[Any, Any] = {}

    def see(part: Any) -> None:
        if isinstance(part, Distribution | JointDistribution):
            see(part.base)
            found[id(part) if by_identity else _content(part)] = part
        elif is_dataclass(part):
            for field in fields(part):
                see(getattr(part, field.name))
        elif isinstance(part, dict | tuple | list):
            for item in part.values() if isinstance(part, dict) else part:
                see(item)

    see(trace.iterations)
    return len(found)


def _content(given: Distribution | JointDistribution | None) -> Any:
    """What tells a distribution from others."""
    if given is None:
        return None
    names = sorted(name.removeprefix("_") for name in type(given).__slots__ if name not in ("call", "base"))
    values = (getattr(given, name) for name in names)
    plain = tuple((value.dtype.str, value.tobytes()) if isinstance(value, np.ndarray) else value for value in values)
    return type(given).__name__, plain, _content(given.base)
