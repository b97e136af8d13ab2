"""Judging predicted SQL by running it: small databases of random rows, and results compared with the gold query's.

Rows are made only here, from the columns' value pools, so sampling a training text costs nothing for them.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing

from specviz.zoo.sql import query
from specviz.zoo.sql.example import SqlExample
from specviz.zoo.sql.schemas import SchemaColumn, SchemaTable
from specviz.zoo.sql.walled import CHILD


def build_tables(example: SqlExample, rng: random.Random) -> tuple[query.PlainTable, ...]:
    """The example's tables with 10 to 30 new rows each: of one database.

    Links hold keys of the table they point to, numbers rarely repeat, texts often do, and about a quarter of the rows
    have the values that the question names, so that the gold query mostly finds something.
    """
    keys: dict[str, list[str | int]] = {}
    linked = {link.links_to for table in example.tables for link in table.links}
    made: dict[str, query.PlainTable] = {}
    for table in sorted(example.tables, key=lambda table: len(table.links)):  # tables that are pointed to come first
        rows = _make_rows(table, rng, keys, linked)
        made[table.name] = (table.name, tuple(column.name for column in table.columns), tuple(rows))
        for index, column in enumerate(table.columns):
            keys[f"{table.name}.{column.name}"] = [row[index] for row in rows]
    return tuple(made[table.name] for table in example.tables)


def _make_rows(
    table: SchemaTable, rng: random.Random, keys: dict[str, list[str | int]], linked: set[str]
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


def _key_cells(column: SchemaColumn, rng: random.Random, witness: list[bool]) -> list[str | int]:
    """Different values, the mentioned one in the first witness row."""
    cells = _distinct_draws(column, rng, len(witness))
    if column.mentioned and column.mentioned[0] not in cells:
        cells[witness.index(True)] = column.mentioned[0]
    return cells


def _cells(column: SchemaColumn, rng: random.Random, count: int, keys: dict[str, list[str | int]]) -> list[str | int]:
    if column.kind == "number":
        span = range(column.low, column.high + 1)
        return rng.sample(span, count) if len(span) >= count else rng.choices(span, k=count)
    palette = keys[column.links_to] if column.links_to in keys else _distinct_draws(column, rng, 7)
    return rng.choices(palette, k=count)


def _distinct_draws(column: SchemaColumn, rng: random.Random, count: int) -> list[str | int]:
    """`count` different values, or fewer if the column has no more (a category)."""
    values: dict[str | int, None] = {}
    for _ in range(20 * count):
        if len(values) == count:
            break
        values[column.draw(rng)] = None
    return list(values)


def _plant(column: SchemaColumn, cells: list[str | int], rng: random.Random, witness: list[bool]) -> list[str | int]:
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
    return same_on_all([*judging_databases(example)], example.sql, predicted_sql)


def same_on_all(databases: Sequence[Sequence[query.PlainTable]], gold_sql: str, predicted_sql: str) -> bool:
    """Whether both queries give the same rows on every database: in the same order where the gold query has ORDER BY,
    else in any. What is refused (``walled.py``) is never the same. Raises Unmade for tables that SQLite does not take,
    and SpecvizError where no process can be had."""
    try:
        return CHILD.ask(databases, gold_sql, predicted_sql)[0]
    except query.RefusedQuery:
        return False


def predicted_query(text: str) -> str:
    """The query in what a model wrote: its first line that is not empty."""
    return text.strip().split("\n")[0]


def judging_databases(example: SqlExample) -> Iterator[tuple[query.PlainTable, ...]]:
    """`DATABASES_PER_JUDGEMENT` databases on which the gold query finds something, as far as a few tries can tell."""
    rng = random.Random(zlib.crc32(example.text.encode()))
    for _ in range(DATABASES_PER_JUDGEMENT):
        yield _telling_database(example, rng)


def _telling_database(example: SqlExample, rng: random.Random, tries: int = 4) -> tuple[query.PlainTable, ...]:
    tables = build_tables(example, rng)
    with closing(query.database(tables)) as connection:
        if tries == 0 or is_telling(query.run_query(connection, example.sql)):
            return tables
    return _telling_database(example, rng, tries - 1)


def is_telling(rows: list[query.SqlRow]) -> bool:
    """Whether a result says something: it has rows, and is not a lone 0 or NULL."""
    return bool(rows) and rows not in ([(0,)], [(None,)])
