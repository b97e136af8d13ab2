"""Options of methods: typed, ranged and documented once; the command line and the page are generated from them."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

from specviz.errors import OptionError

Value = float | int | str | bool | None


@dataclass(frozen=True)
class Option:
    """One setting. Numbers lie in ``low`` .. ``high`` (``low`` itself excluded where ``above_low``); ``choices`` are
    words allowed besides (or instead); ``optional`` allows None, which switches the option off."""

    name: str
    kind: Literal["integer", "number", "choice", "flag"]
    default: Value
    help: str
    low: float | None = None
    high: float | None = None
    above_low: bool = False
    choices: tuple[str, ...] = ()
    optional: bool = False

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        parts = []
        if self.kind in ("integer", "number"):
            opening = "(" if self.above_low else "["
            noun = "a whole number" if self.kind == "integer" else "a number"
            parts.append(f"{noun} in {opening}{self.low:g}, {self.high:g}]")
        if self.kind == "flag":
            parts.append("true or false")
        if self.choices:
            parts.append("one of " + ", ".join(self.choices))
        if self.optional:
            parts.append("None")
        return " or ".join(parts)

    def check(self, value: Any) -> Value:
        """The value in its own type. Raises OptionError naming the option, the value and what is allowed."""
        if (value is None and self.optional) or (isinstance(value, str) and value in self.choices):
            return value
        if self.kind == "flag" and isinstance(value, bool):
            return value
        if self.kind in ("integer", "number") and isinstance(value, Real) and not isinstance(value, bool):
            whole = self.kind == "number" or isinstance(value, Integral) or float(value).is_integer()
            above = value > self.low if self.above_low else value >= self.low
            if whole and above and value <= self.high:
                return int(value) if self.kind == "integer" else float(value)
        raise OptionError(f"{self.name} must be {self.allowed}, got {value!r}")


SHARED = (
    Option("temperature", "number", 1.0, "Flattens (above 1) or sharpens the laws; 0 is greedy.", 0.0, 10.0),
    Option(
        "top_k", "integer", 20, "Sample among this many most probable tokens; None: all.", 1, 1_000_000, optional=True
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


def resolve(options: tuple[Option, ...], given: dict[str, Any], where: str) -> dict[str, Value]:
    """All options with the given values checked and the defaults filled in. Raises OptionError for unknown names."""
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            raise OptionError(f"{where} has no option {name!r}; its options are {', '.join(known)}")
    return {name: option.check(given.get(name, option.default)) for name, option in known.items()}
