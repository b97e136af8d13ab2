"""Shared by all tests: a quick set, the full one and every case, hypothesis settings, and quiet, offline libraries.

The quick set leaves out what is marked ``full``, and has ``FEW`` cases of each other test. ``--full`` runs all; of a
grid marked ``every(n)`` each n-th case, in the quick set, too: each value of each axis is still there. ``--every``
runs the whole grids: the same lines with other values.
"""

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

from collections import Counter, defaultdict
from math import prod

import pytest
import torch
from hypothesis import HealthCheck, settings

UNCOUNTED = ("tests/browser", "tests/decoding", "tests/test_recipes.py")
"""Where lines are not counted: a page that counts them is too slow for a reader's pace, and decoding and enumerating
every coin take twice as long; what they run is run elsewhere, too."""
LONGEST = "tests/test_recipes.py"
FEW = 2
"""Cases of one test in the quick set: the first of its grid and the last."""
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("every", deadline=None, derandomize=True, suppress_health_check=SLOW)
settings.register_profile("quick", settings.get_profile("every"), max_examples=30)


TRIED = {"requests": "hostile requests", "files": "damaged files", "faults": "faults of systems, networks and visitors"}
"""What tests/hostile counts (its fixture ``tried``), in words."""


def pytest_terminal_summary(terminalreporter):
    """Say what was tried and survived; here, as with several processes only this file is read by the one that says."""
    passed = [dict(report.user_properties) for report in terminalreporter.stats.get("passed", ())]
    tried = [found["tried"] for found in passed if "tried" in found]
    sums = [f"{sum(one[kind] for one in tried)} {words}" for kind, words in TRIED.items()]
    if tried:
        terminalreporter.write_line(f"survived: {', '.join(sums)}")


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="not the quick set alone")
    parser.addoption("--every", action="store_true", help="the full set with every case of every grid")


def pytest_configure(config):
    settings.load_profile("every" if config.getoption("every") else "quick")
    if os.environ.get("PYTEST_XDIST_WORKER"):
        torch.set_num_threads(1)  # the workers share the cores


def pytest_collection_modifyitems(config, items):
    items.sort(key=lambda item: LONGEST not in item.nodeid)  # so that no process waits for it at the end
    every, full = config.getoption("every"), config.getoption("every") or config.getoption("full")
    cases = Counter(_function(item) for item in items)
    seen = Counter()
    chosen, left_out = [], []
    for item in items:
        function, grid = _function(item), item.get_closest_marker("every")
        number, count = seen[function], cases[function]
        seen[function] += 1
        again = grid is not None and number % grid.args[0] != 0  # other values, the same lines
        few = grid is not None or number in {round(k * (count - 1) / (FEW - 1)) for k in range(FEW)}
        wanted = (every or not again) and (full or (few and item.get_closest_marker("full") is None))
        (chosen if wanted else left_out).append(item)
        if again or item.nodeid.startswith(UNCOUNTED):
            item.add_marker("no_cover")
    _refuse_blind_grids(items)
    config.hook.pytest_deselected(items=left_out)
    items[:] = chosen


def _refuse_blind_grids(items) -> None:
    """Raises UsageError where each n-th case of a grid is never at some value of an axis."""
    cases, blind = defaultdict(list), []
    for item in items:
        if grid := item.get_closest_marker("every"):
            cases[_function(item), grid.args[0]].append(item.callspec._idlist)
    for (function, n), names in cases.items():
        axes = [{*axis} for axis in zip(*names, strict=True)]
        if len(axes) == 1 or len(names) < prod(map(len, axes)) or max(map(len, axes)) > len(names) / n:
            continue  # a list, or one of pairs that go together, or an axis longer than what is chosen
        for axis, some in zip(axes, zip(*names[::n], strict=True), strict=True):
            if missed := axis - {*some}:
                blind.append(f"{function}: each {n}-th case misses {', '.join(sorted(missed))}")
    if blind:
        raise pytest.UsageError("\n".join(blind))


def _function(item) -> str:
    return item.nodeid.partition("[")[0]
