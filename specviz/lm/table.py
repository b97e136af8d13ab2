"""Small exact models given by tables or functions: for tests, exact distributions and lessons."""

from collections.abc import Callable, Sequence

import numpy as np
import torch

from specviz.errors import ModelError
from specviz.lm.contextual import ContextSession
from specviz.lm.language_model import ModelShape


class TableLM:
    """A model whose next-token probabilities are given by ``next_token(context) -> probabilities`` [vocab_size].

    ``context`` is the tuple of all token ids so far. Probabilities are nonnegative and sum to one (checked to 1e-9);
    zeros are allowed. Everything is float64.
    """

    dtype = torch.float64
    device = torch.device("cpu")
    context = None
    shape = ModelShape()

    def __init__(
        self,
        next_token: Callable[[tuple[int, ...]], Sequence[float] | np.ndarray],
        vocab_size: int,
        name: str = "table",
        fingerprint: str = "table",
    ):
        if vocab_size < 1:
            raise ModelError(f"vocab_size must be at least 1, got {vocab_size}", argument="vocab_size")
        self.name, self.vocab_size, self.fingerprint = name, vocab_size, fingerprint
        self._next_token = next_token
        self._logits: dict[tuple[int, ...], torch.Tensor] = {}

    @classmethod
    def random(
        cls, vocab_size: int, seed: int, *, zeros: float = 0.0, sharpness: float = 1.0, order: int | None = None
    ) -> "TableLM":
        """A model drawn at random: each context gets its own probabilities, a function of the seed and the context.

        ``zeros`` in [0, 1) is the probability that a token has probability zero (at least one token keeps some);
        ``sharpness`` > 0 makes the probabilities less even; with ``order`` only the last so many tokens matter.
        """

        def next_token(context: tuple[int, ...]) -> np.ndarray:
            seen = context if order is None else context[len(context) - min(order, len(context)) :]
            generator = np.random.default_rng((seed, len(seen), *seen))
            weights = generator.exponential(size=vocab_size) ** sharpness
            weights[generator.random(vocab_size) < zeros] = 0.0
            if not weights.any():
                weights[generator.integers(vocab_size)] = 1.0
            return weights / weights.sum()

        return cls(next_token, vocab_size, name=f"random table {seed}", fingerprint=f"table:{vocab_size}:{seed}")

    def probabilities(self, context: Sequence[int]) -> np.ndarray:
        """float64 [vocab_size] after ``context``."""
        return self._row(tuple(context)).exp().numpy()

    def _row(self, context: tuple[int, ...]) -> torch.Tensor:
        row = self._logits.get(context)
        if row is None:
            probs = np.asarray(self._next_token(context), dtype=np.float64)
            if probs.shape != (self.vocab_size,) or not ((probs >= 0).all() and abs(probs.sum() - 1.0) <= 1e-9):
                raise ModelError(
                    f"next_token{context} must give {self.vocab_size} nonnegative numbers that sum to 1, got {probs}",
                    argument="next_token",
                )
            row = self._logits[context] = torch.from_numpy(probs).log()
        return row

    def open(self, capacity: int, hidden: bool = False) -> ContextSession:
        """A new session for up to ``capacity`` rows; hidden states: none."""
        return ContextSession(self._row, capacity)
