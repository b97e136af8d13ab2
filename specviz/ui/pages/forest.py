"""The page "Same forest, every verdict": a frozen forest, and what each verifier keeps of it, computed on request."""

import logging
from collections.abc import Awaitable, Callable, Generator, Mapping
from functools import partial
from hashlib import sha256
from typing import Annotated, Any

import gradio as gr
from pydantic import Field

from specviz.decoding.registry.methods.custom import CUSTOM
from specviz.decoding.registry.parts import free_drafters, free_verifiers
from specviz.errors import SpecvizError, without_folders
from specviz.options import Option
from specviz.ui.catalog import SHARED_OPTIONS, describe_options
from specviz.ui.examples import EXAMPLES
from specviz.ui.island import island, stream
from specviz.ui.messages.forest import (
    ComparedVerdicts,
    DraftedMessage,
    ForestSetup,
    ForestStart,
    KeptDraft,
    OpenedForest,
    RecordedForest,
    VerdictAnswer,
)
from specviz.ui.messages.header import ExampleSetup
from specviz.ui.messages.race import RefusedMessage, WaitingMessage
from specviz.ui.pages.forest_source import (
    FORM,
    DraftedSource,
    DraftSettings,
    Forests,
    draft,
    draft_option_names,
    read_draft,
    read_source,
    steps_with_forests,
    warp_options,
)
from specviz.ui.pages.forest_verdict import compared, opened, verdict
from specviz.ui.pages.race import recorded_view
from specviz.ui.serving import limits
from specviz.ui.serving.audience import caller
from specviz.ui.serving.device import Device, Visitor, waiting
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.runs import KeptRuns, recorded_run
from specviz.ui.serving.turns import DeviceTurns, Slices
from specviz.ui.settings import CheckedRequest, Seed, Values, control_of, one_of, read, says
from specviz.views.race.race_types import RaceMessage

log = logging.getLogger(__name__)
INTRO = (
    "One draft, frozen: the same guesses, the same target, the same coins. Only the rule that decides what is kept is "
    "different. Pick a rule to see how often it keeps each guess."
)
SEED = Option(
    "seed",
    "integer",
    0,
    "Starts the draft’s own dice: the same seed gives the same guesses again.",
    0,
    limits.MAX_SEED,
)
START = ("speculative", 3)  # the recorded step that the page opens with: the rules disagree in it
START_COINS = 1
START_PAIR = ("token", "joint")


def build_forest(loader: PairLoader, runs: KeptRuns, device: Device) -> gr.HTML:
    """The page's component, wired; call it inside a Blocks context."""
    forests, turns = Forests(runs), DeviceTurns()

    def judging(function: Callable[[Forests, Any], Generator[None, None, Any]]) -> Callable[[Any], Awaitable[Any]]:
        async def call(request: Any) -> Any:
            """One slice of one verdict at a time, so that many requests leave the machine to the races."""
            slices = Slices(function(forests, request), limits.VERDICT_SECONDS)
            return await turns.finish(caller().address, slices.next)

        return call

    def race_of(request: Any) -> RaceMessage:
        names = [str(name) for name in read(MethodsRequest, request).methods[: limits.MAX_LANES]]
        return recorded_view(runs, recorded_run(names))

    def kept_draft(request: Any) -> KeptDraft:
        """Called by the browser for a link: the forest drafted from this very form. Raises SpecvizError where there is
        none (any more)."""
        forest = _name_of(read_draft(loader.usual(request)))
        forests.find(DraftedSource(id=forest))
        return {"id": forest}

    component = island(
        "forest",
        setup=_setup(runs),
        events=("draft",),
        calls={
            "open_forest": partial(open_forest, forests),
            "race_of": race_of,
            "kept_draft": kept_draft,
            "judge_forest": judging(judge_forest),
            "compare_verdicts": judging(compare_verdicts),
        },
    )

    stream(component.draft, component, lambda data, visitor: draft_messages(loader, forests, device, data, visitor))
    return component


def _setup(runs: KeptRuns) -> ForestSetup:
    """What the page needs before anything is asked: recorded steps, drafters with their options, where to start."""
    steps: list[RecordedForest] = []
    for name in runs.recorded:
        trace = runs.trace(recorded_run([name]), 0)
        steps.append(
            {
                "run": recorded_run([name]),
                "method": name,
                "title": trace.header.method.title,
                "steps": steps_with_forests(trace),
            }
        )
    used = {name for drafter in free_drafters() for name in draft_option_names(drafter)}
    sizes = [option for option in CUSTOM.own_options if option.name in used]
    return {
        "intro": INTRO,
        "recorded": [recording for recording in steps if recording["steps"]],
        "start": _start(steps),
        "pair": START_PAIR,
        "coins": START_COINS,
        "drafters": [{"name": drafter.name, "about": drafter.about} for drafter in free_drafters().values()],
        "options": describe_options((*sizes, *SHARED_OPTIONS.values())),
        "seed": {**describe_options((SEED,))[0], "label": "Seed of the draft"},
        "examples": [ExampleSetup(**example._asdict()) for example in EXAMPLES],
        "limits": {"seed": limits.MAX_SEED},
    }


def _start(steps: list[RecordedForest]) -> ForestStart | None:
    """The recorded step to open with: START where it was recorded, or else the first there is."""
    playable = [recording for recording in steps if recording["steps"]]
    recording = next(
        (recording for recording in playable if recording["method"] == START[0]), playable[0] if playable else None
    )
    if recording is None:
        return None
    step = START[1] if recording["method"] == START[0] and START[1] in recording["steps"] else recording["steps"][0]
    return {"run": recording["run"], "lane": 0, "step": step}


class MethodsRequest(CheckedRequest):
    """Methods whose recorded runs are asked for."""

    methods: Annotated[list[Any], says("methods must be a list of names, got {value}")]


class ForestRequest(CheckedRequest):
    """A forest: ``{id}`` or ``{run, lane, step, warp}``."""

    source: Any


class VerifierRequest(CheckedRequest):
    """A verifier with its options."""

    verifier: Annotated[str, one_of("verifier must be one of", free_verifiers)]
    options: Values = {}


class VerdictRequest(ForestRequest, VerifierRequest):
    """What a verifier makes of a forest, with the coins of a seed."""

    seed: Seed = 0


class PairRequest(ForestRequest):
    """One or two verifiers on a forest."""

    pair: Annotated[list[VerifierRequest], Field(min_length=1, max_length=2), says("pair must be one or two verifiers")]
    seed: Seed = 0


def open_forest(forests: Forests, request: Any) -> OpenedForest:
    """Called by the browser with {source}: the forest without a verdict, and a row for every verifier."""
    source = read_source(read(ForestRequest, request).source)
    frozen = forests.find(source)
    if isinstance(source, DraftedSource):
        why = "To change the temperature of these guesses, draft them again."
        return opened(frozen, "Drafted here", [], {"options": [], "reason": why})
    trace = forests.trace(source)
    warp = warp_options(trace, source.step)
    warp["options"] = [
        {**option, "value": source.warp.get(option["name"], option["value"])} for option in warp["options"]
    ]
    return opened(frozen, trace.header.method.title, steps_with_forests(trace), warp)


def judge_forest(forests: Forests, data: Any) -> Generator[None, None, VerdictAnswer]:
    """Called by the browser with {source, verifier, options, seed}: one row of the table, with its forest. Yields
    where others may go first."""
    request = read(VerdictRequest, data)
    frozen = forests.find(read_source(request.source))
    return (yield from verdict(frozen, request.verifier, request.options, request.seed))


def compare_verdicts(forests: Forests, data: Any) -> Generator[None, None, ComparedVerdicts]:
    """Called by the browser with {source, pair: [{verifier, options}, ..], seed}: the pictures of both. Yields
    where others may go first."""
    request = read(PairRequest, data)
    frozen = forests.find(read_source(request.source))
    pair = [(choice.verifier, choice.options) for choice in request.pair]
    return (yield from compared(frozen, pair, request.seed))


def draft_messages(
    loader: PairLoader,
    forests: Forests,
    device: Device,
    form: Any,
    visitor: Visitor = Visitor(),  # noqa: B008
) -> Generator[WaitingMessage | DraftedMessage | RefusedMessage]:
    """What the page is told about a draft: waiting, then drafted with the forest's id; or refused, with the field at
    fault. Never raises for what a visitor typed. While it waits it says so whenever it is asked: let ``paced`` ask."""
    name = str(form.get("form"))[:40] if isinstance(form, Mapping) else ""
    try:
        settings = read_draft(loader.usual(form))
        loader = loader.of(settings.pair)
        with device.ticket(visitor) as ticket:
            yield from waiting(ticket, loader, name, "the draft")
            with ticket.slice():
                frozen = draft(loader.pair, settings)
            ticket.about = {
                "what": "draft",
                "methods": [settings.drafter],
                "prompt": settings.prompt,
                "ended": "finished",
            }
        forest = _name_of(settings)
        forests.keep(forest, frozen, visitor)
        yield {"kind": "drafted", "form": name, "id": forest}
    except SpecvizError as error:
        names = (*draft_option_names(_drafter_of(form)), "seed")
        field = control_of(error, FORM, names, f"{FORM}-drafter")
        yield {
            "kind": "refused",
            "form": name,
            "field": field,
            "code": error.code,
            "message": without_folders(error),
        }
    except Exception as error:  # a defect, or the device: the page must not wait for ever
        log.exception("a draft failed")
        text = f"The draft failed: {type(error).__name__}: {without_folders(error)}"[:400]
        yield {"kind": "refused", "form": name, "field": FORM, "message": text}


def _name_of(settings: DraftSettings) -> str:
    """The same settings give the same forest, whoever asks."""
    return sha256(repr(settings).encode()).hexdigest()[:32]


def _drafter_of(form: Any) -> str:
    """The drafter that a form asks for, if it names one there is."""
    drafter = form.get("drafter") if isinstance(form, Mapping) else None
    return drafter if isinstance(drafter, str) and drafter in free_drafters() else ""
