"""What a trace keeps of both models so that a step can be judged differently: their laws before any warp."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

Drawing = Literal["independent", "distinct", "certain", "search"]


class UnwarpedLaw(NamedTuple):
    """A model's law of the token after one place before any warp: one row of a ``LawTable``.

    ``after`` is a node, or -1 - i for input beam i; of equal texts the first. ``logits`` are the model's own numbers
    for ``tokens`` (None for minus infinity); less ``log_total``, the log of the sum of their exponentials over the
    whole vocabulary, they are log-probabilities. The ``likeliest`` tokens come first, best first: what is left out is
    less likely than all of them (the vocabulary's size: what is left out is impossible). Drafted tokens that are rarer
    follow.

    Of the target, at the run's temperature (None at 0): ``entropy`` is that after the temperature alone, in nats,
    ``soft_total`` the log of the sum of exp((logit - the largest) / temperature). Of a draft: ``draft`` numbers the
    model; where layers of beams are drawn, ``logprob`` is its unwarped joint log-probability of the beam that ends
    there (None for minus infinity).
    """

    after: int
    tokens: tuple[int, ...]
    logits: tuple[float | None, ...]
    log_total: float
    likeliest: int
    entropy: float | None = None
    soft_total: float | None = None
    draft: int = 0
    logprob: float | None = None


@dataclass(frozen=True)
class LawTable:
    """Unwarped laws, column by column; ``rows`` has them one by one. A column that has no meaning is empty, and so is
    ``drafts`` where there is one draft model."""

    after: tuple[int, ...] = ()
    tokens: tuple[tuple[int, ...], ...] = ()
    logits: tuple[tuple[float | None, ...], ...] = ()
    log_totals: tuple[float, ...] = ()
    likeliest: tuple[int, ...] = ()
    entropies: tuple[float, ...] = ()
    soft_totals: tuple[float, ...] = ()
    drafts: tuple[int, ...] = ()
    logprobs: tuple[float | None, ...] = ()

    @classmethod
    def of(cls, rows: Iterable[UnwarpedLaw]) -> LawTable:
        """The table of such rows."""
        rows = tuple(rows)
        entropies = tuple(row.entropy for row in rows if row.entropy is not None)
        totals = tuple(row.soft_total for row in rows if row.soft_total is not None)
        columns = (tuple(getattr(row, name) for row in rows) for name in UnwarpedLaw._fields[:5])
        drafts = tuple(row.draft for row in rows)
        logprobs = tuple(row.logprob for row in rows)
        beams = any(logprob is not None for logprob in logprobs)
        return cls(*columns, entropies, totals, drafts if any(drafts) else (), logprobs if beams else ())

    @property
    def rows(self) -> tuple[UnwarpedLaw, ...]:
        """The laws, one by one."""
        count = len(self.after)
        entropies, totals = self.entropies or (None,) * count, self.soft_totals or (None,) * count
        drafts = self.drafts or (0,) * count
        plain = (self.after, self.tokens, self.logits, self.log_totals, self.likeliest)
        return tuple(
            UnwarpedLaw(*row)
            for row in zip(*plain, entropies, totals, drafts, self.logprobs or (None,) * count, strict=True)
        )
