"""The page benchmark as a table for a terminal."""

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from specviz.lab.bench.statistics import Estimate
from specviz.lab.page.bench import Measure
from specviz.lab.page.load import Waits
from specviz.lab.page.memory import Kept


def page_table(measures: Sequence[Measure]) -> Table:
    """One row a measure: median with its interval, the aim, whether it holds."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("measure")
    for heading in ("median", "95 %", "aim"):
        table.add_column(heading, justify="right")
    table.add_column("")
    table.add_column("on", style="dim")
    for one in measures:
        found = one.estimate
        aim = "" if one.aim is None else f"≤ {_number(one.aim, one.unit)}"
        holds = {True: Text("holds"), False: Text("does not hold", style="bold"), None: Text("")}[one.holds]
        table.add_row(one.name, _number(found.median, one.unit), _interval(found), aim, holds, one.note)
    return table


def class_table(rounds: Sequence[Waits]) -> Table:
    """One row a round of a class that starts at the same moment; seconds."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title="A class that starts at the same moment; seconds")
    table.add_column("pages")
    for heading in ("finished", "to the first picture", "longest", "to the end", "longest", "farthest position"):
        table.add_column(heading, justify="right")
    for one in rounds:
        seconds = (one.median, one.largest, one.median_end, one.largest_end)
        table.add_row(f"{one.pages}", f"{one.finished}", *(f"{value:.1f}" for value in seconds), f"{one.farthest}")
    return table


def memory_table(kept: Kept) -> Table:
    """What a server has in memory after few and after many runs."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title="Memory of a server after runs of every kind")
    for heading in ("runs", "memory", "runs", "memory", "ratio"):
        table.add_column(heading, justify="right")
    sizes = (f"{kept.few}", f"{kept.after_few / 1e6:.0f} MB", f"{kept.many}", f"{kept.after_many / 1e6:.0f} MB")
    table.add_row(*sizes, f"{kept.ratio:.2f}")
    return table


def page_heading(report: dict[str, Any]) -> Text:
    """When and on what it was measured."""
    machine, versions = report["machine"], report["versions"]
    where = f"{machine['processor']}, {machine['cores']} cores; Chromium {versions['chromium']}"
    return Text(f"The page, {report['date']}, on {where}, gradio {versions['gradio']}, plotly {versions['plotly']}")


def _number(value: float, unit: str) -> str:
    digits = 0 if unit in ("", "ms", "MB") else 2
    return f"{value:.{digits}f} {unit}".rstrip()


def _interval(found: Estimate) -> str:
    return "" if found.low is None else f"{found.low:.3g} .. {found.high:.3g}"
