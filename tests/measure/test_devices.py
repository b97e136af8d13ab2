"""Who is waited for, and when: a processor for nobody, a GPU where its clock is read, several GPUs at every call."""

from types import SimpleNamespace

import pytest
import torch

from specviz.decoding.context import CallLog, CountedSession
from specviz.lm.table import TableLM
from specviz.measure import devices
from specviz.measure.devices import DeviceWatch, HostWatch, call_watch, gpus_of, synchroniser
from specviz.trace.record import Call


class Gpu:
    """A queue of work, and a clock that stands still until somebody waits; its events are noted in milliseconds."""

    def __init__(self):
        self.queued = self.done = 0.0

    def event(self, enable_timing):
        assert enable_timing
        gpu = self

        class Event:
            def record(self, _stream):
                self.time = gpu.queued

            def synchronize(self):
                gpu.done = max(gpu.done, self.time)

            def elapsed_time(self, end):
                assert gpu.done >= end.time, "it was not waited for"
                return end.time - self.time

        return Event()


@pytest.fixture
def gpu(monkeypatch):
    made = Gpu()
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: device)
    return made


class Slow:
    """A session whose calls are queued, and take 20 ms."""

    def __init__(self, gpu):
        self._gpu, self._session = gpu, TableLM.random(4, 0).open(9)
        self.trie = self._session.trie

    def extend(self, *given, **more):
        self._gpu.queued += 20.0
        return self._session.extend(*given, **more)


def test_calls_on_a_gpu_are_timed_by_its_clock_and_read_at_the_end(gpu):
    log = CallLog()

    def watch():
        return DeviceWatch(torch.device("cuda:0"), gpu.event)

    session = CountedSession(Slow(gpu), TableLM.random(4, 0), "draft", log, watch, 1)
    session.extend([1], [-1])
    gpu.queued += 5.0  # what is made of the scores
    session.extend([2, 3], [0, 0])
    assert gpu.done == 0.0  # nobody has waited
    assert log.take() == ((Call("draft", 1, 0, 0.02, 1), Call("draft", 2, 1, 0.02, 1)), 3)
    assert gpu.done == 45.0 and log.take() == ((), 0)


def test_calls_on_the_processor_are_timed_when_they_are_made(monkeypatch):
    times = iter([1.0, 3.5])
    monkeypatch.setattr(devices, "perf_counter", lambda: next(times))
    watch = HostWatch()
    watch.stop()
    assert watch.seconds == 2.5


def test_who_computes_a_model(monkeypatch):
    waited = []
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    table = TableLM.random(4, 0)
    assert gpus_of(table) == [] and synchroniser(table) is None and call_watch(table)().stop() is None
    gpus = [torch.device("cuda", number) for number in range(2)]
    spread = SimpleNamespace(device=gpus[0], model=SimpleNamespace(hf_device_map={"a": 0, "b": "cpu", "c": "cuda:1"}))
    assert sorted(map(str, gpus_of(spread))) == ["cuda:0", "cuda:1"]
    call_watch(spread)().stop()
    assert sorted(map(str, waited)) == ["cuda:0", "cuda:1"]
    alone = SimpleNamespace(device=gpus[1])
    assert gpus_of(alone) == [gpus[1]] and call_watch(alone).func is DeviceWatch
