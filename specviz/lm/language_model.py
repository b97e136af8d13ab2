"""What the decoders ask of a language model: a session that grows a trie of tokens and scores every new row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from specviz.lm.source import UNKNOWN, ScoreSource, check_numbers
from specviz.lm.trie import TokenTrie


@dataclass(frozen=True)
class Scores:
    """What one call computed. ``logits`` are raw (before temperature, top-k and top-p), [new rows, vocab_size], on the
    model's device (float64 for table models); ``hidden`` the last hidden states [new rows, width] (after the final
    norm: what the vocabulary projection reads), or None where none were asked for or the model has none to give.
    ``source`` says whose they are."""

    logits: torch.Tensor
    hidden: torch.Tensor | None = None
    source: ScoreSource = UNKNOWN

    @classmethod
    def joined(cls, parts: "Sequence[Scores]") -> "Scores":
        """The rows of several calls as those of one."""
        hidden = [part.hidden for part in parts if part.hidden is not None]
        return cls(torch.cat([part.logits for part in parts]), torch.cat(hidden) if hidden else None)

    def after(self, rows: int) -> "Scores":
        """Those that follow the first ``rows`` rows."""
        hidden, source = self.hidden, self.source
        source = source._replace(positions=source.positions[rows:])
        return Scores(self.logits[rows:], None if hidden is None else hidden[rows:], source)

    def check(self) -> None:
        """Raises ModelError where a row is no distribution: for rows of which nothing else is read."""
        check_numbers(self.logits.amax(-1).float().cpu().numpy(), self.source)


@dataclass(frozen=True)
class ModelShape:
    """Sizes from which costs are computed; all 0 for models that are not networks. ``weight_bytes`` are read by each
    call, the input embedding left out, of which a call reads only its tokens' rows; ``row_bytes`` are one cache row's,
    keys and values of all layers."""

    parameters: int = 0
    embedding_parameters: int = 0
    layers: int = 0
    width: int = 0
    weight_bytes: int = 0
    row_bytes: int = 0


class Session(Protocol):
    """One growing trie of cache rows; each row attends to its ancestors and itself, at the position of its depth."""

    trie: TokenTrie

    def extend(self, tokens: Sequence[int], parents: Sequence[int], *, last_only: bool = False) -> Scores:
        """Add rows and score them. ``parents`` are row numbers (-1 for a first token), each before its child.

        ``last_only`` computes the logits (and hidden state) of the last new row alone ([1, vocab_size]), for reading
        a prompt.
        """
        ...

    def keep(self, rows: Sequence[int]) -> None:
        """Drop every row but ``rows`` (ascending, closed under ancestors); survivors are renumbered in order."""
        ...


class LanguageModel(Protocol):
    """A model that can open sessions. What it says of itself is only read here: attributes do. A draft that may have
    nothing to propose, a row of minus infinities, says so by an attribute ``may_abstain`` that is true; of any other
    model such a row is an error, as NaN is."""

    @property
    def name(self) -> str:
        """What traces and errors call it."""
        ...

    @property
    def vocab_size(self) -> int:
        """How many token ids there are."""
        ...

    @property
    def context(self) -> int | None:
        """The longest sequence it can read; None: no limit."""
        ...

    @property
    def fingerprint(self) -> str:
        """Tells its weights from others."""
        ...

    @property
    def shape(self) -> ModelShape:
        """Sizes from which costs are computed."""
        ...

    @property
    def dtype(self) -> torch.dtype:
        """Of its weights. Logits are in it, or wider."""
        ...

    @property
    def device(self) -> torch.device:
        """Where its logits are."""
        ...

    def open(self, capacity: int, hidden: bool = False) -> Session:
        """A new session for up to ``capacity`` rows; ``hidden``: scores hold hidden states, if there are any."""
        ...
