"""``sweep``: a grid of settings on many prompts and seeds, kept row by row; ``heldout``: prompts with answers."""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from specviz.commands import arguments, show
from specviz.commands.models import pair_of
from specviz.commands.output import OUTPUT, models_of, path, progress, wide, write_text
from specviz.lab.quality.sets import COUNT, held_out, prompt_lines
from specviz.lab.sweep.best_of import Ranked, by_perplexity
from specviz.lab.sweep.cluster import Cluster
from specviz.lab.sweep.export import write_csv, write_parquet
from specviz.lab.sweep.front import FrontPoint, front
from specviz.lab.sweep.grid import ROUNDS, as_grid
from specviz.lab.sweep.log import RowLog, read_rows
from specviz.lab.sweep.numbers import NUMBERS, RECORDED
from specviz.lab.sweep.plan import Plan
from specviz.lab.sweep.prompts import DOMAINS, NAMES, SweepPrompt, built_in, read_prompts
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.running import Start, plan_of, run_plan
from specviz.lab.sweep.summary import Summary, summaries

SHOWN = ("tokens_per_second", "tokens_per_target_call", "acceptance_rate", "perplexity")


def add(command) -> None:
    parser = command(
        "sweep", _sweep, "Run a grid of methods and options on many prompts and seeds; resumes where it stopped."
    )
    parser.add_argument(
        "grid", type=path, metavar="GRID.toml", help="methods with options; a list stands for each value"
    )
    parser.add_argument(
        "--prompts",
        metavar="FILE.jsonl",
        help="JSON lines with question_id, category and turns, scored where they have an answer; or built-in ones: "
        f"{', '.join(NAMES)} (default: the first three)",
    )
    parser.add_argument("--out", type=path, required=True, metavar="DIR", help="rows.jsonl, and the tables made of it")
    parser.add_argument("--csv", action="store_true", help="the table as CSV, too; rows.parquet is always written")
    parser.add_argument("--traces", action="store_true", help="keep the trace of every run from now on in DIR/traces")
    parser.add_argument(
        "--record",
        action="store_true",
        help="with distributions: rows from now on have alpha, as with --traces",
    )
    parser.add_argument(
        "--metrics",
        nargs="+",
        choices=NUMBERS,
        default=SHOWN,
        metavar="METRIC",
        help=f"shown, and recorded with distributions where they need it: {', '.join(NUMBERS)} "
        f"(default: {', '.join(SHOWN)})",
    )
    group = parser.add_argument_group("on a Ray cluster, with the same tokens")
    group.add_argument("--ray", metavar="ADDRESS", help="of the cluster; auto: this machine's, local: a new one here")
    group.add_argument(
        "--workers", type=arguments.whole, metavar="N", help="processes with models (default: one a machine, or a GPU)"
    )
    arguments.add_models(parser)

    heldout = command(
        "heldout", _heldout, "Make a prompt file with answers from the held-out part of a corpus folder, for sweeps."
    )
    heldout.add_argument("--corpus", required=True, type=path, metavar="DIR", help="folder with tales and gsm8k")
    heldout.add_argument("--out", required=True, type=path, metavar="FILE.jsonl")
    heldout.add_argument(
        "--domains", nargs="+", choices=DOMAINS, default=DOMAINS, help="default: all, how tales go on among them"
    )
    heldout.add_argument(
        "--count", type=arguments.whole, default=COUNT, metavar="N", help=f"questions a domain, default {COUNT}"
    )


def _sweep(flags: argparse.Namespace) -> None:
    grid, prompts = as_grid(flags.grid), _prompts(flags.prompts)
    plan = plan_of(pair_of(flags), grid, prompts)
    with RowLog(flags.out) as log:
        done = sum(task.key in log for task in plan)
    _say(plan, done, flags.out)
    start = (lambda pair: Cluster(flags.ray, flags.workers, models_of(flags), pair).rows) if flags.ray else None
    _run(plan, done, flags, start)
    _tables(flags.out, flags.csv)
    estimates = summaries(read_rows(flags.out), [*dict.fromkeys(flags.metrics)])
    scores = [score for score in summaries(read_rows(flags.out), ["score"], by_category=True) if score.kinds]
    points = _points(flags.out, scores)
    more = [*([_scores(scores)] if scores else []), *([_front(points)] if points else [])]
    if scores and (n := len(grid.seeds)) > 1:
        ranked = by_perplexity(_of_one_kind(flags.out, scores), n, by_category=True)
        more += [_best(ranked)] if ranked else []
    speeds = summaries(read_rows(flags.out), SHOWN[:1])
    wide(
        _table(estimates, [*dict.fromkeys(flags.metrics)]), *more, Text(_notes(estimates + scores, speeds), style="dim")
    )


def _heldout(flags: argparse.Namespace) -> None:
    lines = list(prompt_lines(held_out(flags.corpus, flags.domains, flags.count)))
    write_text(flags.out, "\n".join(lines))
    OUTPUT.print(f"{flags.out} is written: {len(lines)} prompts with answers", markup=False, soft_wrap=True)


def _prompts(file: str | None) -> list[SweepPrompt]:
    if file is None or file in NAMES:
        return built_in(*([file] if file else []))
    return read_prompts(path(file))


def _say(plan: Plan, done: int, out: Path) -> None:
    grid, further = plan.grid, sum(prompt.turns > 1 for prompt in plan.prompts)
    print(
        f"specviz: {len(plan)} runs: {len(grid.settings)} settings, {len(plan.prompts)} prompts, {len(grid.seeds)} "
        f"seeds; {done} of them are in {out} already",
        file=sys.stderr,
    )
    if further:
        print(f"specviz: {further} prompts have further turns: the first is answered", file=sys.stderr)
    spaces = [prompt.id for prompt in plan.prompts if isinstance(prompt.prompt, str) and prompt.prompt.endswith(" ")]
    if spaces and not plan.pair.chat:
        print(f"specviz: prompts that end with a space: {', '.join(spaces[:10])}"[:400], file=sys.stderr)


def _run(plan: Plan, done: int, flags: argparse.Namespace, start: Start | None) -> None:
    """Make what is missing, with progress; Ctrl-C says how to go on."""
    with progress(len(plan), done) as advance:
        try:
            recorded = flags.record or any(name in RECORDED for name in flags.metrics)
            for row in run_plan(plan, flags.out, flags.traces, start, recorded=recorded):
                done += 1
                advance(show.printable(row.setting))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"; {done} of {len(plan)} runs are kept in {flags.out}, and the same command goes on from there"
            ) from None


def _tables(out: Path, as_csv: bool) -> None:
    if as_csv:
        write_csv(read_rows(out), out / "rows.csv")
    write_parquet(read_rows(out), out / "rows.parquet")


def _table(estimates: list[Summary], metrics: Sequence[str]) -> Table:
    table = Table("setting", "rounds", "runs", title="Medians over rounds (95 % intervals)")
    for metric in metrics:
        table.add_column(NUMBERS[metric].label, justify="right")
    for start in range(0, len(estimates), len(metrics)):
        own = estimates[start : start + len(metrics)]
        runs = max(number.runs + number.left_out for number in own)
        numbers = (_number(number) for number in own)
        table.add_row(
            Text(show.printable(own[0].setting)), str(max(number.rounds for number in own)), str(runs), *numbers
        )
    return table


def _scores(scores: list[Summary]) -> Table:
    table = Table("setting", "category", "scored by", "questions", title="Scores, 0 to 1")
    table.add_column("score", justify="right")
    for score in scores:
        words = (Text(show.printable(word)) for word in (score.setting, score.category or "", ", ".join(score.kinds)))
        table.add_row(*words, str(score.prompts), _number(score))
    return table


def _best(ranked: list[Ranked]) -> Table:
    """Do likelier texts answer better? (MTAD, Table 1.)"""
    table = Table("setting", "category", "questions", title="Scores of a question's texts by perplexity")
    for heading in ("the likeliest", "in the middle", "the least likely"):
        table.add_column(heading, justify="right")
    for setting in ranked:
        words = (Text(show.printable(word)) for word in (setting.setting, setting.category or ""))
        count = len(setting.scores)
        middle = (setting.scores[(count - 1) // 2] + setting.scores[count // 2]) / 2
        ranks = (setting.scores[0], middle, setting.scores[-1])
        table.add_row(*words, str(setting.questions), *map(show.number, ranks))
    return table


def _points(out: Path, scores: list[Summary]) -> list[FrontPoint]:
    """Quality against speed by category: scores where there are some, but for categories with several kinds, else
    perplexity. None of a single setting, which nothing could beat."""
    quality = "score" if scores else "perplexity"
    points = front(_of_one_kind(out, scores), quality=quality, by_category=True)
    return points if len({point.setting for point in points}) > 1 else []


def _of_one_kind(out: Path, scores: list[Summary]) -> Iterator[Row]:
    """The rows, but for those of categories with scores of several kinds."""
    kinds = defaultdict[str | None, set[str]](set)
    for score in scores:
        kinds[score.category].update(score.kinds)
    return (row for row in read_rows(out) if len(kinds[row.category]) < 2)


def _front(points: list[FrontPoint]) -> Table:
    table = Table("setting", "category", title="Quality against speed: on the front, beaten by none in both")
    for heading in ("tokens/s", points[0].quality.metric, "on the front", "share of samples"):
        table.add_column(heading, justify="right")
    for point in points:
        words = (Text(show.printable(word)) for word in (point.setting, point.category or ""))
        share = "-" if point.share is None else f"{point.share:.0%}"
        on = "yes" if point.on_front else "no"
        table.add_row(*words, _number(point.speed), _number(point.quality), on, share)
    return table


def _number(summary: Summary) -> str:
    if summary.low is None:
        return show.number(summary.median)
    return f"{show.number(summary.median)} ({show.number(summary.low)} - {show.number(summary.high)})"


def _notes(numbers: list[Summary], speeds: list[Summary]) -> str:
    left_out = sum(speed.left_out for speed in speeds)
    notes = "Intervals: bootstrap over prompts and seeds."
    if any(number.low is None and number.median is not None for number in numbers):
        notes += f" None with fewer than {ROUNDS} rounds, or one prompt."
    if any(len(number.kinds) > 1 for number in numbers):
        notes += " Scores of several kinds are not averaged."
    if left_out:
        notes += f" {left_out} runs were disturbed by other programs and are left out of speeds."
    return notes
