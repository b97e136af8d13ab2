"""Call times, for the terminal."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from specviz.lab.bench.calls import CONTEXT, ROWS, CallTime
from specviz.lab.machine import machine, versions


def calls_heading() -> Text:
    """What was measured, and on what."""
    facts = [f"{name} {value}" for name, value in {**machine(), **versions()}.items()]
    return Text(f"Milliseconds of one call behind {CONTEXT} rows, medians. " + ", ".join(facts))


def calls_table(found: Sequence[CallTime]) -> Table:
    """A line for every model, dtype, number of threads and busy programs; a column for every pass and rows."""
    passes = list(dict.fromkeys(time.forward for time in found))
    table = Table("model", "dtype", "threads", "busy beside it")
    for forward in passes:
        for rows in ROWS:
            table.add_column(f"{forward}, {rows} row{'s' if rows > 1 else ''}", justify="right")
    lines: dict[tuple[str, str, int, int], dict[tuple[str, int], float]] = {}
    for time in found:
        key = (time.role, time.dtype, time.threads, time.busy)
        lines.setdefault(key, {})[time.forward, time.rows] = time.milliseconds
    for (role, dtype, threads, busy), times in lines.items():
        numbers = [times.get((forward, rows)) for forward in passes for rows in ROWS]
        table.add_row(role, dtype, str(threads), str(busy), *("" if n is None else f"{n:.2f}" for n in numbers))
    return table
