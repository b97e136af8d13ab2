"""Probabilities, coins, staircases and draws show the record's numbers."""

from dataclasses import replace

import pytest

from specviz.facts.tokens import label
from specviz.pictures.pairs import compare, probabilities_picture, probabilities_text
from specviz.rules.coin import coin_formula, coin_strip, coin_text
from specviz.rules.draw import COINS, draw_picture
from specviz.rules.joint import joint_formula, jumped_over, per_token_cut, staircase_picture, staircase_text
from specviz.trace.distribution import overlap
from specviz.views.drafts.proposal import proposal_choices, proposal_text
from specviz.views.story.scenes import Told
from tests.traces import autoregressive_trace, distribution, mtad_trace, prob_of, speculative_trace

TRACE = speculative_trace()
REJECTED, DRAWN = TRACE.iterations[0].decisions[1:]
TESTS = [iteration.decisions[:3] for iteration in mtad_trace().iterations]


def test_bars_are_the_probabilities():
    picture = probabilities_picture(TRACE, TRACE.iterations[0], REJECTED)
    (bars,) = picture.shapes
    rows = {row.label: row for row in bars.rows}
    for token in REJECTED.target.tokens:
        row = rows[label(TRACE.vocabulary, token, 20)]
        probs = prob_of(REJECTED.target, token), prob_of(REJECTED.draft, token)
        assert tuple(bar.length for bar in row.bars) == probs and [bar.tone for bar in row.bars] == ["target", "draft"]
        assert {bar.solid for bar in row.bars} == {min(probs)}
        assert row.mark == ("▸" if token == REJECTED.token else "")
    assert [row.node for row in bars.rows if row.mark] == [REJECTED.node]
    assert picture.notes == ("solid: shared, 0.50 in all", "hatched: excess", "▸ drafted")
    assert picture.words == probabilities_text(TRACE, REJECTED, TRACE.iterations[0])


def test_the_bars_of_what_is_judged_have_the_decimals_of_its_formula():
    target, draft = distribution(t1=0.0722, t2=0.9278), distribution(t1=0.1075, t2=0.8925)
    coin = replace(REJECTED, target=target, draft=draft, token=1)
    (bars,) = probabilities_picture(TRACE, TRACE.iterations[0], coin).shapes
    texts = {row.mark: tuple(bar.text for bar in row.bars) for row in bars.rows}
    assert texts == {"▸": ("0.072", "0.107"), "": ("0.93", "0.89")}  # 0.07 / 0.11 would be 0.64


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
    strip = coin_strip(REJECTED)
    assert [(part.end, part.fate) for part in strip.parts] == [(0.25, "accepted"), (1, "rejected")]
    assert (strip.uniform, strip.called, strip.text) == (0.44, "coin", "0.44")


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
    picture = draw_picture(TRACE, TRACE.iterations[0], DRAWN, COINS)
    rows = picture.shapes[-1].rows
    assert [(row.label, row.bars[0].length) for row in rows] == [
        ("·name", pytest.approx(0.6)),
        ("\u2068שלום\u2069", pytest.approx(0.4)),
    ]
    assert [(row.bars[0].tone, row.mark) for row in rows] == [("resampled", "↻"), ("target", "")]
    assert picture.words == (
        "Drawn from the residual: (target − draft)+, renormalised: “·name” 0.60 (drawn), “\u2068שלום\u2069” 0.40. "
        "The uniform number was 0.52."
    )


def test_the_rest_of_the_vocabulary_is_a_bar():
    trace = autoregressive_trace()
    bars = draw_picture(trace, trace.iterations[0], trace.iterations[0].decisions[0], "").shapes[-1]
    assert (bars.rows[-1].label, bars.rows[-1].node) == ("rest of vocabulary", None)
    assert bars.rows[-1].bars[0].length == pytest.approx(0.05)
    assert sum(row.bars[0].length for row in bars.rows) == pytest.approx(1)


def test_every_row_is_in_the_picture_the_rest_too():
    trace = mtad_trace()
    for index in range(len(trace.iterations)):
        pictures = Told(trace, index).pictures
        bars = [one for key in pictures for one in pictures[key].shapes if one.kind == "bars"]
        assert bars and all(bar.length <= one.most <= 1 for one in bars for row in one.rows for bar in row.bars)
        rests = [row for one in bars for row in one.rows if row.label in ("rest of vocabulary", "all others")]
        assert all(row is one.rows[-1] for one in bars for row in one.rows if row in rests)
    wide = replace(REJECTED, target=distribution(t2=0.03, t3=0.02), draft=distribution(t2=0.04))
    (bars,) = probabilities_picture(TRACE, TRACE.iterations[0], replace(wide, token=2)).shapes
    assert bars.rows[-1].label == "rest of vocabulary" and bars.most == 1
    assert [bar.length for bar in bars.rows[-1].bars] == pytest.approx([0.95, 0.96])


def test_staircase_heights_and_marks():
    picture = staircase_picture(mtad_trace(), TESTS[0], total=3)
    (chart,) = picture.shapes
    assert [(point.x, point.glyph) for point in chart.points] == [(1, "✓"), (2, "✗"), (3, "✓")]
    assert [point.y for point in chart.points] == [test.log_ratio for test in TESTS[0]]
    assert [point.node for point in chart.points] == [test.node for test in TESTS[0]]
    assert [point.x for point in chart.points if point.ringed] == [3]
    assert chart.lines[0].steps and [y for _, y in chart.lines[0].points] == [0, *(point.y for point in chart.points)]
    zero, tau, alone = chart.levels
    assert (zero.at, tau.at, alone.at, alone.upright) == (0, TESTS[0][0].log_threshold, 1.5, True)
    assert [tick.word for tick in chart.x.ticks] == ["start", "1 ·SELECT", "2 ·name", "3 ·FROM"]
    assert picture.notes == ("ringed: the longest passing prefix, 3", "jumped over: 2")
    assert jumped_over(TESTS[0]) == (2,) and jumped_over(TESTS[1]) == ()
    assert per_token_cut(TESTS[0]) == 2 and per_token_cut(TESTS[0][:1]) is None


def test_minus_infinity_has_words():
    (chart,) = staircase_picture(mtad_trace(), TESTS[1], total=3).shapes
    assert [point.beyond for point in chart.points] == ["", "", "−∞"]
    assert all(chart.y.low < point.y < chart.y.high for point in chart.points)
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
    (chart,) = staircase_picture(mtad_trace(), tests, total=3).shapes
    assert chart.levels[1].words == "log τ −∞" and chart.y.low < chart.levels[1].at < chart.y.high


def test_proposals_of_a_layer_are_one_distribution():
    trace = mtad_trace()
    iteration = trace.iterations[0]
    for depth, proposal in enumerate(iteration.forest.proposals, start=1):
        choices = proposal_choices(trace, iteration, proposal)
        assert sum(one.prob for one in choices) == pytest.approx(1)
        assert sum(one.drawn for one in choices) == 3
        assert f"Depth {depth}, draft: probability of" in proposal_text(trace, 0, depth)
