"""Figures as files: real ones by Chromium, the refusals, and a browser that fails."""

import asyncio
import subprocess
import sys
import threading

import plotly.graph_objects as go
import pytest

from specviz.errors import SpecvizError
from specviz.views.plot import images
from specviz.views.plot.images import PAPER, Studio, figure_image, on_paper
from specviz.views.plot.palette import CLEAR
from specviz.views.race.timeline import timeline_figure
from tests.traces import mtad_trace

FIGURE = timeline_figure([mtad_trace()])


@pytest.mark.full
def test_png_svg_and_pdf_are_drawn():
    png = figure_image(FIGURE, "png", 400, 200, 1.0)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (400, 200)
    assert b"<svg" in figure_image(FIGURE, "svg")[:200] and b"target calls" in figure_image(FIGURE, "svg")
    assert figure_image(FIGURE, "pdf").startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"format": "gif"}, "png, svg, pdf"),
        ({"width": 99}, "width must be 100 to 4000"),
        ({"height": 4001}, "height must be"),
        ({"width": float("nan")}, "width must be"),
        ({"scale": 9}, "scale must be 0.5 to 4"),
        ({"width": 4000, "height": 4000, "scale": 2}, "choose a smaller scale"),
    ],
)
def test_images_out_of_bounds_are_refused(asked, said):
    with pytest.raises(SpecvizError, match=said):
        figure_image(FIGURE, **asked)


def test_nothing_of_a_figure_stands_where_a_printed_page_is_cut(monkeypatch):
    asked = []
    monkeypatch.setattr(images, "_studio", type("Asked", (), {"draw": lambda _, *what: asked.append(what) or b""})())
    for format in ("svg", "pdf"):
        figure_image(FIGURE, format)
    (drawn, plain), (printed, page) = asked
    lost = 2 * 0.1 * 96  # kaleido prints with margins of a tenth of an inch, and the first page alone
    for side, at in (("width", "r"), ("height", "b")):
        assert page[side] - plain[side] >= lost and page["scale"] == 1
        before = drawn["layout"]["margin"][at]
        assert printed["layout"]["margin"][at] - before == page[side] - plain[side]  # what is drawn keeps its size


def test_a_figure_on_paper_is_a_copy_with_a_ground_and_a_font():
    for dark in (False, True):
        sheet = on_paper(FIGURE, dark=dark)
        assert sheet.layout.paper_bgcolor == PAPER[dark] and "Arial" in sheet.layout.font.family
    assert FIGURE.layout.paper_bgcolor == CLEAR and FIGURE.layout.font.family == "inherit"
    assert on_paper(go.Figure(layout={"paper_bgcolor": "#abcdef"})).layout.paper_bgcolor == "#abcdef"


def test_plain_data_and_layout_get_no_template_of_plotly():
    sheet = on_paper({"data": [], "layout": {"paper_bgcolor": CLEAR}}, dark=True)
    assert sheet.layout.paper_bgcolor == PAPER[True] and sheet.layout.template.layout.colorway is None


class Paint:
    """A browser that draws ``image``, or fails."""

    def __init__(self, image):
        self.image, self.closed = image, False

    async def calc_fig(self, *_):
        if isinstance(self.image, Exception):
            raise self.image
        if self.image is None:
            await asyncio.sleep(60)
        return self.image

    async def close(self):
        self.closed = True


def studio(*browsers, **settings):
    """A studio that opens these browsers one after the other."""
    waiting = list(browsers)

    async def open_browser():
        return waiting.pop(0)

    return Studio(open_browser, **settings)


def test_one_browser_draws_many_figures_until_it_rests(monkeypatch):
    monkeypatch.setattr(images, "_IDLE", 0.05)
    first, second = Paint(b"1"), Paint(b"2")
    room = studio(first, second)
    assert [room.draw({}, {}), room.draw({}, {})] == [b"1", b"1"]
    for _ in range(100):
        if first.closed:
            break
        threading.Event().wait(0.02)
    assert first.closed
    assert room.draw({}, {}) == b"2"


def test_a_browser_that_ends_as_it_starts_has_a_second():
    tries = [OSError("gone"), OSError("gone"), OSError("gone"), Paint(b"1")]

    async def open_browser():
        found = tries.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    room = Studio(open_browser)
    with pytest.raises(SpecvizError, match="could not be drawn: OSError: gone"):
        room.draw({}, {})
    assert len(tries) == 2 and room.draw({}, {}) == b"1" and not tries


def test_a_browser_that_hangs_as_it_starts_has_no_second(monkeypatch):
    monkeypatch.setattr(images, "_START", 0.2)
    opened = []

    async def open_browser():
        opened.append(True)
        await asyncio.sleep(60)

    with pytest.raises(SpecvizError, match="took too long"):
        Studio(open_browser).draw({}, {})
    assert len(opened) == 1


def test_after_a_failure_the_next_figure_gets_a_new_browser():
    broken, sound = Paint(RuntimeError("crashed")), Paint(b"fine")
    room = studio(broken, sound)
    with pytest.raises(SpecvizError, match="could not be drawn: RuntimeError: crashed"):
        room.draw({}, {})
    assert broken.closed and room.draw({}, {}) == b"fine"


def test_a_figure_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(images, "_DRAW", 0.05)
    slow, sound = Paint(None), Paint(b"fine")
    room = studio(slow, sound)
    with pytest.raises(SpecvizError, match="too long"):
        room.draw({}, {})
    assert slow.closed and room.draw({}, {}) == b"fine"


def test_who_waits_too_long_for_others_is_told(monkeypatch):
    room = studio(Paint(b"1"), queue=0.05)
    with room._turn, pytest.raises(SpecvizError, match="Many figures"):
        room.draw({}, {})
    assert room.draw({}, {}) == b"1"


def test_without_chromium_the_reason_is_said(monkeypatch):
    import kaleido
    from kaleido.errors import ChromeNotFoundError

    def missing(**_):
        raise ChromeNotFoundError("none")

    monkeypatch.setattr(kaleido, "Kaleido", missing)
    with pytest.raises(SpecvizError, match="no Chromium"):
        Studio(images._chromium).draw({}, {})
    monkeypatch.setitem(sys.modules, "kaleido", None)
    with pytest.raises(SpecvizError, match="pip install kaleido"):
        Studio(images._chromium).draw({}, {})


@pytest.mark.full
def test_importing_images_loads_no_kaleido():
    code = "import sys, specviz.views.plot.images; sys.exit('kaleido' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
