"""How the page feels, measured in a real browser: every number with the aim it is held against; reported, not asserted.

- A step: from the key until the first frame in which every panel shows the new scene has been painted; on trees of
  about ``NODES`` nodes, at a reader's pace and with the key held down. A frame of a 60 Hz screen is 17 ms.
- Usable: from the server's first byte to the Race page with the recorded race drawn and its Run button there, with
  nothing cached.
- The first token: from the click on Run to the frame that shows the first token of a lane.
- Streaming: the server numbers the pictures of a race. Dropped is every number that did not arrive at the page, or
  whose tokens did not stand on the page, in the order of their iterations, once it had arrived.
- Slow motion: frames of a 60 Hz screen that were left out while the recorded race played.
- Lessons: every lesson as an exported file, opened from disk and stepped through; requests to anywhere are counted.
- A crowd: ``load.py``.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from specviz.assets import ASSETS
from specviz.lab.bench.statistics import Estimate, estimate
from specviz.lab.lessons.lesson import lesson_document
from specviz.lab.machine import machine, versions
from specviz.lab.page.load import Load, load_test
from specviz.lab.page.scripts import FIRST, MOTION, STEPS, STREAM, USABLE
from specviz.lab.page.server import Served
from specviz.trace.store import load_trace
from specviz.views.lessons.lesson import find_lesson, gallery_runs, lesson_names

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

GALLERY = ASSETS / "gallery"
NODES = 60
WITHIN = 10  # of NODES
STREAMED_TOKENS = 128  # so that every lane of the race makes 20 iterations
ITERATIONS = 20
PAUSE = 700  # milliseconds between two steps of a reader
WARM = 5  # rounds of a crowd until the list of kept runs is full and the allocator has settled
TOGETHER = 4  # races that a page lets take turns on its device (MAX_TOGETHER)
MB = 1_000_000


@dataclass(frozen=True)
class Measure:
    """One thing measured: its ``values``, in ``unit``, and the most that the median may be (None: no aim)."""

    name: str
    unit: str
    aim: float | None
    values: tuple[float, ...]
    note: str = ""

    @property
    def estimate(self) -> Estimate:
        """Median with its interval."""
        return estimate(self.values)

    @property
    def holds(self) -> bool | None:
        """Whether the median is within the aim; None without one."""
        return None if self.aim is None else self.estimate.median <= self.aim


def page_bench(served: Served, browser: "Browser", *, rounds: int, tell: Callable[[str], None]) -> list[Measure]:
    """Everything, ``rounds`` times where one time is not enough; ``tell`` hears what is being measured."""
    tell("waiting for the models")
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.set_default_timeout(120_000)
    page.goto(served.url)
    page.locator(".sv-status[data-state=ready]").wait_for()
    page.close()
    found: list[Measure] = []
    for name, work in (
        ("steps", lambda: steps(served.url, browser, rounds)),
        ("the first screen", lambda: usable(served.url, browser, rounds)),
        ("first tokens", lambda: first_token(served.url, browser, rounds)),
        ("streams", lambda: streamed(served.url, browser, rounds)),
        ("slow motion", lambda: slow_motion(served.url, browser, rounds)),
        ("lessons", lambda: lessons(browser)),
        ("a crowd", lambda: crowded(load_test(*served, warm=WARM))),
    ):
        tell(name)
        found += work()
    return found


def big_trees(most: int = 3) -> list[tuple[str, int, int]]:
    """(method, iteration, nodes) of the recorded runs: the iteration nearest to ``NODES`` nodes of each method that has
    one within ``WITHIN`` of it, the nearest first."""
    found = []
    for path in sorted(GALLERY.glob("*.json")):
        trace = load_trace(path)
        sizes = [(len(one.forest.nodes) if one.forest else 0, one.index) for one in trace.iterations]
        nodes, index = min(sizes, key=lambda size: abs(size[0] - NODES))
        if abs(nodes - NODES) <= WITHIN:
            found.append((trace.header.method.name, index, nodes))
    return sorted(found, key=lambda one: abs(one[2] - NODES))[:most]


def steps(url: str, browser: "Browser", rounds: int) -> list[Measure]:
    """Key to paint of all panels, over the scenes of each big tree."""
    slow: list[float] = []
    fast: list[float] = []
    trees = big_trees()
    for method, index, _ in trees:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{url}?view=microscope&recorded={method},autoregressive&at=0.{index}.context")
        page.locator("#sv-microscope .sv-player[data-scene=context]").wait_for()
        page.evaluate(STEPS)
        for _ in range(rounds):
            for pause, into in ((PAUSE, slow), (0, fast)):
                into += _sweep(page, pause)
        page.close()
    what = ", ".join(f"{method} ({nodes} nodes)" for method, _, nodes in trees)
    return [
        Measure("step to paint of all panels", "ms", 20, tuple(slow), f"{len(slow)} steps at a reader's pace: {what}"),
        Measure("the same, key held down", "ms", 33, tuple(fast), f"{len(fast)} steps without a pause"),
    ]


def _sweep(page: "Page", pause: int) -> list[float]:
    """From the first scene to the last by the right arrow; milliseconds of each step."""
    page.locator("#sv-microscope .sv-player").focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(PAUSE)
    page.evaluate("bench.steps.length = 0")
    count = page.evaluate("Number(document.querySelector('#sv-microscope .sv-player input[type=range]').max)")
    for step in range(1, count + 1):
        page.keyboard.press("ArrowRight")
        page.wait_for_function("count => bench.steps.length >= count", arg=step)
        if pause:
            page.wait_for_timeout(pause)
    return page.evaluate("bench.steps")


def slow_motion(url: str, browser: "Browser", rounds: int, factor: int | None = None) -> list[Measure]:
    """The recorded race, ``factor`` times slower (default: as the page begins): how many frames were left out."""
    values, frames = [], 0
    for _ in range(rounds):
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(url)
        page.locator(".sv-playback").first.wait_for()
        if factor:
            page.get_by_label("How much slower").select_option(str(factor))
        page.evaluate(MOTION)
        page.locator(".sv-play").click()
        page.wait_for_function("window.benchPlayed", timeout=120_000)
        values.append(dropped_frames(page.evaluate("benchFrames")))
        frames += len(page.evaluate("benchFrames"))
        page.close()
    return [Measure("frames left out of slow motion", "%", 2, tuple(values), f"{frames} frames drawn")]


def dropped_frames(drawn: Sequence[float]) -> float:
    """Of a 60 Hz screen's frames the part that was not drawn, per cent; ``drawn`` are milliseconds, ascending."""
    wanted = max(1, round((drawn[-1] - drawn[0]) * 60 / 1000))
    return max(0.0, 100 * (1 - (len(drawn) - 1) / wanted))


def usable(url: str, browser: "Browser", rounds: int) -> list[Measure]:
    """First byte to a drawn and usable Race page, each time with an empty cache."""
    values = []
    for _ in range(rounds):
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        page = context.new_page()
        page.add_init_script(USABLE)
        page.goto(url)
        values.append(page.wait_for_function("window.benchUsable").json_value() / 1000)
        context.close()
    return [Measure("page usable after the server answers", "s", 2, tuple(values), "nothing cached")]


def first_token(url: str, browser: "Browser", rounds: int) -> list[Measure]:
    """The click on Run to the first token on the page; the first race, which warms the models up, is not counted."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(url)
    page.locator(".sv-status[data-state=ready]").wait_for()
    page.evaluate(FIRST)
    values = []
    for _ in range(rounds + 1):
        page.evaluate("window.benchFirst = null")
        page.get_by_role("button", name="Run the race").click()
        values.append(page.wait_for_function("window.benchFirst").json_value() / 1000)
        page.get_by_role("button", name="Run the race").wait_for()
    page.close()
    return [Measure("first token after Run", "s", 1, tuple(values[1:]), "three lanes, the models loaded")]


def streamed(url: str, browser: "Browser", rounds: int) -> list[Measure]:
    """Three lanes of at least ``ITERATIONS`` iterations: numbers that never came, and pictures drawn wrongly."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(url)
    page.locator(".sv-status[data-state=ready]").wait_for()
    page.evaluate(STREAM)
    page.get_by_label("Tokens to write").fill(str(STREAMED_TOKENS))
    values, sent, least = [], 0, None
    for seed in range(rounds):
        page.evaluate("window.benchStream = {updates: [], wrong: 0, iterations: null}")
        page.get_by_label("Seed").fill(str(seed))
        page.get_by_role("button", name="Run the race").click()
        page.wait_for_function("benchStream.iterations", timeout=120_000)
        page.get_by_role("button", name="Run the race").wait_for()
        got: dict[str, Any] = page.evaluate("benchStream")
        numbers = got["updates"]
        values.append(max(numbers) - len(set(numbers)) + got["wrong"] + (numbers != sorted(numbers)))
        sent += max(numbers)
        least = min([*got["iterations"], *([] if least is None else [least])])
    page.close()
    note = f"{sent} updates of {rounds} races of three lanes, {least} iterations or more each"
    return [Measure("updates dropped from a race", "", 0, tuple(map(float, values)), note)]


def lessons(browser: "Browser") -> list[Measure]:
    """Requests to outside of every lesson's file, opened from disk and stepped through."""
    values = []
    with tempfile.TemporaryDirectory() as folder:
        recorded = gallery_runs()
        for name in lesson_names():
            file = Path(folder) / f"{name}.html"
            file.write_text(lesson_document(find_lesson(name, recorded)), encoding="utf-8")
            values.append(float(_outside(browser, file)))
    return [Measure("outside requests of a lesson's file", "", 0, tuple(values), f"{len(values)} lessons")]


def _outside(browser: "Browser", file: Path) -> int:
    """Requests of a file and of the places it leads to that are neither the file itself nor made of its own data."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.locator("h1").first.wait_for()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(50)
    page.close()
    return sum(not address.startswith((file.as_uri(), "data:", "blob:")) for address in asked)


def crowded(load: Load) -> list[Measure]:
    """The load test's numbers."""
    visits = len(load.visits)
    said = f"{load.clients} at once, {visits} runs: {load.count('finished')} finished, {load.count('refused')} refused"
    found = [
        Measure("runs of a crowd that failed", "", 0, (float(load.count("failed")),), said),
        Measure(
            "races that ran at the same time",
            "",
            TOGETHER,
            (float(load.together),),
            f"{load.told} were told their position",
        ),
        Measure("updates dropped from a crowd", "", 0, (float(load.dropped),)),
    ]
    if load.level is not None and load.growth is not None:
        level = f"{load.level / MB:.0f} MB after the warm-up"
        found.append(Measure("memory that a crowd left", "MB", 64, (load.growth / MB,), level))
    return found


def page_report(measures: Sequence[Measure], browser: "Browser") -> dict[str, Any]:
    """JSON-ready: date (UTC), machine, versions and every measure with its values."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine(),
        "versions": versions("gradio", "plotly", "playwright") | {"chromium": browser.version},
        "measures": [asdict(one) | {"estimate": asdict(one.estimate), "holds": one.holds} for one in measures],
    }
