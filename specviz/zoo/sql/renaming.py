"""Schemas whose tables and columns have arbitrary names, so that names have to be copied, not recalled.

With names from the word lists alone, a model of 14 million parameters answered 97 of 100 questions about schemas of the
training text and 48 about others, where it wrote words it knew for words it should have copied.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from specviz.zoo.sql.schema_words import SQL_KEYWORDS, plural_of
from specviz.zoo.sql.schemas import HELD_OUT, Schema, SchemaColumn, SchemaTable

_WORD = re.compile(r"(?<![\w'-])[a-z]{3,12}(?![\w'-])")
KEPT = 0.3
"""The share of columns that keep their names."""
JOINED = 0.25
"""The share of new names that have two words."""


def words_for_names(texts: Iterable[str]) -> tuple[str, ...]:
    """The different lower-case words of three to twelve letters in ``texts``, sorted, but for keywords of SQL and for
    the words in the names of the schemas kept for evaluation."""
    held_out_words = set()
    for table in (table for schema in HELD_OUT for table in schema.tables):
        for name in (table.name, table.singular, *(column.name for column in table.columns)):
            held_out_words.update(name.split("_"))
    words = {word for text in texts for word in _WORD.findall(text)}
    return tuple(sorted(word for word in words - SQL_KEYWORDS if not {word, plural_of(word)} & held_out_words))


def renamed(schema: Schema, words: Sequence[str], rng: random.Random) -> Schema:
    """The schema with other names, drawn from ``words``: of all tables and of most columns. What a column holds stays,
    a row number stays ``id``, and a link is again called after the table and key it points to."""
    while True:
        after = _renamed(schema, words, rng)
        if all(len({column.name for column in table.columns}) == len(table.columns) for table in after.tables):
            return after


def _renamed(schema: Schema, words: Sequence[str], rng: random.Random) -> Schema:
    """The same, except that a link may have the name of another column."""
    taken: set[str] = set()

    def fresh(plural: bool) -> str:
        name = rng.choice(words)
        while True:
            name = f"{rng.choice(words)}_{name}" if name in taken or rng.random() < JOINED else name
            said = plural_of(name) if plural else name
            if not {said, plural_of(said)} & (taken | SQL_KEYWORDS):
                taken.update((said, plural_of(said)))
                return said

    def column(old: SchemaColumn) -> SchemaColumn:
        keeps = old.kind in ("id", "link") or (rng.random() < KEPT and old.name not in taken)
        taken.add(old.name)
        return old if keeps else replace(old, name=fresh(plural=old.counted))

    after: dict[str, SchemaTable] = {}
    for table in schema.tables:
        singular = fresh(plural=False)
        after[table.name] = SchemaTable(plural_of(singular), singular, tuple(column(old) for old in table.columns))

    def link(old: SchemaColumn) -> SchemaColumn:
        if old.kind != "link":
            return old
        before, key = schema.target(old)
        parent = after[before.name]
        name = parent.columns[before.columns.index(key)].name
        return replace(old, name=f"{parent.singular}_{name}", links_to=f"{parent.name}.{name}")

    tables = (replace(table, columns=tuple(link(old) for old in table.columns)) for table in after.values())
    return Schema(schema.name, tuple(tables))
