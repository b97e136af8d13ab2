"""A draw like a coin: the number falls on the token that was drawn, in every recorded draw."""

import pytest

from specviz.trace.decisions import SampledBeam, SampledToken
from specviz.ui.page import load_gallery
from specviz.views.decisions.cumulative import spans
from specviz.views.decisions.residual import draw_figure
from specviz.views.decisions.rules import show
from specviz.views.facts.scene_parts import Moment
from specviz.views.plot import palette

GALLERY = {trace.header.method.name: trace for trace in load_gallery()}


def draws(trace):
    decisions = (decision for iteration in trace.iterations for decision in iteration.decisions)
    return [decision for decision in decisions if isinstance(decision, SampledToken | SampledBeam)]


@pytest.mark.parametrize("name", GALLERY)
def test_the_number_falls_on_the_token_that_was_drawn(name):
    for draw in draws(GALLERY[name]):
        found = spans(draw)
        assert found[0][1] == 0 and found[-1][2] == pytest.approx(1)
        assert all(end == start for (_, _, end), (_, start, _) in zip(found, found[1:], strict=False))
        if draw.uniform is not None:
            (hit,) = [key for key, start, end in found if start <= draw.uniform < end]
            assert hit == (draw.parent if isinstance(draw, SampledBeam) else draw.after, draw.token)


def test_the_strip_is_over_the_bars_with_a_needle_at_the_number():
    trace = GALLERY["speculative"]
    draw = next(one for one in draws(trace) if one.uniform is not None)
    figure = draw_figure(trace, draw)
    *strips, needle = figure.layout.shapes
    assert [(one.x0, one.x1) for one in strips] == [(start, end) for _, start, end in spans(draw)]
    assert needle.x0 == needle.x1 == draw.uniform
    marked = [one for one in strips if one.fillcolor == palette.ORIGINS[draw.origin].color]
    assert [(one.x0 <= draw.uniform < one.x1) for one in marked] == [True]
    assert any("random number" in note.text for note in figure.layout.annotations)


def test_without_a_number_there_is_no_strip():
    trace = GALLERY["bpd"]
    certain = [draw for draw in draws(trace) if draw.uniform is None]
    assert certain and all(not draw_figure(trace, draw).layout.shapes for draw in certain)


@pytest.mark.every(5)
@pytest.mark.parametrize("name", ["speculative", "spectr", "block", "beam", "dsbd", "mtjd"])
def test_the_handle_gets_what_every_number_leads_to(name):
    trace = GALLERY[name]
    found = 0
    for iteration in trace.iterations:
        for decision_index, decision in enumerate(iteration.decisions, start=1):
            panels = show(Moment(trace, iteration, decision_index)).panels
            figure = panels["decision"][1].figure(dark=False) if "decision" in panels else None
            layout = figure if isinstance(figure, dict) or figure is None else figure.to_plotly_json()
            chance = ((layout or {"layout": {}})["layout"].get("meta") or {}).get("chance")
            if chance is None:
                continue
            hit = next(one for one in chance["outcomes"] if chance["uniform"] < one["end"])
            verdict = getattr(decision, "accepted", getattr(decision, "passes", None))
            assert hit["kind"] == ("drawn" if verdict is None else "accepted" if verdict else "rejected")
            assert chance["uniform"] == decision.uniform and chance["outcomes"][-1]["end"] == pytest.approx(1)
            found += 1
    assert found > 3
