"""Pictures as JSON: what is as usual is left out, numbers are short, names of fields and phrases are sent once."""

import json

from specviz.pictures.data import in_phrases, packed, unpacked
from specviz.pictures.shapes import Bar, BarRow, Bars, Picture, Strip


def test_a_picture_is_lists_whose_fields_are_named_once():
    names = {}
    row = BarRow("a", (Bar("target", 1 / 3, "0.33", 0.0), Bar("draft", 0.5, "0.5", 0.5)))
    found = packed(Picture((Bars((row,), 1.0),)), names)
    bars = [0, [4, "target", 0.33333, "0.33", 0], [4, "draft", 0.5, "0.5", 0.5]]
    assert found == [1, [0, [2, [0, [3, "a", bars]], 1, "bars"]]]
    assert list(names)[:3] == [("shapes",), ("rows", "most", "kind"), ("label", "bars")]
    assert list(names)[3:] == [("tone", "length", "text", "solid")]
    assert packed(Bar("draft", 1.0, "1"), names) == [5, "draft", 1, "1"]


def test_what_has_its_default_is_missing_but_never_the_kind():
    names = {}
    found = json.loads(json.dumps(packed(Picture((Strip((), uniform=0.0),), "Words."), names)))
    assert unpacked(found, [list(one) for one in names]) == {
        "shapes": [{"parts": [], "uniform": 0, "kind": "strip"}],
        "words": "Words.",
    }


def test_texts_share_their_phrases():
    given = {"one": "Depth 1: a, b, c.\nEnd. ", "other": "Depth 1: x, y, b, c.\nMore.\n\n", "none": ""}
    texts, phrases = in_phrases(given)
    assert phrases == ["Depth 1: ", "a, ", "b, ", "c.\n", "End. ", "x, y, ", "More.\n\n"]
    assert {key: "".join(phrases[at] for at in found) for key, found in texts.items()} == given
