"""Recorded steps as one HTML document, in a file or in a notebook: a trace as a cell's last line is the Microscope.

A cell's frame holds all that it needs: no extension, no server, no network; a saved notebook shows it still. Without
scripts there are the text, its tokens marked by where they come from, and every step in words.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape

from specviz.errors import OptionError, SpecvizError, as_given
from specviz.facts.tokens import END, emitted_piece
from specviz.facts.words import ORIGINS
from specviz.trace.record import Emitted, Trace
from specviz.views.plot import palette
from specviz.views.story.document import document
from specviz.views.story.payload_types import IterationPayload, Scene, StepDocument
from specviz.views.story.scenes import iteration_payload

HEIGHT = 660
"""Pixels of a frame, unless told otherwise: the stage fits itself into any."""
MOST_STEPS = 200
"""Iterations in one document: the first ones of a longer run."""


def steps_document(
    trace: Trace, title: str, iterations: Sequence[int], first: int = 0, scene: str | None = None
) -> str:
    """An HTML document of ``iterations`` (from 0), that opens at ``scene`` (a key; None: its beginning) of the one at
    place ``first``. Raises SpecvizError for an iteration that is unknown or was not recorded."""
    header, payloads = trace.header, [iteration_payload(trace, index) for index in iterations]
    models = header.target.name + (f" and {header.draft.name}" if header.draft else "")
    keys = [one["key"] for one in payloads[first]["scenes"]]
    data: StepDocument = {
        "title": title,
        "payloads": payloads,
        "note": f"Recorded with {models}, seed {header.seed}. To change a coin or an option, open the iteration in "
        "specviz: specviz app, page Microscope.",
        "first": first,
        "at": next((key for key in keys if key == scene), keys[0]),
    }
    return document(f"specviz: {title}", "step", data, still=_still(trace, payloads))


def _still(trace: Trace, payloads: Sequence[IterationPayload]) -> str:
    """What a reader without scripts sees."""
    tokens = "".join(_token(trace, token) for iteration in trace.iterations for token in iteration.emitted)
    words = "".join(
        f"<h2>Iteration {payload['iteration'] + 1}</h2><ol>{''.join(map(_scene, payload['scenes']))}</ol>"
        for payload in payloads
    )
    return f"<p>{tokens}</p>{words}"


def _token(trace: Trace, token: Emitted) -> str:
    caption, color = ORIGINS[token.origin].caption, palette.ORIGINS[token.origin].color
    piece = emitted_piece(trace, token).replace(END, "end of answer")
    return f'<span title="{escape(caption)}" style="border-bottom:3px solid {color}">{escape(piece)}</span>'


def _scene(scene: Scene) -> str:
    parts = (f"{scene['title']}.", scene["sentence"], scene["formula"])
    return f"<li>{escape(' '.join(part for part in parts if part))}</li>"


@dataclass(frozen=True)
class Cell:
    """What a notebook shows of a run: ``html`` is the whole document, in a frame ``height`` pixels high; ``words`` is
    what a terminal prints."""

    html: str
    words: str
    height: int

    def _repr_mimebundle_(self, include: Collection[str] = (), exclude: Collection[str] = ()) -> dict[str, str]:
        frame = (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts allow-downloads allow-popups" '
            f'title="{escape(self.words)}" style="width:100%;height:{self.height}px;border:0"></iframe>'
        )
        return {"text/plain": self.words, "text/html": frame}


def show(trace: Trace, iteration: int | None = None, scene: str | None = None, *, height: int = HEIGHT) -> Cell:
    """The Microscope of a run in a notebook, as ``trace`` alone on the last line of a cell shows it, too: all recorded
    iterations, at most MOST_STEPS, opened at ``iteration`` (from 0; None: the first that kept a guess) and ``scene``
    (a key of ``steps``; None: its beginning), in a frame ``height`` pixels high, 200 to 4000.

    Raises OptionError for a height or an iteration that there is not, SpecvizError for a run that was not recorded."""
    count = min(len(trace.iterations), MOST_STEPS)
    if not 200 <= height <= 4000:
        raise OptionError(f"height must be 200 to 4000 pixels, got {as_given(height)}", argument="height")
    if iteration is None:
        iteration = next((i for i in range(count) if trace.iterations[i].accepted), 0)
    if not 0 <= iteration < len(trace.iterations):
        raise OptionError(
            f"iteration must be 0 to {len(trace.iterations) - 1}, got {as_given(iteration)}", argument="iteration"
        )
    begin = min(max(0, iteration - count // 2), len(trace.iterations) - count)
    shown = range(begin, begin + count)
    html = steps_document(trace, trace.header.method.title, shown, iteration - begin, scene)
    return Cell(html, f"{trace.header.method.title}: {trace!r}", height)


def mimebundle(trace: Trace, include: Collection[str] = (), exclude: Collection[str] = ()) -> dict[str, str]:
    """What a cell shows of a trace; of one whose steps were not recorded, or that has none, its words."""
    try:
        return show(trace)._repr_mimebundle_(include, exclude)
    except SpecvizError as error:
        return {"text/plain": f"{trace!r}: {error}"}
