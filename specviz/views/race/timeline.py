"""Where each lane's time went: draft, target and verify segments of every lane on one time axis."""

from collections.abc import Sequence

import plotly.graph_objects as go

from specviz.facts.tokens import count, markup
from specviz.trace import titles
from specviz.trace.record import WARP, Trace
from specviz.views.plot import palette

_WORDS = {"draft": "draft calls", "target": "target calls", "verify": "verifying"}


def warp(trace: Trace) -> tuple[object, ...]:
    """The lane's temperature, top-k and top-p: lanes compare as distributions only where these are the same."""
    return tuple(trace.header.options.get(name) for name in WARP)


def warps_apart(traces: Sequence[Trace]) -> list[str]:
    """Which of temperature, top-k and top-p differ between lanes, as words."""
    values = zip(*(warp(trace) for trace in traces), strict=True)
    return [name.replace("_", "-") for name, different in zip(WARP, values, strict=True) if len(set(different)) > 1]


def lane_titles(traces: Sequence[Trace]) -> list[str]:
    """Each lane's method, with the options that tell lanes apart (``trace/titles.py``)."""
    return titles.lane_titles(_titled(traces))


def lane_names(traces: Sequence[Trace]) -> tuple[str, ...]:
    """A name for each lane: its title, and a number where that is not enough."""
    return titles.lane_names(_titled(traces))


def _titled(traces: Sequence[Trace]) -> list[titles.Titled]:
    headers = [trace.header for trace in traces]
    return [titles.Titled(header.method.name, header.method.title, header.options) for header in headers]


def phase_seconds(trace: Trace) -> dict[str, float]:
    """Seconds of the lane's clock in each phase, in the order draft, target, verify."""
    totals = dict.fromkeys(palette.PHASES, 0.0)
    for iteration in trace.iterations:
        for segment in iteration.segments:
            totals[segment.phase] += segment.end - segment.start
    return totals


def duration(seconds: float) -> str:
    """A time for a sentence: ``0.5 ms``, ``12 ms``, ``1.32 s``."""
    if seconds < 0.1:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.2f} s"


def timeline_text(traces: Sequence[Trace]) -> str:
    """One line per lane: its clock, and how it divides."""
    lines = []
    for name, trace in zip(lane_names(traces), traces, strict=True):
        totals = phase_seconds(trace)
        clock = sum(totals.values())
        parts = [f"{_WORDS[p]} {duration(s)} ({100 * s / clock:.0f} %)" for p, s in totals.items() if s > 0]
        where = "; ".join(parts) if parts else "nothing yet"
        lines.append(f"{name}: {duration(clock)} in {count(len(trace.iterations), 'iteration')}: {where}.")
    return "\n".join(lines)


def timeline_figure(traces: Sequence[Trace], *, dark: bool = False) -> go.Figure:
    """One row per lane, time in milliseconds to the right. Segments carry ``customdata``: the iteration's index."""
    names = [markup(name) for name in lane_names(traces)]
    figure = palette.canvas(
        dark,
        30 + 44 * len(traces),
        palette.Key(tuple((color, "", _WORDS[phase]) for phase, (color, _) in palette.PHASES.items())),
        margin={"r": 24},
        barmode="overlay",
        xaxis={"ticksuffix": " ms", "rangemode": "tozero"},
        yaxis={
            "tickvals": list(range(len(names))),
            "ticktext": names,
            "range": [len(names) - 0.4, -0.6],
            "showgrid": False,
        },
    )
    for phase, (color, share) in palette.PHASES.items():
        parts = [
            (lane, 1000 * segment.start, 1000 * (segment.end - segment.start), iteration.index)
            for lane, trace in enumerate(traces)
            for iteration in trace.iterations
            for segment in iteration.segments
            if segment.phase == phase
        ]
        figure.add_bar(
            name=_WORDS[phase],
            orientation="h",
            y=[lane for lane, _, _, _ in parts],
            base=[start for _, start, _, _ in parts],
            x=[length for _, _, length, _ in parts],
            customdata=[index for _, _, _, index in parts],
            width=0.8 * share,
            marker={"color": color, "line": {"width": 0}},
            hovertemplate="iteration %{customdata}: %{x:.3g} ms<extra>" + _WORDS[phase] + "</extra>",
        )
    return figure
