"""Cells in a real JupyterLab: a notebook that was executed and saved is opened, as it is trusted or not."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import nbformat
import pytest
from playwright.sync_api import Frame, Page, expect

from tests.browser.conftest import SLOWEST

ROOT = Path(__file__).resolve().parents[2]
METHODS = ["autoregressive", "mtad"]
CELLS = (
    """\
import specviz

pair = specviz.load_pair()
specviz.decode(pair, "speculative", "Once upon a time", max_new_tokens=24, seed=0, gamma=4)""",
    """\
traces = [specviz.decode(pair, name, "Once upon a time", max_new_tokens=12, seed=0) for name in METHODS]
specviz.show(traces)""".replace("METHODS", str(METHODS)),
)
SECONDS = 120.0  # for JupyterLab to answer
WINDOWS, AROUND = (1152, 1302, 1452), 452  # pixels: cells of 700, 850 and 1000, and what is beside them
CHANGE_THEME = "chosen => jupyterapp.commands.execute('apputils:change-theme', chosen)"
SPARE = """() => {
  const { scrollWidth, scrollHeight } = document.documentElement;
  return [scrollWidth - innerWidth, scrollHeight - innerHeight];
}"""


@contextmanager
def jupyterlab(folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """JupyterLab on a free port of this machine: it serves a folder to anybody here, and asks nothing of others."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    flags = {
        "ServerApp.root_dir": folder,
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "IdentityProvider.token": "",
        "LabApp.expose_app_in_browser": True,
        "LabApp.extension_manager": "readonly",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    command = [sys.executable, "-m", "jupyterlab", *(f"--{name}={value}" for name, value in flags.items())]
    with (folder.parent / "jupyterlab.log").open("w") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.kill()  # its kernels see that, and end
            process.wait()


def wait_for(url: str) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"{url}api", timeout=10).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.1)
    raise TimeoutError("JupyterLab did not start")


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Iterator[str]:
    """JupyterLab with trusted.ipynb, which was executed and is signed, and the same as untrusted.ipynb."""
    room = tmp_path_factory.mktemp("jupyter")
    folder = room / "notebooks"
    folder.mkdir()
    homes = {f"JUPYTER_{name}_DIR": str(room / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    homes |= {"JUPYTERLAB_SETTINGS_DIR": str(room / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(room / "workspaces")}
    environment = os.environ | homes | {"IPYTHONDIR": str(room / "ipython"), "PYTHONPATH": str(ROOT)}
    file = folder / "trusted.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS]), file)

    def jupyter(*arguments: str) -> None:
        command = [sys.executable, "-m", "jupyter", *arguments]
        subprocess.run(command, env=environment, check=True, capture_output=True, timeout=300)

    with jupyterlab(folder, environment) as url:
        jupyter("execute", "--inplace", "--kernel_name=python3", str(file))
        notebook = nbformat.read(file, as_version=4)
        notebook.cells.append(nbformat.v4.new_markdown_cell("Not signed."))
        nbformat.write(notebook, folder / "untrusted.ipynb")
        jupyter("trust", str(file))
        wait_for(url)
        yield url


@pytest.fixture
def opened(browser, lab) -> Iterator[Callable[..., Page]]:
    """Open a notebook. Fails on requests to outside and console errors, the frames' included."""
    trouble = []
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:

        def open_notebook(name: str) -> Page:
            page = context.new_page()
            inside = (lab, lab.replace("http", "ws"), "data:", "blob:")
            page.on("request", lambda r: None if r.url.startswith(inside) else trouble.append(f"outside: {r.url}"))
            page.on("console", lambda m: trouble.append(f"console: {m.text}") if m.type == "error" else None)
            page.on("pageerror", lambda error: trouble.append(f"page error: {error}"))
            page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
            page.goto(f"{lab}lab/tree/{name}.ipynb?reset")
            page.locator(".jp-OutputArea-output[data-mime-type='text/html']").first.wait_for()
            return page

        yield open_notebook
    assert trouble == []


def frames(page: Page) -> list[Frame]:
    """What the frames of the cells hold, once they show it."""
    outputs = page.locator(".jp-OutputArea iframe")
    expect(outputs).to_have_count(len(CELLS))
    for output in outputs.all():
        output.scroll_into_view_if_needed()
        expect(output.content_frame.locator("main")).to_be_visible()
    return [output.element_handle().content_frame() for output in outputs.all()]


@pytest.mark.full
def test_a_saved_notebook_shows_steps_and_a_race(opened):
    page = opened("trusted")
    steps, race = frames(page)
    steps_step(steps)
    race_plays(race)
    for window in WINDOWS:
        page.set_viewport_size({"width": window, "height": 900})
        expect_sizes(steps, race, window - AROUND)
    for theme in ("Dark", "Light"):
        page.evaluate(CHANGE_THEME, {"theme": f"JupyterLab {theme}"})
        for frame in (steps, race):
            expect(frame.locator("body.dark")).to_have_count(int(theme == "Dark"))


def steps_step(frame: Frame) -> None:
    expect(frame.locator("h1")).to_have_text("Speculative decoding")
    title, count = frame.locator(".sv-story h2"), frame.locator(".sv-step-count")
    expect(title).to_contain_text("Token 1,")
    before = count.inner_text()
    frame.get_by_role("button", name="Step forward").click()
    expect(count).not_to_have_text(before)
    expect(title).not_to_contain_text("Token 1,")
    iteration = frame.get_by_label("Iteration", exact=True)
    first = int(iteration.input_value())
    frame.get_by_label("Next iteration").click()
    expect(iteration).to_have_value(str(first + 1))


def race_plays(frame: Frame) -> None:
    expect(frame.locator(".sv-lane")).to_have_count(len(METHODS))
    frame.get_by_label("Moment of the race").fill("0")
    expect(frame.locator(".sv-lane .sv-token:visible")).to_have_count(0)


def expect_sizes(steps: Frame, race: Frame, width: int) -> None:
    """Frames as wide as a cell, without anything to scroll in them."""
    deadline = time.monotonic() + SLOWEST / 1000
    for frame in (steps, race):
        while abs(frame.evaluate("innerWidth") - width) > 20 or frame.evaluate(SPARE) != [0, 0]:
            assert time.monotonic() < deadline, (width, frame.evaluate("innerWidth"), frame.evaluate(SPARE))
            frame.wait_for_timeout(50)


@pytest.mark.full
def test_an_untrusted_notebook_has_the_text_and_every_step_in_words(opened):
    outputs = opened("untrusted").locator(".jp-OutputArea-output[data-mime-type='text/html']")
    expect(outputs).to_have_count(len(CELLS))
    steps, race = outputs.all()
    expect(outputs.locator("iframe")).to_have_count(0)
    expect(steps).to_contain_text("in a trusted notebook")
    expect(steps.locator("p span[title]")).to_have_count(24)
    assert steps.locator("p span").first.evaluate("span => getComputedStyle(span).borderBottomStyle") == "solid"
    steps.get_by_text("Iteration 3").click()
    expect(steps.get_by_text("The text so far.").nth(2)).to_be_visible()
    expect(race).to_contain_text("MTAD emitted")
    expect(race.locator("h2")).to_have_text(["Autoregressive", "MTAD"])
    for output in (steps, race):
        assert "DOCTYPE" not in output.inner_text()
