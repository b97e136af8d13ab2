"""The distribution a token was drawn from: the residual norm((target - draft)+), or the target itself."""

import plotly.graph_objects as go

from specviz.trace.record import DrawDecision, Trace
from specviz.views import palette
from specviz.views.bars import Bar, bars_figure, bars_text
from specviz.views.reading import table_of
from specviz.views.tokens import label, number


def is_residual(draw: DrawDecision) -> bool:
    """Whether the token came from something other than the target's own distribution."""
    return draw.source != draw.target


def _bars(trace: Trace, draw: DrawDecision) -> tuple[Bar, ...]:
    table = table_of(draw.source)
    return tuple(Bar(label(trace.vocabulary, t, 24), prob, t == draw.token, t) for t, prob in table.items())


def _title(draw: DrawDecision) -> str:
    return "residual: (target − draft)+, renormalised" if is_residual(draw) else "target"


def draw_text(trace: Trace, draw: DrawDecision) -> str:
    """The distribution and the draw in sentences."""
    text = bars_text(f"Drawn from the {_title(draw)}", _bars(trace, draw), "drawn")
    return text if draw.draw is None else f"{text} The uniform number was {number(draw.draw)}."


def draw_figure(trace: Trace, draw: DrawDecision, *, dark: bool = False) -> go.Figure:
    """Bars of the distribution drawn from, the drawn token marked with the look of its origin."""
    mark = palette.ORIGINS[draw.origin]
    plain = palette.theme(dark).pending if draw.origin == "target" else palette.TARGET
    return bars_figure(_bars(trace, draw), mark, plain, _title(draw), dark)
