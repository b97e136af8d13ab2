"""Whole runs on an idle machine and beside busy neighbours, with one thread and with all, and with what is chosen."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from statistics import median

from specviz.decoding.run.loop import decode
from specviz.lab.prompts import PROMPTS
from specviz.lm.pair import ModelPair
from specviz.lm.threads import threads_of
from specviz.options import Options, label

METHODS = ("autoregressive", "speculative", "mtad", "mcsd", "dsbd")
SPIN = "while True: pass"


@dataclass(frozen=True)
class BusySpeed:
    """``tokens_per_second`` of ``method`` by its own clock, the median over all runs, with ``threads`` and beside
    ``busy`` programs; ``idle`` is the same beside none, ``fair`` the part of its cores that is the run's own then.
    ``chosen``: these are the threads that the pair has unless told otherwise."""

    method: str
    threads: int
    chosen: bool
    busy: int
    tokens_per_second: float
    idle: float
    fair: float

    @property
    def of_fair_share(self) -> float:
        """Its speed over what a fair share of the idle speed would be."""
        return self.tokens_per_second / (self.idle * self.fair)


def busy_speeds(
    pair: ModelPair, methods: Sequence[tuple[str, Options]], cores: int, rounds: int, tokens: int
) -> Iterator[BusySpeed]:
    """Every speed, beside no program, one, two and four. Each round takes another prompt."""
    chosen = threads_of(pair)
    idle: dict[tuple[str, int], float] = {}
    for busy in (0, 1, 2, 4):
        with busy_programs(busy):
            for threads in sorted({1, cores, chosen}):
                for method, own in methods:
                    name, fair = label(method, own), fair_share(threads, busy, cores)
                    speed = _speed(replace(pair, threads=threads), method, own, rounds, tokens)
                    alone = idle.setdefault((name, threads), speed)
                    yield BusySpeed(name, threads, threads == chosen, busy, speed, alone, fair)


def fair_share(threads: int, busy: int, cores: int) -> float:
    """What part of a processor each of ``threads`` threads has beside ``busy`` others, if all get the same."""
    return min(1.0, cores / (threads + busy))


def _speed(pair: ModelPair, method: str, own: Options, rounds: int, tokens: int) -> float:
    found = []
    for seed in range(rounds):
        text = PROMPTS[seed % len(PROMPTS)].text
        found.append(decode(pair, method, text, max_new_tokens=tokens, seed=seed, record=False, **own).metrics)
    return median(metrics.tokens_per_second or 0.0 for metrics in found)


@contextmanager
def busy_programs(number: int) -> Iterator[None]:
    """As many programs that never rest."""
    running = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(number)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()
