"""The Library page: recorded runs, this visit's runs and opened files; comparing, saving and opening them; figures.

The browser holds no traces: it names lanes by (run, lane), and the server answers with rows, races, files and figures.
A file that a visitor opens goes through ``open_text`` and is checked whole before anything of it is kept or shown.
"""

import logging
import re
import threading
from base64 import b64encode
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import gradio as gr
from pydantic import BeforeValidator, Field

from specviz.decoding.exact.own_parts import claim_holds
from specviz.errors import SpecvizError
from specviz.measure.summary import METRIC_HELP
from specviz.trace.bundle import bundle_to_json, read_file
from specviz.trace.record import Trace
from specviz.trace.store import trace_size, trace_to_json
from specviz.ui.island import island
from specviz.ui.messages.library import LibrarySetup, OpenedFile, RaceFigure, SavedFile, Shelf, ShelfRow, ShownRace
from specviz.ui.pages.forks import forked_view
from specviz.ui.serving import limits
from specviz.ui.serving.audience import caller
from specviz.ui.serving.runs import FILE, GALLERY, LESSON, PICK, KeptRuns, Traces, existing, recorded_run
from specviz.ui.settings import CheckedRequest, Dark, LaneIndex, RunId, as_asked, one_of, read, says
from specviz.views.plot.images import figure_image, on_paper
from specviz.views.race.dials import dials_figure, dials_text, reading
from specviz.views.race.race_types import RaceMessage
from specviz.views.race.race_view import guarantee_badge, lane_view, prints
from specviz.views.race.timeline import lane_names, timeline_figure, timeline_text

log = logging.getLogger(__name__)
INTRO = (
    "Every run leaves a trace: all that target and draft said, every coin, every token. Pick up to four runs to see "
    "them side by side, look inside one, or save them as files: a saved trace opens again here, without any model."
)
COLUMNS = ("tokens", "tokens_per_target_call", "acceptance_rate", "perplexity", "tokens_per_second")
FIGURES = {"timeline": timeline_figure, "dials": dials_figure}
_HELP = {name: METRIC_HELP[name].meaning for name in COLUMNS} | {"size": "Of the trace, saved as JSON."}
PROMPT_SHOWN = 160  # characters of a prompt in a row
_opening = threading.BoundedSemaphore(2)  # files being checked at a time


def build_library(runs: KeptRuns) -> gr.HTML:
    """The page's component, wired; call it inside a Blocks context."""
    setup: LibrarySetup = {"intro": INTRO, "largest": limits.MAX_TRACE_BYTES, "most": limits.MAX_LANES, "help": _HELP}
    calls = {"shelf": shelf, "show": show, "save": save, "open": open_text, "figure": figure}
    return island("library", setup=setup, calls={name: partial(call, runs) for name, call in calls.items()})


def _named(value: Any) -> dict[str, Any]:
    return dict(zip(("run", "lane"), value, strict=True)) if isinstance(value, list) and len(value) == 2 else {}


class ShelfRequest(CheckedRequest):
    """The runs that a browser remembers."""

    runs: Annotated[list[str], Field(max_length=100), says("the list of runs could not be read: reload the page")]


class RunRequest(CheckedRequest):
    """A whole run."""

    run: RunId


class LaneRequest(CheckedRequest):
    """A lane of a run."""

    run: RunId
    lane: LaneIndex


class LanesRequest(CheckedRequest):
    """Lanes, each ``[run, lane]``; ``screen`` are the parts of the address to be saved with them."""

    lanes: Annotated[
        list[Annotated[LaneRequest, BeforeValidator(_named)]],
        Field(min_length=1, max_length=limits.MAX_LANES),
        says(f"choose 1 to {limits.MAX_LANES} runs"),
    ]
    screen: Any = None


class RunFigureRequest(CheckedRequest):
    """A figure of a whole run."""

    key: Annotated[str, one_of("figure must be one of", lambda: FIGURES)]
    run: RunId
    dark: Dark = False
    format: Any = None


def shelf(runs: KeptRuns, request: Any) -> Shelf:
    """``{runs: ids}`` -> ``{rows, gone}``: a row for every lane of these and of the recorded runs; forgotten ids."""
    ids = read(ShelfRequest, request).runs
    shelves = {"": runs.recorded, **runs.openings}
    recorded = [recorded_run([name], opening) for opening, names in shelves.items() for name in names]
    by_run = {run: rows_of(runs, run) for run in [*recorded, *ids]}
    rows = [row for lanes in by_run.values() for row in lanes or ()]
    return {"rows": rows, "gone": [run for run in ids if by_run[run] is None]}


def rows_of(runs: KeptRuns, run: str) -> list[ShelfRow] | None:
    """A row for every lane of a run that there is; None where the run is gone."""

    def made(traces: Traces) -> list[ShelfRow]:
        return [row(run, lane, trace) for lane, trace in enumerate(traces) if trace is not None]

    return runs.summary(run, made)


def row(run: str, lane: int, trace: Trace) -> ShelfRow:
    """One lane in a list: ``numbers`` are [value, text] by column (value None where the run has none)."""
    header = trace.header
    own = {name: value for name, value in header.options.items() if name != "max_new_tokens" and value is not None}
    values = {name: getattr(trace.metrics, name) for name in COLUMNS}
    numbers: dict[str, Any] = {
        name: [value, " ".join(reading(name, value, "")).rstrip()] for name, value in values.items() if name != "tokens"
    }
    size = trace_size(trace)
    numbers |= {"tokens": [values["tokens"], f"{values['tokens']:,}"], "size": [size, f"{size / 1000:,.0f} kB"]}
    return {
        "run": run,
        "lane": lane,
        "method": header.method.name,
        "title": header.method.title,
        "guarantee": guarantee_badge(header.method, claim_holds),
        "pair": prints(header),
        "options": dict(header.options),
        "set": ", ".join(f"{name} {_shown(value)}" for name, value in own.items()),
        "prompt": (header.prompt_text or f"{len(header.prompt_tokens)} tokens")[:PROMPT_SHOWN],
        "numbers": numbers,
    }


def show(runs: KeptRuns, request: Any) -> ShownRace:
    """``{run}`` or ``{lanes: [[run, lane], ...]}`` -> ``{race}``: these lanes as a race for the Race page."""
    if isinstance(request, dict) and "run" in request:
        return {"race": shown_race(runs, read(RunRequest, request).run)}
    lanes = read(LanesRequest, request).lanes
    _traces(runs, lanes)
    return {"race": shown_race(runs, runs.pick([(lane.run, lane.lane) for lane in lanes]))}


def shown_race(runs: KeptRuns, run: str) -> RaceMessage:
    """The race of a kept run, as JSON data. Raises SpecvizError when it is gone, or cannot be drawn."""
    traces = runs.traces(run)
    lanes = existing(traces)
    if not lanes:
        kind = "file" if run.startswith(FILE) else "run"
        raise SpecvizError(
            f"This {kind} is no longer kept on the server. Open it again from your own file, in the Library.",
            argument="run",
            code="gone",
        )
    state = "recorded" if run.startswith(GALLERY) else "opened"
    if not run.startswith((GALLERY, FILE, PICK, LESSON)):
        state = "stopped" if any(trace.stop == "stopped" for trace in lanes) else "finished"
    try:
        views = [trace and lane_view(trace, claim_holds, finished=True) for trace in traces]
        race, recipe = forked_view(run, state, views, lanes), runs.recipe(run)
        race = as_asked(race, recipe) if recipe else race
    except Exception as error:  # only a file can do this: it is sound, but no decoder wrote it
        log.info("a run cannot be drawn", exc_info=True)
        raise SpecvizError(f"This run cannot be drawn: {type(error).__name__}: {error}"[:300]) from None
    notes = {FILE: "Opened from a file", PICK: "Picked from the Library", LESSON: "Recorded for a lesson"}
    note = next((note for start, note in notes.items() if run.startswith(start)), None)
    return {**race, "note": note} if note else race


def save(runs: KeptRuns, data: Any) -> SavedFile:
    """``{lanes: [[run, lane], ...]}`` -> ``{name, text}``: one trace as JSON, exactly what ``Trace.save`` writes; with
    ``screen`` (parts of the address), or for several lanes, a bundle."""
    request = read(LanesRequest, data)
    traces, screen = _traces(runs, request.lanes), request.screen
    names = "-".join(dict.fromkeys(_plain(trace.header.method.name) for trace in traces))[:80]
    if screen is None and len(traces) == 1:
        return {"name": f"specviz-{names}.json", "text": trace_to_json(traces[0])}
    text = bundle_to_json(traces, screen)
    answer: SavedFile = {"name": f"specviz-race-{names}.json", "text": text}
    if len(text) > limits.MAX_TRACE_BYTES:
        answer["note"] = (
            f"This file has {len(text) / 1e6:.1f} MB, more than the {limits.MAX_TRACE_BYTES / 1e6:.0f} MB that this "
            "page opens again. Save its lanes one by one to be able to."
        )
    return answer


def open_text(runs: KeptRuns, text: Any) -> OpenedFile:
    """The text of a file -> ``{race, rows, screen}``. Refuses (SpecvizError) whatever is not a sound trace or bundle
    within the page's limits; nothing of a refused file is kept."""
    if not isinstance(text, str):
        raise SpecvizError("the file could not be read as text")
    if text.count("[") + text.count("{") > limits.MAX_OPENED_PARTS:  # before an object is made of each
        raise SpecvizError(f"the file has more than {limits.MAX_OPENED_PARTS:,} lists and objects", code="too_large")
    if not _opening.acquire(timeout=15):
        raise SpecvizError("Many files are being opened right now. Try again in a moment.", code="queue_full")
    try:
        bundle = read_file(text, limit=limits.MAX_TRACE_BYTES)
        for number, trace in enumerate(bundle.traces):
            _drawable(trace, f"traces[{number}]: " if len(bundle.traces) > 1 else "")
        content = text.encode(errors="surrogatepass")
        trial = KeptRuns()
        race = shown_race(trial, trial.keep_file(content, bundle.traces))  # refuse before anything is kept
        run = runs.keep_file(content, bundle.traces, caller())
    finally:
        _opening.release()
    return {"race": race, "rows": rows_of(runs, run) or [], "screen": dict(bundle.screen)}


def figure(runs: KeptRuns, data: Any) -> RaceFigure:
    """``{run, key, dark, format}`` -> ``{figure, text}``, JSON for plotly.js and the same in words, or ``{file}``,
    base64, where ``format`` is pdf. ``key``: timeline or dials. Figures of single steps are saved in the Microscope."""
    request = read(RunFigureRequest, data)
    traces = existing(runs.traces(request.run))
    if not traces:
        raise SpecvizError("This run is no longer kept on the server.", argument="run", code="gone")
    figure = on_paper(FIGURES[request.key](traces, dark=request.dark), dark=request.dark)
    if request.format == "pdf":
        return {"file": b64encode(figure_image(figure, "pdf")).decode()}
    text = timeline_text(traces) if request.key == "timeline" else dials_words(traces)
    return {"figure": str(figure.to_json()), "text": text}


def dials_words(traces: Sequence[Trace]) -> str:
    """Every number of every lane, a line a lane."""
    names = lane_names(traces)
    return "\n".join(f"{name}: {'; '.join(dials_text(t).splitlines())}." for name, t in zip(names, traces, strict=True))


def _traces(runs: KeptRuns, lanes: Sequence[LaneRequest]) -> list[Trace]:
    """The traces of these lanes. Raises SpecvizError where one is not there."""
    return [runs.trace(lane.run, lane.lane) for lane in lanes]


def _drawable(trace: Trace, where: str) -> None:
    """Refuse what no page could draw: a file may be sound and still enormous."""
    header = trace.header
    models = [model for model in (header.target, header.draft, header.heads, *header.drafts) if model is not None]
    texts = [header.method.name, header.method.title, *header.method.texts.values(), *(model.name for model in models)]
    bounds: Sequence[tuple[str, int, int]] = [
        ("iterations", len(trace.iterations), limits.MAX_OPENED_ITERATIONS),
        ("tokens", len(trace.tokens), limits.MAX_OPENED_TOKENS),
        ("header", sum(map(len, texts)), limits.MAX_OPENED_WORDS),
        *(
            (f"iterations[{i}].{what}", count, most)
            for i, iteration in enumerate(trace.iterations)
            for what, count, most in (
                ("forest.nodes", len(iteration.forest.nodes) if iteration.forest else 0, limits.MAX_OPENED_NODES),
                ("decisions", len(iteration.decisions), limits.MAX_OPENED_DECISIONS),
                ("inputs", len(iteration.inputs), limits.MAX_OPENED_BEAMS),
                ("beams", len(iteration.beams), limits.MAX_OPENED_BEAMS),
            )
        ),
    ]
    for what, count, most in bounds:
        if count > most:
            unit = "characters" if what == "header" else "entries"
            raise SpecvizError(f"{where}{what}: has {count:,} {unit}, this page draws up to {most:,}", code="too_many")


def _shown(value: Any) -> str:
    return "·".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9-]+", "", name.lower())[:30] or "run"
