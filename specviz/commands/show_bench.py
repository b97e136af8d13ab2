"""A benchmark's report as tables: for a terminal, and as Markdown for a file."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from specviz.lab.rivals.entered import ASSISTED, GENERATE
from specviz.zoo.report.markdown import table

NOTES = """- All numbers are medians over rounds, each of all its prompts together (95 % intervals over prompts and
  rounds; none below six). In a round, which has a seed of its own, all contenders take turns on every prompt.
- tokens/s by the own clock, reading the prompt left out; whole calls by the wall clock, everything included.
- `/ generate`, `/ assisted`: speed of whole calls over that of transformers' own decoders with the same models.
- Calls are per run, KV rows the most that a run held at a time; an iteration's parts are means, in ms.
- End tokens are ignored on both sides, so every run has the same length; perplexity counts up to the first.
- A run is disturbed where the machine was busy with something else: it is left out of what is timed."""
ALLOCATED = "- Memory: the most that was in use during one run, as tensors on all GPUs."
RESIDENT = "- Memory: the most that was in use during one run, of the whole process, not of a GPU."


class BenchTable(NamedTuple):
    head: list[str]
    lines: list[list[str]]


def sheets(report: dict[str, Any]) -> list[BenchTable]:
    """The contenders; what an iteration of each costs; and the ratios between them."""
    return [_contenders(report), _costs(report), _ratios(report)]


def _contenders(report: dict[str, Any]) -> BenchTable:
    memory = report.get("memory", {})
    speeds = ["tokens/s", "tokens/s, whole calls", "/ generate", "/ assisted"]
    head = ["", "guarantee", *speeds, "tokens per target call", "acceptance", "longest / depth", "perplexity"]
    lines = []
    for row in report["rows"]:
        over = (_spread(row.get(f"over_{rival}"), 2) for rival in (GENERATE, ASSISTED))
        shares = ("tokens_per_target_call", "acceptance_rate", "longest_accepted", "perplexity")
        cells = [_spread(row["tokens_per_second"]), _spread(row["whole_call"]), *over, *_middles(row, shares)]
        lines.append([row["contender"], row["guarantee"] or "-", *cells, str(row["disturbed"])])
        lines[-1] += [gigabytes(memory[row["contender"]])] if memory else []
    return BenchTable([*head, "disturbed", *(["memory, GB"] if memory else [])], lines)


def _costs(report: dict[str, Any]) -> BenchTable:
    accounts = {account["contender"]: account for account in report["accounts"]}
    lines = []
    for row in report["rows"]:
        flops = row["flops_per_token"]
        counts = _middles(row, ("kv_rows_peak", "target_calls", "draft_calls"))
        account, parts = accounts.get(row["contender"]), ["-"] * 6
        if account:
            seconds = [brief(1e3 * account[name]) for name in ("seconds", "target", "drafting", "outside")]
            parts = [*seconds, brief(account["read"]), brief(account["tokens"])]
        outside = row["outside"] and f"{row['outside']['median']:.1%}"
        lines.append([row["contender"], brief(flops and flops["median"] / 1e6), *counts, *parts, outside or "-"])
    calls = ["MFLOP per token", "KV rows", "target calls", "draft calls"]
    parts = ["iteration, ms", "target calls, ms", "drafting, ms", "outside, ms", "tokens read", "emitted"]
    return BenchTable(["", *calls, *parts, "outside the models"], lines)


def _ratios(report: dict[str, Any]) -> BenchTable:
    lines = [[ratio["name"], _spread(ratio, 2), ratio["meaning"]] for ratio in report["ratios"]]
    return BenchTable(["ratio", "median (interval)", "of"], lines)


def facts(report: dict[str, Any]) -> list[str]:
    """What was measured, on what and when, a line for each."""
    settings, where = report["settings"], report["machine"] | report["versions"]
    models = "; ".join(f"{role} {_model(report[role])}" for role in ("target", "draft") if report[role])
    size = f"{settings['prompts']} prompts, {settings['tokens']} tokens each, {settings['rounds']} rounds"
    lines = [f"{models}. {size}, on {settings['device']}, {report['date']}."]
    lines += [", ".join(f"{name} {value}" for name, value in where.items())]
    lines += [f"not run, {name}: {reason}" for name, reason in report["left_out"].items()]
    if report["average_width"] is not None:
        lines.append(
            f"dsbd's layers are {report['average_width']:.2f} beams wide on average (measured before, on these "
            "prompts): beam runs with the whole widths around that"
        )
    return lines


def cost_line(report: dict[str, Any]) -> str:
    """What an iteration of the chain cost, in one line; empty where there was none."""
    cost = report["cost"]
    if cost is None:
        return ""
    return (
        f"One-token target call {cost['unit'] * 1e3:.2f} ms; an iteration of gamma {cost['gamma']}: drafting gamma c = "
        f"{cost['drafting']:.3f}, verifying v = {cost['verifying']:.3f} target calls; acceptance "
        f"a = {cost['acceptance']:.3f}"
    )


def terminal_tables(report: dict[str, Any]) -> list[Table | Text]:
    """All of it for a terminal."""
    tables = []
    for sheet in sheets(report):
        table = Table(box=SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
        for number, heading in enumerate(sheet.head):
            side = "left" if number == 0 or heading in ("of", "guarantee") else "right"
            table.add_column(heading.replace(", ", ",\n"), justify=side, no_wrap=number == 0)
        for line in sheet.lines:
            table.add_row(*map(Text, line))
        tables.append(table)
    return [Text("\n".join(facts(report))), *tables, Text(f"{NOTES}\n{cost_line(report)}")]


def gpu_markdown(reports: Sequence[dict[str, Any]]) -> str:
    """What ``gpu_bench`` said of each pair, and how to read it."""
    parts = ["# On a GPU: `python -m specviz bench --gpu`"]
    for report in reports:
        parts += [f"## {report['name']}", *([report["note"]] if report["note"] else [])]
        if "does_not_fit" in report:
            parts.append(f"Left out: {report['does_not_fit']}")
            continue
        on = report["machine"].get("accelerator", "no GPU (a check of the command, no measurement)")
        loaded = f"{gigabytes(report['memory']['loaded'])} GB in use when both were loaded."
        parts.append("\n".join([f"**{on}**, {loaded}", *facts(report)]))
        if not report["graphs"]:
            parts.append("No CUDA graphs here, so graph against eager is not measured.")
        parts += [*(table(*sheet) for sheet in sheets(report)), cost_line(report)]
    devices = {report["settings"]["device"].partition(":")[0] for report in reports if "settings" in report}
    if devices:
        parts.append(f"{NOTES}\n{ALLOCATED if devices == {'cuda'} else RESIDENT}")
    return "\n\n".join(filter(None, parts))


def _model(model: dict[str, Any]) -> str:
    size = f"{model['parameters'] / 1e9:.3g} billion parameters, {gigabytes(model['bytes'])} GB"
    return f"{model['name']} ({size}, {model['dtype']})"


def _spread(number: dict[str, float | None] | None, digits: int = 1) -> str:
    """``138.2 (131..143)``; without the interval where there is none."""
    if number is None:
        return "-"
    ends = "" if number["low"] is None else f" ({number['low']:.{digits}f}..{number['high']:.{digits}f})"
    return f"{number['median']:.{digits}f}{ends}"


def _middles(row: dict[str, Any], names: Sequence[str]) -> list[str]:
    return [brief(row[name] and row[name]["median"]) for name in names]


def brief(value: float | None) -> str:
    """Three significant digits, whole numbers whole, a dash for none."""
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def gigabytes(size: int | None) -> str:
    """Of bytes; a dash for none."""
    return "-" if size is None else f"{size / 1e9:.2f}"
