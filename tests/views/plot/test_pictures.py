"""Pictures as plotly figures: every shape is there, with its numbers, its words and no markup of a token's own."""

import json
import re

import plotly.graph_objects as go
import pytest

from specviz.pictures.shapes import Bar, BarRow, Bars, KeyEntry, Picture, Tone
from specviz.views.plot import palette
from specviz.views.plot.pictures import picture_figure
from specviz.views.story.scenes import Told
from tests.beam_traces import BEAM_TRACES
from tests.rule_traces import RULE_TRACES
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

TRACES = {"autoregressive": autoregressive_trace, "speculative": speculative_trace, "mtad": mtad_trace}
TRACES |= RULE_TRACES | BEAM_TRACES
MARKUP = re.compile(r"</?(b|br|span|extra)( style=\"color:[^\"]*\")?>")


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


@pytest.mark.parametrize("name", TRACES)
def test_every_picture_can_be_drawn(name):
    trace, kinds = TRACES[name](), set()
    for index in range(len(trace.iterations)):
        for key, picture in Told(trace, index).pictures.items():
            figure = picture_figure(picture, dark=index % 2 == 1, title=f"{key} <of> a step")
            assert isinstance(figure, go.Figure) and 80 <= figure.layout.height <= 1200, key
            drawn = json.loads(figure.to_json())
            for text in strings(drawn):
                assert "<" not in MARKUP.sub("", text), text
            said = html_free(drawn)
            for entry in picture.key:
                assert entry.word in said
            assert all(note in said for note in picture.notes) and "of> a step" in said
            kinds |= {shape.kind for shape in picture.shapes}
    assert "mask" in kinds


def html_free(drawn):
    """All words of a figure."""
    said = " ".join(strings(drawn["layout"])) + " ".join(strings(drawn["data"]))
    return MARKUP.sub("", said).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def test_bars_are_solid_as_far_as_they_are_shared():
    rows = (
        BarRow("<b>", (Bar("target", 0.5, "0.50", 0.3), Bar("draft", 0.3, "0.30", 0.3)), "▸"),
        BarRow("c", (Bar("target", 0.2, "0.20"),) * 2),
    )
    figure = picture_figure(Picture((Bars(rows, 0.6),), "", (KeyEntry("target", "", "target"),)))
    solid, hatched = figure.data[:2]
    assert (list(solid.x), list(hatched.x)) == ([0.3, 0.2], [pytest.approx(0.2), 0])
    assert (
        list(hatched.text) == ["0.50", "0.20"]
        and hatched.marker.pattern.shape == "/"
        and not solid.marker.pattern.shape
    )
    assert figure.layout.xaxis.range == (0, 0.6) and figure.layout.yaxis.ticktext == ("<b>▸ &lt;b&gt;</b>", "c")


@pytest.mark.parametrize(
    "make, key, count",
    [
        (RULE_TRACES["cascade"], "probabilities-3", 3),
        (RULE_TRACES["kseq"], "kseq-1", 2),
        (RULE_TRACES["rollback"], "rollback-2", 2),
    ],
)
def test_shapes_stand_one_under_another(make, key, count):
    layout = picture_figure(Told(make(), 0).pictures[key]).layout
    domains = [layout[f"yaxis{at}" if at > 1 else "yaxis"].domain for at in range(1, count + 1)]
    assert all(0 <= low < high <= 1 for low, high in domains)
    assert all(below[1] < above[0] for above, below in zip(domains, domains[1:], strict=False))


def test_a_needle_stands_at_the_number():
    figure = picture_figure(Told(speculative_trace(), 0).pictures["coin-2"])
    assert [(line.x0, line.x1) for line in figure.layout.shapes] == [(0.44, 0.44)]
    assert [bar.x[0] for bar in figure.data] == [0.25, 0.75]
    assert "coin 0.44" in [note.text for note in figure.layout.annotations]


def test_a_mask_has_its_cells_and_frees_rows():
    mask = picture_figure(Told(speculative_trace(), 0).pictures["mask-commit"]).data[0]
    assert [row[0] for row in mask.z] == [1, 1, 6, 6]  # context; of freed rows fainter
    assert [
        name.rpartition("  ")[2]
        for name in picture_figure(Told(speculative_trace(), 0).pictures["mask-commit"]).layout.yaxis.ticktext
    ] == ["stays", "stays", "freed", "freed"]


@pytest.mark.parametrize("dark", [False, True])
def test_every_tone_has_a_colour(dark):
    assert set(palette.tones(dark)) == set(Tone.__args__)
