"""Word problems of the project's own, with answers: a dozen stories with random numbers."""

import random
from collections.abc import Callable, Iterator

DrawInteger = Callable[[int, int], int]
"""Draws a whole number between two, both included."""


def word_problems(seed: int, count: int) -> Iterator[tuple[str, int]]:
    """``count`` questions with their answers, cycling through the stories; deterministic for a ``seed``."""
    draw = random.Random(seed).randint
    for index in range(count):
        yield STORIES[index % len(STORIES)](draw)


def _bakery(draw: DrawInteger) -> tuple[str, int]:
    trays, rolls = draw(6, 15), draw(4, 12)
    sold = draw(5, trays * rolls - 5)
    return (
        f"A baker makes {trays} trays of rolls with {rolls} rolls on each tray. She sells {sold} rolls in the morning. "
        "How many rolls does she have left?",
        trays * rolls - sold,
    )


def _pages(draw: DrawInteger) -> tuple[str, int]:
    daily, saturday, weeks = draw(8, 25), draw(20, 50), draw(2, 6)
    return (
        f"Tom reads {daily} pages every day from Monday to Friday and {saturday} pages on Saturday. How many pages is "
        f"that in {weeks} weeks?",
        (5 * daily + saturday) * weeks,
    )


def _tickets(draw: DrawInteger) -> tuple[str, int]:
    child, adult, children, adults = draw(3, 7), draw(8, 12), draw(2, 6), draw(1, 4)
    return (
        f"A ticket for the boat costs ${child} for a child and ${adult} for an adult. A group of {children} children "
        f"and {adults} adults pays with a $100 bill. How much change do they get?",
        100 - child * children - adult * adults,
    )


def _marbles(draw: DrawInteger) -> tuple[str, int]:
    more, lucy = draw(2, 15), draw(4, 20)
    return (
        f"Nora has twice as many marbles as Ben, and Ben has {more} more than Lucy. Lucy has {lucy} marbles. How many "
        "marbles do the three have together?",
        3 * (lucy + more) + lucy,
    )


def _shares(draw: DrawInteger) -> tuple[str, int]:
    friends, each, own = draw(3, 9), draw(4, 12), draw(3, 20)
    return (
        f"Ida picks {friends * each + own} plums. She keeps {own} for herself and shares the rest equally among "
        f"{friends} friends. How many plums does each friend get?",
        each,
    )


def _savings(draw: DrawInteger) -> tuple[str, int]:
    weekly, weeks, had = draw(4, 12), draw(3, 12), draw(5, 40)
    return (
        f"A bicycle bell costs ${had + weekly * weeks}. Paul has ${had} and saves ${weekly} every week. After how many "
        "weeks can he buy it?",
        weeks,
    )


def _shelves(draw: DrawInteger) -> tuple[str, int]:
    shelves, books, lent = draw(3, 8), draw(12, 30), draw(2, 9)
    return (
        f"A library room has {shelves} shelves with {books} books each. From every shelf {lent} books are lent out. "
        "How many books are still there?",
        shelves * (books - lent),
    )


def _eggs(draw: DrawInteger) -> tuple[str, int]:
    hens, days, eaten = draw(5, 14), draw(3, 9), draw(2, 4)
    return (
        f"Each of {hens} hens lays one egg a day. The family eats {eaten} eggs a day and sells the rest. How many eggs "
        f"do they sell in {days} days?",
        (hens - eaten) * days,
    )


def _train(draw: DrawInteger) -> tuple[str, int]:
    start, off, on = 2 * draw(30, 60), 2 * draw(3, 15), 2 * draw(3, 20)
    return (
        f"A train leaves with {start} passengers. At the first stop {off} get off and {on} get on. At the second stop "
        "half of all passengers get off. How many are left?",
        (start - off + on) // 2,
    )


def _garden(draw: DrawInteger) -> tuple[str, int]:
    length, width = draw(8, 25), draw(4, 12)
    return (
        f"A garden is {length} meters long and {width} meters wide. A fence goes around it, with a gate of 2 meters "
        "where there is no fence. How many meters of fence are needed?",
        2 * (length + width) - 2,
    )


def _candles(draw: DrawInteger) -> tuple[str, int]:
    boxes, candles, price, cost = draw(3, 8), draw(6, 12), draw(3, 6), draw(8, 15)
    return (
        f"Mia buys {boxes} boxes of candles for ${cost} a box. There are {candles} candles in a box, and she sells "
        f"each candle for ${price}. How many dollars does she earn after paying for the boxes?",
        boxes * (candles * price - cost),
    )


def _walk(draw: DrawInteger) -> tuple[str, int]:
    minutes, times, rest = draw(12, 40), draw(3, 6), draw(5, 10)
    return (
        f"Once around the lake takes {minutes} minutes. Sam walks around it {times} times and rests {rest} minutes "
        "between two rounds. How many minutes does he need in all?",
        minutes * times + rest * (times - 1),
    )


STORIES = (_bakery, _pages, _tickets, _marbles, _shares, _savings, _shelves, _eggs, _train, _garden, _candles, _walk)


def small_sums(seed: int, count: int) -> Iterator[tuple[str, int]]:
    """The same, up to 64, of one step and with numbers below ten: what a small chat model can do."""
    pairs = random.Random(seed).sample([(first, more) for first in range(2, 10) for more in range(2, 10)], count)
    for index, (first, more) in enumerate(pairs):
        yield SMALL[index % len(SMALL)].format(first, more), first + more


SMALL = (
    "Tom has {} apples and gets {} more. How many apples does he have?",
    "There are {} birds in a tree, and {} more fly to it. How many birds are in the tree?",
    "Anna reads {} pages in the morning and {} pages in the evening. How many pages does she read?",
    "A box holds {} red pens and {} blue pens. How many pens does the box hold?",
)
