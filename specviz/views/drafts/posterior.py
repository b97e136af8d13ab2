"""Candidates ranked by their posterior: with the correlation of neighbouring tokens, and as if they were independent.

A row a candidate, best first; a filled mark at its posterior, a hollow one at what it would be without the correlation
(slim.txt, Eq. 3), on a logarithmic axis. What the reduction keeps is solid, the rest is faint.
"""

from collections.abc import Sequence
from functools import partial
from math import log10

import plotly.graph_objects as go

from specviz.trace.forest import Hypothesis
from specviz.trace.record import Iteration, Trace
from specviz.views.facts import iteration_facts as facts
from specviz.views.facts.prefix_names import phrase
from specviz.views.facts.scene_parts import Drawing, Shown, Telling, join
from specviz.views.facts.tokens import count, markup, number, worked
from specviz.views.plot import palette

BEST, LAST, CUT = 12, 3, 5  # rows: the best kept, the last kept, the first left out


def listed(hypotheses: Sequence[Hypothesis]) -> tuple[tuple[int, Hypothesis], ...]:
    """The candidates shown, with their ranks from 1: the best, the last that are kept, the first that are not."""
    ranked = list(enumerate(hypotheses, start=1))
    kept = [one for one in ranked if one[1].kept]
    cut = [one for one in ranked if not one[1].kept]
    return tuple(sorted({rank: (rank, h) for rank, h in (*kept[:BEST], *kept[-LAST:], *cut[:CUT])}.values()))


def displaced(hypotheses: Sequence[Hypothesis]) -> int:
    """How many of the kept would not be, were the listed candidates ranked as if their tokens were independent."""
    kept = sum(hypothesis.kept for hypothesis in hypotheses)
    ranked = sorted(hypotheses, key=lambda hypothesis: -hypothesis.independent)
    return sum(not hypothesis.kept for hypothesis in ranked[:kept])


def posterior_text(trace: Trace, iteration: Iteration) -> str:
    """The shown candidates in sentences."""
    hypotheses, considered = facts.forest_of(iteration).hypotheses, facts.forest_of(iteration).considered
    lines = [f"{count(considered, 'candidate')} considered; the best {len(hypotheses)} are recorded."]
    for rank, one in listed(hypotheses):
        lines.append(
            f"{rank}: {phrase(trace.vocabulary, one.tokens)}, posterior {number(one.posterior)}, independent "
            f"{number(one.independent)}, {'kept' if one.kept else 'left out'}."
        )
    return "\n".join(lines)


def posterior_figure(trace: Trace, iteration: Iteration, *, dark: bool = False) -> go.Figure:
    """A row a candidate. Marks carry ``customdata``: the node it ends in (null where it was left out)."""
    colors, rows = palette.theme(dark), listed(facts.forest_of(iteration).hypotheses)
    positive = [v for _, one in rows for v in (one.posterior, one.independent) if v > 0]
    floor = min(map(log10, positive), default=-1.0) - 0.3
    values = [[log10(v) if v > 0 else floor for v in (one.posterior, one.independent)] for _, one in rows]
    names = [f"{rank} {markup(phrase(trace.vocabulary, one.tokens, 22)[1:-1])}" for rank, one in rows]
    names = [f"<b>✓ {name}</b>" if one.kept else name for name, (_, one) in zip(names, rows, strict=True)]
    left, right = floor, max((v for pair in values for v in pair), default=0.0) + 0.3
    figure = palette.canvas(
        dark,
        46 + 20 * len(rows),
        palette.Key(
            ((palette.ACCEPTED, "●", "posterior"), (palette.RESAMPLED, "○", "if tokens were independent")),
            "✓ kept; faint: left out",
        ),
        margin={"r": 16, "t": 10},
        xaxis={"range": [left, right], **_powers(left, right)},
        yaxis={
            "tickvals": list(range(len(rows))),
            "ticktext": names,
            "range": [len(rows) - 0.4, -0.6],
            "showgrid": False,
            "tickfont": {"size": 12},
        },
    )
    lines = [v for y, (a, b) in enumerate(values) for v in ((a, y), (b, y), (None, None))]
    figure.add_scatter(
        x=[x for x, _ in lines],
        y=[y for _, y in lines],
        mode="lines",
        line={"color": colors.grid, "width": 3},
        hoverinfo="skip",
        name="difference",
    )
    for column, name, color, symbol in (
        (1, "independent", palette.RESAMPLED, "circle-open"),
        (0, "posterior", palette.ACCEPTED, "circle"),
    ):
        figure.add_scatter(
            x=[pair[column] for pair in values],
            y=list(range(len(rows))),
            mode="markers",
            marker={
                "symbol": symbol,
                "size": 10,
                "color": color,
                "opacity": [1.0 if one.kept else 0.4 for _, one in rows],
                "line": {"color": color, "width": 2},
            },
            customdata=[one.node for _, one in rows],
            hovertext=[number(getattr(one, name)) for _, one in rows],
            hovertemplate="%{hovertext}<extra>" + name + "</extra>",
            name=name,
        )
    return figure


def _powers(left: float, right: float) -> dict:
    """Ticks at powers of ten, at most about six."""
    every = max(1, round((right - left) / 5))
    powers = [power for power in range(int(left) - 1, int(right) + 2) if left <= power <= right and power % every == 0]
    return {"tickvals": powers, "ticktext": ["1" if power == 0 else f"10<sup>{power}</sup>" for power in powers]}


def _formula(name: str, best: Hypothesis, share: float | None) -> str:
    """The best candidate's posterior from its independent one, and its share of the sum of all, numbers put in."""
    made = number(best.posterior)
    formula = f"best: posterior({name}) = {made}"
    if best.posterior != best.independent and best.independent > 0:
        factor = best.posterior / best.independent
        alone, times = worked(made, lambda independent, factor: independent * factor, best.independent, factor)
        formula = f"best: posterior({name}) = independent {alone} × correlation {times} = {made}"
    if not share:
        return formula
    part = number(share)
    mine, whole = worked(part, lambda mine, whole: mine / whole, best.posterior, best.posterior / share)
    return f"{formula}; its share of all = {mine} / {whole} = {part}"


def show_reduction(trace: Trace, iteration: Iteration) -> Shown:
    """Candidates are ranked by their posterior, and only the best go to the target."""
    hypotheses, considered = facts.forest_of(iteration).hypotheses, facts.forest_of(iteration).considered
    kept = sum(hypothesis.kept for hypothesis in hypotheses)
    sent = len(facts.submitted(facts.nodes_of(iteration)))
    moved = displaced(hypotheses)
    other = any(h.posterior != h.independent for h in hypotheses)
    changed = (
        f"Without the correlation of neighbouring tokens, {moved} of those kept would give way to others in the list."
        if moved
        else "Without the correlation of neighbouring tokens, the same ones of the list would be kept."
    )
    best = hypotheses[0]
    share = None if best.node is None else facts.nodes_of(iteration)[best.node].score
    telling = Telling(
        f"Reduced: {kept} of {considered:,} candidates kept",
        join(
            f"Each of {count(considered, 'candidate')} is ranked by its own posterior; the best {kept}, with the "
            f"tokens that lead to them, make {count(sent, 'node')} for the target. The mask shrinks with them.",
            changed if other else "",
        ),
        _formula(phrase(trace.vocabulary, best.tokens), best, share),
    )
    drawing = Drawing(partial(posterior_figure, trace, iteration), partial(posterior_text, trace, iteration))
    return Shown(telling, {"decision": ("posterior", drawing)})
