"""A race is fair: turns by the lanes' own clocks, and each lane decodes as it would alone."""

import pytest

import specviz
from specviz.errors import OptionError, PromptError
from tests.decoding.run.test_properties import table_pair, transformer_pair


def test_the_lane_furthest_behind_goes_next():
    lanes, clocks, finished = {}, {0: 0.0, 1: 0.0, 2: 0.0}, set()
    for lane, _ in specviz.race(
        transformer_pair(), ["autoregressive", "speculative", "mtad"], [3, 4], max_new_tokens=20
    ):
        behind = min(clocks[i] for i in clocks if i not in finished)
        assert clocks[lane.index] == behind
        clocks[lane.index] = lane.clock
        lanes[lane.index] = lane
        if lane.finished:
            finished.add(lane.index)
    assert finished == {0, 1, 2}
    assert [lanes[i].name for i in range(3)] == ["autoregressive", "speculative", "mtad"]


def test_a_lane_writes_what_it_writes_alone():
    pair, traces = transformer_pair(), {}
    lanes = ["autoregressive", ("speculative", {"gamma": 6}), "mtad"]
    for lane, _ in specviz.race(pair, lanes, [3, 4], max_new_tokens=20, seed=5, top_k=10, gamma=3):
        traces[lane.index] = lane.trace()
    alone = specviz.decode(pair, "speculative", [3, 4], max_new_tokens=20, seed=5, top_k=10, gamma=6)
    assert traces[1].tokens == alone.tokens and traces[1].stop == "length"
    assert traces[2].header.options["gamma"] == 3  # shared, where a lane has it


def test_closing_the_race_stops_it():
    race = specviz.race(transformer_pair(), ["mtad"], [3], max_new_tokens=30)
    lane, _ = next(race)
    race.close()
    assert not lane.finished and lane.trace().stop == "stopped"


@pytest.mark.parametrize(
    ("lanes", "options", "message"),
    [
        ([], {}, "lanes must be 1 to 32 methods, got 0"),
        (["nothing"], {}, "method must be one of"),
        (5, {}, "lanes must be a list of methods, got 5"),
        ([("mtad",)], {}, "a lane must be a method's name or"),
        (["mtad"], {"tau": 2}, r"tau must be a number in \[0, 1\], got 2"),
        (["mtad"], {"speed": 2}, "no lane has an option 'speed'"),
        ([("mtad", {"lenience": 1})], {}, "method 'mtad' has no option 'lenience'"),
        (["mtad"], {"seed": -1}, r"seed must be a whole number in \[0, 4294967295\], got -1"),
        (["mtad"], {"max_new_tokens": 0}, r"max_new_tokens must be a whole number in \[1, 100000\], got 0"),
    ],
)
def test_wrong_races_are_refused(lanes, options, message):
    with pytest.raises(OptionError, match=message):
        next(specviz.race(table_pair(0, False), lanes, [1], **options))


def test_a_prompt_longer_than_the_context_is_refused_with_the_numbers():
    with pytest.raises(
        PromptError, match=r"prompt of 240 tokens .* context of 256 of target 'model 1'; at most 232 fit"
    ):
        specviz.decode(transformer_pair(), "speculative", [3] * 240, max_new_tokens=20)


def test_a_lane_that_cannot_run_is_named():
    with pytest.raises(OptionError, match="tau must be") as refusal:
        next(specviz.race(table_pair(0, False), ["mtad", ("mtad", {"tau": 2})], [1]))
    assert refusal.value.lane == 1


def test_lanes_of_one_method_have_titles_that_tell_them_apart():
    lanes = ["mtad", ("mtad", {"gamma": 2}), "block", ("mtad", {"gamma": 2, "top_k": None})]
    for given in (lanes, [*lanes, "block"]):
        titles = {}
        for lane, _ in specviz.race(table_pair(0, False), given, [1], max_new_tokens=2):
            titles[lane.index] = lane.title
        assert len(set(titles.values())) == len(given)
    first, second, *_, fourth, fifth = (titles[index] for index in range(5))
    assert first.startswith("MTAD (gamma 4") and second.startswith("MTAD (gamma 2") and "top_k none" in fourth
    assert fifth == "Block verification (top_k 20), lane 5"
    (lane, _), *_ = specviz.race(table_pair(0, False), ["mtad"], [1], max_new_tokens=2)
    assert lane.title == "MTAD"
