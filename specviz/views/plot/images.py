"""Figures as files: PNG, SVG and PDF, drawn by Chromium through kaleido, with plotly.js from the installed package.

One Chromium serves everybody, one figure at a time. It starts with the first figure, closes when idle for a while, and
restarts after a failure. Nothing is fetched from outside. Importing this module starts nothing.
"""

import asyncio
import atexit
import logging
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import plotly.graph_objects as go

from specviz.errors import SpecvizError
from specviz.views.plot import palette

log = logging.getLogger(__name__)

FORMATS = ("png", "svg", "pdf")
WIDTH = 900  # pixels, as wide as a panel of the page
LARGEST_SIDE = 4_000
LARGEST_IMAGE = 40_000_000  # pixels, scale included
PAPER = {
    dark: palette.theme(dark).paper for dark in (False, True)
}  # what figures lie on outside the page, light and dark
FONT = "Arial, Liberation Sans, DejaVu Sans, sans-serif"

_EDGE = 20  # pixels: kaleido prints with margins of a tenth of an inch, which push the edge off the page
_START = 30.0  # seconds for Chromium to be there
_DRAW = 20.0  # seconds for one figure
_QUEUE = 20.0  # seconds to wait for others' figures
_IDLE = 60.0  # seconds without a figure until Chromium is closed


def figure_image(
    figure: go.Figure, format: str = "png", width: int = WIDTH, height: int | None = None, scale: float = 2.0
) -> bytes:
    """The figure as the bytes of an image file.

    ``format``: png, svg or pdf. ``width`` and ``height`` in pixels, 100 to 4000 (height: the figure's own where it is
    None); ``scale`` 0.5 to 4 multiplies the pixels of a png. Raises SpecvizError for anything else, where there is no
    Chromium or no kaleido, and where drawing takes too long.
    """
    height = height or figure.layout.height or 450
    _check(format, width, height, scale)
    sheet = on_paper(figure)
    if format == "pdf":
        sheet, width, height, scale = with_edges(sheet), width + _EDGE, height + _EDGE, 1.0
    return _studio.draw(sheet.to_dict(), {"format": format, "width": width, "height": height, "scale": scale})


def with_edges(figure: go.Figure) -> go.Figure:
    """The figure, changed: with a margin right and below, which may be lost when it is printed."""
    margin = figure.layout.margin
    right, below = (80 if pixels is None else pixels for pixels in (margin.r, margin.b))
    return figure.update_layout(margin={"r": right + _EDGE, "b": below + _EDGE})


def on_paper(figure: go.Figure | dict[str, Any], *, dark: bool = False) -> go.Figure:
    """A copy for use outside the page, of a figure or its plain ``data`` and ``layout``: with a background and a
    font of its own."""
    sheet = go.Figure(palette.figure_of(figure))
    if sheet.layout.paper_bgcolor in (None, palette.CLEAR):
        sheet.layout.paper_bgcolor = PAPER[dark]
    if sheet.layout.font.family in (None, "inherit"):
        sheet.layout.font.family = FONT
    return sheet


def _check(format: str, width: int, height: int, scale: float) -> None:
    if format not in FORMATS:
        raise SpecvizError(f"format must be one of {', '.join(FORMATS)}, got {str(format)[:20]!r}", argument="format")
    for name, value in (("width", width), ("height", height)):
        if not 100 <= value <= LARGEST_SIDE:
            raise SpecvizError(f"{name} must be 100 to {LARGEST_SIDE} pixels, got {value:g}", argument=name)
    if not 0.5 <= scale <= 4:
        raise SpecvizError(f"scale must be 0.5 to 4, got {scale:g}", argument="scale")
    if width * height * scale**2 > LARGEST_IMAGE:
        raise SpecvizError(
            f"the image would have more than {LARGEST_IMAGE:,} pixels: choose a smaller scale", argument="scale"
        )


class Studio:
    """The Chromium that draws, on an event loop of its own. ``open_browser`` makes a started kaleido browser."""

    def __init__(self, open_browser: Callable[[], Coroutine[Any, Any, Any]], *, queue: float = _QUEUE):
        self._open = open_browser
        self._queue = queue
        self._turn = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._browser: Any = None
        self._rest: asyncio.TimerHandle | None = None

    def draw(self, figure: dict[str, Any], options: dict[str, Any]) -> bytes:
        """The bytes of one image; waits for the figures of others. Raises SpecvizError when there is none."""
        if not self._turn.acquire(timeout=self._queue):
            raise SpecvizError("Many figures are being drawn right now. Try again in a moment.", code="queue_full")
        try:
            return self._run(self._draw(figure, options), _START + _DRAW)
        except TimeoutError:
            self.close()
            raise SpecvizError("The figure took too long to draw. Try again, or choose PNG or SVG.") from None
        except SpecvizError:
            raise
        except Exception as error:  # whatever Chromium does, the next figure gets a fresh one
            log.exception("a figure could not be drawn")
            self.close()
            raise SpecvizError(f"The figure could not be drawn: {type(error).__name__}: {error}"[:300]) from None
        finally:
            self._turn.release()

    async def _draw(self, figure: dict[str, Any], options: dict[str, Any]) -> bytes:
        if self._rest:
            self._rest.cancel()
        if self._browser is None:
            self._browser = await self._opened()
        image = await asyncio.wait_for(self._browser.calc_fig(figure, options), _DRAW)
        self._rest = asyncio.get_running_loop().call_later(_IDLE, lambda: asyncio.ensure_future(self._shut()))
        return image

    async def _opened(self) -> Any:
        """A started browser. If the first ends as it starts, which happens, a second one is started in the remaining
        time."""
        end = asyncio.get_running_loop().time() + _START
        try:
            return await asyncio.wait_for(self._open(), _START)
        except SpecvizError:  # there is none
            raise
        except Exception as error:
            left = end - asyncio.get_running_loop().time()
            if left <= 0:
                raise
            log.warning("Chromium ended as it started (%s): once more", type(error).__name__)
            return await asyncio.wait_for(self._open(), left)

    async def _shut(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None:
            await asyncio.wait_for(browser.close(), 10)

    def close(self) -> None:
        """Close Chromium, if it runs. The next figure opens it again."""
        if self._loop is not None and self._browser is not None:
            with suppress(Exception):  # it may be gone already
                self._run(self._shut(), 15)

    def _run(self, work: Coroutine[Any, Any, Any], seconds: float) -> Any:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, name="figure-images", daemon=True).start()
            atexit.register(self.close)
        job = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return job.result(seconds)
        except TimeoutError:
            job.cancel()
            raise


async def _chromium() -> Any:
    """A started browser of kaleido; without MathJax, which it would fetch from outside."""
    try:
        from kaleido import Kaleido
        from kaleido.errors import ChromeNotFoundError

        from specviz.views.plot.chromium import Offline
    except ImportError:
        raise SpecvizError("Images need the package kaleido: pip install kaleido") from None
    try:
        browser = Kaleido(mathjax=False, timeout=_DRAW, browser_cls=Offline)
    except ChromeNotFoundError:
        raise SpecvizError(
            "This server has no Chromium to draw with. Install chromium, or name one in BROWSER_PATH; "
            "PNG and SVG can be saved in the browser without it."
        ) from None
    try:
        await browser.open()
    except BaseException:  # half started: leave no process behind
        with suppress(Exception):
            await browser.close()
        raise
    return browser


_studio = Studio(_chromium)
