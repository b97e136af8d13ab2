"""Energy, measured or absent.

Linux counts the joules of each processor package under ``/sys/class/powercap`` (RAPL), where the machine has the
counter and lets the user read it. A GPU counts its own, which NVML tells (the package nvidia-ml-py): for work on a GPU
that is the energy, what the processor spends beside it left out. A counter covers its device as a whole, other programs
included. There is no estimate: without a counter for every device in use, the answer is None.
"""

from collections.abc import Sequence
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
    """Adds up the joules that devices spend inside its ``with`` blocks."""

    def __init__(self, counters: Sequence[Counter]):
        self.joules = 0.0
        self._counters = counters
        self._before = [0.0 for _ in counters]

    def __enter__(self) -> "EnergyMeter":
        self._before = [counter.joules() for counter in self._counters]
        return self

    def __exit__(self, *_error: object) -> None:
        for counter, before in zip(self._counters, self._before, strict=True):
            after = counter.joules()
            self.joules += after - before + (counter.circle() if after < before else 0.0)


def energy_meter(gpus: Sequence[torch.device], powercap: Path = POWERCAP) -> EnergyMeter | None:
    """A meter for work on ``gpus``, or on the processor where there are none; None where its energy cannot be
    measured."""
    try:
        counters = [Gpu(device) for device in gpus] or [
            Package(folder) for folder in sorted(powercap.glob("intel-rapl:*")) if folder.name.count(":") == 1
        ]
        for counter in counters:
            counter.joules()
    except (OSError, ValueError):
        return None
    return EnergyMeter(counters) if counters else None
