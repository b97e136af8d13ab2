"""The draft tree as a plotly figure, for notebooks and image files: the picture of ``forest.py`` with colours.

x is depth; an edge is the wider the likelier the draft found the token; colour, glyph and outline show a token's state.
Beams that go on are ringed at the end; the width of a layer is over its column.
"""

from typing import Any

import plotly.graph_objects as go

from specviz.facts import iteration_facts as facts
from specviz.facts.tokens import markup
from specviz.trace.record import Trace
from specviz.views.drafts.forest import forest_picture, forest_stage
from specviz.views.drafts.stages import END
from specviz.views.plot import palette
from specviz.views.story.payload_types import ForestGuess, ForestPicture, ForestStage

_ROW = 38  # pixels
_SCATTER = {"type": "scatter"}
_CONTEXT = palette.MarkStyle("last context token", "", "", "square", "", 1.0)
_BEAM = palette.MarkStyle("a beam of the text so far", "", "", "square", "", 1.0)
Standing = tuple[ForestGuess, str]
"""A visible token and its state: an outcome or an origin."""


def tree_figure(trace: Trace, index: int, stage: str = END, *, dark: bool = False) -> go.Figure:
    """The draft tree of one iteration.

    ``stage``: how it stands in a scene, such as "tree-decision-2" (``steps(trace, index)`` has them as the trees of
    their panels); default: at the end. No stage moves anything. Marks carry ``customdata``: the node's number, -1 - i
    for input beam i (-1: the context), null for what was drawn. Raises SpecvizError for an unknown iteration or stage.
    """
    iteration = facts.iteration_of(trace, index)
    picture, at = forest_picture(trace, index), forest_stage(trace, index, stage)
    colors, standing = palette.theme(dark), _standing(picture, at)
    several = len(iteration.inputs) > 1
    places = {str(root["name"]): (0.0, root["y"]) for root in picture["roots"]}
    places |= {guess["name"]: (guess["x"], guess["y"]) for guess in picture["guesses"]}
    over = {"yref": "paper", "y": 1.0, "yanchor": "bottom", "showarrow": False, "font": {"size": 12}}
    layout = palette.frame(
        dark,
        60 + _ROW * picture["rows"],
        _key(picture, colors),
        notes=[over | {"x": depth, "text": words} for depth, words in at["widths"]],
        margin={"t": 40 if any(d.rule == "layer" for d in iteration.decisions) else 20},
        xaxis={
            "range": [-0.5, max(picture["depth"], 1) + 0.8],
            "tickvals": list(range(picture["depth"] + 1)),
            "ticktext": ["beams" if several else "context", *(f"depth {d + 1}" for d in range(picture["depth"]))],
            "showgrid": False,
        },
        yaxis={"range": [picture["rows"] - 0.4, -1.4], "visible": False},
    )
    data = _edges(standing, places, colors)
    data.append(
        _mark(
            _BEAM if several else _CONTEXT,
            [(0.0, root["y"]) for root in picture["roots"]],
            [root["label"] for root in picture["roots"]],
            [root["name"] for root in picture["roots"]],
            colors,
        )
    )
    for state in dict.fromkeys(state for _, state in standing):
        group = [guess for guess, of_it in standing if of_it == state]
        words, names = [guess["words"] for guess in group], [guess["node"] for guess in group]
        data.append(_mark(_style(state), [places[guess["name"]] for guess in group], words, names, colors))
    data += _labels(picture, at, standing, places, colors)
    if at["ends"]:
        ring = {"size": 30, "color": palette.CLEAR, "line": {"color": colors.ink, "width": 2}}
        points = _points([places[name] for name in at["ends"]])
        data.append(_SCATTER | points | {"mode": "markers", "marker": ring, "hoverinfo": "skip", "name": "goes on"})
    return palette.figure_of({"data": data, "layout": layout})


def _standing(picture: ForestPicture, at: ForestStage) -> list[Standing]:
    names = list(palette.OUTCOMES)
    states = {guess["node"]: state for guess, state in zip(picture["guesses"], at["states"], strict=False)}
    standing: list[Standing] = []
    for guess in picture["guesses"]:
        if guess["node"] is None:
            standing += [(guess, at["drawn"][guess["name"]][0])] if guess["name"] in at["drawn"] else []
        elif (state := states[guess["node"]]) is not None:
            standing.append((guess, names[state]))
    return standing


def _style(state: str) -> palette.MarkStyle:
    return palette.OUTCOMES.get(state) or palette.ORIGINS[state]


def _points(places: list[tuple[float, float]]) -> dict[str, list[float]]:
    return {"x": [x for x, _ in places], "y": [y for _, y in places]}


def _edges(standing: list[Standing], places: dict, colors: palette.Theme) -> list[dict[str, Any]]:
    """Edges of one colour and width share a trace, their lines parted by None."""
    groups: dict[tuple[str, int], list[tuple]] = {}
    for guess, state in standing:
        hollow = {"pruned": colors.grid}.get(state, colors.pending)
        color = _style(state).color if state in ("accepted", "root", *palette.ORIGINS) else hollow
        groups.setdefault((color, round(1 + 7 * guess["weight"])), []).append(
            (places[guess["parent"]], places[guess["name"]])
        )
    return [
        dict(
            _SCATTER,
            x=[value for (a, _), (b, _) in edges for value in (a, b, None)],
            y=[value for (_, a), (_, b) in edges for value in (a, b, None)],
            mode="lines",
            line={"color": color, "width": width},
            hoverinfo="skip",
        )
        for (color, width), edges in groups.items()
    ]


def _mark(
    mark: palette.MarkStyle, places: list[tuple[float, float]], words: list[str], names: list, colors: palette.Theme
) -> dict[str, Any]:
    ghost = mark is palette.OUTCOMES["pruned"]
    ink = mark.glyph_color or (colors.muted if ghost else colors.ink)
    glyph = {"text": mark.glyph, "textfont": {"color": ink}} if mark.glyph else {}
    fill = mark.color or (colors.ink if mark.symbol == "square" else colors.pending)
    line = {"color": mark.outline or (colors.muted if ghost else colors.ink), "width": mark.outline_width}
    return dict(
        _SCATTER,
        **_points(places),
        mode="markers+text" if mark.glyph else "markers",
        marker={"symbol": mark.symbol, "size": 15 if ghost else 20, "color": fill, "line": line},
        **glyph,
        customdata=names,
        hovertext=[markup(text) for text in words],
        hovertemplate=f"%{{hovertext}}<extra>{mark.word}</extra>",
        name=mark.word,
    )


def _labels(
    picture: ForestPicture, at: ForestStage, standing: list[Standing], places: dict, colors: palette.Theme
) -> list[dict[str, Any]]:
    """Token texts: over a mark with children, else right of it; fainter for tokens that were not offered."""
    inner = {guess["parent"] for guess in picture["guesses"]}
    texts = {str(root["name"]): root["label"] for root in picture["roots"]}
    texts |= {guess["name"]: guess["label"] + guess["tail"] for guess, _ in standing}
    quiet = {guess["name"] for guess, state in standing if state == "pruned"}
    groups: dict[tuple[bool, bool], list[str]] = {}
    for name in texts:
        groups.setdefault((name in inner, name in quiet), []).append(name)
    more = {name: f" +{count}" for name, count in at["folded"].items()}
    more |= {name: f" ×{count}" for name, (_, count) in at["drawn"].items() if count > 1}
    return [
        dict(
            _SCATTER,
            **_points([places[name] for name in names]),
            mode="markers+text",
            marker={"size": 16, "color": palette.CLEAR, "line": {"width": 0}},  # keeps texts at a distance
            text=[markup(texts[name] + more.get(name, "")) for name in names],
            textposition="top center" if above else "middle right",
            textfont={
                "color": colors.muted if faint else colors.ink,
                "size": 12,
                "shadow": f"0 0 3px {colors.paper}",
            },
            hoverinfo="skip",
        )
        for (above, faint), names in groups.items()
    ]


def _key(picture: ForestPicture, colors: palette.Theme) -> palette.Key:
    entries = []
    for state, glyph, word in picture["key"]["marks"]:
        mark = _style(state)
        hollow = mark.color == palette.CLEAR
        entries.append((mark.outline or colors.muted if hollow else mark.color or colors.pending, glyph, word))
    return palette.Key(tuple(entries), "; ".join(picture["key"]["notes"]))
