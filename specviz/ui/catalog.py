"""The catalog as data for the page's form: the methods and options there are, with ranges and help."""

from collections.abc import Iterable, Mapping
from typing import Any

from specviz.decoding.registry.method import FAMILIES, Method
from specviz.decoding.registry.registry import methods
from specviz.options import SHARED, Option
from specviz.ui.messages.header import MethodSetup, OptionSetup
from specviz.ui.messages.race import RaceStart
from specviz.ui.serving.limits import MAX_NEW_TOKENS, MAX_SEED

LABELS = {
    "temperature": "Temperature",
    "top_k": "Top-k",
    "top_p": "Top-p",
    "gamma": "Guesses per turn γ",
    "tau": "Threshold τ",
    "beta": "Stop below β",
    "delta": "Share of entropy δ",
    "epsilon": "Enough probability ε",
    "exact": "All continuations",
    "k_config": "Candidates per layer",
    "draft_beams": "Drafted beams",
    "drafts": "Drafts",
    "min_beams": "Least beams",
    "single_cache": "One beam goes on",
    "nodes": "Nodes of the tree",
    "depth": "Depth of the draft",
    "width": "First tokens",
    "replacement": "Repeats allowed",
    "max_new_tokens": "Tokens to write",
}
NUMBERS = (
    Option("max_new_tokens", "integer", 64, "How many tokens every lane writes.", 1, MAX_NEW_TOKENS),
    Option("seed", "integer", 0, "Starts the dice: the same seed gives the same race again.", 0, MAX_SEED),
)
SHARED_OPTIONS: Mapping[str, Option] = {option.name: option for option in SHARED}
START_LANES = ("autoregressive", "speculative", "mtad")


def form_setup() -> dict[str, Any]:
    """``{families, methods, shared, numbers}``: everything that the form has a field for, methods by family."""
    known = methods().values()
    families = [[title, [method for method in known if method.family == family]] for family, title in FAMILIES.items()]
    return {
        "families": [{"title": title, "methods": [method.name for method in group]} for title, group in families],
        "methods": [_method(method) for method in known],
        "shared": describe_options(SHARED),
        "numbers": describe_options(NUMBERS),
    }


def _method(method: Method) -> MethodSetup:
    return {
        "name": method.name,
        "title": method.title,
        "summary": method.summary,
        "options": describe_options(method.own_options),
    }


def start_form(prompt: str) -> RaceStart:
    """What the form holds when the page opens."""
    return {"prompt": prompt, "lanes": [{"method": name, "options": {}} for name in START_LANES], "shared": {}}


def describe_options(options: Iterable[Option]) -> list[OptionSetup]:
    """Each option as plain data: name, label, kind, default, range and what it is for."""
    return [
        {
            "name": option.name,
            "label": LABELS.get(option.name, option.name.replace("_", " ").capitalize()),
            "kind": option.kind,
            "default": option.default,
            "low": option.low,
            "high": option.high,
            "choices": list(option.choices),
            "optional": option.optional,
            "off": option.off,
            "used_by": list(option.used_by),
            "help": option.help,
        }
        for option in options
    ]
