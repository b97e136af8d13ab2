"""Comparisons against numbers worked out by hand from the sample traces."""

from dataclasses import replace
from math import exp, log

import pytest

from specviz.lab.bench.comparison import ratios, rows
from specviz.lab.bench.drawing import accounts_figure
from specviz.lab.bench.iteration_costs import accounts, chain_cost
from specviz.lab.bench.llamacpp import GENERATE as LLAMA_CPP
from specviz.lab.bench.runs import ASSISTED, GENERATE, BenchRun, Spent, of_trace, spent_in
from specviz.measure.theory import expected_tokens
from specviz.trace.record import Call
from tests.beam_traces import layers_trace
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

SAMPLES = {
    "autoregressive": autoregressive_trace,
    "speculative": speculative_trace,
    "mtad": mtad_trace,
    "dsbd": layers_trace,
}


SLOWER = (0, 1.0), (1, 2.0), (7, 9.0)  # by prompt, the last of which the other has not


def sample(
    name: str, turn: int, slower: float = 1.0, wall: float = 1.0, perplexity: float = 5.0, prompt: int = 0
) -> BenchRun:
    """A run of a sample trace whose own clock is ``slower``; a rival's has 10 tokens."""
    method = name.split(" ")[0]
    if method not in SAMPLES:
        return BenchRun(name, turn, prompt, 10, wall, 10 * log(perplexity), 10)
    trace = SAMPLES[method]()
    trace = replace(trace, metrics=replace(trace.metrics, seconds=trace.metrics.seconds * slower))
    run = of_trace(BenchRun(name, turn, prompt, len(trace.tokens), wall, 0.0, len(trace.tokens)), trace)
    return replace(run, nll=run.tokens * log(perplexity))


def ratio(runs, name: str, word: str = ""):
    (found,) = [one for one in ratios(runs) if one.name == name and word in one.meaning]
    return found.value


def test_a_row_sums_over_all_runs():
    runs = [sample("speculative", 0, wall=1.0, perplexity=4.0), sample("speculative", 1, wall=3.0, perplexity=9.0)]
    (row,) = rows(runs)
    trace = speculative_trace()  # 7 tokens, 3 target calls, 4 of 9 accepted, 3 iterations of 13.5 ms
    assert row.tokens_per_second.median == pytest.approx(7 / 0.0405)
    assert row.whole_call.median == pytest.approx((7 / 1 + 7 / 3) / 2)
    assert row.whole_call.low is row.whole_call.high is None  # too few rounds, a single prompt
    assert row.tokens_per_target_call == pytest.approx(7 / 3)
    assert row.acceptance_rate == pytest.approx(4 / 9)
    assert row.perplexity == pytest.approx(6.0)  # geometric
    assert row.guarantee == "target"
    assert row.longest_accepted == pytest.approx(trace.metrics.longest_accepted)
    assert row.kv_rows_peak == trace.metrics.kv_rows_peak
    assert (row.target_calls, row.draft_calls) == (3, 9)  # per run, of two
    assert row.flops_per_token == pytest.approx(trace.metrics.flops_per_token)


def test_a_rival_has_only_what_can_be_seen_from_outside():
    (row,) = rows([sample(GENERATE, 0, wall=2.0)])
    assert row.tokens_per_second is row.tokens_per_target_call is row.acceptance_rate is row.flops_per_token is None
    assert row.guarantee is row.longest_accepted is row.kv_rows_peak is row.target_calls is row.draft_calls is None
    assert row.whole_call.median == pytest.approx(5.0)
    assert row.perplexity == pytest.approx(5.0)


def test_ratios_are_taken_within_a_round():
    runs = []
    for turn, slower in enumerate((1.0, 50.0, 2.0, 3.0, 1.0, 4.0)):  # a slow machine slows both
        for prompt in range(2):
            runs += [sample(name, turn, slower, prompt=prompt) for name in ("autoregressive", "speculative")]
    speed = ratio(runs, "speculative / autoregressive")
    expected = (7 / 0.0405) / (3 / 0.0315)
    assert (speed.low, speed.median, speed.high) == pytest.approx((expected, expected, expected))


def test_intervals_are_over_prompts_and_rounds_together():
    """What differs between prompts alone has an interval, too: other prompts would give another number."""
    runs = [sample("speculative", turn, wall=1.0 + prompt, prompt=prompt) for turn in range(6) for prompt in range(4)]
    (row,) = rows(runs)
    assert row.whole_call.median == pytest.approx(4 * 7 / 10)
    assert row.whole_call.low < 0.9 * row.whole_call.median and row.whole_call.high > 1.1 * row.whole_call.median
    (fewer,) = rows([run for run in runs if run.round < 5])
    assert (fewer.whole_call.median, fewer.whole_call.low) == (pytest.approx(4 * 7 / 10), None)


def test_a_ratio_counts_the_prompts_that_both_ran():
    runs = [sample("autoregressive", turn, prompt=prompt) for turn in range(6) for prompt in range(3)]
    runs += [
        sample("speculative", turn, slower=slower, prompt=prompt) for turn in range(6) for prompt, slower in SLOWER
    ]
    speed = ratio(runs, "speculative / autoregressive")
    assert speed.median == pytest.approx((7 / 0.0405 / 1.5) / (3 / 0.0315)) and speed.prompts == 2


def test_every_comparison():
    names = ["autoregressive", "speculative", "speculative (recorded)", "mtad", GENERATE, ASSISTED, LLAMA_CPP]
    walls = dict(zip(names, (1.0, 0.5, 0.8, 0.4, 3.0, 2.0, 0.25), strict=True))
    slower = {"speculative (recorded)": 1.25}
    perplexities = {"mtad": 3.0, "speculative": 6.0}
    runs = [sample(n, t, slower.get(n, 1.0), walls[n], perplexities.get(n, 5.0)) for t in range(2) for n in names]
    assert ratio(runs, "mtad / speculative", "own clocks").median == pytest.approx((6 / 0.0270) / (7 / 0.0405), rel=0.1)
    assert ratio(runs, "mtad / speculative", "perplexity").median == pytest.approx(0.5)
    assert ratio(runs, f"autoregressive / {GENERATE}").median == pytest.approx((3 / 1.0) / (10 / 3.0))
    assert ratio(runs, f"speculative / {ASSISTED}").median == pytest.approx((7 / 0.5) / (10 / 2.0))
    for name, speed in (("autoregressive", 3 / 1.0), ("speculative", 7 / 0.5)):
        assert ratio(runs, f"{name} / {LLAMA_CPP}").median == pytest.approx(speed / (10 / 0.25))
    assert ratio(runs, "speculative (recorded) / speculative", "own clocks").median == pytest.approx(0.8)
    assert ratio(runs, "speculative (recorded) / speculative", "whole calls").median == pytest.approx(0.5 / 0.8)
    assert ratio(runs, "overhead of autoregressive").median == pytest.approx(0.5 / 10.5)
    assert ratio(runs, "overhead of speculative").median == pytest.approx(0.5 / 13.5)


def test_graphs_are_held_against_eager_calls():
    names = ["speculative", "speculative (eager)", "dsbd"]
    walls, slower = {"speculative (eager)": 2.0}, {"speculative (eager)": 4.0}
    runs = [sample(n, t, slower.get(n, 1.0), walls.get(n, 1.0)) for t in range(2) for n in names]
    assert ratio(runs, "speculative / speculative (eager)", "own clocks").median == pytest.approx(4.0)
    assert ratio(runs, "speculative / speculative (eager)", "whole calls").median == pytest.approx(2.0)
    assert ratio(runs, "overhead of speculative").median == pytest.approx(0.5 / 13.5)  # of the one with graphs
    assert ratio(runs, "overhead of dsbd").median > 0


def test_disturbed_runs_are_counted_and_left_out_of_what_is_timed():
    names = ("autoregressive", "speculative", GENERATE)
    quiet = [sample(name, turn) for turn in range(3) for name in names]
    busy = [sample(name, 3, slower=50.0, wall=50.0, perplexity=9.0) for name in names]
    busy = [replace(run, disturbed="processor_share", spent=run.spent and double(run.spent)) for run in busy]
    found, alone = rows([*quiet, *busy]), rows(quiet)
    assert [row.disturbed for row in found] == [1, 1, 1] and [row.disturbed for row in alone] == [0, 0, 0]
    for both in zip(found, alone, strict=True):
        assert len({(row.tokens_per_second, row.whole_call) for row in both}) == 1
    assert found[1].perplexity > alone[1].perplexity and found[1].target_calls == 3  # these count
    assert ratios([*quiet, *busy]) == ratios(quiet) != []
    assert accounts([*quiet, *busy]) == accounts(quiet) and chain_cost([*quiet, *busy]) == chain_cost(quiet)
    assert ratios(busy) == accounts(busy) == [] and rows(busy)[0].tokens_per_second is chain_cost(busy) is None


def double(spent: Spent) -> Spent:
    return replace(spent, seconds=3 * spent.seconds, target=2 * spent.target, drafting=2 * spent.drafting)


def test_the_limit_is_theorem_3_8_with_measured_costs():
    runs = [sample(name, turn) for turn in range(2) for name in ("autoregressive", "speculative")]
    cost = chain_cost(runs)  # accepted 1, 3, 0 of 3: judged 2, 3, 1; calls of 1 ms and 10 ms
    assert (cost.gamma, cost.acceptance) == (3, pytest.approx(4 / 6))
    assert (cost.unit, cost.drafting, cost.verifying) == pytest.approx((0.010, 0.3, 1.0))
    measured = (7 / 0.0405) / (3 / 0.0315)
    limit = expected_tokens(4 / 6, 3) / 1.3
    assert ratio(runs, "speed-up / its limit").median == pytest.approx(measured / limit)


def test_an_account_says_where_an_iteration_goes():
    names = ("autoregressive", "speculative", "speculative (recorded)", GENERATE)
    plain, chain = accounts([sample(name, turn) for turn in range(2) for name in names])  # ours, not recorded
    assert (plain.contender, chain.contender) == ("autoregressive", "speculative")
    assert (chain.tokens, chain.read) == pytest.approx((7 / 3, 4.0))
    parts = (chain.seconds, chain.target, chain.drafting, chain.outside)
    assert parts == pytest.approx((0.0135, 0.010, 0.003, 0.0005))
    assert (plain.seconds, plain.drafting) == pytest.approx((0.0105, 0.0))


def test_an_account_of_transformers_leaves_out_reading_the_prompt():
    calls = [Call(role, rows, 0, seconds) for role, rows, seconds in (("draft", 1, 0.25), ("target", 4, 1.0)) * 3]
    run = replace(sample(ASSISTED, 0, wall=7.0), spent=spent_in(calls, 7.0 - 2.5))
    (account,) = accounts([run, run])
    assert (account.contender, account.tokens, account.read) == (ASSISTED, pytest.approx(10 / 4), 4.0)
    parts = (account.seconds, account.target, account.drafting, account.outside, account.rest)
    assert parts == pytest.approx((1.5, 1.0, 0.25, 0.25, 0.25))


def test_a_rival_that_was_done_with_reading_the_prompt_has_no_account():
    run = replace(sample(ASSISTED, 0), tokens=2, spent=spent_in([Call("draft", 1, 0, 0.25)], 0.5))
    assert accounts([run]) == []


def test_a_rival_at_its_best_is_compared_as_well():
    names = ["autoregressive", GENERATE, f"{GENERATE}, compiled"]
    walls = dict(zip(names, (1.0, 3.0, 2.0), strict=True))
    runs = [sample(name, turn, wall=walls[name]) for turn in range(2) for name in names]
    assert ratio(runs, f"autoregressive / {GENERATE}").median == pytest.approx((3 / 1.0) / (10 / 3.0))
    assert ratio(runs, f"autoregressive / {GENERATE}, compiled").median == pytest.approx((3 / 1.0) / (10 / 2.0))


def test_the_drawing_has_a_bar_for_each_and_its_parts_add_up():
    found = accounts([sample(name, 0) for name in ("autoregressive", "speculative")])
    figure = accounts_figure(found)
    assert list(figure.layout.yaxis.ticktext) == ["autoregressive", "speculative"]
    sums = [sum(bar.x[number] for bar in figure.data) for number in range(2)]
    assert sums == pytest.approx([1e3 * account.seconds for account in found])
    assert [note.text for note in figure.layout.annotations if "tokens" in note.text] == ["1.00 tokens", "2.33 tokens"]


def test_where_a_number_does_not_exist_there_is_no_ratio():
    runs = [sample("speculative", 0), replace(sample("mtad", 0), nll=float("inf"))]
    assert [one.meaning for one in ratios(runs) if one.name == "mtad / speculative"] == ["speed by own clocks"]


def test_without_a_partner_there_is_no_ratio():
    assert [one.name for one in ratios([sample("mtad", 0)])] == ["overhead of mtad"]
    assert ratios([sample(GENERATE, 0)]) == []
    assert chain_cost([sample("mtad", 0)]) is None


def test_impossible_text_has_no_perplexity():
    run = replace(sample("mtad", 0), nll=float("inf"))
    assert rows([run])[0].perplexity is None
    assert exp(-run.nll) == 0.0
