"""Tokens a second of whole runs beside busy programs, with one thread, with all, and with what is chosen.

``of_fair_share``: the speed over what a fair share of the idle speed would be.
"""

import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from statistics import median
from typing import Any

from specviz.decoding.run.loop import decode
from specviz.lab.machine import cores
from specviz.lab.prompts import PROMPTS
from specviz.lm.threads import threads_of
from specviz.options import label
from tests.measures.table import lanes, pair, report


@contextmanager
def busy_programs(number: int) -> Iterator[None]:
    """As many programs that never rest."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


def fair_share(threads: int, busy: int, cores: int) -> float:
    """What part of a processor each of ``threads`` threads has beside ``busy`` others, if all get the same."""
    return min(1.0, cores / (threads + busy))


def busy_speeds(args: Namespace, beside: tuple[int, ...] = (0, 1, 2, 4)) -> list[dict[str, Any]]:
    """Every method beside no program, one, two and four, each round on another prompt."""
    models, idle, rows = pair(args), dict[tuple[str, int], float](), []
    for busy in beside:
        with busy_programs(busy):
            for threads in sorted({1, cores(), threads_of(models)}):
                for method, own in lanes(args):
                    about = {"max_new_tokens": args.tokens, "record": False, **own}
                    run, name = replace(models, threads=threads), label(method, own)
                    texts = [PROMPTS[seed % len(PROMPTS)].text for seed in range(args.rounds)]
                    made = [decode(run, method, text, seed=seed, **about).metrics for seed, text in enumerate(texts)]
                    speed = median(metrics.tokens_per_second or 0.0 for metrics in made)
                    fair = idle.setdefault((name, threads), speed) * fair_share(threads, busy, cores())
                    chosen = threads == threads_of(models)
                    row = {"method": name, "threads": threads, "chosen": chosen, "busy": busy}
                    rows.append(row | {"tokens_per_second": speed, "of_fair_share": speed / fair})
    return rows


if __name__ == "__main__":
    report(busy_speeds, __doc__)
