"""The numbers of a lane, ready to show: value, unit, label, and a sentence saying what each means."""

from collections.abc import Sequence

import plotly.graph_objects as go

from specviz.facts.tokens import markup
from specviz.measure.disturbance import disturbed_by
from specviz.measure.summary import METRIC_HELP
from specviz.trace.record import Trace
from specviz.views.plot import palette
from specviz.views.race.timeline import lane_names
from specviz.views.story.payload_types import Dial

SHOWN = (
    "tokens_per_second",
    "tokens_per_target_call",
    "acceptance_rate",
    "perplexity",
    "flops_per_token",
    "joules_per_token",
)
MORE = (
    "alpha",
    "acceptance_by_depth",
    "bytes_per_token",
    "kv_bytes_peak",
    "kv_bytes_separate",
    "seconds_to_first_token",
    "drafts_stopped",
    "average_width",
    "ms_per_target_call",
    "ms_per_draft_call",
)
"""Further numbers that a reader can choose."""
_ABSENT = "Not measured on the machine that ran this: {}; nothing is estimated."
_PREFIXED = {"FLOP", "B"}  # units
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def dials(trace: Trace) -> list[Dial]:
    """One entry per dial; ``text`` is the value as shown, an en dash where the run has none. ``usual`` dials are shown
    by default: joules only if they were measured, else ``help`` says why not. For a disturbed lane tokens per target
    call come first and its speed last."""
    usual = (*SHOWN[1:], SHOWN[0]) if disturbed_by(trace.metrics) else SHOWN
    return [_dial(trace, key) for key in (*usual, *MORE)]


def _dial(trace: Trace, key: str) -> Dial:
    value, about = getattr(trace.metrics, key), METRIC_HELP[key]
    missing = key == "joules_per_token" and value is None
    text, unit = reading(key, value, about.unit)
    return {
        "key": key,
        "label": about.label,
        "value": None if isinstance(value, tuple) else value,
        "unit": unit,
        "text": text,
        "help": f"{about.meaning} {_ABSENT.format(trace.no_energy)}" if missing else about.meaning,
        "usual": key in SHOWN and not missing,
    }


def _usual(trace: Trace) -> list[Dial]:
    return [dial for dial in dials(trace) if dial["usual"]]


def reading(key: str, value: float | tuple[float, ...] | None, unit: str) -> tuple[str, str]:
    """The value as a person reads it, and its unit: rates in per cent, large counts with a prefix."""
    if value is None or value == ():
        return "–", ""
    if isinstance(value, tuple):
        return " ".join(f"{100 * part:.0f}" for part in value), "%"
    if key in ("acceptance_rate", "drafts_stopped"):
        return f"{100 * value:.0f}", "%"
    if unit in _PREFIXED:
        for scale, prefix in _PREFIXES:
            if value >= scale:
                return _digits(value / scale), prefix + unit
    return _digits(value), unit


def _digits(value: float) -> str:
    """Three significant digits, none after the point from 100 on."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def dials_text(trace: Trace) -> str:
    """The dials in one line per number."""
    return "\n".join(f"{d['label']}: {d['text']} {d['unit']}".rstrip() for d in _usual(trace))


def dials_figure(traces: Sequence[Trace], *, dark: bool = False) -> go.Figure:
    """One panel per dial, one bar per lane, each bar with its number; a lane without the number has no bar."""
    lanes = [{dial["key"]: dial for dial in _usual(trace)} for trace in traces]
    keys = [key for key in SHOWN if any(lane.get(key, {}).get("value") is not None for lane in lanes)]
    columns = min(3, len(keys)) or 1
    rows = -(-len(keys) // columns) or 1
    names = [markup(name) for name in lane_names(traces)]
    axes, titles = {}, []
    for index, key in enumerate(keys):
        row, column = divmod(index, columns)
        left, right = (column + 0.02) / columns, (column + 0.94) / columns
        top = 1 - row / rows - 0.1 / rows
        number = index + 1 if index else ""
        values = [lane[key]["value"] for lane in lanes if key in lane]
        most = max(value for value in values if value is not None)
        axes[f"xaxis{number}"] = {
            "domain": [left, right],
            "anchor": f"y{number}",
            "range": [0, 1.6 * most or 1],
            "showticklabels": False,
            "showgrid": False,
        }
        axes[f"yaxis{number}"] = {
            "domain": [top - 0.8 / rows, top],
            "anchor": f"x{number}",
            "tickvals": list(range(len(names))),
            "ticktext": names,
            "showticklabels": column == 0,
            "range": [len(names) - 0.4, -0.6],
            "showgrid": False,
        }
        titles.append(
            {
                "text": f"<b>{METRIC_HELP[key].label}</b>",
                **{"xref": "paper", "yref": "paper", "x": left, "y": top},
                **{"xanchor": "left", "yanchor": "bottom", "showarrow": False},
            }
        )
    figure = palette.canvas(dark, rows * (46 + 30 * len(traces)), palette.Key(()), notes=titles, **axes)
    for index, key in enumerate(keys):
        shown = [(at, lane[key]) for at, lane in enumerate(lanes) if key in lane and lane[key]["value"] is not None]
        number = index + 1 if index else ""
        figure.add_bar(
            orientation="h",
            x=[dial["value"] for _, dial in shown],
            y=[at for at, _ in shown],
            text=[markup(f"{dial['text']} {dial['unit']}".rstrip()) for _, dial in shown],
            textposition="outside",
            cliponaxis=False,
            width=0.6,
            marker={"color": palette.ACCEPTED if not dark else palette.DRAFT},
            hoverinfo="skip",
            xaxis=f"x{number}",
            yaxis=f"y{number}",
        )
    return figure
