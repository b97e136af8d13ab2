"""What the linked views share about every node: its token, its place in every panel, the decision that judges it.

Plain JSON data for a payload (``views/scenes.py`` shows its shape); all strings are plain text.
"""

from typing import Any

from specviz.trace.decisions import Distribution
from specviz.trace.record import Iteration, Trace
from specviz.views import reading, stages
from specviz.views.mask import mask_rows
from specviz.views.names import root_label
from specviz.views.rules import show
from specviz.views.telling import Moment
from specviz.views.tokens import label, number
from specviz.views.tree_words import node_text

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
    rule = iteration.decisions[place - 1].rule
    if rule in ("draw", "beam-draw"):
        return "draw" if rule == "draw" else f"draw-{place}"
    vain = told_together(iteration)
    return f"decision-{vain[-1] if place in vain else place}"


def told_together(iteration: Iteration) -> tuple[int, ...]:
    """The places of the tests in vain, where there are several: one scene, that of the last, tells them all."""
    vain = stages.in_vain(iteration)
    return vain if len(vain) > 1 else ()


def text_strip(trace: Trace, index: int) -> dict[str, Any]:
    """The end of the context and the tokens that this iteration wrote, as the pieces of the text."""
    iteration = reading.iteration_of(trace, index)
    prompt = [trace.vocabulary.get(token, f"#{token}") for token in trace.header.prompt_tokens[-_CONTEXT:]]
    written = [token.piece for before in trace.iterations[:index] for token in before.emitted]
    context = [*prompt, *written][-_CONTEXT:]
    return {
        "context": [piece.replace(_HALF, "▯") for piece in context],
        "emitted": [
            {"piece": one.piece.replace(_HALF, "▯"), "origin": one.origin, "node": one.node}
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
