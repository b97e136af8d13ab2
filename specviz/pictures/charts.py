"""What charts share: round ticks, ticks that are tokens, the mark of a test."""

from collections.abc import Iterable
from math import ceil, floor, log10

from specviz.facts.tokens import label
from specviz.pictures.shapes import Axis, KeyEntry, Line, Point, Tick
from specviz.trace.decisions import PrefixTest
from specviz.trace.record import Trace

_LABEL = 10
_FEW = 6  # round ticks of an axis, at most


def passing(word: str) -> KeyEntry:
    """The mark of a test that passes, and what that means."""
    return KeyEntry("accepted", "✓", word)


def failing(word: str) -> KeyEntry:
    """The mark of a test that fails, and what that means."""
    return KeyEntry("rejected", "✗", word)


JOINED = passing("in both lists, joined"), failing("in one alone")
"""The marks of two lists side by side."""


def point_of(test: PrefixTest, x: float, y: float, words: str, *, ringed: bool = False, beyond: str = "") -> Point:
    """The mark of a test where it stands."""
    mark = passing("") if test.passes else failing("")
    return Point(x, y, mark.tone, mark.glyph, words, test.node, ringed=ringed, beyond=beyond)


def round_ticks(low: float, high: float) -> tuple[Tick, ...]:
    """Ticks at round numbers from ``low`` to ``high``, which is larger."""
    least = (high - low) / (_FEW - 1)
    power = 10.0 ** floor(log10(least))
    step = next(power * many for many in (1, 2, 2.5, 5, 10) if power * many >= least * 0.999999)
    return tuple(_tick(step * at) for at in range(ceil(low / step), floor(high / step) + 1))


def ticks_at(*places: float) -> tuple[Tick, ...]:
    """Ticks at these numbers."""
    return tuple(map(_tick, places))


def _tick(at: float) -> Tick:
    return Tick(at, f"{at:.6g}".replace("-", "−"))


def quarters() -> tuple[Tick, ...]:
    """Ticks of an axis of probabilities."""
    return ticks_at(0.0, 0.25, 0.5, 0.75, 1.0)


def token_axis(trace: Trace, tests: Iterable[PrefixTest], total: int, *, start: bool = False) -> Axis:
    """An axis with the tested tokens, of ``total`` in all, by their depth; with ``start``, the place before them."""
    ticks = [Tick(test.depth, f"{test.depth} {label(trace.vocabulary, test.token, _LABEL)}") for test in tests]
    return Axis(-0.4 if start else 0.4, total + 0.6, (*([Tick(0, "start")] if start else []), *ticks))


def stairs(heights: Iterable[float]) -> Line:
    """From each height, at 0, 1, .., level to the next place, then upright."""
    return Line("muted", tuple((float(at), height) for at, height in enumerate(heights)), steps=True)
