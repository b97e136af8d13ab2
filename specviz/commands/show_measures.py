"""Tables of what ``bench`` measures besides decoders, for the terminal."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from specviz.lab.machine import machine, versions
from specviz.lab.measures.calls import CONTEXT, ROWS, CallTime
from specviz.lab.measures.lengths import LengthSpeed, auto_over_best
from specviz.lab.measures.neighbours import BusySpeed
from specviz.lab.measures.reading import ReadingTime
from specviz.lab.measures.vocabulary import VocabularyCost
from specviz.views.lessons.costs import MeasuredCalls

CALLS = f"Milliseconds of one call behind {CONTEXT} rows, medians."
BUSY = "Tokens/s by a run's own clock, medians; in brackets the part of what a fair share of the idle speed would be."
LENGTHS = "Tokens/s of speculative decoding by gamma, medians over rounds; * is the best fixed one."
READING = "Seconds of reading a prompt, medians."
SELECTION = (
    "Milliseconds of an iteration outside the models' calls, beside one top-k and one log-sum-exp of the same rows; "
    "medians. A random pair of 151,936 tokens."
)


def heading(what: str) -> Text:
    """What was measured, and on what."""
    facts = [f"{name} {value}" for name, value in {**machine(), **versions()}.items()]
    return Text(f"{what} {', '.join(facts)}")


def calls_table(found: Sequence[CallTime]) -> Table:
    """A line for every model, dtype, number of threads and busy programs; a column for every pass and rows."""
    passes = list(dict.fromkeys(time.forward for time in found))
    columns = [f"{forward}, {rows} row{'s' if rows > 1 else ''}" for forward in passes for rows in ROWS]
    table = _table(("model", "dtype", "threads", "busy beside it"), columns)
    lines: dict[tuple[str, str, int, int], dict[tuple[str, int], float]] = {}
    for time in found:
        key = (time.role, time.dtype, time.threads, time.busy)
        lines.setdefault(key, {})[time.forward, time.rows] = time.milliseconds
    for (role, dtype, threads, busy), times in lines.items():
        numbers = [times.get((forward, rows)) for forward in passes for rows in ROWS]
        table.add_row(role, dtype, str(threads), str(busy), *("" if n is None else f"{n:.2f}" for n in numbers))
    return table


def sizes_table(found: MeasuredCalls) -> Table:
    """A line for every number of tokens."""
    table = _table(("tokens",), ("ms, median", "quartiles", "times one token", "ms a token"))
    one = found.sizes[0].seconds
    for size in found.sizes:
        quartiles = f"{1e3 * size.low:.2f} .. {1e3 * size.high:.2f}"
        numbers = (f"{1e3 * size.seconds:.2f}", quartiles, f"{size.seconds / one:.2f}")
        table.add_row(str(size.tokens), *numbers, f"{1e3 * size.seconds / size.tokens:.3f}")
    return table


def busy_table(found: Sequence[BusySpeed]) -> Table:
    """A line for every method and number of threads; a column for every number of busy programs."""
    columns = [f"{busy or 'none'} busy beside it" for busy in dict.fromkeys(speed.busy for speed in found)]
    table = _table(("method", "threads"), columns)
    lines: dict[tuple[str, str], list[str]] = {}
    for speed in sorted(found, key=lambda speed: speed.busy):
        share = f" ({speed.of_fair_share:.2f})" if speed.busy else ""
        threads = f"{speed.threads}{' (chosen)' if speed.chosen else ''}"
        lines.setdefault((speed.method, threads), []).append(f"{speed.tokens_per_second:.0f}{share}")
    for names, numbers in lines.items():
        table.add_row(*names, *numbers)
    return table


def vocabulary_table(found: Sequence[VocabularyCost]) -> Table:
    """A line for every method, with top-k and without."""
    columns = ("outside the calls", "top-k and log-sum-exp", "ratio", "wall recorded / not")
    table = _table(("method", "top-k"), columns)
    for one in found:
        numbers = (one.outside, one.selection, one.ratio, one.recorded)
        table.add_row(one.method, str(one.top_k or "none"), *(f"{number:.2f}" for number in numbers))
    return table


def lengths_table(found: Sequence[LengthSpeed]) -> Table:
    """A line for every domain, a column for every length, and how auto does beside the best of the others."""
    gammas = list(dict.fromkeys(speed.gamma for speed in found))
    table = _table(("domain",), [*map(str, gammas), "auto / best fixed"])
    for domain in dict.fromkeys(speed.domain for speed in found):
        own = [speed for speed in found if speed.domain == domain]
        best, ratio = auto_over_best(own)
        speeds = [f"{speed.median:.0f}{'*' if speed.gamma == best else ''}" for speed in own]
        between = "" if ratio.low is None else f" ({ratio.low:.2f} .. {ratio.high:.2f})"
        table.add_row(domain, *speeds, f"{ratio.median:.2f}{between}")
    return table


def reading_table(found: Sequence[ReadingTime]) -> Table:
    """A line for every model and length."""
    table = _table(("model", "tokens"), ("ours", "transformers", "transformers / ours", "a second run"))
    for one in found:
        ratio = one.transformers / one.ours
        numbers = (f"{one.ours:.3f}", f"{one.transformers:.3f}", f"{ratio:.2f}", f"{one.again:.4f}")
        table.add_row(one.model, f"{one.tokens:,}", *numbers)
    return table


def _table(names: Sequence[str], numbers: Sequence[str]) -> Table:
    table = Table(*names)
    for column in numbers:
        table.add_column(column, justify="right")
    return table
