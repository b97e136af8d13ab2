"""The draft tree, or forest, as a picture without colours and pixels: the place of every node, and its state at every
stage of a step. The player draws it (assets/player/src/draw), like those of the film (``views/race/motion.py``).

Depth runs from left to right, one column each; rows count from the top. Several input beams share the left column,
equal texts as one. Nothing moves from stage to stage.
"""

from collections import Counter
from collections.abc import Sequence

from specviz.facts import iteration_facts as facts
from specviz.facts.prefix_names import next_token, root_label
from specviz.facts.tokens import label, number, quoted
from specviz.trace.decisions import WidthTest
from specviz.trace.forest import Node
from specviz.trace.record import Iteration, Trace
from specviz.views.drafts import node_states
from specviz.views.drafts.stages import END, known_stage, tree_stages
from specviz.views.drafts.tree_layout import extent, last_drawn, shown_roots, tidy_coordinates, tree_graph
from specviz.views.plot import palette
from specviz.views.story.payload_types import ForestGuess, ForestKey, ForestPicture, ForestRoot, ForestStage

LONGEST = 16  # characters of a text; the drawing may cut it further
LOOKS = {
    **dict.fromkeys(("beam", "beam-forest", "layers", "search-layers", "joint"), "beams"),
    **dict.fromkeys(("heads-chain", "heads-tree", "posterior"), "heads"),
    **dict.fromkeys(("chain", "confident", "none"), "chain"),
    "fork": "forks",
}
"""The look of a forest by its drafter; the default is a tree."""


def look_of(drafter: str) -> str:
    """The look of a drafter's forests."""
    return LOOKS.get(drafter, "tree")


def forest_picture(trace: Trace, index: int) -> ForestPicture:
    """The forest of one iteration, with everything that any stage shows."""
    iteration = facts.iteration_of(trace, index)
    places, drawn = tidy_coordinates(iteration), facts.drawn_tokens(iteration)
    names = sorted(name for name in places if isinstance(name, int) and name >= 0)
    nodes, first = facts.nodes_of(iteration), facts.first_of_text(iteration)
    weights = edge_weights(nodes)
    several = facts.several_drafts(nodes)
    guesses: list[ForestGuess] = []
    for name in names:
        node = nodes[name]
        tail = f" ≈{number(node.estimate)}" if node.estimate is not None else ""
        tail += f" [{node.model + 1}]" if several else ""
        guesses.append(
            {
                "name": str(name),
                "node": name,
                "label": label(trace.vocabulary, node.token, LONGEST),
                "tail": tail,
                "parent": str(first[node.parent] if node.parent < 0 else node.parent),
                "x": places[name][0],
                "y": -places[name][1],
                "weight": weights[name],
                "words": f"node {name}: {quoted(trace.vocabulary, node.token)}, {_chance(iteration, name)}",
            }
        )
    for token in drawn:
        if token.name not in places:
            continue
        guesses.append(
            {
                "name": token.name,
                "node": None,
                "label": next_token(trace, token.token, LONGEST),
                "tail": "",
                "parent": str(token.parent),
                "x": places[token.name][0],
                "y": -places[token.name][1],
                "weight": 0.3,
                "words": f"{next_token(trace, token.token)}: {palette.ORIGINS[token.origin].word}",
            }
        )
    depth, rows = extent(iteration, places)
    last = last_drawn(iteration)
    picture: ForestPicture = {
        "look": look_of(trace.header.method.drafter),
        "depth": depth,
        "rows": rows,
        "roots": [_root(trace, iteration, root, -places[root][1]) for root in shown_roots(iteration)],
        "guesses": guesses,
        "key": _key(trace, iteration),
    }
    if last is not None and last in places:
        picture["below"] = last
    return picture


def _root(trace: Trace, iteration: Iteration, root: int, y: float) -> ForestRoot:
    return {"name": root, "label": root_label(trace, iteration, root, LONGEST), "y": y}


def forest_stage(trace: Trace, index: int, key: str) -> ForestStage:
    """The state of the forest at a stage. Raises SpecvizError for an unknown iteration or stage."""
    iteration = facts.iteration_of(trace, index)
    stage = tree_stages(iteration)[known_stage(iteration, key)]
    places, order = tidy_coordinates(iteration), {state: at for at, state in enumerate(palette.OUTCOMES)}
    names = sorted(name for name in places if isinstance(name, int) and name >= 0)
    states = stage.states
    drawn = [token for token in facts.drawn_tokens(iteration, stage.made) if token.name in places]
    folded = _folded_below(iteration, [name for name in states if name not in places])
    decided = iteration.decisions[: stage.made]
    return {
        "states": [order[states[name]] if name in states else None for name in names],
        "drawn": {token.name: (token.origin, token.count) for token in drawn},
        "folded": {str(name): count for name, count in folded.items()},
        "ends": [str(name) for name in facts.ends(iteration) if name in places] if key == END else [],
        "widths": [
            (layer.depth, f"width {layer.width}" + (f" of {layer.offered}" if layer.width <= layer.offered else ""))
            for layer in decided
            if isinstance(layer, WidthTest)
        ],
    }


def edge_weights(nodes: Sequence[Node]) -> dict[int, float]:
    """How wide the edge above each node is, 0 to 1: its draft probability, or its score as a share of the best one."""
    best = max((node.score for node in nodes if node.score), default=1.0)
    wide = (node.draft_prob if node.score is None else node.score / best for node in nodes)
    return {name: round(weight, 4) for name, weight in enumerate(wide)}


def _chance(iteration: Iteration, name: int) -> str:
    """The draft's probability or score of a node, in words."""
    node = facts.nodes_of(iteration)[name]
    parts = [f"draft {number(node.draft_prob)}" if node.score is None else f"ranked by {number(node.score)}"]
    parts += [f"estimated acceptance {number(node.estimate)}"] if node.estimate is not None else []
    parts += [f"from draft model {node.model + 1}"] if facts.several_drafts(facts.nodes_of(iteration)) else []
    return ", ".join(parts)


def _folded_below(iteration: Iteration, folded: list[int]) -> Counter[int]:
    """How many nodes below each drawn one are folded away."""
    nodes, first, graph = facts.nodes_of(iteration), facts.first_of_text(iteration), tree_graph(iteration)
    above = (
        first[prefix] if prefix < 0 else prefix
        for name in folded
        for prefix in [next(p for p in facts.ancestors(nodes, name) if p < 0 or p in graph)]
    )
    return Counter(above)


def _key(trace: Trace, iteration: Iteration) -> ForestKey:
    """The marks that may appear in this iteration: the same at all its stages, so that they reveal nothing of how it
    ends."""
    nodes = facts.nodes_of(iteration)
    outcomes, origins = node_states.possible_marks(trace, iteration)
    marks = [(name, mark) for name, mark in palette.OUTCOMES.items() if name in outcomes]
    marks += [(name, mark) for name, mark in palette.ORIGINS.items() if name in origins and name != "accepted"]
    notes = []
    if nodes:
        scored = any(node.score is not None for node in nodes)
        notes.append("wider line: ranked higher by the draft" if scored else "wider line: likelier under the draft")
    notes += ["≈: estimated acceptance"] if any(node.estimate is not None for node in nodes) else []
    notes += ["[1] [2]: which draft model"] if facts.several_drafts(nodes) else []
    notes += ["framed twice at the end: a beam that goes on"] if iteration.beams else []
    hidden = len(nodes) - len(facts.prominent(nodes))
    notes += [f"+1, +2 ..: less likely guesses that are not drawn, {hidden} in all"] if hidden else []
    return {"marks": [(name, mark.glyph, mark.word) for name, mark in marks], "notes": notes}
