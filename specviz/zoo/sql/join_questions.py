"""Forms of question about two linked tables, such as loans and the books they are of.

A form is a function of a `Join` and a random generator, as in `row_questions`. The SQL always has one shape: the table
that holds the link first, every column qualified by its table, as in
`FROM loans JOIN books ON loans.book_title = books.title`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from specviz.zoo.sql.question_parts import (
    SqlQuestion,
    article,
    ask,
    equal,
    greater,
    is_any,
    is_group,
    is_number,
    is_text,
    less,
    pick,
    quantity,
    say,
    simple_condition,
    superlative,
)
from specviz.zoo.sql.schemas import SchemaColumn, SchemaTable


@dataclass(frozen=True, slots=True)
class Join:
    """`child.link` holds a value of `parent.key`."""

    child: SchemaTable
    parent: SchemaTable
    link: SchemaColumn
    key: SchemaColumn

    @property
    def source(self) -> str:
        """The FROM clause, e.g. `FROM loans JOIN books ON loans.book_title = books.title`."""
        child, parent = self.child.name, self.parent.name
        return f"FROM {child} JOIN {parent} ON {child}.{self.link.name} = {parent}.{self.key.name}"

    def of_child(self, column: SchemaColumn) -> str:
        return f"{self.child.name}.{column.name}"

    def of_parent(self, column: SchemaColumn) -> str:
        return f"{self.parent.name}.{column.name}"


JoinForm = Callable[[Join, random.Random], SqlQuestion]

JOIN_FORMS: dict[str, JoinForm] = {}
"""Name of a form about two linked tables -> the function that asks it."""


def _form(function: JoinForm) -> JoinForm:
    JOIN_FORMS[function.__name__] = function
    return function


@_form
def join_list(join: Join, rng: random.Random) -> SqlQuestion:
    mine, theirs = pick(rng, join.child, is_any), pick(rng, join.parent, is_any, join.key)
    row, rows, other = say(join.child.singular), say(join.child.name), say(join.parent.singular)
    first, second = say(mine.name), say(theirs.name)
    return ask(
        rng,
        (
            f"Show the {first} of each {row} and the {second} of its {other}.",
            f"List the {first} of all {rows} together with the {second} of their {other}.",
        ),
        f"SELECT {join.of_child(mine)}, {join.of_parent(theirs)} {join.source}",
    )


def _filter_form(name: str, suits, make) -> None:
    """Add a form that shows a column of the child rows whose parent passes `make`'s condition."""

    def form(join: Join, rng: random.Random) -> SqlQuestion:
        shown = pick(rng, join.child, is_any)
        condition = make(rng, join.parent, pick(rng, join.parent, suits, join.key), qualified=True)
        noun, rows, row, other = (
            say(shown.name),
            say(join.child.name),
            say(join.child.singular),
            say(join.parent.singular),
        )
        return ask(
            rng,
            (
                f"Show the {noun} of the {rows} whose {other} has {condition.having}.",
                f"List the {noun} of all {rows} of {say(join.parent.name)} {condition.clause}.",
                f"Find the {noun} of every {row} whose {other} has {condition.having}.",
            ),
            f"SELECT {join.of_child(shown)} {join.source} WHERE {condition.sql}",
            condition,
        )

    JOIN_FORMS[name] = form


_filter_form("join_filter_equal", is_text, equal)
_filter_form("join_filter_greater", is_number, greater)
_filter_form("join_filter_less", is_number, less)


@_form
def join_count(join: Join, rng: random.Random) -> SqlQuestion:
    condition = simple_condition(rng, join.parent, join.key, qualified=True)
    rows, other, others = say(join.child.name), say(join.parent.singular), say(join.parent.name)
    return ask(
        rng,
        (
            f"How many {rows} have {article(other)} {condition.clause}?",
            f"Count the {rows} whose {other} has {condition.having}.",
            f"How many {rows} are there of {others} {condition.clause}?",
        ),
        f"SELECT COUNT(*) {join.source} WHERE {condition.sql}",
        condition,
    )


def _aggregate_form(name: str, function: str, word: str) -> None:
    """Add a form that aggregates a number of the child rows whose parent passes a condition."""

    def form(join: Join, rng: random.Random) -> SqlQuestion:
        column = pick(rng, join.child, is_number)
        condition = simple_condition(rng, join.parent, join.key, qualified=True)
        total, rows = f"{word} {quantity(column)}", say(join.child.name)
        other, others = say(join.parent.singular), say(join.parent.name)
        return ask(
            rng,
            (
                f"What is the {total} of the {rows} whose {other} has {condition.having}?",
                f"Find the {total} of all {rows} of {others} {condition.clause}.",
            ),
            f"SELECT {function}({join.of_child(column)}) {join.source} WHERE {condition.sql}",
            condition,
        )

    JOIN_FORMS[name] = form


_aggregate_form("join_total", "SUM", "total")
_aggregate_form("join_average", "AVG", "average")


@_form
def join_group_count(join: Join, rng: random.Random) -> SqlQuestion:
    group = pick(rng, join.parent, is_group, join.key)
    noun, rows, other = say(group.name), say(join.child.name), say(join.parent.singular)
    return ask(
        rng,
        (
            f"How many {rows} are there for each {noun} of the {other}?",
            f"Count the {rows} for each {noun} of their {other}.",
            f"For each {other} {noun}, count the {rows}.",
        ),
        f"SELECT {join.of_parent(group)}, COUNT(*) {join.source} GROUP BY {join.of_parent(group)}",
    )


@_form
def join_group_total(join: Join, rng: random.Random) -> SqlQuestion:
    group, column = pick(rng, join.parent, is_group, join.key), pick(rng, join.child, is_number)
    noun, rows, other, total = (
        say(group.name),
        say(join.child.name),
        say(join.parent.singular),
        f"total {quantity(column)}",
    )
    return ask(
        rng,
        (
            f"What is the {total} of the {rows} for each {noun} of the {other}?",
            f"For each {other} {noun}, find the {total} of the {rows}.",
        ),
        f"SELECT {join.of_parent(group)}, SUM({join.of_child(column)}) {join.source} GROUP BY {join.of_parent(group)}",
    )


@_form
def join_distinct(join: Join, rng: random.Random) -> SqlQuestion:
    shown = pick(rng, join.parent, is_any, join.key)
    condition = simple_condition(rng, join.child, join.link, qualified=True)
    noun, row, others = say(shown.name), say(join.child.singular), say(join.parent.name)
    return ask(
        rng,
        (
            f"List the different {noun} values of {others} that have {article(row)} {condition.clause}.",
            f"Show each distinct {noun} of the {others} with {article(row)} that has {condition.having}.",
        ),
        f"SELECT DISTINCT {join.of_parent(shown)} {join.source} WHERE {condition.sql}",
        condition,
    )


@_form
def join_row_of_maximum(join: Join, rng: random.Random) -> SqlQuestion:
    column, shown = pick(rng, join.child, is_number), pick(rng, join.parent, is_any, join.key)
    noun, row, other = say(shown.name), say(join.child.singular), say(join.parent.singular)
    most = superlative(column, highest=True)
    return ask(
        rng,
        (
            f"What is the {noun} of the {other} of the {row} with {most}?",
            f"Find the {row} with {most} and show the {noun} of its {other}.",
        ),
        f"SELECT {join.of_parent(shown)} {join.source} ORDER BY {join.of_child(column)} DESC LIMIT 1",
    )
