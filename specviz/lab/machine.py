"""What a measurement was made on."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import torch

PACKAGES = ("torch", "transformers", "tokenizers", "numpy")


def machine(device: str = "cpu") -> dict[str, str]:
    """Processor, cores, threads and, for a CUDA ``device``, the accelerator; for people to read."""
    facts = {
        "processor": _processor(),
        "cores": str(cores()),
        "torch threads": str(torch.get_num_threads()),
        "system": f"{platform.system()} {platform.machine()}",
    }
    if device.startswith("cuda"):
        facts["accelerator"] = torch.cuda.get_device_name(device)
    return facts


def versions(*more: str) -> dict[str, str]:
    """Versions of Python and of the packages that a measurement depends on, ``more`` of them where it is a page's."""
    return {"python": platform.python_version()} | {name: _version(name) for name in (*PACKAGES, *more)}


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def resident(process: int) -> int | None:
    """Bytes of memory that a process has; None where the system does not tell."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")), None)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"
