"""One SELECT statement on tables in memory, read-only and bounded; run as a script, the process for untrusted queries.

It imports only the standard library, so that the process that runs it (``walled.py``) starts at once and is small.
"""

import json
import re
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from typing import Any

SqlRow = tuple[str | int | float | bytes | None, ...]
PlainTable = tuple[str, tuple[str, ...], tuple[SqlRow, ...]]
"""Name, columns, rows."""

STEP_LIMIT = 2_000_000
"""Virtual machine steps of SQLite after which a query is given up; gold queries need under 10,000."""
ROW_LIMIT = 2_000
BYTE_LIMIT = 1_000_000
HEAP_LIMIT = 64_000_000  # bytes that SQLite itself may have
FUNCTIONS = frozenset(
    "abs avg char_length coalesce count date datetime dense_rank first_value glob group_concat ifnull iif instr "
    "julianday lag last_value lead length like lower ltrim max min nth_value ntile nullif rank replace round "
    "row_number rtrim sign strftime string_agg substr substring sum time total trim typeof unicode upper".split()
)
"""The functions that a query may call: their results are no longer than their arguments, or than LENGTHS."""
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 10_000,  # bytes of a text or a row
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 50_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 20_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 16,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
_FAILURES = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError)


class RefusedQuery(Exception):
    """A text is not one SELECT statement, or it fails, or it takes too long or too much."""


def database(tables: Iterable[PlainTable]) -> sqlite3.Connection:
    """A new database in memory, which the caller closes. A column's type is that of its values. Raises sqlite3.Error,
    ValueError or OverflowError for names and cells that SQLite does not take."""
    connection = sqlite3.connect(":memory:")
    try:
        for name, columns, rows in tables:
            types = (_sql_type([row[index] for row in rows]) for index in range(len(columns)))
            parts = (f"{_quoted(column)} {kind}" for column, kind in zip(columns, types, strict=True))
            connection.execute(f"CREATE TABLE {_quoted(name)} ({', '.join(parts)})")
            connection.executemany(f"INSERT INTO {_quoted(name)} VALUES ({', '.join('?' * len(columns))})", rows)
        connection.commit()
    except BaseException:
        connection.close()
        raise
    return connection


def _sql_type(cells: list[object]) -> str:
    kinds = {type(cell) for cell in cells if cell is not None}
    return {(int,): "INTEGER", (float,): "REAL", (str,): "TEXT"}.get(tuple(kinds), "")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def run_query(connection: sqlite3.Connection, sql: str, steps: int = STEP_LIMIT) -> list[SqlRow]:
    """The rows of one SELECT statement, read-only; RefusedQuery for anything else, for errors and for runaways.

    ``steps`` limits the number of steps, FUNCTIONS and the lengths what one step can do. Untrusted queries belong
    behind ``walled.py`` all the same."""
    if sql.lstrip()[:6].upper() != "SELECT":
        raise RefusedQuery(f"not a SELECT: {sql[:80]!r}")
    steps_left = [steps // 1_000]

    def stop() -> bool:
        steps_left[0] -= 1
        return steps_left[0] < 0

    connection.execute(f"PRAGMA hard_heap_limit = {HEAP_LIMIT}")  # of the whole process
    connection.execute("PRAGMA temp_store = MEMORY")  # no files
    connection.set_authorizer(_only_reading)
    for limit, most in _LIMITS.items():
        connection.setlimit(limit, most)
    connection.set_progress_handler(stop, 1_000)
    try:
        return _bounded(connection.execute(sql))
    except _FAILURES as error:
        raise RefusedQuery(str(error) or "out of memory") from error
    finally:
        connection.set_progress_handler(None, 0)
        connection.set_authorizer(None)


def _bounded(result: sqlite3.Cursor) -> list[SqlRow]:
    """All rows of a result. Raises RefusedQuery for too many, or too many bytes."""
    rows, room = [], BYTE_LIMIT
    for row in result:
        rows.append(row)
        room -= sum(len(cell) if isinstance(cell, str | bytes) else 8 for cell in row)
        if len(rows) > ROW_LIMIT or room < 0:
            raise RefusedQuery(f"more than {ROW_LIMIT} rows, or {BYTE_LIMIT} bytes of them")
    return rows


def _only_reading(action: int, _first: str | None, second: str | None, *_names: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_OK if str(second).lower() in FUNCTIONS else sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ) else sqlite3.SQLITE_DENY


def same_rows(connection: sqlite3.Connection, gold: list[SqlRow], gold_sql: str, predicted_sql: str) -> bool:
    """Whether a query gives these rows: in the same order where the gold query has ORDER BY, else in any. What
    ``run_query`` refuses is never the same."""
    try:
        predicted = run_query(connection, predicted_sql)
    except RefusedQuery:
        return False
    ordered = bool(re.search(r"\bORDER\s+BY\b", gold_sql, re.IGNORECASE))
    return _comparable(gold, ordered) == _comparable(predicted, ordered)


def _comparable(rows: list[SqlRow], ordered: bool) -> list[SqlRow] | Counter[SqlRow]:
    rounded = [tuple(round(cell, 6) if isinstance(cell, float) else cell for cell in row) for row in rows]
    return rounded if ordered else Counter(rounded)


# --- as a process -----------------------------------------------------------------------------------------------------


def answer(databases: Sequence[Sequence[PlainTable]], gold: str, predicted: str | None, steps: int) -> dict[str, Any]:
    """``{"same": whether predicted (None: is not asked) gives gold's rows on every database}``, or where gold does not
    run or a database cannot be made ``{"refused" or "unmade": reason, "database": its number, from 1}``."""
    for number, tables in enumerate(databases, 1):
        try:
            connection = database(tables)
        except _FAILURES as error:
            return {"unmade": str(error), "database": number}
        with closing(connection):
            try:
                rows = run_query(connection, gold, steps)
            except RefusedQuery as error:
                return {"refused": str(error), "database": number}
            if predicted is not None and not same_rows(connection, rows, gold, predicted):
                return {"same": False}
    return {"same": True}


def _confine(memory: int) -> None:
    """Limit this process: its address space, no files to write, and a low priority."""
    with suppress(ImportError, AttributeError, ValueError, OSError):  # on systems without such limits
        import os
        import resource

        os.nice(10)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def main() -> None:
    """Answer each line of JSON with one, ``answer`` and the ``seconds`` of the processor it took; past those that a
    line allows the system ends this process."""
    _confine(int(sys.argv[1]))
    alarm = getattr(signal, "setitimer", None)
    for line in sys.stdin.buffer:
        question, processor = json.loads(line)
        began = time.process_time()
        if alarm:
            alarm(signal.ITIMER_PROF, max(processor, 0.001))  # 0 would switch it off
        result = answer(**question)
        if alarm:
            alarm(signal.ITIMER_PROF, 0)
        print(json.dumps(result | {"seconds": time.process_time() - began}), flush=True)


if __name__ == "__main__":
    main()
