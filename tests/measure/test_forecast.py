"""What theory expects of a run, from the run's own acceptance and costs: against hand-made traces a pair."""

from dataclasses import replace

import pytest

import specviz
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.measure.forecast import forecast
from specviz.measure.theory import MOST_GAMMA, expected_tokens
from specviz.trace.distribution import overlap
from specviz.trace.record import Call, MethodRecord
from specviz.trace.store import load_trace
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace


def chain(trace, **changes):
    method = MethodRecord("speculative", "", "", "target", "", {}, drafter="chain", verifier="token")
    return replace(trace, header=replace(trace.header, method=method, **changes))


def timed(trace, calls, seconds, speed):
    """Every iteration with these calls, (role, tokens, seconds), and so many seconds in all."""
    made = tuple(Call(role, tokens, 10, spent) for role, tokens, spent in calls)
    iterations = tuple(replace(one, calls=made) for one in trace.iterations)
    return replace(
        trace, iterations=iterations, metrics=replace(trace.metrics, seconds=seconds, tokens_per_second=speed)
    )


def test_alpha_is_what_target_and_draft_share_where_a_guess_was_judged():
    trace = chain(speculative_trace())
    found = forecast(trace)
    coins = [one for iteration in trace.iterations for one in iteration.decisions if one.rule == "coin"]
    by_hand = sum(overlap(coin.target, coin.draft) for coin in coins) / len(coins)
    assert found is not None and found.judged == len(coins) == 6
    assert found.alpha == pytest.approx(by_hand)
    assert found.depths == (3, 3, 3) and found.tokens == pytest.approx(expected_tokens(by_hand, 3))
    assert found.tokens_measured == pytest.approx(sum(len(one.emitted) for one in trace.iterations) / 3)
    assert (found.costs, found.speed, found.best_gamma) == (None, None, None)


def test_costs_are_in_calls_on_one_token_and_explain_the_speed_exactly():
    plain = timed(autoregressive_trace(), [("target", 1, 0.010)], 0.036, 100.0)
    drafts = [("draft", 1, 0.002)] * 3
    found = forecast(chain(timed(speculative_trace(), [*drafts, ("target", 4, 0.015)], 0.072, 150.0)), plain)
    assert found is not None and found.costs is not None and found.speed is not None
    assert found.costs.draft == pytest.approx(0.2) and found.costs.verify == pytest.approx(1.5)
    assert found.costs.other == pytest.approx(0.3) and found.costs.other_plain == pytest.approx(0.2)
    assert found.speed == pytest.approx(found.tokens / (3 * 0.2 + 1.5)) and found.speed_measured == pytest.approx(1.5)


def test_the_best_gamma_is_small_where_drafting_costs_much_and_large_where_it_costs_nothing():
    plain = timed(autoregressive_trace(), [("target", 1, 0.010)], 0.036, 100.0)

    def best(draft, verify):
        calls = [("draft", 1, draft)] * 3 + [("target", 4, verify)]
        return forecast(chain(timed(speculative_trace(), calls, 0.1, 150.0)), plain).best_gamma

    assert best(0.010, 0.02) == 1 and best(0.0, 0.010) == MOST_GAMMA
    assert 1 < best(0.0005, 0.0105) < MOST_GAMMA


def test_leniently_more_is_accepted():
    strict, lenient = (forecast(chain(speculative_trace(), options={"lenience": one})) for one in (1.0, 0.5))
    assert strict is not None and lenient is not None and strict.alpha < lenient.alpha <= 1.0


def test_nothing_is_said_of_other_methods_and_of_runs_without_a_record():
    assert forecast(mtad_trace()) is None and forecast(autoregressive_trace()) is None
    trace = chain(speculative_trace())
    bare = replace(trace, iterations=tuple(replace(one, decisions=()) for one in trace.iterations))
    assert forecast(bare) is None


@pytest.mark.full
def test_where_acceptance_does_not_depend_on_the_place_the_run_is_as_expected():
    """A table model with one distribution for every context: Equation 1 holds, to within chance."""

    target = TableLM(lambda _: [0.6, 0.3, 0.1], 3)
    draft = TableLM(lambda _: [0.3, 0.3, 0.4], 3)
    trace = specviz.decode(
        ModelPair(target, draft), "speculative", [0], max_new_tokens=3000, gamma=3, seed=5, top_k=None, top_p=1.0
    )
    found = forecast(trace)
    assert found is not None and found.alpha == pytest.approx(0.7) and found.tokens_error is not None
    assert abs(found.tokens_measured - found.tokens) < 3 * found.tokens_error < 0.2


def test_the_recorded_lanes_of_the_opening_race():
    lanes = [load_trace(f"assets/gallery/{name}.json") for name in ("04-speculative", "01-autoregressive")]
    found = forecast(*lanes)
    assert found is not None and found.speed is not None and 0.0 < found.alpha < 1.0
    assert found.speed / found.speed_measured == pytest.approx(1.0, abs=0.5)
