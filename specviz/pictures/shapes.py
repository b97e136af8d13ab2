"""What a picture is made of: shapes that know what they mean, but no colour and no pixel.

A rule makes a ``Picture`` of its decision, a view of what a forest was drawn from. The player draws it as SVG
(``assets/player/src/draw``), in the colours of the page; ``views/plot/pictures.py`` draws it for notebooks and files.
All texts are plain. Nodes are numbers of drafted tokens, -1 - i for input beam i, as in a trace; None: there is none.
"""

from dataclasses import dataclass
from typing import Literal

Tone = Literal["target", "draft", "accepted", "rejected", "resampled", "bonus", "hand", "root", "muted", "waiting"]
"""What something stands for: a model, an outcome or an origin; muted: beside the point; waiting: not judged."""
Stroke = Literal["solid", "dashed", "dotted"]


@dataclass(frozen=True)
class KeyEntry:
    """A mark of the key and what it means."""

    tone: Tone
    glyph: str
    word: str


@dataclass(frozen=True)
class Bar:
    """A probability, 0 to 1, as a bar with its number: from 0 to ``solid`` filled, from there on hatched. None: all of
    it is filled."""

    tone: Tone
    length: float
    text: str
    solid: float | None = None


@dataclass(frozen=True)
class BarRow:
    """A token, or a beam and its next token, with a bar, or one for the target over one for the draft."""

    label: str
    bars: tuple[Bar, ...]
    mark: str = ""
    """The glyph of a row that is what the step is about; "" for the others."""
    node: int | None = None
    rest: bool = False
    """Whether it is all others: where there is little space, the least likely go into it."""


@dataclass(frozen=True)
class LevelOption:
    """The option of a method that a line stands for: at its value, or at that one's natural logarithm."""

    name: str
    log: bool = False


@dataclass(frozen=True)
class Level:
    """A line across a picture, or upright in it, and the words at its end. One across, with a ``setting``, can be moved
    by a reader to try another value."""

    at: float
    words: str
    tone: Tone = "rejected"
    stroke: Stroke = "dashed"
    upright: bool = False
    setting: LevelOption | None = None


@dataclass(frozen=True)
class Bars:
    """Rows of horizontal bars, likeliest first. ``most``: the probability at the right end, up to 1."""

    rows: tuple[BarRow, ...]
    most: float
    title: str = ""
    """Over one of several."""
    level: Level | None = None
    """An upright threshold."""
    kind: Literal["bars"] = "bars"


@dataclass(frozen=True)
class StripPart:
    """What a number up to ``end``, 0 to 1, leads to: its name on the strip, and in words; "": the name, quoted."""

    end: float
    name: str
    words: str = ""
    fate: Literal["accepted", "rejected", "drawn", "other"] = "other"
    tone: Tone = "target"
    node: int | None = None

    @property
    def said(self) -> str:
        """What it leads to, in words."""
        return self.words or f"“{self.name}”"


@dataclass(frozen=True)
class Strip:
    """0 to 1 in parts, end to end, each beginning where the one before ends; the last may end before 1. With
    ``uniform``, the random number that fell on it, a reader can move it."""

    parts: tuple[StripPart, ...]
    label: str = ""
    """Left of it."""
    uniform: float | None = None
    called: str = ""
    """What the number is: coin, random number."""
    text: str = ""
    """The number with as many digits as the formula has."""
    kind: Literal["strip"] = "strip"


@dataclass(frozen=True)
class Tick:
    """A place on an axis."""

    at: float
    word: str


@dataclass(frozen=True)
class Axis:
    """``low`` is left, or at the bottom, ``high`` right, or at the top; one may be larger than the other."""

    low: float
    high: float
    ticks: tuple[Tick, ...]
    title: str = ""


@dataclass(frozen=True)
class Line:
    """Through points; ``steps``: level from each to the next, then upright."""

    tone: Tone
    points: tuple[tuple[float, float], ...]
    stroke: Stroke = "solid"
    steps: bool = False


@dataclass(frozen=True)
class Column:
    """An upright bar from 0, with a word over it; hollow where it does not count."""

    x: float
    height: float
    tone: Tone
    word: str = ""
    hollow: bool = False


@dataclass(frozen=True)
class Point:
    """A test, or something ranked, where it stands. ``beyond``: outside the axis, so at its edge, with this sign."""

    x: float
    y: float
    tone: Tone
    glyph: str
    words: str
    node: int | None = None
    hollow: bool = False
    faint: bool = False
    ringed: bool = False
    beyond: str = ""


@dataclass(frozen=True)
class Bracket:
    """Under the axis, from here to there."""

    start: float
    end: float
    word: str


@dataclass(frozen=True)
class Chart:
    """Points, lines and columns over two axes."""

    x: Axis
    y: Axis
    columns: tuple[Column, ...] = ()
    lines: tuple[Line, ...] = ()
    points: tuple[Point, ...] = ()
    levels: tuple[Level, ...] = ()
    bracket: Bracket | None = None
    tall: float = 1.0
    """Its share of the height, beside other charts of the picture."""
    kind: Literal["chart"] = "chart"


@dataclass(frozen=True)
class ListEntry:
    """An entry of a list, and whether the other list has it."""

    text: str
    found: bool
    node: int | None = None


@dataclass(frozen=True)
class Lists:
    """Two lists from top to bottom; ``joins`` are pairs of entries that are the same."""

    titles: tuple[str, str]
    left: tuple[ListEntry, ...]
    right: tuple[ListEntry, ...]
    joins: tuple[tuple[int, int], ...]
    kind: Literal["lists"] = "lists"


@dataclass(frozen=True)
class MaskRow:
    """A token of a target call, its position id, and what it sees: of each column a character, an index of
    ``SEEN``. ``stays``: whether its row stays in the cache, None where that is not told yet."""

    label: str
    position: int | None
    cells: str
    node: int | None = None
    stays: bool | None = None


SEEN = ("hidden", "context", "ancestor", "self", "left out")
"""What a cell of a mask can be; the last one: by a reduction, or planned and not drafted."""


@dataclass(frozen=True)
class Mask:
    """An attention mask. Columns are the earlier context and the beams' own, where there are such, then the rows'."""

    rows: tuple[MaskRow, ...]
    columns: tuple[str, ...]
    framed: int | None = None
    """Rows and columns from the first on that are used, of a mask built for more."""
    kind: Literal["mask"] = "mask"


@dataclass(frozen=True)
class Picture:
    """Shapes from top to bottom, the key to their marks, notes on how they are read, and all of it in sentences.
    ``title``: over its panel, where that has another one than usual."""

    shapes: tuple[Bars | Strip | Chart | Lists | Mask, ...]
    words: str = ""
    key: tuple[KeyEntry, ...] = ()
    notes: tuple[str, ...] = ()
    title: str = ""
