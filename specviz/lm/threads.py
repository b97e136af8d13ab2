"""How many threads compute a pair.

Two threads that work on one small product wait for each other at its end; where a browser, or anything else, takes one
of the cores for a moment, both stand still. So small models are computed by one thread, which a busy neighbour slows
down by no more than its share; large ones by as many as torch has, since there is more work between two waits.
"""

from collections.abc import Generator
from contextlib import contextmanager

import torch

from specviz.lm.pair import ModelPair

SMALL = 100_000_000  # parameters up to which one thread is enough


def threads_of(pair: ModelPair) -> int:
    """``pair.threads``, or else 1 where every model is small, or else torch's number."""
    if pair.threads is not None:
        return pair.threads
    models = [model for model in (pair.target, pair.draft, *pair.drafts) if model is not None]
    return 1 if all(model.shape.parameters <= SMALL for model in models) else torch.get_num_threads()


@contextmanager
def threads_for(pair: ModelPair) -> Generator[None]:
    """Inside, this thread computes with as many of torch's threads as ``pair`` is to have; afterwards as before."""
    before, wanted = torch.get_num_threads(), threads_of(pair)
    if before != wanted:
        torch.set_num_threads(wanted)
    try:
        yield
    finally:
        if before != wanted:
            torch.set_num_threads(before)
