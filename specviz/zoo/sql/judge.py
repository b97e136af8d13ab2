"""Judging predicted SQL by running it: small databases of random rows, and results compared with the gold query's.

Rows are made only here, from the columns' value pools, so sampling a training text costs nothing for them.
"""

from __future__ import annotations

import random
import re
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing

from specviz.zoo.sql.example import SqlExample
from specviz.zoo.sql.schemas import Column, Table

Row = tuple[str | int | float | bytes | None, ...]


def build_database(example: SqlExample, rng: random.Random) -> sqlite3.Connection:
    """A new in-memory database of the example's tables, 10 to 30 rows each; the caller closes it.

    Links hold keys of the table they point to, numbers rarely repeat, texts often do, and about a quarter of the rows
    have the values that the question names, so that the gold query mostly finds something.
    """
    connection = sqlite3.connect(":memory:")
    keys: dict[str, list[str | int]] = {}
    linked = {link.links_to for table in example.tables for link in table.links}
    for table in sorted(example.tables, key=lambda table: len(table.links)):  # tables that are pointed to come first
        rows = _make_rows(table, rng, keys, linked)
        add_table(connection, table.name, [column.name for column in table.columns], rows)
        for index, column in enumerate(table.columns):
            keys[f"{table.name}.{column.name}"] = [row[index] for row in rows]
    connection.commit()
    return connection


def add_table(connection: sqlite3.Connection, name: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """A table with these rows; a column's type is that of its values. Raises sqlite3.Error for what SQLite refuses."""
    types = (_sql_type([row[index] for row in rows]) for index in range(len(columns)))
    parts = (f"{_quoted(column)} {kind}" for column, kind in zip(columns, types, strict=True))
    connection.execute(f"CREATE TABLE {_quoted(name)} ({', '.join(parts)})")
    connection.executemany(f"INSERT INTO {_quoted(name)} VALUES ({', '.join('?' * len(columns))})", rows)


def _sql_type(cells: list[object]) -> str:
    kinds = {type(cell) for cell in cells if cell is not None}
    return {(int,): "INTEGER", (float,): "REAL", (str,): "TEXT"}.get(tuple(kinds), "")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _make_rows(
    table: Table, rng: random.Random, keys: dict[str, list[str | int]], linked: set[str]
) -> list[tuple[str | int, ...]]:
    is_parent = any(f"{table.name}.{column.name}" in linked for column in table.columns)
    count = rng.randint(10, 16) if is_parent else rng.randint(16, 30)
    witness = [rng.random() < 0.25 for _ in range(count)]
    witness[rng.randrange(count)] = True
    cells = []
    for column in table.columns:
        if column.kind == "id" or f"{table.name}.{column.name}" in linked:
            cells.append(_key_cells(column, rng, witness))
        else:
            cells.append(_plant(column, _cells(column, rng, count, keys), rng, witness))
    return list(zip(*cells, strict=True))


def _key_cells(column: Column, rng: random.Random, witness: list[bool]) -> list[str | int]:
    """Different values, the mentioned one in the first witness row."""
    cells = _distinct_draws(column, rng, len(witness))
    if column.mentioned and column.mentioned[0] not in cells:
        cells[witness.index(True)] = column.mentioned[0]
    return cells


def _cells(column: Column, rng: random.Random, count: int, keys: dict[str, list[str | int]]) -> list[str | int]:
    if column.kind == "number":
        span = range(column.low, column.high + 1)
        return rng.sample(span, count) if len(span) >= count else rng.choices(span, k=count)
    palette = keys[column.links_to] if column.links_to in keys else _distinct_draws(column, rng, 7)
    return rng.choices(palette, k=count)


def _distinct_draws(column: Column, rng: random.Random, count: int) -> list[str | int]:
    """`count` different values, or fewer if the column has no more (a category)."""
    found: dict[str | int, None] = {}
    for _ in range(20 * count):
        if len(found) == count:
            break
        found[column.draw(rng)] = None
    return list(found)


def _plant(column: Column, cells: list[str | int], rng: random.Random, witness: list[bool]) -> list[str | int]:
    """Write the mentioned values over some cells: the passing one in most witness rows, all of them here and there.

    Border values also go to a few witness rows, where a question's other condition passes: there `>` and `>=` differ.
    """
    if not column.mentioned:
        return cells
    passing, *border = column.mentioned
    planted = list(cells)
    for value in column.mentioned:
        for index in rng.sample(range(len(cells)), 2):
            planted[index] = value
    first, *others = (index for index, chosen in enumerate(witness) if chosen)
    planted[first] = passing
    for index in others:
        planted[index] = rng.choice(border) if border and rng.random() < 0.4 else passing
    return planted


# --- judging ----------------------------------------------------------------------------------------------------------

_NAME = re.compile(r"[a-z]\w*")
DATABASES_PER_JUDGEMENT = 3
ROW_LIMIT = 2_000
BYTE_LIMIT = 1_000_000
STEP_LIMIT = 2_000_000
"""Virtual machine steps of SQLite after which a query is given up; gold queries need under 10,000."""


class RefusedQuery(Exception):
    """A predicted text is not one SELECT statement, or it fails, or it runs for too long."""


def names_copied(example: SqlExample, predicted_sql: str) -> bool:
    """Whether `predicted_sql` names tables and columns, and only those of the example, to the letter."""
    known = {name for table in example.tables for name in (table.name, *(column.name for column in table.columns))}
    named = set(_NAME.findall(re.sub(r"'[^']*'", "", predicted_sql)))
    return bool(named) and named <= known


def execution_match(example: SqlExample, predicted_sql: str) -> bool:
    """Whether `predicted_sql` gives the gold query's result on every judging database of the example.

    Results are compared as ordered lists if the gold query has ORDER BY, else as multisets of rows; the order of
    columns counts, their names do not. Anything but one SELECT statement, and any error, is False. Judging databases
    depend on the example alone, so that a verdict is reproducible.
    """
    for connection in judging_databases(example):
        with closing(connection):
            if not same_rows(connection, example.sql, predicted_sql):
                return False
    return True


def same_rows(connection: sqlite3.Connection, gold_sql: str, predicted_sql: str) -> bool:
    """Whether both queries give the same rows: in the same order where the gold query has ORDER BY, else in any. What
    ``run_query`` refuses is never the same."""
    try:
        gold, predicted = run_query(connection, gold_sql), run_query(connection, predicted_sql)
    except RefusedQuery:
        return False
    ordered = bool(re.search(r"\bORDER\s+BY\b", gold_sql, re.IGNORECASE))
    return _comparable(gold, ordered) == _comparable(predicted, ordered)


def predicted_query(text: str) -> str:
    """The query in what a model wrote: its first line that is not empty."""
    return text.strip().split("\n")[0]


def run_query(connection: sqlite3.Connection, sql: str, steps: int = STEP_LIMIT) -> list[Row]:
    """The rows of one SELECT statement, read-only; RefusedQuery for anything else, for errors and for runaways."""
    if sql.lstrip()[:6].upper() != "SELECT":
        raise RefusedQuery(f"not a SELECT: {sql[:80]!r}")
    steps_left = [steps // 1_000]

    def stop() -> bool:
        steps_left[0] -= 1
        return steps_left[0] < 0

    connection.set_authorizer(_only_reading)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 10_000)
    connection.set_progress_handler(stop, 1_000)
    try:
        return _bounded(connection.execute(sql))
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
        raise RefusedQuery(str(error)) from error
    finally:
        connection.set_progress_handler(None, 0)


def _bounded(result: sqlite3.Cursor) -> list[Row]:
    """All rows of a result. Raises RefusedQuery for too many, or too many bytes."""
    rows, room = [], BYTE_LIMIT
    for row in result:
        rows.append(row)
        room -= sum(len(cell) if isinstance(cell, str | bytes) else 8 for cell in row)
        if len(rows) > ROW_LIMIT or room < 0:
            raise RefusedQuery(f"more than {ROW_LIMIT} rows, or {BYTE_LIMIT} bytes of them")
    return rows


def _only_reading(action: int, *_names: str | None) -> int:
    reads = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
    return sqlite3.SQLITE_OK if action in reads else sqlite3.SQLITE_DENY


def judging_databases(example: SqlExample) -> Iterator[sqlite3.Connection]:
    """`DATABASES_PER_JUDGEMENT` databases on which the gold query finds something, as far as a few tries can tell."""
    rng = random.Random(zlib.crc32(example.text.encode()))
    for _ in range(DATABASES_PER_JUDGEMENT):
        yield _telling_database(example, rng)


def _telling_database(example: SqlExample, rng: random.Random, tries: int = 4) -> sqlite3.Connection:
    connection = build_database(example, rng)
    if tries == 0 or is_telling(run_query(connection, example.sql)):
        return connection
    connection.close()
    return _telling_database(example, rng, tries - 1)


def is_telling(rows: list[Row]) -> bool:
    """Whether a result says something: it has rows, and is not a lone 0 or NULL."""
    return bool(rows) and rows not in ([(0,)], [(None,)])


def _comparable(rows: list[Row], ordered: bool) -> list[Row] | Counter[Row]:
    rounded = [tuple(round(cell, 6) if isinstance(cell, float) else cell for cell in row) for row in rows]
    return rounded if ordered else Counter(rounded)
