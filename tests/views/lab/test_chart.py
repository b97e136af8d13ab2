"""Charts of settings: every number is drawn where it stands, with its interval, and can be found again."""

import plotly.graph_objects as go
import pytest

from specviz.views.lab.chart import COLORS, Mark, Panel, chart
from specviz.views.plot.palette import figure_of

LINES = [
    Mark(0, "plain", "plain", None, (1.0, 1.0, 1.0), ("speed 1",)),
    Mark(1, "drafted gamma=4", "drafted", 4.0, (3.0, 2.5, 3.75), ("speed 3",)),
    Mark(2, "drafted gamma=2", "drafted", 2.0, (2.0, 1.5, 2.25), ("speed 2",)),
    Mark(3, "drafted gamma=8", "drafted", 8.0, None, ()),
    Mark(4, "<b>none", "none", 2.0, None, ()),
]


@pytest.mark.parametrize("dark", [False, True])
def test_lines_go_along_the_option_and_what_has_none_goes_across(dark):
    drawn = chart(Panel("lines", "gamma", "speed", LINES, "higher is better"), dark)
    level, line = drawn["data"]
    assert (level["y"], level["x"], level["customdata"]) == ([1.0, 1.0], [2.0, 4.0], [0, 0])
    assert (line["x"], line["y"], line["customdata"]) == ([2.0, 4.0], [2.0, 3.0], [2, 1])
    assert line["error_y"]["array"] == [0.25, 0.75] and line["error_y"]["arrayminus"] == [0.5, 0.5]
    assert line["line"]["color"] == COLORS[dark][1] != level["line"]["color"]
    entries = [(one["word"], one["glyph"]) for one in drawn["layout"]["meta"]["legend"]["entries"]]
    assert entries == [("plain", "–"), ("drafted", "■")]
    assert isinstance(figure_of(drawn), go.Figure)


def test_a_line_looks_the_same_where_another_has_no_number():
    first, second = LINES[0], LINES[1]
    without = chart(Panel("lines", "gamma", "y", [Mark(0, "plain", "plain", None, None, ()), second]), False)
    both = chart(Panel("lines", "gamma", "y", [first, second]), False)
    assert without["data"][0]["line"] == both["data"][1]["line"]


def test_bars_have_a_row_for_each_setting_that_has_a_number():
    drawn = chart(Panel("bars", "setting", "speed", LINES), False)
    (bars,) = drawn["data"]
    assert (bars["x"], bars["customdata"]) == ([1.0, 3.0, 2.0], [0, 1, 2])
    assert drawn["layout"]["yaxis"]["ticktext"][1].startswith("drafted<br>")
    assert bars["hovertext"][0] == "plain<br>speed 1"
    figure_of(drawn)


def test_one_number_against_another_rings_the_best():
    marks = [
        Mark(0, "a", "a", (1.0, 0.5, 2.0), (3.0, 2.0, 4.0), (), best=True),
        Mark(1, "b x=1", "b", (2.0, 2.0, 2.0), (1.0, 1.0, 1.0), ()),
        Mark(2, "b x=2", "b", None, (1.0, 1.0, 1.0), ()),
    ]
    one, two = chart(Panel("against", "speed", "perplexity", marks), True)["data"]
    assert (one["x"], one["y"], one["marker"]["line"]["width"]) == ([1.0], [3.0], [3])
    assert (one["error_x"]["array"], one["error_x"]["arrayminus"]) == ([1.0], [0.5])
    assert (two["customdata"], two["marker"]["line"]["width"]) == ([1], [0])


def test_names_are_text_and_never_markup():
    drawn = chart(Panel("bars", "setting", "y", [Mark(0, "<img x>", "l", None, (1, 1, 1), ("<b>",))]), False)
    assert "<img" not in str(drawn) and "<b>" not in drawn["data"][0]["hovertext"][0]


def test_an_empty_chart_is_one():
    for kind in ("lines", "bars", "against"):
        figure_of(chart(Panel(kind, "x", "y", []), False))
