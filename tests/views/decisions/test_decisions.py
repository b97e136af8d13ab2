"""Probabilities, coins, staircases and draws show the record's numbers."""

from dataclasses import replace

import pytest

from specviz.views.decisions.coin import coin_data, coin_formula, coin_text
from specviz.views.decisions.residual import draw_figure, draw_text
from specviz.views.decisions.staircase import (
    joint_formula,
    jumped_over,
    per_token_cut,
    staircase_figure,
    staircase_text,
)
from specviz.views.drafts.proposal import proposal_bars, proposal_text
from specviz.views.plot import palette
from specviz.views.plot.probabilities import compare, overlap, probabilities_data, probabilities_text
from tests.traces import autoregressive_trace, distribution, mtad_trace, prob_of, speculative_trace

TRACE = speculative_trace()
REJECTED, DRAWN = TRACE.iterations[0].decisions[1:]
TESTS = [iteration.decisions[:3] for iteration in mtad_trace().iterations]


def test_bars_are_the_probabilities():
    figure = palette.figure_of(probabilities_data(TRACE, REJECTED))
    sides = {bar.name: dict(zip(bar.customdata, bar.x, strict=True)) for bar in figure.data}
    for token in REJECTED.target.tokens:
        target, draft = prob_of(REJECTED.target, token), prob_of(REJECTED.draft, token)
        assert sides["target, shared"][token] == sides["draft, shared"][token] == min(target, draft)
        assert sides["target, excess"][token] == pytest.approx(max(0, target - draft))
        assert sides["draft, excess"][token] == pytest.approx(max(0, draft - target))


def test_solid_length_is_the_overlap_even_when_rows_are_hidden():
    assert overlap(REJECTED.target, REJECTED.draft) == pytest.approx(0.15 + 0.25 + 0.1)
    for shown in (1, 2, 12):
        rows = compare(REJECTED.target, REJECTED.draft, REJECTED.token, shown)
        assert sum(row.shared for row in rows) == pytest.approx(0.5)
        assert sum(row.target for row in rows) == pytest.approx(1)
        assert sum(row.draft for row in rows) == pytest.approx(1)
    rows = compare(REJECTED.target, REJECTED.draft, 10, 1)
    assert [row.token for row in rows] == [4, 10, None]  # the likeliest, the token asked for, the rest


def test_tokens_that_the_warp_cut_are_left_out():
    cut = distribution(t2=1.0, t3=0.0)
    assert [row.token for row in compare(cut, cut, 2)] == [2]
    assert [row.token for row in compare(cut, cut, 3)] == [2, 3]


def test_probabilities_text():
    assert probabilities_text(TRACE, REJECTED) == (
        "Depth 2, next token: “<img·src=x·onerror=…” (drafted) target 0.15, draft 0.60; “·name” target 0.55, draft "
        "0.25; “\u2068שלום\u2069” target 0.20, draft 0; “▯” target 0.10, draft 0.15. Target and draft share 0.50."
    )


def test_coin_strip():
    figure = palette.figure_of(coin_data(REJECTED))
    assert [bar.x[0] for bar in figure.data] == [0.25, 0.75]
    assert figure.layout.shapes[0].x0 == figure.layout.shapes[0].x1 == 0.44


def test_coin_words():
    assert coin_formula(REJECTED) == "min(1, 0.15 / 0.60) = 0.25; coin 0.44 ≥ 0.25: reject"
    assert coin_formula(replace(REJECTED, acceptance_probability=0.5, accepted=True), 0.5) == (
        "min(1, 0.15 / (0.50 × 0.60)) = 0.50; coin 0.44 < 0.50: accept"
    )
    assert coin_formula(replace(REJECTED, uniform=None)) == "target 0.15, draft 0.60: reject (no coin is flipped)"
    assert coin_text(TRACE, REJECTED).endswith("The coin fell at 0.44, not below that: rejected.")


def test_close_coins_are_told_apart():
    close = replace(REJECTED, acceptance_probability=0.43998)
    assert "coin 0.44 ≥ 0.43998" in coin_formula(close) or "coin 0.44000 ≥ 0.43998" in coin_formula(close)


def test_residual_bars():
    bars = draw_figure(TRACE, DRAWN).data[0]
    assert dict(zip(bars.customdata, bars.x, strict=True)) == {3: pytest.approx(0.6), 6: pytest.approx(0.4)}
    assert bars.marker.color == (palette.RESAMPLED, palette.TARGET)
    assert draw_text(TRACE, DRAWN) == (
        "Drawn from the residual: (target − draft)+, renormalised: “·name” 0.60 (drawn), “\u2068שלום\u2069” 0.40. "
        "The uniform number was 0.52."
    )


def test_the_rest_of_the_vocabulary_is_a_bar():
    trace = autoregressive_trace()
    bars = draw_figure(trace, trace.iterations[0].decisions[0]).data[0]
    assert bars.customdata[-1] is None
    assert bars.x[-1] == pytest.approx(0.05)
    assert sum(bars.x) == pytest.approx(1)


def test_staircase_heights_and_marks():
    figure = staircase_figure(mtad_trace(), TESTS[0])
    named = {trace.name: trace for trace in figure.data if trace.name}
    assert list(named["passes"].x) == [1, 3] and list(named["fails"].x) == [2]
    assert named["fails"].y[0] == TESTS[0][1].log_ratio
    assert list(named["longest"].x) == [3]
    assert figure.layout.shapes[1].y0 == TESTS[0][0].log_threshold
    assert jumped_over(TESTS[0]) == (2,) and jumped_over(TESTS[1]) == ()
    assert per_token_cut(TESTS[0]) == 2 and per_token_cut(TESTS[0][:1]) is None


def test_minus_infinity_has_words():
    figure = staircase_figure(mtad_trace(), TESTS[1])
    assert "−∞" in [note.text for note in figure.layout.annotations]
    assert joint_formula(TESTS[1][2]) == (
        "log(0 / 0.30) = −∞; sum so far −∞; min(0, −∞) ≤ log τ = −2.30: the prefix fails"
    )


def test_staircase_text():
    assert staircase_text(mtad_trace(), TESTS[0]).split("\n")[2:] == [
        "Prefix of length 2, ending in “·name”: step −3.40, sum −3.18, fails.",
        "Prefix of length 3, ending in “·FROM”: step 1.10, sum −2.08, passes.",
        "Longest passing prefix so far: 3.",
        "Failing prefixes jumped over: 2.",
        "A test of each token alone would stop before token 2 and lose 2 of the 3 kept.",
    ]


def test_no_threshold():
    tests = [replace(test, log_threshold=None, passes=test.log_ratio is not None) for test in TESTS[1]]
    assert per_token_cut(tests) == 3  # only the token that the target rules out
    assert "log τ is −∞" in staircase_text(mtad_trace(), tests)
    staircase_figure(mtad_trace(), tests)


def test_proposals_of_a_layer_are_one_distribution():
    trace = mtad_trace()
    iteration = trace.iterations[0]
    for depth, proposal in enumerate(iteration.forest.proposals, start=1):
        bars = proposal_bars(trace, iteration, proposal)
        assert sum(bar.prob for bar in bars) == pytest.approx(1)
        assert sum(bar.drawn for bar in bars) == 3
        assert f"Depth {depth}, draft: probability of" in proposal_text(trace, 0, depth)
