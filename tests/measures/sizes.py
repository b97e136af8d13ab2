"""Seconds of one target call by the tokens that it reads: with ``--json``, the file that the lesson on it shows."""

from argparse import Namespace
from dataclasses import asdict
from datetime import date
from statistics import median, quantiles
from typing import Any

from specviz.lab.machine import machine, versions
from specviz.lm.threads import threads_for
from specviz.views.lessons.costs import CallSize, MeasuredCalls
from tests.measures.calls import CONTEXT, call_seconds
from tests.measures.table import pair, report

SIZES = (1, 2, 4, 8, 16, 32, 64)


def call_sizes(args: Namespace, sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    """The target's calls of all ``sizes``, ten of each a round, in turns: what disturbs the machine for a while falls
    on all of them. Computed with the threads that its runs have."""
    models = pair(args)
    target, timed = models.target, {size: list[float]() for size in sizes}
    with threads_for(models):
        for _ in range(args.rounds):
            for size, seconds in timed.items():
                seconds += call_seconds(target, size)
        where = machine(str(target.device))
    about = {"date": date.today().isoformat(), "machine": where, "versions": versions()}
    made = tuple(_size(tokens, seconds) for tokens, seconds in timed.items())
    return asdict(MeasuredCalls(target.name, target.shape.parameters, CONTEXT, **about, sizes=made))


def _size(tokens: int, seconds: list[float]) -> CallSize:
    low, _, high = (round(part, 6) for part in quantiles(seconds, n=4))
    return CallSize(tokens, round(median(seconds), 6), low, high, len(seconds))


if __name__ == "__main__":
    report(call_sizes, __doc__, lambda measured: measured["sizes"])
