"""Shared by all tests: a quick set and the full one, hypothesis settings, and quiet, offline libraries.

The quick set leaves out what is marked ``full``, and of a grid marked ``every(n)`` runs each n-th case (n has no factor
in common with the lengths of its axes, so that each value of each axis is still there). ``--full`` runs everything.
"""

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

from collections import Counter

import torch
from hypothesis import HealthCheck, settings

UNCOUNTED = ("tests/browser", "tests/decoding/methods")
"""Where lines are not counted: a page that counts them is too slow for a reader's pace, and enumerating every coin
takes twice as long; what they run is run elsewhere, too."""
LONGEST = "tests/test_recipe.py"
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("full", deadline=None, derandomize=True, suppress_health_check=SLOW)
settings.register_profile("quick", settings.get_profile("full"), max_examples=30)


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="every case of every grid, not the quick set")


def pytest_configure(config):
    settings.load_profile("full" if config.getoption("full") else "quick")
    if os.environ.get("PYTEST_XDIST_WORKER"):
        torch.set_num_threads(1)  # the workers share the cores


def pytest_collection_modifyitems(config, items):
    items.sort(key=lambda item: LONGEST not in item.nodeid)  # so that no process waits for it at the end
    seen = Counter()
    kept, left_out = [], []
    for item in items:
        grid = item.get_closest_marker("every")
        function = item.nodeid.partition("[")[0]
        quick = item.get_closest_marker("full") is None and (grid is None or seen[function] % grid.args[0] == 0)
        seen[function] += 1
        (kept if quick else left_out).append(item)
    if config.getoption("full"):
        for item in items:
            again = item in left_out and item.get_closest_marker("full") is None  # other values, the same lines
            if again or item.nodeid.startswith(UNCOUNTED):
                item.add_marker("no_cover")
    else:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept
