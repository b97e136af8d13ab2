"""All pages in one Gradio app; ``PAGES`` is where one is added."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

from specviz.assets import ASSETS
from specviz.errors import SpecvizError
from specviz.trace.record import Trace
from specviz.trace.store import load_trace
from specviz.ui.api import build_api
from specviz.ui.island import island
from specviz.ui.messages.header import HeaderSetup, Status
from specviz.ui.pages.forest import build_forest
from specviz.ui.pages.guarantees import load_guarantees, pair_on_page
from specviz.ui.pages.lab import build_lab, load_lab
from specviz.ui.pages.lessons import build_lessons, load_lessons
from specviz.ui.pages.library import build_library
from specviz.ui.pages.microscope import build_microscope
from specviz.ui.pages.race import build_race, made_again
from specviz.ui.serving.device import Device
from specviz.ui.serving.limits import MAX_TOGETHER, MAX_WAITING_RUNS
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.offers import Offers
from specviz.ui.serving.runs import NONE, KeptRuns
from specviz.ui.serving.store import Store
from specviz.ui.sweeps.sweeps import Sweeps
from specviz.views.story.glossary import GLOSSARY

log = logging.getLogger(__name__)


class PageParts(NamedTuple):
    """What pages are built of: models, finished runs, the queue for the device, sweeps, recorded traces."""

    loader: PairLoader
    runs: KeptRuns
    device: Device
    sweeps: Sweeps
    gallery: Sequence[Trace]


class Page(NamedTuple):
    """A page: its ``name`` in addresses, its ``title`` in the navigation, and what builds its component inside a Blocks
    context: an island, or any other with the id ``sv-NAME`` and the class ``sv-host``."""

    name: str
    title: str
    build: Callable[[PageParts], object]


PAGES = (
    Page("race", "Race", lambda parts: build_race(parts.loader, parts.runs, parts.device)),
    Page("microscope", "Microscope", lambda parts: build_microscope(parts.runs)),
    Page("forest", "Same forest", lambda parts: build_forest(parts.loader, parts.runs, parts.device)),
    Page("lessons", "Lessons", lambda parts: build_lessons(parts.runs, load_lessons(parts.gallery))),
    Page("lab", "Lab", lambda parts: build_lab(load_lab(), parts.sweeps, parts.loader)),
    Page("library", "Library", lambda parts: build_library(parts.runs)),
)
GALLERY, OPENINGS = ASSETS / "gallery", ASSETS / "openings"


def load_gallery(folder: Path = GALLERY) -> tuple[Trace, ...]:
    """The recorded traces of a folder, by name of file; a damaged one is left out, with a line in the log."""
    traces = []
    for path in sorted(folder.glob("*.json")):
        try:
            traces.append(load_trace(path))
        except SpecvizError as error:
            log.warning("a recorded trace is left out: %s", error)
    return tuple(traces)


def load_openings(folder: Path = OPENINGS) -> dict[str, tuple[Trace, ...]]:
    """The races that the page can open with, by name of their folder, in order."""
    openings = {path.name: load_gallery(path) for path in sorted(folder.glob("*/"))}
    return {name: traces for name, traces in openings.items() if traces}


def build_page(
    loader: PairLoader,
    gallery: Sequence[Trace] = (),
    device: Device | None = None,
    store: Store | None = None,
    offers: Offers | None = None,
    openings: Mapping[str, Sequence[Trace]] = NONE,
    public: str = "",
) -> gr.Blocks:
    """The whole interface. ``gallery`` are recorded traces, one a method, and so is each of ``openings``, with whose
    first the page opens (with none: with the gallery); the loader may still be loading; ``device``
    is the queue that all runs wait in (default: a new one, at whose head MAX_TOGETHER take turns);
    ``store`` keeps finished runs on disk, and sweeps beside them; ``offers`` are models that may be got from here;
    ``public`` is the address that copied links begin with (default: the one that the page is seen at)."""
    runs = KeptRuns(gallery, store, openings)
    device = Device(together=MAX_TOGETHER) if device is None else device
    sweeps = Sweeps(loader, device, store.folder / "sweeps" if store else None)
    parts = PageParts(loader, runs, device, sweeps, gallery)
    runs.again = partial(made_again, loader, device)

    def status(name: Any = None) -> Status:
        """Called by the browser: how far the models of a pair are (null: the first), and which ones."""
        selected = loader.of(name if name in loader.names else None)
        state, text = selected.status
        return {
            "state": state,
            "text": text,
            "pair": pair_on_page(selected),
            "chats": selected.chats,
            "pairs": loader.names,
        }

    with gr.Blocks(title="specviz", analytics_enabled=False, fill_width=True) as page:
        setup: HeaderSetup = {
            "pages": [{"name": one.name, "title": one.title} for one in PAGES],
            "pairs": loader.names,
            "offers": offers is not None,
            "glossary": GLOSSARY,
            "guarantees": load_guarantees(),
            "public": public,
        }
        island("header", setup=setup, calls={"status": status} | ({"models": offers.models} if offers else {}))
        for one in PAGES:
            one.build(parts)
        build_api(page, loader, device)
    return page.queue(max_size=10 * MAX_WAITING_RUNS, api_open=False)
