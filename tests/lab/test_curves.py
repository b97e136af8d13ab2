"""How the models learned, drawn: every stage of a model where the one before had ended."""

import json

import pytest

from specviz import __main__ as command_line
from specviz.lab.curves import curves_figure


def _stage(name, tokens, losses):
    return {"name": name, "steps": 1, "tokens": tokens, "seconds": 1.0, "losses": losses}


FIRST = {
    "date": "2020-01-01",
    "parts": {"date": "2020-01-01"},
    "training": [_stage("shallow", 4e6, [[1e6, 5.0], [4e6, 3.0]]), _stage("distil", 2e6, [[1e6, 1.0]])],
}
LATER = {
    "date": "2020-02-02",
    "parts": {"date": "2020-02-02"},
    "training": [_stage("further", 2e6, [[1e6, 2.5]]), _stage("distil", 1e6, [[1e6, 0.5]])],
    "earlier": FIRST,
}


def _line(figure, start):
    trace = next(trace for trace in figure.data if trace.name.startswith(start))
    return [(x, y) for x, y in zip(trace.x, trace.y, strict=True) if x is not None]


def test_a_stage_goes_on_where_the_models_last_one_ended():
    figure = curves_figure(LATER)
    assert _line(figure, "target") == [(1.0, 5.0), (4.0, 3.0), (5.0, 2.5)]
    assert _line(figure, "draft") == [(1.0, 1.0), (3.0, 0.5)]
    assert _line(curves_figure(FIRST), "target") == [(1.0, 5.0), (4.0, 3.0)]


@pytest.mark.parametrize("text", ["", "{", '{"training": 3}', "[]"])
def test_what_is_no_report_is_refused_by_name(tmp_path, capsys, text):
    report = tmp_path / "report.json"
    report.write_text(text)
    assert command_line.main(["curves", "--report", str(report)]) == 2
    assert "report.json is no report of a training" in capsys.readouterr().err
    assert not report.with_name("curves.svg").exists()


def test_the_shipped_models_report_can_be_drawn():
    from specviz.lm.loading.embedded import EMBEDDED

    figure = curves_figure(json.loads((EMBEDDED / "report.json").read_text()))
    assert all(len(_line(figure, start)) > 10 for start in ("target", "draft", "second draft", "heads"))
