"""How much likelier two tokens stand side by side than apart: the correlation of SLiM, from bigram counts."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from specviz.errors import ModelError

FLOOR = 0.01
TokenIds = Sequence[int] | Tensor


@dataclass(frozen=True)
class Correlation:
    """``r(x, y) = p(x, y) / (p(x) p(y))`` of adjacent tokens (slim.txt, Eq. 5): p(x, y) is the share of pair (x, y)
    among all ``total`` counted pairs, p(x) the share of pairs that begin with x, p(y) of pairs that end with y.

    Sparse: ``pairs`` int64 [n] are the kept pairs as ``x * vocab_size + y``, ascending, ``counts`` int64 [n] how often
    each was seen; ``firsts`` and ``seconds`` int64 [vocab_size] count every pair, kept or not. A pair that was never
    seen (or not kept) has ``r = floor``: unlikely, yet not ruled out, since a count of zero is only a small sample.
    """

    vocab_size: int
    total: int
    pairs: Tensor
    counts: Tensor
    firsts: Tensor
    seconds: Tensor
    floor: float = FLOOR

    @classmethod
    def from_counts(
        cls, pairs: np.ndarray, counts: np.ndarray, vocab_size: int, *, at_least: int = 1, floor: float = FLOOR
    ) -> "Correlation":
        """From different pairs [n] (``x * vocab_size + y``) and how often each was seen [n], all of them at least once.

        Pairs seen fewer than ``at_least`` times are not kept; they still count in the marginals and the total.
        Raises ModelError when a pair lies outside the vocabulary, a count is not positive, or the floor not in (0, 1].
        """
        order = np.argsort(pairs, kind="stable")
        pairs, counts = np.asarray(pairs, dtype=np.int64)[order], np.asarray(counts, dtype=np.int64)[order]
        if len(pairs) and not 0 <= pairs[0] <= pairs[-1] < vocab_size**2:
            raise ModelError(
                f"pairs must lie in 0..{vocab_size**2 - 1}, got {pairs[0]} to {pairs[-1]}", argument="pairs"
            )
        if (counts < 1).any():
            raise ModelError(f"counts must be at least 1, got {counts.min()}", argument="counts")
        if not 0.0 < floor <= 1.0:
            raise ModelError(f"floor must be in (0, 1], got {floor}", argument="floor")
        first, second = np.divmod(pairs, vocab_size)
        frequent = counts >= at_least
        return cls(
            vocab_size,
            int(counts.sum()),
            torch.from_numpy(pairs[frequent]),
            torch.from_numpy(counts[frequent]),
            torch.from_numpy(np.bincount(first, counts, vocab_size).astype(np.int64)),
            torch.from_numpy(np.bincount(second, counts, vocab_size).astype(np.int64)),
            floor,
        )

    def r(self, first: TokenIds, second: TokenIds) -> Tensor:
        """float64 [n, m], positive: r of every token of ``first`` [n] followed by every token of ``second`` [m]."""
        x, y = _tokens(first)[:, None], _tokens(second)[None, :]
        if not len(self.pairs):
            return torch.full((x.shape[0], y.shape[1]), self.floor, dtype=torch.float64)
        wanted = x * self.vocab_size + y
        index = torch.searchsorted(self.pairs, wanted).clamp_max(len(self.pairs) - 1)
        known = self.pairs[index] == wanted
        apart = (self.firsts[x].double() * self.seconds[y].double()).clamp_min(1.0)
        return torch.where(known, self.counts[index].double() * self.total / apart, self.floor)

    def thinned(self, share: float) -> "Correlation":
        """As if only ``share``, in (0, 1], of the text had been counted: every pair that was seen stays with that
        probability, always the same ones. (Of pairs that were not kept only the marginals are known, and each is
        thinned by itself.)"""
        if share == 1.0:
            return self
        chance = np.random.default_rng(0)
        counts = torch.from_numpy(chance.binomial(self.counts.numpy(), share))
        seen, size = counts > 0, self.vocab_size

        def marginal(known: Tensor, ends: Tensor) -> Tensor:
            listed, remaining = (
                torch.zeros(size, dtype=torch.int64).index_add(0, ends, c) for c in (self.counts, counts)
            )
            return remaining + torch.from_numpy(chance.binomial((known - listed).numpy(), share))

        firsts, seconds = marginal(self.firsts, self.pairs // size), marginal(self.seconds, self.pairs % size)
        return Correlation(size, int(firsts.sum()), self.pairs[seen], counts[seen], firsts, seconds, self.floor)

    def followers(self, token: int) -> tuple[Tensor, Tensor]:
        """The kept tokens that were seen after ``token``, ascending, and how often each was: int64 [n] and [n]."""
        first, last = torch.searchsorted(self.pairs, torch.tensor([token, token + 1]) * self.vocab_size).tolist()
        return self.pairs[first:last] % self.vocab_size, self.counts[first:last]

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (16 hex digits) over what was counted."""
        digest = hashlib.sha256(f"{self.vocab_size} {self.total}".encode())
        for counted in (self.pairs, self.counts, self.firsts, self.seconds):
            digest.update(counted.numpy().tobytes())
        return digest.hexdigest()[:16]

    def save(self, path: str | Path) -> None:
        """Write a safetensors file: the pairs' second tokens and counts, row by row, and where each row starts."""
        path = Path(os.path.expanduser(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        first, second = self.pairs // self.vocab_size, self.pairs % self.vocab_size
        starts = torch.searchsorted(first, torch.arange(self.vocab_size + 1))
        small = torch.uint16 if self.vocab_size <= 65_536 else torch.int32
        tensors = {
            "starts": starts.to(torch.int32),
            "tokens": second.to(small),
            "counts": self.counts.to(torch.int32),
            "firsts": self.firsts.to(torch.int32),
            "seconds": self.seconds.to(torch.int32),
        }
        numbers = {"vocab_size": self.vocab_size, "total": self.total, "floor": self.floor}
        save_file(tensors, path, metadata={"correlation": json.dumps(numbers)})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Correlation":
        """Read what ``save`` wrote. Raises ModelError when the file is missing or not a correlation."""
        try:
            with safe_open(os.path.expanduser(path), "pt") as file:
                numbers = json.loads((file.metadata() or {})["correlation"])
                tensors = {name: file.get_tensor(name).long() for name in file.keys()}  # noqa: SIM118
            vocab_size = numbers["vocab_size"]
            first = torch.arange(vocab_size).repeat_interleave(tensors["starts"].diff())
            pairs = first * vocab_size + tensors["tokens"]
            counts, firsts, seconds = tensors["counts"], tensors["firsts"], tensors["seconds"]
            return cls(vocab_size, numbers["total"], pairs, counts, firsts, seconds, numbers["floor"])
        except (OSError, KeyError, ValueError, RuntimeError, SafetensorError) as error:
            raise ModelError(
                f"correlation {str(path)!r} could not be loaded: {str(error)[:200]}", argument="correlation"
            ) from error


@dataclass(frozen=True)
class DenseCorrelation:
    """The same given as a whole matrix, ``values`` float64 [vocab_size, vocab_size], positive: for table models. Raises
    ModelError for other numbers."""

    values: Tensor

    def __post_init__(self) -> None:
        if not (self.values.isfinite() & (self.values > 0)).all():
            raise ModelError("values must be positive numbers", argument="values")

    @property
    def vocab_size(self) -> int:
        return self.values.shape[0]

    @classmethod
    def random(cls, vocab_size: int, seed: int) -> "DenseCorrelation":
        """r of a random joint distribution of two tokens, exactly (``p(x, y)`` over the product of its marginals)."""
        joint = torch.from_numpy(np.random.default_rng(seed).exponential(size=(vocab_size, vocab_size)))
        joint = joint / joint.sum()
        return cls(joint / (joint.sum(1, keepdim=True) * joint.sum(0, keepdim=True)))

    def r(self, first: TokenIds, second: TokenIds) -> Tensor:
        """float64 [n, m]: r of every token of ``first`` [n] followed by every token of ``second`` [m]."""
        return self.values[_tokens(first)[:, None], _tokens(second)[None, :]].double()


def _tokens(tokens: TokenIds) -> Tensor:
    return torch.as_tensor(tokens, dtype=torch.int64).cpu()
