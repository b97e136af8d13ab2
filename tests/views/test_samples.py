"""The traces made for tests obey the rules of the record: otherwise everything shown from them is worth nothing."""

import math

import pytest

from specviz.trace.check import first_problem
from specviz.trace.decisions import known_kinds
from tests.beam_traces import BEAM_TRACES
from tests.decoded_traces import DECODED_TRACES
from tests.rule_traces import RULE_TRACES
from tests.traces import autoregressive_trace, mtad_trace, prob_of, residual, speculative_trace

PLAIN = {"autoregressive": autoregressive_trace, "speculative": speculative_trace, "mtad": mtad_trace}
TRACES = PLAIN | RULE_TRACES | BEAM_TRACES | DECODED_TRACES


@pytest.fixture(params=TRACES)
def trace(request):
    return TRACES[request.param]()


def test_every_rule_has_a_sample():
    rules = {d.rule for make in TRACES.values() for iteration in make().iterations for d in iteration.decisions}
    assert rules == {kind.rule for kind in known_kinds()}


def test_parts_agree(trace):
    assert first_problem(trace) is None


def test_coins_and_draws_give_what_they_say(trace):
    for iteration in trace.iterations:
        for decision in iteration.decisions:
            if decision.rule == "coin":
                assert decision.acceptance_probability == min(1.0, decision.target_prob / decision.draft_prob)
            if decision.rule in ("coin", "kseq", "beam-coin"):
                assert decision.accepted == (decision.uniform < decision.acceptance_probability)
            if decision.rule == "draw" and decision.uniform is not None:
                running, chosen = 0.0, None
                for token in decision.source.tokens.tolist():  # in the order of their ids
                    running += prob_of(decision.source, token)
                    chosen = token if chosen is None and decision.uniform < running else chosen
                assert chosen == decision.token


def test_residuals_follow_from_the_rejected_node():
    for iteration in speculative_trace().iterations:
        *coins, draw = iteration.decisions
        if draw.origin == "resampled":
            assert draw.source == residual(coins[-1].target, coins[-1].draft)


def test_joint_tests_keep_the_longest_passing_prefix():
    for iteration in mtad_trace().iterations:
        tests = [d for d in iteration.decisions if d.rule == "joint"]
        longest = max((d.depth for d in tests if d.passes), default=0)
        assert [d.kept for d in tests] == [d.depth <= longest for d in tests]
        assert iteration.accepted == longest
        assert tests[0].log_threshold == math.log(0.1)
    assert [d.passes for d in mtad_trace().iterations[0].decisions[:3]] == [True, False, True]


def test_rows_are_prompt_and_emitted_less_one(trace):
    length = len(trace.header.prompt_tokens)
    for iteration in trace.iterations:
        assert iteration.context_length == length
        length += len(iteration.emitted)
        assert iteration.rows == length - 1 or iteration.beams
