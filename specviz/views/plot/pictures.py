"""Pictures as plotly figures, for notebooks and image files: shapes one below another, then the key."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import plotly.graph_objects as go

from specviz.facts.tokens import markup
from specviz.pictures.shapes import Axis, Bar, Bars, Chart, Level, Lists, Mask, Picture, Strip, Tone
from specviz.views.plot import palette

Colors = Mapping[Tone, str]
PlotlyDict = dict[str, Any]
_LETTER = 6.5  # pixels of a letter beside a drawing
_CHART = 240  # pixels of a chart that is alone
_TICK = 20  # pixels of a tick, where there are many
_MANY = 22  # rows of a mask beyond which they have no labels
_NAME = 0.02  # of a strip: what a letter of a name needs
_RIGHT = 0.6  # x of the right one of two lists; the left one is at 0
_DASH = {"solid": "solid", "dashed": "dash", "dotted": "dot"}
_SYMBOL = {"accepted": "circle", "rejected": "square"}
_GLYPH = "#ffffff"  # inside marks
_CELLS = ("", "○", "●", "■", "·")  # what they are, in the order of SEEN
_FREED = 0.25  # opacity of the cells of a row that is freed


class _Sheet(NamedTuple):
    """A drawn shape: its height in pixels, what it needs right of it, over and under it, and the parts of a plotly
    figure, on the axes x and y of a number ("" is the first)."""

    height: float
    data: list[PlotlyDict]
    x: PlotlyDict
    y: PlotlyDict
    lines: list[PlotlyDict]
    notes: list[PlotlyDict]
    right: float = 12
    over: float = 0
    under: float = 30  # for ticks


def picture_figure(picture: Picture, *, dark: bool = False, title: str = "") -> go.Figure:
    """The picture as a plotly figure, as high as its shapes need; ``title`` (plain text) stands over it."""
    colors = palette.tones(dark)
    sheets = [
        _DRAW[shape.kind](shape, colors, palette.theme(dark), str(at + 1) if at else "")
        for at, shape in enumerate(picture.shapes)
    ]
    entries = tuple((colors[entry.tone], entry.glyph, markup(entry.word)) for entry in picture.key)
    whole = sum(sheet.height + sheet.over + sheet.under for sheet in sheets) - sheets[-1].under
    axes, top = {}, 0.0
    for at, sheet in enumerate(sheets):
        number = str(at + 1) if at else ""
        top += sheet.over
        axes[f"xaxis{number}"] = sheet.x | {"anchor": f"y{number}"}
        domain = [max(0.0, 1.0 - (top + sheet.height) / whole), 1.0 - top / whole]
        axes[f"yaxis{number}"] = sheet.y | {"anchor": f"x{number}", "domain": domain}
        top += sheet.height + sheet.under
    layout = palette.frame(
        dark,
        round(whole) + 20,
        palette.Key(entries, "; ".join(map(markup, picture.notes))),
        notes=[note for sheet in sheets for note in sheet.notes],
        margin={"r": max(sheet.right for sheet in sheets), "t": 12},
        barmode="stack",
        bargap=0.2,
        shapes=[line for sheet in sheets for line in sheet.lines],
        **axes,
    )
    figure = palette.figure_of({"data": [part for sheet in sheets for part in sheet.data], "layout": layout})
    return palette.titled(figure, title, dark) if title else figure


def _bars(shape: Bars, colors: Colors, theme: palette.Theme, axis: str) -> _Sheet:
    size, sides = len(shape.rows), max((len(row.bars) for row in shape.rows), default=1)
    data = []
    for side in range(sides):
        bars = [row.bars[side] for row in shape.rows]
        for solid in (True, False):
            data.append(_bar_part(bars, solid, colors, theme) | {"offsetgroup": str(side)} | _on(axis))
    names = [f"<b>{row.mark} {markup(row.label)}</b>" if row.mark else markup(row.label) for row in shape.rows]
    lines, notes = [], []
    if shape.title:
        notes.append(_note(f"<b>{markup(shape.title)}</b>", axis, "domain", x=0, y=1, xanchor="left", yanchor="bottom"))
    if shape.level is not None:
        lines, notes = _levels([shape.level], colors, axis, notes)
    return _Sheet(
        size * (16 + 12 * sides),
        data,
        {"range": [0, shape.most]},
        {"range": [size - 0.4, -0.6], "showgrid": False} | _ticks(list(enumerate(names))),
        lines,
        notes,
        right=48,
        over=22 if shape.title or shape.level else 0,
    )


def _bar_part(bars: Sequence[Bar], solid: bool, colors: Colors, theme: palette.Theme) -> PlotlyDict:
    """The solid parts of bars, or the hatched rest with the numbers at the end."""
    inks = [colors[bar.tone] for bar in bars]
    marker: PlotlyDict = {"color": inks, "line": {"color": inks, "width": 1}}
    part: PlotlyDict = {
        "type": "bar",
        "orientation": "h",
        "x": [filled if solid else bar.length - filled for bar, filled in zip(bars, map(_filled, bars), strict=True)],
        "y": list(range(len(bars))),
        "marker": marker,
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
    if solid:
        return part
    marker["pattern"] = {"shape": "/", "fgcolor": inks, "bgcolor": palette.CLEAR, "size": 6, "solidity": 0.35}
    words = {"text": [bar.text for bar in bars], "textposition": "outside"}
    return part | words | {"textfont": {"color": theme.ink, "size": 11}}


def _filled(bar: Bar) -> float:
    return bar.length if bar.solid is None else bar.solid


def _strip(shape: Strip, colors: Colors, theme: palette.Theme, axis: str) -> _Sheet:
    data, notes, lines, start = [], [], [], 0.0
    for at, part in enumerate(shape.parts):
        color, wide = colors[part.tone], part.end - start
        marker: PlotlyDict = {"color": color, "line": {"color": theme.paper, "width": 1}}
        marker["opacity"] = 0.75 if part.fate in ("accepted", "rejected") else 1.0 - 0.3 * (at % 2)
        if part.fate == "rejected":
            marker["pattern"] = {"shape": "/", "fgcolor": color, "bgcolor": palette.CLEAR}
        words = {"hovertext": markup(part.said), "hoverinfo": "text"}
        data.append({"type": "bar", "orientation": "h", "x": [wide], "y": [0], "marker": marker} | words | _on(axis))
        if wide >= _NAME * (len(part.name) + 1):
            notes.append(_note(markup(part.name), axis, x=start + wide / 2, y=0, size=11))
        start = part.end
    if shape.uniform is not None:
        ends = {
            "x0": shape.uniform,
            "x1": shape.uniform,
            "y0": -0.5,
            "y1": 0.6,
            "line": {"color": theme.ink, "width": 3},
        }
        lines.append(_line(axis) | ends)
        side = "left" if shape.uniform < 0.5 else "right"
        words = markup(f"{shape.called} {shape.text}")
        notes.append(_note(words, axis, x=shape.uniform, y=0.6, xanchor=side, yanchor="bottom"))
    plain = {"range": [0, 1], "showgrid": False}
    quiet = {"range": [-0.5, 0.6], "showgrid": False} | _ticks([(0, markup(shape.label))] if shape.label else [])
    if shape.uniform is None:
        return _Sheet(26, data, plain | {"showticklabels": False}, quiet, lines, notes, under=4)
    return _Sheet(26, data, plain | {"tickvals": [0, 0.25, 0.5, 0.75, 1]}, quiet, lines, notes, over=22)


def _chart(shape: Chart, colors: Colors, theme: palette.Theme, axis: str) -> _Sheet:
    data = []
    if shape.columns:
        inks = [colors[column.tone] for column in shape.columns]
        fills = [palette.CLEAR if c.hollow else ink for c, ink in zip(shape.columns, inks, strict=True)]
        columns: PlotlyDict = {
            "type": "bar",
            "x": [column.x for column in shape.columns],
            "y": [column.height for column in shape.columns],
            "width": 0.5,
            "marker": {"color": fills, "line": {"color": inks, "width": 1.5}},
            "text": [column.word for column in shape.columns],
            "textposition": "outside",
            "textangle": 0,
            "cliponaxis": False,
            "hoverinfo": "skip",
        }
        data.append(columns | _on(axis))
    for line in shape.lines:
        bend = {"shape": "hv" if line.steps else "linear", "dash": _DASH[line.stroke]}
        xy = {"x": [x for x, _ in line.points], "y": [y for _, y in line.points]}
        pen = {"color": colors[line.tone], "width": 2} | bend
        data.append({"type": "scatter", "mode": "lines", "line": pen, "hoverinfo": "skip"} | xy | _on(axis))
    data += _points(shape, colors, theme, axis)
    beyond = [(point, point.beyond) for point in shape.points if point.beyond]
    notes = [_note(sign, axis, x=point.x, y=point.y, xshift=18, yshift=14) for point, sign in beyond]
    lines, notes = _levels(shape.levels, colors, axis, notes)
    low, high = shape.y.low, shape.y.high
    if shape.bracket is not None:
        under = low - 0.08 * (high - low)
        start, end = shape.bracket.start, shape.bracket.end
        for (x0, y0), (x1, y1) in pairwise(((start, low), (start, under), (end, under), (end, low))):
            pen = {"line": {"color": theme.ink, "width": 2}}
            lines.append(_line(axis) | pen | {"x0": x0, "x1": x1, "y0": y0, "y1": y1})
        middle = (start + end) / 2
        notes.append(_note(f"<b>{markup(shape.bracket.word)}</b>", axis, x=middle, y=under, yanchor="top"))
        low -= 0.25 * (high - low)
    side = [len(level.words) for level in shape.levels if not level.upright]
    return _Sheet(
        max(_CHART * shape.tall, _TICK * len(shape.y.ticks)),
        data,
        _axis(shape.x, shape.x.low, shape.x.high) | {"showgrid": False},
        _axis(shape.y, low, high),
        lines,
        notes,
        right=max([16.0, *(10 + _LETTER * letters for letters in side)]),
        over=22 if any(level.upright for level in shape.levels) else 6,
    )


def _points(shape: Chart, colors: Colors, theme: palette.Theme, axis: str) -> list[PlotlyDict]:
    points = shape.points
    if not points:
        return []
    xy = {"x": [point.x for point in points], "y": [point.y for point in points]}
    inks = [colors[point.tone] for point in points]
    fills = [palette.CLEAR if point.hollow else ink for point, ink in zip(points, inks, strict=True)]
    size = [18 if point.glyph else 11 for point in points]
    marks = {
        "symbol": [_SYMBOL.get(point.tone, "circle") for point in points],
        "size": size,
        "color": fills,
        "opacity": [0.4 if point.faint else 1.0 for point in points],
        "line": {"color": inks, "width": 2},
    }
    ringed = [point for point in points if point.ringed]
    ring = {"size": 28, "color": palette.CLEAR, "line": {"color": theme.ink, "width": 2}}
    around = {"x": [point.x for point in ringed], "y": [point.y for point in ringed], "mode": "markers", "marker": ring}
    drawn: PlotlyDict = {
        "type": "scatter",
        "mode": "markers+text",
        "marker": marks,
        "text": [point.glyph for point in points],
        "textfont": {"color": _GLYPH, "size": 12},
        "hovertext": [markup(point.words) for point in points],
        "hoverinfo": "text",
        "cliponaxis": False,
    }
    return [{"type": "scatter", "hoverinfo": "skip"} | around | _on(axis), drawn | xy | _on(axis)]


def _lists(shape: Lists, colors: Colors, theme: palette.Theme, axis: str) -> _Sheet:
    rows = max(len(shape.left), len(shape.right), 1)
    pairs = [value for a, b in shape.joins for value in ((0.04, a), (_RIGHT - 0.04, b), (None, None))]
    pen = {"color": colors["accepted"], "width": 3}
    joined = {"type": "scatter", "mode": "lines", "line": pen, "x": [x for x, _ in pairs], "y": [y for _, y in pairs]}
    data = [joined | {"hoverinfo": "skip"} | _on(axis)]
    for x, entries, side in ((0, shape.left, "middle left"), (_RIGHT, shape.right, "middle right")):
        inks = [colors["accepted" if entry.found else "rejected"] for entry in entries]
        marks = {
            "symbol": [_SYMBOL["accepted" if entry.found else "rejected"] for entry in entries],
            "size": 15,
            "color": [ink if entry.found else palette.CLEAR for ink, entry in zip(inks, entries, strict=True)],
            "line": {"color": inks, "width": 1.5},
        }
        words = {"text": [f"\u00a0\u00a0{markup(entry.text)}\u00a0\u00a0" for entry in entries], "textposition": side}
        places = {"x": [x] * len(entries), "y": list(range(len(entries)))}
        font = {"textfont": {"color": theme.ink, "size": 12}, "hoverinfo": "skip", "cliponaxis": False}
        data.append({"type": "scatter", "mode": "markers+text", "marker": marks} | words | places | font | _on(axis))
    notes = [
        _note(f"<b>{markup(shape.titles[0])}</b>", axis, x=0.06, y=-0.75, xanchor="right"),
        _note(f"<b>{markup(shape.titles[1])}</b>", axis, x=_RIGHT - 0.06, y=-0.75, xanchor="left"),
    ]
    hidden = {"visible": False}
    span = hidden | {"range": [-1.4, _RIGHT + 1.4]}
    return _Sheet(40 + 28 * rows, data, span, hidden | {"range": [rows - 0.5, -1.1]}, [], notes)


def _mask(shape: Mask, colors: Colors, theme: palette.Theme, axis: str) -> _Sheet:
    size, few = len(shape.rows), len(shape.rows) <= _MANY
    seen: tuple[tuple[Tone, float], ...] = ("muted", 0.6), ("draft", 1.0), ("accepted", 1.0), ("waiting", 0.6)
    fills = [palette.EMPTY, *(palette.faint(colors[tone], share) for tone, share in seen)]
    fills += [palette.EMPTY, *(palette.faint(colors[tone], share * _FREED) for tone, share in seen)]
    levels = [[int(cell) + len(_CELLS) * (row.stays is False) for cell in row.cells] for row in shape.rows]
    cells: PlotlyDict = {
        "type": "heatmap",
        "z": levels,
        "colorscale": [[edge / len(fills), fill] for n, fill in enumerate(fills) for edge in (n, n + 1)],
        "zmin": 0,
        "zmax": len(fills) - 1,
        "showscale": False,
        "hoverinfo": "skip",
        "xgap": 2 if few else 1,
        "ygap": 2 if few else 1,
    }
    if few:
        glyphs = [[_CELLS[int(cell)] for cell in row.cells] for row in shape.rows]
        cells |= {"text": glyphs, "texttemplate": "%{text}", "textfont": {"color": palette.LIGHT.ink}}
    names = [markup(row.label) + ("" if row.position is None else f"  pos {row.position}") for row in shape.rows]
    fates = {None: "", True: "  stays", False: "  freed"}
    names = [name + fates[row.stays] for name, row in zip(names, shape.rows, strict=True)]
    lines = []
    if shape.framed is not None:
        away = len(shape.columns) - size  # columns before those of the rows
        ends = {"x0": -0.5, "x1": away + shape.framed - 0.5, "y0": -0.5, "y1": shape.framed - 0.5}
        lines.append(_line(axis) | ends | {"type": "rect", "line": {"color": colors["rejected"], "width": 3}})
    longest = max(map(len, shape.columns), default=0)
    return _Sheet(
        (26 if few else 9) * size,
        [cells | _on(axis)],
        {"range": [-0.8, len(shape.columns) - 0.2], "showgrid": False, "side": "top", "tickangle": -90}
        | _ticks([(at, markup(name)) for at, name in enumerate(shape.columns)] if few else []),
        {"range": [size - 0.2, -0.8], "showgrid": False} | _ticks(list(enumerate(names)) if few else []),
        lines,
        [],
        over=_LETTER * longest if few else 0,
    )


_DRAW: Mapping[str, Any] = {"bars": _bars, "strip": _strip, "chart": _chart, "lists": _lists, "mask": _mask}


def _levels(
    levels: Iterable[Level], colors: Colors, axis: str, notes: list[PlotlyDict]
) -> tuple[list[PlotlyDict], list[PlotlyDict]]:
    """Lines with their words at the end, and the notes with these words."""
    lines, notes_after = [], [*notes]
    for level in levels:
        pen = {"line": {"color": colors[level.tone], "width": 2, "dash": _DASH[level.stroke]}}
        if level.upright:
            ends = {"x0": level.at, "x1": level.at, "y0": 0, "y1": 1, "yref": f"y{axis} domain"}
            place = {"x": level.at, "y": 1, "yref": f"y{axis} domain", "yanchor": "bottom"}
        else:
            ends = {"x0": 0, "x1": 1, "y0": level.at, "y1": level.at, "xref": f"x{axis} domain"}
            place = {"x": 1, "y": level.at, "xref": f"x{axis} domain", "xanchor": "left"}
        lines.append(_line(axis) | ends | pen)
        notes_after.append(_note(f" {markup(level.words)}", axis, **place))
    return lines, notes_after


def _axis(axis: Axis, low: float, high: float) -> PlotlyDict:
    title = {"title": {"text": markup(axis.title), "font": {"size": 12}}} if axis.title else {}
    return {"range": [low, high]} | _ticks([(tick.at, markup(tick.word)) for tick in axis.ticks]) | title


def _ticks(named: Iterable[tuple[float, str]]) -> PlotlyDict:
    shown = list(named)
    return {"tickvals": [at for at, _ in shown], "ticktext": [word for _, word in shown]}


def _on(axis: str) -> PlotlyDict:
    return {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}


def _line(axis: str) -> PlotlyDict:
    return {"type": "line", "xref": f"x{axis}", "yref": f"y{axis}"}


def _note(text: str, axis: str, of: str = "", *, size: int = 12, **place: Any) -> PlotlyDict:
    """Words somewhere in a shape; ``of`` "domain": in shares of its width and height."""
    refs = {"xref": f"x{axis} {of}".strip(), "yref": f"y{axis} {of}".strip()}
    return {"text": text, "showarrow": False, "font": {"size": size}} | refs | place
