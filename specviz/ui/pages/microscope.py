"""The Microscope page: the browser asks for one iteration of one lane and steps through it by itself.

It may also ask for that iteration judged again with another coin or option (``changes.py``), and for files of it to
save (``saving.py``). Every answer is JSON: what was asked for, or ``{"error": why not}``. Nothing here runs a model.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import gradio as gr

from specviz.errors import SpecvizError
from specviz.trace.record import Trace
from specviz.ui.island import island, to_json
from specviz.ui.message_types import FileAnswer, MicroscopePayload, ReplayAnswer
from specviz.ui.pages.changes import judged_again, possible, read_changes, replayed_view
from specviz.ui.pages.saving import figure_file, step_file, trace_file
from specviz.ui.serving.runs import Runs
from specviz.views.story.scenes import iteration_payload


class StepRequest(NamedTuple):
    """The iteration that a request names, of the lane's trace, on a light or dark page."""

    trace: Trace
    index: int
    dark: bool


def build_microscope(runs: Runs) -> gr.HTML:
    """The page's component, wired; call it inside a Blocks context."""
    return island("microscope", calls=microscope_calls(runs))


def microscope_calls(runs: Runs) -> tuple[Callable[[Any], str], ...]:
    """What the browser may call, each with one request, a dict: iteration, replay, step, figure, trace."""

    def answered(answer: Callable[[Any], dict[str, Any]]) -> Callable[[Any], str]:
        """The call as the browser makes it: JSON, refusals as ``{"error": reason}``."""

        @wraps(answer)
        def call(request: Any) -> str:
            try:
                return to_json(answer(request))
            except SpecvizError as error:
                return to_json({"error": str(error)})

        return call

    @answered
    def iteration(request: Any) -> MicroscopePayload:
        """{run, lane, iteration, dark} -> the payload of ``views/story/scenes.py``, and ``changeable``."""
        return find_payload(runs, request)

    @answered
    def replay(request: Any) -> ReplayAnswer:
        """The same with {coins, options} -> what ``replayed_view`` says."""
        step = find_step(runs, request)
        return replayed_view(step.trace, step.index, read_changes(request), dark=step.dark)

    @answered
    def step(request: Any) -> FileAnswer:
        """{run, lane, iteration, scene} -> {name, text} of an HTML file."""
        found = find_step(runs, request)
        return step_file(found.trace, found.index, request.get("scene"))

    @answered
    def figure(request: Any) -> FileAnswer:
        """{run, lane, iteration, figure, scene, format, dark, coins, options} -> {name, base64} of an image."""
        found = find_step(runs, request)
        changes = read_changes(request)
        trace = judged_again(found.trace, found.index, changes) if changes else found.trace
        key, format = request.get("figure"), request.get("format")
        note = " (replayed)" if changes else ""
        return figure_file(trace, found.index, key, format, scene=request.get("scene"), dark=found.dark, note=note)

    @answered
    def trace(request: Any) -> FileAnswer:
        """{run, lane} -> {name, text} of the lane's trace."""
        return trace_file(find_trace(runs, request))

    return iteration, replay, step, figure, trace


def find_payload(runs: Runs, request: Any) -> MicroscopePayload:
    """The payload that ``request`` names, with ``changeable``: what a replay may change of it.

    Raises SpecvizError when run, lane or iteration do not exist (any more)."""
    trace, index, dark = find_step(runs, request)
    return iteration_payload(trace, index, dark=dark) | {"changeable": possible(trace, index)}


def find_step(runs: Runs, request: Any) -> StepRequest:
    """The iteration that ``request`` names. Raises SpecvizError, naming run, lane or iteration, when there is none."""
    trace = find_trace(runs, request)
    index, iterations = request.get("iteration"), len(trace.iterations)
    if not (_is_index(index) and index < iterations):
        raise SpecvizError(f"iteration must be below {iterations}, got {str(index)[:20]}")
    return StepRequest(trace, index, request.get("dark") is True)


def find_trace(runs: Runs, request: Any) -> Trace:
    """The trace of the lane that ``request`` names. Raises SpecvizError, naming run or lane, when there is none."""
    if not isinstance(request, dict):
        raise SpecvizError("the request could not be read: reload the page")
    run, lane = request.get("run"), request.get("lane")
    traces = runs.traces(run) if isinstance(run, str) else ()
    if not traces:
        raise SpecvizError("This run is no longer kept on the server. Run the race again to look into it.")
    if not (_is_index(lane) and lane < len(traces)):
        raise SpecvizError(f"lane must be 0 to {len(traces) - 1}, got {str(lane)[:20]}")
    if traces[lane] is None:
        raise SpecvizError(f"lane {lane + 1} has no run to look into yet")
    return traces[lane]


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
