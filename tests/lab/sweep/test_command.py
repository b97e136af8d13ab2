"""``python -m specviz sweep``."""

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from specviz.commands import show
from specviz.commands import sweep as command
from specviz.lab.sweep import running
from specviz.lab.sweep.best_of import Ranked, by_perplexity
from specviz.lab.sweep.front import front
from specviz.lab.sweep.log import ROWS, read_rows
from tests.printing import printed
from tests.test_command_line import models, run  # noqa: F401

GRID = """
max_new_tokens = 3
seeds = {seeds}
[[method]]
name = "autoregressive"
[[method]]
name = "speculative"
gamma = [2, 3]
"""
QUESTIONS = [{"question_id": i, "category": "qa", "turns": ["Hm", "And?"][:i]} for i in (1, 2)]


@pytest.fixture
def words(tmp_path, models, monkeypatch):  # noqa: F811
    """What follows ``sweep``: a grid of three settings, two prompts and two seeds, which end in the folder out."""
    monkeypatch.setattr(running, "disturbed_by", lambda metrics: None)  # also while other tests run
    (tmp_path / "grid.toml").write_text(GRID.format(seeds=2), "utf-8")
    (tmp_path / "two.jsonl").write_text("".join(json.dumps(one) + "\n" for one in QUESTIONS), "utf-8")
    files = {"--prompts": tmp_path / "two.jsonl", "--out": tmp_path / "out"}
    return [str(tmp_path / "grid.toml"), *(str(word) for pair in files.items() for word in pair), *models]


def test_a_sweep_is_kept_shown_and_gone_on_with(run, words, tmp_path):  # noqa: F811
    code, out, err = run("sweep", *words, "--csv", "--traces")
    assert code == 0
    assert err == (
        f"specviz: 12 runs: 3 settings, 2 prompts, 2 seeds; 0 of them are in {tmp_path / 'out'} already\n"
        "specviz: 1 prompts have further turns: the first is answered\n"
    )
    assert [line.split("\u2502")[1].strip() for line in out.splitlines() if "speculative" in line] == [
        "speculative gamma=2",
        "speculative gamma=3",
    ] * 2  # their medians, and the front
    assert "tokens per target call" in out and "None with fewer than 6 rounds, or one prompt." in out
    made = {file.name for file in (tmp_path / "out").iterdir()}
    assert made == {"rows.jsonl", "rows.csv", "rows.parquet", "traces"}
    assert pq.read_metadata(tmp_path / "out/rows.parquet").num_rows == 12
    assert len(list((tmp_path / "out/traces").iterdir())) == 12
    kept = (tmp_path / "out" / ROWS).read_bytes()
    code, again, err = run("sweep", *words)
    assert (code, again) == (0, out) and "; 12 of them are in" in err
    assert (tmp_path / "out" / ROWS).read_bytes() == kept


def test_intervals_are_shown_from_six_rounds_on(run, words, tmp_path):  # noqa: F811
    (tmp_path / "grid.toml").write_text(GRID.format(seeds=6), "utf-8")
    code, out, _ = run("sweep", *words)
    assert code == 0 and "1 (1 - 1)" in out and "None with fewer" not in out


@pytest.mark.full
def test_ctrl_c_says_how_to_go_on(run, words, tmp_path, monkeypatch):  # noqa: F811
    run_one, made = running.Runner.run, []

    def stopped(*given):
        made.append(given)
        if len(made) == 7:
            raise KeyboardInterrupt
        return run_one(*given)

    monkeypatch.setattr(running.Runner, "run", stopped)
    code, out, err = run("sweep", *words)
    assert (code, out) == (130, "") and err.endswith(
        f"\nspecviz: stopped; 6 of 12 runs are kept in {tmp_path / 'out'}, and the same command goes on from there\n"
    )
    assert len(list(read_rows(tmp_path / "out"))) == 6
    monkeypatch.setattr(running.Runner, "run", run_one)
    code, _, err = run("sweep", *words)
    assert code == 0 and "; 6 of them are in" in err and len(list(read_rows(tmp_path / "out"))) == 12


def refused(run, words) -> str:  # noqa: F811
    code, out, err = run("sweep", *words)
    assert (code, out) == (2, "") and err.startswith("specviz: error: ")
    return err


def test_wrong_input_is_named_by_file_line_and_field(run, words, tmp_path):  # noqa: F811
    (tmp_path / "two.jsonl").write_text('{"question_id": 1}\n[]\n', "utf-8")
    assert f"{tmp_path / 'two.jsonl'}: line 1: has no category; line 2: must be an object" in refused(run, words)
    (tmp_path / "grid.toml").write_text("[[method]]\nname = 'mtad'\nlenience = 1\n", "utf-8")
    assert f"{tmp_path / 'grid.toml'}: method 1: method 'mtad' has no option 'lenience'" in refused(run, words)
    assert not (tmp_path / "out").exists()


@pytest.mark.full
def test_scores_are_shown_by_category(run, words, tmp_path):  # noqa: F811
    code, out, _ = run("sweep", *words)
    assert code == 0 and "Scores" not in out
    more = [{"category": "qa", "answer": 3}, {"category": "qa", "answer": 4}, {"category": "mixed", "answer": 5}]
    more += [{"category": "mixed", "answer": "SELECT 1", "tables": {"t": {"columns": ["a"], "rows": []}}}]
    lines = [{"question_id": f"q{i}", "turns": ["Hm"]} | fields for i, fields in enumerate(more)]
    (tmp_path / "two.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    code, out, _ = run("sweep", *words)
    assert code == 0 and "Scores of several kinds are not averaged." in out
    assert cells(out, "Scores, 0 to 1", "=2") == [
        ["speculative gamma=2", "qa", "exact", "2", "0"],
        ["speculative gamma=2", "mixed", "exact, execution", "2", "-"],
    ]
    assert {line[1] for line in cells(out, "Quality against speed", "speculative")} == {"qa"}  # of one kind
    assert cells(out, "Scores of a question's texts by perplexity", "=2") == [
        ["speculative gamma=2", "qa", "2", "0", "0", "0"]
    ]
    rows = [*read_rows(tmp_path / "out")]
    ranked = command._best(by_perplexity([replace(row, score=row.seed, score_kind="exact") for row in rows], 2))
    texts = [row for row in rows if row.setting == "autoregressive"]
    first = {row.prompt: row.metrics.perplexity for row in texts if row.seed == 0}
    likelier = sum(row.metrics.perplexity < first[row.prompt] for row in texts if row.seed == 1)
    assert cells(printed(ranked), "Scores of", "autoregressive")[0][2:4] == ["6", show.number(likelier / 6)]
    for scores, shown in (((0.9, 0.5, 0.1), ["0.9", "0.5", "0.1"]), ((0.8, 0.6, 0.2, 0.1), ["0.8", "0.4", "0.1"])):
        one = Ranked("s", "c", "exact", scores, scores, 3, 0)
        assert cells(printed(command._best([one])), "Scores of", "\u2502 s ")[0][3:] == shown


def test_the_metrics_that_are_asked_for_are_shown(run, words):  # noqa: F811
    code, out, _ = run("sweep", *words, "--metrics", "alpha", "ms_per_target_call", "alpha")
    (shown,) = cells(out, "Medians over rounds", "=2")
    assert code == 0 and len(shown) == 5 and 0 < float(shown[3]) < 1
    assert "agreement \u03b1" in out and "time of a target call" in out and "acceptance rate" not in out
    code, _, err = run("sweep", *words, "--metrics", "beauty")
    assert code == 2 and "beauty" in err


def cells(out: str, title: str, word: str) -> list[list[str]]:
    """Of the table of this title the lines with this word."""
    table = out[out.index(title) :].split("\u2514")[0]
    return [[cell.strip() for cell in line.split("\u2502")[1:-1]] for line in table.splitlines() if word in line]


def test_the_front_is_shown_by_category(run, words, tmp_path):  # noqa: F811
    (tmp_path / "grid.toml").write_text(GRID.format(seeds=6), "utf-8")
    lines = [{"question_id": text, "category": text[0], "turns": [text]} for text in ("a man", "a king", "by", "born")]
    (tmp_path / "two.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    code, out, _ = run("sweep", *words)
    shown = cells(out, "Quality against speed", "\u2502")
    points = front(read_rows(tmp_path / "out"), quality="perplexity", by_category=True)
    assert code == 0 and [line[:2] for line in shown] == [[point.setting, point.category] for point in points]
    on_front = [("yes" if point.on_front else "no", f"{point.share:.0%}") for point in points]
    assert [tuple(line[-2:]) for line in shown] == on_front and len(shown) == 6


def test_a_recorded_sweep_has_alpha(run, words, tmp_path):  # noqa: F811
    assert run("sweep", *words, "--record")[0] == 0
    found = {row.setting: row.metrics.alpha for row in read_rows(tmp_path / "out")}
    assert found["autoregressive"] is None and 0 < found["speculative gamma=2"] < 1
    assert not (tmp_path / "out/traces").exists()


def test_the_built_in_prompts_by_domain():
    assert {prompt.category for prompt in command._prompts("sums")} == {"sums"}
    assert len(command._prompts("unseen-queries")) == 24
    assert len(command._prompts(None)) == 12
