"""Keeps one run after another in a folder until it is killed, and tells each number once it is kept."""

import sys
from multiprocessing.connection import Connection
from pathlib import Path

from specviz.ui.serving.store import Store
from tests.traces import autoregressive_trace, speculative_trace


def write(folder: Path, first: int, said: Connection) -> None:
    store = Store(folder)
    for number in range(first, sys.maxsize):
        store.put(f"{number:032x}", f"form {number % 7}", (autoregressive_trace(), None, speculative_trace()))
        said.send(number)
