"""A plotly figure as small JSON data, for pages whose figures plotly.js draws."""

from typing import Any

import plotly.graph_objects as go

from specviz.pictures.data import short
from specviz.views.plot import palette
from specviz.views.story.payload_types import DrawnFigure


def plain(figure: go.Figure | dict[str, Any]) -> DrawnFigure:
    """A figure, or its ``data`` and ``layout``, as small JSON data: without a template, its key as ``legend`` instead
    of an annotation."""
    drawn = _shortened(figure if isinstance(figure, dict) else figure.to_plotly_json())
    layout = drawn["layout"]
    layout.pop("template", None)
    legend = (layout.pop("meta", None) or {}).get("legend")
    notes = [note for note in layout.get("annotations", ()) if note.get("name") != palette.KEY]
    return {"data": drawn["data"], "layout": layout | {"annotations": notes}, "legend": legend}


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shortened(item) for item in value]
    return short(value) if isinstance(value, float) else value
