"""The numbers of a lane, ready to show: value, unit, label, and a sentence saying what each means."""

from typing import Any

from specviz.measure.summary import METRIC_HELP
from specviz.trace.record import Trace

SHOWN = (
    "tokens_per_second",
    "tokens_per_target_call",
    "acceptance_rate",
    "perplexity",
    "flops_per_token",
    "joules_per_token",
)
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def dials(trace: Trace) -> list[dict[str, Any]]:
    """One entry per dial, JSON-ready: ``key``, ``label``, ``value`` (None where the run has none), ``unit``, ``text``
    (the value as shown, an en dash for None) and ``help``. Joules appear only where they were measured."""
    entries = []
    for key in SHOWN:
        value = getattr(trace.metrics, key)
        if key == "joules_per_token" and value is None:
            continue
        about = METRIC_HELP[key]
        text, unit = reading(key, value, about.unit)
        entries.append(
            {"key": key, "label": about.label, "value": value, "unit": unit, "text": text, "help": about.meaning}
        )
    return entries


def reading(key: str, value: float | None, unit: str) -> tuple[str, str]:
    """The value as a person reads it, and its unit: rates in per cent, large counts with a prefix."""
    if value is None:
        return "–", ""
    if key == "acceptance_rate":
        return f"{100 * value:.0f}", "%"
    if key == "flops_per_token":
        for scale, prefix in _PREFIXES:
            if value >= scale:
                return _digits(value / scale), prefix + unit
    return _digits(value), unit


def _digits(value: float) -> str:
    """Three significant digits, none after the point from 100 on."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def dials_text(trace: Trace) -> str:
    """The dials in one line per number."""
    return "\n".join(f"{d['label']}: {d['text']} {d['unit']}".rstrip() for d in dials(trace))
