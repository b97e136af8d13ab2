"""Medians over rounds and their intervals, on rows made by hand."""

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

import specviz
from specviz.errors import OptionError
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.summary import grouped, summaries


@pytest.fixture(scope="module")
def row() -> Row:
    pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
    (found,) = specviz.sweep(pair, {"method": [{"name": "speculative"}]}, [[0]], 1, max_new_tokens=4)
    return replace(found, disturbed=None)


def made(row: Row, prompt: int, seed: int, disturbed: str | None = None, **metrics) -> Row:
    numbers = {"accepted", "offered"} & metrics.keys()
    own = {name: metrics.pop(name) for name in numbers}
    changed = replace(row.metrics, **metrics)
    return replace(row, prompt=str(prompt), seed=seed, metrics=changed, disturbed=disturbed, **own)


def speeds(row: Row, seconds) -> list[Row]:
    """Runs of 10 tokens; ``seconds`` are [rounds, prompts]."""
    return [
        made(row, prompt, seed, tokens=10, seconds=float(time), tokens_per_second=10 / time)
        for seed, times in enumerate(seconds)
        for prompt, time in enumerate(times)
    ]


def test_a_metric_is_taken_over_all_prompts_of_a_round(row):
    first = {"tokens": 10, "seconds": 1.0, "target_calls": 5, "accepted": 1, "offered": 2, "perplexity": 2.0}
    second = {"tokens": 30, "seconds": 9.0, "target_calls": 5, "accepted": 9, "offered": 10, "perplexity": 8.0}
    rows = [made(row, 1, 0, **first), made(row, 2, 0, **second)]
    metrics = ("tokens_per_second", "tokens_per_target_call", "acceptance_rate", "perplexity", "kv_rows_peak")
    found = {one.metric: one for one in summaries(rows, metrics)}
    assert found["tokens_per_second"].median == pytest.approx(4)
    assert found["tokens_per_target_call"].median == pytest.approx(4)
    assert found["acceptance_rate"].median == pytest.approx(10 / 12)
    assert found["perplexity"].median == pytest.approx(exp((10 * log(2) + 30 * log(8)) / 40))
    assert found["kv_rows_peak"].median == row.metrics.kv_rows_peak
    assert {(one.rounds, one.prompts, one.runs, one.left_out) for one in found.values()} == {(1, 2, 2, 0)}


@pytest.mark.parametrize(("rounds", "prompts", "claimed"), [(1, 9, False), (5, 9, False), (6, 1, False), (6, 2, True)])
def test_little_evidence_gives_no_interval(row, rounds, prompts, claimed):
    seconds = 1 + np.random.default_rng(0).random((rounds, prompts))
    (found,) = summaries(speeds(row, seconds), ["tokens_per_second"])
    assert found.median == pytest.approx(np.median(10 * prompts / seconds.sum(axis=1)))
    assert (found.low is not None, found.high is not None) == (claimed, claimed)
    assert not claimed or found.low < found.median < found.high


def test_disturbed_runs_are_left_out_of_speeds_and_of_nothing_else(row):
    rows = speeds(row, np.ones((6, 2)))
    slow = [made(row, 0, 6, "processor_share", tokens=10, seconds=99.0, target_calls=2)]
    speed, calls = summaries(rows + slow, ["tokens_per_second", "tokens_per_target_call"])
    assert (speed.median, speed.low, speed.high, speed.rounds, speed.left_out) == (10, 10, 10, 6, 1)
    assert (calls.rounds, calls.runs, calls.left_out) == (7, 13, 0)


def test_runs_without_a_number_say_nothing(row):
    (found,) = summaries([made(row, 0, 0, joules_per_token=None)], ["joules_per_token"])
    assert (found.median, found.low, found.runs, found.rounds) == (None, None, 0, 0)


def test_settings_and_categories_are_apart(row):
    other = replace(row, options={**row.options, "gamma": 7}, setting="speculative gamma=7")
    rows = [row, other, replace(row, category="qa", seed=1), replace(other, category="qa", seed=1)]
    assert [(one.setting, one.runs) for one in summaries(rows, ["tokens"])] == [
        ("speculative", 2),
        ("speculative gamma=7", 2),
    ]
    apart = summaries(rows, ["tokens"], by_category=True)
    assert [(one.setting, one.category) for one in apart] == [
        ("speculative", ""),
        ("speculative gamma=7", ""),
        ("speculative", "qa"),
        ("speculative gamma=7", "qa"),
    ]
    with pytest.raises(OptionError, match="metrics must be among tokens, seconds"):
        summaries(rows, ["speed"])


def test_the_same_rows_give_the_same_interval(row):
    rows = speeds(row, 1 + np.random.default_rng(1).random((6, 5)))
    assert summaries(rows, ["tokens_per_second"]) == summaries(rows, ["tokens_per_second"])


@pytest.mark.full
def test_intervals_hold_the_truth_as_often_as_they_say(row):
    """Prompts and seeds are drawn from a population whose median speed is known; both vary."""
    chance, held, times = np.random.default_rng(2), 0, 200
    for _ in range(times):
        seconds = np.exp(0.3 * chance.normal(size=(1, 20)) + 0.05 * chance.normal(size=(12, 20)))
        seconds *= np.exp(0.1 * chance.normal(size=(12, 1)))
        (found,) = summaries(speeds(row, seconds), ["tokens_per_second"], samples=400)
        held += found.low <= 10 / exp(0.3**2 / 2 + 0.05**2 / 2) <= found.high
    assert 0.88 <= held / times <= 0.99


@pytest.mark.parametrize("shape", [(6, 1), (1, 8)], ids=["seeds", "prompts"])
def test_both_seeds_and_prompts_widen_an_interval(row, shape):
    seconds = np.broadcast_to(1 + np.random.default_rng(3).random(shape), (6, 8))  # one of the two alone varies
    (found,) = summaries(speeds(row, seconds), ["tokens_per_second"])
    assert found.low < found.median < found.high


def test_a_ratio_is_taken_within_rounds_over_what_both_ran(row):
    """A slow minute slows both settings of its round: their ratio does not move, and its interval says so."""
    times = np.array([[1.0, 3.0], [0.5, 2.0], [7.0, 1.5], [1.0, 1.0], [4.0, 2.0], [0.1, 9.0]])
    quick, late = speeds(row, times), speeds(replace(row, setting="late", options={"gamma": 9}), 2 * times)
    alone = made(row, 2, 0, tokens=10, seconds=1e-3, tokens_per_second=1e4)
    one, other = grouped([*quick, alone, *late], ["tokens_per_second", "perplexity"])
    for found, ratio in ((one.over(other, "tokens_per_second"), 2.0), (other.over(one, "tokens_per_second"), 0.5)):
        assert (found.median, found.low, found.high) == pytest.approx((ratio, ratio, ratio))
        assert (found.rounds, found.prompts) == (6, 2)
    assert one.over(other, "perplexity").median == pytest.approx(1.0)


def test_a_ratio_over_what_may_be_nothing_has_no_upper_bound(row):
    """One of two prompts was never scored above 0 by the other setting: a draw of it alone divides by 0."""

    def setting(gamma: int, scores: tuple[float, float]) -> list[Row]:
        own = replace(row, setting=f"g{gamma}", options={"gamma": gamma}, score_kind="exact")
        made_rows = [made(own, prompt, seed) for seed in range(6) for prompt in range(2)]
        return [replace(one, score=scores[int(one.prompt)]) for one in made_rows]

    of, other = grouped([*setting(1, (1.0, 1.0)), *setting(2, (0.0, 1.0))], ["score"])
    found = of.over(other, "score")
    assert (found.median, found.low, found.high) == (2.0, 1.0, np.inf)


@pytest.mark.parametrize(
    ("perplexity", "ratio"), [(3.0, 16 / 8), (2.5, 16 / 7), (2.0, 16 / 6), (1.5, 16 / 6), (4.0, 16 / 10), (5.0, 0.0)]
)
def test_at_equal_quality_a_ratio_is_over_the_line_between_the_nearest(row, perplexity, ratio):
    """Of others one has perplexity 4 at 10 tokens/s, one 2 at 6: in between they are as fast as the line says."""

    def setting(gamma: int, pace: float, likely: float) -> list[Row]:
        about = {"tokens": 10, "seconds": 10 / pace, "tokens_per_second": pace, "perplexity": likely}
        own = replace(row, setting=f"g{gamma}", options={"gamma": gamma})
        return [made(own, prompt, seed, **about) for seed in range(6) for prompt in range(2)]

    rows = [*setting(1, 16, perplexity), *setting(2, 6, 2.0), *setting(3, 10, 4.0)]
    of, *others = grouped(rows, ["tokens_per_second", "perplexity"])
    found = of.over_equals(others, "tokens_per_second", "perplexity")
    assert (found.median, found.low, found.high) == pytest.approx((ratio, ratio, ratio))
    assert of.over_equals(others[::-1], "tokens_per_second", "perplexity") == found
    if ratio == 0.0:  # worse than all: no number that is better when low may call that good
        rows = [replace(row, metrics=replace(row.metrics, ms_per_target_call=1.0)) for row in rows]
        of, *others = grouped(rows, ["ms_per_target_call", "perplexity"])
        assert of.over_equals(others, "ms_per_target_call", "perplexity").median == np.inf


def test_a_metric_that_is_named_twice_is_told_twice(row):
    found = summaries([row, replace(row, prompt="1")], ["tokens", "tokens"])
    assert [one.median for one in found] == [row.metrics.tokens] * 2
