"""The texts in a draft tree: tokens over or beside their marks, and the space that they take."""

from collections.abc import Mapping
from typing import Any

from specviz.trace.record import Iteration, Trace
from specviz.views.drafts.tree_layout import Coordinates, shown_roots, tree_graph
from specviz.views.facts import iteration_facts as facts
from specviz.views.facts.iteration_facts import Drawn
from specviz.views.facts.prefix_names import next_token, root_label
from specviz.views.facts.tokens import label, markup, number
from specviz.views.plot import palette

_CROWDED = 40  # rows from which pruned nodes lose their labels
_LABEL = 16  # characters of a token shown in the drawing; the hover shows more
_SCATTER = {"type": "scatter"}


def labels(
    trace: Trace, iteration: Iteration, states: Mapping, coordinates: Coordinates, drawn: list[Drawn], dark: bool
) -> list[dict[str, Any]]:
    """Token texts: over a mark, or right of one that no edge leaves; quieter for pruned nodes."""
    colors, nodes = palette.theme(dark), facts.nodes_of(iteration)
    inner = {parent for parent, _ in tree_graph(iteration).edges}
    several = facts.several_drafts(nodes)
    texts: dict[int | str, str] = {root: root_label(trace, iteration, root, _LABEL) for root in shown_roots(iteration)}
    for name in sorted(states):
        texts[name] = label(trace.vocabulary, nodes[name].token, _LABEL)
        texts[name] += f" [{nodes[name].model + 1}]" if several else ""
        texts[name] += f" ≈{number(nodes[name].estimate)}" if nodes[name].estimate is not None else ""
    for one in drawn:
        texts[one.name] = next_token(trace, one.token, _LABEL) + (f" ×{one.count}" if one.count > 1 else "")
    groups: dict[tuple[str, str], list[tuple]] = {}
    crowded = len({y for _, y in coordinates.values()}) > _CROWDED
    for name, text in texts.items():
        if crowded and states.get(name) == "pruned":
            continue
        style = (
            "top center" if name in inner else "middle right",
            colors.muted if states.get(name) == "pruned" else colors.ink,
        )
        shown = markup(text) + "<br> " if name in inner else "\u00a0" * 4 + markup(text)
        groups.setdefault(style, []).append((*coordinates[name], shown))
    return [
        dict(
            _SCATTER,
            x=[x for x, _, _ in points],
            y=[y for _, y, _ in points],
            mode="text",
            text=[text for _, _, text in points],
            textposition=side,
            textfont={"color": color, "size": 12},
            hoverinfo="skip",
        )
        for (side, color), points in groups.items()
    ]


def reaches(trace: Trace, iteration: Iteration, coordinates: Coordinates) -> list[list[int]]:
    """Of every column with labels right of its marks the depth and the characters of the longest, at any stage, so that
    a narrow drawing can leave space for them and still keep all coordinates from stage to stage."""
    nodes, inner = facts.nodes_of(iteration), {parent for parent, _ in tree_graph(iteration).edges}
    drawn = {one.name: next_token(trace, one.token, _LABEL) for one in facts.drawn_tokens(iteration)}
    longest: dict[int, int] = {}
    for name, (depth, _) in coordinates.items():
        if name not in inner and (isinstance(name, str) or name >= 0):
            text = drawn[name] if isinstance(name, str) else label(trace.vocabulary, nodes[name].token, _LABEL)
            longest[int(depth)] = max(len(text), longest.get(int(depth), 0))
    return [[depth, size] for depth, size in sorted(longest.items())]


def room(trace: Trace, iteration: Iteration, depth: int) -> float:
    """How far the axis begins left of the roots, in depths, so that their labels fit a narrow panel."""
    longest = max(len(root_label(trace, iteration, root, _LABEL)) for root in shown_roots(iteration))
    return max(0.3, min(0.9, 0.01 * longest * (depth + 1.1)))
