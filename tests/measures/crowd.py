"""Pages that start a race at the same moment (a class: ``--pages 60``): how many are served, and how long they wait.

Seconds until the first picture and until the end; MB of the server after each round.
"""

from argparse import Namespace
from statistics import median
from typing import Any

import httpx

from specviz.lab.machine import resident
from tests.measures.server import serving
from tests.measures.table import app_flags, report
from tests.measures.visitors import Visit, crowd


def crowds(args: Namespace) -> list[dict[str, Any]]:
    """A line a round, after one visit that waits for the models."""
    with serving([*app_flags(args), "--run-seconds=0"]) as (url, process):
        crowd(url, 1, tokens=args.tokens)
        lines = []
        for _ in range(args.rounds):
            line = in_numbers(crowd(url, args.pages, tokens=args.tokens)) | {"at a time": running_most(url)}
            size = resident(process)
            lines.append(line | {"MB": size and size // 1_000_000})
        return lines


def in_numbers(visits: list[Visit]) -> dict[str, Any]:
    """How visits that began together fared."""
    outcomes = [visit.outcome for visit in visits]
    first, whole = [visit.wait for visit in visits], [visit.whole for visit in visits]
    return {
        "pages": len(visits),
        **{outcome: outcomes.count(outcome) for outcome in ("finished", "refused", "failed")},
        "told a position": sum(bool(visit.queue_positions) for visit in visits),
        "farthest": max((position for visit in visits for position in visit.queue_positions), default=0),
        "updates dropped": sum(visit.dropped for visit in visits),
        "to the first picture": median(first),
        "longest": max(first),
        "to the end": median(whole),
        "longest end": max(whole),
    }


def running_most(url: str) -> int:
    """The most races that ran at the same time since the server began, as it counted them itself."""
    told = httpx.get(f"{url}metrics", timeout=60).text.splitlines()
    return next(int(float(line.split()[1])) for line in told if line.startswith("specviz_running_most "))


if __name__ == "__main__":
    report(crowds, __doc__)
