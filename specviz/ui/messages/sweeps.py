"""Sweeps that run on the page: the form's setup, what is asked before one starts, and how far one is."""

from typing import Literal, TypedDict


class PromptSet(TypedDict):
    """Built-in prompts of one kind. ``scored``: questions with answers; ``usual``: run where none are chosen."""

    name: str
    prompts: int
    scored: bool
    usual: bool


class SweepLimits(TypedDict):
    """Of a sweep on the page."""

    prompts: int
    seeds: int
    tokens: int
    file: int
    """Bytes of a file of prompts."""
    charts: int


class SweepNumber(TypedDict):
    """A number that a sweep of one's own can draw. ``usual``: it is drawn where nobody chose."""

    name: str
    label: str
    help: str
    usual: bool


class SweepSetup(TypedDict):
    """Of the form for a sweep of one's own."""

    grid: str
    """TOML to begin with."""
    seeds: int
    tokens: int
    sets: list[PromptSet]
    numbers: list[SweepNumber]
    limits: SweepLimits


class SweepChecked(TypedDict):
    """A sweep that could be started."""

    settings: list[str]
    prompts: int
    seeds: int
    runs: int
    seconds: float | None
    """How long it would take on an idle server; null: unknown until runs were made."""
    recorded: bool
    """Whether the seconds are those of the runs that ship with the cards, on the machine that made them."""


class SweepState(TypedDict):
    """How far a sweep is."""

    id: str
    title: str
    card: str
    """The name of the card that it is of; empty for a grid of one's own."""
    state: Literal["waiting", "running", "done", "stopped", "failed"]
    done: int
    total: int
    setting: str
    """What runs now; empty where nothing does."""
    seconds_left: float | None
    """While it runs: with the sweeps that run beside it; null: unknown until the first runs."""
    others: int
    """Sweeps that take turns with it."""
    message: str
    lasts: bool
    """Whether a restart of the server leaves it there."""


class SweepBegun(SweepState):
    """The state of a sweep that was just begun."""

    key: str
    """What stops it and goes on with it: for who began it alone, 32 hexadecimal digits."""
