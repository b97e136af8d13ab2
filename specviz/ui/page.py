"""All pages in one gradio app. A page is an island and a name in the navigation: add both here."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from specviz.errors import SpecvizError
from specviz.trace.record import Trace
from specviz.trace.store import load_trace
from specviz.ui.island import island
from specviz.ui.limits import MAX_WAITING_RUNS
from specviz.ui.microscope import build_microscope
from specviz.ui.models import PairLoader
from specviz.ui.race import build_race
from specviz.ui.runs import Runs

PAGES = (("race", "Race"), ("microscope", "Microscope"))
GALLERY = Path(__file__).resolve().parents[2] / "assets" / "gallery"
FIRST_RACE = ("race-autoregressive.json", "race-speculative.json", "race-mtad.json")


def load_gallery(folder: Path = GALLERY) -> tuple[Trace, ...]:
    """The recorded race of the first screen; nothing when a file is missing or damaged (the page then opens empty)."""
    try:
        return tuple(load_trace(folder / name) for name in FIRST_RACE)
    except SpecvizError:
        return ()


def build_page(loader: PairLoader, gallery: Sequence[Trace] = ()) -> gr.Blocks:
    """The whole interface. ``gallery`` is the race shown first; the loader may still be loading."""
    runs = Runs(gallery)

    def status(_: Any = None) -> dict[str, str]:
        """Called by the browser: how far the models are."""
        return loader.status._asdict()

    with gr.Blocks(title="specviz", analytics_enabled=False, fill_width=True) as page:
        island("header", setup={"pages": [{"name": n, "title": t} for n, t in PAGES]}, calls=(status,))
        build_race(loader, runs)
        build_microscope(runs)
    return page.queue(max_size=MAX_WAITING_RUNS, api_open=False)
