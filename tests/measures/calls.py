"""Milliseconds of one call of 1, 5, 20 rows behind 128 others: lean and stock, by dtype, threads, busy programs."""

import time
from argparse import Namespace
from itertools import product
from statistics import median
from typing import Any

from specviz.lab.machine import cores
from specviz.lm.language_model import LanguageModel
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.threads import threads_for
from specviz.measure.devices import synchroniser
from tests.measures.busy import busy_programs
from tests.measures.table import pair, report

CONTEXT = 128  # rows before the call
ROWS = (1, 5, 20)


def call_seconds(model: LanguageModel, rows: int, calls: int = 10) -> list[float]:
    """Of ``calls`` calls of ``rows`` new rows behind ``CONTEXT``, after two that warm up."""
    session, wait = model.open(CONTEXT + rows), synchroniser(model) or (lambda: None)
    session.extend([1] * CONTEXT, range(-1, CONTEXT - 1))
    seconds = []
    for _ in range(2 + calls):
        wait()
        started = time.perf_counter()
        session.extend([1] * rows, range(CONTEXT - 1, CONTEXT + rows - 1))
        wait()
        seconds.append(time.perf_counter() - started)
        session.keep(range(CONTEXT))
    return seconds[2:]


def call_times(args: Namespace) -> list[dict[str, Any]]:
    """Every call time, of both models. The stock pass is measured in turn with the lean one; a busy machine has as many
    other programs as cores."""
    rows = []
    for busy in (0, cores()):
        with busy_programs(busy):
            for threads, dtype in product(sorted({1, cores()}), ("float32", "bfloat16")):
                models = pair(args, dtype=dtype, threads=threads)
                for role, model in (("target", models.target), ("draft", models.draft)):
                    if isinstance(model, TransformerLM):
                        about = {"role": role, "dtype": dtype, "threads": threads, "busy": busy}
                        with threads_for(models):
                            rows += [about | line for line in _in_turns(model, args.rounds)]
    return rows


def _in_turns(model: TransformerLM, rounds: int) -> list[dict[str, Any]]:
    lean = model.lean
    passes = {"stock": None} | ({"lean": lean} if lean else {})
    seconds = {name: {rows: list[float]() for rows in ROWS} for name in passes}
    try:
        for _, (name, model.lean), rows in product(range(rounds), passes.items(), ROWS):
            seconds[name][rows] += call_seconds(model, rows)
    finally:
        model.lean = lean
    return [
        {"forward": name} | {f"{rows} rows": 1e3 * median(own) for rows, own in of.items()}
        for name, of in seconds.items()
    ]


if __name__ == "__main__":
    report(call_times, __doc__)
