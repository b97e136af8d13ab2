"""Sweeps of the visitor's own on the page "Lab": check, start, look, stop, go on, save."""

import json
import tempfile
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from specviz.errors import SpecvizError
from specviz.lab.sweep.export import write_csv, write_parquet
from specviz.lab.sweep.prompts import DOMAINS, built_in
from specviz.ui.island import answering
from specviz.ui.messages.microscope import FileAnswer
from specviz.ui.messages.sweeps import SweepChecked, SweepSetup, SweepState
from specviz.ui.serving import limits
from specviz.ui.serving.audience import caller
from specviz.ui.serving.models import PairLoader
from specviz.ui.settings import Asked, read, says
from specviz.ui.sweeps.asked import read_sweep
from specviz.ui.sweeps.sweeps import Sweeps

GRID = """\
# A list stands for each of its values.
[shared]
temperature = 1

[[method]]
name = "autoregressive"

[[method]]
name = "speculative"
gamma = [2, 4]

[[method]]
name = "mtad"
"""


class SweepAsked(Asked):
    """A sweep by its id."""

    id: Annotated[
        str,
        Field(pattern="^[0-9a-f]{32}$"),
        says("This sweep is no longer kept on the server: run it again.", code="gone"),
    ]


class SweepFileAsked(SweepAsked):
    """A sweep's rows as a file."""

    format: Annotated[
        Literal["csv", "parquet", "jsonl"], says("format must be one of csv, parquet, jsonl, got {value}")
    ]


def sweep_setup() -> SweepSetup:
    """What the form needs before anything is asked."""
    return {
        "grid": GRID,
        "seeds": 2,
        "tokens": 32,
        "sets": [{"name": name, "prompts": len(built_in(name))} for name in DOMAINS],
        "limits": {
            "runs": limits.MAX_SWEEP_RUNS,
            "prompts": limits.MAX_SWEEP_PROMPTS,
            "seeds": limits.MAX_SWEEP_SEEDS,
            "tokens": limits.MAX_NEW_TOKENS,
            "characters": limits.MAX_GRID_CHARACTERS,
            "file": limits.MAX_SWEEP_FILE_BYTES,
        },
    }


def sweep_calls(sweeps: Sweeps, loader: PairLoader) -> tuple[Callable[[Any], str], ...]:
    """The calls of the browser, all but the first two with {id}."""

    def sweep_check(request: Any) -> SweepChecked:
        """With a form (``SweepForm``): what would be run, and how long that takes; or what is wrong, and where."""
        recipe, plan = read_sweep(request, loader.pair)
        return {
            "title": recipe.title,
            "settings": [setting.name for setting in plan.grid.settings],
            "prompts": len(plan.prompts),
            "seeds": len(plan.grid.seeds),
            "runs": len(plan),
            "seconds": sweeps.seconds(plan),
        }

    def sweep_start(request: Any) -> SweepState:
        """With a form: begin."""
        return sweeps.status(sweeps.start(caller(), *read_sweep(request, loader.pair)))

    def sweep_state(request: Any) -> SweepState:
        return sweeps.status(read(SweepAsked, request).id)

    def sweep_stop(request: Any) -> SweepState:
        """It ends within a slice of the device: ask for its state until it has."""
        asked = read(SweepAsked, request)
        sweeps.stop(asked.id)
        return sweeps.status(asked.id)

    def sweep_continue(request: Any) -> SweepState:
        asked = read(SweepAsked, request)
        sweeps.go_on(asked.id, caller())
        return sweeps.status(asked.id)

    def sweep_file(request: Any) -> FileAnswer:
        """With {id, format}: the rows so far."""
        asked = read(SweepFileAsked, request)
        return _file(sweeps, asked.id, asked.format)

    calls = (sweep_check, sweep_start, sweep_state, sweep_stop, sweep_continue, sweep_file)
    return tuple(map(answering, calls))


def _file(sweeps: Sweeps, sweep: str, kind: str) -> FileAnswer:
    rows, name = sweeps.rows(sweep), f"sweep-{sweep[:8]}.{kind}"
    if kind == "jsonl":
        content = "".join(json.dumps(row.flat()) + "\n" for row in rows).encode()
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            (write_csv if kind == "csv" else write_parquet)(rows, path)
            content = path.read_bytes()
    if len(content) > limits.MAX_SAVED_BYTES:
        raise SpecvizError("The table is larger than what this page hands out.", code="too_large")
    return {"name": name, "base64": b64encode(content).decode()}
