"""Pictures as JSON: what is as usual is left out, numbers are short."""

from specviz.views.pictures.data import as_data, in_lines
from specviz.views.pictures.shapes import Bar, BarRow, Bars, Picture, Strip


def test_what_has_its_default_is_missing_but_never_the_kind():
    row = BarRow("a", (Bar("target", 1 / 3, "0.33", 0.0),))
    assert as_data(Picture((Bars((row,), 1.0),), "Words.")) == {
        "shapes": [
            {
                "rows": [{"label": "a", "bars": [{"tone": "target", "length": 0.33333, "text": "0.33", "solid": 0}]}],
                "most": 1,
                "kind": "bars",
            }
        ],
        "words": "Words.",
    }
    assert as_data({"strip": Strip((), uniform=0.0)}) == {"strip": {"parts": [], "uniform": 0, "kind": "strip"}}


def test_texts_share_their_lines():
    texts, lines = in_lines({"one": "a\nb", "other": "a\nc\na", "none": ""})
    assert texts == {"one": [0, 1], "other": [0, 2, 0]} and lines == ["a", "b", "c"]
