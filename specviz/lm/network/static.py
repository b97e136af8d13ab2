"""The trie cache in static shapes: nothing in a call depends on a number of the processor's, so a graph can hold it.

The buffers have all their rows from the start, and a call reads all of them; its mask says which count. A call's rows
are padded to one of a few numbers: what is too many writes to a spare row, the last one, and sees only that. Tokens,
positions, the rows to write to and the mask lie in memory of their own, to which each call copies them.

On a processor, where shapes that grow with the text are faster, the same is computed without graphs, for the tests.
"""

import weakref
from bisect import bisect_left
from collections.abc import Sequence
from threading import Lock

import numpy as np
import torch

from specviz.lm.network.cache import Forward, Outputs, TrieCache, TrieLayer, is_out_of_memory
from specviz.lm.network.graphs import Captures, Compute
from specviz.lm.network.prompts import KeysAndValues
from specviz.lm.transfer import sendable
from specviz.lm.trie import TokenTrie

CALLS = (1, 2, 4, 8, 16, 32, 64, 128)  # rows that a call may have
SIZES = (512, 1024, 2048, 4096, 8192)  # rows of a cache, the spare one included; attention reads all of them
IDLE = 4  # caches of one model that are kept for later sessions


class StaticLayer(TrieLayer):
    """A layer that is written where ``rows`` ([longest call], int64, on its device) says, and read as a whole."""

    def __init__(self, rows: torch.Tensor, capacity: int):
        super().__init__(capacity)
        self._rows = rows

    def _buffer(self, like: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
        return like.new_zeros(shape)  # a weight of 0 makes nothing of any number, but of NaN

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: object, **kwargs: object
    ) -> KeysAndValues:
        (keys, values), rows = self.held(), self._rows[: key_states.shape[2]]
        keys.index_copy_(2, rows, key_states)
        values.index_copy_(2, rows, value_states)
        return keys, values

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self._capacity, 0

    def get_seq_length(self) -> int:
        return 0  # a graph would keep the first answer


class StaticCache(TrieCache):
    """A cache of ``size`` rows whose layers hold rows like those of ``like``. Calls are captured as ``captures`` says,
    each number of padded rows when it is first needed."""

    longest_call = CALLS[-1]

    def __init__(self, size: int, like: Sequence[TrieLayer], device: torch.device, captures: Captures):
        self.size_in_rows, self._captures = size, captures
        self._numbers = torch.zeros(3, CALLS[-1], dtype=torch.int64, device=device)  # tokens, positions, rows
        self._mask = torch.zeros(CALLS[-1], size, dtype=torch.bool, device=device)
        layers = [StaticLayer(self._numbers[2], size) for _ in like]
        for layer, other in zip(layers, like, strict=True):
            layer.lazy_initialization(*other.held())
        super().__init__(layers, device)
        self._graphs: dict[tuple[Forward, tuple[int, ...], int], Compute] = {}

    def clear(self) -> None:
        """Leave nothing of another text; what is captured stays."""
        for layer in self.layers:
            for part in layer.held():
                part.zero_()

    def scored(
        self,
        forward: Forward,
        trie: TokenTrie,
        start: int,
        end: int,
        last_only: bool,
        layers: tuple[int, ...] = (),
    ) -> Outputs:
        count = end - start
        padded = CALLS[bisect_left(CALLS, count)]
        self._write(trie, start, end, padded)
        logits, *of_all = self._computed(forward, layers, padded)
        wanted = slice(count - 1 if last_only else 0, count)
        return Outputs(logits[wanted].clone(), *(None if part is None else part[:count].clone() for part in of_all))

    def _write(self, trie: TokenTrie, start: int, end: int, padded: int) -> None:
        """What a call over these rows is to read, to where it reads it."""
        count, spare = end - start, self.size_in_rows - 1
        numbers = np.zeros((3, CALLS[-1]), dtype=np.int64)
        numbers[:, :count] = trie.tokens[start:end], trie.depths[start:end], range(start, end)
        numbers[2, count:] = spare
        mask = np.zeros((padded, self.size_in_rows), dtype=bool)
        mask[:count, :end] = trie.mask(start, end)
        mask[count:, spare] = True
        self._numbers.copy_(sendable(numbers, self._device), non_blocking=True)
        self._mask[:padded].copy_(sendable(mask, self._device), non_blocking=True)

    def _computed(self, forward: Forward, layers: tuple[int, ...], padded: int) -> Outputs:
        """All rows of the padded call, replayed where it is captured."""

        def compute() -> Outputs:
            tokens, positions = self._numbers[0, :padded], self._numbers[1, :padded]
            return forward(tokens, positions, self._mask[:padded], self._cache, False, layers)

        key = (forward, layers, padded)
        if key not in self._graphs and (graph := self._captures.captured(compute)):
            self._graphs[key] = graph
        return self._graphs.get(key, compute)()


class StaticCaches:
    """The static caches of one model, whose layers hold rows like those of ``like``. One that its session no longer
    needs is taken again, with all that is captured for it; the oldest idle ones go."""

    def __init__(self, like: Sequence[TrieLayer], device: torch.device, captures: Captures):
        self.captures = captures
        self._like, self._device = like, device
        self._idle: list[StaticCache] = []
        self._taking = Lock()

    def take(self, capacity: int, holder: object) -> StaticCache | None:
        """A cache for ``capacity`` rows, which is given back when ``holder`` is gone. None where there is none so
        large, where there is no memory for it, or where nothing is captured any more."""
        if self.captures.refused or capacity >= SIZES[-1]:
            return None
        size = SIZES[bisect_left(SIZES, capacity + 1)]
        cache = self._again(size) or self._made(size)
        if cache is not None:
            weakref.finalize(holder, self._give, cache).atexit = False
        return cache

    def _give(self, cache: StaticCache) -> None:
        """Whenever Python finds out that the session is gone, in the middle of ``take`` too."""
        self._idle.append(cache)
        del self._idle[: None if self.captures.refused else -IDLE]

    def _again(self, size: int) -> StaticCache | None:
        with self._taking:
            cache = next((idle for idle in self._idle[:] if idle.size_in_rows == size), None)
            if cache is not None:
                self._idle.remove(cache)
                cache.clear()
        return cache

    def _made(self, size: int) -> StaticCache | None:
        try:
            return StaticCache(size, self._like, self._device, self.captures)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            if not self._idle:
                self.captures.refuse(error)
                return None
        self._idle.clear()  # and once more, with their memory
        return self._made(size)
