"""The texts in a draft tree: tokens over or beside their marks, cut so that none touches another.

A node that no edge leaves has its row to itself and its text right of its mark. The others have theirs over the mark,
or, where rows are close, right of it: no longer than the way to the next column.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from specviz.trace.record import Iteration, Trace
from specviz.views.drafts.tree_layout import Coordinates, shown_roots, tidy_coordinates, tree_graph
from specviz.views.facts import iteration_facts as facts
from specviz.views.facts.iteration_facts import Drawn
from specviz.views.facts.prefix_names import next_token, root_label
from specviz.views.facts.tokens import label, markup, number
from specviz.views.plot import palette

Name = int | str
LETTER = 7  # pixels of a letter, as a rule
GAP = 24  # pixels from the middle of a mark to a text right of it, and left free after that
LONGEST_OUTER, LONGEST_INNER, SHORTEST = 14, 16, 3  # characters of a text
CLOSE = facts.MOST_ROWS  # rows that are too many for texts over the marks
_LOW, _LOW_WIDTH, _TALL_WIDTH = 3, 760, 424  # rows of a low tree, which is drawn wider; pixels between the margins
_SCATTER = {"type": "scatter"}


class Lettering(NamedTuple):
    """Where the texts of a tree go: over the marks that edges leave, or beside them; how far the axis begins left of
    the roots, in depths; and how many characters a text with an edge after it may have."""

    over: bool
    room: float
    inner: int


@facts.once
def lettering(iteration: Iteration) -> Lettering:
    """The lettering of a tree, for the narrowest panel that it is drawn in on a large page."""
    coordinates = tidy_coordinates(iteration)
    depth, rows = max(x for x, _ in coordinates.values()), 1 - min(y for _, y in coordinates.values())
    over = rows <= CLOSE
    room, width = 0.5 if over else 0.3, _LOW_WIDTH if rows <= _LOW else _TALL_WIDTH
    column = (width - GAP - LETTER * LONGEST_OUTER) / (room + max(depth, 1.0))
    inner = int((column - (4 if over else GAP)) / LETTER)
    return Lettering(over, room, min(max(inner, SHORTEST), LONGEST_INNER))


def labels(
    trace: Trace,
    iteration: Iteration,
    states: Mapping,
    coordinates: Coordinates,
    drawn: list[Drawn],
    dark: bool,
    folded: Iterable[int] = (),
) -> list[dict[str, Any]]:
    """Token texts, quieter for pruned nodes; ``folded`` are nodes that are only counted, behind the one they follow."""
    colors, inner, over = palette.theme(dark), _inner(iteration), lettering(iteration).over
    texts = node_texts(trace, iteration, (*shown_roots(iteration), *sorted(states)), drawn, folded)
    groups: dict[tuple[bool, str], list[tuple[float, float, str]]] = {}
    for name, text in texts.items():
        color = colors.muted if states.get(name) == "pruned" else colors.ink
        groups.setdefault((over and name in inner, color), []).append((*coordinates[name], markup(text)))
    return [
        dict(
            _SCATTER,
            x=[x for x, _, _ in points],
            y=[y for _, y, _ in points],
            mode="markers+text",
            marker={"size": 16, "color": palette.CLEAR, "line": {"width": 0}},  # texts keep their distance from it
            text=[text for _, _, text in points],
            textposition="top center" if above else "middle right",
            textfont={"color": color, "size": 12, "shadow": f"0 0 3px {colors.paper}"},
            hoverinfo="skip",
        )
        for (above, color), points in groups.items()
    ]


def node_texts(
    trace: Trace, iteration: Iteration, names: Iterable[int], drawn: list[Drawn], folded: Iterable[int] = ()
) -> dict[Name, str]:
    """What stands at the roots, nodes and drawn tokens of a tree, as plain text that fits."""
    nodes, inner, most = facts.nodes_of(iteration), _inner(iteration), lettering(iteration).inner
    several, more = facts.several_drafts(nodes), _folded_below(iteration, folded)
    texts: dict[Name, str] = {}
    for name in names:
        limit = most if name in inner else LONGEST_OUTER
        tail = f" +{more[name]}" if more[name] else ""
        if name < 0:
            texts[name] = root_label(trace, iteration, name, max(SHORTEST, limit - len(tail))) + tail
            continue
        node = nodes[name]
        tail = (f" ≈{number(node.estimate)}" if node.estimate is not None else "") + tail
        tail = (f" [{node.model + 1}]" if several else "") + tail
        texts[name] = label(trace.vocabulary, node.token, max(SHORTEST, limit - len(tail))) + tail
    for one in drawn:
        tail = f" ×{one.count}" if one.count > 1 else ""
        texts[one.name] = next_token(trace, one.token, LONGEST_OUTER - len(tail)) + tail
    return texts


def _inner(iteration: Iteration) -> set[Name]:
    """What an edge leaves."""
    return {parent for parent, _ in tree_graph(iteration).edges}


def _folded_below(iteration: Iteration, folded: Iterable[int]) -> Counter[Name]:
    """How many of the folded nodes stand somewhere below what is drawn."""
    nodes, first, graph = facts.nodes_of(iteration), facts.first_of_text(iteration), tree_graph(iteration)
    above = (
        first[prefix] if prefix < 0 else prefix
        for name in folded
        for prefix in [next(p for p in facts.ancestors(nodes, name) if p < 0 or p in graph)]
    )
    return Counter(above)


def reaches(trace: Trace, iteration: Iteration, coordinates: Coordinates) -> list[list[int]]:
    """Of every column with labels right of its marks the depth and the characters of the longest, at any stage, so that
    a narrow drawing can leave space for them and still keep all coordinates from stage to stage."""
    inner, drawn = _inner(iteration), facts.drawn_tokens(iteration)
    nodes = [name for name in coordinates if isinstance(name, int) and name >= 0]
    longest: dict[int, int] = {}
    for name, text in node_texts(trace, iteration, nodes, [one for one in drawn if one.name in coordinates]).items():
        if name not in inner:
            depth = int(coordinates[name][0])
            longest[depth] = max(len(text), longest.get(depth, 0))
    return [[depth, size] for depth, size in sorted(longest.items())]
