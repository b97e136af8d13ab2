"""What a sweep runs: methods with options, every combination of the values that are listed.

As a TOML file, or the same as a dict, in which a method's name may also be a Method, registered or not; a list stands
for each of its values::

    max_new_tokens = 64
    seeds = 6                      # 0 to 5, a round each; or a list of seeds

    [shared]                       # of all methods
    temperature = [0, 1]

    [[method]]
    name = "speculative"
    gamma = [2, 4, 8]

    [[method]]
    name = "specinfer"
    k_config = ["4x2", "2x2x2"]    # an option that is a list itself: as text
"""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from specviz.decoding.registry.method import Method
from specviz.decoding.registry.registry import find_method, methods
from specviz.decoding.run.loop import MAX_NEW_TOKENS, check_seed
from specviz.errors import OptionError, SpecvizError, as_given
from specviz.lab.sweep.written import RivalText
from specviz.options import SHARED, Option, Options, Value, check_names, is_whole, label
from specviz.trace.record import Trace

ROUNDS = 6
"""Seeds of a sweep that is not told: the fewest rounds that give an interval."""
MOST_SETTINGS, MOST_SEEDS = 1000, 10_000
KEYS = ("method", "shared", "seeds", "max_new_tokens")


@dataclass(frozen=True)
class Setting:
    """A method with all of its options resolved; ``name`` says those that were given. ``unregistered`` is the method
    itself, where it is known by its name here alone. A rival has a ``decoder`` in place of one: what makes of the
    prompt's tokens, a number of tokens and a seed a RivalText, or a Trace."""

    name: str
    method: str
    options: Options
    unregistered: Method | None = field(default=None, compare=False, repr=False)
    decoder: Callable[[tuple[int, ...], int, int], RivalText | Trace] | None = field(
        default=None, compare=False, repr=False
    )

    @property
    def rule(self) -> Method:
        """The method itself."""
        return self.unregistered or find_method(self.method)


@dataclass(frozen=True)
class Grid:
    """``settings`` that differ, the ``seeds`` of the rounds, and how many tokens each run writes at most."""

    settings: tuple[Setting, ...]
    seeds: tuple[int, ...] = tuple(range(ROUNDS))
    max_new_tokens: int = 64


GridLike = Grid | str | Path | Mapping[str, Any]


def as_grid(source: GridLike) -> Grid:
    """The grid itself, of a dict, or of a TOML file. Raises SpecvizError, of a file with its name, for what cannot be
    read, and OptionError for an unknown name (saying which there are) or a value out of its range."""
    if isinstance(source, Grid):
        return source
    if isinstance(source, Mapping):
        return _grid(source)
    if not isinstance(source, str | Path):
        raise OptionError(f"grid must be a TOML file or a dict, got {as_given(source)}", argument="grid")
    try:
        grid = parse_grid(Path(source).read_bytes(), str(source))
    except OSError as error:
        raise OptionError(f"{source} cannot be read ({error.strerror})", argument="grid") from None
    try:
        return _grid(grid)
    except SpecvizError as error:
        raise error.within(f"{source}: ") from None


def parse_grid(text: bytes, name: str) -> dict[str, Any]:
    """The dict that the text of a TOML file says, for ``as_grid``. Raises OptionError, with ``name`` and the line, for
    what is none."""
    try:
        return tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, or a number of too many digits
        raise OptionError(f"{name} is no TOML file: {error}", argument="grid") from None


def as_seeds(source: int | Iterable[int]) -> tuple[int, ...]:
    """That many seeds from 0 on, or those of a list, which must differ. Raises OptionError."""
    if is_whole(source):
        if not 1 <= source <= MOST_SEEDS:  # type: ignore[operator]
            raise OptionError(f"seeds must be 1 to {MOST_SEEDS}, or a list, got {as_given(source)}", argument="seeds")
        return tuple(range(source))  # type: ignore[arg-type]
    if isinstance(source, str | Mapping) or not isinstance(source, Iterable):
        raise OptionError(f"seeds must be a whole number, or a list, got {as_given(source)}", argument="seeds")
    seeds = tuple(check_seed(seed) for seed in source)
    if not 1 <= len(seeds) <= MOST_SEEDS or len(set(seeds)) < len(seeds):
        raise OptionError(
            f"seeds must be 1 to {MOST_SEEDS} that differ, got {len(seeds)}, {len(set(seeds))} of them different",
            argument="seeds",
        )
    return seeds


def _grid(table: Mapping[str, Any]) -> Grid:
    check_names(KEYS, table, "a grid")
    methods, shared = table.get("method"), table.get("shared", {})
    if not isinstance(methods, Sequence) or not methods or not all(isinstance(entry, Mapping) for entry in methods):
        raise OptionError(f"method must be a list of tables, [[method]], got {as_given(methods)}", argument="method")
    if not isinstance(shared, Mapping):
        raise OptionError(f"shared must be a table, [shared], got {as_given(shared)}", argument="shared")
    check_names([option.name for option in SHARED], shared, "shared")
    settings: dict[str, Setting] = {}
    for number, wanted in enumerate(methods, 1):
        try:
            for setting in _settings(wanted, shared):
                _check_apart(setting, settings.values())
                if any(setting == replace(other, name=setting.name) for other in settings.values()):
                    raise OptionError(f"{setting.name!r} is there already", argument="method")
                settings[setting.name] = setting
        except OptionError as error:
            raise error.within(f"method {number}: ") from None
        if len(settings) > MOST_SETTINGS:
            raise OptionError(
                f"the grid has more than {MOST_SETTINGS} combinations, up to method {number} alone",
                argument="method",
                code="too_many",
            )
    return Grid(
        tuple(settings.values()),
        as_seeds(table.get("seeds", ROUNDS)),
        MAX_NEW_TOKENS.whole(table.get("max_new_tokens", MAX_NEW_TOKENS.default)),
    )


def _check_apart(setting: Setting, others: Iterable[Setting]) -> None:
    """Raises OptionError where another method has the same name: rows know a method by its name alone."""
    own = setting.unregistered
    named = [other for other in others if other.method == setting.method]
    if (own is not None and own.name in methods()) or any(other.unregistered is not own for other in named):
        raise OptionError(f"another method is called {setting.method!r}: give yours its own name", argument="method")


def _settings(table: Mapping[str, Any], shared: Mapping[str, Any]) -> Iterable[Setting]:
    """Every combination of one method's values and the shared ones."""
    method = find_method(table.get("name"))  # type: ignore[arg-type]
    own = {name: value for name, value in table.items() if name != "name"}
    check_names(method.options, own, f"method {method.name!r}")
    values = {name: _values(method.options[name], value) for name, value in {**shared, **own}.items()}
    if prod(map(len, values.values())) > MOST_SETTINGS:
        raise OptionError(
            f"method {method.name!r} has more than {MOST_SETTINGS} combinations", argument="method", code="too_many"
        )
    named = [name for name in (*own, *shared) if name in own or len(values[name]) > 1]
    for chosen in product(*values.values()):
        options = dict(zip(values, chosen, strict=True))
        name = label(method.name, {name: options[name] for name in dict.fromkeys(named)})
        registered = methods().get(method.name) is method
        yield Setting(name, method.name, method.resolve(**options), None if registered else method)


def _values(option: Option, entry: Any) -> list[Value]:
    """The values that are listed for an option, or the only one. "none" stands for None, which TOML does not have."""
    listed = isinstance(entry, list | tuple)
    if option.kind == "integers":
        listed = listed and not all(map(is_whole, entry))
    values = list(entry) if listed else [entry]
    if not values:
        raise OptionError(f"{option.name} lists no value", argument=option.name)
    return [option.check(None if option.optional and value == "none" else value) for value in values]
