"""Options of methods: typed, ranged and documented once; the command line and the page are generated from them."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Literal

from specviz.errors import OptionError, as_given
from specviz.trace.record import Value, shown

Options = dict[str, Any]
"""Resolved options: every value has been checked by its Option, whose kind says of what type it is."""


@dataclass(frozen=True)
class Option:
    """One setting. Numbers lie in ``low`` .. ``high`` (``low`` itself excluded where ``above_low``); ``choices`` are
    words allowed besides (or instead); ``optional`` allows None, which switches the option off, and so does the number
    ``off``, where there is one. ``integers`` is a list of 1 to ``LONGEST`` whole numbers, also accepted as text
    ("4,2,2" or "4x2x2"). ``used_by`` are the choices of the method's other options that this one matters for; empty: it
    always does."""

    name: str
    kind: Literal["integer", "number", "choice", "flag", "integers"]
    default: Value
    help: str
    low: float | None = None
    high: float | None = None
    above_low: bool = False
    choices: tuple[str, ...] = ()
    optional: bool = False
    off: float | None = None
    used_by: tuple[str, ...] = field(default=(), compare=False)

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        parts = []
        if self.kind in ("integer", "number"):
            opening = "(" if self.above_low else "["
            noun = "a whole number" if self.kind == "integer" else "a number"
            parts.append(f"{noun} in {opening}{self.low:g}, {self.high:g}]")
        if self.kind == "integers":
            example = f"{shown(self.default)} or {shown(self.default, 'x')}"
            parts.append(f"1 to {LONGEST} whole numbers in [{self.low:g}, {self.high:g}], such as {example}")
        if self.kind == "flag":
            parts.append("true or false")
        if self.choices:
            parts.append("one of " + ", ".join(self.choices))
        if self.optional:
            parts.append("None" if self.off is None else f"None or {self.off:g} (off)")
        return " or ".join(parts)

    @property
    def _least(self) -> float:
        return -math.inf if self.low is None else self.low

    @property
    def _most(self) -> float:
        return math.inf if self.high is None else self.high

    def check(self, value: Any) -> Value:
        """The value in its own type. Raises OptionError naming the option, the value and what is allowed."""
        if (value is None and self.optional) or (isinstance(value, str) and value in self.choices):
            return value
        if self.kind == "choice" and is_whole(value) and value in range(10) and str(value) in self.choices:
            return str(value)  # a choice that is a number
        if self.kind == "flag" and isinstance(value, bool):
            return value
        if self.kind in ("integer", "number") and isinstance(value, Real) and not isinstance(value, bool):
            number: Any = value  # Real has no order for type checkers
            if self.off is not None and number == self.off:
                return None
            whole = self.kind == "number" or isinstance(value, Integral) or float(number).is_integer()
            above = number > self._least if self.above_low else number >= self._least
            if whole and above and number <= self._most:
                return int(number) if self.kind == "integer" else float(number)
        if self.kind == "integers":
            numbers = _integers(value)
            if numbers and len(numbers) <= LONGEST and all(self._least <= number <= self._most for number in numbers):
                return numbers
        raise OptionError(f"{self.name} must be {self.allowed}, got {as_given(value, SHOWN)}", argument=self.name)

    def whole(self, value: Any) -> int:
        """``check`` of an option that is a whole number and never None."""
        number = self.check(value)
        assert isinstance(number, int)
        return number


LONGEST = 8  # entries of a list of numbers
DIGITS = 9  # of each
SHOWN = 80  # characters of what was given, in a refusal


def label(name: str, options: Options) -> str:
    """What a method with options is called: its name, and the options it was given."""
    return name + "".join(f" {key}={shown(value)}" for key, value in options.items())


def is_whole(value: Any) -> bool:
    """Whether it is a whole number, numpy's among them; true and false are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def _integers(value: Any) -> tuple[int, ...] | None:
    """A list of whole numbers, or text such as "4, 2, 2" or "4x2x2"; None for anything else."""
    if isinstance(value, str):
        parts = value.strip().strip("()[]").rstrip(", ").replace("x", ",").split(",")
        plain = all(part.strip().isdecimal() and len(part.strip()) <= DIGITS for part in parts)
        return tuple(int(part) for part in parts) if plain else None
    if not isinstance(value, list | tuple):
        return None
    return tuple(int(part) for part in value) if all(map(is_whole, value)) else None


SHARED = (
    Option("temperature", "number", 1.0, "Flattens (above 1) or sharpens the distributions; 0 is greedy.", 0.0, 10.0),
    Option(
        "top_k",
        "integer",
        20,
        "Sample among this many most probable tokens; None or 0: all.",
        1,
        1_000_000,
        optional=True,
        off=0,
    ),
    Option(
        "top_p",
        "number",
        0.9,
        "Sample among the most probable tokens that hold this much probability; None: all.",
        0.0,
        1.0,
        above_low=True,
        optional=True,
    ),
)

GAMMA = Option("gamma", "integer", 4, "Tokens drafted in a row, per iteration.", 1, 16)


def resolve(options: tuple[Option, ...], values: Mapping[str, Any], where: str) -> Options:
    """All options with the given values checked and the defaults filled in. Raises OptionError for unknown names."""
    known = {option.name: option for option in options}
    check_names(known, values, where)
    return {name: option.check(values.get(name, option.default)) for name, option in known.items()}


def check_names(known: Iterable[str], names: Iterable[str], where: str) -> None:
    """Raises OptionError for the first name that is not among the ``known`` ones."""
    known = tuple(known)
    for name in names:
        if name not in known:
            raise OptionError(
                f"{where} has no option {as_given(name, SHOWN)}; its options are {', '.join(known)}",
                argument=str(name),
                code="unknown_option",
            )
