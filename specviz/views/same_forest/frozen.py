"""A frozen forest and what one verifier keeps of it: over all coins, and with the coins on the table.

Same layout as ``views/drafts/tree.py``: left to right, x is depth. Every guess is a gauge: the disc inside fills it by
the probability that the verifier keeps the guess over all coins, its outline and glyph tell what happens with these
coins.
Nothing moves when another verifier is looked at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import plotly.graph_objects as go

from specviz.trace.decisions import Decision
from specviz.trace.forest import Forest
from specviz.views.drafts.tree_layout import Coordinates, tidy_layout
from specviz.views.facts import iteration_facts as facts
from specviz.views.facts.tokens import label, markup, number, quoted
from specviz.views.plot import palette

_ROOMY = 6  # rows up to which a label has three lines
_LABEL = 13  # characters of a token in the drawing
_COLUMN = 150  # pixels that a guess and its label need at least


@dataclass(frozen=True)
class FrozenForest:
    """A forest without a verdict: ``vocabulary`` of its tokens, the last token of the context, the nodes (whose
    outcomes are not looked at), and the target's probability of every submitted node."""

    vocabulary: Mapping[int, str]
    last: int
    record: Forest
    targets: Mapping[int, float]


@dataclass(frozen=True)
class VerdictRow:
    """What a verifier makes of the forest. ``record`` and ``decisions`` are those for the coins on the table;
    ``keep_probabilities`` the probability over all coins that a node is kept; ``lengths`` that of keeping 0, 1, 2 ...
    guesses."""

    title: str
    record: Forest
    decisions: Sequence[Decision]
    keep_probabilities: Mapping[int, float]
    lengths: Sequence[float]


def percent(probability: float) -> str:
    """A probability for a label; never 0% or 100% unless it is exactly that (to seven digits).

    >>> [percent(x) for x in (0, 1, 0.384, 0.002, 0.9995)]
    ['0%', '100%', '38%', '<1%', '>99%']
    """
    if 1e-7 < probability < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= probability < 1 - 1e-7 else f"{100 * probability:.0f}%"


def guesses(amount: int) -> str:
    """``1 guess``, ``3 guesses``."""
    return f"{amount} {'guess' if amount == 1 else 'guesses'}"


def offered(frozen: FrozenForest) -> tuple[int, ...]:
    """The nodes that the target scored, in order: the ones that verifiers judge."""
    return facts.submitted(frozen.record.nodes)


def forest_figure(frozen: FrozenForest, verdict: VerdictRow, *, dark: bool = False) -> go.Figure:
    """The forest under one verifier. Marks carry ``customdata``: the node's number (-1: the context)."""
    names = offered(frozen)
    graph = nx.DiGraph()
    graph.add_node(facts.ROOT)
    graph.add_edges_from((frozen.record.nodes[name].parent, name) for name in names)
    coordinates = tidy_layout(graph)
    rows = 1 - min(y for _, y in coordinates.values())
    depth, roomy = int(max(x for x, _ in coordinates.values())), rows <= _ROOMY
    figure = palette.canvas(
        dark,
        int((64 if roomy else 27) * rows + 40),
        _key(frozen, verdict, roomy, dark),
        xaxis={
            "range": [-0.2, max(depth, 1) + (0.75 if roomy else 0.95)],
            "tickvals": list(range(depth + 1)),
            "ticktext": ["context", *(f"guess {d}" for d in range(1, depth + 1))],
            "showgrid": False,
        },
        yaxis={"range": [0.5 - rows, 0.55], "visible": False},
    )
    figure.add_traces(_edges(frozen, verdict, names, coordinates, roomy, dark))
    figure.add_traces(_gauges(frozen, verdict, names, coordinates, roomy, dark))
    figure.add_traces(_labels(frozen, verdict, names, coordinates, roomy, dark))
    return figure


def widths(frozen: FrozenForest) -> dict[str, int]:
    """Pixels that the drawing needs at ``least``, where a narrower box should scroll, and takes at ``most``."""
    depth = max((frozen.record.nodes[name].depth for name in offered(frozen)), default=0)
    return {"least": _COLUMN * (depth + 1), "most": 250 * (depth + 1)}


def _edges(
    frozen: FrozenForest, verdict: VerdictRow, names: Sequence[int], coordinates: Coordinates, roomy: bool, dark: bool
) -> list[go.Scatter]:
    """From the end of a label to the next gauge, as wide as the draft's probability; kept ones in their colour."""
    colors, nodes, certain = palette.theme(dark), verdict.record.nodes, is_certain(frozen)
    groups: dict[tuple[str, int], list[tuple]] = {}
    for name in names:
        kept = nodes[name].outcome == "accepted"
        style = (palette.ACCEPTED if kept else colors.grid, 2 if certain else round(1 + 5 * nodes[name].draft_prob))
        groups.setdefault(style, []).append((coordinates[nodes[name].parent], coordinates[name]))
    start = 0.56 if roomy else 0.62
    return [
        go.Scatter(
            x=[x for (a, _), (b, _) in edges for x in (a + start, b - 0.1, None)],
            y=[y for (_, a), (_, b) in edges for y in (a, b, None)],
            mode="lines",
            line={"color": color, "width": width},
            hoverinfo="skip",
        )
        for (color, width), edges in groups.items()
    ]


def _gauges(
    frozen: FrozenForest, verdict: VerdictRow, names: Sequence[int], coordinates: Coordinates, roomy: bool, dark: bool
) -> list[go.Scatter]:
    """The discs, then the outlines with their glyphs, one trace per outcome."""
    colors, size, judged = palette.theme(dark), 38 if roomy else 21, verdict.record.nodes
    keep_probabilities = [verdict.keep_probabilities.get(name, 0.0) for name in names]
    context = {"symbol": "square", "size": 14, "color": colors.ink}
    root = label(frozen.vocabulary, frozen.last, 40)
    x, y = coordinates[facts.ROOT]
    traces = [
        go.Scatter(
            x=[x],
            y=[y],
            mode="markers",
            marker=context,
            customdata=[facts.ROOT],
            hovertext=[f"the last context token “{markup(root)}”"],
            hoverinfo="text",
        ),
        go.Scatter(
            x=[coordinates[name][0] for name in names],
            y=[coordinates[name][1] for name in names],
            mode="markers",
            marker={
                "size": [(size - 3) * probability**0.5 for probability in keep_probabilities],
                "color": palette.ACCEPTED,
                "opacity": [0.25 + 0.3 * probability for probability in keep_probabilities],
                "line": {"width": 0},
            },
            hoverinfo="skip",
            name="kept over all coins",
        ),
    ]
    for outcome in dict.fromkeys(judged[name].outcome for name in names):
        mark, group = palette.OUTCOMES[outcome], [name for name in names if judged[name].outcome == outcome]
        color = mark.outline or (palette.ACCEPTED if outcome == "accepted" else colors.muted)
        shape = {"unjudged": "circle"}.get(outcome, mark.symbol)
        outline = {"width": 3 if outcome == "accepted" else 1.5, "color": color}
        texts = [_inside(mark, verdict.keep_probabilities.get(name, 0.0), roomy) for name in group]
        traces.append(
            go.Scatter(
                x=[coordinates[name][0] for name in group],
                y=[coordinates[name][1] for name in group],
                mode="markers+text",
                marker={"symbol": shape, "size": size, "color": palette.CLEAR, "line": outline},
                text=texts,
                textfont={"size": 11, "color": colors.ink},
                customdata=group,
                hovertext=[markup(node_words(frozen, verdict, name)) for name in group],
                hoverinfo="text",
                name=mark.word,
            )
        )
    return traces


def _inside(mark: palette.MarkStyle, probability: float, roomy: bool) -> str:
    return f"<b>{mark.glyph}</b><br>{percent(probability).replace('<', '&lt;')}" if roomy else f"<b>{mark.glyph}</b>"


def _labels(
    frozen: FrozenForest, verdict: VerdictRow, names: Sequence[int], coordinates: Coordinates, roomy: bool, dark: bool
) -> list[go.Scatter]:
    """Right of every mark: the token, both probabilities (where there is no room: how often it is kept), and what these
    coins draw after it."""
    drawn = facts.draw_of(verdict.decisions)
    texts = {}
    for name in (facts.ROOT, *names):
        token = frozen.last if name == facts.ROOT else frozen.record.nodes[name].token
        lines = [f"<b>{markup(label(frozen.vocabulary, token, _LABEL))}</b>"]
        if name != facts.ROOT:
            drafted = [] if is_certain(frozen) else [f"draft {number(frozen.record.nodes[name].draft_prob)}"]
            kept = percent(verdict.keep_probabilities.get(name, 0.0)).replace("<", "&lt;")
            lines += [*drafted, f"target {number(frozen.targets[name])}"] if roomy else [kept]
        if drawn and drawn.after == name:
            mark = palette.ORIGINS[drawn.origin]
            lines.append(f"{mark.glyph} then <b>{markup(label(frozen.vocabulary, drawn.token, _LABEL))}</b>")
        texts[name] = ("<br>" if roomy else " ").join(lines)
    gap = "\u00a0" * (8 if roomy else 5)
    return [
        go.Scatter(
            x=[coordinates[name][0] for name in texts],
            y=[coordinates[name][1] for name in texts],
            mode="text",
            text=["<br>".join(gap + line for line in text.split("<br>")) for text in texts.values()],
            textposition="middle right",
            textfont={"size": 12, "color": palette.theme(dark).ink},
            hoverinfo="skip",
        )
    ]


def is_certain(frozen: FrozenForest) -> bool:
    """Whether no guess was drawn: the draft took what it thought best, or was sure."""
    return all(frozen.record.nodes[name].draft_prob == 1.0 for name in offered(frozen))


def _key(frozen: FrozenForest, verdict: VerdictRow, roomy: bool, dark: bool) -> palette.Key:
    """What the gauges say, and the outcomes on screen."""
    colors = palette.theme(dark)
    outcomes = dict.fromkeys(node.outcome for node in verdict.record.nodes if node.submitted)
    entries = [(palette.ACCEPTED, "●", "disc and %: how often it is kept, over all coins")]
    for name in outcomes:
        mark = palette.OUTCOMES[name]
        color = mark.color if mark.color not in ("", palette.CLEAR) else mark.outline or colors.muted
        entries.append((color, mark.glyph, f"{mark.word} with these coins"))
    drawn = facts.draw_of(verdict.decisions)
    if drawn:
        mark = palette.ORIGINS[drawn.origin]
        entries.append((mark.color, mark.glyph, mark.word))
    notes = [] if roomy else ["probabilities: in the words below, or point at a guess"]
    notes += [] if is_certain(frozen) else ["wider line: likelier under the draft"]
    return palette.Key(tuple(entries), "; ".join(notes))


def node_words(frozen: FrozenForest, verdict: VerdictRow, name: int) -> str:
    """One sentence about a guess under a verifier."""
    node = frozen.record.nodes[name]
    where = "the context" if node.parent < 0 else f"node {node.parent}"
    draft = "the draft's certain choice" if node.draft_prob == 1.0 else f"draft {number(node.draft_prob)}"
    kept = percent(verdict.keep_probabilities.get(name, 0.0))
    return (
        f"node {name}: {quoted(frozen.vocabulary, node.token)} after {where}, {draft}, "
        f"target {number(frozen.targets[name])}, kept in {kept} of all coins, "
        f"with these coins {palette.OUTCOMES[verdict.record.nodes[name].outcome].word}"
    )


def forest_text(frozen: FrozenForest, verdict: VerdictRow) -> str:
    """The figure in sentences, one line a guess."""
    names = offered(frozen)
    lines = [f"{guesses(len(names))} after {quoted(frozen.vocabulary, frozen.last)}, judged by “{verdict.title}”."]
    lines += [f"{node_words(frozen, verdict, name)}." for name in names]
    return "\n".join([*lines, drawn_words(frozen.vocabulary, verdict)])


def kept_path(verdict: VerdictRow) -> list[int]:
    """The nodes that these coins keep, from depth 1 on."""
    nodes = verdict.record.nodes
    return sorted((n for n, node in enumerate(nodes) if node.outcome == "accepted"), key=lambda n: nodes[n].depth)


def drawn_words(vocabulary: Mapping[int, str], verdict: VerdictRow) -> str:
    """What these coins keep and what is drawn after it, in a sentence."""
    path, drawn = kept_path(verdict), facts.draw_of(verdict.decisions)
    kept = " ".join(quoted(vocabulary, verdict.record.nodes[name].token) for name in path)
    first = f"With these coins it keeps {kept}" if path else "With these coins it keeps no guess"
    if drawn is None:
        return f"{first}."
    return f"{first}; then comes {quoted(vocabulary, drawn.token)}, {palette.ORIGINS[drawn.origin].word}."
