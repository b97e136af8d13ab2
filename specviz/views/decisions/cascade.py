"""Several candidates for one position: a small target and draft panel for each, so that the residual is seen to shrink.

After every rejection the target's distribution becomes norm((target - draft)+); without replacement the draft's loses
the rejected token. All panels list the same tokens."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from specviz.trace.decisions import Coin
from specviz.trace.distribution import overlap
from specviz.trace.record import Iteration, Trace
from specviz.views.facts.follows import is_left_over
from specviz.views.facts.tokens import markup, number, quoted
from specviz.views.plot import palette
from specviz.views.plot.bars import reach
from specviz.views.plot.probabilities import BarRow, namer, paired_bars, row_names, row_nodes, rows_axis

MOST = 4  # panels in a figure: the latest candidates
_TOKENS = 3  # listed in every panel, besides the candidates


def cascade_rows(decisions: Sequence[Coin]) -> list[tuple[BarRow, ...]]:
    """The rows of every panel: the same tokens in the same order (None: all others)."""
    height: dict[int, float] = {}
    for decision in decisions:
        for distribution in (decision.target, decision.draft):
            for token, prob in distribution.table().items():
                height[token] = max(prob, height.get(token, 0.0))
    judged = {decision.token for decision in decisions}
    ranked = sorted(height, key=lambda token: -height[token])
    listed = [t for rank, t in enumerate(ranked) if rank < _TOKENS or t in judged]
    panels = []
    for decision in decisions:
        p, q = decision.target.table(), decision.draft.table()
        rows = [BarRow(t, p.get(t, 0.0), q.get(t, 0.0), min(p.get(t, 0.0), q.get(t, 0.0))) for t in listed]
        target, draft = (max(0.0, 1.0 - sum(getattr(row, side) for row in rows)) for side in ("target", "draft"))
        shared = max(0.0, overlap(decision.target, decision.draft) - sum(row.shared for row in rows))
        panels.append((*rows, BarRow(None, target, draft, shared)))
    if all(max(panel[-1].target, panel[-1].draft) <= 1e-6 for panel in panels):
        panels = [panel[:-1] for panel in panels]
    return panels


def verdict_of(decision: Coin) -> str:
    """What became of a candidate, with its acceptance probability."""
    verdict = "accepted" if decision.accepted else "rejected"
    return f"{verdict}, acceptance probability {number(decision.acceptance_probability)}"


def cascade_text(trace: Trace, decisions: Sequence[Coin]) -> str:
    """The cascade in sentences: one line a candidate; ``decisions`` are those judged for the position so far."""
    lines = []
    for decision in decisions:
        parts = [
            f"“{namer(trace)(token)}” target {number(prob)}, draft {number(decision.draft.table().get(token, 0.0))}"
            for token, prob in list(decision.target.table().items())[: _TOKENS + 1]
            if prob > 0
        ]
        lines.append(
            f"Candidate {decision.candidate + 1} of {decision.candidates}, {quoted(trace.vocabulary, decision.token)}: "
            f"{verdict_of(decision)}. Judged by {'; '.join(parts)}; target and draft share "
            f"{number(overlap(decision.target, decision.draft))}."
        )
    return "\n".join(lines)


def cascade_data(
    trace: Trace, decisions: Sequence[Coin], iteration: Iteration | None = None, *, dark: bool = False
) -> dict[str, Any]:
    """One panel for each of the latest ``MOST`` candidates judged for a position, the newest at the bottom, as plain
    ``data`` and ``layout``; ``iteration`` is needed for the nodes that bars carry."""
    shown = list(decisions)[-MOST:]
    panels = cascade_rows(shown)
    size, tall = len(panels), 24 + 24 * len(panels[0])
    widest = reach(max(row.target, row.draft) for rows in panels for row in rows)
    axes: dict = {}
    notes = []
    for index, (decision, rows) in enumerate(zip(shown, panels, strict=True)):
        number_, top = "" if index == 0 else str(index + 1), 1.0 - index / size
        low, high = top - (tall - 24) / (tall * size), top - 20 / (tall * size)
        low = max(0.0, low - 4 / (tall * size))
        axes[f"xaxis{number_}"] = {"range": [0, widest], "anchor": f"y{number_}", "showticklabels": index == size - 1}
        axes[f"yaxis{number_}"] = rows_axis(row_names(rows, decision.token, namer(trace))) | {
            "domain": [low, high],
            "anchor": f"x{number_}",
        }
        word = markup(namer(trace)(decision.token))
        text = f"<b>{decision.candidate + 1} of {decision.candidates}: {word}</b>, {verdict_of(decision)}"
        beside = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "paper", "y": top, "yanchor": "top"}
        notes.append(beside | {"text": text, "showarrow": False, "font": {"size": 12}})
    left = len(decisions) - size
    shrinks = all(is_left_over(now.target, before.target, before.draft) for before, now in pairwise(decisions))
    left_of = ", what is left" if shrinks else ", as judged by"
    note = "solid: shared; hatched: excess; ▸ the candidate" + (f"; {left} earlier not shown" if left else "")
    layout = palette.frame(
        dark,
        30 + tall * size,
        palette.Key(((palette.TARGET, "", f"target{left_of}"), (palette.DRAFT, "", f"draft{left_of}")), note),
        notes=notes,
        margin={"r": 44},
        barmode="stack",
        hovermode="y",
        bargap=0.25,
        **axes,
    )
    data = []
    for index, rows in enumerate(panels):
        nodes = row_nodes(rows, iteration, shown[index])
        for bar in paired_bars(rows, dark, nodes, "" if index == 0 else str(index + 1)):
            data.append(bar | {"textfont": bar["textfont"] | {"size": 9}, "constraintext": "none"})
    return {"data": data, "layout": layout}
