"""The Race page: a form goes in, the picture of a running race comes out, again and again, as JSON."""

import logging
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import gradio as gr

from specviz.decoding.exact.own_parts import claim_holds
from specviz.decoding.run.race import Lane, race
from specviz.errors import SpecvizError, without_folders
from specviz.lm.getting.catalog import MODELS
from specviz.trace.record import Header, Trace
from specviz.ui.catalog import SHARED_OPTIONS, START_LANES, form_setup, start_form
from specviz.ui.examples import EXAMPLES
from specviz.ui.island import island, stream, to_json
from specviz.ui.messages.header import ExampleSetup
from specviz.ui.messages.microscope import FileAnswer
from specviz.ui.messages.race import LaneForm, RaceMotion, RaceSetup, RaceStart, RefusedMessage, WaitingMessage
from specviz.ui.pages.branching import KeptLane, branching, kept_parent
from specviz.ui.pages.familiar import unfamiliar
from specviz.ui.pages.forks import forked_view
from specviz.ui.pages.saving import race_file
from specviz.ui.serving import limits
from specviz.ui.serving.audience import caller
from specviz.ui.serving.device import Busy, Device, Ticket, Visitor, waiting
from specviz.ui.serving.models import EMBEDDED_NAME, PairLoader
from specviz.ui.serving.runs import KeptRuns, Traces, existing, recorded_run
from specviz.ui.settings import RaceSettings, Refusal, as_asked, read_settings, refusal_of
from specviz.views.race.motion import lane_motion
from specviz.views.race.race_types import LaneView, RaceMessage
from specviz.views.race.race_view import lane_view, legend

log = logging.getLogger(__name__)
AGAIN_SECONDS = 20.0  # how long a visitor who looks into a forgotten race waits for the models
NO_TURNS = "These models take no turns: start anew, or choose others in the header."
NO_SYSTEM = "These models take no system message: empty it, or choose others in the header."
LABELS = {"greedy": "Temperature 0", "sampled": "Sampling", "": "A tale, by the small pair"}
INTRO = (
    "A large target model writes one token per call. A small draft model can guess ahead: the target then checks all "
    "guesses in a single call and keeps those that pass. Same prompt, same models, same seed: who is faster, and does "
    "the text stay the target's own? Choose any method for a lane, and click any token to see how it got there."
)


def build_race(loader: PairLoader, runs: KeptRuns, device: Device) -> gr.HTML:
    """The page's component, wired; call it inside a Blocks context."""

    def stop(run: Any) -> None:
        """Called by the browser: end a run, waiting or running."""
        if isinstance(run, str):
            runs.stop(run)

    def recorded(names: Any) -> RaceMessage | None:
        """Called by the browser: the race of the recorded traces of these methods; null lanes have none."""
        if not (isinstance(names, list) and all(isinstance(name, str) for name in names[: limits.MAX_LANES])):
            return None
        return recorded_view(runs, recorded_run(names[: limits.MAX_LANES]))

    def traces_of(run: Any) -> Traces:
        traces = runs.traces_again(run) if isinstance(run, str) else ()
        if not existing(traces):
            raise SpecvizError("This race is no longer kept on the server. Run it again.", code="gone")
        return traces

    def find(form: Any) -> RaceMessage | None:
        """Called by the browser for a link: the race that was made from this very form, while it is kept; else null."""
        return found_view(runs, loader.usual(form))

    def motion(run: Any) -> RaceMotion:
        """Called by the browser: how every lane of a race moves."""
        return {"lanes": [trace and lane_motion(trace) for trace in traces_of(run)]}

    def save(run: Any) -> FileAnswer:
        """Called by the browser: the race as an HTML file, {name, text}."""
        return race_file(run, traces_of(run))

    opening = next(iter(runs.openings), "")
    first = existing(runs.traces(recorded_run(START_LANES, opening)))
    first = first if len(first) == len(START_LANES) else []  # the page opens with the whole race, or empty
    setup = RaceSetup(
        **form_setup(),
        intro=INTRO,
        legend=legend(),
        examples=[ExampleSetup(**example._asdict()) for example in EXAMPLES],
        start=_start(first, loader.names),
        recorded=bool(first),
        openings=[{"name": name, "label": LABELS.get(name, name)} for name in (*runs.openings, "") if runs.openings],
        limits={
            "prompt": limits.MAX_PROMPT_CHARACTERS,
            "min_lanes": limits.MIN_LANES,
            "max_lanes": limits.MAX_LANES,
        },
    )
    component = island(
        "race",
        value=to_json(recorded_view(runs, recorded_run(START_LANES, opening))) if first else "",
        setup=setup,
        events=("run",),
        calls={"stop": stop, "recorded": recorded, "find": find, "motion": motion, "save": save},
    )

    stream(component.run, component, lambda data, visitor: race_messages(loader, runs, device, data, visitor))
    return component


def _start(recorded: Sequence[Trace], pairs: Sequence[str]) -> RaceStart:
    """The form that made the recorded race, so that Run repeats what is on screen; of ``pairs`` the one that did."""
    if not recorded:
        return start_form(EXAMPLES[0].prompt)
    header = recorded[0].header
    shared = {name: header.options[name] for name in SHARED_OPTIONS if name in header.options}
    lanes: list[LaneForm] = [
        {"method": lane.method.name, "options": {k: v for k, v in lane.options.items() if (k, v) not in shared.items()}}
        for lane in (trace.header for trace in recorded)
    ]
    wanted, written = header.options.get("max_new_tokens"), max(trace.metrics.tokens for trace in recorded)
    tokens = wanted if isinstance(wanted, int) else written
    prompt = header.prompt_text or EXAMPLES[0].prompt
    start: RaceStart = {
        "prompt": prompt,
        "lanes": lanes,
        "shared": shared,
        "seed": header.seed,
        "max_new_tokens": tokens,
    }
    pair = known_pair(header)
    return {**start, "pair": pair} if pair in pairs else start


def known_pair(header: Header) -> str:
    """The name of the known pair that made a run; "": none did."""
    return next((name for name, model in MODELS.items() if Path(model.file).stem == header.target.name), "")


def recorded_view(runs: KeptRuns, run: str) -> RaceMessage:
    """The ready-made race of this id: null for a lane whose method was not recorded."""
    traces = runs.traces(run) or (None,) * (1 + run.count(","))
    views = [trace and lane_view(trace, claim_holds, finished=True) for trace in traces]
    there = existing(traces)
    return {
        **forked_view(run, "recorded", views, there),
        "pair": (known_pair(there[0].header) if there else "") or None,
    }


def found_view(runs: KeptRuns, form: Any) -> RaceMessage | None:
    """The finished race that was made from this form (its id aside); None where none is kept, or it is no form."""
    try:
        settings = read_settings({**form, "run": "0" * 32} if isinstance(form, dict) else form)
    except SpecvizError:
        return None
    run = runs.made_from(settings.form)
    traces = existing(runs.traces(run)) if run else []
    if len(traces) != len(settings.lanes) + len(settings.branches):
        return None
    view = forked_view(run, "finished", [lane_view(trace, claim_holds, finished=True) for trace in traces], traces)
    return as_asked(view, settings)


def race_messages(
    loader: PairLoader,
    runs: KeptRuns,
    device: Device,
    form: Any,
    visitor: Visitor = Visitor(),  # noqa: B008
) -> Generator[WaitingMessage | RaceMessage | RefusedMessage]:
    """Everything the page is told about one run: waiting, running (after every slice of the device; ``update``
    counts them from 1), finished or stopped; or refused, with the field at fault. Never raises for what a visitor
    typed. Closing the iterator ends the run.

    While it waits for the models or for its turn on the ``device`` it yields a waiting message whenever it is asked:
    let ``paced`` ask.
    """
    run = form.get("run") if isinstance(form, dict) else None
    settings = None
    try:
        settings = read_settings(loader.usual(form))
        loader = loader.of(settings.pair)
        runs.claim(settings.run, settings, visitor)
        with device.ticket(visitor) as ticket:
            ticket.about = {"what": "race", "methods": [name for name, _ in settings.lanes], "prompt": settings.prompt}
            yield from _waiting(loader, runs, ticket, settings.run)
            if settings.turns and not loader.chats:
                raise Refusal(NO_TURNS, field="prompt", argument="turns", code="missing_part")
            if settings.system and not loader.chats:
                raise Refusal(NO_SYSTEM, field="system", argument="system", code="missing_part")
            with ticket.slice():
                note = unfamiliar(loader.pair, settings.prompt) if loader.name == EMBEDDED_NAME else ""
            yield from _race(loader.pair, runs, settings, ticket, note)
    except SpecvizError as error:
        refusal = refusal_of(error, settings)
        yield {
            "kind": "refused",
            "form": run,
            "field": refusal.field,
            "code": refusal.code,
            "message": without_folders(refusal),
        }
    except Exception as error:  # a defect, or the device: the page must not wait for ever
        log.exception("a race failed")
        text = f"The run failed: {type(error).__name__}: {without_folders(error)}"[:400]
        yield {"kind": "refused", "form": run, "field": "form", "message": text}


def _waiting(loader: PairLoader, runs: KeptRuns, ticket: Ticket, run: str) -> Generator[WaitingMessage]:
    """Say what the run waits for, until it has the models and the device, or until the visitor stops it."""
    for message in waiting(ticket, loader, run, "your race"):
        yield message
        if runs.is_stopped(run):
            ticket.about["ended"] = "stopped"
            raise SpecvizError("Stopped before it was its turn: nothing was run.", code="stopped")


def _race(
    pair: Any, runs: KeptRuns, settings: RaceSettings, ticket: Ticket, remark: str = ""
) -> Generator[RaceMessage]:
    size = len(settings.lanes) + len(settings.branches)
    views: list[LaneView | None] = [None] * size
    traces: list[Trace | None] = [None] * size
    behind: dict[int, Lane | KeptLane] = {}  # lanes that moved since the last picture
    turns = _turns(pair, settings, kept_parent(runs, pair, settings))
    updates = 0

    def picture(state: str, note: str = "") -> RaceMessage:
        nonlocal updates
        updates += 1
        for index, lane in behind.items():
            traces[index] = trace = lane.trace()
            views[index] = lane_view(trace, claim_holds, finished=lane.finished)
        behind.clear()
        runs.keep(settings.run, traces)
        view = forked_view(settings.run, state, views, existing(traces))
        ticket.about["tokens"] = sum(len(trace.tokens) for trace in existing(traces))
        if state != "running":
            ticket.about["ended"] = state
        message: RaceMessage = {
            **as_asked(view, settings),
            "unfamiliar": remark,
            "form": settings.run,
            "update": updates,
        }
        return {**message, "note": note} if note else message

    with closing(turns):
        seconds = 0.0  # the first picture comes after the first iteration
        while moved := _for_a_while(turns, ticket, seconds):
            behind |= {lane.index: lane for lane in moved}
            if ticket.is_over:
                yield picture("stopped", f"Stopped after {ticket.used:.0f} s of computing, all a run gets here; kept")
                return
            others = ticket.sharing - 1
            yield picture("running", f"Running, in turns with {others} other{'s' * (others > 1)} …" if others else "")
            seconds = limits.SLICE
            if runs.is_stopped(settings.run):
                yield picture("stopped")
                return
    runs.made(settings.form, settings.run)
    yield picture("finished")


def _turns(pair: Any, settings: RaceSettings, kept: Trace | None = None) -> Generator[tuple[Lane | KeptLane, Any]]:
    """The turns of a race, and of its branches; ``kept`` is the lane that they leave, where it need not be made."""
    if kept is not None:
        return branching(pair, iter([(KeptLane(0, kept), None)]), settings)
    lanes = race(
        pair,
        list(settings.lanes),
        settings.asked,
        max_new_tokens=settings.max_new_tokens,
        seed=settings.seed,
        **settings.shared,
    )
    return branching(pair, lanes, settings) if settings.branches else lanes


def made_again(loader: PairLoader, device: Device, settings: RaceSettings) -> list[Trace]:
    """The traces of a race whose record is gone: the same tokens and coins, on a clock of today. Waits for its turn on
    the device; raises Busy where that takes too long, or the run does."""
    pair = loader.of(settings.pair).pair
    with device.ticket(caller()) as ticket, closing(_turns(pair, settings)) as turns:
        if not ticket.wait(AGAIN_SECONDS):
            raise Busy("This race is no longer kept, and many wait for the models. Try again in a minute.")
        lanes: dict[int, Lane | KeptLane] = {}
        while moved := _for_a_while(turns, ticket, limits.SLICE):
            lanes |= {lane.index: lane for lane in moved}
            if ticket.is_over:
                raise Busy("This race is no longer kept, and takes too long to be made again.", code="gone")
    return [lanes[index].trace() for index in sorted(lanes)]


def _for_a_while(turns: Iterator[tuple[Lane | KeptLane, Any]], ticket: Ticket, seconds: float) -> list[Lane | KeptLane]:
    """The lanes that moved in ``seconds`` on the device, one at least; none once the race is over."""
    moved = []
    with ticket.slice():
        end = time.monotonic() + seconds
        for lane, _ in turns:
            moved.append(lane)
            if time.monotonic() >= end:
                break
    return moved
