"""A card of the Lab: one figure or table of a paper, as a grid to sweep, a chart to draw and promises to check.

One TOML file a card (assets/lab/NAME.toml); its ``[grid]`` is that of ``specviz sweep``::

    title = "How long should a draft be?"
    paper = "Leviathan et al. 2023, Figure 3"
    asks = "..."                   # the question in a line
    say = "..."                    # what to look at
    prompts = ["tales", "sums"]    # built-in sets
    pair = "smollm2"               # the known pair that it is run with; without: the embedded one
    recorded = true                # with distributions, for numbers that need them (alpha)

    [grid] ...

    [chart]
    x = "gamma"                    # an option; or "setting", bars; or a metric: one metric against another; or "rank":
                                   # the score of a question's texts from the likeliest to the least likely
    y = ["tokens_per_target_call"] # a panel for each

    [[promises]]
    says = "the paper's words, shortened"
    number = "2-3 times"           # the paper's
    checks = [{metric = "alpha", of = "speculative draft=2", to = "speculative", sense = "at most", limit = 1}]

Settings are named by method and options given, in any order. A check without ``to`` is about the number itself; where
``to`` is a list, with ``at``, it is over the number that those settings have where they are as good in ``at``; with
``rank`` and ``to_rank`` it is about how much more a setting's texts of that rank by perplexity (1: the likeliest) score
than those of the other. A promise that cannot be tested has ``untestable``: why.
"""

import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from specviz.assets import ASSETS
from specviz.errors import SpecvizError
from specviz.lab.sweep.grid import Grid, as_grid
from specviz.lab.sweep.numbers import NUMBERS
from specviz.lab.sweep.prompts import SweepPrompt, built_in
from specviz.lm.getting.catalog import MODELS

FOLDER = ASSETS / "lab"
LIMIT = 64_000
"""Bytes that a card's file may have."""
SETTING = "setting"
RANK = "rank"
_FILE = re.compile(r"(?:\d+-)?([a-z][a-z0-9-]{0,40})\.toml")


@dataclass(frozen=True)
class Check:
    """A number of the setting ``of``, over that of ``to`` where there is one, and the ``limit`` that it must keep. Over
    several, it is over their number where their number ``at`` is as good (``Group.over_equals``). With ``rank``, how
    much more its texts of that rank score than those of ``to_rank``."""

    metric: str
    of: str
    sense: Literal["at least", "at most"]
    limit: float
    to: str | tuple[str, ...] = ()
    at: str | None = None
    rank: int | None = None
    to_rank: int | None = None

    @property
    def others(self) -> tuple[str, ...]:
        """The settings that it is held against."""
        return (self.to,) if isinstance(self.to, str) else self.to

    @property
    def ranks(self) -> tuple[int, int] | None:
        """Both ranks by perplexity; None where the check is about none."""
        return None if self.rank is None or self.to_rank is None else (self.rank, self.to_rank)


@dataclass(frozen=True)
class Promise:
    """What a paper ``says``, with its ``number``; it holds where all ``checks`` do. ``untestable``: why none can be."""

    says: str
    number: str
    checks: tuple[Check, ...] = ()
    untestable: str = ""


@dataclass(frozen=True)
class CardChart:
    """``x``: an option's name, "setting", "rank" or a number's; ``y``: numbers, a panel for each."""

    x: str
    y: tuple[str, ...]


@dataclass(frozen=True)
class Card:
    """A card's file; see above. ``name`` is its address, ``file`` the part of its text that is the grid's, as one that
    ``specviz sweep`` takes."""

    name: str
    title: str
    paper: str
    asks: str
    say: str
    grid: dict[str, Any]
    chart: CardChart
    promises: tuple[Promise, ...] = ()
    prompts: tuple[str, ...] = ("tales", "sums", "queries")
    pair: str = ""
    recorded: bool = False
    file: str = ""

    @cached_property
    def settings(self) -> Grid:
        """What is run."""
        return as_grid(self.grid)

    def read_prompts(self) -> list[SweepPrompt]:
        """What it is run on."""
        return built_in(*self.prompts)


_CARD = TypeAdapter(with_config(ConfigDict(extra="forbid"))(Card))


def load_card(path: Path) -> Card:
    """Read and check a card. Raises SpecvizError, naming the file and what is wrong with it."""
    name = _FILE.fullmatch(path.name)
    if name is None:
        raise SpecvizError(f"{path.name[:60]!r} is no name of a card: words of a-z and 0-9, then .toml")
    try:
        with path.open("rb") as file:
            text = file.read(LIMIT + 1)
        if len(text) > LIMIT:
            raise SpecvizError(f"has more than {LIMIT} bytes")
        read = text.decode()
        card = _CARD.validate_python(tomllib.loads(read) | {"name": name[1], "file": _grid_of(read)})
        _check(card)
    except OSError as error:
        raise SpecvizError(f"{path.name}: the file cannot be read ({error.strerror})") from None
    except SpecvizError as error:
        raise error.within(f"{path.name}: ") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise SpecvizError(f"{path.name}: {where}: {first['msg']}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SpecvizError(f"{path.name}: {str(error)[:300]}") from None
    return card


def load_cards(folder: Path = FOLDER) -> list[Card]:
    """The cards of a folder, in the order of their files. Raises SpecvizError for one that is damaged."""
    return [load_card(path) for path in sorted(folder.glob("*.toml"))]


def find_card(cards: Collection[Card], name: str) -> Card:
    """Raises SpecvizError for a name that no card has."""
    for card in cards:
        if card.name == name:
            return card
    raise SpecvizError(
        f"card must be one of {', '.join(card.name for card in cards)}, got {name[:40]!r}",
        argument="card",
        code="unknown_name",
    )


def _grid_of(text: str) -> str:
    """The lines of ``[grid]`` and its tables, without that name."""
    _, _, rest = text.partition("\n[grid]\n")
    lines = rest.split("\n[chart]\n")[0]
    return lines.replace("[grid.", "[").replace("[[grid.", "[[").strip() + "\n" if rest else ""


def same_setting(name: str, other: str) -> bool:
    """Whether two names are of the same method with the same options."""
    return sorted(name.split()) == sorted(other.split())


def _check(card: Card) -> None:
    """Raises SpecvizError for a chart or a promise about what the card does not measure."""
    card.read_prompts()
    if card.pair not in ("", *MODELS):
        raise SpecvizError(f"pair must be one of {', '.join(MODELS)}, got {card.pair[:40]!r}")
    settings = card.settings.settings
    options = {name for setting in settings for name in setting.options}
    for number in card.chart.y:
        _known(number, "chart.y")
    if card.chart.x == RANK and card.chart.y != ("score",):
        raise SpecvizError(f"chart.y must be score alone where x is {RANK}")
    if card.chart.x not in (SETTING, RANK) and card.chart.x not in options:
        _known(card.chart.x, "chart.x")
    names = [setting.name for setting in settings]
    for at, promise in enumerate(card.promises):
        where = f"promises.{at}"
        if bool(promise.checks) == bool(promise.untestable):
            raise SpecvizError(f"{where} must have either checks, or untestable: why it has none")
        for check in promise.checks:
            _known(check.metric, where)
            _check_ranks(check, len(card.settings.seeds), where)
            if (len(check.others) > 1) != (check.at is not None):
                raise SpecvizError(f"{where}: at goes with two settings or more in to")
            if check.at is not None:
                _known(check.at, where)
                if not NUMBERS[check.at].better:
                    raise SpecvizError(f"{where}: at must be a number of which more or less is better, got {check.at}")
            for name in (check.of, *check.others):
                if not any(same_setting(name, known) for known in names):
                    raise SpecvizError(f"{where}: no setting is {name!r}; there are: {'; '.join(names)}")


def _check_ranks(check: Check, seeds: int, where: str) -> None:
    if check.rank is None and check.to_rank is None:
        return
    if check.metric != "score" or check.others or check.ranks is None:
        raise SpecvizError(f"{where}: rank and to_rank go together, with the score of one setting")
    for rank in check.ranks:
        if not 1 <= rank <= seeds:
            raise SpecvizError(f"{where}: ranks are 1 to {seeds}, the number of seeds, got {rank}")


def _known(number: str, where: str) -> None:
    if number not in NUMBERS:
        raise SpecvizError(f"{where}: {number[:40]!r} is none of the numbers {', '.join(NUMBERS)}")
