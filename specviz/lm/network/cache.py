"""The key-value cache of a trie: rows that are written in place, taken over from another reading, and compacted."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from transformers.cache_utils import Cache, CacheLayerMixin

from specviz.lm.network.prompts import KeysAndValues
from specviz.lm.transfer import sent
from specviz.lm.trie import TokenTrie

LAST = -1
"""Where layers are numbered by what they leave, k being the state after k of them (1 first): the state after all of
them and the final norm."""


class Outputs(NamedTuple):
    """What a forward pass gives: ``logits`` [rows, vocab_size], of the last row alone where no others are wanted; last
    ``hidden`` states [rows, width], of all rows, or of those that have logits; the ``states`` of all rows after the
    layers that were asked for, joined [rows, layers x width]. None: the model has none to give, or nobody asked."""

    logits: torch.Tensor
    hidden: torch.Tensor | None
    states: torch.Tensor | None = None


Forward = Callable[[torch.Tensor, torch.Tensor, torch.Tensor | None, Cache, bool, tuple[int, ...]], Outputs]
"""A forward pass over rows: their tokens and positions ([n], int64), what each sees of the cache's rows ([n, rows],
bool; None: all of them), the cache that they are written to, whether only the last row is to be scored, and after which
layers states are wanted (``LAST`` may be among them)."""


class TrieLayer(CacheLayerMixin):
    """One layer's keys and values, [texts, heads, capacity, head size] each, allocated at the first update. A trie is
    one text here."""

    def __init__(self, capacity: int):
        super().__init__()
        self._capacity = capacity

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Buffers for rows like these ([texts, heads, any, head size] each)."""
        shape = (*key_states.shape[:2], self._capacity)
        self.keys = self._buffer(key_states, (*shape, key_states.shape[3]))
        self.values = self._buffer(value_states, (*shape, value_states.shape[3]))
        self.is_initialized = True

    def _buffer(self, like: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
        return like.new_empty(shape)

    def held(self) -> KeysAndValues:
        """Keys and values, once there are any."""
        assert self.keys is not None and self.values is not None
        return self.keys, self.values

    def size(self, rows: int) -> int:
        """Bytes of its first ``rows`` rows."""
        return sum(part[:, :, :rows].numel() * part.element_size() for part in self.held())

    def copy(self, rows: int) -> KeysAndValues:
        """Its first ``rows`` rows."""
        keys, values = self.held()
        return keys[:, :, :rows].clone(), values[:, :, :rows].clone()

    def fill(self, stored: KeysAndValues, rows: int) -> None:
        """Make the first ``rows`` rows of ``stored`` its own."""
        if not self.is_initialized:
            self.lazy_initialization(*stored)
        keys, values = self.held()
        keys[:, :, :rows] = stored[0][:, :, :rows]
        values[:, :, :rows] = stored[1][:, :, :rows]

    def move(self, sources: torch.Tensor, start: int) -> None:
        """Copy the rows ``sources`` to the rows from ``start`` on."""
        keys, values = self.held()
        sources, end = sources.to(keys.device), start + len(sources)
        keys[:, :, start:end] = keys.index_select(2, sources)
        values[:, :, start:end] = values.index_select(2, sources)

    def choose(self, texts: torch.Tensor) -> None:
        """Keep these of the texts alone."""
        self.keys, self.values = (part[texts] for part in self.held())

    def get_max_length(self) -> int:
        return self._capacity


class TrieCache(ABC):
    """All layers of one trie. ``longest_call`` is how many rows a call may have at most."""

    longest_call: int

    def __init__(self, layers: Sequence[TrieLayer], device: torch.device):
        self.layers, self._device = layers, device
        self._cache = Cache(layers=[*layers])

    @abstractmethod
    def scored(
        self,
        forward: Forward,
        trie: TokenTrie,
        start: int,
        end: int,
        last_only: bool,
        layers: tuple[int, ...] = (),
    ) -> Outputs:
        """One forward pass over the rows of ``trie`` from ``start`` to ``end``, all before them being written, with
        their states after ``layers``."""

    def size(self, rows: int) -> int:
        """Bytes of the first ``rows`` rows of all layers."""
        return sum(layer.size(rows) for layer in self.layers)

    def copy(self, rows: int) -> tuple[KeysAndValues, ...]:
        """The first ``rows`` rows of every layer."""
        return tuple(layer.copy(rows) for layer in self.layers)

    def fill(self, stored: Sequence[KeysAndValues], rows: int) -> None:
        """Make the first ``rows`` rows of ``stored`` its own, layer by layer."""
        for layer, own in zip(self.layers, stored, strict=True):
            layer.fill(own, rows)

    def move(self, rows: Sequence[int], start: int) -> None:
        """Copy ``rows`` to the rows from ``start`` on."""
        sources = sent(np.asarray(rows, dtype=np.int64), self._device)
        for layer in self.layers:
            layer.move(sources, start)


class RowCount:
    """Where a call writes, shared by all layers."""

    start = 0
    end = 0


class GrowingLayer(TrieLayer):
    """A layer that is read as far as it is written."""

    def __init__(self, rows: RowCount, capacity: int):
        super().__init__(capacity)
        self._rows = rows

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: object, **kwargs: object
    ) -> KeysAndValues:
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        (keys, values), start, end = self.held(), self._rows.start, self._rows.end
        keys[:, :, start:end] = key_states
        values[:, :, start:end] = value_states
        return keys[:, :, :end], values[:, :, :end]

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self._rows.start + query_length, 0

    def get_seq_length(self) -> int:
        return self._rows.start


class GrowingCache(TrieCache):
    """A cache of which a call reads the rows that there are: every call has shapes of its own, and nothing to spare."""

    longest_call = 512  # the mask of a call has this many times the rows so far

    def __init__(self, layers: int, capacity: int, device: torch.device):
        self._rows = RowCount()
        super().__init__([GrowingLayer(self._rows, capacity) for _ in range(layers)], device)

    def scored(
        self,
        forward: Forward,
        trie: TokenTrie,
        start: int,
        end: int,
        last_only: bool,
        layers: tuple[int, ...] = (),
    ) -> Outputs:
        self._rows.start, self._rows.end = start, end
        mask = trie.mask(start, end)
        numbers = sent(np.array([trie.tokens[start:end], trie.depths[start:end]]), self._device)
        seen = None if mask.all() else sent(mask, self._device)
        return forward(numbers[0], numbers[1], seen, self._cache, last_only, layers)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether torch, safetensors or Python ran out of memory. On a CPU torch says so in a plain RuntimeError, which can
    be told from others by its words alone; this is the one place that reads them."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    words = ("not enough memory", "cannot allocate memory", "can't allocate memory", "out of memory")
    return any(word in str(error).lower() for word in words)
