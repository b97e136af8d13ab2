"""A lane is called disturbed when it was, and only then."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from subprocess import DEVNULL, Popen
from time import sleep, thread_time

import pytest

import specviz
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.measure.disturbance import LEAST_SHARE, MOST_SLOWDOWN, disturbed_by
from tests.traces import speculative_trace


@pytest.mark.parametrize(
    ("share", "slowdown", "told"),
    [
        (None, None, None),  # neither could be measured
        (1.0, None, None),
        (LEAST_SHARE, MOST_SLOWDOWN, None),
        (LEAST_SHARE - 0.01, 1.0, "processor_share"),
        (LEAST_SHARE - 0.01, None, "processor_share"),
        (LEAST_SHARE - 0.01, MOST_SLOWDOWN + 0.01, "processor_share"),
        (1.0, MOST_SLOWDOWN + 0.01, "call_slowdown"),
        (None, MOST_SLOWDOWN + 0.01, "call_slowdown"),  # on a GPU
        (None, 1.0, None),
    ],
)
def test_either_number_tells(share, slowdown, told):
    metrics = replace(speculative_trace().metrics, processor_share=share, call_slowdown=slowdown)
    assert disturbed_by(metrics) == told


def run(work, tokens: int = 60):
    """The metrics of a run whose target does ``work`` for every token."""

    def target(context):
        work()
        return [0.5, 0.5]

    return specviz.decode(ModelPair(TableLM(target, 2)), "autoregressive", [0], max_new_tokens=tokens).metrics


def two_milliseconds() -> None:
    """Keep the processor busy, however long it takes to get it."""
    end = thread_time() + 0.002
    while thread_time() < end:
        pass


@contextmanager
def others_on_our_core(count: int) -> Iterator[None]:
    """This thread and ``count`` busy processes on one core alone."""
    cores = os.sched_getaffinity(0)
    core = {min(cores)}
    busy = [Popen([sys.executable, "-c", "while True: pass"], stdout=DEVNULL) for _ in range(count)]
    try:
        for process in busy:
            os.sched_setaffinity(process.pid, core)
        os.sched_setaffinity(0, core)
        yield
    finally:
        os.sched_setaffinity(0, cores)
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot put a process on one core")
def test_a_run_that_shares_its_core_is_disturbed():
    with others_on_our_core(3):
        metrics = run(two_milliseconds)
    assert metrics.seconds > 2 * 60 * 0.002 and metrics.processor_share == pytest.approx(0.25, abs=0.2)
    assert disturbed_by(metrics) == "processor_share"


def test_a_run_that_is_kept_waiting_is_disturbed():
    metrics = run(lambda: sleep(0.004))
    assert metrics.processor_share < 0.6 and disturbed_by(metrics) == "processor_share"


def test_the_share_is_all_the_work_and_no_more():
    metrics = run(two_milliseconds)
    assert 60 * 0.002 / metrics.seconds <= metrics.processor_share <= 1.01
