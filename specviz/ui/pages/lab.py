"""The Lab: cards of the papers' figures with recorded results, what the papers promise, and the runs behind it all."""

import logging
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import gradio as gr
from pydantic import Field

from specviz.errors import SpecvizError
from specviz.lab.cards.card import FOLDER, Card, load_card
from specviz.lab.cards.points import numbers_of
from specviz.lab.cards.promises import judged, numbers_needed
from specviz.lab.cards.recorded import recorded_rows
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.summary import grouped
from specviz.ui.island import answering, island, to_json
from specviz.ui.messages.lab import LabEntry, LabRuns, LabSetup
from specviz.ui.messages.microscope import FileAnswer
from specviz.ui.pages.lab_sweeps import figure_file, rows_file, sweep_calls, sweep_setup
from specviz.ui.pages.lab_view import card_view, made, promise_view, runs_view
from specviz.ui.serving.models import PairLoader
from specviz.ui.settings import Asked, Dark, one_of, read, says
from specviz.ui.sweeps.sweeps import Sweeps

log = logging.getLogger(__name__)
FORMATS = ("csv", "parquet")


def load_lab(folder: Path = FOLDER) -> dict[str, tuple[Card, tuple[Row, ...]]]:
    """The cards of a folder with their recorded rows, by name; one that is damaged is left out, and said in the log."""
    found = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            card = load_card(path)
            found[card.name] = card, recorded_rows(card, folder)
        except SpecvizError as error:
            log.warning("a card of the Lab is left out: %s", error)
    return found


class CardAsked(Asked):
    """A card, on a light or dark page."""

    card: Annotated[str, says("There is no card called {value}.", code="unknown_name")]
    dark: Dark = False


class RunsAsked(CardAsked):
    """The runs of one of its settings."""

    setting: Annotated[str, Field(max_length=400), says("There is no such setting.")]


class FileAsked(CardAsked):
    """Its rows as a file."""

    format: Annotated[str, one_of("format must be one of", lambda: FORMATS)]


class FigureAsked(CardAsked):
    """One of its charts, as a PDF."""

    key: Annotated[str, Field(max_length=80), says("There is no such chart.")]


def build_lab(lab: Mapping[str, tuple[Card, tuple[Row, ...]]], sweeps: Sweeps, loader: PairLoader) -> gr.HTML:
    """The page's component, wired; call it inside a Blocks context."""

    def find(asked: CardAsked) -> tuple[Card, tuple[Row, ...]]:
        if asked.card not in lab:
            text = f"There is no card called {asked.card[:40]!r}."
            raise SpecvizError(text, argument="card", code="unknown_name")
        return lab[asked.card]

    @lru_cache(maxsize=2 * len(lab) or None)
    def written(name: str, dark: bool) -> str:
        return to_json(card_view(*lab[name], dark))

    @answering
    def lab_card(request: Any) -> str:
        """Called by the browser with {card, dark}: the card with its charts, or {"error": why not}."""
        asked = read(CardAsked, request)
        find(asked)
        return written(asked.card, asked.dark)

    @answering
    def lab_runs(request: Any) -> LabRuns:
        """Called by the browser with {card, setting}: the runs behind a point, or {"error": why not}."""
        asked = read(RunsAsked, request)
        card, rows = find(asked)
        prompts = {prompt.id: str(prompt.prompt) for prompt in card.read_prompts()}
        return runs_view(rows, asked.setting, numbers_of(card.chart), prompts)

    @answering
    def lab_file(request: Any) -> FileAnswer:
        """Called by the browser with {card, format}: its rows as csv or parquet, or {"error": why not}."""
        asked = read(FileAsked, request)
        card, rows = find(asked)
        return rows_file(rows, f"lab-{card.name}", asked.format)

    @answering
    def lab_figure(request: Any) -> FileAnswer:
        """Called by the browser with {card, key, dark}: one of its charts as a PDF, or {"error": why not}."""
        asked = read(FigureAsked, request)
        view = card_view(*find(asked), asked.dark)
        return figure_file(view, asked.key, f"lab-{asked.card}", dark=asked.dark)

    calls = (lab_card, lab_runs, lab_file, lab_figure, *sweep_calls(sweeps, loader))
    return island("lab", setup=_setup(lab), calls=calls)


def _setup(lab: Mapping[str, tuple[Card, tuple[Row, ...]]]) -> LabSetup:
    promises = [
        promise_view(card, one)
        for card, rows in lab.values()
        for one in judged(card, grouped(rows, numbers_needed(card)))
    ]
    cards: list[LabEntry] = [
        {"name": card.name, "title": card.title, "paper": card.paper, "asks": card.asks, "recorded": bool(rows)}
        for card, rows in lab.values()
    ]
    return {
        "cards": cards,
        "promises": promises,
        "made": made(row for _, rows in lab.values() for row in rows),
        "sweeps": sweep_setup(),
    }
