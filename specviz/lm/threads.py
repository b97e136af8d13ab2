"""How many threads compute a pair.

Two threads that work on one product wait for each other at its end: many small products are computed as fast by one.
So small models are, large ones by as many threads as torch has. The number does not follow what else the machine does,
since sums come out a little differently with other threads: the same seed would give another text. What a busy
neighbour costs depends on how threads wait (``specviz/command_line.py``).
"""

from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager, contextmanager

import torch

from specviz.lm.language_model import LanguageModel
from specviz.lm.pair import ModelPair

SMALL = 100_000_000  # parameters up to which one thread is enough
ALL = torch.get_num_threads()
"""As torch starts; later it says what the thread that asks first heard of, perhaps the number of another pair."""


def enough_threads(models: Iterable[LanguageModel]) -> int:
    """1 where every model is small, or else ALL."""
    return 1 if all(model.shape.parameters <= SMALL for model in models) else ALL


def threads_of(pair: ModelPair) -> int:
    """``pair.threads``, or else as many as are enough for its models."""
    return pair.threads if pair.threads is not None else enough_threads(pair.models)


def threads_for(pair: ModelPair) -> AbstractContextManager[None]:
    """Inside, this thread computes with as many of torch's threads as ``pair`` is to have; afterwards as before."""
    return computing_with(threads_of(pair))


@contextmanager
def computing_with(threads: int) -> Generator[None]:
    """Inside, this thread computes with this many of torch's threads; afterwards with as many as before."""
    before = torch.get_num_threads()
    if before != threads:
        torch.set_num_threads(threads)
    try:
        yield
    finally:
        if before != threads:
            torch.set_num_threads(before)
