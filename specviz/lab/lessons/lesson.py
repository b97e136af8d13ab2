"""A whole lesson as data: its words and pictures, and what its switches do when the rule is broken on purpose.

The distances are computed here, exactly, from the distributions recorded at the step and on the small reference pair,
so that an exported file shows the same numbers without computing anything."""

from functools import cache

from specviz.facts.tokens import label
from specviz.lab.lessons import broken_rules
from specviz.views.lessons.lesson import Lesson
from specviz.views.lessons.payload import lesson_pictures, lesson_words
from specviz.views.lessons.values import SceneRef
from specviz.views.story.document import document
from specviz.views.story.payload_types import BreakSwitch, LessonData

SHOWN = 6  # tokens of a distribution that are shown


def lesson_data(lesson: Lesson) -> LessonData:
    """``{"lesson": words, "breaks": {step: [switch, ...]}, "pictures": [payload, ...]}``. Raises SpecvizError where the
    rule of a step cannot be broken."""
    steps = lesson.script.steps
    return {
        "lesson": lesson_words(lesson),
        "breaks": {str(n): switches(lesson, step.ref) for n, step in enumerate(steps) if step.breaks and step.ref},
        "pictures": lesson_pictures(lesson),
    }


def lesson_document(lesson: Lesson) -> str:
    """The lesson as one HTML file that opens offline. Raises SpecvizError as ``lesson_data`` does."""
    data = lesson_data(lesson)
    words = data["lesson"]
    note = f"A lesson of {words['minutes']} minutes, made by specviz with: python -m specviz lesson {lesson.name}"
    return document(f"specviz: {words['title']}", "lesson", data | {"title": words["title"], "note": note})


def switches(lesson: Lesson, ref: SceneRef) -> list[BreakSwitch]:
    """One entry a way to break the rule, the right rule first: ``name``, ``title``, ``about`` it, what comes out in a
    ``sentence``, its ``distance`` from the target's distribution at this step and ``reference``, that on the small pair
    (both total variations, 0 to 1), and ``distribution``: [{"token", "target", "broken"}, ...], the tokens it changes
    most first."""
    trace, decision = lesson.runs[ref.run], int(ref.scene.removeprefix("decision-"))
    broken = {name: broken_rules.step_distance(trace, ref.iteration, decision, name) for name in broken_rules.NAMES}
    own = next(iter(broken.values()))["target"]
    tokens = dict.fromkeys(token for rule in broken.values() for token in (*own, *rule["distribution"]))
    spread = {
        t: max(abs(rule["distribution"].get(t, 0.0) - own.get(t, 0.0)) for rule in broken.values()) for t in tokens
    }
    shown = sorted(spread, key=lambda token: -spread[token])[:SHOWN]
    return [
        {
            "name": name,
            "title": broken_rules.NAMES[name].title,
            "about": broken_rules.NAMES[name].sentence,
            "sentence": rule["sentence"],
            "distance": rule["distance"],
            "reference": _reference(name),
            "distribution": [
                {
                    "token": label(trace.vocabulary, token, 24),
                    "target": own.get(token, 0.0),
                    "broken": rule["distribution"].get(token, 0.0),
                }
                for token in sorted(shown, key=lambda token: -own.get(token, 0.0))
            ],
        }
        for name, rule in broken.items()
    ]


@cache
def _reference(name: str) -> float:
    return broken_rules.distance(name)
