"""The page benchmark: what it measures on, its table, and what it says where it cannot measure."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from specviz.__main__ import build_parser, main
from specviz.commands.measures import MEASURES
from specviz.commands.show_page import page_heading, page_table
from specviz.errors import SpecvizError
from specviz.lab.page import bench as bench
from specviz.lab.page.bench import Measure, big_trees, crowded, page_report
from specviz.lab.page.load import Load, Visit
from specviz.lab.page.server import serving
from tests.printing import printed


def test_big_trees_have_about_sixty_nodes():
    trees = big_trees()
    assert len(trees) >= 2
    assert all(abs(nodes - bench.NODES) <= bench.WITHIN and index >= 0 for _, index, nodes in trees)


def test_a_crowd_in_numbers():
    visits = (Visit("finished", "", (2, 1), (1, 2), 0.0, 1.0), Visit("refused", "full", (), (), 0.0, 0.0))
    found = {one.name: one for one in crowded(Load(2, visits, 500_000_000, (510_000_000, 520_000_000)))}
    assert all(one.holds for one in found.values())
    assert "1 finished, 1 refused" in found["runs of a crowd that failed"].note
    assert found["memory that a crowd left"].values == (20.0,)
    assert "memory that a crowd left" not in {one.name for one in crowded(Load(2, visits, None, ()))}


def test_the_table_and_the_report_say_what_holds():
    measures = [
        Measure("fast", "ms", 33, (20.0, 30.0, 25.0, 26.0, 27.0, 28.0)),
        Measure("slow", "s", 2, (3.0,), "once"),
        Measure("free", "", None, (1.0, 2.0)),
    ]
    assert [one.holds for one in measures] == [True, False, None]
    report = json.loads(json.dumps(page_report(measures, SimpleNamespace(version="1.2"))))
    assert report["measures"][0]["estimate"]["median"] == 26.5 and report["measures"][1]["holds"] is False
    assert report["versions"]["gradio"] and report["versions"]["chromium"] == "1.2"
    text = printed(page_heading(report), page_table(measures))
    assert "26 ms" in text and "does not hold" in text and "≤ 2.00 s" in text and "once" in text
    assert "20 .. 30" in text and text.count("..") == 1  # of one value or two there is no interval


@pytest.mark.every(3)
@pytest.mark.parametrize("works", [False, True], ids=["not there", "does not start"])
def test_no_browser_is_said_with_what_to_do(works, tmp_path):
    fake = tmp_path / "chromium"
    if works:
        fake.write_text("#!/bin/sh\nexit 1\n")
        fake.chmod(0o755)
    told = subprocess.run(
        [sys.executable, "-m", "specviz", "bench", "--page"],
        env=os.environ | {"CHROMIUM": str(fake)},
        cwd=Path(__file__).resolve().parents[3],
        capture_output=True,
        text=True,
    )
    assert told.returncode == 2 and "needs Chromium: install it, name it in CHROMIUM" in told.stderr
    assert "Traceback" not in told.stderr


@pytest.mark.full
def test_an_app_that_does_not_start_is_said_with_its_reason():
    with pytest.raises(SpecvizError, match=r"(?s)did not start: .*--dtype"), serving(["--dtype=int8"]):
        pass


@pytest.mark.full
def test_nothing_is_left_running():
    with serving(["--device=cpu"]) as page:
        status = Path(f"/proc/{page.process}/status")
        assert status.exists() or not Path("/proc/self").exists()
    assert not status.exists()


def test_the_command():
    assert build_parser().parse_args(["bench", "--page", "--rounds", "2"]).measure is MEASURES["page"][0]
    assert main(["bench", "--page", "--rounds", "0"]) == 2
