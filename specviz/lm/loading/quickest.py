"""Which dtype this machine computes a model in fastest: both are timed, since processors differ by a factor of four."""

import math
import time
from collections.abc import Callable, Sequence

import torch

from specviz.errors import ModelError
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.threads import computing_with, enough_threads

CONTEXT = 64  # rows before the timed call
GUESSES = 4
"""That a target is timed with. A draft is timed with calls of one row, which a chain makes, and of this many, as trees
and beams make them."""
SECONDS = 0.1  # for the timing of one size of call


def quickest(
    load: Callable[[torch.dtype], TransformerLM],
    rows: Sequence[int],
    threads: int | None = None,
    target: TransformerLM | None = None,
) -> tuple[TransformerLM, str]:
    """The model as ``load`` gives it in bfloat16 or in float32, whichever takes less time for calls of so many ``rows``
    together, and the reason; a draft beside its ``target``. Where there is no memory for float32 it is bfloat16,
    unmeasured."""
    narrow = load(torch.bfloat16)
    try:
        wide = load(torch.float32)
    except ModelError as error:
        if error.code != "out_of_memory":
            raise
        return narrow, "bfloat16 (there is too little memory for float32)"
    seconds = [
        sum(of_one) for of_one in zip(*(call_seconds((narrow, wide), n, threads, target) for n in rows), strict=True)
    ]
    took = [f"{duration * 1e3:.2f} ms" for duration in seconds]
    what = f"a call of {rows[0]} row{'s'[: rows[0] > 1]} takes"
    if len(rows) > 1:
        what = f"one call each of {' and '.join(map(str, rows))} rows takes in all"
    if seconds[0] < seconds[1]:
        return narrow, f"bfloat16 ({what} {took[0]} against {took[1]} in float32)"
    return wide, f"float32 ({what} {took[1]} against {took[0]} in bfloat16)"


def call_seconds(
    models: Sequence[TransformerLM],
    rows: int,
    threads: int | None = None,
    target: TransformerLM | None = None,
    budget: float = SECONDS,
) -> list[float]:
    """Seconds of one call of ``rows`` rows of each model, after ``CONTEXT`` others. They take turns, so that a slow
    moment slows all; the least of as many as fit into ``budget`` seconds, three at least: what disturbs a call only
    adds to it. A draft's calls come after calls of its ``target``, which are not timed and leave none of the draft's
    weights in the processor's cache, as when decoding."""
    timed, between = [_TimedCalls(model, rows) for model in models], target and _TimedCalls(target, GUESSES + 1)
    best, rounds, end = [math.inf] * len(timed), 0, time.perf_counter() + budget
    with computing_with(threads or enough_threads([*models[:1], *([target] if target else [])])):
        while rounds < 3 or time.perf_counter() < end:
            for at, calls in enumerate(timed):
                if between:
                    between.one()
                started = time.perf_counter()
                calls.one()
                best[at] = min(best[at], time.perf_counter() - started)
            rounds += 1
    return best


class _TimedCalls:
    """Calls of a model that read ``rows`` rows after ``CONTEXT`` others, always the same ones."""

    def __init__(self, model: TransformerLM, rows: int):
        self._session, self._token, self._rows = model.open(CONTEXT + rows), 1 % model.vocab_size, rows
        self._session.extend([self._token] * CONTEXT, range(-1, CONTEXT - 1), last_only=True)

    def one(self) -> None:
        self._session.extend([self._token] * self._rows, range(CONTEXT - 1, CONTEXT + self._rows - 1))
        self._session.keep(range(CONTEXT))
