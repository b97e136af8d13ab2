"""Whoever does the sums of a formula with the numbers shown finds the number shown."""

import math
import re
from functools import cache
from pathlib import Path

import pytest

from specviz.facts.tokens import worked
from specviz.trace.store import load_trace
from specviz.views.lessons.lesson import find_lesson, gallery_runs, lesson_names
from specviz.views.lessons.payload import lesson_words
from specviz.views.story.scenes import scenes

GALLERY = Path(__file__).resolve().parents[2] / "assets" / "gallery"
NUMBER = r"(?:[-−]?\d[\d.]*(?:e-\d+)?)"
SUMS = re.compile(rf"(?:^|; )(?:w = |h = (?:S / \(S \+ 1 − w\) = )?|residual = )?([^;=]*) = ({NUMBER})(?=[;: ]|$)")


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


GIVEN = re.compile(
    rf"probability ({NUMBER}), the draft ({NUMBER})\. So it is accepted with probability ({NUMBER})(?=;)"
)
BOUND = re.compile(rf"[>≤] ({NUMBER}) = min\(({NUMBER}), ({NUMBER}) exp\(−({NUMBER})\)\)")
QUOTIENT = re.compile(r"(\d+(?:\.\d+)?) / (\d+(?:\.\d+)?) = (\d+(?:\.\d+)?)")


def close(value: float, shown: str) -> bool:
    decimals = len(shown.partition("e")[0].partition(".")[2]) - int(shown.partition("e")[2] or 0)
    return abs(value - float(shown)) <= 0.51 * 10.0**-decimals


@pytest.mark.parametrize("method", ["speculative", "specinfer", "mcsd", "improved-mcsd", "dsbd"])
def test_the_numbers_of_a_sentence_give_its_acceptance_probability(method):
    (path,) = GALLERY.glob(f"[0-9][0-9]-{method}.json")
    trace = load_trace(path)
    told = [scene.sentence for index in range(len(trace.iterations)) for scene in scenes(trace, index)]
    found = [numbers for sentence in told for numbers in GIVEN.findall(sentence)]
    assert found
    for target, draft, shown in found:
        assert close(min(1.0, float(target) / float(draft)), shown), (target, draft, shown)


def test_the_threshold_of_typical_acceptance_comes_out():
    found = [numbers for formula in formulas("typical") for numbers in BOUND.findall(formula)]
    assert found
    for shown, epsilon, delta, entropy in found:
        assert close(min(float(epsilon), float(delta) * math.exp(-float(entropy))), shown)


@pytest.mark.full
def test_the_quotients_of_a_lesson_come_out():
    runs, found = gallery_runs(), []
    for name in lesson_names():
        found += QUOTIENT.findall(str(lesson_words(find_lesson(name, runs))))
    assert found
    for target, draft, shown in found:
        assert close(float(target) / float(draft), shown), (target, draft, shown)
