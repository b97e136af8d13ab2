"""What one forward call costs: lean beside stock, by dtype, new rows and threads, on an idle machine and a busy one."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

from specviz.lab.measures.neighbours import busy_programs
from specviz.lm.language_model import LanguageModel
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.threads import threads_for
from specviz.measure.devices import synchroniser

CONTEXT = 128  # rows before the call
ROWS = (1, 5, 20)


@dataclass(frozen=True)
class CallTime:
    """``milliseconds`` of one call of ``rows`` new rows behind ``CONTEXT``, the median over all rounds; ``forward`` is
    whose pass it was, ``busy`` how many other programs were kept running beside it."""

    role: str
    dtype: str
    forward: str
    threads: int
    busy: int
    rows: int
    milliseconds: float


def call_times(load: Callable[[str, int], ModelPair], cores: int, rounds: int = 6) -> Iterator[CallTime]:
    """Every call time. ``load`` gives the pair in a dtype, computed by so many threads. The stock pass is measured in
    turn with the lean one; the busy machine has as many other programs as it has ``cores``."""
    for busy in (0, cores):
        with busy_programs(busy):
            for threads in sorted({1, cores}):
                for dtype in ("float32", "bfloat16"):
                    pair = load(dtype, threads)
                    for role, model in (("target", pair.target), ("draft", pair.draft)):
                        if isinstance(model, TransformerLM):
                            for (forward, rows), seconds in _measured(pair, model, rounds).items():
                                yield CallTime(role, dtype, forward, threads, busy, rows, seconds * 1e3)


def _measured(pair: ModelPair, model: TransformerLM, rounds: int) -> dict[tuple[str, int], float]:
    lean = model.lean
    passes = {"stock": None} | ({"lean": lean} if lean else {})
    found: dict[tuple[str, int], list[float]] = {}
    try:
        with threads_for(pair):
            for _ in range(rounds):
                for forward, model.lean in passes.items():
                    for rows in ROWS:
                        found.setdefault((forward, rows), []).extend(call_seconds(model, rows))
    finally:
        model.lean = lean
    return {key: median(seconds) for key, seconds in found.items()}


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
