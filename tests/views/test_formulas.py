"""Whoever does the sums of a formula with the numbers shown finds the number shown."""

import math
import re
from functools import cache
from pathlib import Path

import pytest

from specviz.trace.store import load_trace
from specviz.views.facts.tokens import worked
from specviz.views.story.scenes import scenes

GALLERY = Path(__file__).resolve().parents[2] / "assets" / "gallery"
NUMBER = r"(?:[-−]?\d[\d.]*(?:e-\d+)?)"
SUMS = re.compile(rf"(?:^|; )(?:p = |h = |residual = )?([^;=]*) = ({NUMBER})(?=[;: ]|$)")


@cache
def formulas(method: str) -> list[str]:
    (path,) = GALLERY.glob(f"[0-9][0-9]-{method}.json")
    trace = load_trace(path)
    return [scene.formula for index in range(len(trace.iterations)) for scene in scenes(trace, index) if scene.formula]


def sums(formula: str):
    """The (value of the left side, text of the right side) of every equation whose left side is all numbers."""
    for left, right in SUMS.findall(formula):
        code = left.replace("×", "*").replace("−", "-").replace("^", "**")
        if re.fullmatch(r"(?:min|log|[\d.e*/()+, -])+", code) and re.search(r"[*/^]", code):
            yield eval(code, {"min": min, "log": math.log}), right.replace("−", "-")


@pytest.mark.parametrize(
    "method", ["speculative", "block", "specinfer", "mcsd", "spectr", "dynamic-tree", "mtad", "dsbd"]
)
def test_the_sums_of_a_formula_come_out(method):
    found = 0
    for formula in formulas(method):
        for value, shown in sums(formula):
            found += 1
            decimals = len(shown.partition("e")[0].partition(".")[2]) - int(shown.partition("e")[2] or 0)
            assert abs(value - float(shown)) <= 0.51 * 10.0**-decimals, formula
    assert found >= 5


def test_no_more_decimals_than_it_takes():
    assert worked("0.25", lambda p, q: p / q, 0.15, 0.6) == ("0.15", "0.60")
    assert worked("0.59", lambda p, q: p / q, 0.0886, 0.15) == ("0.089", "0.150")
    assert worked("0", lambda p, q: p / q, 0.0, 0.0) == ("0", "0")
