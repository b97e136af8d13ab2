"""One iteration as a row of scenes, and everything a player needs to step through them without asking again.

The payload of ``iteration_payload`` is plain JSON data; its shape::

    {
      "iteration": 3,                        # index in the trace
      "scenes": [                            # in order; step through these
        {"key": "decision-2",                # unique: context, draft-1 .., reduction, target, decision-1 .., draw (or
                                             # draw-3 .., one for each beam), commit
         "phase": "verify",                  # context | draft | target | verify | draw | commit (marks of the slider)
         "title": "Token 2: rejected",       # short
         "sentence": "...",                  # plain text: what happens and why, with the numbers in it
         "formula": "min(1, 0.15 / 0.60) = 0.25; coin 0.44 >= 0.25: reject",     # plain text, "" where there is none
         "focus": 1,                         # the node the scene is about; -1 the last context token; null none
         "panels": {"tree": "tree-decision-2", "mask": "mask",                   # panel name -> figure key;
                    "probabilities": "probabilities-2", "decision": "coin-2"}},  # a panel may be missing
        ...],
      "figures": {"mask": {"data": [0, 7], "layout": {...},         # scenes share figures by key; "data" are numbers of
                           "legend": {...}}, ...},                  # plotly traces, which figures share in turn
      "parts": [{"type": "heatmap", ...}, ...],
      "texts": {"mask": "...", ...},         # the plain-text equivalent of every figure, same keys
      "nodes": [                             # the drafted tokens the tree shows: what all panels link to
        {"node": 0, "token": 4, "label": ".SELECT", "parent": -1, "depth": 1, "position": 7, "ancestors": [-1],
         "row": 1,                           # its row in the mask (the roots come first), null if not submitted
         "draft": "0.60", "target": "0.15",  # its probabilities, "" where they are not known
         "scene": "decision-1",              # which judges it; null if it is never judged
         "formula": "min(1, ...",            # of that decision, "" if there is none
         "text": "node 0: ..."}, ...],
      "outcomes": ["accepted", "rejected", ...],                    # what can have come of a node, in words
      "states": {"tree-decision-2": [0, 1, null], ...},             # what has come of each of "nodes", for every tree,
                                                                    # by number in "outcomes"; null: not drawn
      "mask_rows": 6,                        # of the target call, as far as they are drawn
      "rows_read": 6,                        # tokens that the target call read
      "roots": [{"node": -1, ...}],          # the same of the prefixes they grow from: node, label, ancestors,
                                             # position, row, text
      "text": {"context": [" the", ...],     # pieces of text: the end of the context, and what this iteration wrote
               "emitted": [{"piece": " cat", "origin": "accepted", "node": 0}, ...]},  # node: null if it was drawn
    }

``payload_types.py`` says what each field is. All strings outside ``layout`` and ``parts`` are plain text (insert them
as text); those inside are escaped for plotly. Figures bring ``layout.height`` in pixels, with space for
``legend.lines`` lines of the legend (``{"entries": [{"color", "glyph", "word"}], "notes", "lines"}``, or null), have
transparent backgrounds and no template. Points of the tree, rows of the mask and bars carry ``customdata``, so that
what is under a pointer is known (prefixes in tree and mask: node numbers, -1 - i for input beam i; token ids in bars,
whose ``meta.nodes`` are the drafted nodes behind them, null where there is none). A figure with the strip of a coin or
of a draw says in ``layout.meta.chance`` what every number on it leads to (``decisions/chance.py``; plain text).
"""

import json
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import plotly.graph_objects as go

from specviz.trace.record import Iteration, Trace
from specviz.views.decisions.rules import show
from specviz.views.drafts import node_states
from specviz.views.drafts.mask import mask_data, mask_rows, mask_text
from specviz.views.drafts.mask_slice import planned_tokens, slice_figure, slice_text
from specviz.views.drafts.node_records import node_records, root_records, text_strip
from specviz.views.drafts.posterior import show_reduction
from specviz.views.drafts.proposal import proposal_figure, proposal_text, proposals_at
from specviz.views.drafts.rows import rows_data, rows_text, scored_rows
from specviz.views.drafts.stages import drawn_depths, scene_key, told_together, tree_stages
from specviz.views.drafts.tree import tree_data
from specviz.views.drafts.tree_words import tree_text
from specviz.views.facts import iteration_facts as facts
from specviz.views.facts.scene_parts import Drawing, Moment, Shown
from specviz.views.plot import palette
from specviz.views.story import story
from specviz.views.story.payload_types import DrawnFigure, Figure, IterationPayload
from specviz.views.story.payload_types import Scene as SceneRecord

DIGITS = 5  # significant digits of the numbers in a payload's figures


@dataclass(frozen=True)
class Scene:
    """One step of the story of an iteration; the module's docstring explains the fields."""

    key: str
    phase: str
    title: str
    sentence: str
    formula: str
    focus: int | None
    panels: dict[str, str]


def scenes(trace: Trace, index: int) -> list[Scene]:
    """The scenes of one iteration, in order. Raises SpecvizError for an unknown or unrecorded iteration."""
    iteration = facts.iteration_of(trace, index)
    root = facts.ROOT if len(iteration.inputs) < 2 else None
    told = [Scene("context", "context", *story.context(trace, iteration), root, {"tree": "tree-context"})]
    for depth in drawn_depths(iteration):
        told.append(_draft_scene(trace, iteration, depth))
    if iteration.forest and iteration.forest.hypotheses:
        reduction = show_reduction(trace, iteration)
        panels = {"tree": "tree-target", "mask": "mask-before"} | _keys(reduction)
        told.append(Scene("reduction", "draft", *reduction.telling, None, panels))
    panels = {"tree": "tree-target", "mask": "mask"}
    panels |= {"probabilities": "rows"} if scored_rows(iteration) else {}
    panels |= {"decision": "slice"} if planned_tokens(iteration) else {}
    told.append(Scene("target", "target", *story.target_pass(trace, iteration), None, panels))
    together = told_together(iteration)
    for decision_index in range(1, len(iteration.decisions) + 1):
        group = together.of(decision_index)
        if not group:
            told.append(_decision_scene(trace, iteration, decision_index))
        elif decision_index == group[-1]:
            telling = (story.without_effect if group is together.idle else story.many)(trace, iteration, group)
            key, panels = (
                scene_key(iteration, decision_index),
                {"tree": f"tree-decision-{decision_index}", "mask": "mask"},
            )
            told.append(Scene(key, "verify", *telling, None, panels))
    panels = {"tree": _last_tree(iteration), "mask": "mask-commit"}
    told.append(Scene("commit", "commit", *story.commit(trace, iteration), None, panels))
    return told


def _keys(shown: Shown) -> dict[str, str]:
    return {panel: key for panel, (key, _) in shown.panels.items()}


def _last_tree(iteration: Iteration) -> str:
    """The tree at the end: a new one where outcomes or surviving beams say more than the decisions did."""
    judged = node_states.judged_states(iteration, len(iteration.decisions))
    settled = node_states.final_states(iteration) == judged and facts.draw_emitted(iteration) and not iteration.beams
    last = len(iteration.decisions)
    drawn = last > 0 and scene_key(iteration, last) == "draw"
    return "tree-draw" if settled and drawn else "tree-commit"


def _draft_scene(trace: Trace, iteration: Iteration, depth: int) -> Scene:
    nodes = facts.nodes_of(iteration)
    layer = [number for number, node in enumerate(nodes) if node.depth == depth]
    shown = facts.prominent(nodes)
    focus = next((number for number in layer if nodes[number].submitted), None)
    focus = next((number for number in layer if number in shown), None) if focus is None else focus
    by_chance = {"probabilities": f"proposal-{depth}"} if proposals_at(iteration, depth) else {}
    panels = {"tree": f"tree-draft-{depth}"} | by_chance
    return Scene(f"draft-{depth}", "draft", *story.draft_layer(trace, iteration, depth), focus, panels)


def _decision_scene(trace: Trace, iteration: Iteration, decision_index: int) -> Scene:
    decision = iteration.decisions[decision_index - 1]
    shown = show(Moment(trace, iteration, decision_index))
    drawn, key = decision.rule in ("draw", "beam-draw"), scene_key(iteration, decision_index)
    panels = {"tree": f"tree-{key}", "mask": "mask"} | _keys(shown)
    focus = getattr(decision, "node", None)
    if decision.rule == "draw":
        judged = facts.siblings(iteration, decision.after)
        if judged:
            decision_index = next(n for n, one in enumerate(iteration.decisions, start=1) if one is judged[-1])
        if judged and not told_together(iteration).of(decision_index):
            panels |= {
                k: v for k, v in _keys(show(Moment(trace, iteration, decision_index))).items() if k == "probabilities"
            }
    return Scene(key, "draw" if drawn else "verify", *shown.telling, focus, panels)


def drawings(trace: Trace, index: int) -> dict[str, Drawing]:
    """Every figure of an iteration by key, not yet drawn."""
    iteration = facts.iteration_of(trace, index)
    found = {"mask": _mask(trace, index), "mask-commit": _mask(trace, index, fate=True)}
    if iteration.forest and iteration.forest.hypotheses:
        found["mask-before"] = _mask(trace, index, before=True)
        found |= dict(show_reduction(trace, iteration).panels.values())
    if scored_rows(iteration):
        found["rows"] = Drawing(partial(rows_data, trace, index), partial(rows_text, trace, index))
    if planned_tokens(iteration):
        found["slice"] = Drawing(partial(slice_figure, trace, index), partial(slice_text, trace, index))
    for depth in drawn_depths(iteration):
        if proposals_at(iteration, depth):
            found[f"proposal-{depth}"] = Drawing(
                partial(proposal_figure, trace, index, depth), partial(proposal_text, trace, index, depth)
            )
    together = told_together(iteration)
    for decision_index in range(1, len(iteration.decisions) + 1):
        if not together.of(decision_index):
            found |= dict(show(Moment(trace, iteration, decision_index)).panels.values())
    for key, stage in tree_stages(iteration).items():
        arguments = {"states": stage.states, "made": stage.made, "final": key == "tree-commit"}
        found[key] = Drawing(
            partial(tree_data, trace, index, **arguments), partial(tree_text, trace, index, **arguments)
        )
    return found


def _mask(trace: Trace, index: int, **arguments: bool) -> Drawing:
    return Drawing(partial(mask_data, trace, index, **arguments), partial(mask_text, trace, index, **arguments))


def iteration_payload(trace: Trace, index: int, dark: bool = False) -> IterationPayload:
    """All scenes of an iteration with their figures and texts as plain JSON data (shape: the module's docstring).

    Raises SpecvizError for an unknown iteration or a run that was not recorded.
    """
    told, known, nodes = scenes(trace, index), drawings(trace, index), node_records(trace, index)
    iteration = facts.iteration_of(trace, index)
    used = dict.fromkeys(key for scene in told for key in scene.panels.values())
    figures, parts = pooled({key: plain(known[key].figure(dark=dark)) for key in used})
    return {
        "iteration": index,
        "scenes": [SceneRecord(**asdict(scene)) for scene in told],
        "figures": figures,
        "parts": parts,
        "texts": {key: known[key].text() for key in used},
        "nodes": nodes,
        "outcomes": [mark.word for mark in palette.OUTCOMES.values()],
        "states": {
            key: _numbered(stage.states, [record["node"] for record in nodes])
            for key, stage in tree_stages(iteration).items()
            if key in used
        },
        "mask_rows": len(mask_rows(iteration)),
        "rows_read": len(facts.read_prefixes(iteration)),
        "roots": root_records(trace, index),
        "text": text_strip(trace, index),
    }


def _numbered(states: dict[int, str], nodes: list[int]) -> list[int | None]:
    """The states of nodes by their number among the outcomes; None for a node that has none yet."""
    numbers = {state: number for number, state in enumerate(palette.OUTCOMES)}
    return [numbers[states[node]] if node in states else None for node in nodes]


def pooled(figures: dict[str, DrawnFigure]) -> tuple[dict[str, Figure], list[dict[str, Any]]]:
    """The figures with their traces by number, and the traces: equal ones, such as the labels of a tree, once."""
    numbers: dict[str, int] = {}
    parts: list[dict[str, Any]] = []

    def number(trace: dict[str, Any]) -> int:
        key = json.dumps(trace, sort_keys=True)
        if key not in numbers:
            numbers[key] = len(parts)
            parts.append(trace)
        return numbers[key]

    return {
        key: {**figure, "data": [number(trace) for trace in figure["data"]]} for key, figure in figures.items()
    }, parts


def plain(figure: go.Figure | dict[str, Any]) -> DrawnFigure:
    """A figure as small JSON data: ``data``, ``layout``, and its key as ``legend`` instead of an annotation; no
    template, numbers to ``DIGITS`` significant digits."""
    drawn = _rounded(figure if isinstance(figure, dict) else figure.to_plotly_json())
    layout = drawn["layout"]
    layout.pop("template", None)
    meta = layout.pop("meta", None) or {}
    legend = meta.pop("legend", None)
    notes = [note for note in layout.get("annotations", ()) if note.get("name") != palette.KEY]
    more = {"meta": meta} if meta else {}
    return {"data": drawn["data"], "layout": layout | more | {"annotations": notes}, "legend": legend}


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        short = float(f"{value:.{DIGITS}g}")
        return int(short) if short.is_integer() else short
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
