"""What ``bench`` measures besides decoders: the page, single calls, busy neighbours, large vocabularies, prompts."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from specviz.commands import arguments
from specviz.commands.models import pair_of
from specviz.commands.output import ERRORS, MODELS, make_folder, models_of, refuse_models, wide, write_text
from specviz.errors import OptionError, SpecvizError
from specviz.lm.pair import ModelPair

CLASS = 60  # pages that start a race at the same moment


def _save(given: argparse.Namespace, found: Sequence[Any]) -> None:
    if given.json:
        write_text(given.json, json.dumps([asdict(one) for one in found], indent=1))


def _lanes(given: argparse.Namespace, usual: Sequence[str]) -> list[arguments.LaneArguments]:
    return arguments.lanes(given.methods or list(usual), arguments.given_options(given))


def _app_flags(given: argparse.Namespace) -> list[str]:
    """The same models for a page of its own."""
    flags = {name.replace("_", "-"): value for name, value in models_of(given).items()}
    switches = {True: "--{}", False: "--no-{}"}
    return [switches[v].format(name) if isinstance(v, bool) else f"--{name}={v}" for name, v in flags.items()]


def _class(given: argparse.Namespace) -> None:
    from specviz.commands.show_page import class_table
    from specviz.lab.page.load import crowd, waits
    from specviz.lab.page.server import serving

    with serving([*_app_flags(given), "--run-seconds=0"]) as served:
        crowd(served.url, 1, tokens=given.tokens)  # the models are there
        found = [waits(crowd(served.url, CLASS, tokens=given.tokens)) for _ in range(given.rounds)]
    _save(given, found)
    wide(class_table(found))


def _memory(given: argparse.Namespace) -> None:
    from specviz.commands.show_page import memory_table
    from specviz.lab.page.load import crowd
    from specviz.lab.page.memory import memory_after
    from specviz.lab.page.server import serving

    with serving([*_app_flags(given), "--run-seconds=0"]) as served:
        crowd(served.url, 1, tokens=given.tokens)  # the models are there
        found = memory_after(*served, tokens=given.tokens)
    if found is None:
        raise SpecvizError("this system does not tell how much memory a process has")
    _save(given, [found])
    wide(memory_table(found))


def _page(given: argparse.Namespace) -> None:
    from specviz.commands.show_page import page_heading, page_table
    from specviz.lab.page.bench import page_bench, page_report
    from specviz.lab.page.server import chromium, serving

    flags = _app_flags(given)
    with chromium() as browser, serving(flags) as served:
        measures = page_bench(
            served, browser, rounds=given.rounds, tell=lambda what: ERRORS.print(f"measuring {what} …")
        )
        report = page_report(measures, browser)
    if given.json:
        write_text(given.json, json.dumps(report, indent=1))
    wide(page_heading(report), page_table(measures))


def _calls(given: argparse.Namespace) -> None:
    from specviz.commands.show_measures import CALLS, calls_table, heading
    from specviz.lab.machine import cores
    from specviz.lab.measures.calls import call_times

    refuse_models(given, "calls are measured in each dtype, by one thread and by all", ("dtype", "threads"))

    def load(dtype: str, threads: int) -> ModelPair:
        return pair_of(argparse.Namespace(**vars(given) | {"dtype": dtype, "threads": threads}))

    found = list(call_times(load, cores(), given.rounds))
    _save(given, found)
    wide(heading(CALLS), calls_table(found))


def _sizes(given: argparse.Namespace) -> None:
    from specviz.commands.show_measures import sizes_table
    from specviz.lab.measures.sizes import call_sizes
    from specviz.views.lessons.costs import cost_source

    found = call_sizes(pair_of(given), given.rounds)
    if given.json:
        write_text(given.json, json.dumps(asdict(found), indent=1))
    wide(cost_source(found), sizes_table(found))


def _vocabulary(given: argparse.Namespace) -> None:
    from specviz.commands.show_measures import SELECTION, heading, vocabulary_table
    from specviz.lab.measures.vocabulary import METHODS, random_pair, vocabulary_costs

    refuse_models(given, "these are random models")
    found = list(vocabulary_costs(random_pair(), _lanes(given, METHODS), given.rounds, given.tokens))
    _save(given, found)
    wide(heading(SELECTION), vocabulary_table(found))


def _busy(given: argparse.Namespace) -> None:
    from specviz.commands.show_measures import BUSY, busy_table, heading
    from specviz.lab.machine import cores
    from specviz.lab.measures.neighbours import METHODS, busy_speeds

    found = list(busy_speeds(pair_of(given), _lanes(given, METHODS), cores(), given.rounds, given.tokens))
    _save(given, found)
    wide(heading(BUSY), busy_table(found))


def _reading(given: argparse.Namespace) -> None:
    from specviz.commands.show_measures import READING, heading, reading_table
    from specviz.lab.measures.reading import long_model, reading_times
    from specviz.lm.network.transformer import TransformerLM

    target = pair_of(given).target
    own = [target] if isinstance(target, TransformerLM) else []
    found = list(reading_times([*own, long_model()], given.rounds))
    _save(given, found)
    wide(heading(READING), reading_table(found))


def _lengths(given: argparse.Namespace) -> None:
    from specviz.commands.show_measures import LENGTHS, heading, lengths_table
    from specviz.lab.measures.lengths import length_speeds

    found = list(length_speeds(pair_of(given), given.rounds, given.tokens))
    _save(given, found)
    wide(heading(LENGTHS), lengths_table(found))


def _gpu(given: argparse.Namespace) -> None:
    from specviz.commands.show_gpu import gpu_markdown
    from specviz.lab.bench.gpu import METHODS, Source, gpu_bench, gpu_device, grown_sources
    from specviz.lab.prompts import PROMPTS
    from specviz.lm.loading.pairs import DTYPES

    device = gpu_device(given.device)
    dtype = DTYPES.get(given.dtype or "", DTYPES["float32" if device == "cpu" else "bfloat16"])
    sources = grown_sources(given.shapes, device, dtype)
    if not given.target:
        loaded = {*MODELS} - {"device", "dtype"}
        refuse_models(given, "without a target, pairs made of the embedded one are measured", loaded)
    else:
        pair = " and ".join(name for name in (given.target, given.draft) if name)
        sources.insert(0, Source(pair, "", lambda: pair_of(given)))
    if not sources:
        raise OptionError("there is nothing to measure: name --shapes, or a --target", argument="shapes")
    methods = _lanes(given, METHODS)
    make_folder(given.out)
    reports, settings = [], {"tokens": given.tokens, "rounds": given.rounds, "seed": given.seed}
    for report in gpu_bench(sources, methods, **settings, prompts=PROMPTS):
        reports.append(report)
        write_text(given.out / "gpu.json", json.dumps({"pairs": reports}, indent=1))
        write_text(given.out / "gpu.md", gpu_markdown(reports))
        print(f"specviz: measured {report['name']}, see {given.out}", file=sys.stderr)
    print(gpu_markdown(reports))


MEASURES: dict[str, tuple[Callable[[argparse.Namespace], None], str]] = {
    "gpu": (_gpu, "on a GPU: pairs at paper scale, made of the embedded one, and --target with --draft,"),
    "page": (_page, "the page, in Chromium: steps, first token, streams, a crowd;"),
    "class": (_class, f"a class of {CLASS} that starts at the same moment: how long each waits;"),
    "memory": (_memory, "the memory of a server after few and after many runs of every kind,"),
    "calls": (_calls, "single calls: lean and stock, float32 and bfloat16, threads, a busy machine;"),
    "sizes": (_sizes, "one target call by the tokens it reads, for the lesson on it,"),
    "busy": (_busy, "whole runs beside busy programs, with one thread and with all,"),
    "vocabulary": (_vocabulary, "bookkeeping with a random pair of 151,936 tokens, beside one top-k of the same rows,"),
    "lengths": (_lengths, "speculative decoding with every fixed gamma and with auto, by domain,"),
    "reading": (_reading, "reading prompts of 900 and 16,000 tokens, beside transformers,"),
}
"""Flag -> the measure, and what it is in words."""
