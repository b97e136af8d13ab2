"""Sweeps of the visitor's own on the page "Lab": check, start, look, stop, go on; their charts, runs and files."""

import json
import tempfile
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from specviz.errors import SpecvizError
from specviz.lab.cards.card import Card, find_card
from specviz.lab.cards.points import USUAL, numbers_of
from specviz.lab.cards.recorded import recorded_paces
from specviz.lab.quality.sets import SETS
from specviz.lab.sweep.export import write_csv, write_parquet
from specviz.lab.sweep.numbers import NUMBERS
from specviz.lab.sweep.prompts import DOMAINS, NAMES, built_in
from specviz.lab.sweep.row import Row
from specviz.ui.messages.lab import LabRuns, LabView
from specviz.ui.messages.microscope import FileAnswer
from specviz.ui.messages.sweeps import SweepBegun, SweepChecked, SweepSetup, SweepState
from specviz.ui.pages.lab_view import card_view, of_category, runs_view, sweep_view
from specviz.ui.serving import limits
from specviz.ui.serving.audience import caller
from specviz.ui.serving.models import PairLoader
from specviz.ui.settings import CheckedRequest, Dark, says
from specviz.ui.sweeps.asked import Recipe, read_sweep
from specviz.ui.sweeps.sweeps import Sweeps, id_of, new_key, seconds_at
from specviz.views.plot.images import figure_image, on_paper
from specviz.views.plot.palette import figure_of

Category = Annotated[str, Field(max_length=limits.MAX_SWEEP_NAME), says("There are no such prompts.")]
"""Of prompts; "": all."""
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


class SweepRequest(CheckedRequest):
    """A sweep by its id."""

    id: Annotated[
        str,
        Field(pattern="^[0-9a-f]{32}$"),
        says("This sweep is no longer kept on the server: run it again.", code="gone"),
    ]


class SweepHeld(CheckedRequest):
    """A sweep by the key that only who began it has."""

    key: Annotated[
        str,
        Field(pattern="^[0-9a-f]{32}$"),
        says("Only who began a sweep may stop it or go on with it.", code="not_allowed"),
    ]


class SweepFileRequest(SweepRequest):
    """A sweep's rows as a file."""

    format: Annotated[
        Literal["csv", "parquet", "jsonl"], says("format must be one of csv, parquet, jsonl, got {value}")
    ]


class ChartsRequest(SweepRequest):
    """What its rows say, on a light or dark page, on all prompts or those of a category."""

    dark: Dark = False
    category: Category = ""


class SweepRunsRequest(SweepRequest):
    """The runs of one of its settings."""

    setting: Annotated[str, Field(max_length=400), says("There is no such setting.")]
    category: Category = ""


class SweepFigureRequest(ChartsRequest):
    """One of its charts, as a PDF."""

    key: Annotated[str, Field(max_length=80), says("There is no such chart.")]


def sweep_setup() -> SweepSetup:
    """What the form needs before anything is asked."""
    return {
        "grid": GRID,
        "seeds": 2,
        "tokens": 32,
        "sets": [
            {
                "name": name,
                "prompts": SETS[name].count if name in SETS else len(built_in(name)),
                "scored": name in SETS,
                "usual": name in DOMAINS,
            }
            for name in NAMES
        ],
        "numbers": [
            {"name": name, "label": about.label, "help": about.meaning, "usual": name in USUAL}
            for name, about in NUMBERS.items()
            if name != "score"  # it is drawn where there are answers
        ],
        "limits": {
            "charts": limits.MAX_SWEEP_CHARTS,
            "prompts": limits.MAX_SWEEP_PROMPTS,
            "seeds": limits.MAX_SWEEP_SEEDS,
            "tokens": limits.MAX_NEW_TOKENS,
            "file": limits.MAX_SWEEP_FILE_BYTES,
        },
    }


def sweep_calls(sweeps: Sweeps, loader: PairLoader, cards: Mapping[str, Card]) -> dict[str, Callable[[Any], Any]]:
    """The calls of the browser: with a form, with {id}, and with {key} those that change something. ``cards`` are those
    on the page, by name."""

    def sweep_check(request: Any) -> SweepChecked:
        """With a form (``SweepForm``): what would be run, and how long that takes; or what is wrong, and where."""
        _, plan = read_sweep(request, loader, cards)
        here = sweeps.seconds(plan)
        recorded = (
            seconds_at(recorded_paces(cards.values(), plan.pair.target.fingerprint), plan) if here is None else None
        )
        return {
            "settings": [setting.name for setting in plan.grid.settings],
            "prompts": len(plan.prompts),
            "seeds": len(plan.grid.seeds),
            "runs": len(plan),
            "seconds": recorded if here is None else here,
            "recorded": recorded is not None,
        }

    def sweep_start(request: Any) -> SweepBegun:
        """With a form: begin."""
        key = new_key()
        return {**sweeps.status(sweeps.start(caller(), *read_sweep(request, loader, cards), key)), "key": key}

    def sweep_state(request: SweepRequest) -> SweepState:
        return sweeps.status(request.id)

    def sweep_stop(request: SweepHeld) -> SweepState:
        """With {key}. It ends within a slice of the device: ask for its state until it has."""
        sweep = id_of(request.key)
        sweeps.stop(sweep)
        return sweeps.status(sweep)

    def sweep_continue(request: SweepHeld) -> SweepState:
        """With {key}."""
        sweep = id_of(request.key)
        sweeps.go_on(sweep, caller())
        return sweeps.status(sweep)

    def sweep_file(request: SweepFileRequest) -> FileAnswer:
        """With {id, format}: the rows so far."""
        return rows_file(sweeps.rows(request.id), f"sweep-{request.id[:8]}", request.format)

    calls = (sweep_check, sweep_start, sweep_state, sweep_stop, sweep_continue, sweep_file)
    return {call.__name__: call for call in calls} | _view_calls(sweeps, cards, loader.name)


def _view_calls(sweeps: Sweeps, cards: Mapping[str, Card], usual: str) -> dict[str, Callable[[Any], Any]]:
    """The calls for what its rows say so far: as of its card, or with the charts chosen; ``usual`` names the pair of
    sweeps that name none."""

    def view(request: ChartsRequest) -> LabView:
        return drawn(request.id, sweeps.status(request.id)["done"], request.dark, request.category)

    @lru_cache(maxsize=16)
    def drawn(sweep: str, _done: int, dark: bool, category: str) -> LabView:
        recipe, rows = sweeps.recipe(sweep), list(sweeps.rows(sweep))
        if not recipe.card:
            return sweep_view(rows, _numbers(recipe, rows), dark, category)
        view = card_view(find_card(cards.values(), recipe.card), rows, dark, category)
        return {**view, "title": "", "paper": "", "grid": ""}

    def sweep_charts(request: ChartsRequest) -> LabView:
        """With {id, dark, category}."""
        return view(request)

    def sweep_runs(request: SweepRunsRequest) -> LabRuns:
        """With {id, setting, category}: the runs behind a point."""
        recipe, rows = sweeps.recipe(request.id), list(sweeps.rows(request.id))
        numbers = numbers_of(find_card(cards.values(), recipe.card).chart) if recipe.card else _numbers(recipe, rows)
        prompts = {prompt.id: str(prompt.prompt) for prompt in recipe.prompts}
        pair = recipe.pair or usual
        return runs_view(of_category(rows, request.category), request.setting, numbers, prompts, pair)

    def sweep_figure(request: SweepFigureRequest) -> FileAnswer:
        """With {id, key, dark, category}: a chart as a PDF."""
        return figure_file(view(request), request.key, f"sweep-{request.id[:8]}", dark=request.dark)

    return {"sweep_charts": sweep_charts, "sweep_runs": sweep_runs, "sweep_figure": sweep_figure}


def _numbers(recipe: Recipe, rows: Iterable[Row]) -> tuple[str, ...]:
    """What is shown of a grid of one's own: scores, too, where there are some."""
    scored = any(row.score is not None for row in rows) and "score" not in recipe.numbers
    return (*recipe.numbers, "score") if scored else recipe.numbers


def figure_file(view: LabView, key: str, name: str, *, dark: bool) -> FileAnswer:
    """A chart of a view as a PDF. Raises SpecvizError where there is none of this key."""
    for figure in view["figures"]:
        if figure["key"] == key:
            on_ground = on_paper(figure_of({**figure["figure"]}), dark=dark)
            return {"name": f"specviz-{name}-{key}.pdf", "base64": b64encode(figure_image(on_ground, "pdf")).decode()}
    raise SpecvizError("There is no such chart.", argument="key", code="unknown_name")


def rows_file(rows: Iterable[Row], name: str, kind: str) -> FileAnswer:
    """Rows as ``csv``, ``parquet`` or ``jsonl``. Raises SpecvizError where they cannot be written, or are too many."""
    name = f"specviz-{name}.{kind}"
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
