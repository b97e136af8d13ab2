"""What the linked views share about every node: its token, where it stands in every panel, the decision that judges it.

Plain JSON data for a payload (``views/story/scenes.py`` shows its shape); all strings are plain text.
"""

from specviz.facts import iteration_facts as facts
from specviz.facts.prefix_names import root_label
from specviz.facts.tokens import emitted_piece, label, number, piece
from specviz.pictures.shown import Views
from specviz.trace.decisions import WidthTest
from specviz.trace.distribution import Distribution
from specviz.trace.record import Iteration, Trace
from specviz.views.drafts.mask import mask_rows
from specviz.views.drafts.stages import scene_key, told_together
from specviz.views.drafts.tree_words import node_text
from specviz.views.story.payload_types import NodeRecord, PrefixRecord, TextStrip

_LABEL = 40  # characters of a token
_CONTEXT = 12  # tokens before those of the iteration
_HALF = "\ufffd"  # part of a character, where the bytes of one span several tokens


def node_records(trace: Trace, index: int, views: Views) -> list[NodeRecord]:
    """A record for every drafted node that the tree shows; ``views`` are those of the iteration."""
    iteration = facts.iteration_of(trace, index)
    nodes, first = facts.nodes_of(iteration), facts.first_of_text(iteration)
    row_of = {prefix: row for row, prefix in enumerate(mask_rows(iteration))}
    judged, shown = judges(iteration), facts.prominent(nodes)
    records = []
    for name in sorted(shown):
        node, decision_index = nodes[name], judged.get(name)
        grouped = told_together(iteration).of(decision_index) if decision_index else ()
        records.append(
            {
                "node": name,
                "token": node.token,
                "label": label(trace.vocabulary, node.token, _LABEL),
                "parent": node.parent,
                "depth": node.depth,
                "position": facts.position(iteration, name),
                "ancestors": [first[above] if above < 0 else above for above in facts.ancestors(nodes, name)],
                "row": row_of.get(first[name]),
                "draft": _draft_words(iteration, name),
                "target": _target_words(iteration, name),
                "scene": scene_key(iteration, decision_index) if decision_index else None,
                "formula": views.of(decision_index).telling.formula if decision_index and grouped else "",
                "text": node_text(trace, iteration, name, state=""),  # the player adds what has come of it by a step
            }
        )
    return records


def root_records(trace: Trace, index: int) -> list[PrefixRecord]:
    """A record for every prefix that the forest grows from: the last context token, or the input beams."""
    iteration = facts.iteration_of(trace, index)
    first = facts.first_of_text(iteration)
    row_of = {prefix: row for row, prefix in enumerate(mask_rows(iteration))}
    return [
        {
            "node": root,
            "label": root_label(trace, iteration, root, _LABEL),
            "ancestors": [],
            "position": facts.position(iteration, root),
            "row": row_of.get(root),
            "text": node_text(trace, iteration, root),
        }
        for root in facts.roots_of(iteration)
        if first[root] == root
    ]


@facts.once
def judges(iteration: Iteration) -> dict[int, int]:
    """Node to the number, counted from 1, of the decision that judges it; nodes that none judges are left out."""
    judges: dict[int, int] = {}
    for decision_index, decision in enumerate(iteration.decisions, start=1):
        names = (*decision.weighed, getattr(decision, "node", None))
        for name in names:
            if name is not None and name >= 0:
                judges.setdefault(name, decision_index)
    return judges


def text_strip(trace: Trace, index: int) -> TextStrip:
    """The end of the context and the tokens that this iteration wrote, as the pieces of the text."""
    iteration = facts.iteration_of(trace, index)
    prompt = [piece(trace.vocabulary, token) for token in trace.header.prompt_tokens[-_CONTEXT:]]
    written = [emitted_piece(trace, token) for before in trace.iterations[:index] for token in before.emitted]
    context = [*prompt, *written][-_CONTEXT:]
    return {
        "context": [text.replace(_HALF, "▯") for text in context],
        "emitted": [
            {"piece": emitted_piece(trace, token).replace(_HALF, "▯"), "origin": token.origin, "node": token.node}
            for token in iteration.emitted
        ],
    }


def _draft_words(iteration: Iteration, name: int) -> str:
    node = facts.nodes_of(iteration)[name]
    if node.root:
        return ""
    return number(node.draft_prob) + (f", ranked by {number(node.score)}" if node.score is not None else "")


def _target_words(iteration: Iteration, name: int) -> str:
    """The target's probability of a node's token after its parent, "" where the record does not hold it."""
    node = facts.nodes_of(iteration)[name]
    for decision in facts.siblings(iteration, node.parent):
        distribution = getattr(decision, "target", None)
        if isinstance(distribution, Distribution) and getattr(decision, "candidate", 0) == 0:
            table = distribution.table()
            return number(table[node.token]) if node.token in table else "" if distribution.rest else "0"
    layer = next((d for d in iteration.decisions if isinstance(d, WidthTest) and d.depth == node.depth), None)
    if layer is not None:
        joint = layer.target.table()
        root = facts.first_of_text(iteration)[node.parent]
        return (
            f"{number(joint[root, node.token])} in the layer's joint distribution"
            if (root, node.token) in joint
            else ""
        )
    decision_index = judges(iteration).get(name)
    prob = getattr(iteration.decisions[decision_index - 1], "target_prob", None) if decision_index else None
    return "" if prob is None else number(prob)
