"""Data for the browser's guarantee meter, from what ``python -m specviz guarantees`` measured."""

import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

from specviz.assets import ASSETS
from specviz.decoding.exact.own_parts import claim_holds
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.registry import methods
from specviz.errors import SpecvizError
from specviz.lab.guarantees.measured import fingerprints
from specviz.lab.guarantees.words import DISTANCE, made, share, short
from specviz.ui.messages.header import Guarantees, Interval, MeterEntry
from specviz.ui.serving.models import PairLoader
from specviz.views.race.race_types import ModelPrints
from specviz.views.race.race_view import guarantee_badge

log = logging.getLogger(__name__)
FOLDER = ASSETS / "guarantees"


def load_guarantees(folder: Path = FOLDER) -> Guarantees:
    """By method what its meter shows, for each pair of models that has a file in the folder; a method that was measured
    on none is left out.

    ``{title, guarantee: {kind, name, help, exact}, word, number, exact, measured: {low, value, high}, says, defaults,
    pair}``: ``exact`` and ``measured`` are distances from 0 to 1 (``low`` to ``high``: 95 %), ``says`` their sentences,
    ``defaults`` the options they are about, ``pair`` the fingerprints of the models measured. A file that is damaged is
    left out, with a line in the log."""
    entries: Guarantees = {}
    for file in sorted(folder.glob("*.json")):
        for name, entry in _measured(file).items():
            entries.setdefault(name, []).append(entry)
    if not entries:
        log.warning("the guarantees are not shown: there are none in %s", folder)
    return entries


def _measured(file: Path) -> dict[str, MeterEntry]:
    try:
        report, known = json.loads(file.read_text(encoding="utf-8")), methods()
        return {name: _entry(known[name], entry, report) for name, entry in report["methods"].items() if name in known}
    except (OSError, ValueError, LookupError, ArithmeticError, TypeError, AttributeError) as error:
        log.warning("the guarantees in %s are not shown (%s: %s)", file, type(error).__name__, error)
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


def _entry(method: Method, entry: dict[str, Any], about: dict[str, Any]) -> MeterEntry:
    exact, measured = entry["exact"], entry["measured"]
    interval = _interval(measured)
    defaults = method.resolve()
    record = replace(method.record(defaults), distance=None)  # the meter has the number, and says more of it
    return {
        "title": method.title,
        "guarantee": guarantee_badge(record, claim_holds),
        "word": entry["word"],
        "number": _number(interval) if method.guarantee == "lossy" else "",
        "exact": exact["distance"],
        "measured": interval,
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


def _number(interval: Interval) -> str:
    """The distance, or what it is at most where it may be none."""
    return share(interval["value"]) if interval["low"] else f"≤ {share(interval['high'])}"


def _interval(measured: dict[str, Any]) -> Interval:
    """The measured distance, sampling noise removed, and its 95 % interval."""
    if "equal" in measured:
        value, error = 1.0 - measured["equal"] / measured["positions"], 0.0
    else:
        value, error = measured["by_length"][-1]["excess"], measured["by_length"][-1]["error"]
    low, value, high = (min(1.0, max(0.0, share)) for share in (value - error, value, value + error))
    return {"low": low, "value": value, "high": high}
