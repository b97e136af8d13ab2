"""How the embedded models learned, drawn: training loss over tokens, stage by stage."""

from typing import Any

import plotly.graph_objects as go

from specviz.views.plot import palette
from specviz.zoo.report.page import history

LEARNERS = {
    "target": (palette.TARGET, ("shallow", "deep", "full", "further", "polish"), "target: loss on the text"),
    "draft": (palette.DRAFT, ("distil",), "draft: divergence from the target"),
    "small": (palette.RESAMPLED, ("small",), "second draft: the same"),
    "heads": (palette.BONUS, ("heads",), "heads: cross-entropy from the target"),
}


def curves_figure(report: dict[str, Any], *, dark: bool = False) -> go.Figure:
    """The losses of ``report`` (``report.json`` of a training), nats a token, each model's over the tokens that it has
    read in all its stages (logarithmic, millions); broken where a stage begins."""
    key = palette.Key(tuple((color, "", words) for color, _, words in LEARNERS.values()))
    figure = palette.canvas(
        dark,
        340,
        key,
        xaxis={"type": "log", "ticksuffix": " M tokens", "tickvals": [0.2, 0.5, 1, 2, 5, 10, 20, 50]},
        yaxis={"title": {"text": "nats a token"}, "rangemode": "tozero"},
    )
    for name, (color, stages, words) in LEARNERS.items():
        read, points = 0, []
        for _, stage in history(report):
            if stage["name"] in stages:
                points += [(read + tokens, loss) for tokens, loss in stage["losses"]] + [(None, None)]
                read += stage["tokens"]
        figure.add_scatter(
            name=words,
            mode="lines",
            x=[None if tokens is None else tokens / 1e6 for tokens, _ in points],
            y=[loss for _, loss in points],
            line={"color": color, "width": 2.5 if name == "target" else 1.5},
        )
    return figure
