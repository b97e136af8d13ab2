"""How the page feels, in Chromium: each number with the most that it may be; reported, not asserted.

- A step: from the key until every panel shows the new scene and is painted, on recorded trees of about 60 nodes, at a
  reader's pace and with the key held down.
- Usable: from the server's first byte to the drawn Race page and its Run button, with nothing cached.
- The first token: from the click on Run to the frame that shows the first token of a lane.
- Streaming: numbered pictures of a race of three lanes that never came, or were drawn wrongly.
- Slow motion: frames of a 60 Hz screen that were left out while the recorded race played.
"""

from argparse import Namespace
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page

from specviz.assets import ASSETS
from specviz.trace.store import load_trace
from tests.measures.server import chromium, serving
from tests.measures.stopwatches import FIRST, MOTION, STEPS, STREAM, USABLE
from tests.measures.table import app_flags, report

RUN, READY = "Run the race", ".sv-status[data-state=ready]"
PLAYER = "#sv-microscope .sv-player"


def page_feel(args: Namespace, pause: int = 700, trees: int = 3) -> list[dict[str, Any]]:
    """Every number, ``rounds`` times; ``pause`` milliseconds between two steps of a reader on so many ``trees``."""
    with chromium() as browser, serving(app_flags(args)) as (url, _):
        _opened(browser, url, READY).close()  # the models are there
        paces = [steps(browser, url, args.rounds, ms, trees) for ms in (pause, 0)]
        return [
            line("step to paint of all panels", "ms", 20, paces[0]),
            line("the same, key held down", "ms", 33, paces[1]),
            line("page usable after the server answers", "s", 2, usable(browser, url, args.rounds)),
            line("first token after Run", "s", 1, first_token(browser, url, args.rounds)),
            line("updates dropped from a race", "", 0, streamed(browser, url, args.rounds)),
            line("frames left out of slow motion", "%", 2, slow_motion(browser, url, args.rounds)),
        ]


def line(name: str, unit: str, aim: float, values: list[float]) -> dict[str, Any]:
    """The median with its interval (95 %, drawn anew; none below six), and whether it is within the aim."""
    drawn = np.median(np.random.default_rng(0).choice(values, (2000, len(values))), axis=1)
    low, high = map(float, np.quantile(drawn, (0.025, 0.975))) if len(values) > 5 else (None, None)
    middle = float(np.median(values))
    about = {"measure": name, "unit": unit, "median": middle, "low": low, "high": high, "aim": aim}
    return about | {"holds": middle <= aim, "values": len(values)}


def big_trees(most: int) -> list[tuple[str, int]]:
    """Method and iteration of the recorded runs that have a tree of 50 to 70 nodes, the nearest to 60 first."""
    near = []
    for trace in map(load_trace, sorted((ASSETS / "gallery").glob("*.json"))):
        sizes = [(abs((len(one.forest.nodes) if one.forest else 0) - 60), one.index) for one in trace.iterations]
        near.append((*min(sizes), trace.header.method.name))
    return [(name, index) for off, index, name in sorted(near)[:most] if off <= 10]


def steps(browser: Browser, url: str, rounds: int, pause: int, trees: int) -> list[float]:
    """From the first scene of each big tree to the last by the right arrow; milliseconds of each step."""
    values = []
    for method, index in big_trees(trees):
        at = f"{url}?view=microscope&recorded={method},autoregressive&at=0.{index}.context"
        page = _opened(browser, at, f"{PLAYER}[data-scene=context]")
        page.evaluate(STEPS)
        for _ in range(rounds):
            page.locator(PLAYER).focus()
            page.keyboard.press("Home")
            page.wait_for_timeout(700)
            page.evaluate("bench.steps.length = 0")
            for step in range(page.evaluate(f"Number(document.querySelector('{PLAYER} input[type=range]').max)")):
                page.keyboard.press("ArrowRight")
                page.wait_for_function("count => bench.steps.length > count", arg=step)
                page.wait_for_timeout(pause)
            values += page.evaluate("bench.steps")
        page.close()
    return values


def usable(browser: Browser, url: str, rounds: int) -> list[float]:
    """Seconds, each time with an empty cache."""
    values = []
    for _ in range(rounds):
        with browser.new_context(viewport={"width": 1280, "height": 720}) as context:
            page = context.new_page()
            page.add_init_script(USABLE)
            page.goto(url)
            values.append(page.wait_for_function("window.benchUsable").json_value() / 1000)
    return values


def first_token(browser: Browser, url: str, rounds: int) -> list[float]:
    """Seconds; the first race, which warms the models up, is not counted."""
    page, values = _opened(browser, url, READY), []
    page.evaluate(FIRST)
    for _ in range(rounds + 1):
        page.evaluate("window.benchFirst = null")
        page.get_by_role("button", name=RUN).click()
        values.append(page.wait_for_function("window.benchFirst").json_value() / 1000)
        page.get_by_role("button", name=RUN).wait_for()
    page.close()
    return values[1:]


def streamed(browser: Browser, url: str, rounds: int, watch: str = STREAM) -> list[float]:
    """Of each race of 128 tokens a lane: numbers that never came, and pictures drawn wrongly."""
    page, values = _opened(browser, url, READY), []
    page.evaluate(watch)
    page.get_by_label("Tokens to write").fill("128")
    for seed in range(rounds):
        page.evaluate("window.benchStream = {updates: [], wrong: 0, iterations: null}")
        page.get_by_label("Seed").fill(str(seed))
        page.get_by_role("button", name=RUN).click()
        page.wait_for_function("benchStream.iterations", timeout=120_000)
        page.get_by_role("button", name=RUN).wait_for()
        told = page.evaluate("benchStream")
        numbers = told["updates"]
        values.append(float(max(numbers) - len(set(numbers)) + told["wrong"] + (numbers != sorted(numbers))))
    page.close()
    return values


def slow_motion(browser: Browser, url: str, rounds: int, factor: int | None = None) -> list[float]:
    """Per cent of the frames, ``factor`` times slower (default: as the page begins)."""
    values = []
    for _ in range(rounds):
        page = _opened(browser, url, ".sv-playback")
        if factor:
            page.get_by_label("How much slower").select_option(str(factor))
        page.evaluate(MOTION)
        page.locator(".sv-play").click()
        page.wait_for_function("window.benchPlayed", timeout=120_000)
        frames = page.evaluate("benchFrames")
        wanted = max(1, round((frames[-1] - frames[0]) * 60 / 1000))
        values.append(max(0.0, 100 * (1 - (len(frames) - 1) / wanted)))
        page.close()
    return values


def _opened(browser: Browser, url: str, ready: str) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.set_default_timeout(120_000)
    page.goto(url)
    page.locator(ready).first.wait_for()
    return page


if __name__ == "__main__":
    report(page_feel, __doc__)
