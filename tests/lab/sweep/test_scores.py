"""Scores in a sweep's rows, tables and summaries."""

import csv
import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

import specviz
from specviz.errors import SpecvizError
from specviz.lab.quality.reference import Reference, score
from specviz.lab.sweep.export import write_csv, write_parquet
from specviz.lab.sweep.log import ROWS, read_rows
from specviz.lab.sweep.prompts import SweepPrompt
from specviz.lab.sweep.running import plan_of
from specviz.lab.sweep.summary import summaries

GRID = {"method": [{"name": "autoregressive"}, {"name": "speculative"}], "max_new_tokens": 4}
EXACT = Reference("exact", "3")
PROMPTS = [SweepPrompt("a", "sums", [0], reference=EXACT), SweepPrompt("b", "", [1])]


def tables() -> specviz.ModelPair:
    return specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))


@pytest.fixture(scope="module")
def rows():
    return list(specviz.sweep(tables(), GRID, PROMPTS, 8))


def test_a_row_has_the_score_of_its_text(rows):
    scored = [row for row in rows if row.prompt == "a"]
    assert {row.score_kind for row in scored} == {"exact"} and {row.score for row in scored} == {0.0, 1.0}
    assert all(row.score == score(EXACT, row.text) for row in scored)
    assert {(row.score, row.score_kind) for row in rows if row.prompt == "b"} == {(None, None)}


@pytest.mark.parametrize("lacking", ["score", "date"])
def test_a_row_that_lacks_a_column_is_refused(tmp_path, rows, lacking):
    flat = rows[0].flat()
    del flat[lacking]
    (tmp_path / ROWS).write_text(json.dumps(flat) + "\n", "utf-8")
    with pytest.raises(SpecvizError, match=f"line 1 has no {lacking}"):
        list(read_rows(tmp_path))


def test_tables_have_the_scores(tmp_path, rows):
    write_parquet(rows, tmp_path / "rows.parquet")
    write_csv(rows, tmp_path / "rows.csv")
    read = pq.read_table(tmp_path / "rows.parquet").to_pylist()
    assert [(one["score"], one["score_kind"]) for one in read] == [(row.score, row.score_kind) for row in rows]
    with (tmp_path / "rows.csv").open(newline="", encoding="utf-8") as file:
        cells = [(one["score"], one["score_kind"]) for one in csv.DictReader(file)]
    assert cells == [("", "") if row.score is None else (str(row.score), "exact") for row in rows]


def test_another_answer_is_another_run_and_none_is_as_before():
    def keys(reference):
        return {task.key for task in plan_of(tables(), GRID, [SweepPrompt("a", "", [0], reference=reference)], 2)}

    assert keys(EXACT) == keys(Reference("exact", "3")) and keys(None) == keys(None)
    assert not keys(EXACT) & keys(Reference("exact", "4")) and not keys(EXACT) & keys(None)


def scored(row, cells, kind="exact", **more):
    """Rows with these scores of [rounds, prompts]."""
    kinds = {"score_kind": kind} | more
    return [
        replace(row, prompt=str(prompt), seed=seed, score=value, **kinds)
        for seed, values in enumerate(cells)
        for prompt, value in enumerate(values)
    ]


def test_a_score_is_the_mean_over_prompts_and_the_median_over_rounds(rows):
    cells = np.random.default_rng(0).integers(0, 2, size=(6, 8)).astype(float)
    made = scored(rows[0], cells, disturbed="processor_share") + [replace(rows[0], prompt="none", score=None)]
    (found,) = summaries(made, ["score"])
    assert found.median == pytest.approx(np.median(cells.mean(axis=1))) and found.low < found.median < found.high
    assert (found.prompts, found.rounds, found.runs, found.left_out, found.kinds) == (8, 6, 48, 0, ("exact",))


def test_scores_of_several_kinds_are_never_averaged(rows):
    made = scored(rows[0], [[1.0, 0.0]], category="sums") + scored(rows[0], [[0.5]], "rouge_l", category="tales")
    mixed, tokens = summaries(made, ["score", "tokens"])
    assert (mixed.median, mixed.low, mixed.kinds) == (None, None, ("exact", "rouge_l"))
    assert tokens.median is not None and tokens.kinds == ()
    apart = summaries(made, ["score"], by_category=True)
    assert [(one.category, one.kinds, one.median) for one in apart] == [
        ("sums", ("exact",), 0.5),
        ("tales", ("rouge_l",), 0.5),
    ]
