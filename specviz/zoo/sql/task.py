"""The text-to-SQL task: endless questions with their gold queries, sampled here and judged in `sql_judge`.

The corpus is the project's own: schemas from `schemas`, questions from `row_questions`,
`number_questions` and `join_questions`. A prompt reads

    Table books: title, author, year, pages
    Table loans: book_title, member, days
    Question: How many books have more than 300 pages?
    SQL:

and is answered by one line, ` SELECT COUNT(*) FROM books WHERE pages > 300;`. A prediction counts as right when it
gives the gold query's result on several small databases of random rows (execution accuracy, as in Zhong et al. 2020,
"Semantic Evaluation for Text-to-SQL with Distilled Test Suites", https://arxiv.org/abs/2010.02840).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from specviz.zoo.sql.example import SqlExample
from specviz.zoo.sql.join_questions import JOIN_FORMS, Join
from specviz.zoo.sql.judge import build_tables, execution_match
from specviz.zoo.sql.number_questions import NUMBER_FORMS
from specviz.zoo.sql.question_parts import Mention, UnsuitableTable
from specviz.zoo.sql.renaming import renamed
from specviz.zoo.sql.row_questions import ROW_FORMS
from specviz.zoo.sql.schemas import HELD_OUT, TRAINING, Schema, SchemaColumn, SchemaTable, invent_schema

__all__ = ["FORMS", "INVENTED_SHARE", "Split", "SqlExample", "build_tables", "examples", "execution_match", "sample"]

Split = Literal["train", "held_out"]

TABLE_FORMS = ROW_FORMS | NUMBER_FORMS
FORMS = (*TABLE_FORMS, *JOIN_FORMS)
"""Names of all forms of question; `sample` draws them equally often."""

QUESTION_SEED = 20_260
"""The seed of the held-out questions."""

INVENTED_SHARE = 0.4
"""The share of training examples about a schema made up on the fly."""


def examples(seed: int, count: int, split: Split) -> Iterator[SqlExample]:
    """`count` examples of `split`, the same ones for the same `seed`."""
    rng = random.Random(seed)
    for _ in range(count):
        yield sample(rng, split=split)


def sample(rng: random.Random, *, split: Split, names: Sequence[str] = ()) -> SqlExample:
    """One random example. Forms are equally likely; `split` "held_out" draws only from `schemas.HELD_OUT`.

    Each example shows a random subset of its tables' columns in random order, so that names must be read, not recalled.
    With `names`, words, tables and columns are called by those.
    """
    form = rng.choice(FORMS)
    while True:
        schema = _draw_schema(rng, split)
        schema = renamed(schema, names, rng) if names else schema
        try:
            return _about_join(rng, schema, form) if form in JOIN_FORMS else _about_table(rng, schema, form)
        except UnsuitableTable:
            continue


def _draw_schema(rng: random.Random, split: Split) -> Schema:
    if split == "held_out":
        return rng.choice(HELD_OUT)
    if split != "train":
        raise ValueError(f"split must be 'train' or 'held_out', not {split!r}")
    return invent_schema(rng) if rng.random() < INVENTED_SHARE else rng.choice(TRAINING)


def _about_table(rng: random.Random, schema: Schema, form: str) -> SqlExample:
    joins = _joins(schema)
    if joins and rng.random() < 0.4:
        join = _shown_join(rng, *rng.choice(joins))
        tables = (join.child, join.parent)
    else:
        tables = (_shown_table(rng, rng.choice(schema.tables)),)
    question = TABLE_FORMS[form](rng.choice(tables), rng)
    return _example(rng, schema, form, tables, question.english, question.sql, question.mentions)


def _about_join(rng: random.Random, schema: Schema, form: str) -> SqlExample:
    joins = _joins(schema)
    if not joins:
        raise UnsuitableTable
    join = _shown_join(rng, *rng.choice(joins))
    question = JOIN_FORMS[form](join, rng)
    return _example(rng, schema, form, (join.child, join.parent), question.english, question.sql, question.mentions)


def _joins(schema: Schema) -> list[tuple[SchemaTable, SchemaTable, SchemaColumn, SchemaColumn]]:
    """(child, parent, link, key) of every link in the schema."""
    joins = []
    for child in schema.tables:
        for link in child.links:
            parent, key = schema.target(link)
            joins.append((child, parent, link, key))
    return joins


def _shown_join(
    rng: random.Random, child: SchemaTable, parent: SchemaTable, link: SchemaColumn, key: SchemaColumn
) -> Join:
    return Join(_shown_table(rng, child, link), _shown_table(rng, parent, key), link, key)


def _shown_table(rng: random.Random, table: SchemaTable, *needed: SchemaColumn) -> SchemaTable:
    """The table with two to five columns, the `needed` ones among them, in random order; few other links."""
    optional = [
        column for column in table.columns if column not in needed and (column.kind != "link" or rng.random() < 0.3)
    ]
    count = rng.randint(2, 5) - len(needed)
    columns = [*needed, *rng.sample(optional, min(max(count, 1), len(optional)))]
    rng.shuffle(columns)
    return replace(table, columns=tuple(columns))


def _example(
    rng: random.Random,
    schema: Schema,
    form: str,
    tables: tuple[SchemaTable, ...],
    english: str,
    sql: str,
    mentions: tuple[Mention, ...],
) -> SqlExample:
    if rng.random() < 0.5:
        tables = tables[::-1]
    tables = tuple(_with_mentions(table, mentions) for table in tables)
    lines = [f"Table {table.name}: {', '.join(column.name for column in table.columns)}" for table in tables]
    prompt = "\n".join((*lines, f"Question: {english}", "SQL:"))
    return SqlExample(schema.name, form, prompt, sql, tables)


def _with_mentions(table: SchemaTable, mentions: tuple[Mention, ...]) -> SchemaTable:
    named = {column: values for owner, column, values in mentions if owner == table.name}
    if not named:
        return table
    columns = tuple(
        replace(column, mentioned=named[column.name]) if column.name in named else column for column in table.columns
    )
    return replace(table, columns=columns)
