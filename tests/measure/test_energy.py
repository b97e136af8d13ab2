"""The energy counter, on a copy of the kernel's folder layout."""

import pytest

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
    meter = energy_meter("cpu", powercap)
    with meter:
        set_joules(powercap / "intel-rapl:0", 6.0)
        set_joules(powercap / "intel-rapl:1", 9.0)
        set_joules(powercap / "intel-rapl:0:0", 990.0)  # a part of package 0: counted there already
    set_joules(powercap / "intel-rapl:0", 16.0)  # between blocks
    with meter:
        set_joules(powercap / "intel-rapl:0", 16.5)
    assert meter.joules == pytest.approx(3.5)


def test_the_counter_may_go_round(powercap):
    meter = energy_meter("cpu", powercap)
    set_joules(powercap / "intel-rapl:1", 99.0)
    with meter:
        set_joules(powercap / "intel-rapl:1", 2.0)
    assert meter.joules == pytest.approx(3.0)


def test_absent_without_a_counter_for_the_device(powercap, tmp_path):
    assert energy_meter("cuda:0", powercap) is None
    assert energy_meter("cpu", tmp_path / "nothing") is None
    (powercap / "intel-rapl:0" / "energy_uj").unlink()
    assert energy_meter("cpu", powercap) is None
