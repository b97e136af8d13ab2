"""The page as a process of its own, and a browser to look at it: what the page benchmark stands on."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import httpx

from specviz.errors import SpecvizError

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = tuple(
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync".split()
)
SECONDS = 120.0  # for the page to answer


class Served(NamedTuple):
    """A running page: where it is, and the id of its process."""

    url: str
    process: int


@contextmanager
def serving(flags: Sequence[str] = ()) -> Iterator[Served]:
    """``specviz app`` with these flags on a free port, until the end of ``with``. Raises SpecvizError with what it said
    when it does not answer."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    with tempfile.TemporaryFile() as said:
        command = [sys.executable, "-m", "specviz", "app", "--host", "127.0.0.1", "--port", str(port), *flags]
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        try:
            if not _answers(url, process):
                said.seek(0)
                raise SpecvizError(f"the page did not start: {said.read().decode(errors='replace')[-400:].strip()}")
            yield Served(url, process.pid)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _answers(url: str, process: subprocess.Popen) -> bool:
    deadline = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            if httpx.get(f"{url}config", timeout=10).is_success:
                return True
        except httpx.HTTPError:
            time.sleep(0.1)
    return False


@contextmanager
def chromium() -> Iterator["Browser"]:
    """A Chromium driven by playwright: the one CHROMIUM names, one of the system, or playwright's own. Raises
    SpecvizError saying what to install where there is none."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise SpecvizError("the page benchmark drives a browser: pip install playwright") from None
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        except Error as error:
            reason = str(error).strip().split("\n")[0]
            raise SpecvizError(
                "the page benchmark needs Chromium: install it, name it in CHROMIUM, or run "
                f"python -m playwright install chromium ({reason})"
            ) from None
        try:
            yield browser
        finally:
            browser.close()
