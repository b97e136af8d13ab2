"""Charts of settings: lines along an option, bars side by side, or one number against another; all with intervals.

Every mark carries its setting's number in ``customdata``, so that a page can open the runs behind it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from specviz.facts.tokens import markup
from specviz.views.plot import palette

ChartKind = Literal["lines", "bars", "against"]
Span = tuple[float, float, float]
"""A median, and the ends of its interval (all three the same where there is none)."""
SYMBOLS = (
    ("circle", "●"),
    ("square", "■"),
    ("diamond", "◆"),
    ("triangle-up", "▲"),
    ("triangle-down", "▼"),
    ("star", "★"),
    ("pentagon", "⬟"),
    ("hexagram", "✶"),
)
DASHES = ("solid", "dash", "dot", "dashdot")
COLORS = {  # of lines; none of them means an outcome, a model or a phase
    False: ("#332288", "#117733", "#882255", "#44797f", "#7a6a1d", "#5b4b8a", "#3f5a36", "#5d5d5d"),
    True: ("#a99df5", "#7fd18b", "#f28cb1", "#76d0d8", "#d9cf6e", "#c9b3f2", "#b5d6a4", "#c8c8c8"),
}
LARGEST_LEGEND = 8


@dataclass(frozen=True)
class Mark:
    """One setting: ``name`` says all of it, ``line`` what it shares with others along the chart; ``x`` is where it
    stands (None: it is the same everywhere), ``y`` its number (None: it has none). ``best``: no other beats it in
    both numbers."""

    number: int
    name: str
    line: str
    x: float | Span | None
    y: Span | None
    texts: tuple[str, ...]
    best: bool = False


@dataclass(frozen=True)
class Panel:
    """A chart of some marks. ``x_label`` and ``y_label`` name the axes, with units; ``note`` says which way is
    better."""

    kind: ChartKind
    x_label: str
    y_label: str
    marks: Sequence[Mark]
    note: str = ""


def chart(panel: Panel, dark: bool) -> dict[str, Any]:
    """The panel as plain ``data`` and ``layout`` of a plotly figure."""
    draw = {"lines": _lines, "bars": _bars, "against": _against}[panel.kind]
    data, layout, entries = draw(panel, [mark for mark in panel.marks if mark.y is not None], dark)
    key = palette.Key(tuple(entries[:LARGEST_LEGEND]), panel.note)
    height = layout.pop("height", 300)
    return {"data": data, "layout": palette.frame(dark, height, key, **layout)}


def _look(panel: Panel, dark: bool) -> dict[str, tuple[str, str, str, str]]:
    """For each line its colour, symbol, glyph and dash: the same in every panel of a sweep."""
    colors = COLORS[dark]
    return {
        name: (colors[at % len(colors)], *SYMBOLS[at % len(SYMBOLS)], DASHES[at % len(DASHES)])
        for at, name in enumerate(dict.fromkeys(mark.line for mark in panel.marks))
    }


def _title(text: str) -> dict[str, Any]:
    return {"text": text, "font": {"size": 13}}


def _spread(values: Sequence[Span], colour: str) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - middle for middle, _, high in values],
        "arrayminus": [middle - low for middle, low, _ in values],
        "color": colour,
        "thickness": 1.2,
        "width": 4,
    }


def _hover(marks: Sequence[Mark]) -> dict[str, Any]:
    return {
        "customdata": [mark.number for mark in marks],
        "hovertext": ["<br>".join(map(markup, (mark.name, *mark.texts))) for mark in marks],
        "hoverinfo": "text",
    }


def _lines(panel: Panel, marks: Sequence[Mark], dark: bool) -> tuple[list[dict], dict[str, Any], list]:
    """Lines along an option; a setting without it is a level line."""
    looks, data, entries = _look(panel, dark), [], []
    across = [mark.x for mark in marks if isinstance(mark.x, int | float)]
    ends = [min(across, default=0), max(across, default=1)]
    for line, (colour, symbol, glyph, dash) in looks.items():
        own = sorted((m for m in marks if m.line == line and isinstance(m.x, int | float)), key=lambda m: m.x)  # type: ignore[arg-type,return-value]
        level = next((m for m in marks if m.line == line and m.x is None), None)
        if not own and level is None:
            continue
        entries.append((colour, glyph if own else "–", line))
        pen = {"color": colour, "dash": dash if own else "dot", "width": 2}
        if own:
            heights = [m.y for m in own if m.y is not None]
            data.append(
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "name": line,
                    "x": [m.x for m in own],
                    "y": [middle for middle, _, _ in heights],
                    "error_y": _spread(heights, colour),
                    "line": pen,
                    "marker": {"symbol": symbol, "size": 10, "color": colour},
                    **_hover(own),
                }
            )
        if level is not None and level.y is not None:
            middle = level.y[0]
            across_all = {"x": ends, "y": [middle, middle], "line": pen, "mode": "lines", "name": line}
            data.append({"type": "scatter", **across_all, **_hover([level, level])})
    axis = {"title": _title(panel.x_label), "tickvals": sorted(set(across))}
    return data, {"xaxis": axis, "yaxis": {"title": _title(panel.y_label), "rangemode": "tozero"}}, entries


def _bars(panel: Panel, marks: Sequence[Mark], dark: bool) -> tuple[list[dict], dict[str, Any], list]:
    """A row for each setting."""
    colour = COLORS[dark][0]
    values = [mark.y for mark in marks if mark.y is not None]
    rows = {
        "type": "bar",
        "orientation": "h",
        "x": [middle for middle, _, _ in values],
        "y": list(range(len(marks))),
        "error_x": _spread(values, palette.theme(dark).ink),
        "marker": {"color": colour, "opacity": 0.75},
        "text": [mark.texts[-1] for mark in marks],
        "textposition": "none",
        **_hover(marks),
    }
    names = {
        "tickvals": list(range(len(marks))),
        "ticktext": [_wrapped(mark.name) for mark in marks],
        "autorange": "reversed",
    }
    layout = {
        "height": 40 + 34 * len(marks),
        "xaxis": {"title": _title(panel.y_label), "rangemode": "tozero"},
        "yaxis": {**names, "showgrid": False},
        "margin": {"r": 24},
    }
    return [rows], layout, []


def _wrapped(name: str) -> str:
    """A setting in two lines: its method, and its options smaller."""
    method, _, options = markup(name).partition(" ")
    return f"{method}<br><span style='font-size:11px'>{options}</span>" if options else method


def _against(panel: Panel, marks: Sequence[Mark], dark: bool) -> tuple[list[dict], dict[str, Any], list]:
    """One number against another; a ring marks the settings that no other beats in both."""
    looks, data, entries = _look(panel, dark), [], []
    ink = palette.theme(dark).ink
    for line, (colour, symbol, glyph, _) in looks.items():
        own = [mark for mark in marks if mark.line == line and isinstance(mark.x, tuple)]
        if not own:
            continue
        entries.append((colour, glyph, line))
        spans = [(mark.x, mark.y) for mark in own if isinstance(mark.x, tuple) and mark.y is not None]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": line,
                "x": [x[0] for x, _ in spans],
                "y": [y[0] for _, y in spans],
                "error_x": _spread([x for x, _ in spans], colour),
                "error_y": _spread([y for _, y in spans], colour),
                "marker": {
                    "symbol": symbol,
                    "size": [14 if mark.best else 10 for mark in own],
                    "color": colour,
                    "line": {"color": ink, "width": [3 if mark.best else 0 for mark in own]},
                },
                **_hover(own),
            }
        )
    axes = {"xaxis": {"title": _title(panel.x_label)}, "yaxis": {"title": _title(panel.y_label)}}
    return data, {"height": 380, **axes}, entries
