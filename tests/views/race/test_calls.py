"""What target calls cost: medians by the tokens read, compared only where they compare."""

from dataclasses import replace

import pytest

from specviz.trace.record import Call
from specviz.views.race.calls import call_costs, call_words
from tests.recorded import load_gallery
from tests.traces import autoregressive_trace, speculative_trace


def with_calls(trace, *calls):
    """The trace with these target calls, (tokens, seconds), all in its first iteration."""
    made = tuple(Call("target", tokens, 10, seconds) for tokens, seconds in calls)
    empty = tuple(replace(iteration, calls=()) for iteration in trace.iterations)
    return replace(trace, iterations=(replace(empty[0], calls=(*made, Call("draft", 1, 10, 9.0))), *empty[1:]))


ONE = with_calls(autoregressive_trace(), (1, 0.010), (1, 0.012), (1, 0.011), (7, 1.0))
FIVE = with_calls(speculative_trace(), (5, 0.012), (5, 0.0142), (1, 0.5))


def test_medians_by_the_tokens_that_were_read():
    assert call_costs([ONE, FIVE]) == [
        {"tokens": 1, "seconds": pytest.approx(0.0115), "calls": 4},
        {"tokens": 5, "seconds": pytest.approx(0.0131), "calls": 2},
    ]


def test_it_is_said_what_several_tokens_cost_beside_one():
    said = call_words(call_costs([ONE, FIVE]))
    assert said.startswith(
        "Reading 5 tokens in one target call took 1.14 times as long as reading one (13.1 ms against 11.5 ms)"
    )


def test_nothing_is_said_where_nothing_compares():
    header = replace(FIVE.header, target=replace(FIVE.header.target, fingerprint="another"))
    assert call_costs([ONE, replace(FIVE, header=header)]) == []
    assert call_words(call_costs([ONE])) == ""
    assert call_words([]) == "" and call_costs([]) == []


def test_the_recorded_race_tells_it():
    gallery = {trace.header.method.name: trace for trace in load_gallery()}
    costs = call_costs([gallery[name] for name in ("autoregressive", "speculative", "mtad", "medusa")])
    assert [cost["tokens"] for cost in costs] == sorted(cost["tokens"] for cost in costs)
    assert costs[0]["tokens"] == 1 and len(costs) > 2 and call_words(costs)
