"""The Microscope page: the browser asks for one iteration of one lane and steps through it by itself."""

from typing import Any

import gradio as gr

from specviz.errors import SpecvizError
from specviz.ui.island import island, to_json
from specviz.ui.runs import Runs
from specviz.views.scenes import iteration_payload


def build_microscope(runs: Runs) -> gr.HTML:
    """The page's component, wired; call it inside a Blocks context."""

    def iteration(request: Any) -> str:
        """Called by the browser with {run, lane, iteration, dark}: a payload as JSON, or {"error": why not}."""
        try:
            return to_json(find_payload(runs, request))
        except SpecvizError as error:
            return to_json({"error": str(error)})

    return island("microscope", calls=(iteration,))


def find_payload(runs: Runs, request: Any) -> dict[str, Any]:
    """The payload that ``request`` names. Raises SpecvizError when run, lane or iteration do not exist (any more)."""
    if not isinstance(request, dict):
        raise SpecvizError("the request could not be read: reload the page")
    run, lane, index = (request.get(key) for key in ("run", "lane", "iteration"))
    traces = runs.traces(run) if isinstance(run, str) else ()
    if not traces:
        raise SpecvizError("This run is no longer kept on the server. Run the race again to look into it.")
    if not (_is_index(lane) and lane < len(traces)):
        raise SpecvizError(f"lane must be 0 to {len(traces) - 1}, got {str(lane)[:20]}")
    trace = traces[lane]
    iterations = len(trace.iterations) if trace is not None else 0
    if not (_is_index(index) and index < iterations):
        raise SpecvizError(f"iteration must be below {iterations}, got {str(index)[:20]}")
    return iteration_payload(trace, index, dark=request.get("dark") is True)


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
