"""The GPUs that compute a model, and how long its calls keep them."""

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Protocol

import torch

from specviz.lm.language_model import LanguageModel


class CallWatch(Protocol):
    """Times one call, from when it is made to ``stop``."""

    def stop(self) -> None:
        """The call has been made; its device may still be at work."""
        ...

    @property
    def seconds(self) -> float:
        """What the call took, device work included. Waits for the device where it is not done."""
        ...


class HostWatch:
    """By the processor's clock; ``synchronise`` waits for devices that are still at work."""

    def __init__(self, synchronise: Callable[[], None] | None = None):
        self._synchronise = synchronise
        self._start = perf_counter()
        self.seconds = 0.0

    def stop(self) -> None:
        if self._synchronise is not None:
            self._synchronise()
        self.seconds = perf_counter() - self._start


class DeviceWatch:
    """By the clock of a GPU, which does its work in order: from when it has done all that it was given before, to when
    it has done the call. Time in which it waits for the processor to prepare the call is a part of that; nobody waits
    for it until ``seconds`` is read."""

    def __init__(self, device: torch.device, event: Callable[..., torch.cuda.Event] = torch.cuda.Event):
        self._device = device
        self._start, self._end = event(enable_timing=True), event(enable_timing=True)
        self._record(self._start)

    def stop(self) -> None:
        self._record(self._end)

    def _record(self, event: torch.cuda.Event) -> None:
        event.record(torch.cuda.current_stream(self._device))

    @property
    def seconds(self) -> float:
        self._end.synchronize()
        return self._start.elapsed_time(self._end) / 1e3


def gpus_of(model: LanguageModel) -> list[torch.device]:
    """The GPUs that compute ``model``: all of them, when it is spread; none for one on a processor."""
    if model.device.type != "cuda":
        return []
    spread = getattr(getattr(model, "model", None), "hf_device_map", None) or {"": model.device}
    devices = {torch.device("cuda", d) if isinstance(d, int) else torch.device(d) for d in spread.values()}
    return [device for device in devices if device.type == "cuda"]


def synchroniser(model: LanguageModel) -> Callable[[], None] | None:
    """What waits for the model's devices (all of them, when it is spread), or None where calls finish by themselves."""
    devices = gpus_of(model)
    if not devices:
        return None

    def synchronise() -> None:
        for device in devices:
            torch.cuda.synchronize(device)

    return synchronise


def call_watch(model: LanguageModel) -> Callable[[], CallWatch]:
    """What times calls of ``model``, each by a watch of its own: by its GPU's clock, or of several GPUs, which have no
    common one, by the processor's."""
    devices = gpus_of(model)
    return partial(DeviceWatch, devices[0]) if len(devices) == 1 else partial(HostWatch, synchroniser(model))
