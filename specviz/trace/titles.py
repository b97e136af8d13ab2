"""Titles of lanes side by side that tell them apart."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from specviz.trace.record import WARP, Value, shown


class Titled(NamedTuple):
    """A lane's method, by name and title, and the options that it runs with."""

    name: str
    title: str
    options: Mapping[str, Value]


def lane_titles(lanes: Sequence[Titled]) -> list[str]:
    """Each lane's method, with the options that tell lanes of one method apart, and the temperature, top-k and top-p
    that are not those of all lanes."""
    titles = []
    for name, title, options in lanes:
        differing = [
            f"{key} {shown(value)}"
            for key, value in options.items()
            if any(o.options.get(key) != value for o in lanes if key in WARP or o.name == name)
        ]
        titles.append(title + (f" ({', '.join(differing)})" if differing else ""))
    return titles


def lane_names(lanes: Sequence[Titled]) -> tuple[str, ...]:
    """A name for each lane: its title, and a number, from 1, where that is not enough."""
    names = lane_titles(lanes)
    return tuple(name if names.count(name) == 1 else f"{name}, lane {lane}" for lane, name in enumerate(names, start=1))
