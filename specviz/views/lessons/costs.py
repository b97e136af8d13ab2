"""The cost of a model's calls by the number of tokens read: a measured file, and the values a lesson may use."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from specviz.errors import SpecvizError
from specviz.views.story.payload_types import CallCost

LIMIT = 64_000
"""Bytes that a measured file may have."""


@dataclass(frozen=True)
class CallSize:
    """Calls that read ``tokens`` at once: how many were timed, and their median ``seconds``; a quarter of them took
    ``low`` or less, a quarter ``high`` or more."""

    tokens: int
    seconds: float
    low: float
    high: float
    calls: int


@dataclass(frozen=True)
class MeasuredCalls:
    """Calls of one model, timed in turns, fewest tokens first. ``context`` are the tokens before those that a call
    reads, ``date`` is the day of the measurement (YYYY-MM-DD)."""

    model: str
    parameters: int
    context: int
    date: str
    machine: dict[str, str]
    versions: dict[str, str]
    sizes: tuple[CallSize, ...]

    @property
    def calls(self) -> int:
        """The number of calls behind each median."""
        return min(size.calls for size in self.sizes)


_FILE = TypeAdapter(with_config(ConfigDict(extra="forbid"))(MeasuredCalls))


def read_measured(path: Path) -> MeasuredCalls:
    """A measured file (``python -m tests.measures.sizes --json FILE``). Raises SpecvizError for a damaged one."""
    try:
        with open(path, "rb") as file:
            measurement = _FILE.validate_json(file.read(LIMIT + 1))
    except OSError as error:
        raise SpecvizError(f"{path.name}: the file cannot be read ({error.strerror})") from None
    except ValidationError as error:
        raise SpecvizError(f"{path.name} is no file of measured calls: {error.errors()[0]['msg']}") from None
    tokens = [size.tokens for size in measurement.sizes]
    if len(tokens) < 2 or tokens != sorted(set(tokens)) or tokens[0] != 1:
        raise SpecvizError(f"{path.name}: the sizes must begin with 1 token and grow, got {tokens}")
    if any(not 0 < size.low <= size.seconds <= size.high or size.calls < 1 for size in measurement.sizes):
        raise SpecvizError(f"{path.name}: times must be positive, and the median between the quartiles")
    return measurement


def cost_bars(measured: MeasuredCalls) -> list[CallCost]:
    """The medians as the bars of a chart."""
    return [{"tokens": size.tokens, "seconds": size.seconds, "calls": size.calls} for size in measured.sizes]


def cost_source(measured: MeasuredCalls) -> str:
    """What was measured, where and when, in a sentence."""
    on = ", ".join(f"{name} {value}" for name, value in measured.machine.items())
    return (
        f"Measured on {measured.date}: medians of {measured.calls} calls of {measured.model} each, in turns, "
        f"{measured.context} tokens of text before them; {on}, torch {measured.versions.get('torch', 'unknown')}."
    )


COSTS: dict[str, Callable[[MeasuredCalls], Any]] = {
    "one": lambda m: 1000.0 * m.sizes[0].seconds,
    "most": lambda m: m.sizes[-1].tokens,
    "all": lambda m: 1000.0 * m.sizes[-1].seconds,
    "times": lambda m: m.sizes[-1].seconds / m.sizes[0].seconds,
    "apart": lambda m: 1000.0 * m.sizes[-1].tokens * m.sizes[0].seconds,
    "each": lambda m: 1000.0 * m.sizes[-1].seconds / m.sizes[-1].tokens,
    "saved": lambda m: m.sizes[-1].tokens * m.sizes[0].seconds / m.sizes[-1].seconds,
    "parameters": lambda m: m.parameters,
    "calls": lambda m: m.calls,
}
"""What a lesson may say of measured calls; times in milliseconds. ``one`` is that of a call which reads one token,
``all`` that of a call which reads the ``most``, ``times`` as long; ``apart`` that of so many calls with one token,
``saved`` times as long as the one call; ``each`` what a token of the large call costs."""


def cost_value(measured: MeasuredCalls, field: str) -> Any:
    """The value of a field of ``COSTS``, or of the call that reads so many tokens: ``tokens-8``, ``ms-8``, and
    ``times-8`` as long as reading one. None where there is none."""
    name, _, number = field.partition("-")
    size = next((size for size in measured.sizes if str(size.tokens) == number), None)
    if size and name == "ms":
        return 1000.0 * size.seconds
    if size and name == "times":
        return size.seconds / measured.sizes[0].seconds
    if size and name == "tokens":
        return size.tokens
    return COSTS[field](measured) if field in COSTS else None
