"""Colours, glyphs and outlines: one look for every outcome, origin, model and phase, on light and dark pages.

The hues are safe for colour-blind readers (Okabe and Ito); nothing is told by colour alone: every mark also has a glyph
and an outline of its own. ``frame`` is the empty figure all views start from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from specviz.facts import words
from specviz.facts.tokens import markup
from specviz.pictures.shapes import Tone
from specviz.trace.forest import Origin


@dataclass(frozen=True)
class Theme:
    """Neutral colours of a page: text, secondary text, lines, pending things, the background."""

    ink: str
    muted: str
    grid: str
    pending: str
    paper: str


@dataclass(frozen=True)
class MarkStyle:
    """How a node looks: fill, glyph inside it, plotly symbol, outline colour ("" = the theme's ink) and width."""

    word: str
    color: str
    glyph: str
    symbol: str
    outline: str
    outline_width: float
    glyph_color: str = "#ffffff"


LIGHT = Theme(ink="#1f2933", muted="#52606d", grid="#d5dbe1", pending="#9aa5b1", paper="#ffffff")
DARK = Theme(ink="#f0f4f8", muted="#b3bfcc", grid="#3e4c59", pending="#7b8794", paper="#171d25")

TARGET, DRAFT, VERIFY = "#CC79A7", "#56B4E9", "#8a8f98"
ACCEPTED, REJECTED, RESAMPLED, BONUS = "#0072B2", "#D55E00", "#E69F00", "#009E73"
HAND = "#52606d"
CLEAR = "rgba(0,0,0,0)"
EMPTY = "rgba(127,143,159,0.14)"  # hidden cells of a mask, on any page
ROOM = 40  # pixels above a figure, for its title
KEY = "key"  # the name of the annotation with a figure's key


def _of_origin(origin: Origin, color: str, symbol: str, width: float, glyph_color: str = "#ffffff") -> MarkStyle:
    origin_words = words.ORIGINS[origin]
    return MarkStyle(origin_words.mark, color, origin_words.glyph, symbol, "", width, glyph_color)


OUTCOMES = {  # of drafted nodes
    "accepted": _of_origin("accepted", ACCEPTED, "circle", 2.5),
    "rejected": MarkStyle("rejected", REJECTED, "✗", "square", REJECTED, 1.0),
    "unjudged": MarkStyle("never judged", CLEAR, "∅", "diamond", REJECTED, 1.5, REJECTED),
    "dropped": MarkStyle("accepted, but not in the text", CLEAR, "✓", "circle", ACCEPTED, 1.5, ""),
    "pruned": MarkStyle("not offered to the target", CLEAR, "–", "circle", "", 0.8, ""),
    "root": MarkStyle("from the target, not judged", TARGET, "◆", "diamond", "", 1.5, "#1f2933"),
    "spare": MarkStyle("from the target, not kept", CLEAR, "◇", "diamond", TARGET, 1.5, ""),
    "pending": MarkStyle("drafted, waiting", "", "", "circle", "", 1.0),
}
ORIGINS = {  # of emitted tokens
    "accepted": OUTCOMES["accepted"],
    "resampled": _of_origin("resampled", RESAMPLED, "hexagon", 1.5, "#1f2933"),
    "bonus": _of_origin("bonus", BONUS, "star-square", 1.5),
    "target": _of_origin("target", TARGET, "diamond", 1.5, "#1f2933"),
    "hand": _of_origin("hand", HAND, "pentagon", 1.5),
}
PHASES = {"draft": (DRAFT, 0.5), "target": (TARGET, 1.0), "verify": (VERIFY, 0.25)}  # colour, share of the height


def tones(dark: bool) -> dict[Tone, str]:
    """The colours of the tones of pictures."""
    colors = theme(dark)
    return {
        "target": TARGET,
        "draft": DRAFT,
        "accepted": ACCEPTED,
        "rejected": REJECTED,
        "resampled": RESAMPLED,
        "bonus": BONUS,
        "hand": HAND,
        "root": TARGET,
        "muted": colors.muted,
        "waiting": colors.pending,
    }


def faint(color: str, share: float) -> str:
    """The colour "#rrggbb" with the opacity ``share``, 0 to 1."""
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share:g})"


def theme(dark: bool) -> Theme:
    """The neutral colours of the light or the dark page."""
    return DARK if dark else LIGHT


@dataclass(frozen=True)
class Key:
    """The key under a figure: entries of (colour, glyph, word), then a note; wrapped to fit a phone."""

    entries: tuple[tuple[str, str, str], ...]
    note: str = ""

    @property
    def notes(self) -> list[str]:
        """The parts of the note."""
        return [part for part in self.note.split("; ") if part]

    @property
    def lines(self) -> list[str]:
        """Lines of plotly markup, each of at most about 48 visible characters."""
        words = [(f"■ {glyph} {word}", color) for color, glyph, word in self.entries]
        words += [(part, "") for part in self.notes]
        lines: list[str] = []
        room = 0
        for text, color in words:
            shown = f'<span style="color:{color}">■</span>{text[1:]}' if color else text
            if len(text) > room:
                lines.append(shown)
                room = 48 - len(text)
            else:
                lines[-1] += "   " + shown
                room -= len(text) + 3
        return lines

    def legend(self) -> dict[str, Any]:
        """The same as data (``Legend`` of ``views/story/payload_types.py``), for those who draw the key themselves."""
        entries = [{"color": color, "glyph": glyph, "word": word} for color, glyph, word in self.entries]
        return {"entries": entries, "notes": self.notes, "lines": len(self.lines)}


def canvas(dark: bool, height: int, key: Key, *, notes: Sequence[dict] = (), **layout) -> go.Figure:
    """An empty figure with the layout of ``frame``."""
    return figure_of({"data": [], "layout": frame(dark, height, key, notes=notes, **layout)})


def figure_of(plain: go.Figure | dict[str, Any]) -> go.Figure:
    """A plotly figure of plain ``data`` and ``layout``, without a template; one that is a figure stays as it is. Plotly
    checks every value, which takes most of the time of drawing, so what is drawn often is kept plain for as long as
    possible."""
    if isinstance(plain, go.Figure):
        return plain
    return go.Figure(data=plain["data"], layout=plain["layout"] | {"template": go.layout.Template()})


def frame(dark: bool, height: int, key: Key, *, notes: Sequence[dict] = (), **layout) -> dict[str, Any]:
    """The layout of an empty figure: transparent, inherited fonts, the key under it.

    ``height`` is in pixels, without the key; ``notes`` are further annotations; axes beyond the first pair look alike.
    ``meta`` gets the key as data, under "legend"; its annotation has the name KEY.
    """
    colors, lines = theme(dark), key.lines
    below = 26 + 16 * len(lines)
    anchor = {"xref": "paper", "yref": "paper", "x": 0, "y": 0, "xanchor": "left", "yanchor": "top", "yshift": -22}
    legend = {"name": KEY, "text": "<br>".join(lines), "align": "left", "showarrow": False, "font": {"size": 12}}
    grid = {"gridcolor": colors.grid, "linecolor": colors.grid, "zeroline": False, "automargin": True}
    settings = {
        "height": height + below,
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"family": "inherit", "size": 13, "color": colors.ink},
        "margin": {"l": 8, "r": 8, "t": 8} | layout.pop("margin", {}) | {"b": below},
        "showlegend": False,
        "annotations": [*notes, legend | anchor],
        "meta": {"legend": key.legend()} if lines else {},
    }
    for name in ("xaxis", "yaxis", *(name for name in tuple(layout) if name[1:5] == "axis" and len(name) > 5)):
        axis = layout.pop(name, {})
        settings[name] = {"fixedrange": True} | (grid if axis.get("visible", True) else {}) | axis
    return settings | layout


def titled(figure: go.Figure, title: str, dark: bool) -> go.Figure:
    """The figure, changed: a title above it (plain text) and the space for that."""
    top = figure.layout.margin.t if figure.layout.margin.t is not None else 80
    figure.update_layout(
        margin_t=top + ROOM,
        height=(figure.layout.height or 450) + ROOM,
        title={
            "text": f"<b>{markup(title)}</b>",
            "font": {"size": 15, "color": theme(dark).ink},
            "xref": "container",
            "yref": "container",
            "x": 0,
            "y": 1,
            "xanchor": "left",
            "yanchor": "top",
            "pad": {"l": 12, "t": 12},
        },
    )
    return figure
