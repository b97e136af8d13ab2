"""In a notebook: the public figures show themselves, and the API's trace opens where no model is."""

import inspect
import json
import subprocess
import sys

import plotly.io
import pytest

import specviz.views
from specviz.errors import SpecvizError
from specviz.views import step_figures, step_texts, steps
from tests.beam_traces import layers_trace, search_trace
from tests.rule_traces import (
    block_trace,
    cascade_trace,
    fork_trace,
    heads_trace,
    joint_tree_trace,
    kseq_trace,
    rollback_trace,
    typical_trace,
)
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

TRACES = [
    make()
    for make in (
        autoregressive_trace,
        speculative_trace,
        mtad_trace,
        cascade_trace,
        kseq_trace,
        block_trace,
        typical_trace,
        rollback_trace,
        heads_trace,
        fork_trace,
        joint_tree_trace,
        layers_trace,
        search_trace,
    )
]


@pytest.fixture(autouse=True)
def in_a_notebook(monkeypatch):
    """JupyterLab and VS Code show this type; plotly's own for old notebooks asks for IPython."""
    monkeypatch.setattr(plotly.io.renderers, "default", "plotly_mimetype")


def shows_itself(figure) -> None:
    shown = json.loads(json.dumps(figure._repr_mimebundle_()["application/vnd.plotly.v1+json"]))
    assert shown["data"] and shown["layout"]["height"] > 50
    page = figure.to_html(full_html=False, include_plotlyjs=False)
    assert "Plotly.newPlot" in page and "<script src" not in page and "<img" not in page


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace.header.method.name)
def test_every_panel_of_every_step_shows_itself(trace):
    panels = set()
    for index in range(len(trace.iterations)):
        for scene in steps(trace, index):
            figures = step_figures(trace, index, scene.key)
            texts = step_texts(trace, index, scene.key)
            assert set(figures) == set(scene.panels) and set(texts) == {"story", *figures}
            assert scene.sentence in texts["story"] and all(texts.values())
            panels |= set(figures)
            for figure in figures.values():
                shows_itself(figure)
    assert {"tree", "mask", "decision"} <= panels


def test_figures_of_whole_runs_show_themselves():
    lanes = TRACES[:3]
    for name in ("timeline_figure", "dials_figure"):
        shows_itself(getattr(specviz.views, name)(lanes))
    for name in ("tree_figure", "mask_figure"):
        shows_itself(getattr(specviz.views, name)(lanes[1], 0))
    assert "target calls" in specviz.views.verdict_text(lanes)


def test_public_names_are_few_and_explained():
    assert len(specviz.views.__all__) <= 15
    for name in specviz.views.__all__:
        assert inspect.getdoc(getattr(specviz.views, name)), name
    with pytest.raises(AttributeError, match="no attribute 'pie_figure'"):
        _ = specviz.views.pie_figure


def test_an_unknown_scene_names_the_known_ones():
    with pytest.raises(SpecvizError, match="context, .*commit, got 'nope'"):
        step_figures(TRACES[1], 0, "nope")


@pytest.mark.full
def test_importing_the_views_imports_no_plotly():
    code = "import sys, specviz.views; assert 'plotly' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
