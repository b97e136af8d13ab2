"""One iteration as a row of scenes, and everything a player needs to step through them without asking again.

The payload of ``iteration_payload`` is plain JSON data; its shape::

    {
      "iteration": 3,                        # index in the trace
      "scenes": [                            # in order; step through these
        {"key": "decision-2",                # unique: context, draft-1 .., target, decision-1 .., draw, commit
         "phase": "verify",                  # context | draft | target | verify | draw | commit (marks of the slider)
         "title": "Token 2: rejected",       # short
         "sentence": "...",                  # plain text: what happens and why, with the numbers in it
         "formula": "min(1, 0.15 / 0.60) = 0.25; coin 0.44 >= 0.25: reject",     # plain text, "" where there is none
         "focus": 1,                         # the node the scene is about; -1 the last context token; null none
         "panels": {"tree": "tree-decision-2", "mask": "mask",                   # panel name -> figure key;
                    "probabilities": "probabilities-2", "decision": "coin-2"}},  # a panel may be missing
        ...],
      "figures": {"mask": {"data": [...], "layout": {...}}, ...},   # plotly figures; scenes share them by key
      "texts": {"mask": "...", ...},         # the plain-text equivalent of every figure, same keys
      "nodes": [                             # the drafted tokens the tree shows; for hovering and the keyboard
        {"node": 0, "label": ".SELECT", "parent": -1, "depth": 1, "position": 7, "ancestors": [-1],
         "row": 1,                           # its row in the mask (row 0 is the context's), null if not submitted
         "text": "node 0: ..."}, ...],
    }

All strings outside ``figures`` are plain text (insert them as text); strings inside ``figures`` are escaped for plotly.
Figures bring ``layout.height`` in pixels, have transparent backgrounds and no template; points of the tree, rows of the
mask and bars carry ``customdata`` (node number in tree and mask, token id in bars).
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import plotly.graph_objects as go

from specviz.trace.record import Iteration, Trace
from specviz.views import reading, story
from specviz.views.coin import coin_figure, coin_text
from specviz.views.mask import mask_figure, mask_rows, mask_text
from specviz.views.probabilities import probabilities_figure, probabilities_text
from specviz.views.proposal import proposal_figure, proposal_text, proposals_at
from specviz.views.residual import draw_figure, draw_text
from specviz.views.staircase import staircase_figure, staircase_text
from specviz.views.tokens import label
from specviz.views.tree import node_text, tree_figure, tree_text

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


class Drawing(NamedTuple):
    """How to draw a figure (``figure(dark=...)``) and how to say it."""

    figure: Callable[..., go.Figure]
    text: Callable[[], str]


def scenes(trace: Trace, index: int) -> list[Scene]:
    """The scenes of one iteration, in order. Raises SpecvizError for an unknown or unrecorded iteration."""
    iteration = reading.iteration_of(trace, index)
    nodes = reading.nodes_of(iteration)
    told = [Scene("context", "context", *story.context(trace, iteration), reading.ROOT, {"tree": "tree-context"})]
    for depth in range(1, max((node.depth for node in nodes), default=0) + 1):
        told.append(_draft_scene(trace, iteration, depth))
    target_panels = {"tree": "tree-target", "mask": "mask"}
    told.append(Scene("target", "target", *story.target_pass(trace, iteration), None, target_panels))
    for place, decision in enumerate(iteration.decisions, start=1):
        if decision.rule == "draw":
            told.append(_draw_scene(trace, iteration))
        else:
            told.append(_decision_scene(trace, iteration, place))
    final = reading.final_states(iteration) == _judged(iteration) and reading.draw_emitted(iteration)
    panels = {"tree": "tree-draw" if final else "tree-commit", "mask": "mask-commit"}
    told.append(Scene("commit", "commit", *story.commit(trace, iteration), None, panels))
    return told


def _judged(iteration: Iteration) -> dict[int, str]:
    """The nodes after all decisions about them."""
    return reading.judged_states(iteration, sum(decision.rule != "draw" for decision in iteration.decisions))


def _draft_scene(trace: Trace, iteration: Iteration, depth: int) -> Scene:
    nodes = reading.nodes_of(iteration)
    by_chance = bool(proposals_at(iteration, depth))
    layer = [number for number, node in enumerate(nodes) if node.depth == depth]
    focus = next((number for number in layer if nodes[number].submitted), layer[0])
    panels = {"tree": f"tree-draft-{depth}"} | ({"probabilities": f"proposal-{depth}"} if by_chance else {})
    return Scene(f"draft-{depth}", "draft", *story.draft_layer(trace, iteration, depth, by_chance), focus, panels)


def _decision_scene(trace: Trace, iteration: Iteration, place: int) -> Scene:
    decision = iteration.decisions[place - 1]
    panels = {"tree": f"tree-decision-{place}", "mask": "mask", "probabilities": f"probabilities-{place}"}
    if decision.rule == "joint":
        telling = story.joint(trace, [d for d in iteration.decisions[:place] if d.rule == "joint"])
        panels["decision"] = f"staircase-{place}"
    else:
        telling = story.coin(trace, decision)
        panels |= {"decision": f"coin-{place}"} if decision.draw is not None else {}
    return Scene(f"decision-{place}", "verify", *telling, decision.node, panels)


def _draw_scene(trace: Trace, iteration: Iteration) -> Scene:
    draw = reading.draw_of(iteration.decisions)
    panels = {"tree": "tree-draw", "mask": "mask", "decision": "draw"}
    for place, decision in enumerate(iteration.decisions, start=1):
        if decision.rule != "draw" and decision.depth == draw.depth:
            panels["probabilities"] = f"probabilities-{place}"
    return Scene("draw", "draw", *story.draw(trace, iteration, draw), None, panels)


def drawings(trace: Trace, index: int) -> dict[str, Drawing]:
    """Every figure of an iteration by key, not yet drawn."""
    iteration = reading.iteration_of(trace, index)
    decisions = iteration.decisions
    found = {
        "mask": Drawing(partial(mask_figure, trace, index), partial(mask_text, trace, index)),
        "mask-commit": Drawing(
            partial(mask_figure, trace, index, fate=True), partial(mask_text, trace, index, fate=True)
        ),
    }
    stages = {
        "context": {},
        "target": reading.judged_states(iteration, 0),
        "draw": _judged(iteration),
        "commit": reading.final_states(iteration),
    }
    drawn = {"draw": True, "commit": reading.draw_emitted(iteration)}
    for depth in {node.depth for node in reading.nodes_of(iteration)}:
        stages[f"draft-{depth}"] = reading.drafting_states(iteration, depth)
        if proposals_at(iteration, depth):
            found[f"proposal-{depth}"] = Drawing(
                partial(proposal_figure, trace, index, depth), partial(proposal_text, trace, index, depth)
            )
    for place, decision in enumerate(decisions, start=1):
        if decision.rule != "draw":
            stages[f"decision-{place}"] = reading.judged_states(iteration, place)
        found |= _decision_drawings(trace, iteration, place)
    for name, states in stages.items():
        arguments = {"states": states, "drawn": drawn.get(name, False)}
        found[f"tree-{name}"] = Drawing(
            partial(tree_figure, trace, index, **arguments), partial(tree_text, trace, index, **arguments)
        )
    return found


def _decision_drawings(trace: Trace, iteration: Iteration, place: int) -> dict[str, Drawing]:
    """The figures of one decision: its pairs of probabilities, and the coin, the staircase or the draw."""
    decision = iteration.decisions[place - 1]
    if decision.rule == "draw":
        return {"draw": Drawing(partial(draw_figure, trace, decision), partial(draw_text, trace, decision))}
    figures = {
        f"probabilities-{place}": Drawing(
            partial(probabilities_figure, trace, decision), partial(probabilities_text, trace, decision)
        )
    }
    if decision.rule == "joint":
        tests = [d for d in iteration.decisions if d.rule == "joint"]
        so_far = tests[: tests.index(decision) + 1]
        figures[f"staircase-{place}"] = Drawing(
            partial(staircase_figure, trace, so_far, places=len(tests)), partial(staircase_text, trace, so_far)
        )
    elif decision.draw is not None:
        figures[f"coin-{place}"] = Drawing(partial(coin_figure, decision), partial(coin_text, trace, decision))
    return figures


def iteration_payload(trace: Trace, index: int, dark: bool = False) -> dict[str, Any]:
    """All scenes of an iteration with their figures and texts as plain JSON data (shape: the module's docstring).

    Raises SpecvizError for an unknown iteration or a run that was not recorded.
    """
    iteration = reading.iteration_of(trace, index)
    told = scenes(trace, index)
    known = drawings(trace, index)
    used = dict.fromkeys(key for scene in told for key in scene.panels.values())
    return {
        "iteration": index,
        "scenes": [asdict(scene) for scene in told],
        "figures": {key: plain(known[key].figure(dark=dark)) for key in used},
        "texts": {key: known[key].text() for key in used},
        "nodes": _nodes(trace, iteration),
    }


def _nodes(trace: Trace, iteration: Iteration) -> list[dict[str, Any]]:
    nodes, rows = reading.nodes_of(iteration), mask_rows(iteration)
    shown = reading.prominent(nodes)
    return [
        {
            "node": number,
            "label": label(trace.vocabulary, node.token, 40),
            "parent": node.parent,
            "depth": node.depth,
            "position": reading.position(iteration, node.depth),
            "ancestors": list(reading.ancestors(nodes, number)),
            "row": rows.index(number) if number in rows else None,
            "text": node_text(trace, iteration, number),
        }
        for number, node in enumerate(nodes)
        if number in shown
    ]


def plain(figure: go.Figure) -> dict[str, Any]:
    """A figure as small JSON data: ``data`` and ``layout``, no template, numbers to ``DIGITS`` significant digits."""
    drawn = _rounded(figure.to_plotly_json())
    drawn["layout"].pop("template", None)
    return {"data": drawn["data"], "layout": drawn["layout"]}


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        short = float(f"{value:.{DIGITS}g}")
        return int(short) if short.is_integer() else short
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
