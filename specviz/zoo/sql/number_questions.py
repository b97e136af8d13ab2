"""Forms of question about one table that are answered by numbers: counts, aggregates, and both for groups of rows.

A form is a function of a table and a random generator, as in `row_questions`.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from specviz.zoo.sql.question_parts import (
    SqlQuestion,
    ask,
    between,
    equal,
    greater,
    is_group,
    is_number,
    is_text,
    less,
    not_equal,
    pick,
    quantity,
    say,
    simple_condition,
    two_conditions,
)
from specviz.zoo.sql.schemas import SchemaTable

NumberForm = Callable[[SchemaTable, random.Random], SqlQuestion]

NUMBER_FORMS: dict[str, NumberForm] = {}
"""Name of a form -> the function that asks it."""


def _form(function: NumberForm) -> NumberForm:
    NUMBER_FORMS[function.__name__] = function
    return function


# --- counting ---------------------------------------------------------------------------------------------------------


@_form
def count_all(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    rows = say(table.name)
    return ask(
        rng,
        (f"How many {rows} are there?", f"Count all {rows}.", f"What is the number of {rows}?"),
        f"SELECT COUNT(*) FROM {table.name}",
    )


def _count_form(name: str, suits, make) -> None:
    """Add a form that counts the rows whose column passes `make`'s condition."""

    def form(table: SchemaTable, rng: random.Random) -> SqlQuestion:
        condition = make(rng, table, pick(rng, table, suits))
        rows = say(table.name)
        return ask(
            rng,
            (
                f"How many {rows} have {condition.having}?",
                f"Count the {rows} {condition.clause}.",
                f"How many {rows} are there {condition.clause}?",
            ),
            f"SELECT COUNT(*) FROM {table.name} WHERE {condition.sql}",
            condition,
        )

    NUMBER_FORMS[name] = form


_count_form("count_equal", is_text, equal)
_count_form("count_not_equal", is_text, not_equal)
_count_form("count_greater", is_number, greater)
_count_form("count_less", is_number, less)
_count_form("count_between", is_number, between)


@_form
def count_and(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    first, second = two_conditions(rng, table)
    rows = say(table.name)
    return ask(
        rng,
        (
            f"How many {rows} have {first.having} and {second.having}?",
            f"Count the {rows} {first.clause} and {second.clause}.",
        ),
        f"SELECT COUNT(*) FROM {table.name} WHERE {first.sql} AND {second.sql}",
        first,
        second,
    )


@_form
def count_distinct(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    column = pick(rng, table, is_text)
    noun, rows = say(column.name), say(table.name)
    return ask(
        rng,
        (
            f"How many different {noun} values do the {rows} have?",
            f"Count the distinct {noun} values of the {rows}.",
            f"How many distinct {noun} values are there among the {rows}?",
        ),
        f"SELECT COUNT(DISTINCT {column.name}) FROM {table.name}",
    )


# --- one number about a column ----------------------------------------------------------------------------------------

_AGGREGATES = {
    "MAX": ("highest", "maximum"),
    "MIN": ("lowest", "minimum"),
    "AVG": ("average", "mean"),
    "SUM": ("total",),
}
"""SQL function -> the words that ask for it."""


def _aggregate_forms(name: str, function: str) -> None:
    """Add the form `name` over all rows and `name`_where over the rows that pass a condition."""

    def form(table: SchemaTable, rng: random.Random) -> SqlQuestion:
        column = pick(rng, table, is_number)
        aggregate, rows = f"{rng.choice(_AGGREGATES[function])} {quantity(column)}", say(table.name)
        return ask(
            rng,
            (
                f"What is the {aggregate} of the {rows}?",
                f"Find the {aggregate} of all {rows}.",
                f"Give the {aggregate} over all {rows}.",
            ),
            f"SELECT {function}({column.name}) FROM {table.name}",
        )

    def form_where(table: SchemaTable, rng: random.Random) -> SqlQuestion:
        column = pick(rng, table, is_number)
        condition = simple_condition(rng, table, column)
        aggregate, rows = f"{rng.choice(_AGGREGATES[function])} {quantity(column)}", say(table.name)
        return ask(
            rng,
            (
                f"What is the {aggregate} of the {rows} {condition.clause}?",
                f"Find the {aggregate} of all {rows} {condition.clause}.",
            ),
            f"SELECT {function}({column.name}) FROM {table.name} WHERE {condition.sql}",
            condition,
        )

    NUMBER_FORMS[name] = form
    NUMBER_FORMS[f"{name}_where"] = form_where


_aggregate_forms("maximum", "MAX")
_aggregate_forms("minimum", "MIN")
_aggregate_forms("average", "AVG")
_aggregate_forms("total", "SUM")


# --- groups -----------------------------------------------------------------------------------------------------------


@_form
def group_count(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    group = pick(rng, table, is_group)
    noun, rows = say(group.name), say(table.name)
    return ask(
        rng,
        (
            f"How many {rows} are there for each {noun}?",
            f"Count the {rows} for each {noun}.",
            f"Show each {noun} with its number of {rows}.",
        ),
        f"SELECT {group.name}, COUNT(*) FROM {table.name} GROUP BY {group.name}",
    )


def _group_form(name: str, function: str) -> None:
    """Add a form that gives an aggregate for each group of rows."""

    def form(table: SchemaTable, rng: random.Random) -> SqlQuestion:
        group, column = pick(rng, table, is_group), pick(rng, table, is_number)
        aggregate, noun, rows = (
            f"{rng.choice(_AGGREGATES[function])} {quantity(column)}",
            say(group.name),
            say(table.name),
        )
        return ask(
            rng,
            (
                f"What is the {aggregate} of the {rows} for each {noun}?",
                f"Show each {noun} with the {aggregate} of its {rows}.",
                f"For each {noun}, find the {aggregate} of the {rows}.",
            ),
            f"SELECT {group.name}, {function}({column.name}) FROM {table.name} GROUP BY {group.name}",
        )

    NUMBER_FORMS[name] = form


_group_form("group_average", "AVG")
_group_form("group_total", "SUM")
_group_form("group_maximum", "MAX")
_group_form("group_minimum", "MIN")


@_form
def having_count(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    group, count = pick(rng, table, is_group), rng.randint(1, 4)
    noun, rows = say(group.name), say(table.name)
    return ask(
        rng,
        (
            f"Which {noun} values have more than {count} {rows}?",
            f"Show each {noun} that has more than {count} {rows}.",
            f"List every {noun} with more than {count} {rows}.",
        ),
        f"SELECT {group.name} FROM {table.name} GROUP BY {group.name} HAVING COUNT(*) > {count}",
    )


@_form
def most_common(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    group = pick(rng, table, is_group)
    noun, rows = say(group.name), say(table.name)
    return ask(
        rng,
        (
            f"Which {noun} has the most {rows}?",
            f"Find the {noun} with the most {rows}.",
            f"What is the most common {noun} of the {rows}?",
        ),
        f"SELECT {group.name} FROM {table.name} GROUP BY {group.name} ORDER BY COUNT(*) DESC LIMIT 1",
    )
