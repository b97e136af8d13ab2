"""Measured calls: what a lesson may say of them, and that a damaged file or a claim that is not so is refused."""

import json
import re
import shutil

import pytest

from specviz.errors import SpecvizError
from specviz.trace.store import load_trace
from specviz.views.lessons.costs import cost_bars, cost_source, cost_value, read_measured
from specviz.views.lessons.lesson import FOLDER, load_lesson

CALLS = FOLDER / "calls"
RUNS = ("autoregressive", "speculative")


@pytest.fixture
def write(tmp_path):
    """A measured file with these times for 1, 2 and 4 tokens, changed as named."""

    def make(seconds=(0.004, 0.005, 0.006), **changes):
        sizes = [
            {"tokens": tokens, "seconds": time, "low": time / 2, "high": 2 * time, "calls": 9}
            for tokens, time in zip((1, 2, 4), seconds, strict=True)
        ]
        data = {"model": "m", "parameters": 7, "context": 128, "date": "2026-11-22", "machine": {"cores": "2"}}
        path = tmp_path / "calls.json"
        path.write_text(json.dumps(data | {"versions": {"torch": "2"}, "sizes": sizes} | changes))
        return path

    return make


def test_values_follow_from_the_times(write):
    found = read_measured(write())
    values = {name: cost_value(found, name) for name in ("one", "most", "all", "times", "apart", "saved", "each")}
    assert values == pytest.approx(
        {"one": 4.0, "most": 4, "all": 6.0, "times": 1.5, "apart": 16.0, "saved": 16 / 6, "each": 1.5}
    )
    assert (cost_value(found, "ms-2"), cost_value(found, "times-2"), cost_value(found, "tokens-2")) == (5.0, 1.25, 2)
    assert cost_value(found, "ms-3") is None and cost_value(found, "sizes") is None
    assert [bar["tokens"] for bar in cost_bars(found)] == [1, 2, 4]
    said = cost_source(found)
    assert all(part in said for part in ("2026-11-22", "9 calls of m", "cores 2", "128 tokens", "torch 2"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sizes": []}, "must begin with 1 token"),
        ({"seconds": (0.004, -1.0, 0.006)}, "times must be positive"),
        ({"model": 3}, "no file of measured calls"),
        ({"more": 3}, "no file of measured calls"),
    ],
)
def test_a_damaged_file_is_refused(write, changes, said):
    with pytest.raises(SpecvizError, match=said):
        read_measured(write(**changes))


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(SpecvizError, match="cannot be read"):
        read_measured(tmp_path / "none.json")


def test_the_lesson_falls_with_what_was_measured(tmp_path):
    """Where a call with many tokens takes as long as the calls apart, the lesson's answer is no longer true."""
    shutil.copy(FOLDER / "02-call.toml", tmp_path)
    (tmp_path / "calls").mkdir(parents=True)
    data = json.loads((CALLS / "smollm2.json").read_text())
    sampled = FOLDER.parent / "openings/sampled"
    runs = {f"sampled/{name}": load_trace(next(sampled.glob(f"*-{name}.json"))) for name in RUNS}
    file = tmp_path / "calls" / "smollm2.json"
    file.write_text(json.dumps(data))
    assert load_lesson(tmp_path / "02-call.toml", runs).name == "call"
    for size in data["sizes"]:
        size |= dict.fromkeys(("seconds", "low", "high"), size["tokens"] * data["sizes"][0]["seconds"])
    file.write_text(json.dumps(data))
    with pytest.raises(SpecvizError, match=re.escape("02-call.toml: question.choices.1.holds: the record says")):
        load_lesson(tmp_path / "02-call.toml", runs)
    text = (tmp_path / "02-call.toml").read_text()
    for old, new, said in [
        ('"calls:smollm2"', '"calls:../x"', "write calls:NAME"),
        ('= "calls"', '= "no"', "costs must be"),
    ]:
        (tmp_path / "02-call.toml").write_text(text.replace(old, new))
        with pytest.raises(SpecvizError, match=said):
            load_lesson(tmp_path / "02-call.toml", runs)
