"""Data for the browser's guarantee meter, from what ``python -m specviz guarantees`` measured."""

import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

from specviz.assets import ASSETS
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.registry import methods
from specviz.errors import SpecvizError
from specviz.lab.guarantees.measured import fingerprints
from specviz.lab.guarantees.words import DISTANCE, made, share, short
from specviz.ui.messages.header import Guarantees, Interval, MeterEntry, ModelPrints
from specviz.ui.pages.race_view import guarantee_badge
from specviz.ui.serving.models import PairLoader

log = logging.getLogger(__name__)
FILE = ASSETS / "guarantees.json"


def load_guarantees(path: Path = FILE) -> Guarantees:
    """By method what its meter shows; a method that was not measured is left out.

    ``{title, guarantee: {kind, name, help, exact}, word, number, exact, measured: {low, value, high}, says, defaults,
    pair}``: ``exact`` and ``measured`` are distances from 0 to 1 (``low`` to ``high``: 95 %), ``says`` their sentences,
    ``defaults`` the options they are about, ``pair`` the fingerprints of the models measured. Empty, with a line in the
    log, where the file is missing or damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        known = methods()
        entries = {name: known[name] for name in found["methods"] if name in known}
        return {name: _entry(method, found["methods"][name], found) for name, method in entries.items()}
    except (OSError, ValueError, LookupError, ArithmeticError, TypeError, AttributeError) as error:
        log.warning("the guarantees are not shown: %s cannot be read (%s: %s)", path, type(error).__name__, error)
        return {}


def pair_on_page(loader: PairLoader) -> ModelPrints | None:
    """The fingerprints ``{target, draft}`` of the models loaded; None while there are none."""
    try:
        return _fingerprints(fingerprints(loader.pair))
    except SpecvizError:
        return None


def _fingerprints(pair: dict[str, Any]) -> ModelPrints:
    target, draft = (pair[role] and pair[role]["fingerprint"] for role in ("target", "draft"))
    return {"target": target, "draft": draft}


def _entry(method: Method, found: dict[str, Any], about: dict[str, Any]) -> MeterEntry:
    exact, measured = found["exact"], found["measured"]
    defaults = method.resolve()
    record = replace(method.record(defaults), distance=None)  # the meter has the number, and says more of it
    return {
        "title": method.title,
        "guarantee": guarantee_badge(record),
        "word": found["word"],
        "number": share(exact["distance"]) if method.guarantee == "lossy" else "",
        "exact": exact["distance"],
        "measured": _interval(measured),
        "says": {
            "exact": exact["sentence"],
            "measured": measured["sentence"],
            "distance": DISTANCE,
            "made": made(about),
            "short": short(exact, measured),
        },
        "defaults": defaults,
        "pair": _fingerprints(about["pair"]),
    }


def _interval(measured: dict[str, Any]) -> Interval:
    """The measured distance, sampling noise removed, and its 95 % interval."""
    if "equal" in measured:
        value, error = 1.0 - measured["equal"] / measured["positions"], 0.0
    else:
        value, error = measured["by_length"][-1]["excess"], measured["by_length"][-1]["error"]
    low, value, high = (min(1.0, max(0.0, one)) for one in (value - error, value, value + error))
    return {"low": low, "value": value, "high": high}
