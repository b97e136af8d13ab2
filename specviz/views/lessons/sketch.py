"""Small pictures of what a step of a lesson shows, as data: for the list of lessons and for paper.

A sketch is a few bars, or a draft tree; the scripts draw it (``assets/player/src/lesson/sketch.js``)."""

from specviz.facts import iteration_facts as facts
from specviz.facts.tokens import label
from specviz.pictures.pairs import compare
from specviz.trace.record import Iteration, Trace
from specviz.views.drafts import node_states
from specviz.views.drafts.stages import tree_stages
from specviz.views.drafts.tree_layout import tidy_coordinates
from specviz.views.lessons.costs import cost_bars
from specviz.views.lessons.lesson import Lesson, Look, ScriptQuestion
from specviz.views.lessons.values import decision_of
from specviz.views.race.timeline import lane_titles
from specviz.views.story.payload_types import Sketch, SketchBar, SketchNode

BARS, NODES = 5, 26
_LABEL = 12


def lesson_sketch(lesson: Lesson) -> Sketch | None:
    """The picture of a lesson: the cost of calls, if that is its subject; else its question, or a step, preferably one
    with numbers of whole runs."""
    script = lesson.script
    looks: list[Look] = sorted(script.steps, key=lambda step: (step.costs is None, not step.numbers))
    looks.insert(0 if looks[0].costs is None else 1, script.question)
    return next((sketch for look in looks if (sketch := look_sketch(lesson, look))), None)


def look_sketch(lesson: Lesson, look: Look, *, outcomes: bool = True) -> Sketch | None:
    """A small picture of what a look shows; None if there is none. Without ``outcomes``, as for a question, it does not
    reveal what became of the guesses."""
    if look.costs:
        bars = cost_bars(lesson.measured[look.costs])
        most = max(bar["seconds"] for bar in bars)
        return {"bars": [_bar(str(b["tokens"]), target=b["seconds"] / most) for b in bars], "nodes": []}
    if look.lanes and look.numbers:
        return {"bars": _lane_bars([lesson.runs[name] for name in look.lanes], look.numbers[0]), "nodes": []}
    if look.ref is None:
        return None
    trace, iteration = lesson.facts.at(look.ref)
    if "tree" in look.panels or "mask" in look.panels:
        return {"bars": [], "nodes": _tree(trace, iteration, look, outcomes)}
    return {"bars": _decision_bars(trace, iteration, look.ref.scene), "nodes": []}


def _bar(name: str, *, marked: bool = False, **lengths: float) -> SketchBar:
    return {"label": name, "lengths": list(lengths.items()), "marked": marked}


def _lane_bars(traces: list[Trace], key: str) -> list[SketchBar]:
    values = [getattr(trace.metrics, key) or 0.0 for trace in traces]
    most = max(values) or 1.0
    return [_bar(title, accepted=value / most) for title, value in zip(lane_titles(traces), values, strict=True)]


def _decision_bars(trace: Trace, iteration: Iteration, scene: str) -> list[SketchBar]:
    """Target beside draft at a decision, or what a token was drawn from."""
    decision = decision_of(iteration, scene)
    target, draft = getattr(decision, "target", None), getattr(decision, "draft", None)
    token = getattr(decision, "token", None)
    if target is None and (source := getattr(decision, "source", None)) is not None:
        table = sorted(source.table().items(), key=lambda pair: -pair[1])[:BARS]
        return [_bar(label(trace.vocabulary, key, _LABEL), marked=key == token, target=p) for key, p in table]
    if target is None or draft is None or not isinstance(token, int) or not hasattr(target, "prob"):
        return []
    rows = [row for row in compare(target, draft, token, BARS) if row.token is not None]
    return [
        _bar(label(trace.vocabulary, row.token, _LABEL), marked=row.token == token, target=row.target, draft=row.draft)
        for row in rows
        if row.token is not None
    ]


def _tree(trace: Trace, iteration: Iteration, look: Look, outcomes: bool) -> list[SketchNode]:
    """The likeliest nodes where they are in the large picture, x and y from 0 to 1; parents by index."""
    shown = facts.likeliest(facts.nodes_of(iteration), NODES, NODES)
    places = {name: at for name, at in tidy_coordinates(iteration).items() if isinstance(name, int)}
    places = {name: at for name, at in places.items() if name < 0 or name in shown}
    wide = max(x for x, _ in places.values()) or 1.0
    lows = [y for _, y in places.values()]
    low, high = min(lows), max(lows)
    outcomes_shown = look.ref is not None and outcomes and not isinstance(look, ScriptQuestion)
    key = f"tree-{look.ref.scene}" if outcomes_shown and look.ref else ""
    stage = tree_stages(iteration).get(key)
    states = stage.states if stage else node_states.judged_states(iteration, 0)
    names = list(places)
    nodes, first = facts.nodes_of(iteration), facts.first_of_text(iteration)
    sketch: list[SketchNode] = []
    for name, (x, y) in places.items():
        parent = None if name < 0 else nodes[name].parent
        parent = first[parent] if parent is not None and parent < 0 else parent
        sketch.append(
            {
                "x": round(x / wide, 3),
                "y": round((high - y) / (high - low), 3) if high > low else 0.5,
                "parent": names.index(parent) if parent in places else None,
                "label": label(trace.vocabulary, facts.token_at(iteration, name), 7),
                "state": "context" if name < 0 else states.get(name, "pending"),
            }
        )
    return sketch
