"""The command line: ``python -m specviz decode | compare | methods | bench | guarantees | lesson | pictures |
train``.

Results go to the output, everything else to the error stream. What a user can get wrong ends with one clear line and
exit code 2.
"""

import argparse
import json
import os
import sys
from contextlib import closing
from pathlib import Path

from rich.console import Console, RenderableType
from rich.progress import Progress
from rich.text import Text

from specviz.commands import arguments, show
from specviz.decoding.registry.registry import find_method as find
from specviz.decoding.registry.registry import methods
from specviz.decoding.run.loop import decode
from specviz.decoding.run.race import race
from specviz.errors import PromptError, SpecvizError
from specviz.lm.pair import ModelPair, load_pair

OUTPUT = Console(highlight=False)
TABLES = 140  # characters that the benchmark's tables need


def main(argv: list[str] | None = None) -> int:
    """Run one command and return the exit code: 0, 2 for a wrong input, 130 after Ctrl-C."""
    parser = _parser()
    given = parser.parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character shows a question mark
    try:
        given.command(given)
    except SpecvizError as error:
        print(f"specviz: error: {show.printable(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("specviz: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m specviz", description="Speculative decoding you can watch.", allow_abbrev=False
    )
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(name: str, function, help: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
        made.set_defaults(command=function)
        return made

    one = command("decode", _decode, "Run one method on a prompt; show its tokens by origin, then its metrics.")
    one.add_argument("--method", default="speculative", help="name, or name:option=value,... (default speculative)")
    arguments.add_run(one)
    one.add_argument("--json", type=Path, metavar="FILE", help="save the trace")

    many = command("compare", _compare, "Race several methods on one prompt and show their metrics side by side.")
    many.add_argument("methods", nargs="*", metavar="method", help="name, or name:option=value,... (default: all)")
    arguments.add_run(many)
    many.add_argument("--save", type=Path, metavar="DIR", help="save every lane's trace in this folder")

    command("methods", _methods, "List the methods with their options, guarantees and papers.")

    bench = command("bench", _bench, "Measure methods and transformers' own decoders side by side.")
    bench.add_argument(
        "--methods", nargs="+", metavar="METHOD", help="name, or name:option=value,... (default: the suite)"
    )
    bench.add_argument("--rounds", type=arguments.whole, default=6, metavar="N", help="default 6: gives 95%% intervals")
    bench.add_argument("--tokens", type=arguments.whole, default=64, metavar="N", help="tokens of a run, default 64")
    bench.add_argument("--seed", type=arguments.whole, default=0, metavar="N", help="of the first round, default 0")
    bench.add_argument("--json", type=Path, metavar="FILE", help="save the numbers, run by run")
    bench.add_argument(
        "--page",
        action="store_true",
        help="measure the page instead, in Chromium: steps, first token, streams, a crowd",
    )
    for each in (one, many, bench):
        arguments.add_options(each)
        arguments.add_models(each)

    guarantees = command(
        "guarantees",
        _guarantees,
        "Measure which methods keep the target's distribution, and how far off others are.",
    )
    out = Path("assets/guarantees.json")
    guarantees.add_argument("--out", type=Path, default=out, metavar="FILE", help=f"default {out}")
    guarantees.add_argument(
        "--work", type=Path, default=Path("build/guarantees.json"), metavar="FILE", help="keeps unfinished work"
    )
    guarantees.add_argument(
        "--samples", type=arguments.whole, default=2000, metavar="N", help="runs a method, default 2000"
    )
    guarantees.add_argument("--methods", nargs="+", metavar="METHOD", help="names (default: all that the models allow)")
    arguments.add_models(guarantees)

    lesson = command("lesson", _lesson, "Write a lesson as one HTML file that opens offline, or list the lessons.")
    lesson.add_argument("name", nargs="?", help="such as coin; none: list them")
    lesson.add_argument("--out", type=Path, metavar="FILE", help="default: specviz-lesson-NAME.html")

    pictures = command("pictures", _pictures, "Take the pictures of every page that the README shows, in Chromium.")
    pictures.add_argument(
        "--out", type=Path, default=Path("assets/screenshots"), metavar="DIR", help="default assets/screenshots"
    )

    train = command("train", _train, "Train the embedded models and write them with their report.")
    train.add_argument("--corpus", required=True, type=Path, metavar="DIR", help="folder with tales and gsm8k")
    train.add_argument("--out", type=Path, default=Path("assets/models"), metavar="DIR", help="default assets/models")
    train.add_argument("--work", type=Path, default=Path("build/zoo"), metavar="DIR", help="checkpoints, to go on from")
    train.add_argument("--minutes", type=float, default=165.0, metavar="N", help="time budget, default 165")
    train.add_argument("--device", help="cpu or cuda (default: cuda when there is one)")
    return parser


def _decode(given: argparse.Namespace) -> None:
    name, options = arguments.lane(given.method, arguments.given_options(given), skip_foreign=False)
    prompt = _prompt(given.prompt)
    run = {"max_new_tokens": given.max_new_tokens, "seed": given.seed}
    trace = decode(_pair(given), name, prompt, **run, **options)
    if given.json:
        trace.save(given.json)
    OUTPUT.print(show.tokens(trace), soft_wrap=True)
    OUTPUT.print()
    OUTPUT.print(show.legend([trace]))
    OUTPUT.print()
    OUTPUT.print(show.metrics_table([trace]))


def _compare(given: argparse.Namespace) -> None:
    entered = arguments.lanes(given.methods or list(methods()), arguments.given_options(given))
    prompt = _prompt(given.prompt)
    pair = _pair(given)
    if not given.methods:
        entered = _fitting(pair, entered, given.max_new_tokens)
    if given.save:
        _folder(given.save)
    lanes = {}
    with closing(race(pair, entered, prompt, max_new_tokens=given.max_new_tokens, seed=given.seed)) as turns:
        try:
            for lane, _ in turns:
                lanes[lane.index] = lane
        except KeyboardInterrupt:
            print("specviz: stopped, showing what there is", file=sys.stderr)
    traces = [lanes[index].trace() for index in sorted(lanes)]
    for index, trace in enumerate(traces):
        if given.save:
            trace.save(given.save / f"{index + 1:0{len(str(len(traces)))}}-{trace.header.method.name}.json")
        OUTPUT.print(Text(show.title(trace, index), style="bold"), Text(show.settings(trace), style="dim"))
        OUTPUT.print(show.tokens(trace), soft_wrap=True)
        OUTPUT.print()
    OUTPUT.print(show.legend(traces))
    OUTPUT.print()
    OUTPUT.print(show.metrics_table(traces))


def _fitting(pair: ModelPair, entered: list[arguments.Lane], tokens: int) -> list[arguments.Lane]:
    """Those that ``pair`` has the models for; the error stream says what the others lack."""
    from specviz.lab.suite import lacks

    missing = {name: lacks(pair, name, options, tokens) for name, options in entered}
    for name, reason in missing.items():
        if reason:
            print(f"specviz: {name} is left out: {reason}", file=sys.stderr)
    return [lane for lane in entered if not missing[lane[0]]]


def _methods(given: argparse.Namespace) -> None:
    OUTPUT.print(show.methods_list(methods()))


def _bench(given: argparse.Namespace) -> None:
    if given.page:
        return _page_bench(given)
    from specviz.lab.bench import check_rounds, contenders, run_bench
    from specviz.lab.claims import claims
    from specviz.lab.comparison import ratios, rows
    from specviz.lab.iteration_costs import accounts, chain_cost
    from specviz.lab.prompts import PROMPTS
    from specviz.lab.report import bench_report
    from specviz.lab.suite import everything, full_suite

    check_rounds(given.rounds)
    wanted = arguments.lanes(given.methods or everything(), arguments.given_options(given))
    pair = _pair(given)
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
        _write(given.json, json.dumps(report, indent=1))
    _wide(show.bench_heading(report), show.bench_table(rows(runs)), show.account_table(rows(runs), accounts(runs)))
    _wide(show.ratio_table(ratios(runs)))
    if promised := claims(runs):
        _wide(show.claims_table(promised))
    _wide(show.bench_notes(report, chain_cost(runs)))


def _page_bench(given: argparse.Namespace) -> None:
    from specviz.commands.show_page import page_heading, page_table
    from specviz.lab.bench import check_rounds
    from specviz.lab.page_bench import page_bench, page_report
    from specviz.lab.page_server import chromium, serving

    check_rounds(given.rounds)
    flags = [
        f"--{name}={getattr(given, name)}" for name in ("target", "draft", "device", "dtype") if getattr(given, name)
    ]
    errors = Console(stderr=True, highlight=False)
    with chromium() as browser, serving(flags) as served:
        measures = page_bench(
            served, browser, rounds=given.rounds, tell=lambda what: errors.print(f"measuring {what} …")
        )
        report = page_report(measures, browser)
    if given.json:
        _write(given.json, json.dumps(report, indent=1))
    _wide(page_heading(report), page_table(measures))


def _pictures(given: argparse.Namespace) -> None:
    from specviz.lab.page_server import chromium, serving
    from specviz.lab.pictures import take_pictures

    _folder(given.out)
    with chromium() as browser, serving() as served:
        for name, png in take_pictures(served.url, browser):
            (given.out / name).write_bytes(png)
            OUTPUT.print(f"{given.out / name}: {len(png) / 1000:.0f} kB", markup=False)


def _wide(*parts: RenderableType) -> None:
    """Print tables at their full width, also where the output is narrower or a file."""
    wide = Console(highlight=False, width=max(OUTPUT.width, TABLES))
    for part in parts:
        wide.print(part)


def _guarantees(given: argparse.Namespace) -> None:
    from specviz.lab.guarantees import ROOM, measure_guarantees

    errors = Console(stderr=True, highlight=False)
    pair = _pair(given)
    wanted = [(find(name).name, {}) for name in given.methods or methods()]
    names = [name for name, _ in _fitting(pair, wanted, ROOM)]
    report = measure_guarantees(pair, samples=given.samples, methods=names, work=given.work, tell=errors.print)
    _write(given.out, json.dumps(report, indent=1, ensure_ascii=False))
    for entry in report["methods"].values():
        OUTPUT.print(f"{entry['word']}: {entry['measured']['sentence']}", soft_wrap=True)


def _lesson(given: argparse.Namespace) -> None:
    from specviz.lab.lessons import lesson_document
    from specviz.views.lessons import find_lesson, gallery_runs, lesson_names

    if given.name is None:
        OUTPUT.print("\n".join(lesson_names()), markup=False)
        return
    path = given.out or Path(f"specviz-lesson-{given.name}.html")
    _write(path, lesson_document(find_lesson(given.name, gallery_runs())))
    OUTPUT.print(f"{path} is written", markup=False)


def _train(given: argparse.Namespace) -> None:
    from specviz.zoo.build import build
    from specviz.zoo.corpus import CorpusError

    if not given.minutes > 0:
        raise SpecvizError(f"minutes is {given.minutes:g}: it must be more than 0")
    try:
        build(given.corpus, given.out, work=given.work, minutes=given.minutes, device=given.device)
    except CorpusError as error:
        raise SpecvizError(str(error)) from None


def _pair(given: argparse.Namespace) -> ModelPair:
    return load_pair(given.target, given.draft, device=given.device, dtype=given.dtype, chat=given.chat)


def _prompt(text: str) -> str:
    """The prompt itself, or the input stream for ``-`` (without the line end that closes it)."""
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise PromptError(f"prompt from the input is not UTF-8 text: {error.reason} at byte {error.start}") from None


def _folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SpecvizError(f"{path}: cannot be made ({error.strerror})") from None


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise SpecvizError(f"{path}: cannot be written ({error.strerror})") from None


if __name__ == "__main__":
    sys.exit(main())
