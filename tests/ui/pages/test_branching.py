"""A race's form with branches: what the page is told, what is kept, and what is refused, by name."""

import re

import pytest

from specviz.decoding.replay.branch import branch
from specviz.decoding.replay.judge_again import changeable
from specviz.decoding.run.loop import decode
from specviz.lm.loading.pairs import load_pair
from specviz.trace.check import first_problem
from specviz.ui.pages import branching
from specviz.ui.pages.race import found_view, made_again, race_messages
from specviz.ui.serving.device import Device
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.runs import KeptRuns, existing
from specviz.ui.settings import read_settings
from tests.tiny_pair import write_pair

LANE = {"method": "speculative", "options": {"gamma": 3}}
FORM = {"prompt": "abc def", "lanes": [LANE], "shared": {"temperature": 1.0}, "max_new_tokens": 16, "seed": 3}
HAND = {"of": 0, "iteration": 1, "at": 0, "token": " x"}
RUN = "cd" * 16


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return load_pair(*write_pair(tmp_path_factory.mktemp("pair")), device="cpu")


@pytest.fixture
def told(pair):
    """``told(branches, **more)``: every message about a race with these branches, and the runs that are kept."""
    loader = PairLoader(lambda: pair).start()
    assert loader.wait(60)
    runs, device = KeptRuns(), Device()

    def ask(branches, run=RUN, **more):
        form = FORM | {"branches": branches, "run": run} | more
        return [one for one in race_messages(loader, runs, device, form) if one["kind"] != "waiting"]

    ask.runs, ask.loader, ask.device = runs, loader, device
    return ask


def base(pair):
    return decode(pair, "speculative", "abc def", max_new_tokens=16, seed=3, gamma=3, temperature=1.0)


def test_a_branch_is_a_lane_of_its_own_beside_the_one_that_it_leaves(pair, told):
    messages = told([HAND, {"of": 1, "iteration": 3}, {"of": 0, "iteration": 2, "options": {"temperature": 0.5}}])
    last = messages[-1]
    assert last["state"] == "finished" and [lane["title"].split(", ")[-1] for lane in last["lanes"][1:]] == [
        "branch 1",
        "branch 2",
        "branch 3",
    ]
    traces = existing(told.runs.traces(RUN))
    assert [first_problem(trace) for trace in traces] == [None] * 4
    plain = base(pair)
    assert traces[0].tokens == plain.tokens
    assert traces[1].tokens == branch(pair, plain, 1, at=0, token=" x").tokens
    assert traces[2].tokens == branch(pair, traces[1], 3).tokens
    assert traces[3].tokens == branch(pair, plain, 2, temperature=0.5).tokens
    first, second, third = last["forks"]
    start = sum(len(one.emitted) for one in plain.iterations[:1])
    assert (first["lane"], first["of"], first["position"], first["change"]) == (1, 0, start, "by hand: “·x”")
    assert (second["of"], second["change"]) == (1, "other chance from here on")
    assert third["of"] == 0 and third["change"] == "Temperature: 1 → 0.50"
    assert "parts from the record at token" in first["said"] and "in branch 1" in first["said"]
    assert "Branch 2 " in second["said"] and "from branch 1" in second["said"] or "as branch 1" in second["said"]
    assert last["verdict"] == [] and last["branches"][0] == HAND


def test_a_changed_coin_is_named_with_both_numbers(pair, told):
    plain = base(pair)
    index = next(i for i in range(len(plain.iterations)) if changeable(plain, i)["coins"])
    coin = changeable(plain, index)["coins"][0]
    (*_, last) = told([{"of": 0, "iteration": index, "coins": {str(coin["decision"]): 0.91}}])
    assert last["forks"][0]["change"].endswith(f"{coin['uniform']:.2g} → 0.91")


def test_links_find_it_and_a_run_that_is_gone_is_made_again(pair, told):
    told([HAND])
    form = FORM | {"branches": [HAND]}
    found = found_view(told.runs, form)
    assert found is not None and found["run"] == RUN and found["branches"] == [HAND]
    assert found_view(told.runs, FORM | {"branches": [HAND | {"at": 1}]}) is None
    again = made_again(told.loader, told.device, read_settings(form | {"run": RUN}))
    assert [trace.tokens for trace in again] == [trace.tokens for trace in existing(told.runs.traces(RUN))]


def test_a_kept_lane_is_left_without_being_run_again(pair, told, monkeypatch):
    made = []
    monkeypatch.setattr(branching, "branch_run", lambda pair, trace, *a, **k: made.append(trace) or 1 / 0)
    other = "ef" * 16
    told.runs.keep(other, [None, base(pair)])
    told([HAND], parent={"run": other, "lane": 1})
    assert made[0] is told.runs.traces(other)[1]
    told([HAND], run="12" * 16, parent={"run": other, "lane": 1}, seed=4)  # another run than the form says
    assert made[1].header.seed == 4
    told([HAND], run="34" * 16, parent={"run": other, "lane": 0})  # nothing there
    assert made[2].tokens == made[0].tokens and made[2] is not made[0]


REFUSED = [
    ([HAND | {"iteration": 99}], "iteration must be 0 to .*, got 99"),
    ([HAND | {"iteration": -1}], "An iteration is asked for by its number"),
    ([HAND | {"of": 1}], "Branch 1 leaves lane 2, which is not there"),
    ([HAND | {"token": "x" * 201}], "A token put by hand is an id, or text of up to 200 characters"),
    ([HAND | {"token": "abcdefgh" * 24}], "text put by hand must be 1 to 64 tokens"),
    ([HAND | {"token": 10**30}], "token must be an id from 0 to"),
    ([HAND | {"coins": {"1": 0.5}}], "coins cannot be changed where the iteration is cut"),
    ([{"of": 0, "iteration": 0, "coins": {"1": "half"}}], "coins map decisions"),
    ([{"of": 0, "iteration": 0, "options": {"pair": 1}}], "there is no option 'pair'"),
    ([{"of": 0, "iteration": 0, "options": {"method": "mtad"}}], "there is no option 'method'"),
    ([{"of": 0, "iteration": 0, "options": {"gamma": 2}}], "gamma does not rule this iteration's verdict"),
    ([HAND] * 4, "A run can have up to 3 branches"),
    ("no", "up to 3 branches"),
]


@pytest.mark.parametrize(("branches", "sentence"), REFUSED, ids=[sentence for _, sentence in REFUSED])
def test_what_cannot_be_is_refused_in_a_sentence(told, branches, sentence):
    last = told(branches)[-1]
    assert last["kind"] == "refused" and re.search(sentence, last["message"])


def test_branches_have_one_lane_and_a_race_two(told):
    assert "one lane" in told([HAND], lanes=[LANE, LANE])[-1]["message"]
    assert "a race has 2 to 4 lanes" in told([])[-1]["message"]
