"""What every form of question is made of: choosing columns, saying them in English, and conditions.

Each helper returns text in two languages at once, English for the prompt and SQL for the answer. Words of the schema
are used as they are (`_` said as a space) and text values stand in single quotes in both, so that a small model can
copy them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from specviz.zoo.sql.schemas import SchemaColumn, SchemaTable


class UnsuitableTable(Exception):
    """A table lacks the columns that a form of question needs."""


Mention = tuple[str, str, tuple[str | int, ...]]
"""(table, column, values): the first value satisfies the question's condition, the others lie on its border."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One test of a row.

    sql: `pages > 300`. having: what a row that passes has, "more than 300 pages". clause: said after the table's name,
    "with more than 300 pages" or "whose price is above 3". mention: values for the rows of the database.
    """

    sql: str
    having: str
    clause: str
    mention: Mention


@dataclass(frozen=True, slots=True)
class SqlQuestion:
    """A question in English, its answer in SQL (ending in ";"), and the values that the rows should hold."""

    english: str
    sql: str
    mentions: tuple[Mention, ...] = ()


def ask(rng: random.Random, wordings: Sequence[str], sql: str, *conditions: Condition) -> SqlQuestion:
    """A question with one of the `wordings`, answered by `sql` (without its ";")."""
    return SqlQuestion(rng.choice(wordings), sql + ";", tuple(condition.mention for condition in conditions))


def say(name: str) -> str:
    """A table's or column's name in English: `book_title` -> `book title`."""
    return name.replace("_", " ")


def quote(value: str | int) -> str:
    """A value as both SQL and the question write it: `'Paris'`, `42`."""
    return str(value) if isinstance(value, int) else f"'{value}'"


def article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeio" else f"a {noun}"


def quantity(column: SchemaColumn) -> str:
    """A number column as a quantity: "number of pages", "price"."""
    return f"number of {say(column.name)}" if column.counted else say(column.name)


def superlative(column: SchemaColumn, *, highest: bool) -> str:
    """`the most pages`, `the fewest pages`, `the highest price`, `the lowest price`."""
    if column.counted:
        return f"the {'most' if highest else 'fewest'} {say(column.name)}"
    return f"the {'highest' if highest else 'lowest'} {say(column.name)}"


# --- choosing columns -------------------------------------------------------------------------------------------------


def is_number(column: SchemaColumn) -> bool:
    return column.kind == "number"


def is_text(column: SchemaColumn) -> bool:
    return bool(column.pool)


def is_any(column: SchemaColumn) -> bool:
    return True


def is_group(column: SchemaColumn) -> bool:
    """Columns whose values repeat, so that rows can be grouped by them."""
    return column.kind == "category" or column.pool in ("city", "country", "company", "thing", "person")


def pick(
    rng: random.Random, table: SchemaTable, suits: Callable[[SchemaColumn], bool], *taken: SchemaColumn
) -> SchemaColumn:
    """A random column of `table` that `suits` and is not `taken`; UnsuitableTable if there is none."""
    choices = [column for column in table.columns if suits(column) and column not in taken]
    if not choices:
        raise UnsuitableTable
    return rng.choice(choices)


# --- conditions -------------------------------------------------------------------------------------------------------


def _condition(
    table: SchemaTable, column: SchemaColumn, qualified: bool, test: str, having: str, clause: str, *values: str | int
) -> Condition:
    name = f"{table.name}.{column.name}" if qualified else column.name
    return Condition(f"{name} {test}", having, clause, (table.name, column.name, values))


def equal(rng: random.Random, table: SchemaTable, column: SchemaColumn, *, qualified: bool = False) -> Condition:
    value = column.draw(rng)
    noun, literal = say(column.name), quote(value)
    having = f"exactly {literal} {noun}" if column.counted else f"the {noun} {literal}"
    clause = f"whose {quantity(column)} is {literal}" if rng.random() < 0.6 else f"with {having}"
    return _condition(table, column, qualified, f"= {literal}", having, clause, value)


def not_equal(rng: random.Random, table: SchemaTable, column: SchemaColumn, *, qualified: bool = False) -> Condition:
    value, other = column.draw(rng), column.draw(rng)
    noun, literal = say(column.name), quote(value)
    having = f"{article(noun)} other than {literal}"
    clause = f"whose {noun} is not {literal}" if rng.random() < 0.6 else f"with {having}"
    return _condition(table, column, qualified, f"!= {literal}", having, clause, other, value)


def prefix(rng: random.Random, table: SchemaTable, column: SchemaColumn, *, qualified: bool = False) -> Condition:
    value = str(column.draw(rng))
    start = value[: rng.randint(1, 3)].rstrip()
    noun, verb = say(column.name), rng.choice(("start", "begin"))
    having = f"{article(noun)} that {verb}s with '{start}'"
    clause = f"whose {noun} {verb}s with '{start}'" if rng.random() < 0.6 else f"with {having}"
    return _condition(table, column, qualified, f"LIKE '{start}%'", having, clause, value)


def _inner_number(rng: random.Random, column: SchemaColumn) -> int:
    """A number away from the ends of the column's range, so that rows lie on both sides."""
    margin = max(1, (column.high - column.low) // 6)
    number = rng.randint(column.low + margin, column.high - margin)
    round_to = 10 ** max(0, len(str(number)) - 1 - rng.randint(0, 1))
    rounded = number // round_to * round_to
    return rounded if rng.random() < 0.4 and column.low < rounded else number


def _comparison(counted: tuple[str, ...], measured: tuple[str, ...], sign: str, step: int):
    """A maker of conditions `column sign number`; `step` is +1, -1 or 0: which side a passing row lies on."""

    def make(rng: random.Random, table: SchemaTable, column: SchemaColumn, *, qualified: bool = False) -> Condition:
        number = _inner_number(rng, column)
        noun = say(column.name)
        word = rng.choice(counted if column.counted else measured)
        having = f"{word} {number} {noun}" if column.counted else f"{article(noun)} {word} {number}"
        whose = not column.counted and rng.random() < 0.5
        clause = f"whose {noun} is {word.removeprefix('of ')} {number}" if whose else f"with {having}"
        passing = number + step * rng.randint(1, max(1, (column.high - column.low) // 6))
        return _condition(table, column, qualified, f"{sign} {number}", having, clause, passing, number)

    return make


greater = _comparison(("more than", "over"), ("above", "greater than", "over"), ">", 1)
less = _comparison(("fewer than", "less than"), ("below", "less than", "under"), "<", -1)
at_least = _comparison(("at least",), ("at least", "of at least"), ">=", 0)
at_most = _comparison(("at most",), ("at most", "of at most"), "<=", 0)


def between(rng: random.Random, table: SchemaTable, column: SchemaColumn, *, qualified: bool = False) -> Condition:
    span = column.high - column.low
    low = column.low + rng.randint(span // 10, span // 2)
    high = low + rng.randint(max(2, span // 5), max(3, span // 2 - 1))
    noun, bounds = say(column.name), f"between {low} and {high}"
    having = f"{bounds} {noun}" if column.counted else f"{article(noun)} {bounds}"
    clause = f"whose {noun} is {bounds}" if not column.counted and rng.random() < 0.6 else f"with {having}"
    test = f"BETWEEN {low} AND {high}"
    return _condition(table, column, qualified, test, having, clause, (low + high) // 2, low, high)


def simple_condition(
    rng: random.Random, table: SchemaTable, *taken: SchemaColumn, qualified: bool = False
) -> Condition:
    """An equality on text or a comparison of a number, on a column that is not `taken`."""
    column = pick(rng, table, lambda column: is_text(column) or is_number(column), *taken)
    make = rng.choice((greater, less)) if is_number(column) else equal
    return make(rng, table, column, qualified=qualified)


def two_conditions(rng: random.Random, table: SchemaTable, *taken: SchemaColumn) -> tuple[Condition, Condition]:
    """Two simple conditions on different columns that are not `taken`."""
    first = simple_condition(rng, table, *taken)
    return first, simple_condition(rng, table, table.column(first.mention[1]), *taken)
