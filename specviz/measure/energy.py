"""Energy, measured or absent.

Linux counts the joules of each processor package under ``/sys/class/powercap`` (RAPL), where the machine has the
counter and lets the user read it. A GPU counts its own, which NVML tells (the package nvidia-ml-py): for work on a GPU
that is the energy, what the processor spends beside it left out. A counter covers its device as a whole, other programs
included. There is no estimate: without a counter for every device in use, the answer is None, with the reason.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

import torch

POWERCAP = Path("/sys/class/powercap")


class Counter(Protocol):
    """Joules that a device has spent since some time."""

    def joules(self) -> float:
        """As many as now. Raises OSError or ValueError where it cannot be read."""
        ...

    def circle(self) -> float:
        """After how many it starts from 0 again."""
        ...


class Package:
    """A processor package; ``folder`` is its own under ``POWERCAP``."""

    def __init__(self, folder: Path):
        self._folder = folder

    def joules(self) -> float:
        return int((self._folder / "energy_uj").read_text()) * 1e-6

    def circle(self) -> float:
        return int((self._folder / "max_energy_range_uj").read_text()) * 1e-6


class Gpu:
    """A CUDA device, which counts since its driver was loaded; the counter moves some ten times a second. Raises
    OSError where NVML is missing or does not know the energy of this device."""

    def __init__(self, device: torch.device):
        try:
            import pynvml
        except ImportError as error:
            raise OSError("nvidia-ml-py is not installed") from error

        self._nvml = pynvml
        uuid = torch.cuda.get_device_properties(device).uuid  # its number is another one where some are hidden
        try:
            pynvml.nvmlInit()
            self._handle = pynvml.nvmlDeviceGetHandleByUUID(f"GPU-{uuid}")
        except pynvml.NVMLError as error:
            raise OSError(str(error)) from error

    def joules(self) -> float:
        try:
            return self._nvml.nvmlDeviceGetTotalEnergyConsumption(self._handle) * 1e-3
        except self._nvml.NVMLError as error:
            raise OSError(str(error)) from error

    def circle(self) -> float:
        return 2.0**64 * 1e-3


class EnergyMeter:
    """Adds up the joules that devices spend inside its ``with`` blocks, which do not nest. ``absent`` says why they
    cannot be counted, "" where they can; a counter that fails is a reason, no error. A counter moves in jumps: where
    blocks are shorter than these, many together are right on average, a single one is not."""

    def __init__(self, counters: Sequence[Counter], absent: str = ""):
        self.absent = absent
        self._counters, self._joules = counters, 0.0
        self._before: list[float] = []

    @property
    def joules(self) -> float | None:
        """Those of all blocks that have ended; None where they cannot be counted."""
        return None if self.absent else self._joules

    def __enter__(self) -> None:
        try:
            self._before = [counter.joules() for counter in self._counters]
        except (OSError, ValueError) as error:
            self._give_up(error)

    def __exit__(self, *_error: object) -> None:
        try:
            for counter, before in zip(self._counters, self._before, strict=True):
                after = counter.joules()
                self._joules += after - before + (counter.circle() if after < before else 0.0)
        except (OSError, ValueError) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self._counters, self._before = (), []
        self.absent = f"an energy counter failed during the run ({error})"


def energy_meter(gpus: Sequence[torch.device]) -> EnergyMeter:
    """A meter for work on ``gpus``, or on the processor where there are none."""
    return EnergyMeter(*counters_of(tuple(gpus)))


@cache
def counters_of(gpus: tuple[torch.device, ...]) -> tuple[tuple[Counter, ...], str]:
    """A counter for each of ``gpus``, or without any for each package of the processor; none where one of them cannot
    be read, and the reason. They are looked for once, so that a run costs nothing where there are none."""
    try:
        counters = tuple(map(Gpu, gpus)) or tuple(map(Package, packages()))
        for counter in counters:
            counter.joules()
    except PermissionError as error:
        return (), f"its energy counter, {error.filename}, may not be read by this program"
    except (OSError, ValueError) as error:
        return (), f"its energy counter cannot be read ({error})"
    return counters, "" if counters else f"its processor has no energy counter (RAPL, under {POWERCAP})"


def packages() -> list[Path]:
    """The folders of the processor's packages. What is inside a package is counted there, and ``psys`` counts the whole
    machine, packages included."""
    zones = sorted(zone for zone in POWERCAP.glob("intel-rapl:*") if zone.name.count(":") == 1)
    return [zone for zone in zones if (zone / "name").read_text().strip() != "psys"]
