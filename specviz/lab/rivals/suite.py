"""What the benchmark enters when it is not told: every method of the catalog, in the settings that the papers compare.

All is fixed before a speed is measured: a dozen built-in prompts, as many tokens on each for everyone, the
catalog's defaults (which are the papers'), and the variants below. One number has to be found first: ``beam`` runs
with the whole widths around the average width that ``dsbd`` reaches on the same prompts, since a comparison of the two
means little at different widths.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from statistics import fmean
from typing import Any

from specviz.decoding.registry.registry import find_method as find
from specviz.decoding.registry.registry import methods
from specviz.decoding.run.loop import Run, decode
from specviz.dice import SeededDice
from specviz.errors import ModelError
from specviz.lab.sweep.prompts import SweepPrompt
from specviz.lm.pair import ModelPair
from specviz.lm.parts.deciding import KINDS
from specviz.options import Options, label
from specviz.rules.beams.width import BeamWidth
from specviz.trace.record import Iteration

Entry = tuple[str, Options]

VARIANTS: dict[str, tuple[Options, ...]] = {
    "specinfer": ({"drafts": 1}, {"drafts": 2}),
    "improved-mcsd": tuple({"decision": kind} for kind in (None, *KINDS)),
    "medusa": ({"nodes": 64},),
    "slim": ({"keep": 20}, {"keep": 1}, {"keep": 40}),
}
PAIRINGS = ("custom",)  # of parts that the others measure


@dataclass(frozen=True)
class Suite:
    """``entries`` are methods with their options; ``left_out`` says of others why this pair cannot run them;
    ``width`` is dsbd's average width (None: the pair has no draft)."""

    entries: tuple[Entry, ...]
    left_out: dict[str, str]
    width: float | None


def everything() -> list[str]:
    """The names of the methods that the suite enters."""
    return [name for name in methods() if name not in PAIRINGS]


def full_suite(
    pair: ModelPair, wanted: Sequence[Entry], prompts: Sequence[SweepPrompt], *, tokens: int, seed: int = 0
) -> Suite:
    """Every one of ``wanted`` with its variants (whose settings go before those asked for), as far as ``pair`` has what
    they need. ``tokens`` and ``seed`` are those of the benchmark's first round."""
    options = dict(wanted)
    width = None
    if {"beam", "dsbd"} <= options.keys() and pair.draft is not None:
        width = average_width(pair, prompts, tokens=tokens, seed=seed, **options["dsbd"])
    variants = VARIANTS if width is None else VARIANTS | {"beam": _widths(width)}
    entries = [(name, own | variant) for name, own in wanted for variant in variants.get(name, ({},))]
    reasons = {label(name, own): lacks(pair, name, own, tokens) for name, own in entries}
    left_out = {name: reason for name, reason in reasons.items() if reason is not None}
    return Suite(tuple(entry for entry in entries if label(*entry) not in left_out), left_out, width)


def _widths(width: float) -> tuple[Options, ...]:
    return tuple({"beams": beams} for beams in dict.fromkeys((floor(width), ceil(width))))


def lacks(pair: ModelPair, name: str, own: Options, tokens: int) -> str | None:
    """What ``pair`` lacks for this method; None when it can run it."""
    try:
        Run(pair, find(name), [0], options=own, max_new_tokens=tokens, dice=SeededDice(0), recorded=False)
    except ModelError as error:
        return str(error)
    return None


def average_width(
    pair: ModelPair, prompts: Sequence[SweepPrompt], *, tokens: int, seed: int = 0, **options: Any
) -> float:
    """dsbd's average width, each layer counting once: one run on every prompt, read off the traces."""
    pair = replace(pair, end_tokens=frozenset())
    traces = (decode(pair, "dsbd", prompt.prompt, max_new_tokens=tokens, seed=seed, **options) for prompt in prompts)
    return fmean(width for trace in traces for iteration in trace.iterations for width in layer_widths(iteration))


def layer_widths(iteration: Iteration) -> list[int]:
    """How many beams each layer that an iteration of dsbd kept has: the judged ones, and one more as wide as the last
    where all were full."""
    widths = [decision.width for decision in iteration.decisions if isinstance(decision, BeamWidth)]
    return (widths + widths[-1:])[: iteration.steps]
