"""The metrics against numbers worked out by hand on the sample traces."""

from dataclasses import fields, replace
from math import exp

import pytest

from specviz.measure.cost import total_flops
from specviz.measure.summary import METRIC_HELP, OFTEN, acceptance_by_depth, agreements, call_slowdown, summarise
from specviz.trace.record import Call, Metrics
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace


def summary_of(trace, joules=None) -> Metrics:
    return summarise(trace.iterations, trace.header, trace.prefill_seconds, joules)


def test_every_metric_is_explained():
    assert list(METRIC_HELP) == [field.name for field in fields(Metrics)]
    assert all(help.label and help.meaning.endswith(".") for help in METRIC_HELP.values())


def test_speculative_sample():
    metrics = summary_of(speculative_trace())  # accepted 1, 3, 0 of 3 each; 2 + 4 + 1 tokens
    assert (metrics.tokens, metrics.target_calls, metrics.draft_calls) == (7, 3, 9)
    assert metrics.tokens_per_target_call == pytest.approx(7 / 3)
    assert metrics.acceptance_rate == pytest.approx(4 / 9)
    assert metrics.longest_accepted == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert metrics.seconds == pytest.approx(3 * 0.0135)
    assert metrics.tokens_per_second == pytest.approx(7 / 0.0405)
    assert metrics.seconds_to_first_token == pytest.approx(0.02 + 0.0135)
    assert metrics.record_seconds == pytest.approx(0.0006)
    assert metrics.joules_per_token is None


def test_iterations_of_unequal_depth_weigh_the_same():
    trace = speculative_trace()
    short = replace(trace.iterations[0], offered=1, accepted=1, depth=1)
    metrics = summary_of(replace(trace, iterations=(short, *trace.iterations[2:])))
    assert metrics.acceptance_rate == pytest.approx(1 / 4)
    assert metrics.longest_accepted == pytest.approx((1 / 1 + 0 / 3) / 2)


@pytest.mark.parametrize("sample", [autoregressive_trace, speculative_trace, mtad_trace])
def test_sums_over_the_whole_run(sample):
    trace = sample()
    metrics = summary_of(trace, joules=6.0)
    emitted = [token for iteration in trace.iterations for token in iteration.emitted]
    calls = [call for iteration in trace.iterations for call in iteration.calls]
    assert metrics.tokens == len(trace.tokens) == len(emitted)
    assert metrics.perplexity == pytest.approx(exp(-sum(token.logprob for token in emitted) / len(emitted)))
    flops = total_flops(calls, trace.header)
    assert metrics.flops_per_token == pytest.approx(flops / len(emitted))
    assert metrics.kv_rows_peak == max(iteration.rows_peak for iteration in trace.iterations)
    assert metrics.joules_per_token == pytest.approx(6.0 / len(emitted))


def test_autoregressive_has_no_acceptance():
    metrics = summary_of(autoregressive_trace())
    assert metrics.acceptance_rate is None
    assert metrics.longest_accepted is None
    assert metrics.tokens_per_target_call == 1.0
    assert metrics.draft_calls == 0


def test_calls_have_a_mean_time_by_model():
    trace, metrics = speculative_trace(), summary_of(speculative_trace())
    calls = [call for iteration in trace.iterations for call in iteration.calls]
    for role, found in (("target", metrics.ms_per_target_call), ("draft", metrics.ms_per_draft_call)):
        seconds = [call.seconds for call in calls if call.role == role]
        assert len(seconds) > 1 and found == pytest.approx(1000 * sum(seconds) / len(seconds))
    assert summary_of(autoregressive_trace()).ms_per_draft_call is None


def test_an_empty_run_has_no_ratios():
    trace = autoregressive_trace()
    metrics = summarise((), trace.header, 0.25)
    assert (metrics.tokens, metrics.seconds, metrics.kv_rows_peak) == (0, 0, 0)
    assert metrics.seconds_to_first_token == 0.25
    for name in ("tokens_per_second", "tokens_per_target_call", "perplexity", "flops_per_token", "joules_per_token"):
        assert getattr(metrics, name) is None


def test_a_table_model_has_no_flops():
    trace = autoregressive_trace()
    table = replace(trace.header.target, parameters=0, embedding_parameters=0, layers=0, width=0)
    header = replace(trace.header, target=table, draft=None)
    assert summarise(trace.iterations, header, 0.0).flops_per_token is None


def test_the_share_of_the_processor_is_of_the_iterations():
    trace = speculative_trace()
    assert summary_of(trace).processor_share is None
    metrics = summarise(trace.iterations, trace.header, 9.0, thread_seconds=0.027)
    assert metrics.processor_share == pytest.approx(0.027 / 0.0405)
    assert summarise((), trace.header, 9.0, thread_seconds=0.0).processor_share is None


def test_acceptance_by_depth_counts_those_whose_forerunners_were_kept():
    metrics = summary_of(speculative_trace())  # accepted 1, 3, 0 of 3 each
    assert metrics.acceptance_by_depth == pytest.approx((2 / 3, 1 / 2, 1.0))
    (first, second, third) = speculative_trace().iterations
    assert acceptance_by_depth([third]) == (0.0,)  # nothing was judged at depth 2
    short = replace(second, offered=2, accepted=2, depth=2)  # all of a short draft is kept: none is lost at depth 3
    assert acceptance_by_depth([first, short]) == pytest.approx((1.0, 1 / 2))
    assert summary_of(autoregressive_trace()).acceptance_by_depth == ()


def test_alpha_is_what_the_distributions_share_where_they_are_judged():
    trace = speculative_trace()
    judged = [one for iteration in trace.iterations for one in iteration.decisions if one.rule == "coin"]
    shared = [sum(min(one.target.prob(t), one.draft.prob(t)) for t in range(14)) for one in judged]
    assert summary_of(trace).alpha == pytest.approx(sum(shared) / len(shared))
    assert 0.0 < summary_of(trace).alpha < 1.0
    assert summary_of(autoregressive_trace()).alpha is None


def test_alpha_takes_the_first_of_several_candidates_for_a_place():
    one, other, _ = speculative_trace().iterations
    first, elsewhere = one.decisions[0], other.decisions[0]
    later = replace(first, candidate=1, target=elsewhere.target, draft=elsewhere.draft)
    assert agreements(replace(one, decisions=(first, later))) == agreements(replace(one, decisions=(first,)))


def made(seconds, *, tokens=1, role="target", draft=0) -> list[Call]:
    return [Call(role, tokens, 0, one, draft) for one in seconds]


def test_calls_are_compared_with_the_fastest_of_their_kind():
    target, others = made([3.0, 1.0, 3.0, 2.0, 3.0]), made([10.0] * 6, tokens=8)
    assert call_slowdown(target) == 3.0
    assert call_slowdown(target + others) == 1.0  # six of eleven are no slower than they can be
    assert call_slowdown(target + made([0.5] * 5, role="draft")) == 1.0
    assert call_slowdown(made([0.5] * 5, role="draft") + made([2.0] * 5, role="draft", draft=1)) == 1.0


def test_a_kind_of_call_made_seldom_says_nothing():
    assert call_slowdown(made([1.0] + [5.0] * (OFTEN - 2))) is None
    assert call_slowdown(made([1.0] + [5.0] * (OFTEN - 1))) == 5.0
    assert call_slowdown(made([0.0] * OFTEN)) is call_slowdown([]) is None
