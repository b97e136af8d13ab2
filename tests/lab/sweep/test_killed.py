"""``kill -9`` at random moments: nothing is lost, nothing is there twice, and the tokens are the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import specviz
from specviz.lab.sweep.log import read_rows
from tests.lab.sweep import killed
from tests.tiny_pair import write_pair


@pytest.mark.full
def test_a_sweep_that_is_killed_eight_times_ends_like_one_that_is_not(tmp_path):
    write_pair(tmp_path)
    command = [sys.executable, "-m", "tests.lab.sweep.killed", str(tmp_path), str(tmp_path / "out")]
    root, one = Path(__file__).resolve().parents[3], os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, env=one, timeout=300)
    assert (done.returncode, done.stdout) == (0, f"{killed.TIMES}\n"), done.stderr[-2000:]
    pair = specviz.load_pair(tmp_path / "target", tmp_path / "draft", device="cpu")
    kept = list(read_rows(tmp_path / "out"))
    given = (pair, killed.GRID, killed.PROMPTS, killed.SEEDS)
    new = list(specviz.sweep(*given, out=tmp_path / "out"))
    assert len(kept) >= 5 and new  # each time some more, and the last not at the end
    rows, whole = list(read_rows(tmp_path / "out")), list(specviz.sweep(*given))
    assert len(rows) == len({row.key for row in rows}) == len(kept) + len(new) == len(whole)
    assert rows[: len(kept)] == kept
    assert {row.key: row.token_ids for row in rows} == {row.key: row.token_ids for row in whole}
