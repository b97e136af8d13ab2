"""A draw like a coin: the number falls on the token that was drawn, in every recorded draw."""

import pytest

from specviz.pictures.shapes import Bars, Strip
from specviz.pictures.shown import Views
from specviz.rules.beams.beam import SampledBeam
from specviz.rules.draw import SampledToken, spans
from tests.recorded import load_gallery

GALLERY = {trace.header.method.name: trace for trace in load_gallery()}


def told(trace):
    """Every decision with the picture of its panel "decision", if it has one."""
    for iteration in trace.iterations:
        views = Views(trace, iteration)
        for decision_index, decision in enumerate(iteration.decisions, start=1):
            yield decision, views.of(decision_index).panels.get("decision", (None, None))[1]


def draws(trace):
    return [
        (decision, picture) for decision, picture in told(trace) if isinstance(decision, SampledToken | SampledBeam)
    ]


@pytest.mark.parametrize("name", GALLERY)
def test_the_number_falls_on_the_token_that_was_drawn(name):
    for draw, _ in draws(GALLERY[name]):
        found = spans(draw, draw.source)
        assert found[0][1] == 0 and found[-1][2] == pytest.approx(1)
        assert all(end == start for (_, _, end), (_, start, _) in zip(found, found[1:], strict=False))
        if draw.uniform is not None:
            (hit,) = [key for key, start, end in found if start <= draw.uniform < end]
            assert hit == (draw.parent if isinstance(draw, SampledBeam) else draw.after, draw.token)


def test_the_strip_is_over_the_bars_with_the_number_on_what_was_drawn():
    draw, picture = next(one for one in draws(GALLERY["speculative"]) if one[0].uniform is not None)
    strip, bars = picture.shapes
    assert isinstance(strip, Strip) and isinstance(bars, Bars)
    assert [part.end for part in strip.parts] == [end for *_, end in spans(draw, draw.source)]
    assert (strip.uniform, strip.called) == (draw.uniform, "random number")
    marked = [
        (start, part.end)
        for part, (_, start, _) in zip(strip.parts, spans(draw, draw.source), strict=True)
        if part.tone == draw.origin
    ]
    assert [start <= draw.uniform < end for start, end in marked] == [True]


def test_without_a_number_there_is_no_strip():
    certain = [picture for draw, picture in draws(GALLERY["bpd"]) if draw.uniform is None]
    assert certain and all(isinstance(shape, Bars) for picture in certain for shape in picture.shapes)


@pytest.mark.every(5)
@pytest.mark.parametrize("name", ["speculative", "spectr", "block", "beam", "dsbd", "mtjd"])
def test_the_handle_gets_what_every_number_leads_to(name):
    found = 0
    for decision, picture in told(GALLERY[name]):
        for strip in picture.shapes if picture else ():
            if not isinstance(strip, Strip):
                continue
            hit = next(part for part in strip.parts if strip.uniform < part.end)
            verdict = getattr(decision, "accepted", getattr(decision, "passes", None))
            assert hit.fate == ("drawn" if verdict is None else "accepted" if verdict else "rejected")
            assert strip.uniform == decision.uniform and strip.parts[-1].end == pytest.approx(1)
            found += 1
    assert found > 3
