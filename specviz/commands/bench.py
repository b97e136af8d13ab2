"""``bench``: the decoders beside transformers' own, here or at paper scale on a GPU, or the page in a browser."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from specviz.commands import arguments, show
from specviz.commands.output import make_folder, pair_of, path, wide, write_text
from specviz.errors import OptionError
from specviz.lm.pair import ModelPair


def add(command) -> None:
    bench = command("bench", _bench, "Measure methods and transformers' own decoders side by side.")
    bench.add_argument(
        "--methods", nargs="+", metavar="METHOD", help="name, or name:option=value,... (default: the suite)"
    )
    bench.add_argument("--rounds", type=arguments.whole, default=6, metavar="N", help="default 6: gives 95%% intervals")
    bench.add_argument("--tokens", type=arguments.whole, default=64, metavar="N", help="tokens of a run, default 64")
    bench.add_argument("--seed", type=arguments.whole, default=0, metavar="N", help="of the first round, default 0")
    bench.add_argument("--json", type=path, metavar="FILE", help="save the numbers, run by run")
    bench.add_argument(
        "--page",
        action="store_true",
        help="measure the page instead, in Chromium: steps, first token, streams, a crowd",
    )
    bench.add_argument(
        "--calls",
        action="store_true",
        help="measure single calls instead: lean and stock, float32 and bfloat16, threads, a busy machine",
    )
    _add_gpu(bench)
    arguments.add_options(bench)
    arguments.add_models(bench)


def _add_gpu(bench: argparse.ArgumentParser) -> None:
    group = bench.add_argument_group("on a GPU")
    group.add_argument(
        "--gpu",
        action="store_true",
        help="measure there instead: pairs at paper scale, made of the embedded one, and --target with --draft",
    )
    group.add_argument(
        "--shapes",
        nargs="*",
        metavar="SHAPE",
        help="llama-13b, qwen3-8b, opt-13b (default: these three; no word: the given models alone) or tiny, a check of "
        "the command (default with --device cpu)",
    )
    out = Path("build/gpu")
    group.add_argument("--out", type=path, default=out, metavar="FOLDER", help=f"gpu.json and gpu.md, default {out}")


def _bench(given: argparse.Namespace) -> None:
    if given.gpu:
        return _gpu_bench(given)
    if given.page:
        return _page_bench(given)
    if given.calls:
        return _calls_bench(given)
    from specviz.lab.bench.claims import claims
    from specviz.lab.bench.comparison import ratios, rows
    from specviz.lab.bench.iteration_costs import accounts, chain_cost
    from specviz.lab.bench.report import bench_report
    from specviz.lab.bench.runs import check_rounds, contenders, run_bench
    from specviz.lab.bench.suite import everything, full_suite
    from specviz.lab.prompts import PROMPTS

    check_rounds(given.rounds)
    wanted = arguments.lanes(given.methods or everything(), arguments.given_options(given))
    pair = pair_of(given)
    suite = None if given.methods else full_suite(pair, wanted, tokens=given.tokens, prompts=PROMPTS, seed=given.seed)
    entered = contenders(pair, suite.entries if suite else wanted, given.tokens)
    runs = []
    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
        task = progress.add_task("measuring", total=given.rounds * len(PROMPTS) * len(entered))
        for run in run_bench(pair, entered, prompts=PROMPTS, rounds=given.rounds, seed=given.seed):
            runs.append(run)
            progress.advance(task)
    settings = {"tokens": given.tokens, "rounds": given.rounds, "seed": given.seed}
    report = bench_report(pair, entered, runs, PROMPTS, **settings, suite=suite)
    if given.json:
        write_text(given.json, json.dumps(report, indent=1))
    wide(show.bench_heading(report), show.bench_table(rows(runs)), show.account_table(rows(runs), accounts(runs)))
    wide(show.ratio_table(ratios(runs)))
    if promised := claims(runs):
        wide(show.claims_table(promised))
    wide(show.bench_notes(report, chain_cost(runs)))


def _gpu_bench(given: argparse.Namespace) -> None:
    from specviz.commands.show_gpu import gpu_markdown
    from specviz.lab.bench.gpu import METHODS, Source, gpu_bench, gpu_device, grown_sources
    from specviz.lab.bench.runs import check_rounds
    from specviz.lab.prompts import PROMPTS
    from specviz.lm.pair import DTYPES

    check_rounds(given.rounds)
    device = gpu_device(given.device)
    dtype = DTYPES.get(given.dtype or "", DTYPES["float32" if device == "cpu" else "bfloat16"])
    sources = grown_sources(given.shapes, device, dtype)
    if given.target:
        pair = " and ".join(name for name in (given.target, given.draft) if name)
        sources.insert(0, Source(pair, "", lambda: pair_of(given)))
    if not sources:
        raise OptionError("there is nothing to measure: name --shapes, or a --target", argument="shapes")
    methods = arguments.lanes(given.methods or METHODS, arguments.given_options(given))
    make_folder(given.out)
    reports, settings = [], {"tokens": given.tokens, "rounds": given.rounds, "seed": given.seed}
    for report in gpu_bench(sources, methods, **settings, prompts=PROMPTS):
        reports.append(report)
        write_text(given.out / "gpu.json", json.dumps({"pairs": reports}, indent=1))
        write_text(given.out / "gpu.md", gpu_markdown(reports))
        print(f"specviz: measured {report['name']}, see {given.out}", file=sys.stderr)
    print(gpu_markdown(reports))


def _page_bench(given: argparse.Namespace) -> None:
    from specviz.commands.show_page import page_heading, page_table
    from specviz.lab.bench.runs import check_rounds
    from specviz.lab.page.bench import page_bench, page_report
    from specviz.lab.page.server import chromium, serving

    check_rounds(given.rounds)
    flags = [
        f"--{name}={getattr(given, name)}" for name in ("target", "draft", "device", "dtype") if getattr(given, name)
    ]
    flags += ["--ignore-generation-config"] if given.ignore_generation_config else []
    errors = Console(stderr=True, highlight=False)
    with chromium() as browser, serving(flags) as served:
        measures = page_bench(
            served, browser, rounds=given.rounds, tell=lambda what: errors.print(f"measuring {what} …")
        )
        report = page_report(measures, browser)
    if given.json:
        write_text(given.json, json.dumps(report, indent=1))
    wide(page_heading(report), page_table(measures))


def _calls_bench(given: argparse.Namespace) -> None:
    from specviz.commands.show_calls import calls_heading, calls_table
    from specviz.lab.bench.calls import call_times
    from specviz.lab.bench.runs import check_rounds
    from specviz.lab.machine import cores

    check_rounds(given.rounds)

    def load(dtype: str, threads: int) -> ModelPair:
        return pair_of(argparse.Namespace(**vars(given) | {"dtype": dtype, "threads": threads}))

    found = list(call_times(load, cores(), given.rounds))
    if given.json:
        write_text(given.json, json.dumps([asdict(one) for one in found], indent=1))
    wide(calls_heading(), calls_table(found))
