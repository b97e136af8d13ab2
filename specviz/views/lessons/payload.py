"""A lesson as plain JSON data: its words with the numbers put in, and of its recorded steps what it shows of them.

The shape of ``lesson_words``::

    {"name": "coin", "title": "...", "minutes": 5, "asks": "...", "goal": "...", "takeaway": "...",
     "question": {"text": "...", "look": LOOK, "choices": [{"text": "...", "answer": "...", "right": false}, ...]},
     "steps": [{"say": "...", "look": LOOK, "misconceptions": [{"think": "...", "but": "..."}], "breaks": false,
                "predict": {"label": "...", "verdict": "accepted"}}, ...],              # null: nothing is judged
     "tries": [{"text": "...", "link": "?view=..."}]}

    LOOK = {"picture": 0,                   # which of the pictures; null: none
            "scene": "decision-1", "panels": ["decision"],
            "light": 3,                     # the node to light up; null: the scene's own
            "lanes": [{"method": "mtad", "title": "...", "options": "...", "tokens": [["piece", "accepted"], ...],
                       "numbers": [{"label", "text", "unit", "help", "share"}]}],  # share of the largest, 0 to 1
            "where": {"run": "gallery:speculative", "at": "0.7.decision-1",        # the same step in the Microscope
                      "words": "..."},      # where it is, for a reader without the page; a run "lesson:sailor" is one
                                            # of assets/lessons/traces
            "costs": {"calls": [{"tokens", "seconds", "calls"}], "source": "..."}}    # or null

``lesson_pictures`` are the payloads (``views/story/scenes.py``) of the iterations shown, cut down to the scenes and
panels used; that of the question hides the answer: it does not show what becomes of the guesses.
All strings of the words are plain text.
"""

from specviz.facts import iteration_facts as facts
from specviz.facts.tokens import emitted_piece, label
from specviz.measure.summary import METRIC_HELP
from specviz.pictures.data import in_phrases
from specviz.trace.record import Trace
from specviz.views.drafts.stages import tree_stages
from specviz.views.lessons.costs import cost_bars, cost_source
from specviz.views.lessons.lesson import Lesson, Look, ScriptQuestion, ScriptStep, node_of
from specviz.views.lessons.sketch import lesson_sketch
from specviz.views.lessons.values import SceneRef, decision_of
from specviz.views.race.dials import reading as metric_text
from specviz.views.race.timeline import lane_titles
from specviz.views.story.payload_types import (
    Guess,
    IterationPayload,
    LaneNumber,
    LessonCard,
    LessonLane,
    LessonLook,
    LessonWords,
    MeasuredCosts,
    Scene,
    Where,
)
from specviz.views.story.scenes import iteration_payload, scenes, words_of


def lesson_words(lesson: Lesson) -> LessonWords:
    """What a lesson says (shape: the module's docstring)."""
    script = lesson.script
    question_ref = script.question.ref
    return {
        "name": lesson.name,
        "title": lesson.filled(script.title, None),
        "minutes": script.minutes,
        "asks": lesson.filled(script.asks, None),
        "goal": lesson.filled(script.goal, None),
        "takeaway": lesson.filled(script.takeaway, None),
        "question": {
            "text": lesson.filled(script.question.text, question_ref),
            "look": _look(lesson, script.question),
            "choices": [
                {
                    "text": lesson.filled(choice.text, question_ref),
                    "answer": lesson.filled(choice.answer, question_ref),
                    "right": choice.right,
                }
                for choice in script.question.choices
            ],
        },
        "steps": [
            {
                "say": lesson.filled(step.say, step.ref),
                "look": _look(lesson, step),
                "misconceptions": [
                    {
                        "think": lesson.filled(misconception.think, step.ref),
                        "but": lesson.filled(misconception.but, step.ref),
                    }
                    for misconception in step.misconceptions
                ],
                "breaks": step.breaks,
                "predict": _predict(lesson, step),
            }
            for step in script.steps
        ],
        "tries": [{"text": lesson.filled(attempt.text, None), "link": attempt.link} for attempt in script.tries],
    }


def lesson_card(lesson: Lesson) -> LessonCard:
    """What the list of all lessons shows of one."""
    words = lesson_words(lesson)
    predicted = sum(step["predict"] is not None for step in words["steps"])
    return {
        "name": words["name"],
        "title": words["title"],
        "minutes": words["minutes"],
        "asks": words["asks"],
        "goal": words["goal"],
        "steps": 1 + len(words["steps"]),
        "asked": 1 + predicted,
        "sketch": lesson_sketch(lesson),
    }


def lesson_pictures(lesson: Lesson) -> list[IterationPayload]:
    """The payloads of the iterations that a lesson shows, in the order in which looks number them."""
    return [
        without_outcome(picture) if of_question else picture
        for (run, index, of_question), panels in _wanted(lesson).items()
        for picture in (trimmed(iteration_payload(lesson.runs[run], index), panels),)
    ]


def _wanted(lesson: Lesson) -> dict[tuple[str, int, bool], dict[str, set[str]]]:
    """By run, iteration and whether it is the question's, in order: the scenes shown and the panels of each."""
    panels: dict[tuple[str, int, bool], dict[str, set[str]]] = {}
    for look in (lesson.script.question, *lesson.script.steps):
        if look.panels and (ref := look.ref) is not None:
            shown = panels.setdefault((ref.run, ref.iteration, isinstance(look, ScriptQuestion)), {})
            shown.setdefault(ref.scene, set()).update(look.panels)
    return panels


def _look(lesson: Lesson, look: Look) -> LessonLook:
    ref, picture = look.ref, None
    if ref is not None and look.panels:
        picture = list(_wanted(lesson)).index((ref.run, ref.iteration, isinstance(look, ScriptQuestion)))
    return {
        "picture": picture,
        "scene": ref and ref.scene,
        "panels": list(look.panels),
        "light": node_of(lesson, look),
        "lanes": _lanes([lesson.runs[name] for name in look.lanes], look.numbers),
        "costs": _costs(lesson, look),
        "where": _where(lesson, ref, look.lanes),
    }


def _costs(lesson: Lesson, look: Look) -> MeasuredCosts | None:
    if look.costs is None:
        return None
    measured = lesson.measured[look.costs]
    return {"calls": cost_bars(measured), "source": cost_source(measured)}


def _predict(lesson: Lesson, step: ScriptStep) -> Guess | None:
    """What can be guessed before a step is shown: the verdict on a token, where its probabilities are shown with it and
    neither the question nor an earlier step has told it."""
    ref, steps = step.ref, lesson.script.steps
    earlier = (lesson.script.question, *steps[: steps.index(step)])
    if ref is None or "probabilities" not in step.panels or any(look.at == step.at for look in earlier):
        return None
    trace, iteration = lesson.facts.at(ref)
    node = getattr(decision_of(iteration, ref.scene), "node", None)
    stage = tree_stages(iteration).get(f"tree-{ref.scene}")
    verdict = stage.states.get(node) if stage and node is not None and ref.scene.startswith("decision-") else None
    if node is None or (verdict != "accepted" and verdict != "rejected"):
        return None
    return {"label": label(trace.vocabulary, facts.token_at(iteration, node)), "verdict": verdict}


def _where(lesson: Lesson, ref: SceneRef | None, lanes: tuple[str, ...]) -> Where | None:
    names = lanes if ref is None else (ref.run,)
    if not names:
        return None
    sources = [lesson.script.runs[name].split(":") for name in names]
    kind, methods = sources[0][0], [which for _, which in sources]
    if kind == "gallery" and len(methods) == 1:  # a race has two lanes at least
        opening, _, method = methods[0].rpartition("/")
        other = "speculative" if method == "autoregressive" else "autoregressive"
        methods.append(f"{opening}/{other}" if opening else other)
    run = f"{'lesson' if kind == 'trace' else kind}:{','.join(methods)}"
    if ref is None:
        return {"run": run, "at": None, "words": ", ".join(lane_titles([lesson.runs[name] for name in names]))}
    trace = lesson.runs[ref.run]
    title = next(scene.title for scene in scenes(trace, ref.iteration) if scene.key == ref.scene)
    words = f"{trace.header.method.title}, iteration {ref.iteration + 1} of {len(trace.iterations)}: {title}"
    return {"run": run, "at": f"0.{ref.iteration}.{ref.scene}", "words": words}


def _lanes(traces: list[Trace], numbers: tuple[str, ...]) -> list[LessonLane]:
    most = {key: max((getattr(t.metrics, key) or 0 for t in traces), default=0) for key in numbers}
    return [
        {
            "method": trace.header.method.name,
            "title": trace.header.method.title,
            "options": _options(trace, traces),
            "tokens": [
                (emitted_piece(trace, token), token.origin)
                for iteration in trace.iterations
                for token in iteration.emitted
            ],
            "numbers": [_number(trace, key, most[key]) for key in numbers],
        }
        for trace in traces
    ]


def _options(trace: Trace, traces: list[Trace]) -> str:
    """What tells lanes of the same method apart: the options in which they differ."""
    same = [other for other in traces if other.header.method.name == trace.header.method.name]
    own = trace.header.options
    differ = [name for name in own if any(other.header.options.get(name) != own[name] for other in same)]
    return ", ".join(f"{name} {own[name]}" for name in differ)


def _number(trace: Trace, key: str, most: float) -> LaneNumber:
    value, about = getattr(trace.metrics, key), METRIC_HELP[key]
    text, unit = (f"{value:,}", about.unit) if isinstance(value, int) else metric_text(key, value, about.unit)
    share = value / most if value and most else 0.0
    return {"key": key, "label": about.label, "text": text, "unit": unit, "help": about.meaning, "share": share}


def trimmed(payload: IterationPayload, wanted: dict[str, set[str]]) -> IterationPayload:
    """A payload with only the scenes ``wanted``, and of each only the panels named."""
    scenes: list[Scene] = []
    for scene in payload["scenes"]:
        if scene["key"] in wanted:
            panels = {name: key for name, key in scene["panels"].items() if name in wanted[scene["key"]]}
            scenes.append({**scene, "panels": panels})
    used = dict.fromkeys(key for scene in scenes for key in scene["panels"].values())
    texts, phrases = in_phrases({key: words_of(payload, key) for key in used})
    return {
        **payload,
        "scenes": scenes,
        "pictures": {key: payload["pictures"][key] for key in used if key in payload["pictures"]},
        "stages": {key: payload["stages"][key] for key in used if key in payload["stages"]},
        "texts": texts,
        "phrases": phrases,
    }


def without_outcome(payload: IterationPayload) -> IterationPayload:
    """A payload that shows pictures and tells nothing: no title, sentence or formula, no token that was written, no
    node with its outcome, nothing in the forest that was drawn later, and no key to it."""
    forest = payload["forest"]
    drafted = max((node["depth"] for node in payload["nodes"]), default=0)
    guesses = [guess for guess in forest["guesses"] if guess["node"] is not None]
    return {
        **payload,
        "forest": {**forest, "depth": drafted, "guesses": guesses, "key": {"marks": [], "notes": []}},
        "scenes": [{**scene, "title": "", "sentence": "", "formula": ""} for scene in payload["scenes"]],
        "text": {**payload["text"], "emitted": []},
        "nodes": [
            {**node, "text": node["label"], "formula": "", "target": "", "scene": None} for node in payload["nodes"]
        ],
    }
