"""The Race page: a form goes in, the picture of a running race comes out, again and again, as JSON."""

import logging
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Any

import gradio as gr

from specviz.decoding.run.race import Lane, race
from specviz.errors import SpecvizError
from specviz.trace.record import Trace
from specviz.ui.catalog import SHARED_OPTIONS, START_LANES, form_setup, start_form
from specviz.ui.examples import EXAMPLES
from specviz.ui.island import island, stream, to_json
from specviz.ui.message_types import (
    ExampleSetup,
    LaneForm,
    LaneView,
    RaceMessage,
    RaceSetup,
    RaceStart,
    RefusedMessage,
    WaitingMessage,
)
from specviz.ui.pages.race_view import lane_view, legend, race_view
from specviz.ui.serving import limits
from specviz.ui.serving.device import Device, Ticket, people_before, until_ready
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.runs import Runs, existing, recorded_run
from specviz.ui.settings import RaceSettings, read_settings, refusal_of

log = logging.getLogger(__name__)
INTRO = (
    "A large target model writes one token per call. A small draft model can guess ahead: the target then checks all "
    "guesses in a single call and keeps those that pass. Same prompt, same models, same seed: who is faster, and does "
    "the text stay the target's own? Choose any method for a lane, and click any token to see how it got there."
)


def build_race(loader: PairLoader, runs: Runs, device: Device) -> gr.HTML:
    """The page's component, wired; call it inside a Blocks context."""

    def stop(run: Any) -> None:
        """Called by the browser: end a run, waiting or running."""
        if isinstance(run, str):
            runs.stop(run)

    def recorded(names: Any) -> str:
        """Called by the browser: the race of the recorded traces of these methods, as JSON; null lanes have none."""
        if not (isinstance(names, list) and all(isinstance(name, str) for name in names[: limits.MAX_LANES])):
            return to_json(None)
        return to_json(recorded_view(runs, names[: limits.MAX_LANES]))

    first = existing(runs.traces(recorded_run(START_LANES)))
    first = first if len(first) == len(START_LANES) else []  # the page opens with the whole race, or empty
    setup = RaceSetup(
        **form_setup(),
        intro=INTRO,
        legend=legend(),
        examples=[ExampleSetup(**example._asdict()) for example in EXAMPLES],
        start=_start(first),
        recorded=bool(first),
        limits={
            "prompt": limits.MAX_PROMPT_CHARACTERS,
            "min_lanes": limits.MIN_LANES,
            "max_lanes": limits.MAX_LANES,
        },
    )
    component = island(
        "race",
        value=to_json(recorded_view(runs, START_LANES)) if first else "",
        setup=setup,
        events=("run",),
        calls=(stop, recorded),
    )

    stream(component.run, component, lambda data: race_messages(loader, runs, device, data))
    return component


def _start(recorded: Sequence[Trace]) -> RaceStart:
    """The form that made the recorded race, so that Run repeats what is on screen."""
    if not recorded:
        return start_form(EXAMPLES[0].prompt)
    header = recorded[0].header
    lanes: list[LaneForm] = [
        {"method": trace.header.method.name, "options": dict(trace.header.options)} for trace in recorded
    ]
    shared = {name: header.options[name] for name in SHARED_OPTIONS if name in header.options}
    wanted, written = header.options.get("max_new_tokens"), max(trace.metrics.tokens for trace in recorded)
    tokens = wanted if isinstance(wanted, int) else written
    prompt = header.prompt_text or EXAMPLES[0].prompt
    return {"prompt": prompt, "lanes": lanes, "shared": shared, "seed": header.seed, "max_new_tokens": tokens}


def recorded_view(runs: Runs, names: Sequence[str]) -> RaceMessage:
    """The ready-made race of these methods: null for a lane whose method was not recorded."""
    run = recorded_run(names)
    traces = runs.traces(run) or (None,) * len(names)
    views = [trace and lane_view(trace, finished=True) for trace in traces]
    return race_view(run, "recorded", views, existing(traces))


def race_messages(
    loader: PairLoader, runs: Runs, device: Device, form: Any
) -> Generator[WaitingMessage | RaceMessage | RefusedMessage]:
    """Everything the page is told about one run: waiting, running (some UPDATES_PER_SECOND, ``update`` counts them from
    1), finished or stopped; or refused, with the field at fault. Never raises for what a visitor typed. Closing the
    iterator ends the run.

    While it waits for the models or for its turn on the ``device`` it says so at once, whenever it is asked: let
    ``paced`` ask.
    """
    run = form.get("run") if isinstance(form, dict) else None
    settings = None
    try:
        settings = read_settings(form)
        with device.ticket() as ticket:
            yield from _waiting(loader, runs, ticket, settings.run)
            yield from _race(loader.pair, runs, settings)
    except SpecvizError as error:
        refusal = refusal_of(error, settings)
        yield {"kind": "refused", "form": run, "field": refusal.field, "code": refusal.code, "message": str(refusal)}
    except Exception as error:  # a defect, or the device: the page must not wait for ever
        log.exception("a race failed")
        text = f"The run failed: {type(error).__name__}: {error}"[:400]
        yield {"kind": "refused", "form": run, "field": "form", "message": text}


def _waiting(loader: PairLoader, runs: Runs, ticket: Ticket, run: str) -> Generator[WaitingMessage]:
    """Say what the run waits for, until it has the models and the device, or until the visitor stops it."""
    for queue_position in until_ready(ticket, loader):
        before = f"{people_before(queue_position)}; " if queue_position else ""
        models = "" if loader.wait(0.0) else "the models are still loading; "
        text = f"{before}{models}your race starts by itself …"
        yield {"kind": "waiting", "form": run, "queue_position": queue_position, "text": text[0].upper() + text[1:]}
        if runs.is_stopped(run):
            raise SpecvizError("Stopped before it was its turn: nothing was run.", code="stopped")


def _race(pair: Any, runs: Runs, settings: RaceSettings) -> Generator[RaceMessage]:
    lanes = list(settings.lanes)
    views: list[LaneView | None] = [None] * len(lanes)
    traces: list[Trace | None] = [None] * len(lanes)
    behind: dict[int, Lane] = {}  # lanes that moved since the last picture
    turns = race(
        pair,
        lanes,
        settings.prompt,
        max_new_tokens=settings.max_new_tokens,
        seed=settings.seed,
        **settings.shared,
    )
    drawn, told = 0.0, 0

    def picture(state: str) -> RaceMessage:
        nonlocal told
        told += 1
        for index, lane in behind.items():
            traces[index] = trace = lane.trace()
            views[index] = lane_view(trace, finished=lane.finished)
        behind.clear()
        runs.keep(settings.run, traces)
        view = race_view(settings.run, state, views, existing(traces))
        return {**view, "form": settings.run, "update": told}

    with closing(turns):
        for lane, _ in turns:
            behind[lane.index] = lane
            if runs.is_stopped(settings.run):
                yield picture("stopped")
                return
            if time.monotonic() - drawn >= 1 / limits.UPDATES_PER_SECOND:
                yield picture("running")
                drawn = time.monotonic()
    yield picture("finished")
