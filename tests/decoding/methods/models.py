"""Small pairs whose distributions can be enumerated."""

import numpy as np

from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM


def random_pair(vocab_size: int, seed: int, *, zeros: float = 0.0, sharpness: float = 1.5) -> ModelPair:
    """Target and draft drawn apart, both looking at the whole context."""
    target = TableLM.random(vocab_size, seed, zeros=zeros, sharpness=sharpness)
    return ModelPair(target, TableLM.random(vocab_size, seed + 1000, zeros=zeros, sharpness=sharpness))


def equal_pair(vocab_size: int, seed: int) -> ModelPair:
    """p = q everywhere."""
    model = TableLM.random(vocab_size, seed)
    return ModelPair(model, model)


def disjoint_pair() -> ModelPair:
    """No token that both models give any probability."""
    target = TableLM(lambda context: np.array([0.3, 0.7, 0.0, 0.0]), 4)
    return ModelPair(target, TableLM(lambda context: np.array([0.0, 0.0, 0.6, 0.4]), 4))


PAIRS = {
    "random": random_pair(3, 1),
    "sharp": random_pair(3, 2, sharpness=3.0),
    "zeros": random_pair(4, 3, zeros=0.4),
    "equal": equal_pair(3, 4),
    "disjoint": disjoint_pair(),
}
