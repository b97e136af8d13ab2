"""Recorded steps as one HTML document, and as HTML for readers without scripts."""

from collections.abc import Sequence
from html import escape

from specviz.trace.record import Trace
from specviz.views.story.document import document
from specviz.views.story.payload_types import IterationPayload, Scene, StepDocument
from specviz.views.story.still import still_text


def steps_document(
    trace: Trace,
    title: str,
    payloads: Sequence[IterationPayload],
    *,
    first: int = 0,
    scene: str | None = None,
    still: str = "",
) -> str:
    """A document of iterations of a trace, that opens at ``scene`` (a key; None: its beginning) of the one at place
    ``first`` (from 0). ``still`` is HTML for readers without scripts."""
    header = trace.header
    models = header.target.name + (f" and {header.draft.name}" if header.draft else "")
    keys = [one["key"] for one in payloads[first]["scenes"]]
    data: StepDocument = {
        "title": title,
        "payloads": [*payloads],
        "note": f"Recorded with {models}, seed {header.seed}. To change a coin or an option, open the iteration in "
        "specviz: specviz app, page Microscope.",
        "first": first,
        "at": next((key for key in keys if key == scene), keys[0]),
    }
    return document(f"specviz: {title}", "step", data, still=still)


def steps_still(trace: Trace, payloads: Sequence[IterationPayload]) -> str:
    """The text of a run, and iterations of it in words."""
    return still_text(trace) + "".join(map(_iteration, payloads))


def _iteration(payload: IterationPayload) -> str:
    steps = "".join(map(_step, payload["scenes"]))
    return f"<details><summary>Iteration {payload['iteration'] + 1}</summary><ol>{steps}</ol></details>"


def _step(scene: Scene) -> str:
    parts = (f"{scene['title']}.", scene["sentence"], scene["formula"])
    return f"<li>{escape(' '.join(part for part in parts if part))}</li>"
