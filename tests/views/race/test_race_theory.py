"""Theory beside measurement, in words: every expected number can be found again from those beside it."""

from dataclasses import replace

import pytest

from specviz.decoding.exact.own_parts import claim_holds
from specviz.measure.forecast import Costs, Forecast, forecast
from specviz.measure.theory import arithmetic
from specviz.ui.pages.race import _start
from specviz.views.race import theory
from specviz.views.race.race_view import lane_view, race_view
from specviz.views.race.theory import lane_theories
from tests.recorded import load_gallery

GALLERY = {trace.header.method.name: trace for trace in load_gallery()}
LANES = [GALLERY[name] for name in ("autoregressive", "speculative", "mtad")]


def test_the_lane_that_the_theory_is_about_has_its_row():
    (row,) = lane_theories(LANES)
    found = forecast(LANES[1], LANES[0])
    assert found is not None and row["name"] == "Speculative decoding" and row["best_gamma"] == str(found.best_gamma)
    alpha, c, v, gamma = (float(row[name]) for name in ("alpha", "draft_cost", "verify_cost", "gamma"))
    assert (1 - alpha ** (gamma + 1)) / (1 - alpha) == pytest.approx(float(row["tokens"][0]), abs=0.011)
    assert float(row["tokens"][0]) / (gamma * c + v) == pytest.approx(float(row["speed"][0]), abs=0.011)
    assert float(row["speed"][1]) == pytest.approx(found.speed_measured, abs=0.006)


def warmed(trace, temperature):
    return replace(trace, header=replace(trace.header, options=trace.header.options | {"temperature": temperature}))


def test_a_lane_is_compared_with_the_plain_lane_of_its_own_temperature():
    slower = replace(LANES[0].metrics, tokens_per_second=LANES[0].metrics.tokens_per_second / 2)
    (row,) = lane_theories([replace(warmed(LANES[0], 0.5), metrics=slower), *LANES])
    assert row["speed"] == lane_theories(LANES)[0]["speed"]


def test_lanes_of_a_race_are_called_by_what_differs():
    lanes = [LANES[0], warmed(LANES[1], 0.5)]
    race = race_view("", "finished", [None, *(lane_view(trace, claim_holds, finished=True) for trace in lanes)], lanes)
    assert [lane and lane["title"] for lane in race["lanes"]] == [
        None,
        "Autoregressive (temperature 1)",
        "Speculative decoding (temperature 0.5)",
    ]


def test_the_form_of_a_recorded_race_gives_lanes_only_what_is_their_own():
    lanes = _start([LANES[0], warmed(LANES[1], 0.5)], [])["lanes"]
    assert "temperature" not in lanes[0]["options"] and "top_k" not in lanes[1]["options"]
    assert lanes[1]["options"]["temperature"] == 0.5 and "gamma" in lanes[1]["options"]


def test_without_a_plain_lane_or_beside_a_disturbed_one_there_is_no_speed():
    disturbed = replace(LANES[1], metrics=replace(LANES[1].metrics, processor_share=0.4))
    elsewhere = replace(LANES[0], header=replace(LANES[0].header, device="cuda"))
    colder = warmed(LANES[0], 0.5)
    for lanes in (LANES[1:], [LANES[0], disturbed], [elsewhere, LANES[1]], [colder, LANES[1]]):
        (row,) = lane_theories(lanes)
        assert row["speed"] == ("–", "–") and row["verify_cost"] == "–" and float(row["tokens"][0]) > 1.0


def test_the_numbers_for_a_drawing_are_those_of_the_run():
    found, (row,) = forecast(LANES[1], LANES[0]), lane_theories(LANES)
    assert found is not None and found.costs is not None
    numbers, (plain, made) = row["numbers"], (trace.metrics.flops_per_token for trace in LANES[:2])
    assert plain and made and numbers["operations"]
    measured = (found.alpha, found.costs.draft, found.costs.verify, found.gamma, found.tokens_measured)
    assert tuple(numbers[name] for name in ("alpha", "c", "v", "gamma", "tokens")) == measured
    assert numbers["speed"] == found.speed_measured and numbers["arithmetic"] == made / plain
    expected = arithmetic(found.alpha, round(found.gamma), numbers["operations"])
    assert numbers["arithmetic"] == pytest.approx(expected, rel=0.3)  # 24 tokens: what was accepted has its chance
    (alone,) = lane_theories(LANES[1:])
    assert [name for name, value in alone["numbers"].items() if value is None] == ["c", "v", "speed", "arithmetic"]


def test_nothing_is_said_while_the_race_runs():
    lanes = [lane_view(trace, claim_holds, finished=True) for trace in LANES]
    assert race_view("", "running", lanes, LANES)["theory"] == []
    assert len(race_view("", "finished", lanes, LANES)["theory"]) == 1


def told(measured, error, speed, other=0.0):
    found = Forecast(0.7, 50, (4,) * 20, 2.77, measured, error, Costs(0.1, 1.0, other, 0.0), 1.98, speed)
    return theory._why(found)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((2.77, 0.3, 1.97), "agree within 5 % on the speed-up"),
        ((2.2, 0.4, 1.57), "fewer tokens an iteration than expected; 20 iterations may do that by chance"),
        ((2.2, 0.1, 1.57), "fewer tokens an iteration than expected, beyond chance"),
        ((3.4, 0.1, 2.4), "more tokens an iteration than expected, beyond chance"),
        ((2.7, 0.3, 1.2, 0.8), "Drawing and judging took 0.80 target calls' time an iteration (0 in plain decoding)"),
        ((2.7, 0.3, 2.6), "faster than its calls explain"),
    ],
)
def test_the_larger_reason_is_given(found, said):
    assert said in told(*found)
