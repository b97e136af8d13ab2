"""The Lab: cards of the papers' figures with recorded results, what the papers promise, and the runs behind it all."""

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import gradio as gr
from pydantic import Field

from specviz.errors import SpecvizError, as_given
from specviz.lab.cards.card import FOLDER, Card, load_card
from specviz.lab.cards.page import judged_card
from specviz.lab.cards.points import numbers_of
from specviz.lab.cards.recorded import recorded_rows
from specviz.lab.cards.words import made
from specviz.lab.sweep.row import Row
from specviz.ui.island import island, to_json
from specviz.ui.messages.lab import LabEntry, LabPromises, LabRuns, LabSetup
from specviz.ui.messages.microscope import FileAnswer
from specviz.ui.pages.lab_sweeps import Category, figure_file, rows_file, sweep_calls, sweep_setup
from specviz.ui.pages.lab_view import card_view, of_category, promise_view, runs_view, theory_points
from specviz.ui.serving.models import EMBEDDED_NAME, PairLoader
from specviz.ui.settings import CheckedRequest, Dark, one_of, says
from specviz.ui.sweeps.sweeps import Sweeps

log = logging.getLogger(__name__)
FORMATS = ("csv", "parquet")


def load_lab(folder: Path = FOLDER) -> dict[str, Card]:
    """The cards of a folder by name; a damaged one is left out, with a line in the log."""
    cards = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            card = load_card(path)
            cards[card.name] = card
        except SpecvizError as error:
            log.warning("a card of the Lab is left out: %s", error)
    return cards


class CardRequest(CheckedRequest):
    """A card, on a light or dark page, on all prompts or those of a category."""

    card: Annotated[str, says("There is no card called {value}.", code="unknown_name")]
    dark: Dark = False
    category: Category = ""


class RunsRequest(CardRequest):
    """The runs of one of its settings."""

    setting: Annotated[str, Field(max_length=400), says("There is no such setting.")]


class FileRequest(CardRequest):
    """Its rows as a file."""

    format: Annotated[str, one_of("format must be one of", lambda: FORMATS)]


class CardFigureRequest(CardRequest):
    """One of its charts, as a PDF."""

    key: Annotated[str, Field(max_length=80), says("There is no such chart.")]


def build_lab(cards: Mapping[str, Card], sweeps: Sweeps, loader: PairLoader) -> gr.HTML:
    """The page's component, wired; call it inside a Blocks context."""
    entries: list[LabEntry] = [{"name": card.name, "title": card.title, "paper": card.paper} for card in cards.values()]
    setup: LabSetup = {"cards": entries, "sweeps": sweep_setup()}
    return island("lab", setup=setup, calls=card_calls(cards) | sweep_calls(sweeps, loader, cards))


def card_calls(cards: Mapping[str, Card], folder: Path = FOLDER) -> dict[str, Callable[[Any], Any]]:
    """What the browser may ask about cards. Recorded rows are read from ``folder`` when they are asked for."""

    def find(request: CardRequest) -> tuple[Card, tuple[Row, ...]]:
        if request.card not in cards:
            text = f"There is no card called {as_given(request.card, 40)}."
            raise SpecvizError(text, argument="card", code="unknown_name")
        return cards[request.card], recorded_rows(cards[request.card], folder)

    @lru_cache(maxsize=4 * len(cards) or None)
    def written(name: str, dark: bool, category: str) -> str:
        return to_json(card_view(cards[name], recorded_rows(cards[name], folder), dark, category))

    promised = lru_cache(maxsize=1)(lambda: to_json(all_promises(cards.values(), folder)))

    def lab_promises(_: Any) -> str:
        """Called by the browser: what the papers promise, and whether it holds here."""
        return promised()

    @lru_cache(maxsize=1)
    def measured_points() -> str:
        return to_json([point for card in cards.values() for point in theory_points(card, recorded_rows(card, folder))])

    def lab_theory(_: Any) -> str:
        """Called by the browser: what was measured where theory says something, as a list of points."""
        return measured_points()

    def lab_card(request: CardRequest) -> str:
        """Called by the browser with {card, dark, category}: the card with its charts, or {"error": why not}."""
        find(request)
        return written(request.card, request.dark, request.category)

    def lab_runs(request: RunsRequest) -> LabRuns:
        """Called by the browser with {card, setting, category}: the runs behind a point, or {"error": why not}."""
        card, rows = find(request)
        prompts = {prompt.id: str(prompt.prompt) for prompt in card.read_prompts()}
        numbers = numbers_of(card.chart)
        return runs_view(
            of_category(rows, request.category), request.setting, numbers, prompts, card.pair or EMBEDDED_NAME
        )

    def lab_file(request: FileRequest) -> FileAnswer:
        """Called by the browser with {card, format}: its rows as csv or parquet, or {"error": why not}."""
        card, rows = find(request)
        return rows_file(rows, f"lab-{card.name}", request.format)

    def lab_figure(request: CardFigureRequest) -> FileAnswer:
        """Called by the browser with {card, key, dark, category}: one of its charts as a PDF, or {"error": why not}."""
        view = card_view(*find(request), request.dark, request.category)
        return figure_file(view, request.key, f"lab-{request.card}", dark=request.dark)

    calls = (lab_promises, lab_theory, lab_card, lab_runs, lab_file, lab_figure)
    return {call.__name__: call for call in calls}


def all_promises(cards: Iterable[Card], folder: Path = FOLDER) -> LabPromises:
    """Every promise of the cards, against their recorded rows."""
    promises, used = [], list[Row]()
    for card in cards:
        used += recorded_rows(card, folder)
        promises += [promise_view(card, promise) for promise in judged_card(card, folder)]
    return {"promises": promises, "made": made(used)}
