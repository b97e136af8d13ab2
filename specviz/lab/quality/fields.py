"""The fields of a prompt file's line that say what its texts are scored against: ``answer``, ``tables``, ``score``.

``answer`` is a number, or text. ``tables`` is a database, ``{"name": {"columns": [...], "rows": [[...]]}}``, or a list
of them, on which the answer, a query, is run. The default ``score`` is ``execution`` with tables, ``exact`` if the
answer is a number, ``rouge_l`` otherwise.
"""

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast

from specviz.errors import as_given
from specviz.lab.quality.reference import KINDS, DatabaseTable, Reference, ScoreKind, number
from specviz.zoo.sql.query import RefusedQuery
from specviz.zoo.sql.walled import CHILD, Unmade, Walls

MOST_LETTERS, MOST_CELL = 10_000, 1_000  # of an answer, and of a table's cell or name
# Of an answer: SQLite's steps on one database, and seconds of the processor on all. Files come from strangers, too, and
# a sweep runs an answer once for each of its runs
MOST_STEPS, MOST_PROCESSOR = 100_000, 0.5
LEAST_PROCESSOR = 0.001  # that an answer counts for: systems measure coarsely
MOST_DATABASES, MOST_TABLES, MOST_COLUMNS, MOST_CELLS = 10, 20, 64, 20_000  # the last of all databases together


class Answers:
    """Runs the answers of a file, which together may use ``seconds`` of CPU time."""

    def __init__(self, seconds: float = math.inf):
        self._left = seconds

    def check(self, reference: Reference) -> None:
        """Raises ValueError where the answer does not run on its databases, or there is no time for it."""
        processor = min(MOST_PROCESSOR, self._left)
        try:
            if processor <= 0:
                raise RefusedQuery("those before it took all the time of the processor that a file's answers have")
            walls = Walls(MOST_STEPS, processor)
            used = CHILD.ask(reference.plain, reference.answer, walls=walls)[1]
            self._left -= max(used, LEAST_PROCESSOR)
        except RefusedQuery as error:
            raise ValueError(f"answer does not run: {error}") from None
        except Unmade as error:
            raise ValueError(f"tables: {error}") from None


def reference_of(fields: Mapping[str, Any], answers: Answers | None = None) -> Reference | None:
    """What a line with these fields is scored against; None without an answer. Raises ValueError that names the field
    and what is wrong with it, an answer that does not run on its tables (``answers``: with those of its file)
    included."""
    if "answer" not in fields:
        for field in ("tables", "score"):
            if field in fields:
                raise ValueError(f"has {field}, but no answer")
        return None
    answer, databases = _answer(fields["answer"]), _databases(fields["tables"]) if "tables" in fields else ()
    kind = "execution" if databases else "rouge_l" if number(answer) is None else "exact"
    kind = fields.get("score", kind)
    if kind not in KINDS:
        raise ValueError(f"score must be among {', '.join(KINDS)}, got {as_given(kind)}")
    if (kind == "execution") != bool(databases):
        raise ValueError(f"score {kind} goes {'with' if kind == 'execution' else 'without'} tables")
    if kind == "rouge_l" and not any(letter in "abcdefghijklmnopqrstuvwxyz0123456789" for letter in answer.lower()):
        raise ValueError("answer has no word that Rouge-L counts: they are of a to z and 0 to 9")
    reference = Reference(cast(ScoreKind, kind), answer, databases)
    if databases:
        (answers or Answers()).check(reference)
    return reference


def fields_of(reference: Reference) -> dict[str, Any]:
    """The fields of which ``reference_of`` makes the same reference."""
    tables = [
        {table.name: {"columns": table.columns, "rows": table.rows} for table in tables}
        for tables in reference.databases
    ]
    return {"answer": reference.answer, "score": reference.kind} | ({"tables": tables} if tables else {})


def _answer(value: Any) -> str:
    if isinstance(value, str) and value.strip():
        if len(value) > MOST_LETTERS:
            raise ValueError(f"answer must have at most {MOST_LETTERS} letters, got {len(value)}")
        return value
    if not _is_number(value):
        raise ValueError(f"answer must be a number, or text that is not empty, got {as_given(value)}")
    return format(Decimal(str(value)), "f")


def _databases(value: Any) -> tuple[tuple[DatabaseTable, ...], ...]:
    listed = value if isinstance(value, list) else [value]
    if not 1 <= len(listed) <= MOST_DATABASES or not all(isinstance(database, dict) for database in listed):
        raise ValueError(
            f"tables must be an object of tables by name, or a list of up to {MOST_DATABASES}, got {as_given(value)}"
        )
    databases = tuple(tuple(_table(name, table) for name, table in database.items()) for database in listed)
    if not all(1 <= len(tables) <= MOST_TABLES for tables in databases):
        raise ValueError(f"tables must be 1 to {MOST_TABLES} in each database")
    if (cells := sum(len(t.columns) * len(t.rows) for tables in databases for t in tables)) > MOST_CELLS:
        raise ValueError(f"tables must have at most {MOST_CELLS} cells, got {cells}")
    return databases


def _table(name: str, value: Any) -> DatabaseTable:
    where = f"tables: {as_given(name)}"
    if not isinstance(value, dict) or value.keys() != {"columns", "rows"}:
        raise ValueError(f"{where} must be an object with columns and rows, got {as_given(value)}")
    columns, rows = value["columns"], value["rows"]
    if not isinstance(columns, list) or not all(isinstance(c, str) and 0 < len(c) <= MOST_CELL for c in columns):
        raise ValueError(f"{where}: columns must be a list of names, got {as_given(columns)}")
    if not 1 <= len(columns) <= MOST_COLUMNS:
        raise ValueError(f"{where}: columns must be 1 to {MOST_COLUMNS}, got {len(columns)}")
    if not isinstance(rows, list):
        raise ValueError(f"{where}: rows must be a list, got {as_given(rows)}")
    for number_of, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) != len(columns) or not all(map(_is_cell, row)):
            raise ValueError(
                f"{where}: row {number_of} must have {len(columns)} numbers, nulls or texts of at most {MOST_CELL} "
                f"letters, got {as_given(row)}"
            )
    return DatabaseTable(name, tuple(columns), tuple(map(tuple, rows)))


def _is_cell(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= MOST_CELL
    return value is None or _is_number(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value) or isinstance(value, int) and not isinstance(value, bool)
