"""The energy counters: on a copy of the kernel's folder layout, and on a stand-in for NVML."""

import sys
from types import SimpleNamespace

import pytest
import torch

from specviz.measure.energy import energy_meter


@pytest.fixture
def powercap(tmp_path):
    for name, joules in (("intel-rapl:0", 5.0), ("intel-rapl:1", 7.0), ("intel-rapl:0:0", 900.0)):
        set_joules(tmp_path / name, joules)
        (tmp_path / name / "max_energy_range_uj").write_text("100000000\n")
    return tmp_path


def set_joules(package, joules):
    package.mkdir(exist_ok=True)
    (package / "energy_uj").write_text(f"{int(joules * 1e6)}\n")


def test_packages_are_added_and_blocks_accumulate(powercap):
    meter = energy_meter([], powercap)
    with meter:
        set_joules(powercap / "intel-rapl:0", 6.0)
        set_joules(powercap / "intel-rapl:1", 9.0)
        set_joules(powercap / "intel-rapl:0:0", 990.0)  # a part of package 0: counted there already
    set_joules(powercap / "intel-rapl:0", 16.0)  # between blocks
    with meter:
        set_joules(powercap / "intel-rapl:0", 16.5)
    assert meter.joules == pytest.approx(3.5)


def test_the_counter_may_go_round(powercap):
    meter = energy_meter([], powercap)
    set_joules(powercap / "intel-rapl:1", 99.0)
    with meter:
        set_joules(powercap / "intel-rapl:1", 2.0)
    assert meter.joules == pytest.approx(3.0)


def test_absent_without_a_counter_for_the_device(powercap, tmp_path):
    assert energy_meter([], tmp_path / "nothing") is None
    (powercap / "intel-rapl:0" / "energy_uj").unlink()
    assert energy_meter([], powercap) is None


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
    one, both = energy_meter(GPUS[:1], powercap), energy_meter(GPUS, powercap)
    with one, both:
        nvml["GPU-left"] += 500
        nvml["GPU-right"] += 2000
        set_joules(powercap / "intel-rapl:0", 6.0)  # the processor's is left out
    assert one.joules == pytest.approx(2.0) and both.joules == pytest.approx(2.5)


def test_absent_where_one_gpu_cannot_say_or_nvml_is_missing(nvml, powercap, monkeypatch):
    del nvml["GPU-left"]
    assert energy_meter(GPUS[:1], powercap) is not None
    assert energy_meter(GPUS, powercap) is None
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert energy_meter(GPUS[:1], powercap) is None
