"""Files of a recorded step, for the page to save: the whole step as HTML, one figure as an image, a lane's trace."""

import re
from base64 import b64encode
from collections.abc import Sequence

from specviz.decoding.exact.own_parts import claim_holds
from specviz.errors import SpecvizError, as_given
from specviz.trace.record import Trace
from specviz.trace.store import trace_to_json
from specviz.ui.messages.microscope import FileAnswer
from specviz.ui.pages.forks import fork_views
from specviz.ui.serving.limits import MAX_SAVED_BYTES
from specviz.ui.serving.runs import existing
from specviz.views.drafts.tree import tree_figure
from specviz.views.plot.images import figure_image, on_paper
from specviz.views.plot.palette import titled
from specviz.views.plot.pictures import picture_figure
from specviz.views.race.race_view import race_document, race_still
from specviz.views.story.scenes import Told, iteration_payload
from specviz.views.story.steps_document import steps_document, steps_still


def file_stem(trace: Trace, index: int | None = None) -> str:
    """What files of a lane, or of one of its iterations, are called: ``specviz-mtad-iteration-3`` (counted from 1)."""
    name = re.sub(r"[^a-z0-9]+", "-", trace.header.method.name.lower()).strip("-")[:40] or "lane"
    return f"specviz-{name}" if index is None else f"specviz-{name}-iteration-{index + 1}"


def trace_file(trace: Trace) -> FileAnswer:
    """``{name, text}``: what ``save_trace`` writes. Raises SpecvizError over MAX_SAVED_BYTES."""
    return _file(f"{file_stem(trace)}.json", trace_to_json(trace))


def step_file(trace: Trace, index: int, scene: str | None = None) -> FileAnswer:
    """``{name, text}``: one iteration as an offline HTML file that opens at ``scene`` (a key; None: at the beginning).

    Raises SpecvizError for an unknown iteration or one that was not recorded, and over MAX_SAVED_BYTES.
    """
    payloads = [iteration_payload(trace, index)]
    still = steps_still(trace, payloads)
    text = steps_document(trace, _heading(trace, index), payloads, scene=scene, still=still)
    return _file(f"{file_stem(trace, index)}.html", text)


def race_file(run: str, traces: Sequence[Trace | None]) -> FileAnswer:
    """``{name, text}``: a race as an offline HTML file that plays it in slow motion. Raises SpecvizError over
    MAX_SAVED_BYTES."""
    forks = fork_views({lane: trace for lane, trace in enumerate(traces) if trace is not None}, settled=True)
    still = race_still(existing(traces))
    return _file("specviz-race.html", race_document(run, traces, claim_holds, still=still, forks=forks))


def figure_file(
    trace: Trace, index: int, key: str, format: str, *, scene: str | None = None, dark: bool = False, note: str = ""
) -> FileAnswer:
    """``{name, base64}``: one figure of an iteration as png, svg or pdf, with a background and a title: method,
    iteration, what happens in the ``scene`` (a key), and a ``note``.

    Raises SpecvizError for a figure that the iteration does not have, another format, or where nothing can draw.
    """
    story = Told(trace, index)
    known = (*story.pictures, *story.stages)
    if not isinstance(key, str) or key not in known:
        raise SpecvizError(
            f"figure must be one of {', '.join(known)}, got {as_given(key, 40)}", argument="figure", code="unknown_name"
        )
    happens = next((f": {step.title}" for step in story.scenes if step.key == scene), "")
    title = f"{_heading(trace, index)}{happens}{note}"
    if key in story.pictures:
        figure = picture_figure(story.pictures[key], dark=dark, title=title)
    else:
        figure = titled(tree_figure(trace, index, key, dark=dark), title, dark)
    image = figure_image(on_paper(figure, dark=dark), format)
    return {"name": f"{file_stem(trace, index)}-{key}.{format}", "base64": b64encode(image).decode()}


def _heading(trace: Trace, index: int) -> str:
    return f"{trace.header.method.title}, iteration {index + 1}"


def _file(name: str, text: str) -> FileAnswer:
    size = len(text.encode())
    if size > MAX_SAVED_BYTES:
        raise SpecvizError(
            f"{name} would have {size / 1e6:.0f} MB; this page hands out at most {MAX_SAVED_BYTES / 1e6:.0f}. "
            "Save it where the run was made: specviz.save_trace(trace, path), or python -m specviz decode --json FILE.",
            code="too_large",
        )
    return {"name": name, "text": text}
