"""What the linked views share about every node: its token, its place in every panel, the decision that judges it.

Plain JSON data for a payload (``views/scenes.py`` shows its shape); all strings are plain text.
"""

from typing import Any, NamedTuple

from specviz.trace.decisions import Distribution
from specviz.trace.record import Iteration, Trace
from specviz.views import reading, stages
from specviz.views.mask import mask_rows
from specviz.views.names import root_label
from specviz.views.rules import show
from specviz.views.telling import Moment
from specviz.views.tokens import LONGEST, label, number, piece
from specviz.views.tree_words import node_text

MOST_TOLD = 100  # decisions that have a scene of their own
_LABEL = 40  # characters of a token
_CONTEXT = 12  # tokens before those of the iteration
_HALF = "\ufffd"  # part of a character, where the bytes of one span several tokens


def node_records(trace: Trace, index: int) -> list[dict[str, Any]]:
    """A record for every drafted node that the tree shows."""
    iteration = reading.iteration_of(trace, index)
    nodes, first = reading.nodes_of(iteration), reading.first_of_text(iteration)
    row_of = {place: row for row, place in enumerate(mask_rows(iteration))}
    judged, shown = judges(iteration), reading.prominent(nodes)
    records = []
    for name in sorted(shown):
        node, place = nodes[name], judged.get(name)
        records.append(
            {
                "node": name,
                "token": node.token,
                "label": label(trace.vocabulary, node.token, _LABEL),
                "parent": node.parent,
                "depth": node.depth,
                "position": reading.position(iteration, name),
                "ancestors": [first[above] if above < 0 else above for above in reading.ancestors(nodes, name)],
                "row": row_of.get(first[name]),
                "draft": _draft_words(iteration, name),
                "target": _target_words(iteration, name),
                "scene": scene_key(iteration, place) if place else None,
                "formula": show(Moment(trace, iteration, place)).telling.formula if place else "",
                "text": node_text(trace, iteration, name, state=""),  # the player adds what has come of it by a step
            }
        )
    return records


def root_records(trace: Trace, index: int) -> list[dict[str, Any]]:
    """A record for every place that the forest grows from: the last context token, or the input beams."""
    iteration = reading.iteration_of(trace, index)
    first = reading.first_of_text(iteration)
    row_of = {place: row for row, place in enumerate(mask_rows(iteration))}
    return [
        {
            "node": root,
            "label": root_label(trace, iteration, root, _LABEL),
            "ancestors": [],
            "position": reading.position(iteration, root),
            "row": row_of.get(root),
            "text": node_text(trace, iteration, root),
        }
        for root in reading.roots_of(iteration)
        if first[root] == root
    ]


@reading.once
def judges(iteration: Iteration) -> dict[int, int]:
    """Node to the place, counted from 1, of the decision that judges it; nodes that none judges are left out."""
    found: dict[int, int] = {}
    for place, decision in enumerate(iteration.decisions, start=1):
        names = decision.drafted if decision.rule == "search" else (getattr(decision, "node", None),)
        for name in names:
            if name is not None and name >= 0:
                found.setdefault(name, place)
    return found


def scene_key(iteration: Iteration, place: int) -> str:
    """The key of the scene that tells the decision at ``place``, counted from 1."""
    group = told_together(iteration).of(place)
    if group:
        return f"decision-{group[-1]}"
    rule = iteration.decisions[place - 1].rule
    if rule in ("draw", "beam-draw"):
        return "draw" if rule == "draw" else f"draw-{place}"
    return f"decision-{place}"


class Together(NamedTuple):
    """The places of decisions that one scene, that of the last, tells: ``vain`` are tests in vain, where there are
    several, ``more`` what would make more than MOST_TOLD scenes."""

    vain: tuple[int, ...]
    more: tuple[int, ...]

    def of(self, place: int) -> tuple[int, ...]:
        """The places that are told together with this one; none where it has a scene of its own."""
        return next((group for group in self if place in group), ())


@reading.once
def told_together(iteration: Iteration) -> Together:
    """Which decisions of an iteration do not have a scene of their own; the last one always has."""
    vain = stages.in_vain(iteration)
    vain = vain if len(vain) > 1 else ()
    alone = sorted(set(range(1, len(iteration.decisions) + 1)) - set(vain))
    return Together(vain, tuple(alone[MOST_TOLD - 2 : -1]) if len(alone) > MOST_TOLD else ())


def text_strip(trace: Trace, index: int) -> dict[str, Any]:
    """The end of the context and the tokens that this iteration wrote, as the pieces of the text."""
    iteration = reading.iteration_of(trace, index)
    prompt = [piece(trace.vocabulary, token) for token in trace.header.prompt_tokens[-_CONTEXT:]]
    written = [token.piece[:LONGEST] for before in trace.iterations[:index] for token in before.emitted]
    context = [*prompt, *written][-_CONTEXT:]
    return {
        "context": [text.replace(_HALF, "▯") for text in context],
        "emitted": [
            {"piece": one.piece[:LONGEST].replace(_HALF, "▯"), "origin": one.origin, "node": one.node}
            for one in iteration.emitted
        ],
    }


def _draft_words(iteration: Iteration, name: int) -> str:
    node = reading.nodes_of(iteration)[name]
    if node.root:
        return ""
    return number(node.draft_prob) + (f", ranked by {number(node.score)}" if node.score is not None else "")


def _target_words(iteration: Iteration, name: int) -> str:
    """The target's probability of a node's token at its place, "" where the record does not hold it."""
    node = reading.nodes_of(iteration)[name]
    for decision in reading.siblings(iteration, node.parent):
        law = getattr(decision, "target", None)
        if isinstance(law, Distribution) and getattr(decision, "candidate", 0) == 0:
            table = reading.table_of(law)
            return number(table[node.token]) if node.token in table else "" if law.rest else "0"
    layer = next((d for d in iteration.decisions if d.rule == "layer" and d.depth == node.depth), None)
    if layer is not None:
        joint = reading.table_of(layer.target)
        root = reading.first_of_text(iteration)[node.parent]
        return f"{number(joint[root, node.token])} in the layer's law" if (root, node.token) in joint else ""
    place = judges(iteration).get(name)
    prob = getattr(iteration.decisions[place - 1], "target_prob", None) if place else None
    return "" if prob is None else number(prob)
