"""Scores by perplexity, against every subset of texts written out."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import specviz
from specviz.errors import OptionError
from specviz.lab.sweep.best_of import by_perplexity, expected_by_rank, rank_gain, rank_scores
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.summary import Estimate, grouped

TEXTS = st.lists(
    st.tuples(st.sampled_from([1.0, 1.5, 2.0, 4.0]), st.sampled_from([0.0, 0.25, 1.0])), min_size=1, max_size=6
)


@given(TEXTS, st.data())
def test_expected_scores_are_those_of_all_subsets(texts, data):
    """Ties in every order: each order of all texts breaks them another way."""
    n = data.draw(st.integers(1, len(texts)))
    found = []
    for order in permutations(range(len(texts))):
        for chosen in combinations(order, n):
            found.append([texts[i] for i in sorted(chosen, key=lambda i: texts[i][0])])  # stable: as in this order
    assert expected_by_rank(texts, n) == pytest.approx(np.mean(found, axis=0))


@pytest.fixture(scope="module")
def row() -> Row:
    pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
    (found,) = specviz.sweep(pair, {"method": [{"name": "speculative"}]}, [[0]], 1, max_new_tokens=4)
    return found


def texts_of(row: Row, prompt: str, *texts: tuple[float | None, float | None], kind="exact", **more) -> list[Row]:
    return [
        replace(
            row, prompt=prompt, seed=seed, score=score, score_kind=None if score is None else kind,
            metrics=replace(row.metrics, perplexity=perplexity), **more,
        )
        for seed, (perplexity, score) in enumerate(texts)
    ]  # fmt: skip


def test_questions_count_equally_and_need_n_texts(row):
    first = texts_of(row, "1", (3.0, 0.0), (1.0, 1.0), (2.0, 0.5))
    second = texts_of(row, "2", (1.0, 0.0), (2.0, 1.0), (None, 1.0), (9.0, None))
    third = texts_of(row, "3", (1.0, 1.0))
    (two,) = by_perplexity([*first, *second, *third], 2)
    # of the first's pairs the likelier scores 1, 1 and .5; the other .5, 0 and 0
    assert two.scores == pytest.approx(((2.5 / 3 + 0) / 2, (0.5 / 3 + 1) / 2)) and two.best == two.scores[0]
    assert two.perplexities == pytest.approx(((4 / 3 + 1) / 2, (8 / 3 + 2) / 2))
    assert (two.questions, two.left_out, two.kind, two.category) == (2, 1, "exact", None)
    (one,) = by_perplexity([*first, *second, *third], 1)
    assert one.scores == pytest.approx(((0.5 + 0.5 + 1) / 3,)) and one.left_out == 0
    assert by_perplexity(first, 4) == []


def test_settings_and_categories_are_apart_and_kinds_never_mixed(row):
    rows = texts_of(row, "1", (1.0, 1.0), (2.0, 0.0))
    rows += texts_of(
        row, "1", (1.0, 0.0), (2.0, 1.0), options={**row.options, "gamma": 7}, setting="speculative gamma=7"
    )
    assert [(one.setting, one.scores) for one in by_perplexity(rows, 2)] == [
        ("speculative", (1.0, 0.0)),
        ("speculative gamma=7", (0.0, 1.0)),
    ]
    rows = rows[:2] + texts_of(row, "2", (1.0, 0.5), (2.0, 0.5), kind="rouge_l", category="tales")
    with pytest.raises(OptionError, match="speculative has scores of several kinds, exact, rouge_l, which are not"):
        by_perplexity(rows, 2)
    apart = by_perplexity(rows, 2, by_category=True)
    assert [(one.category, one.kind, one.best) for one in apart] == [("", "exact", 1.0), ("tales", "rouge_l", 0.5)]
    with pytest.raises(OptionError, match="n must be 1 or more, got 0"):
        by_perplexity(rows, 0)


def test_what_a_rank_gains_is_the_difference_of_mean_scores(row):
    rows = texts_of(row, "1", (3.0, 0.5), (1.0, 1.0), (2.0, 0.0))
    rows += texts_of(row, "2", (1.0, 0.0), (2.0, 1.0), (4.0, 0.5)) + texts_of(row, "3", (1.0, 1.0), (2.0, None))
    (group,) = grouped(rows, ["score", "perplexity"])
    found = rank_gain(group, 1, 3)  # (1 - .5 + 0 - .5) / 2; the third question has a single scored text
    assert (found.median, found.rounds, found.prompts) == (pytest.approx(0.0), 3, 2)
    assert rank_gain(group, 3, 2).median == pytest.approx((0.5 - 0 + 0.5 - 1) / 2)
    assert rank_gain(group, 1, 4).median is None
    (alone,) = grouped(rows[:3], ["score", "perplexity"])
    assert rank_gain(alone, 1, 2) == Estimate(1.0, None, None, 3, 1)
    (none,) = grouped(texts_of(row, "1", (1.0, None)), ["score", "perplexity"])
    assert rank_gain(none, 1, 1) == Estimate(None, None, None, 0, 0) and rank_scores(none) == []
    assert [one.median for one in rank_scores(group)] == pytest.approx([0.5, 0.5, 0.5])
    assert [one.median for one in rank_scores(alone)] == [1.0, 0.0, 0.5]
    found = rank_scores(group, samples=2000)
    assert all(one.low <= one.median <= one.high and one.prompts == 2 for one in found) and found[0].high == 1.0


def test_the_interval_of_a_rank_is_over_questions(row):
    rows = []
    for number in range(40):  # of half of the questions the likelier text is right, of a quarter the other
        right = (1.0, 0.0) if number % 2 else (0.0, 1.0 if number % 4 else 0.0)
        rows += texts_of(row, str(number), *zip((1.0, 2.0), right, strict=True))
    (group,) = grouped(rows, ["score", "perplexity"])
    found, error = rank_gain(group, 1, 2), (0.75 - 0.25**2) ** 0.5 / 40**0.5
    assert found.median == pytest.approx(0.25)
    assert (found.low, found.high) == pytest.approx((0.25 - 1.96 * error, 0.25 + 1.96 * error), abs=0.03)
    alike = [one for number in range(9) for one in texts_of(row, str(number), (1.0, 1.0), (2.0, 0.5))]
    (same,) = grouped(alike, ["score", "perplexity"])
    assert rank_gain(same, 1, 2) == Estimate(0.5, 0.5, 0.5, 2, 9)
