"""Live laws read from a record: as exact as the record is, and an error that says what is missing where it is not."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from specviz.drafting.forest import Law
from specviz.errors import ReplayError
from specviz.lm.warp import Warp
from specviz.trace.laws import UnwarpedLaw


@dataclass(frozen=True, eq=False)
class Listing:
    """What a record knows of one model's law at one place; ``name`` says which, for messages.

    ``tokens`` [n] and their ``logits`` [n], of which the ``likeliest`` are the law's likeliest (``size``, that of the
    vocabulary: all that are possible are there); ``log_total`` is the log of the sum of exp over the whole vocabulary.
    ``exact``: the logits are the model's own, to the last digit of ``dtype``. ``softened`` are a temperature, the log
    of the sum of exp((logit - ``best``) / temperature) and the entropy there. ``probs`` [n] are the recorded ones,
    where all of the warped law was recorded.
    """

    name: str
    tokens: np.ndarray
    logits: np.ndarray
    log_total: float
    likeliest: int
    size: int
    dtype: torch.dtype
    exact: bool = True
    softened: tuple[float, float, float] | None = None
    probs: np.ndarray | None = None

    @property
    def best(self) -> float:
        """The largest logit."""
        return float(self.logits.max(initial=-math.inf))

    @property
    def whole(self) -> bool:
        return self.likeliest >= self.size

    def row(self, values: np.ndarray, filler: float, dtype: torch.dtype | None = None) -> torch.Tensor:
        """``values`` [n] at their tokens, [size]; ``filler`` elsewhere."""
        row = torch.full((self.size,), filler, dtype=dtype or self.dtype)
        row[torch.from_numpy(self.tokens)] = torch.from_numpy(values).to(row.dtype)
        return row

    def warped(self, warp: Warp) -> np.ndarray:
        """The law after ``warp`` [size]. Raises ReplayError where the record does not list enough of it."""
        cut = warp.greedy or (warp.top_k is not None and warp.top_k <= self.likeliest)
        filler = -math.inf if cut or self.whole else self._share_of_the_rest(warp)
        logits = self.row(self.logits, filler, None if self.exact else torch.float64)
        return warp(logits[None])[0].to(self.dtype).numpy()

    def _share_of_the_rest(self, warp: Warp) -> float:
        """The logit of what is not listed, as if all of it were alike: right where the warp leaves no such token."""
        if warp.top_k is not None:
            raise ReplayError(
                f"top_k={warp.top_k} needs the {warp.top_k} likeliest tokens of {self.name}; the record lists "
                f"{self.likeliest}"
            )
        total = self._total_at(warp.temperature)
        if total is not None and warp.top_p not in (None, 1.0):
            shares = self._shares(warp.temperature, total)
            rest, others = 1.0 - float(shares.sum()), self.size - len(self.tokens)
            if float(np.sort(shares)[::-1][: self.likeliest].sum()) >= warp.top_p and others:
                return self.best + warp.temperature * (math.log(max(rest, 1e-300) / others) + total)
        raise ReplayError(
            f"without top_k all of {self.name} is needed; the record lists {len(self.tokens)} of {self.size} tokens"
            + (f": top_k can be {self.likeliest} at most" if self.likeliest else "")
        )

    def _total_at(self, temperature: float) -> float | None:
        """log of the sum of exp((logit - best) / temperature) over the vocabulary, None where it is not known."""
        if self.softened is not None and self.softened[0] == temperature:
            return self.softened[1]
        return self.log_total - self.best if temperature == 1.0 else None

    def _shares(self, temperature: float, total: float) -> np.ndarray:
        return np.exp((self.logits - self.best) / temperature - total)

    def after_temperature(self, temperature: float) -> tuple[np.ndarray, float]:
        """The law after the temperature alone [size], 0 where the record does not know it, and its entropy in nats.
        Raises ReplayError where the entropy cannot be known."""
        if self.softened is None or self.softened[0] != temperature:
            raise ReplayError(
                f"temperature={temperature:g} needs the entropy of all of {self.name}; the record lists "
                f"{len(self.tokens)} of {self.size} tokens"
                + (f", and the entropy at temperature {self.softened[0]:g}" if self.softened else "")
            )
        _, total, entropy = self.softened
        return self.row(self._shares(temperature, total), 0.0).numpy(), entropy


class RecordedLaw(Law):
    """A law from a record, under ``warp`` (``as_recorded``: the record's own, so that recorded probabilities stand), or
    with ``probs`` [size] of its own. What the record lacks is asked for in vain: ReplayError."""

    __slots__ = ("_as_recorded", "_given", "_known", "_logits", "listing", "warp")

    def __init__(self, listing: Listing, warp: Warp, as_recorded: bool = False, probs: np.ndarray | None = None):
        self.listing, self.warp, self._as_recorded, self._given = listing, warp, as_recorded, probs
        self._logits: torch.Tensor | None = None
        order = np.argsort(-listing.logits, kind="stable")
        self._known = dict(zip(listing.tokens[order].tolist(), listing.logits[order].tolist(), strict=True))

    @property
    def known(self) -> tuple[int, ...]:
        """The listed tokens, likeliest first."""
        return tuple(self._known)

    @property
    def probs(self) -> np.ndarray:
        if self._given is None:
            listing = self.listing
            shown = listing.probs if self._as_recorded else None
            self._given = listing.warped(self.warp) if shown is None else listing.row(shown, 0.0).numpy()
        return self._given

    @property
    def logits(self) -> torch.Tensor:
        """Minus infinity for tokens that are not listed."""
        if self._logits is None:
            self._logits = self.listing.row(self.listing.logits, -math.inf)
        return self._logits

    @property
    def log_total(self) -> float:
        return self.listing.log_total

    def logprob(self, token: int) -> float:
        if token not in self._known and not self.listing.whole:
            raise ReplayError(f"token {token} is needed of {self.listing.name}, and the record does not list it")
        return self._known.get(token, -math.inf) - self.log_total

    def logprobs_of(self, tokens: Sequence[int]) -> list[float]:
        return [self.logprob(token) for token in tokens]

    def logprobs(self, likeliest: int | None = None) -> np.ndarray:
        listing = self.listing
        if not listing.whole and (likeliest is None or likeliest > listing.likeliest):
            needed = "all tokens" if likeliest is None else f"the {likeliest} likeliest tokens"
            raise ReplayError(f"{needed} of {listing.name} are needed; the record lists {listing.likeliest}")
        return super().logprobs()

    def softened(self, temperature: float) -> tuple[np.ndarray, float]:
        whole = self.listing.whole or temperature == 0.0
        return super().softened(temperature) if whole else self.listing.after_temperature(temperature)

    def with_probs(self, probs: np.ndarray) -> "RecordedLaw":
        return RecordedLaw(self.listing, self.warp, probs=probs)


def listing_of(
    law: UnwarpedLaw, name: str, size: int, dtype: torch.dtype, softened: tuple[float, float, float] | None = None
) -> Listing:
    """What an unwarped law of a trace knows; ``softened`` as in ``Listing``."""

    def number(value: float | None) -> float:  # the model's own, of which the file has the shortest form
        if value is None:
            return -math.inf
        with np.errstate(over="ignore"):
            return float(np.float32(value)) if dtype == torch.float32 else value

    tokens = np.array(law.tokens, dtype=np.int64)
    logits = np.array([number(value) for value in law.logits], dtype=np.float64)
    likeliest = size if law.likeliest >= size else min(law.likeliest, len(tokens))
    return Listing(name, tokens, logits, number(law.log_total), likeliest, size, dtype, True, softened)


def known_token(token: int, logprob: float | None, size: int, name: str = "a law", dtype=torch.float32) -> RecordedLaw:
    """A law of which one token's unwarped log-probability is known, and that it stood for certain."""
    known = np.array([-math.inf if logprob is None else logprob])
    tokens, certain = np.array([token], dtype=np.int64), np.array([1.0])
    return RecordedLaw(Listing(name, tokens, known, 0.0, 0, size, dtype, False, None, certain), Warp(), True)
