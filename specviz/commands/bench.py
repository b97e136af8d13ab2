"""``bench``: the decoders beside others', here or at paper scale on a GPU."""

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from specviz.commands import arguments, show
from specviz.commands.models import pair_of
from specviz.commands.output import MODELS, make_folder, path, refuse_models, wide, write_bytes, write_text
from specviz.errors import OptionError


def add(command) -> None:
    bench = command("bench", _bench, "Measure methods beside transformers' own decoders, and llama.cpp on a GGUF file.")
    bench.add_argument(
        "--methods", nargs="+", metavar="METHOD", help="name, or name:option=value,... (default: the suite)"
    )
    bench.add_argument("--rounds", type=arguments.whole, default=6, metavar="N", help="default 6: gives 95%% intervals")
    bench.add_argument("--tokens", type=arguments.whole, default=64, metavar="N", help="tokens of a run, default 64")
    bench.add_argument("--seed", type=arguments.whole, default=0, metavar="N", help="of the first round, default 0")
    bench.add_argument("--json", type=path, metavar="FILE", help="save the numbers, run by run")
    bench.add_argument(
        "--work",
        type=path,
        metavar="DIR",
        help="keep every run there as it ends: the same command goes on where it stopped",
    )
    bench.add_argument(
        "--gpu",
        action="store_true",
        help="on a GPU: pairs at paper scale, made of the embedded one, and --target with --draft",
    )
    bench.add_argument(
        "--best-rivals",
        action="store_true",
        help="transformers in the other dtype, too, and compiled with a static cache (minutes to compile)",
    )
    bench.add_argument(
        "--picture", type=path, metavar="FILE", help="draw where an iteration's time goes: a .png, .svg or .pdf"
    )
    _add_gpu(bench)
    arguments.add_options(bench)
    arguments.add_models(bench)


def _add_gpu(bench: argparse.ArgumentParser) -> None:
    group = bench.add_argument_group("with --gpu")
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
    from specviz.lab.bench.runs import check_rounds

    check_rounds(given.rounds)
    if given.gpu:
        return _gpu(given)
    from plotly.graph_objects import Figure

    from specviz.lab.bench.comparison import ratios, rows
    from specviz.lab.bench.drawing import accounts_figure
    from specviz.lab.bench.iteration_costs import accounts, chain_cost
    from specviz.lab.bench.report import bench_report
    from specviz.lab.bench.runs import contenders, run_bench, whole_rounds
    from specviz.lab.bench.suite import everything, full_suite
    from specviz.lab.prompts import prompts_for
    from specviz.views.plot.images import FORMATS, figure_image

    if given.picture and given.picture.suffix.removeprefix(".") not in FORMATS:
        raise OptionError(
            f"picture must end with .{', .'.join(FORMATS)}, got {str(given.picture)!r}", argument="picture"
        )
    if given.picture:
        figure_image(Figure(), given.picture.suffix.removeprefix("."))  # whether it can be drawn, before all the runs
    wanted = arguments.lanes(given.methods or everything(), arguments.given_options(given))
    pair = pair_of(given)
    prompts = prompts_for(pair)
    suite = None if given.methods else full_suite(pair, wanted, tokens=given.tokens, prompts=prompts, seed=given.seed)
    entered = contenders(pair, suite.entries if suite else wanted, given.tokens, best_rivals=given.best_rivals)
    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
        task = progress.add_task("measuring", total=given.rounds * len(prompts) * len(entered))
        run = {"prompts": prompts, "rounds": given.rounds, "seed": given.seed, "work": given.work}
        runs = whole_rounds(run_bench(pair, entered, **run), lambda: progress.advance(task))
    rounds = 1 + max(run.round for run in runs)
    if rounds < given.rounds:
        errors.print(f"specviz: stopped; {rounds} of {given.rounds} rounds were measured whole and are kept")
    settings = {"tokens": given.tokens, "rounds": rounds, "seed": given.seed}
    report = bench_report(pair, entered, runs, prompts, **settings, suite=suite)
    if given.json:
        write_text(given.json, json.dumps(report, indent=1))
    wide(show.bench_heading(report), show.bench_table(rows(runs)), show.account_table(rows(runs), accounts(runs)))
    wide(show.ratio_table(ratios(runs)))
    wide(show.bench_notes(report, chain_cost(runs)))
    if given.picture:
        image = figure_image(accounts_figure(accounts(runs)), given.picture.suffix.removeprefix("."), scale=1.0)
        write_bytes(given.picture, image)


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
    methods = arguments.lanes(given.methods or METHODS, arguments.given_options(given))
    make_folder(given.out)
    reports, settings = [], {"tokens": given.tokens, "rounds": given.rounds, "seed": given.seed}
    for report in gpu_bench(sources, methods, **settings, prompts=PROMPTS):
        reports.append(report)
        write_text(given.out / "gpu.json", json.dumps({"pairs": reports}, indent=1))
        write_text(given.out / "gpu.md", gpu_markdown(reports))
        print(f"specviz: measured {report['name']}, see {given.out}", file=sys.stderr)
    print(gpu_markdown(reports))
