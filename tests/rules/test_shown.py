"""Every rule has its own drawing, with the record's numbers in the figure, in the words and in the formula."""

import re
from dataclasses import replace
from math import exp, log

import pytest

from specviz.rules.block import block_formula, block_picture
from specviz.rules.draw import SampledToken
from specviz.rules.greedy import match_picture
from specviz.rules.kseq import curves, kseq_picture, kseq_text
from specviz.rules.rollback import rollback_formula, rollback_picture
from specviz.rules.token import MOST, cascade_picture, cascade_rows, cascade_text
from specviz.rules.typical import at_temperature, typical_formula, typical_picture
from specviz.trace.decisions import known_kinds
from specviz.trace.distribution import overlap
from specviz.views.drafts.posterior import displaced, listed, posterior_picture
from specviz.views.story.scenes import Told, iteration_payload, scenes
from tests.beam_traces import BEAM_TRACES
from tests.rule_traces import (
    RULE_TRACES,
    block_trace,
    cascade_trace,
    heads_trace,
    kseq_trace,
    rollback_trace,
    typical_trace,
)
from tests.trace_parts import distribution


def told(trace, index=0):
    return {scene.key: scene for scene in scenes(trace, index)}


@pytest.mark.parametrize("make", [*RULE_TRACES.values(), *BEAM_TRACES.values()])
def test_a_decision_is_rendered_once_for_a_payload(make, monkeypatch):
    trace, asked = make(), []
    for kind in known_kinds():

        def counted(decision, moment, show=kind.show):
            asked.append((id(moment.iteration), moment.decision_index))
            return show(decision, moment)

        monkeypatch.setattr(kind, "show", counted)
    for index in range(len(trace.iterations)):
        iteration_payload(trace, index)
    assert asked and len(asked) == len(set(asked))


def test_equal_pictures_are_one():
    told = Told(heads_trace(), 0)
    first, second = (one.panels for one in told.scenes if one.key in ("decision-1", "decision-2"))
    assert first["probabilities"] == second["probabilities"] == "probabilities-1"  # siblings of one best token
    assert "probabilities-2" not in told.pictures and first["decision"] != second["decision"]


def test_only_rules_that_flip_coins_show_one():
    for name, make in RULE_TRACES.items():
        shown = {key for s in told(make()).values() for key in s.panels.values()}
        flips = any(key.startswith(("coin", "kseq", "block")) for key in shown)
        assert flips == (name in ("cascade", "kseq", "block", "fork")), name


def test_the_cascade_shrinks():
    trace = cascade_trace()
    coins = trace.iterations[0].decisions[:3]
    panels = cascade_rows(coins)
    assert [[row.key for row in rows] for rows in panels] == [[row.key for row in panels[0]]] * 3
    name = [next(row for row in rows if row.key == 3) for rows in panels]
    assert [row.target for row in name] == pytest.approx([0.4, 0.2, 0.0])
    assert [row.draft for row in name] == pytest.approx([0.3, 0.75, 0.0])  # without replacement token 2 leaves, then 3
    for decision, rows in zip(coins, panels, strict=True):
        assert sum(row.target for row in rows) == pytest.approx(1)
        assert sum(row.shared for row in rows) == pytest.approx(overlap(decision.target, decision.draft))
    picture = cascade_picture(trace, trace.iterations[0], coins)
    assert [bars.title for bars in picture.shapes] == [
        "1 of 3: ·SELECT, rejected, acceptance probability 0.33",
        "2 of 3: ·name, rejected, acceptance probability 0.27",
        f"3 of 3: {picture.shapes[2].rows[0].label}",  # the decision's picture tells what became of it
    ]
    assert len({bars.most for bars in picture.shapes}) == 1
    assert [[row.node for row in bars.rows if row.mark] for bars in picture.shapes] == [[0], [1], [2]]
    later = cascade_picture(trace, trace.iterations[0], coins * 2)
    assert len(later.shapes) == MOST and later.notes[-1] == "2 earlier not shown"
    lines = cascade_text(trace, coins).split("\n")
    assert lines[1].startswith(
        "Candidate 2 of 3, “·name”: rejected, acceptance probability 0.27. Judged by “🙂” target 0.60, draft 0;"
    )


def test_a_cascade_lists_what_was_ever_likely():
    first, second = cascade_trace().iterations[0].decisions[:2]
    first = replace(first, target=distribution(t5=0.9, t6=0.1), draft=distribution(t2=1.0))
    late = distribution(t5=0.01, t6=0.4, t7=0.35, t8=0.24)
    rows = cascade_rows([first, replace(second, token=2, target=late, draft=distribution(t2=1.0))])
    assert [row.key for row in rows[0]] == [2, 5, 6, None]


def test_the_words_of_a_cascade():
    scene = told(cascade_trace())
    assert scene["decision-2"].title == "Token 1, candidate 2 of 3, “·name”: rejected"
    assert (
        "“·name” had 0.40 and has 0.20. The rejected token is removed from the draft's distribution."
        in scene["decision-2"].sentence
    )
    assert scene["draw"].formula == "residual = (0.75 − 0) / 1 = 0.75; drawn with random number 0.40"
    assert scene["draw"].panels["probabilities"] == scene["decision-3"].panels["probabilities"]
    assert told(cascade_trace(), 1)["draw"].sentence.startswith("A path is accepted to its end, so the same call")


def test_rho_is_where_the_curves_meet():
    first = kseq_trace().iterations[0].decisions[0]
    rhos, some, most = curves(first)
    crossing = next(r for r, a, b in zip(rhos, some, most, strict=True) if a <= b)
    assert first.rho == pytest.approx(crossing, abs=rhos[1] - rhos[0])
    assert overlap(first.target, first.draft, first.rho) == pytest.approx(first.beta)
    chart, strip = kseq_picture(kseq_trace(), first).shapes
    assert [line.points for line in chart.lines] == [
        tuple(zip(rhos, some, strict=True)),
        tuple(zip(rhos, most, strict=True)),
    ]
    assert [(point.x, point.y) for point in chart.points] == [(first.rho, first.accept_any)]
    assert [level.at for level in chart.levels] == [first.rho] and chart.levels[0].words == "ρ = 1.63"
    assert [part.end for part in strip.parts] == [first.acceptance_probability, 1]
    assert strip.uniform == first.uniform
    assert "They meet at rho 1.63, where beta is 0.37 and the probability 0.60." in kseq_text(kseq_trace(), first)
    assert told(kseq_trace())["decision-2"].formula == (
        "1 − (1 − 0.37)^2 = 0.60; ρ β = 1.63 × 0.37 = 0.60; min(1, 0.30 / (1.63 × 0.40)) = 0.46; coin 0.20 < 0.46: "
        "accept"
    )


def test_the_residual_of_every_rule_gives_the_drawn_probability():
    for make in (cascade_trace, kseq_trace, block_trace):
        trace = make()
        draw = trace.iterations[0].decisions[-1]
        assert isinstance(draw, SampledToken)
        prob = draw.source.table()[draw.token]
        formula = told(trace)["draw"].formula
        assert formula.startswith("residual = (")
        assert float(formula.split("= ")[-1].split(";")[0]) == pytest.approx(prob, abs=0.005)


def test_the_residual_of_several_sequences():
    trace = kseq_trace()
    first, second = trace.iterations[0].decisions[:2]
    share = first.accept_any / first.beta
    p, q = first.target.table(), first.draft.table()
    left = {t: prob - share * min(q.get(t, 0.0), prob / first.rho) for t, prob in p.items()}
    left = {t: value / sum(left.values()) for t, value in left.items() if value > 1e-9}
    draw = SampledToken(-1, 1, 5, "resampled", 0.9, first.target, distribution(**{f"t{t}": v for t, v in left.items()}))
    decisions = (first, replace(second, uniform=0.9, accepted=False), draw)
    formula = told(replace(trace, iterations=(replace(trace.iterations[0], decisions=decisions),)))["draw"].formula
    assert formula.startswith("residual = (0.40 − 0) / 0.40 = 1;")


def test_the_residual_of_a_block_weighs_the_target():
    trace = block_trace()
    first, second, _, draw = trace.iterations[0].decisions
    first = replace(first, weight=0.8, passes=True, kept=True)
    draw = replace(draw, depth=2, token=4, after=0, target=second.target, source=distribution(t4=1.0))
    cut = replace(trace.iterations[0], decisions=(first, replace(second, passes=False, kept=False), draw))
    formula = told(replace(trace, iterations=(cut,)))["draw"].formula
    assert formula == "residual = (0.80 × 0.50 − 0.25) / 0.15 = 1; drawn with random number 0.40"


def test_the_block_staircase():
    trace = block_trace()
    tests = trace.iterations[0].decisions[:3]
    picture = block_picture(trace, tests, total=3)
    strip, chart = picture.shapes
    assert [y for _, y in chart.lines[0].points] == [1.0, 0.5, 1.0, 0.25]
    assert [column.height for column in chart.columns] == [test.acceptance_probability for test in tests]
    assert [(p.x, p.y, p.glyph, p.ringed) for p in chart.points] == [
        (1, 0.9, "✗", False),
        (2, 0.3, "✓", True),
        (3, 0.6, "✗", False),
    ]
    assert (strip.uniform, strip.parts[0].end) == (0.6, tests[2].acceptance_probability)
    assert "jumped over: 1" in picture.notes
    assert block_formula(tests[0], 1.0) == (
        "w = min(1 × 0.25 / 0.50, 1) = 0.50; S = Σ max(0, w × target − draft) = 0; "
        "h = S / (S + 1 − w) = 0 / (0 + 1 − 0.50) = 0; coin 0.90 ≥ 0: the prefix fails"
    )
    assert picture.words.split("\n")[-2:] == [
        "Longest passing prefix so far: 2.",
        "Failing prefixes jumped over: 1.",
    ]
    assert "Failing prefixes inside it are kept with it (length 1)." in told(trace)["decision-2"].sentence


def test_typical_acceptance_against_the_entropy():
    trace = typical_trace()
    tests = trace.iterations[0].decisions[:2]
    (chart,) = typical_picture(trace, tests, 0.09, 0.3).shapes
    (curve,) = chart.lines
    assert [10**y for _, y in curve.points] == pytest.approx([min(0.09, 0.3 * exp(-h)) for h, _ in curve.points])
    first, second = chart.points
    assert (first.x, 10**first.y, first.glyph) == (tests[0].entropy, pytest.approx(0.5), "✓")
    assert second.ringed and second.glyph == "✗" and not first.ringed
    (bars,) = Told(trace, 0).pictures["probabilities-1"].shapes
    assert (bars.level.at, bars.level.upright) == (tests[0].threshold, True)
    assert [(row.mark, row.bars[0].tone) for row in bars.rows if row.mark] == [("▸", "target")]
    assert typical_formula(tests[1], 0.09, 0.3) == (
        "p = 0.04 ≤ 0.09 = min(0.09, 0.30 exp(−0.17)): reject (no coin is flipped)"
    )
    assert at_temperature(tests[0], 2.0)[3] == pytest.approx(0.5 * (0.3 / 0.5) ** 0.5)  # the ratio, softened
    assert "coin" not in told(trace)["decision-1"].sentence


def test_tests_without_effect_are_told_together():
    trace = typical_trace()
    made = trace.iterations[0]
    first, second, draw = made.decisions
    failed = replace(first, passes=False, kept=False)
    below = replace(made.forest.nodes[1], parent=0)
    nodes = (*made.forest.nodes, below)
    tests = (failed, second, replace(second, node=2, passes=True), replace(draw, after=-1))
    without_effect = replace(
        trace, iterations=(replace(made, forest=replace(made.forest, nodes=nodes), decisions=tests),)
    )
    keys = [key for key in told(without_effect) if key.startswith("decision")]
    assert keys == ["decision-1", "decision-3"]
    assert told(without_effect)["decision-3"].title == "2 tests without effect"
    assert "1 of them would pass by themselves." in told(without_effect)["decision-3"].sentence


def test_rollback_surprise_and_confidence():
    trace = rollback_trace()
    tests = trace.iterations[0].decisions[:3]
    picture = rollback_picture(trace, tests, 0.9, total=3)
    surprise, confidence = picture.shapes
    assert surprise.points[0].y == tests[0].surprise == -log(0.9 * 0.6)
    assert [(p.y, p.beyond) for p in surprise.points if p.glyph == "✗"] == [(2.4, "∞")]  # infinite: at the top
    assert [(column.height, column.word) for column in confidence.columns] == [(0.95, "0.95"), (0.9, "0.90"), (1, "1")]
    assert [(level.at, level.stroke) for level in surprise.levels + confidence.levels] == [
        (2.0, "dashed"),
        (0.9, "dotted"),
    ]
    assert rollback_formula(tests[1]) == "−log target = ∞ > 2: roll back to here (no coin is flipped)"
    assert picture.words.endswith("Below a confidence of 0.90 the small model does not write on.")
    assert told(trace)["decision-3"].title == "Token 3, “·FROM”: passes, after the rollback"


def test_matches_are_joined():
    trace = heads_trace()
    first, second, last = trace.iterations[0].decisions[:3]
    (lists,) = match_picture(trace, (first, second)).shapes
    assert lists.joins == ((1, 0),)  # the second candidate, the only choice
    assert [(entry.node, entry.found) for entry in lists.left] == [(first.node, False), (second.node, True)]
    assert match_picture(trace, (first,)).shapes[0].joins == ()
    (bars,) = Told(trace, 0).pictures["probabilities-3"].shapes
    best = next(row for row in bars.rows if row.mark)
    assert best.bars[0].length == pytest.approx(0.9 * 0.7) and last.best == 8  # before the warp
    assert (best.mark, best.bars[0].tone) == ("◆", "target")
    assert told(trace)["decision-1"].sentence == (
        "The target's most likely token here is “·name”; this candidate is “·SELECT”, with probability 0.09. "
        "The reject text."
    )


def test_the_posterior_with_and_without_correlation():
    trace = heads_trace()
    iteration = trace.iterations[0]
    hypotheses = iteration.forest.hypotheses
    assert displaced(hypotheses) == 1  # “·name·FROM” would give way to one of the others
    assert [rank for rank, _ in listed(hypotheses)] == [1, 2, 3, 4, 5]
    picture = posterior_picture(trace, iteration)
    (chart,) = picture.shapes
    both, alone = ([point for point in chart.points if point.hollow is hollow] for hollow in (False, True))
    assert [10**point.x for point in both] == pytest.approx([h.posterior for h in hypotheses])
    assert [10**point.x for point in alone] == pytest.approx([h.independent for h in hypotheses])
    assert [point.faint for point in both] == [point.faint for point in alone] == [False, False, False, True, True]
    assert chart.y.low > chart.y.high and [tick.word for tick in chart.y.ticks][2:4] == ["✓ 3 ·name·FROM", "4 ·name,"]
    assert [tick.word for tick in chart.x.ticks] == ["10⁻²", "10⁻¹"]
    assert "3: “·name·FROM”, posterior 0.15, independent 0.03, kept." in picture.words
    scene = told(trace)["reduction"]
    assert scene.title == "Reduced: 3 of 110 candidates kept"
    assert "Without the correlation of neighbouring tokens, 1 of those kept would give way" in scene.sentence
    assert scene.panels == {"tree": "tree-target", "mask": "mask-before", "decision": "posterior"}
    made = re.fullmatch(
        r"best: posterior\(.+\) = independent ([\d.]+) × correlation ([\d.]+) = ([\d.]+)"
        r"; its share of all = ([\d.]+) / ([\d.]+) = ([\d.]+)",
        scene.formula,
    )
    assert made, scene.formula
    alone, factor, posterior, mine, whole, share = map(float, made.groups())
    assert alone * factor == pytest.approx(posterior, rel=0.02) and mine / whole == pytest.approx(share, rel=0.02)
