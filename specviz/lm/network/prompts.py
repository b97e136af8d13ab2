"""Prompts that were read lately: a second run with the same one, or with one that starts alike, does not read it again.

A prompt is read in blocks that begin at fixed rows. What a row of a whole block has as keys and values then depends on
nothing that follows it, to the last bit, so it may be taken from another reading; the rows after the last whole block
are taken over where the prompt is the same to its end.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch

from specviz.lm.language_model import Scores

BLOCK = 128  # rows of a prompt that are read at once
LIMIT = 256 << 20  # bytes that are kept of one model's prompts

KeysAndValues = tuple[torch.Tensor, torch.Tensor]


class ReadPrompt(NamedTuple):
    """A prompt as it was read: what each layer keeps of its rows, the scores of its last one, and where a draft was to
    hear them the ``states`` of all rows after the layers ``heard``, joined [rows, layers x width]."""

    tokens: tuple[int, ...]
    layers: tuple[KeysAndValues, ...]
    scores: Scores
    states: torch.Tensor | None = None
    heard: tuple[int, ...] = ()

    def said(self, hidden: bool) -> Scores:
        """The scores of its last row, with the hidden state if it was asked for."""
        return self.scores if hidden else Scores(self.scores.logits)

    @property
    def size(self) -> int:
        """Its bytes."""
        tensors = [part for layer in self.layers for part in layer]
        tensors += [part for part in (self.scores.logits, self.scores.hidden, self.states) if part is not None]
        return sum(part.numel() * part.element_size() for part in tensors)


class PromptMemory:
    """The readings of one model, the latest last; the oldest go when they exceed ``limit`` bytes."""

    def __init__(self, limit: int = LIMIT):
        self.limit = limit
        self._readings: list[ReadPrompt] = []

    def recall(self, tokens: Sequence[int], hidden: bool, heard: tuple[int, ...] = ()) -> tuple[ReadPrompt | None, int]:
        """The reading that has most of these tokens (and the states after the layers ``heard``), and how many of its
        rows may be taken over: all of them where it is of the same prompt (and has its last hidden state if
        ``hidden``), or else whole blocks."""
        best, most = None, 0
        for reading in self._readings:
            if heard and reading.heard != heard:
                continue
            alike = _alike(reading.tokens, tokens)
            complete = alike == len(tokens) == len(reading.tokens) and not (hidden and reading.scores.hidden is None)
            rows = alike if complete else min(alike, len(tokens) - 1) // BLOCK * BLOCK
            if rows > most:
                best, most = reading, rows
        if best is not None:
            self._readings.remove(best)
            self._readings.append(best)
        return best, most

    def keep(self, reading: ReadPrompt) -> None:
        """Keep a reading, if it is not too large by itself; it takes the place of one of the same prompt."""
        if reading.size > self.limit:
            return
        self._readings = [earlier for earlier in self._readings if earlier.tokens != reading.tokens]
        self._readings.append(reading)
        while sum(reading.size for reading in self._readings) > self.limit:
            del self._readings[0]

    def forget(self) -> None:
        """Keep nothing."""
        self._readings.clear()


def _alike(text: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two texts have in common before they differ."""
    shorter = min(len(text), len(other))
    if tuple(text[:shorter]) == tuple(other[:shorter]):
        return shorter
    return next(index for index in range(shorter) if text[index] != other[index])
