"""The page as a process of its own, and a browser to look at it."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import httpx
from playwright.sync_api import Browser, Error, sync_playwright

from specviz.errors import SpecvizError

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync"
SECONDS = 120.0  # for the page to answer


@contextmanager
def serving(
    flags: Sequence[str] = (), *, program: Sequence[str] = ("-m", "specviz", "app")
) -> Iterator[tuple[str, int]]:
    """``specviz app``, or what else Python is to run (``program``), with these flags on a free port, until the end of
    ``with``: its address, and its process's id. Raises SpecvizError with what it said when it does not answer."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    with tempfile.TemporaryFile() as said:
        command = [sys.executable, *program, "--host", "127.0.0.1", "--port", str(port), *flags]
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        try:
            if not _answers(url, process):
                said.seek(0)
                raise SpecvizError(f"the page did not start: {said.read().decode(errors='replace')[-400:].strip()}")
            yield url, process.pid
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _answers(url: str, process: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            if httpx.get(f"{url}config", timeout=10).is_success:
                return True
        except httpx.HTTPError:
            time.sleep(0.1)
    return False


@contextmanager
def chromium() -> Iterator[Browser]:
    """A Chromium driven by playwright: the one CHROMIUM names, one of the system, or playwright's own. Raises
    SpecvizError saying what to install where there is none."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS.split())
        except Error as error:
            raise SpecvizError(
                "this needs Chromium: install it, name it in CHROMIUM, or run python -m playwright install chromium "
                f"({str(error).strip().partition(chr(10))[0]})"
            ) from None
        try:
            yield browser
        finally:
            browser.close()
