"""The Microscope page: the browser asks for one iteration of one lane and steps through it by itself.

It may also ask for that iteration judged again with another coin or option (``changes.py``), and for files of it to
save (``saving.py``). Every answer is JSON: what was asked for, or ``{"error": why not}``. Nothing here runs a model.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import gradio as gr

from specviz.errors import SpecvizError, as_given
from specviz.trace.record import Trace
from specviz.ui.island import island, to_json
from specviz.ui.messages.microscope import FileAnswer, MicroscopePayload, ReplayAnswer
from specviz.ui.pages.changes import Changes, judged_again, places, possible, replayed_view
from specviz.ui.pages.saving import figure_file, step_file, trace_file
from specviz.ui.serving.answers import answer_cache
from specviz.ui.serving.limits import MAX_ANSWER_BYTES
from specviz.ui.serving.runs import KeptRuns
from specviz.ui.settings import CheckedRequest, Coins, Dark, IterationIndex, LaneIndex, RunId, Values
from specviz.views.drafts.listening import independent_beside
from specviz.views.story.scenes import iteration_payload


class StepRequest(CheckedRequest):
    """An iteration of a lane."""

    run: RunId
    lane: LaneIndex
    iteration: IterationIndex
    scene: Any = None  # an unknown one is the first


class ChangesRequest(StepRequest):
    """The same with other coins, by the number of their decision, and other options."""

    coins: Coins = {}
    options: Values = {}

    @property
    def changes(self) -> Changes:
        """What is to be other than recorded."""
        return Changes({int(decision): uniform for decision, uniform in self.coins.items()}, self.options)


class StepFigureRequest(ChangesRequest):
    """One figure of it, to be saved; an image has a theme."""

    figure: Any
    format: Any
    dark: Dark = False


class Step(NamedTuple):
    """An iteration of a lane's trace; ``beside``: another lane to compare it with."""

    trace: Trace
    index: int
    beside: Trace | None = None


def build_microscope(runs: KeptRuns) -> gr.HTML:
    """The page's component, wired; call it inside a Blocks context."""
    return island("microscope", calls=microscope_calls(runs))


def microscope_calls(runs: KeptRuns) -> dict[str, Callable[[Any], Any]]:
    """What the browser may call, each with one request, a dict: iteration, replay, step, figure, trace."""
    answer = answer_cache(MAX_ANSWER_BYTES)

    def iteration(request: StepRequest) -> str:
        """{run, lane, iteration} -> the payload of ``views/story/scenes.py``, and ``changeable``, as JSON."""
        step = find_step(runs, request)
        compared = step.beside and len(step.beside.iterations)
        return answer(step.trace, (step.index, compared), lambda: to_json(payload_of(step)))

    def replay(request: ChangesRequest) -> str:
        """The same with {coins, options} -> what ``replayed_view`` says, as JSON."""
        step, changes = find_step(runs, request), request.changes
        changes_text = to_json([*sorted(changes.coins.items()), changes.options])  # True and 1 are two things
        return answer(step.trace, (step.index, changes_text), lambda: to_json(replay_of(step, changes)))

    def step(request: StepRequest) -> FileAnswer:
        """{run, lane, iteration, scene} -> {name, text} of an HTML file."""
        step = find_step(runs, request)
        return step_file(step.trace, step.index, request.scene)

    def figure(request: StepFigureRequest) -> FileAnswer:
        """{run, lane, iteration, figure, scene, format, dark, coins, options} -> {name, base64} of an image."""
        step, changes = find_step(runs, request), request.changes
        trace = judged_again(step.trace, step.index, changes) if changes else step.trace
        note = " (replayed)" if changes else ""
        wanted = {"scene": request.scene, "dark": request.dark, "note": note}
        return figure_file(trace, step.index, request.figure, request.format, **wanted)

    def trace(request: StepRequest) -> FileAnswer:
        """{run, lane, iteration} -> {name, text} of the lane's trace."""
        return trace_file(runs.trace(request.run, request.lane))

    return {call.__name__: call for call in (iteration, replay, step, figure, trace)}


def payload_of(step: Step) -> MicroscopePayload:
    """The payload of a step, with ``changeable``: what a replay may change of it; and ``places``: where another token
    can be put."""
    trace, index, beside = step
    payload = iteration_payload(trace, index, beside)
    return {**payload, "changeable": possible(trace, index), "places": places(trace, index)}


def replay_of(step: Step, changes: Changes) -> ReplayAnswer:
    """The step judged again (``replayed_view``)."""
    return replayed_view(step.trace, step.index, changes)


def find_step(runs: KeptRuns, request: StepRequest) -> Step:
    """The iteration that is asked for. Raises SpecvizError, naming run, lane or iteration, when there is none."""
    trace = runs.trace(request.run, request.lane)
    if request.iteration >= len(trace.iterations):
        number, count = as_given(request.iteration + 1, 20), len(trace.iterations)
        raise SpecvizError(f"There is no iteration {number}: this lane has {count} of them.", argument="iteration")
    return Step(trace, request.iteration, independent_beside(trace, runs.traces(request.run)))
