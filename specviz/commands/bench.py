"""``bench``: the decoders beside others', here or at paper scale on a GPU."""

import argparse
import json
import sys
from pathlib import Path

from specviz.commands import arguments
from specviz.commands.models import pair_of
from specviz.commands.output import (
    ERRORS,
    MODELS,
    make_folder,
    path,
    progress,
    refuse_models,
    wide,
    write_bytes,
    write_text,
)
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


def _bench(flags: argparse.Namespace) -> None:
    from specviz.lab.rivals.entered import check_rounds

    check_rounds(flags.rounds)
    return _gpu(flags) if flags.gpu else _here(flags)


def _here(flags: argparse.Namespace) -> None:
    from specviz.commands.show_bench import terminal_tables
    from specviz.lab.rivals.costs import Account
    from specviz.lab.rivals.drawing import accounts_figure
    from specviz.lab.rivals.entered import bench_plan, bench_rows, ours, rivals, suited_prompts
    from specviz.lab.rivals.report import bench_report
    from specviz.lab.rivals.suite import everything, full_suite
    from specviz.views.plot.images import FORMATS, figure_image

    form = flags.picture and flags.picture.suffix.removeprefix(".")
    if flags.picture and form not in FORMATS:
        raise OptionError(
            f"picture must end with .{', .'.join(FORMATS)}, got {str(flags.picture)!r}", argument="picture"
        )
    if flags.picture:
        figure_image(accounts_figure([]), form)  # whether it can be drawn, before all the runs
    wanted = arguments.lanes(flags.methods or everything(), arguments.given_options(flags))
    pair = pair_of(flags)
    prompts, size = suited_prompts(pair), {"tokens": flags.tokens, "seed": flags.seed}
    suite = None if flags.methods else full_suite(pair, wanted, prompts, **size)
    settings = ours(pair, suite.entries if suite else wanted)
    settings += rivals(pair, settings, best=flags.best_rivals)
    plan = bench_plan(pair, settings, prompts, rounds=flags.rounds, **size)
    with progress(len(plan)) as advance:
        rows = bench_rows(plan, flags.work, lambda row: advance(row.setting))
    report = bench_report(plan, rows, suite)
    if (rounds := report["settings"]["rounds"]) < flags.rounds:
        ERRORS.print(f"specviz: stopped; {rounds} of {flags.rounds} rounds were measured whole and are kept")
    if flags.json:
        write_text(flags.json, json.dumps(report, indent=1))
    wide(*terminal_tables(report))
    if flags.picture:
        accounts = [Account(**account) for account in report["accounts"]]
        write_bytes(flags.picture, figure_image(accounts_figure(accounts), form, scale=1.0))


def _gpu(flags: argparse.Namespace) -> None:
    from specviz.commands.show_bench import gpu_markdown
    from specviz.lab.rivals.gpu import METHODS, Source, gpu_bench, gpu_device, grown_sources
    from specviz.lab.sweep.prompts import built_in
    from specviz.lm.loading.pairs import DTYPES

    device = gpu_device(flags.device)
    dtype = DTYPES.get(flags.dtype or "", DTYPES["float32" if device == "cpu" else "bfloat16"])
    sources = grown_sources(flags.shapes, device, dtype)
    if not flags.target:
        loaded = {*MODELS} - {"device", "dtype"}
        refuse_models(flags, "without a target, pairs made of the embedded one are measured", loaded)
    else:
        pair = " and ".join(name for name in (flags.target, flags.draft) if name)
        sources.insert(0, Source(pair, "", lambda: pair_of(flags)))
    if not sources:
        raise OptionError("there is nothing to measure: name --shapes, or a --target", argument="shapes")
    methods = arguments.lanes(flags.methods or METHODS, arguments.given_options(flags))
    make_folder(flags.out)
    size = {"tokens": flags.tokens, "rounds": flags.rounds, "seed": flags.seed}
    reports = []
    for report in gpu_bench(sources, methods, built_in(), **size, work=flags.work):
        reports.append(report)
        write_text(flags.out / "gpu.json", json.dumps({"pairs": reports}, indent=1))
        write_text(flags.out / "gpu.md", gpu_markdown(reports))
        print(f"specviz: measured {report['name']}, see {flags.out}", file=sys.stderr)
    print(gpu_markdown(reports))
