"""``show``: a saved trace in the terminal; nothing is asked of a model."""

import argparse
import sys

from rich.text import Text

from specviz.commands import arguments, show
from specviz.commands.output import OUTPUT
from specviz.errors import SpecvizError, TraceError
from specviz.trace.record import Trace
from specviz.trace.store import LIMIT, load_trace, trace_from_json


def add(command) -> None:
    parser = command("show", _show, "Show a saved trace: its tokens by origin, then its metrics; or one iteration.")
    parser.add_argument("file", metavar="FILE", help="what decode --json or the page saved; - reads it from the input")
    parser.add_argument("--step", type=arguments.whole, metavar="N", help="one iteration in words, counted from 1")


def _show(flags: argparse.Namespace) -> None:
    trace = _read(flags.file)
    if flags.step is not None:
        _step(trace, flags.step)
        return
    about = f"{trace.header.method.title}: {show.settings(trace)}, seed {trace.header.seed}"
    OUTPUT.print(Text(show.printable(about), style="dim"), soft_wrap=True)
    OUTPUT.print(show.tokens(trace), soft_wrap=True)
    OUTPUT.print()
    OUTPUT.print(show.legend([trace]))
    OUTPUT.print()
    OUTPUT.print(show.metrics([trace]))


def _read(file: str) -> Trace:
    if file != "-":
        return load_trace(file)
    data = sys.stdin.buffer.read()
    try:
        return trace_from_json(data, limit=max(LIMIT, len(data)))
    except TraceError as error:
        raise TraceError(f"the input: {error}") from None


def _step(trace: Trace, number: int) -> None:
    """What happened in one iteration, scene by scene; a text that has not changed is not said again."""
    from specviz.views import step_texts, steps

    if not 1 <= number <= len(trace.iterations):
        raise SpecvizError(f"step must be 1 to {len(trace.iterations)}, the iterations of this trace, got {number}")
    shown: dict[str, str] = {}
    for scene in steps(trace, number - 1):
        for panel, text in step_texts(trace, number - 1, scene.key).items():
            if shown.get(panel) != text:
                style = "bold" if panel == "story" else ""
                OUTPUT.print(Text(show.printable(text), style=style), soft_wrap=True)
                shown[panel] = text
        OUTPUT.print()
