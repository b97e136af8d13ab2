"""CUDA graphs: a call's kernels, captured once and launched together ever after.

Launched one by one, the kernels of a small model cost a GPU more time than what they compute. A graph reads and writes
the memory that it was captured with: what goes in is copied there first, what comes out is read before the next replay.
"""

import warnings
from collections.abc import Callable

import torch

from specviz.lm.network.cache import Outputs

Compute = Callable[[], Outputs]
WARM_UPS = 2  # runs before a capture, in which libraries allocate and choose what a capture must not


class CudaGraphs:
    """Captures calls on one GPU, which share the memory of what they compute in between: never two at a time, and
    their results are read before the next one. ``graphs(compute)`` is what computes the same again, with what lies
    then in the memory that ``compute`` reads."""

    def __init__(self, device: torch.device):
        self._device = device
        self._stream = torch.cuda.Stream(device)
        self._pool = torch.cuda.graph_pool_handle()

    def __call__(self, compute: Compute) -> Compute:
        with torch.cuda.device(self._device):
            graph, usual = torch.cuda.CUDAGraph(), torch.cuda.current_stream()
            self._stream.wait_stream(usual)
            try:
                with torch.cuda.stream(self._stream):  # left again where a capture fails, too
                    for _ in range(WARM_UPS):
                        compute()
                    mode = "thread_local"  # other threads may go on with other models
                    with torch.cuda.graph(graph, self._pool, self._stream, capture_error_mode=mode):
                        outputs = compute()
            finally:
                usual.wait_stream(self._stream)

        def again() -> Outputs:
            graph.replay()
            return outputs

        return again


class Captures:
    """How the calls of the model ``name`` are captured: by ``capture`` (None: not at all). At the first one that cannot
    be there is a warning that says why, ``refused`` says it too, and nothing more is captured."""

    def __init__(self, name: str, capture: Callable[[Compute], Compute] | None):
        self.refused = ""
        self._name, self._capture = name, capture

    def captured(self, compute: Compute) -> Compute | None:
        """``compute`` as a graph, or None where it is to be computed as it is."""
        if self._capture is None or self.refused:
            return None
        try:
            return self._capture(compute)
        except RuntimeError as error:  # of CUDA, of torch's allocator, or of an operation that no graph can hold
            self.refuse(error)
            return None

    def refuse(self, error: BaseException) -> None:
        """Capture nothing from now on."""
        while error.__context__ is not None:  # a capture that has failed cannot be ended without another error
            error = error.__context__
        self.refused = str(error).strip().split("\n")[0][:300] or type(error).__name__
        message = f"{self._name!r} is computed without CUDA graphs from now on: {self.refused}"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
