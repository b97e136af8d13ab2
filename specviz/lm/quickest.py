"""Which dtype this machine computes a pair in fastest: both are timed, since processors differ by a factor of four."""

import math
import time
from collections.abc import Callable

import torch

from specviz.errors import ModelError
from specviz.lm.language_model import LanguageModel
from specviz.lm.pair import ModelPair
from specviz.lm.threads import threads_for

CONTEXT = 64  # rows before the timed calls
GUESSES = 4
SECONDS = 0.05  # for the timing of one pair


def quickest(load: Callable[[str], ModelPair]) -> ModelPair:
    """The pair as ``load`` gives it in bfloat16 or in float32, whichever takes less time for an iteration of four
    guesses; ``pair.choice`` says so. Where there is no memory for float32 it is bfloat16, unmeasured."""
    narrow = load("bfloat16")
    try:
        wide = load("float32")
    except ModelError as error:
        if error.code != "out_of_memory":
            raise
        narrow.choice = "bfloat16: there is too little memory for float32"
        return narrow
    seconds = {"bfloat16": iteration_seconds(narrow), "float32": iteration_seconds(wide)}
    chosen, other = sorted(seconds, key=seconds.__getitem__)
    pair = narrow if chosen == "bfloat16" else wide
    took = f"{seconds[chosen] * 1e3:.1f} ms against {seconds[other] * 1e3:.1f} ms in {other}"
    pair.choice = f"{chosen}: an iteration of {GUESSES} guesses takes {took}"
    return pair


def iteration_seconds(pair: ModelPair, budget: float = SECONDS) -> float:
    """Seconds of the model calls of one iteration: guesses one by one and their check at once. The least of as many as
    fit into ``budget`` seconds, three at least; what disturbs a call only adds to it."""
    calls = [_timed(pair.target, GUESSES + 1, 1)] if pair.draft else [_timed(pair.target, 1, 1)]
    if pair.draft:
        calls.append(_timed(pair.draft, 1, GUESSES))
    best, rounds, end = math.inf, 0, time.perf_counter() + budget
    with threads_for(pair):
        while rounds < 3 or time.perf_counter() < end:
            started = time.perf_counter()
            for call in calls:
                call()
            best, rounds = min(best, time.perf_counter() - started), rounds + 1
    return best


def _timed(model: LanguageModel, rows: int, times: int) -> Callable[[], None]:
    session = model.open(CONTEXT + rows)
    session.extend([1 % model.vocab_size] * CONTEXT, range(-1, CONTEXT - 1), last_only=True)

    def call() -> None:
        for _ in range(times):
            session.extend([1 % model.vocab_size] * rows, range(CONTEXT - 1, CONTEXT + rows - 1))
            session.keep(range(CONTEXT))
        if model.device.type == "cuda":
            torch.cuda.synchronize(model.device)

    return call
