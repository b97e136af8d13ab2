"""No text in a draft tree touches another, or a mark, in any recorded iteration and at the widths of a page."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from specviz.trace.store import load_trace
from specviz.views.drafts.tree import tree_data
from specviz.views.drafts.tree_labels import LETTER
from specviz.views.facts import iteration_facts as facts

GALLERY = Path(__file__).resolve().parents[3] / "assets" / "gallery"
RUNS = {path.stem[3:]: path for path in sorted(GALLERY.glob("*.json"))}
TALL, TALL_WIDTH, LOW_WIDTH = 300, 440, 800  # pixels: a tree higher than the first is drawn in a column of the page
CAP, LINE = 1180, 14  # pixels: the highest that a panel gets, the height of a text


def places(figure, width):
    """How far points are from the left and the top of a drawing, in pixels, as assets/player/src/player/layout.js lays
    it out."""
    layout = figure["layout"]
    margin, (left, right), (low, high) = layout["margin"], layout["xaxis"]["range"], layout["yaxis"]["range"]
    space = width - margin["l"] - margin["r"]
    for depth, length in layout["meta"]["labels"]:
        right = max(right, left + space * (depth - left) / max(60, space - 24 - 7 * length))
    tall = min(layout["height"], CAP) - margin["t"] - margin["b"]
    return lambda x, y: (space * (x - left) / (right - left), tall * (high - y) / (high - low))


def plain(text):
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def boxes(figure, width):
    """(what, left, top, right, bottom) of every text beside a mark, and of every mark."""
    at, texts, marks = places(figure, width), [], []
    for one in figure["data"]:
        size = one.get("marker", {}).get("size", 0)
        if one.get("customdata") is not None:
            for x, y in zip(one["x"], one["y"], strict=True):
                px, py = at(x, y)
                marks.append(("a mark", px - size / 2, py - size / 2, px + size / 2, py + size / 2))
        elif "text" in one:
            away = 8 / 0.8 + 1  # plotly keeps a text that far from a mark of 16 pixels
            for x, y, text in zip(one["x"], one["y"], one["text"], strict=True):
                (px, py), long = at(x, y), LETTER * len(plain(text))
                if one["textposition"] == "top center":
                    texts.append((text, px - long / 2, py - away - LINE, px + long / 2, py - away))
                else:
                    texts.append((text, px + away, py - LINE / 2, px + away + long, py + LINE / 2))
    return texts, marks


def touching(figure):
    texts, marks = boxes(figure, TALL_WIDTH if figure["layout"]["height"] > TALL else LOW_WIDTH)
    pairs = [*combinations(texts, 2), *((text, mark) for text in texts for mark in marks)]
    for (a, *one), (b, *other) in pairs:
        if one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]:
            yield a, b


@pytest.mark.parametrize("method", RUNS)
def test_no_text_touches_another_or_a_mark(method):
    trace = load_trace(RUNS[method])
    for index in range(len(trace.iterations)):
        assert list(touching(tree_data(trace, index, final=False))) == [], index


@pytest.mark.parametrize("method", ["dynamic-tree", "slim"])
def test_what_is_folded_is_counted_behind_what_it_follows(method):
    trace = load_trace(RUNS[method])
    for index, iteration in enumerate(trace.iterations):
        nodes = facts.nodes_of(iteration)
        hidden = set(range(len(nodes))) - facts.prominent(nodes)
        assert not any(nodes[name].submitted for name in hidden)
        figure = tree_data(trace, index)
        texts = [text for one in figure["data"] if one.get("customdata") is None for text in one.get("text", ())]
        counted = Counter({text: int(text.rpartition(" +")[2]) for text in texts if text.rpartition(" +")[2].isdigit()})
        assert counted.total() <= len(hidden) and bool(counted) is bool(hidden)
        if hidden:
            assert f"{len(hidden)} in all" in " ".join(figure["layout"]["meta"]["legend"]["notes"])


def test_the_check_finds_texts_that_touch():
    trace = load_trace(RUNS["medusa"])
    figure = tree_data(trace, 0)
    for one in figure["data"]:
        if "textposition" in one:
            one["textposition"] = "top center"
    assert list(touching(figure))
