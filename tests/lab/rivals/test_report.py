"""Comparisons against numbers worked out by hand from the sample traces."""

from dataclasses import replace

import pytest

from specviz.commands.show_bench import gpu_markdown
from specviz.lab.rivals.costs import accounts, iteration_cost
from specviz.lab.rivals.drawing import accounts_figure
from specviz.lab.rivals.entered import ASSISTED, EAGER, GENERATE, RECORDED
from specviz.lab.rivals.llamacpp import GENERATE as LLAMA_CPP
from specviz.lab.rivals.report import contender_row, contenders, ratios
from specviz.lab.sweep.grid import Setting
from specviz.lab.sweep.plan import Task
from specviz.lab.sweep.prompts import SweepPrompt
from specviz.lab.sweep.running import _row
from specviz.lab.sweep.written import RivalText, rival_columns, trace_columns
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
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
PAIR = ModelPair(TableLM.random(4, 0), TableLM.random(4, 1))
CALLS = [Call(role, rows, 0, seconds) for role, rows, seconds in (("draft", 1, 0.25), ("target", 4, 1.0)) * 3]


def sample(name, turn, slower=1.0, wall=1.0, perplexity=5.0, prompt=0):
    """A run of a sample trace whose own clock is ``slower``; a rival's has 10 tokens and no calls that are seen."""
    setting = Setting(name, name, {})
    task = Task(f"{turn:032x}", setting, SweepPrompt(str(prompt), "", [0]), turn, turn, 10)
    method = name.removesuffix(RECORDED).removesuffix(EAGER)
    if method in SAMPLES:
        trace = SAMPLES[method]()
        own = trace_columns(replace(trace, metrics=replace(trace.metrics, seconds=trace.metrics.seconds * slower)))
        own["metrics"] = replace(own["metrics"], perplexity=perplexity)
        own["metrics"] = replace(own["metrics"], tokens_per_second=own["metrics"].tokens / own["metrics"].seconds)
    else:
        own = rival_columns(RivalText((1,) * 10), PAIR, [0], frozenset(), wall, None)
        own["metrics"] = replace(own["metrics"], perplexity=perplexity)
    return replace(_row(PAIR, task, own, wall, 1.0, None), disturbed=None)


def ratio(rows, name, word=""):
    (one,) = [one for one in ratios(rows) if one.name == name and word in one.meaning]
    return one


def test_a_row_is_the_median_over_rounds():
    rows = [sample("speculative", turn, wall=wall) for turn, wall in enumerate((1.0, 3.0))]
    row = contender_row("speculative", contenders(rows))
    trace = speculative_trace()  # 7 tokens, 3 target calls, 4 of 9 accepted, 3 iterations of 13.5 ms
    medians = {name: value["median"] for name, value in row.items() if isinstance(value, dict)}
    assert medians["tokens_per_second"] == pytest.approx(7 / 0.0405)
    assert medians["whole_call"] == pytest.approx((7 / 1 + 7 / 3) / 2)
    assert row["whole_call"]["low"] is None  # too few rounds, a single prompt
    assert medians["tokens_per_target_call"] == pytest.approx(7 / 3)
    assert medians["acceptance_rate"] == pytest.approx(4 / 9)
    assert (row["guarantee"], medians["target_calls"], medians["draft_calls"]) == ("target", 3, 9)
    assert medians["outside"] == pytest.approx(0.5 / 13.5)
    assert medians["kv_rows_peak"] == trace.metrics.kv_rows_peak


def test_a_rival_has_only_what_can_be_seen_from_outside():
    row = contender_row(GENERATE, contenders([sample(GENERATE, 0, wall=2.0)]))
    known = {name for name, value in row.items() if value is not None}
    assert known == {"contender", "whole_call", "perplexity", "disturbed"}
    assert (row["whole_call"]["median"], row["perplexity"]["median"]) == pytest.approx((5.0, 5.0))


def test_ratios_are_taken_within_a_round():
    rows = []
    for turn, slower in enumerate((1.0, 50.0, 2.0, 3.0, 1.0, 4.0)):  # a slow machine slows both
        for prompt in range(2):
            rows += [sample(name, turn, slower, prompt=prompt) for name in ("autoregressive", "speculative")]
    speed = ratio(rows, "speculative / autoregressive")
    expected = (7 / 0.0405) / (3 / 0.0315)
    assert (speed.low, speed.median, speed.high) == pytest.approx((expected, expected, expected))


def test_every_comparison():
    names = ["autoregressive", "speculative", "speculative (recorded)", "mtad", GENERATE, ASSISTED, LLAMA_CPP]
    names += [f"{GENERATE}, compiled", "speculative (eager)"]
    walls = dict(zip(names, (1.0, 0.5, 0.8, 0.4, 3.0, 2.0, 0.25, 2.5, 1.0), strict=True))
    slower = {"speculative (recorded)": 1.25, "speculative (eager)": 4.0}
    perplexities = {"mtad": 3.0, "speculative": 6.0}
    rows = [sample(n, t, slower.get(n, 1.0), walls[n], perplexities.get(n, 5.0)) for t in range(2) for n in names]
    assert ratio(rows, "mtad / speculative", "perplexity").median == pytest.approx(0.5)
    assert ratio(rows, f"autoregressive / {GENERATE}").median == pytest.approx((3 / 1.0) / (10 / 3.0))
    assert ratio(rows, f"autoregressive / {GENERATE}, compiled").median == pytest.approx((3 / 1.0) / (10 / 2.5))
    assert ratio(rows, f"speculative / {ASSISTED}").median == pytest.approx((7 / 0.5) / (10 / 2.0))
    for name, speed in (("autoregressive", 3 / 1.0), ("speculative", 7 / 0.5)):
        assert ratio(rows, f"{name} / {LLAMA_CPP}").median == pytest.approx(speed / (10 / 0.25))
    for other, own, whole in (("recorded", 1 / 1.25, 0.5 / 0.8), ("eager", 4.0, 2.0)):
        names = (f"speculative ({other})", "speculative")
        named = " / ".join(names if other == "recorded" else names[::-1])
        assert (ratio(rows, named, "own clocks").median, ratio(rows, named, "whole").median) == pytest.approx(
            (own, whole)
        )
    assert ratio(rows, "overhead of autoregressive").median == pytest.approx(0.5 / 10.5)


def test_disturbed_runs_are_counted_and_left_out_of_what_is_timed():
    names = ("autoregressive", "speculative", GENERATE)
    quiet = [sample(name, turn) for turn in range(3) for name in names]
    busy = [sample(name, 3, slower=50.0, wall=50.0, perplexity=9.0) for name in names]
    busy = [replace(row, disturbed="processor_share") for row in busy]
    row, alone = (contender_row("speculative", contenders(rows)) for rows in ([*quiet, *busy], quiet))
    assert (row["disturbed"], alone["disturbed"]) == (1, 0)
    assert (row["tokens_per_second"], row["whole_call"]) == (alone["tokens_per_second"], alone["whole_call"])
    assert ratios([*quiet, *busy]) == ratios(quiet) != [] and accounts([*quiet, *busy]) == accounts(quiet)
    assert ratios(busy) == accounts(busy) == []


def test_the_limit_is_theorem_3_8_with_measured_costs():
    rows = [sample(name, turn) for turn in range(2) for name in ("autoregressive", "speculative")]
    cost = iteration_cost(rows[1::2], rows[::2])  # accepted 1, 3, 0 of 3: judged 2, 3, 1; calls of 1 ms and 10 ms
    assert (cost.gamma, cost.acceptance) == (3, pytest.approx(4 / 6))
    assert (cost.unit, cost.drafting, cost.verifying) == pytest.approx((0.010, 0.3, 1.0))
    limit = expected_tokens(4 / 6, 3) / 1.3
    assert ratio(rows, "speed-up / its limit").median == pytest.approx((7 / 0.0405) / (3 / 0.0315) / limit)


def test_an_account_says_where_an_iteration_goes():
    names = ("autoregressive", "speculative", "speculative (recorded)", GENERATE)
    plain, chain = accounts([sample(name, turn) for turn in range(2) for name in names])  # ours, not recorded
    assert (plain.contender, chain.contender) == ("autoregressive", "speculative")
    assert (chain.tokens, chain.read) == pytest.approx((7 / 3, 4.0))
    parts = (chain.seconds, chain.target, chain.drafting, chain.outside)
    assert parts == pytest.approx((0.0135, 0.010, 0.003, 0.0005))
    assert (plain.seconds, plain.drafting) == pytest.approx((0.0105, 0.0))
    figure = accounts_figure([plain, chain])
    assert list(figure.layout.yaxis.ticktext) == ["autoregressive", "speculative"]
    sums = [sum(bar.x[number] for bar in figure.data) for number in range(2)]
    assert sums == pytest.approx([1e3 * account.seconds for account in (plain, chain)])


def test_an_account_of_transformers_leaves_out_reading_the_prompt():
    columns = rival_columns(RivalText((1,) * 10, tuple(CALLS), reading=2.5), PAIR, [0], frozenset(), 7.0, None)
    metrics = columns["metrics"]
    assert (metrics.seconds, metrics.target_calls, metrics.tokens_per_target_call) == (4.5, 4, 2.5)
    row = replace(sample(ASSISTED, 0), metrics=metrics, parts=columns["parts"])
    (account,) = accounts([row, row])
    assert (account.contender, account.tokens, account.read) == (ASSISTED, pytest.approx(10 / 4), 4.0)
    parts = (account.seconds, account.target, account.drafting, account.outside, account.rest)
    assert parts == pytest.approx((1.5, 1.0, 0.25, 0.25, 0.25))
    done = rival_columns(RivalText((1,) * 2, tuple(CALLS[:1])), PAIR, [0], frozenset(), 7.0, None)
    assert accounts([replace(row, parts=done["parts"])]) == []  # with reading the prompt


def test_where_a_number_does_not_exist_there_is_no_ratio():
    rows = [sample("speculative", 0), sample("mtad", 0, perplexity=None)]
    assert [one.meaning for one in ratios(rows) if one.name == "mtad / speculative"] == ["speed by own clocks"]
    assert [one.name for one in ratios([sample("mtad", 0)])] == ["overhead of mtad"]
    assert ratios([sample(GENERATE, 0)]) == []


def test_a_pair_that_did_not_fit_is_said_to_be_left_out():
    text = gpu_markdown([{"name": "llama-13b", "note": "A note.", "does_not_fit": "out of memory on cuda"}])
    assert text.endswith("## llama-13b\n\nA note.\n\nLeft out: out of memory on cuda")
