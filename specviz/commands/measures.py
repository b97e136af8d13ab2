"""What ``bench`` measures besides decoders: the page, single calls, busy neighbours, large vocabularies, prompts."""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from specviz.commands.output import pair_of, wide, write_text
from specviz.lm.pair import ModelPair


def _save(given: argparse.Namespace, found: Sequence[Any]) -> None:
    if given.json:
        write_text(given.json, json.dumps([asdict(one) for one in found], indent=1))


def _page(given: argparse.Namespace) -> None:
    from specviz.commands.show_page import page_heading, page_table
    from specviz.lab.page.bench import page_bench, page_report
    from specviz.lab.page.server import chromium, serving

    flags = [
        f"--{name}={getattr(given, name)}" for name in ("target", "draft", "device", "dtype") if getattr(given, name)
    ]
    flags += ["--ignore-generation-config"] if given.ignore_generation_config else []
    flags += ["--no-graphs"] if given.graphs is False else []
    errors = Console(stderr=True, highlight=False)
    with chromium() as browser, serving(flags) as served:
        measures = page_bench(
            served, browser, rounds=given.rounds, tell=lambda what: errors.print(f"measuring {what} …")
        )
        report = page_report(measures, browser)
    if given.json:
        write_text(given.json, json.dumps(report, indent=1))
    wide(page_heading(report), page_table(measures))


def _calls(given: argparse.Namespace) -> None:
    from specviz.commands.show_measures import CALLS, calls_table, heading
    from specviz.lab.bench.calls import call_times
    from specviz.lab.machine import cores

    def load(dtype: str, threads: int) -> ModelPair:
        return pair_of(argparse.Namespace(**vars(given) | {"dtype": dtype, "threads": threads}))

    found = list(call_times(load, cores(), given.rounds))
    _save(given, found)
    wide(heading(CALLS), calls_table(found))


def _vocabulary(given: argparse.Namespace) -> None:
    from specviz.commands.show_measures import SELECTION, heading, vocabulary_table
    from specviz.lab.bench.vocabulary import random_pair, vocabulary_costs

    pair = random_pair()
    found = list(vocabulary_costs(pair, given.rounds))
    _save(given, found)
    wide(heading(SELECTION), vocabulary_table(found))


def _busy(given: argparse.Namespace) -> None:
    from specviz.commands.show_measures import BUSY, busy_table, heading
    from specviz.lab.bench.neighbours import busy_speeds
    from specviz.lab.machine import cores

    found = list(busy_speeds(pair_of(given), cores(), rounds=given.rounds, tokens=given.tokens))
    _save(given, found)
    wide(heading(BUSY), busy_table(found))


def _reading(given: argparse.Namespace) -> None:
    from specviz.commands.show_measures import READING, heading, reading_table
    from specviz.lab.bench.reading import long_model, reading_times
    from specviz.lm.network.transformer import TransformerLM

    target = pair_of(given).target
    own = [target] if isinstance(target, TransformerLM) else []
    found = list(reading_times([*own, long_model()], given.rounds))
    _save(given, found)
    wide(heading(READING), reading_table(found))


MEASURES: dict[str, tuple[Callable[[argparse.Namespace], None], str]] = {
    "page": (_page, "the page, in Chromium: steps, first token, streams, a crowd;"),
    "calls": (_calls, "single calls: lean and stock, float32 and bfloat16, threads, a busy machine;"),
    "busy": (_busy, "whole runs beside busy programs, with one thread and with all,"),
    "vocabulary": (_vocabulary, "bookkeeping with a random pair of 151,936 tokens, beside one top-k of the same rows,"),
    "reading": (_reading, "reading prompts of 900 and 16,000 tokens, beside transformers,"),
}
"""Flag -> the measure, and what it is in words."""
