"""A frozen forest under one verifier, and two verifiers side by side: figures and words tell the same numbers."""

import pytest

from specviz.decoding.registry.verifiers import BUILT_IN
from specviz.trace.decisions import SampledToken
from specviz.trace.distribution import total_variation
from specviz.trace.forest import Forest
from specviz.views.plot import palette
from specviz.views.same_forest.comparison import (
    counts_figure,
    counts_text,
    distance_words,
    first_figure,
    first_text,
)
from specviz.views.same_forest.frozen import (
    FrozenForest,
    VerdictRow,
    drawn_words,
    forest_figure,
    forest_text,
    percent,
    widths,
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


def verdict(title: str = "Token by token") -> VerdictRow:
    p = distribution(t3=1.0)
    draw = SampledToken(0, 2, 3, "resampled", 0.5, p, p)
    nodes = record("accepted", "unjudged", "rejected")
    return VerdictRow(title, nodes, (draw,), {0: 0.8, 2: 0.25, 1: 0.04}, (0.16, 0.59, 0.25))


def texts(figure) -> str:
    return " ".join(str(part) for trace in figure.data for part in (trace.text or ()))


@pytest.mark.parametrize("dark", [False, True])
def test_gauges_fill_by_the_probability_and_show_the_verdict(dark):
    figure = forest_figure(frozen(), verdict(), dark=dark)
    (discs,) = [trace for trace in figure.data if trace.name == "kept over all coins"]
    sizes = dict(zip([0, 1, 2], discs.marker.size, strict=True))
    assert sizes[0] ** 2 / sizes[2] ** 2 == pytest.approx(0.8 / 0.25)  # areas tell the probabilities
    outlines = {trace.name: trace.customdata for trace in figure.data if trace.name and trace.customdata is not None}
    assert {word: set(nodes) for word, nodes in outlines.items()} == {
        palette.OUTCOMES["accepted"].word: {0},
        palette.OUTCOMES["rejected"].word: {2},
        palette.OUTCOMES["unjudged"].word: {1},
    }
    said = texts(figure)
    assert "80%" in said and "25%" in said and "4%" in said
    assert "target 0.70" in said and "draft 0.50" in said and "then" in said


def test_nothing_moves_under_another_verdict():
    other = VerdictRow("Greedy match", record("rejected", "rejected", "rejected"), (), {}, (1.0, 0.0, 0.0))
    coordinates = [
        {
            node: (x, y)
            for trace in forest_figure(frozen(), shown).data
            if trace.customdata is not None
            for node, x, y in zip(trace.customdata, trace.x, trace.y, strict=True)
        }
        for shown in (verdict(), other)
    ]
    assert coordinates[0] == coordinates[1] and set(coordinates[0]) == {-1, 0, 1, 2}


def test_tokens_are_escaped():
    nasty = {token: piece for token, piece in VOCABULARY.items() if "<" in piece}
    assert nasty
    shape = forest([drafted(token, -1, 1, over({token: 1.0}), "rejected") for token in nasty])
    figure = forest_figure(
        FrozenForest(VOCABULARY, next(iter(nasty)), shape, dict.fromkeys(range(len(nasty)), 0.1)),
        VerdictRow("x", shape, (), {}, (1.0,)),
    )
    assert "<img" not in texts(figure) and "<script" not in texts(figure)


def test_the_words_name_every_guess():
    said = forest_text(frozen(), verdict())
    assert said.count("\n") == 4 and "kept in 80% of all coins, with these coins accepted" in said
    assert "kept in 25% of all coins, with these coins rejected" in said
    assert drawn_words(VOCABULARY, verdict()).endswith(palette.ORIGINS["resampled"].word + ".")
    assert widths(frozen())["least"] == 450


def test_counts_side_by_side():
    pair = verdict(), VerdictRow("MTAD's joint rule", record(*["accepted"] * 3), (), {}, (0.0, 0.0, 1.0))
    one, other = counts_figure(pair).data
    assert list(one.y) == [0.16, 0.59, 0.25] and list(other.y) == [0, 0, 1]
    assert other.marker.pattern.shape and not one.marker.pattern.shape  # not by colour alone
    said = counts_text(pair)
    assert "0 in 16%, 1 in 59%, 2 in 25%; 1.09 on average" in said and "2 in 100%; 2 on average" in said


def test_the_first_token_s_distributions_beside_the_target_s():
    target, near, far = {2: 0.6, 3: 0.4}, {2: 0.6, 3: 0.4}, {2: 0.9, 5: 0.1}
    assert total_variation(near, target) == 0 and total_variation(far, target) == pytest.approx(0.4)
    figure = first_figure(VOCABULARY, target, [("A", near), ("B", far)])
    assert [list(bars.x) for bars in figure.data] == [[0.6, 0.4, 0], [0.6, 0.4, 0], [0.9, 0, 0.1]]
    said = first_text(VOCABULARY, target, [("A", near), ("B", far)])
    assert (
        "A follows exactly the target's distribution." in said
        and "B follows a distribution 0.40 away from the target's." in said
    )
    assert distance_words(1e-8) == "exactly the target's distribution"


def test_a_long_distribution_keeps_its_rest():
    target = {token: 1 / 20 for token in range(1, 21)}
    figure = first_figure(VOCABULARY, target, [("A", {1: 1.0})])
    assert sum(figure.data[0].x) == pytest.approx(1) and sum(figure.data[1].x) == pytest.approx(1)


@pytest.mark.parametrize(
    ("probability", "said"), [(0, "0%"), (1, "100%"), (0.384, "38%"), (0.002, "<1%"), (0.9995, ">99%")]
)
def test_a_probability_is_never_rounded_to_certainty(probability, said):
    assert percent(probability) == said


def test_every_rule_has_a_name_and_a_sentence():
    assert len({rule.title for rule in BUILT_IN}) == len(BUILT_IN)
    assert all(rule.title and rule.sentence.endswith(".") for rule in BUILT_IN)
    shown = [rule for rule in BUILT_IN if rule.free is not False]
    assert len(shown) == 8 and all(rule.about.lower() not in rule.sentence.lower() for rule in shown)  # its own words
