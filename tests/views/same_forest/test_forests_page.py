"""A frozen forest under one verifier, and two verifiers side by side: pictures and words tell the same numbers."""

from dataclasses import replace

import pytest

from specviz.decoding.registry.verifiers import BUILT_IN
from specviz.facts.tokens import label
from specviz.pictures.shapes import Bars, Picture
from specviz.rules.draw import SampledToken
from specviz.trace.distribution import total_variation
from specviz.trace.forest import Forest
from specviz.views.plot import palette
from specviz.views.same_forest.comparison import counts_picture, distance_words, first_picture
from specviz.views.same_forest.frozen import (
    FrozenForest,
    VerdictRow,
    drawn_guess,
    drawn_words,
    forest_picture,
    forest_stage,
    marks_of,
    percent,
    verdict_words,
)
from tests.trace_parts import drafted, forest, over
from tests.traces import VOCABULARY, distribution

Q = distribution(t2=0.5, t3=0.3, t5=0.2)
TARGETS = {0: 0.7, 1: 0.2, 2: 0.15}


def record(*outcomes: str) -> Forest:
    """Two candidates after the context, the first with a child."""
    shape = [(2, -1, 1), (3, -1, 1), (5, 0, 2)]
    return forest([drafted(t, p, d, Q, outcome) for (t, p, d), outcome in zip(shape, outcomes, strict=True)])


def frozen(nodes: Forest | None = None) -> FrozenForest:
    return FrozenForest(VOCABULARY, 1, nodes or record("unjudged", "unjudged", "unjudged"), TARGETS)


def draw(after: int) -> SampledToken:
    p = distribution(t3=1.0)
    return SampledToken(after, 2, 3, "resampled", 0.5, p, p)


def verdict() -> VerdictRow:
    nodes = record("accepted", "unjudged", "rejected")
    return VerdictRow("Token by token", nodes, (draw(0),), {0: 0.8, 2: 0.25, 1: 0.04}, (0.16, 0.59, 0.25))


def bars_of(picture: Picture) -> Bars:
    (bars,) = picture.shapes
    assert isinstance(bars, Bars)
    return bars


def test_guesses_are_filled_by_the_probability_and_show_the_verdict():
    picture, stage = forest_picture(frozen()), forest_stage(frozen(), verdict())
    assert [one["node"] for one in picture["guesses"]] == [0, 1, 2]
    assert stage.get("kept") == [(0.8, "80%"), (0.04, "4%"), (0.25, "25%")]
    outcomes = list(palette.OUTCOMES)
    assert [outcomes[number] for number in stage["states"] if number is not None] == [
        "accepted",
        "unjudged",
        "rejected",
    ]
    marks = {state: word for state, _, word in marks_of(frozen(), verdict())}
    assert set(marks) == {"kept", "accepted", "rejected", "unjudged", "resampled"}


def test_what_is_drawn_stands_where_no_guess_can_be():
    picture, after_leaf = forest_picture(frozen()), replace(verdict(), decisions=(draw(2),))
    taken = {(one["x"], one["y"]) for one in picture["guesses"]}
    below, beside = drawn_guess(frozen(), verdict()), drawn_guess(frozen(), after_leaf)
    assert below and beside
    assert (below["parent"], below["x"], below["y"]) == ("0", 2, picture["rows"] - 1)  # another guess follows it, too
    assert (beside["parent"], beside["x"], beside["y"]) == ("2", 3, picture["guesses"][2]["y"])
    for one in (below, beside):
        assert (one["x"], one["y"]) not in taken and one["x"] <= picture["depth"] and one["y"] < picture["rows"]
        assert one["label"] == label(VOCABULARY, 3) and forest_stage(frozen(), verdict())["drawn"] == {
            one["name"]: ("resampled", 1)
        }
    assert drawn_guess(frozen(), replace(verdict(), decisions=())) is None
    assert forest_stage(frozen(), replace(verdict(), decisions=()))["drawn"] == {}


def test_guesses_that_were_not_offered_are_counted_where_they_would_stand():
    nodes = record("accepted", "unjudged", "unjudged")
    nodes = replace(nodes, nodes=(*nodes.nodes[:2], replace(nodes.nodes[2], submitted=False)))
    shown = frozen(nodes)
    assert [one["name"] for one in forest_picture(shown)["guesses"]] == ["0", "1"]
    assert forest_stage(shown, replace(verdict(), record=nodes))["folded"] == {"0": 1}
    assert "+1, +2 ..: guesses that are not drawn, 1 in all" in forest_picture(shown)["key"]["notes"]


def test_lines_are_as_wide_as_the_draft_finds_a_guess_likely():
    picture = forest_picture(frozen())
    assert [one["weight"] for one in picture["guesses"]] == pytest.approx([0.5, 0.3, 0.2])
    assert "wider line: likelier under the draft" in picture["key"]["notes"]
    certain = forest([drafted(2, -1, 1, over({2: 1.0}), "unjudged")])
    assert "wider line: likelier under the draft" not in forest_picture(frozen(certain))["key"]["notes"]


def test_the_words_name_every_guess():
    lead, said = verdict_words(frozen(), verdict())
    assert (
        lead.startswith("3 guesses after") and lead.endswith("judged by “Token by token”.") and set(said) == {0, 1, 2}
    )
    assert "draft 0.50, target 0.70, kept in 80% of all coins, with these coins accepted" in said[0]
    assert "kept in 25% of all coins, with these coins rejected" in said[2]
    assert drawn_words(VOCABULARY, verdict()).endswith(palette.ORIGINS["resampled"].word + ".")


def test_counts_side_by_side():
    pair = verdict(), VerdictRow("MTAD's joint rule", record(*["accepted"] * 3), (), {}, (0.0, 0.0, 1.0))
    picture = counts_picture(pair)
    bars = bars_of(picture)
    assert [[bar.length for bar in row.bars] for row in bars.rows] == [[0.16, 0], [0.59, 0], [0.25, 1]]
    assert {(bar.solid is None, bar.solid) for row in bars.rows for bar in row.bars} == {(True, None), (False, 0.0)}
    assert [entry.glyph for entry in picture.key] == ["", "▨"]  # not by colour alone
    assert "0 in 16%, 1 in 59%, 2 in 25%; 1.09 on average" in picture.words
    assert "2 in 100%; 2 on average" in picture.words


def test_the_first_token_s_distributions_beside_the_target_s():
    target, near, far = {2: 0.6, 3: 0.4}, {2: 0.6, 3: 0.4}, {2: 0.9, 5: 0.1}
    assert total_variation(near, target) == 0 and total_variation(far, target) == pytest.approx(0.4)
    picture = first_picture(VOCABULARY, target, [("A", near), ("B", far)])
    bars = bars_of(picture)
    assert [[bar.length for bar in row.bars] for row in bars.rows] == [[0.6, 0.6, 0.9], [0.4, 0.4, 0], [0, 0, 0.1]]
    assert [bar.tone for bar in bars.rows[0].bars] == ["target", "muted", "muted"] and bars.most >= 0.9
    assert "A follows exactly the target's distribution." in picture.words
    assert "B follows a distribution 0.40 away from the target's." in picture.words
    assert distance_words(1e-8) == "exactly the target's distribution"


def test_a_long_distribution_keeps_its_rest():
    target = {token: 1 / 20 for token in range(1, 21)}
    bars = bars_of(first_picture(VOCABULARY, target, [("A", {1: 1.0})]))
    assert bars.rows[-1].rest and not any(row.rest for row in bars.rows[:-1])
    for series in (0, 1):
        assert sum(row.bars[series].length for row in bars.rows) == pytest.approx(1)


@pytest.mark.parametrize(
    ("probability", "said"), [(0, "0%"), (1, "100%"), (0.384, "38%"), (0.002, "<1%"), (0.9995, ">99%")]
)
def test_a_probability_is_never_rounded_to_certainty(probability, said):
    assert percent(probability) == said


def test_every_rule_has_a_name_and_a_sentence():
    assert len({rule.title for rule in BUILT_IN}) == len(BUILT_IN)
    assert all(rule.title and rule.sentence.endswith(".") for rule in BUILT_IN)
    shown = [rule for rule in BUILT_IN if rule.free is not False]
    assert len(shown) == 11 and all(rule.about.lower() not in rule.sentence.lower() for rule in shown)  # its own words
