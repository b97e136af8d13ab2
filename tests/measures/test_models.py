"""The measures of the models, each once on tiny input: every combination, shares of what is fair, nothing left over."""

import json
import subprocess
from itertools import product

import pytest

from specviz.views.lessons.costs import read_measured
from tests.measures import busy, calls, reading, sizes, vocabulary
from tests.measures.table import METHODS, parsed
from tests.tiny_pair import write_pair


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """The arguments of a measure of the tiny pair on two cores."""
    target, draft = write_pair(tmp_path)
    for module in (busy, calls):
        monkeypatch.setattr(module, "cores", lambda: 2)
    words = ["--target", str(target), "--draft", str(draft), "--device", "cpu", "--rounds", "1", "--tokens", "4"]
    return lambda *more: parsed([*words, *more])


def test_programs_beside_it_end_however_it_ends(monkeypatch):
    started, spawn = [], subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *words: started.append(spawn(*words)) or started[-1])
    with pytest.raises(KeyError), busy.busy_programs(1):
        assert started[0].poll() is None
        raise KeyError
    assert started[0].poll() is not None


@pytest.mark.full
def test_runs_beside_busy_programs(tiny):
    rows = busy.busy_speeds(tiny("--methods", "autoregressive", "mtad:gamma=2"), beside=(0, 2))
    kinds = [(row["busy"], row["threads"], row["method"]) for row in rows]
    assert kinds == list(product((0, 2), (1, 2), ("autoregressive", "mtad gamma=2")))
    assert all(row["of_fair_share"] == 1.0 for row in rows[:2]) and all(row["of_fair_share"] > 0 for row in rows)
    assert [busy.fair_share(*shared, 2) for shared in ((1, 0), (1, 1), (1, 2), (2, 2))] == [1, 1, 2 / 3, 0.5]


@pytest.mark.full
def test_single_calls(tiny):
    rows = calls.call_times(tiny())
    kinds = {(row["role"], row["dtype"], row["forward"], row["threads"], row["busy"]) for row in rows}
    wanted = product(("target", "draft"), ("float32", "bfloat16"), ("stock", "lean"), (1, 2), (0, 2))
    assert kinds == set(wanted) and len(kinds) == len(rows)
    assert all(row[f"{count} rows"] > 0 for row in rows for count in calls.ROWS)


@pytest.mark.full
def test_calls_by_the_tokens_they_read_are_the_file_of_the_lesson(tiny, tmp_path):
    measured = sizes.call_sizes(tiny(), (1, 3))
    (tmp_path / "calls.json").write_text(json.dumps(measured))
    again = read_measured(tmp_path / "calls.json")
    assert [(size.tokens, size.calls) for size in again.sizes] == [(1, 10), (3, 10)]
    assert (again.model, again.context) == ("target", calls.CONTEXT)


@pytest.mark.full
def test_reading_a_prompt(tiny, monkeypatch):
    monkeypatch.setattr(reading, "LENGTHS", (200, 600))
    rows = reading.reading_times(tiny())
    assert [(row["model"], row["tokens"]) for row in rows[:2]] == [("target", 200), (rows[1]["model"], 200)]
    assert rows[2]["tokens"] == 600 and all(0 < row["again"] < row["ours"] for row in rows)


@pytest.mark.full
def test_a_large_vocabulary():
    rows = vocabulary.vocabulary_costs(parsed(["--rounds", "1", "--tokens", "4"]), 500)
    assert [(row["method"], row["top_k"]) for row in rows] == [(name, k) for k in (20, None) for name in METHODS]
    assert all(row["ratio"] == row["outside"] / row["selection"] > 0 < row["recorded"] for row in rows)
