"""The Pareto front of quality and speed, on rows made by hand."""

from dataclasses import replace

import numpy as np
import pytest

import specviz
from specviz.errors import OptionError
from specviz.lab.sweep.front import front, not_beaten
from specviz.lab.sweep.row import Row


@pytest.fixture(scope="module")
def row() -> Row:
    pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
    (found,) = specviz.sweep(pair, {"method": [{"name": "speculative"}]}, [[0]], 1, max_new_tokens=4)
    return replace(found, disturbed=None)


def runs(row: Row, gamma: int, cells, kind="exact", **more) -> list[Row]:
    """Runs of 10 tokens of one setting; ``cells`` are seconds and score of [rounds, prompts]."""
    own = {"options": {**row.options, "gamma": gamma}, "setting": f"gamma={gamma}", "score_kind": kind}
    return [
        replace(row, prompt=str(prompt), seed=seed, score=score, metrics=metrics(row, seconds, score), **own | more)
        for seed, prompts in enumerate(cells)
        for prompt, (seconds, score) in enumerate(prompts)
    ]


def metrics(row: Row, seconds: float, score: float | None):
    numbers = {"tokens": 10, "seconds": seconds, "tokens_per_second": 10 / seconds, "target_calls": 5}
    return replace(row.metrics, **numbers, perplexity=3 - (score or 0))


def told(points) -> dict[str, tuple[bool, float | None]]:
    return {point.setting: (point.on_front, point.share) for point in points}


ROUNDS = 6
STEADY = {1: (1, 0.5), 2: (2, 1.0), 3: (2, 0.5), 4: (1, 0.5), 5: (0.5, 0.25)}  # seconds and score of every run


@pytest.mark.parametrize("quality", ["score", "perplexity"])
def test_who_is_on_the_front(row, quality):
    """3 is as slow as 2 and as wrong as 1; 1 and 4 are the same, and neither is better."""
    rows = [one for gamma, cell in STEADY.items() for one in runs(row, gamma, [[cell] * 2] * ROUNDS)]
    points = front(rows, quality=quality)
    assert told(points) == {f"gamma={gamma}": (gamma != 3, float(gamma != 3)) for gamma in STEADY}
    one = points[1]
    assert (one.speed.median, one.speed.low, one.speed.high) == (5, 5, 5)
    assert one.quality.median == pytest.approx(1 if quality == "score" else 2)
    calls = front(rows, "tokens_per_target_call", quality)  # all alike: the best quality alone
    assert [point.setting for point in calls if point.on_front] == ["gamma=2"]


def test_all_settings_are_drawn_with_the_same_prompts(row):
    """A knows the first prompt, B the second. Two prompts are drawn: twice the same one (1 in 4 each) beats the other
    setting, one of each (1 in 2) is a tie. Drawn apart, it would be 11 in 16."""
    rows = runs(row, 1, [[(1, 1.0), (1, 0.0)]] * ROUNDS) + runs(row, 2, [[(1, 0.0), (1, 1.0)]] * ROUNDS)
    points = front(rows, samples=4000)
    assert all(point.on_front for point in points)
    assert [point.share for point in points] == pytest.approx([0.75, 0.75], abs=0.03)
    assert front(rows, samples=4000) == points


def test_seeds_are_drawn_too(row):
    """Half of the rounds are fast; the median of six drawn is slow, fast or between."""
    cells = [[(1 if seed % 2 else 3, 1.0)] * 2 for seed in range(ROUNDS)]
    points = front(runs(row, 1, cells) + runs(row, 2, [[(2, 1.0)] * 2] * ROUNDS))
    assert 0.5 < points[0].share < 0.8 and 0.2 < points[1].share < 0.5 and points[0].on_front


def test_little_evidence_gives_no_share(row):
    rows = runs(row, 1, [[(1, 1.0)] * 2] * 5) + runs(row, 2, [[(2, 0.5)] * 2] * 5)
    assert told(front(rows)) == {"gamma=1": (True, None), "gamma=2": (False, None)}


def test_disturbed_runs_say_nothing_of_speed_alone(row):
    rows = runs(row, 1, [[(1, 1.0)] * 2] * ROUNDS) + runs(row, 2, [[(9, 0.5)] * 2] * ROUNDS, disturbed="workers")
    assert told(front(rows)) == {"gamma=1": (True, 1.0)}
    assert told(front(rows, "tokens_per_target_call")) == {"gamma=1": (True, 1.0), "gamma=2": (False, 0.0)}
    rows[0] = replace(rows[0], disturbed="processor_share", metrics=metrics(row, 99.0, 1.0))
    assert front(rows)[0].speed.median == 10 and front(rows)[0].speed.left_out == 1


def test_runs_without_a_score_are_no_part_of_its_front(row):
    rows = runs(row, 1, [[(1, 1.0), (9, None)]] * ROUNDS)
    (point,) = front(rows)
    assert (point.speed.median, point.speed.prompts) == (10, 1)
    (point,) = front(rows, quality="perplexity")
    assert (point.speed.median, point.speed.prompts) == (2, 2)
    assert front(runs(row, 1, [[(1, None)]])) == []


def test_a_front_for_each_category_and_kinds_never_mixed(row):
    rows = runs(row, 1, [[(1, 1.0)]], category="sums") + runs(row, 2, [[(2, 0.5)]], category="sums")
    rows += runs(row, 2, [[(2, 0.5)]], "rouge_l", category="tales")
    apart = [(point.category, point.setting, point.on_front) for point in front(rows, by_category=True)]
    assert apart == [("sums", "gamma=1", True), ("sums", "gamma=2", False), ("tales", "gamma=2", True)]
    with pytest.raises(OptionError, match="the front has scores of several kinds, exact, rouge_l"):
        front(rows)
    with pytest.raises(OptionError, match="speed must be among tokens_per_second, tokens_per_target_call, got 'fast'"):
        front(rows, "fast")
    with pytest.raises(OptionError, match="quality must be among score, perplexity, got 'alpha'"):
        front(rows, quality="alpha")


def test_what_is_not_known_is_on_no_front_and_beats_nothing():
    speeds, qualities = np.array([[1.0, 1.0], [np.nan, 2.0]]), np.array([[1.0, 1.0], [9.0, 2.0]])
    assert not_beaten(speeds, qualities).tolist() == [[True, False], [False, True]]


def test_nothing_has_no_front():
    assert not_beaten(np.empty((0, 1)), np.empty((0, 1))).shape == (0, 1)
