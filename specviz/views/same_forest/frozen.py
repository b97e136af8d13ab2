"""A frozen forest and what one verifier keeps of it: over all coins, and with the current coins.

The forest is a picture as the Microscope's (``views/drafts/forest.py``). Every guess is a gauge, filled by the
probability that the verifier keeps it over all coins; its frame and glyph tell what happens with these coins. Nothing
moves when another verifier is looked at: what these coins draw has a column and a row kept free for it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

from specviz.facts import iteration_facts as facts
from specviz.facts.tokens import label, number, quoted
from specviz.pictures.data import short
from specviz.trace.decisions import Decision
from specviz.trace.forest import Forest
from specviz.views.drafts.forest import LONGEST, edge_weights
from specviz.views.drafts.tree_layout import Coordinates, tidy_layout
from specviz.views.plot import palette
from specviz.views.story.payload_types import ForestGuess, ForestMark, ForestPicture, ForestStage

DRAWN = "drawn"
"""The name of the token that these coins draw."""


@dataclass(frozen=True)
class FrozenForest:
    """A forest without a verdict: ``vocabulary`` of its tokens, the last token of the context, the nodes (whose
    outcomes are not looked at), the target's probability of every submitted node, and what it is drawn like, one of
    ``LOOKS``."""

    vocabulary: Mapping[int, str]
    last: int
    record: Forest
    targets: Mapping[int, float]
    look: str = "tree"


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


def forest_picture(frozen: FrozenForest) -> ForestPicture:
    """The forest without a verdict: the guesses that the target scored, as far as they are drawn; the others are
    counted."""
    nodes, places, rows = frozen.record.nodes, _places(frozen), _rows(frozen)
    weights = edge_weights(nodes)
    folded = len(nodes) - len(places) + 1
    notes = ["frame and sign: with these coins"]
    notes += [] if is_certain(frozen) else ["wider line: likelier under the draft"]
    notes += [f"+1, +2 ..: guesses that are not drawn, {folded} in all"] if folded else []
    return {
        "look": frozen.look,
        "depth": 1 + int(max(x for x, _ in places.values())),
        "rows": rows + 1,
        "roots": [
            {"name": facts.ROOT, "label": label(frozen.vocabulary, frozen.last, LONGEST), "y": -places[facts.ROOT][1]}
        ],
        "guesses": [
            {
                "name": str(name),
                "node": name,
                "label": label(frozen.vocabulary, nodes[name].token, LONGEST),
                "tail": "",
                "parent": str(nodes[name].parent),
                "x": places[name][0],
                "y": -places[name][1],
                "weight": weights[name],
                "words": "",
            }
            for name in _shown(frozen)
        ],
        "below": DRAWN,
        "key": {"marks": [], "notes": notes},
    }


def _shown(frozen: FrozenForest) -> list[int]:
    nodes = frozen.record.nodes
    return sorted(facts.prominent(nodes) & set(facts.submitted(nodes)))


def _places(frozen: FrozenForest) -> Coordinates:
    graph = nx.DiGraph()
    graph.add_node(facts.ROOT)
    graph.add_edges_from((frozen.record.nodes[name].parent, name) for name in _shown(frozen))
    return tidy_layout(graph)


def _rows(frozen: FrozenForest) -> int:
    """Rows of the guesses; what is drawn after one that others follow stands below all of them."""
    return 1 + int(max(-y for _, y in _places(frozen).values()))


def drawn_guess(frozen: FrozenForest, verdict: VerdictRow) -> ForestGuess | None:
    """What these coins draw, where it stands; None where nothing is drawn, or after a guess that is not."""
    drawn, places = facts.draw_of(verdict.decisions), _places(frozen)
    if drawn is None or drawn.prefix not in places:
        return None
    x, y = places[drawn.prefix]
    last = all(node.parent != drawn.prefix or name not in places for name, node in enumerate(frozen.record.nodes))
    return {
        "name": DRAWN,
        "node": None,
        "label": label(frozen.vocabulary, drawn.token, LONGEST),
        "tail": "",
        "parent": str(drawn.prefix),
        "x": x + 1,
        "y": -y if last else float(_rows(frozen)),
        "weight": 0.3,
        "words": f"{quoted(frozen.vocabulary, drawn.token)}: {palette.ORIGINS[drawn.origin].word}",
    }


def forest_stage(frozen: FrozenForest, verdict: VerdictRow) -> ForestStage:
    """How the forest stands under one verifier."""
    nodes, shown, order = verdict.record.nodes, _shown(frozen), {name: at for at, name in enumerate(palette.OUTCOMES)}
    drawn, keep = facts.draw_of(verdict.decisions), verdict.keep_probabilities
    folded = Counter(
        next(prefix for prefix in facts.ancestors(nodes, name) if prefix < 0 or prefix in shown)
        for name in range(len(nodes))
        if name not in shown
    )
    return {
        "states": [order[nodes[name].outcome] for name in shown],
        "drawn": {DRAWN: (drawn.origin, 1)} if drawn else {},
        "folded": {str(name): count for name, count in folded.items()},
        "ends": [],
        "widths": [],
        "kept": [(short(keep.get(name, 0.0)), percent(keep.get(name, 0.0))) for name in shown],
    }


def is_certain(frozen: FrozenForest) -> bool:
    """Whether no guess was drawn at random: the draft took its best ones, or was certain."""
    return all(frozen.record.nodes[name].draft_prob == 1.0 for name in offered(frozen))


def marks_of(frozen: FrozenForest, verdict: VerdictRow) -> list[ForestMark]:
    """What the gauges say, and the outcomes on screen: state, glyph and word of each."""
    outcomes = dict.fromkeys(verdict.record.nodes[name].outcome for name in _shown(frozen))
    drawn = facts.draw_of(verdict.decisions) if drawn_guess(frozen, verdict) else None
    return [
        ("kept", "%", "filled: how often it is kept, over all coins"),
        *((name, palette.OUTCOMES[name].glyph, palette.OUTCOMES[name].word) for name in outcomes),
        *([(drawn.origin, palette.ORIGINS[drawn.origin].glyph, palette.ORIGINS[drawn.origin].word)] if drawn else []),
    ]


def node_words(frozen: FrozenForest, verdict: VerdictRow, name: int) -> str:
    """One sentence about a guess under a verifier."""
    node = frozen.record.nodes[name]
    where = "the context" if node.parent < 0 else f"node {node.parent}"
    draft = "the draft's certain choice" if node.draft_prob == 1.0 else f"draft {number(node.draft_prob)}"
    share = percent(verdict.keep_probabilities.get(name, 0.0))
    return (
        f"node {name}: {quoted(frozen.vocabulary, node.token)} after {where}, {draft}, "
        f"target {number(frozen.targets[name])}, kept in {share} of all coins, "
        f"with these coins {palette.OUTCOMES[verdict.record.nodes[name].outcome].word}"
    )


def verdict_words(frozen: FrozenForest, verdict: VerdictRow) -> tuple[str, dict[int, str]]:
    """The forest in sentences: what it is and who judges it, and one about each guess, by node."""
    names = offered(frozen)
    lead = f"{guesses(len(names))} after {quoted(frozen.vocabulary, frozen.last)}, judged by “{verdict.title}”."
    return lead, {name: f"{node_words(frozen, verdict, name)}." for name in names}


def kept_path(verdict: VerdictRow) -> list[int]:
    """The nodes that these coins keep, from depth 1 on."""
    nodes = verdict.record.nodes
    return sorted((n for n, node in enumerate(nodes) if node.outcome == "accepted"), key=lambda n: nodes[n].depth)


def drawn_words(vocabulary: Mapping[int, str], verdict: VerdictRow) -> str:
    """What these coins keep and what is drawn after it, in a sentence."""
    path, drawn = kept_path(verdict), facts.draw_of(verdict.decisions)
    path_words = " ".join(quoted(vocabulary, verdict.record.nodes[name].token) for name in path)
    first = f"With these coins it keeps {path_words}" if path else "With these coins it keeps no guess"
    if drawn is None:
        return f"{first}."
    return f"{first}; then comes {quoted(vocabulary, drawn.token)}, {palette.ORIGINS[drawn.origin].word}."
