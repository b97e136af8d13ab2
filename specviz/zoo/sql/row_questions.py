"""Forms of question about one table that are answered by rows: listings, filters, sorting, the top and the bottom.

A form is a function of a table and a random generator that returns a `SqlQuestion`, or raises `UnsuitableTable` when
the table lacks the columns it needs. `@_form` puts it in `ROW_FORMS` under the function's name; nothing else is needed
to add one. Forms answered by counts and sums live in `number_questions`, those about two tables in `join_questions`.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from specviz.zoo.sql.question_parts import (
    Condition,
    SqlQuestion,
    article,
    ask,
    at_least,
    at_most,
    between,
    equal,
    greater,
    is_any,
    is_number,
    is_text,
    less,
    not_equal,
    pick,
    prefix,
    quantity,
    say,
    simple_condition,
    superlative,
    two_conditions,
)
from specviz.zoo.sql.schemas import SchemaTable

RowForm = Callable[[SchemaTable, random.Random], SqlQuestion]

ROW_FORMS: dict[str, RowForm] = {}
"""Name of a form -> the function that asks it."""


def _form(function: RowForm) -> RowForm:
    ROW_FORMS[function.__name__] = function
    return function


# --- listing ----------------------------------------------------------------------------------------------------------


@_form
def list_column(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    column = pick(rng, table, is_any)
    noun, rows, row = say(column.name), say(table.name), say(table.singular)
    return ask(
        rng,
        (f"List the {noun} of all {rows}.", f"Show the {noun} of every {row}.", f"What is the {noun} of each {row}?"),
        f"SELECT {column.name} FROM {table.name}",
    )


@_form
def list_two_columns(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    first = pick(rng, table, is_any)
    second = pick(rng, table, is_any, first)
    nouns, rows, row = f"{say(first.name)} and {say(second.name)}", say(table.name), say(table.singular)
    return ask(
        rng,
        (
            f"List the {nouns} of all {rows}.",
            f"Show the {nouns} of every {row}.",
            f"What are the {nouns} of each {row}?",
        ),
        f"SELECT {first.name}, {second.name} FROM {table.name}",
    )


@_form
def list_rows(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    rows = say(table.name)
    return ask(
        rng,
        (
            f"Show all {rows}.",
            f"List all {rows}.",
            f"Show everything about the {rows}.",
            f"List every {say(table.singular)}.",
        ),
        f"SELECT * FROM {table.name}",
    )


@_form
def distinct(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    column = pick(rng, table, is_text)
    noun, rows = say(column.name), say(table.name)
    return ask(
        rng,
        (
            f"List the different {noun} values of the {rows}.",
            f"Show each distinct {noun} of the {rows}.",
            f"Show every {noun} of the {rows} only once.",
        ),
        f"SELECT DISTINCT {column.name} FROM {table.name}",
    )


def _sorted(table: SchemaTable, rng: random.Random, *, descending: bool) -> SqlQuestion:
    key = pick(rng, table, is_number)
    column = pick(rng, table, is_any, key)
    shown, sorter, rows = say(column.name), quantity(key), say(table.name)
    order, start, end = ("descending", "highest", "lowest") if descending else ("ascending", "lowest", "highest")
    return ask(
        rng,
        (
            f"List the {shown} of all {rows} sorted by {sorter} in {order} order.",
            f"Show the {shown} of the {rows} from the {start} to the {end} {sorter}.",
            f"Show the {shown} of all {rows} ordered by {sorter}, {start} first.",
        ),
        f"SELECT {column.name} FROM {table.name} ORDER BY {key.name} {'DESC' if descending else 'ASC'}",
    )


@_form
def order_ascending(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    return _sorted(table, rng, descending=False)


@_form
def order_descending(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    return _sorted(table, rng, descending=True)


# --- rows that pass a condition ---------------------------------------------------------------------------------------


def _filtered(
    table: SchemaTable, rng: random.Random, shown: str, where: str, clause: str, *conditions: Condition
) -> SqlQuestion:
    noun, rows, row = say(shown), say(table.name), say(table.singular)
    return ask(
        rng,
        (
            f"List the {noun} of {rows} {clause}.",
            f"Show the {noun} of all {rows} {clause}.",
            f"What is the {noun} of the {rows} {clause}?",
            f"Find the {noun} of every {row} {clause}.",
        ),
        f"SELECT {shown} FROM {table.name} WHERE {where}",
        *conditions,
    )


def _filter_form(name: str, suits, make) -> None:
    """Add a form that shows one column of the rows whose other column passes `make`'s condition."""

    def form(table: SchemaTable, rng: random.Random) -> SqlQuestion:
        column = pick(rng, table, suits)
        shown = pick(rng, table, is_any, column)
        condition = make(rng, table, column)
        return _filtered(table, rng, shown.name, condition.sql, condition.clause, condition)

    ROW_FORMS[name] = form


_filter_form("filter_equal", is_text, equal)
_filter_form("filter_equal_number", is_number, equal)
_filter_form("filter_not_equal", is_text, not_equal)
_filter_form("filter_prefix", lambda column: column.kind == "text", prefix)
_filter_form("filter_greater", is_number, greater)
_filter_form("filter_less", is_number, less)
_filter_form("filter_at_least", is_number, at_least)
_filter_form("filter_at_most", is_number, at_most)
_filter_form("filter_between", is_number, between)


@_form
def filter_and(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    shown = pick(rng, table, is_any)
    first, second = two_conditions(rng, table, shown)
    return _filtered(
        table, rng, shown.name, f"{first.sql} AND {second.sql}", f"{first.clause} and {second.clause}", first, second
    )


@_form
def filter_or(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    shown = pick(rng, table, is_any)
    first, second = two_conditions(rng, table, shown)
    return _filtered(
        table, rng, shown.name, f"{first.sql} OR {second.sql}", f"{first.clause} or {second.clause}", first, second
    )


@_form
def filter_rows(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    condition = simple_condition(rng, table)
    rows = say(table.name)
    return ask(
        rng,
        (
            f"Show all {rows} {condition.clause}.",
            f"Which {rows} have {condition.having}?",
            f"Show everything about the {rows} {condition.clause}.",
        ),
        f"SELECT * FROM {table.name} WHERE {condition.sql}",
        condition,
    )


def _against_average(table: SchemaTable, rng: random.Random, word: str, sign: str) -> SqlQuestion:
    key = pick(rng, table, is_number)
    shown = pick(rng, table, is_any, key)
    noun, measure, rows, row = say(shown.name), quantity(key), say(table.name), say(table.singular)
    return ask(
        rng,
        (
            f"List the {noun} of {rows} whose {measure} is {word} average.",
            f"Show the {noun} of all {rows} with {article(measure)} {word} the average.",
            f"Find the {noun} of every {row} whose {measure} is {word} the average {measure}.",
        ),
        f"SELECT {shown.name} FROM {table.name} WHERE {key.name} {sign} (SELECT AVG({key.name}) FROM {table.name})",
    )


@_form
def above_average(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    return _against_average(table, rng, "above", ">")


@_form
def below_average(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    return _against_average(table, rng, "below", "<")


# --- the rows at the top or the bottom --------------------------------------------------------------------------------


def _extreme(table: SchemaTable, rng: random.Random, *, highest: bool) -> SqlQuestion:
    key = pick(rng, table, is_number)
    shown = pick(rng, table, is_any, key)
    noun, row, most = say(shown.name), say(table.singular), superlative(key, highest=highest)
    return ask(
        rng,
        (
            f"What is the {noun} of the {row} with {most}?",
            f"Show the {noun} of the {row} that has {most}.",
            f"Find the {noun} of the {row} with {most}.",
        ),
        f"SELECT {shown.name} FROM {table.name} ORDER BY {key.name} {'DESC' if highest else 'ASC'} LIMIT 1",
    )


def _several(table: SchemaTable, rng: random.Random, *, highest: bool) -> SqlQuestion:
    key = pick(rng, table, is_number)
    shown = pick(rng, table, is_any, key)
    count, noun, rows = rng.randint(2, 9), say(shown.name), say(table.name)
    most = superlative(key, highest=highest)
    return ask(
        rng,
        (
            f"Show the {noun} of the {count} {rows} with {most}.",
            f"What is the {noun} of the {count} {rows} with {most}?",
            f"List the {noun} of the {'top' if highest else 'bottom'} {count} {rows} by {quantity(key)}.",
        ),
        f"SELECT {shown.name} FROM {table.name} ORDER BY {key.name} {'DESC' if highest else 'ASC'} LIMIT {count}",
    )


@_form
def row_of_maximum(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    return _extreme(table, rng, highest=True)


@_form
def row_of_minimum(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    return _extreme(table, rng, highest=False)


@_form
def top_several(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    return _several(table, rng, highest=True)


@_form
def bottom_several(table: SchemaTable, rng: random.Random) -> SqlQuestion:
    return _several(table, rng, highest=False)
