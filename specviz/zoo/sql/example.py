"""One example of the text-to-SQL task: what `sql` samples and `sql_judge` judges."""

from __future__ import annotations

from dataclasses import dataclass

from specviz.zoo.sql.schemas import SchemaTable


@dataclass(frozen=True, slots=True)
class SqlExample:
    """One question about one or two tables.

    prompt: schema lines, the question, and "SQL:" (no space after it). sql: the gold query, one line ending in ";".
    tables: the prompt's tables in the prompt's order, with the values that the question names, from which
    `build_tables` makes rows.
    """

    schema_name: str
    form: str
    prompt: str
    sql: str
    tables: tuple[SchemaTable, ...]

    @property
    def text(self) -> str:
        """The line a model is trained on: prompt, a space, gold query, newline."""
        return f"{self.prompt} {self.sql}\n"
