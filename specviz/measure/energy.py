"""Energy, measured or absent.

Linux counts the joules of each processor package under ``/sys/class/powercap`` (RAPL), where the machine has the
counter and lets the user read it. The counter covers the package as a whole, other programs included. There is no
estimate: without a counter for the device in use, the answer is None.
"""

from pathlib import Path

POWERCAP = Path("/sys/class/powercap")


class EnergyMeter:
    """Adds up the joules that the processor packages spend inside its ``with`` blocks."""

    def __init__(self, packages: tuple[Path, ...]):
        self.joules = 0.0
        self._packages = packages
        self._before: tuple[int, ...] = ()

    def __enter__(self) -> "EnergyMeter":
        self._before = _read(self._packages)
        return self

    def __exit__(self, *_error: object) -> None:
        for package, before, after in zip(self._packages, self._before, _read(self._packages), strict=True):
            if after < before:  # the counter went round
                after += int((package / "max_energy_range_uj").read_text())
            self.joules += (after - before) * 1e-6


def energy_meter(device: str, powercap: Path = POWERCAP) -> EnergyMeter | None:
    """A meter for work on ``device`` ("cpu", "cuda:0", ...), or None where its energy cannot be measured."""
    if device != "cpu":
        return None
    packages = tuple(p for p in sorted(powercap.glob("intel-rapl:*")) if p.name.count(":") == 1)
    try:
        _read(packages)
    except (OSError, ValueError):
        return None
    return EnergyMeter(packages) if packages else None


def _read(packages: tuple[Path, ...]) -> tuple[int, ...]:
    return tuple(int((package / "energy_uj").read_text()) for package in packages)
