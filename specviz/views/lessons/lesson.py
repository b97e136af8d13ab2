"""Lessons: a question first, then recorded steps that answer it. One TOML file a lesson (assets/lessons/README.md).

A lesson is only what a file says and what recorded runs show. Reading trusts nothing: sizes are limited, unknown fields
refused, every number of a text is a placeholder that must be in the record, every step a scene that the record has, and
every answer that is called right comes with claims (``holds``) that must be true of the record.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from specviz.assets import ASSETS
from specviz.errors import SpecvizError
from specviz.measure.summary import METRIC_HELP
from specviz.trace.record import Trace
from specviz.trace.store import load_trace
from specviz.views.lessons.costs import MeasuredCalls, read_measured
from specviz.views.lessons.values import Facts, SceneRef, decision_of
from specviz.views.story.scenes import scenes

FOLDER = ASSETS / "lessons"
GALLERY = FOLDER.parent / "gallery"
LIMIT = 64_000
"""Bytes that a lesson's file may have."""
TRACE_LIMIT = 4_000_000
"""Bytes that a recorded run of a lesson may have."""
_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")
_SOURCE = {
    "gallery": re.compile(r"(?:([a-z][a-z0-9-]{0,40})/)?([a-z][a-z0-9-]{0,40})"),
    "trace": re.compile(r"[a-z0-9][a-z0-9-]{0,40}(/[a-z0-9][a-z0-9-]{0,40})?"),
}
_FILE = re.compile(r"(?:\d+-)?([a-z][a-z0-9-]{0,40})\.toml")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class ScriptChoice:
    """One answer to choose and what is said about it. The right one has claims that are true of the record."""

    text: str
    answer: str
    right: bool = False
    holds: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScriptMisconception:
    """What people often think, and what this step says to that."""

    think: str
    but: str


@dataclass(frozen=True)
class Look:
    """What is shown: one scene of a run (``at``, with some of its ``panels``), whole runs side by side (``lanes`` with
    their ``numbers``), what measured calls cost (``costs`` names them), or nothing. ``light`` is the drafted token to
    light up: the scene that judges it."""

    at: str | None = None
    panels: tuple[str, ...] = ()
    light: str | None = None
    lanes: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    costs: str | None = None

    @property
    def ref(self) -> SceneRef | None:
        """The scene, parsed."""
        return None if self.at is None else SceneRef.read(self.at)


@dataclass(frozen=True, kw_only=True)
class ScriptQuestion(Look):
    """What is asked before anything is revealed."""

    text: str
    choices: tuple[ScriptChoice, ...]


@dataclass(frozen=True, kw_only=True)
class ScriptStep(Look):
    """One thing that the record shows. ``breaks``: with switches that break the rule of the coin shown."""

    say: str
    holds: tuple[str, ...] = ()
    misconceptions: tuple[ScriptMisconception, ...] = ()
    breaks: bool = False


@dataclass(frozen=True)
class Try:
    """Something to do now: a sentence and where on the page to do it (``?view=...``)."""

    text: str
    link: str


@dataclass(frozen=True, kw_only=True)
class Script:
    """What a lesson's file says; texts have placeholders. ``asks`` is its question in a line, ``goal`` what the reader
    can say after it. ``runs`` are ``gallery:METHOD``, ``gallery:OPENING/METHOD`` or ``trace:NAME``, ``measured`` are
    ``calls:NAME``."""

    title: str
    minutes: int
    asks: str
    goal: str
    runs: dict[str, str]
    question: ScriptQuestion
    steps: tuple[ScriptStep, ...]
    takeaway: str
    tries: tuple[Try, ...] = ()
    measured: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Lesson:
    """A lesson with its recorded runs and measured calls, checked. ``name`` is its address."""

    name: str
    script: Script
    runs: dict[str, Trace]
    measured: dict[str, MeasuredCalls] = field(default_factory=dict)

    @property
    def facts(self) -> Facts:
        """The values of the recorded runs and measured calls."""
        return Facts(self.runs, self.measured)

    def filled(self, text: str, ref: SceneRef | None) -> str:
        """A text with its placeholders replaced by what the record says. Raises SpecvizError where it says nothing."""
        return _PLACEHOLDER.sub(lambda placeholder: self.facts.value(placeholder[1], ref).text, text)


_STRICT = ConfigDict(strict=True, extra="forbid")
_SCRIPT = TypeAdapter(with_config(_STRICT)(Script))


def lesson_files(folder: Path = FOLDER) -> list[Path]:
    """The lessons' files, in the order in which they are taught: by the number that their names begin with."""
    return sorted(path for path in folder.glob("*.toml"))


def lesson_names(folder: Path = FOLDER) -> dict[str, Path]:
    """The lessons' names, in order, and their files."""
    return {match[1]: path for path in lesson_files(folder) if (match := _FILE.fullmatch(path.name))}


def load_lesson(path: Path, recorded: Mapping[str, Trace]) -> Lesson:
    """Read and check one lesson; ``recorded`` are the recorded runs by method. Raises SpecvizError, naming file and
    field, for a damaged file, a step that the record does not have, or a claim that is not true of it."""
    try:
        named = _FILE.fullmatch(path.name)
        if not named:
            raise SpecvizError("a lesson's file is called like 03-coin.toml: small letters, digits and hyphens")
        script = _read(path)
        runs = {name: _run(path.parent, name, source, recorded) for name, source in script.runs.items()}
        measured = {name: _measured(path.parent, name, source) for name, source in script.measured.items()}
        lesson = Lesson(named[1], script, runs, measured)
        check(lesson)
    except SpecvizError as error:
        raise error.within(f"{path.name}: ") from None
    return lesson


def gallery_runs(folder: Path = GALLERY) -> dict[str, Trace]:
    """The recorded runs of a folder by method. Raises TraceError for a damaged one."""
    traces = [load_trace(path) for path in sorted(folder.glob("*.json"))]
    return {trace.header.method.name: trace for trace in traces}


def find_lesson(name: str, recorded: Mapping[str, Trace], folder: Path = FOLDER) -> Lesson:
    """The lesson of that name. Raises SpecvizError for an unknown name, listing those there are."""
    names = lesson_names(folder)
    if name not in names:
        raise SpecvizError(
            f"lesson must be one of {', '.join(names)}, got {name[:40]!r}", argument="name", code="unknown_name"
        )
    return load_lesson(names[name], recorded)


def _read(path: Path) -> Script:
    try:
        with open(path, "rb") as file:
            data = file.read(LIMIT + 1)
    except OSError as error:
        raise SpecvizError(f"the file cannot be read ({error.strerror})") from None
    if len(data) > LIMIT:
        raise SpecvizError(f"the file has more than {LIMIT} bytes, which is all that is read")
    try:
        parsed = json.dumps(tomllib.loads(data.decode("utf-8")))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, TypeError, ValueError, RecursionError) as error:
        raise SpecvizError(f"the file is no TOML of words and numbers: {str(error)[:200]}") from None
    try:
        return _SCRIPT.validate_json(parsed)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SpecvizError(f"{where}: {first['msg'][0].lower()}{first['msg'][1:]}") from None


def _run(folder: Path, name: str, source: str, recorded: Mapping[str, Trace]) -> Trace:
    kind, _, which = source.partition(":")
    match = _SOURCE[kind].fullmatch(which) if kind in _SOURCE else None
    if not _NAME.fullmatch(name) or not match:
        known = "gallery:METHOD, gallery:OPENING/METHOD or trace:NAME"
        raise SpecvizError(f"runs.{name[:40]}: write {known}, not {source[:60]!r}")
    if kind == "trace":
        return load_trace(folder / "traces" / f"{which}.json", limit=TRACE_LIMIT)
    if which in recorded:
        return recorded[which]
    opening, method = match.groups()
    if opening and (files := list((folder.parent / "openings" / opening).glob(f"*-{method}.json"))):
        return load_trace(files[0], limit=TRACE_LIMIT)
    raise SpecvizError(f"runs.{name}: no run of {which!r} is recorded in the gallery")


def _measured(folder: Path, name: str, source: str) -> MeasuredCalls:
    kind, _, which = source.partition(":")
    if not _NAME.fullmatch(name) or kind != "calls" or not _NAME.fullmatch(which):
        raise SpecvizError(f"measured.{name[:40]}: write calls:NAME, not {source[:60]!r}")
    return read_measured(folder / "calls" / f"{which}.json")


def check(lesson: Lesson) -> None:
    """Raises SpecvizError, naming the field, if the lesson says or shows something that its records do not contain."""
    script = lesson.script
    if not 1 <= script.minutes <= 60:
        raise SpecvizError(f"minutes must be 1 to 60, got {script.minutes}")
    if not 2 <= len(script.question.choices) <= 4:
        raise SpecvizError(f"question.choices: a question has 2 to 4, this one has {len(script.question.choices)}")
    if sum(choice.right for choice in script.question.choices) != 1:
        raise SpecvizError("question.choices: exactly one is right")
    if not 1 <= len(script.steps) <= 12:
        raise SpecvizError(f"steps: a lesson has 1 to 12, this one has {len(script.steps)}")
    for where, look in (("question", script.question), *((f"steps.{n}", step) for n, step in enumerate(script.steps))):
        _at(where, lambda look=look: _check_look(lesson, look))
    for where, text, ref in texts(script):
        _at(where, lambda text=text, ref=ref: lesson.filled(text, ref))
        if not text.strip() or len(text) > 1200:
            raise SpecvizError(f"{where}: a text has 1 to 1,200 characters, this one has {len(text)}")
    for where, claim, ref in claims(script):
        if not _at(where, lambda claim=claim, ref=ref: lesson.facts.holds(claim, ref)):
            raise SpecvizError(f"{where}: the record says otherwise than {claim!r}")
    for number, attempt in enumerate(script.tries):
        if not re.fullmatch(r"\?view=[a-z]+[^\s<>\"'`\\]*", attempt.link):
            raise SpecvizError(
                f"tries.{number}.link: must begin with ?view= and hold no spaces, got {attempt.link[:60]!r}"
            )


def _at(where: str, work: Any) -> Any:
    try:
        return work()
    except SpecvizError as error:
        raise error.within(f"{where}: ") from None


def _check_look(lesson: Lesson, look: Look) -> None:
    for name in look.lanes:
        lesson.facts.run(name)
    if look.costs is not None and look.costs not in lesson.measured:
        raise SpecvizError(f"costs must be one of {', '.join(lesson.measured)}, got {look.costs[:40]!r}")
    if len({lesson.script.runs[name].split(":")[0] for name in look.lanes}) > 1:
        raise SpecvizError("lanes side by side come all from the gallery or are all traces")
    for number in look.numbers:
        if number not in METRIC_HELP:
            raise SpecvizError(f"numbers must be of {', '.join(METRIC_HELP)}, got {number[:40]!r}")
    if isinstance(look, ScriptStep) and look.breaks and not (look.ref and look.ref.scene.startswith("decision-")):
        raise SpecvizError("breaks need the scene of a coin: say which with at")
    if look.ref is None:
        if look.panels:
            raise SpecvizError("panels belong to a scene: say which with at")
        return
    trace, _ = lesson.facts.at(look.ref)
    scene = next((scene for scene in scenes(trace, look.ref.iteration) if scene.key == look.ref.scene), None)
    if scene is None:
        raise SpecvizError(f"{look.at!r} is no scene of that iteration")
    for name in look.panels:
        if name not in scene.panels:
            raise SpecvizError(f"panels: {look.at!r} has {', '.join(scene.panels)}, not {name[:40]!r}")
    if not look.panels and not getattr(look, "breaks", False):
        raise SpecvizError(f"panels: name those to show, of {', '.join(scene.panels)}")
    if look.light is not None and node_of(lesson, look) is None:
        raise SpecvizError(f"light: {look.light[:40]!r} judges no drafted token of that iteration")


def node_of(lesson: Lesson, look: Look) -> int | None:
    """The number of the drafted token that a look highlights; None for the one that the scene is about."""
    if look.light is None or look.ref is None:
        return None
    _, iteration = lesson.facts.at(look.ref)
    return getattr(decision_of(iteration, look.light), "node", None)


def texts(script: Script) -> Iterator[tuple[str, str, SceneRef | None]]:
    """Every text a reader sees: where it stands, the text, and the scene that its bare placeholders belong to."""
    question_ref = script.question.ref
    for name in ("title", "asks", "goal", "takeaway"):
        yield name, getattr(script, name), None
    yield "question.text", script.question.text, question_ref
    for number, choice in enumerate(script.question.choices):
        yield f"question.choices.{number}.text", choice.text, question_ref
        yield f"question.choices.{number}.answer", choice.answer, question_ref
    for number, step in enumerate(script.steps):
        yield f"steps.{number}.say", step.say, step.ref
        for which, wrong in enumerate(step.misconceptions):
            yield f"steps.{number}.misconceptions.{which}.think", wrong.think, step.ref
            yield f"steps.{number}.misconceptions.{which}.but", wrong.but, step.ref
    for number, attempt in enumerate(script.tries):
        yield f"tries.{number}.text", attempt.text, None


def claims(script: Script) -> Iterator[tuple[str, str, SceneRef | None]]:
    """Every claim that must be true of the record; the right choice must have one."""
    for number, choice in enumerate(script.question.choices):
        if choice.right and not choice.holds:
            raise SpecvizError(f"question.choices.{number}.holds: say what in the record makes this the right answer")
        for claim in choice.holds:
            yield f"question.choices.{number}.holds", claim, script.question.ref
    for number, step in enumerate(script.steps):
        for claim in step.holds:
            yield f"steps.{number}.holds", claim, step.ref
