"""The energy counters: on a copy of the kernel's folder layout, and on a stand-in for NVML."""

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import specviz
from specviz.lm.contextual import ContextSession
from specviz.measure import energy
from specviz.measure.energy import counters_of, energy_meter

ZONES = {"intel-rapl:0": ("package-0", 5.0), "intel-rapl:1": ("package-1", 7.0)}
OTHERS = {"intel-rapl:0:0": ("core", 900.0), "intel-rapl:2": ("psys", 700.0), "intel-rapl-mmio:0": ("package-0", 5.0)}


@pytest.fixture
def powercap(tmp_path, monkeypatch):
    for name, (about, joules) in (ZONES | OTHERS).items():
        set_joules(tmp_path / name, joules)
        (tmp_path / name / "name").write_text(f"{about}\n")
        (tmp_path / name / "max_energy_range_uj").write_text("100000000\n")
    monkeypatch.setattr(energy, "POWERCAP", tmp_path)
    counters_of.cache_clear()
    yield tmp_path
    counters_of.cache_clear()


def set_joules(package, joules):
    package.mkdir(exist_ok=True)
    (package / "energy_uj").write_text(f"{int(joules * 1e6)}\n")


def test_packages_are_added_and_blocks_accumulate(powercap):
    meter = energy_meter([])
    with meter:
        set_joules(powercap / "intel-rapl:0", 6.0)
        set_joules(powercap / "intel-rapl:1", 9.0)
        set_joules(powercap / "intel-rapl:0:0", 990.0)  # a part of package 0: counted there already
        set_joules(powercap / "intel-rapl:2", 720.0)  # the whole machine, packages included
    set_joules(powercap / "intel-rapl:0", 16.0)  # between blocks
    with meter:
        set_joules(powercap / "intel-rapl:0", 16.5)
    assert meter.joules == pytest.approx(3.5)


def test_the_counter_may_go_round(powercap):
    meter = energy_meter([])
    set_joules(powercap / "intel-rapl:1", 99.0)
    with meter:
        set_joules(powercap / "intel-rapl:1", 2.0)
    assert meter.joules == pytest.approx(3.0)


def test_absent_without_a_counter_and_the_reason_is_said(powercap, monkeypatch):
    (powercap / "intel-rapl:0" / "energy_uj").unlink()
    assert absent([]).startswith("its energy counter cannot be read (") and "intel-rapl:0" in absent([])
    monkeypatch.setattr(energy, "POWERCAP", powercap / "nothing")
    assert absent([]) == f"its processor has no energy counter (RAPL, under {powercap / 'nothing'})"


def test_a_counter_for_the_administrator_alone_is_no_counter(powercap, monkeypatch):
    (powercap / "intel-rapl:1" / "energy_uj").chmod(0)
    powercap.chmod(0o755)
    monkeypatch.chdir(powercap)  # the folders above are the user's own
    monkeypatch.setattr(energy, "POWERCAP", Path())
    with anybody():
        assert absent([]) == "its energy counter, intel-rapl:1/energy_uj, may not be read by this program"


@contextmanager
def anybody():
    """Without the rights of the administrator, where the tests have them."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def absent(gpus):
    """Why nothing is counted, as a program that starts now finds it."""
    counters_of.cache_clear()
    meter = energy_meter(gpus)
    with meter:
        pass
    assert meter.joules is None
    return meter.absent


def spending_pair(powercap):
    """A pair whose target spends a joule of package 0 a call."""

    class Session(ContextSession):
        def extend(self, *call, **how):
            spend(powercap, 1.0)
            return super().extend(*call, **how)

    class Target(specviz.TableLM):
        def open(self, capacity, hidden=False):
            return Session(self._row, capacity)

    return specviz.ModelPair(Target.random(5, seed=1), specviz.TableLM.random(5, seed=2))


def spend(powercap, joules):
    package = powercap / "intel-rapl:0"
    set_joules(package, int((package / "energy_uj").read_text()) * 1e-6 + joules)


def joules_of(trace):
    return trace.metrics.joules_per_token * trace.metrics.tokens


def test_every_way_to_run_counts_what_the_run_spends_and_nothing_else(powercap):
    pair = spending_pair(powercap)
    trace = specviz.decode(pair, "speculative", [0, 1], max_new_tokens=12, gamma=2)
    assert joules_of(trace) == pytest.approx(1 + trace.metrics.target_calls) and trace.no_energy == ""
    stream = specviz.stream(pair, "speculative", [0, 1], max_new_tokens=12, gamma=2)
    for _ in stream:
        spend(powercap, 5.0)  # the listener's
        assert joules_of(stream.trace()) == pytest.approx(1 + stream.trace().metrics.target_calls)
    assert stream.trace().metrics.joules_per_token == pytest.approx(trace.metrics.joules_per_token)
    lanes = {}
    for lane, _ in specviz.race(pair, ["autoregressive", "speculative"], [0, 1], max_new_tokens=12, gamma=2):
        spend(powercap, 5.0)
        lanes[lane.name] = lane.trace()
    for lane in lanes.values():
        assert joules_of(lane) == pytest.approx(1 + lane.metrics.target_calls)
    assert lanes["speculative"].metrics.joules_per_token == pytest.approx(trace.metrics.joules_per_token)


@pytest.mark.parametrize("broken", ["", "nonsense"], ids=["empty", "no number"])
def test_a_counter_that_fails_does_not_end_the_run(powercap, broken):
    pair = spending_pair(powercap)
    stream = specviz.stream(pair, "speculative", [0, 1], max_new_tokens=12)
    next(stream)
    assert joules_of(stream.trace()) > 0
    (powercap / "intel-rapl:1" / "energy_uj").write_text(broken)
    for _ in stream:
        pass
    trace = stream.trace()
    assert trace.stop == "length" and trace.metrics.joules_per_token is None
    assert trace.no_energy.startswith("an energy counter failed during the run (")


class NVMLError(Exception):
    pass


@pytest.fixture
def nvml(monkeypatch):
    """NVML of a machine with two GPUs, of which CUDA counts the other one as its first."""
    counted = {"GPU-left": 4000, "GPU-right": 7000}

    def energy(handle):
        if handle not in counted:
            raise NVMLError("not supported")
        return counted[handle]

    def handle(uuid):
        if not uuid.startswith("GPU-"):
            raise NVMLError("not found")
        return uuid

    module = SimpleNamespace(
        NVMLError=NVMLError,
        nvmlInit=lambda: None,
        nvmlDeviceGetHandleByUUID=handle,
        nvmlDeviceGetTotalEnergyConsumption=energy,
    )
    monkeypatch.setitem(sys.modules, "pynvml", module)
    uuids = ["right", "left"]
    monkeypatch.setattr(
        torch.cuda, "get_device_properties", lambda device: SimpleNamespace(uuid=uuids[device.index or 0])
    )
    return counted


GPUS = [torch.device("cuda", number) for number in range(2)]


def test_a_gpu_counts_its_own_and_several_are_added(nvml, powercap):
    one, both = energy_meter(GPUS[:1]), energy_meter(GPUS)
    with one, both:
        nvml["GPU-left"] += 500
        nvml["GPU-right"] += 2000
        set_joules(powercap / "intel-rapl:0", 6.0)  # the processor's is left out
    assert one.joules == pytest.approx(2.0) and both.joules == pytest.approx(2.5)


def test_absent_where_one_gpu_cannot_say_or_nvml_is_missing(nvml, powercap, monkeypatch):
    del nvml["GPU-left"]
    assert energy_meter(GPUS[:1]).absent == ""
    assert absent(GPUS) == "its energy counter cannot be read (not supported)"
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert absent(GPUS[:1]) == "its energy counter cannot be read (nvidia-ml-py is not installed)"
