"""From the scores of one call to distributions: all rows at once, on the model's device.

With top-k a distribution is the few dozen likeliest tokens and what was drafted; only they leave the device. Without,
it has the whole vocabulary.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import torch

from specviz.lm.language_model import Scores
from specviz.lm.source import check_numbers
from specviz.lm.transfer import on_host, sent
from specviz.lm.warp import Warp
from specviz.trace.distribution import Distribution, Tempered, warped, warped_ranked

MOST_LISTED = 256  # likeliest tokens that a record keeps of a distribution, at most
SPARE = 8  # tokens more than are listed, among which those are that equal the last one


def listed_entries(vocab_size: int, top_k: int | None) -> int:
    """How many of the likeliest tokens a record keeps of every distribution."""
    return min(top_k or vocab_size, vocab_size, MOST_LISTED)


def distributions(
    scores: Scores, warp: Warp, *, entries: int | None = None, include: Mapping[int, Sequence[int]] | None = None
) -> list[Distribution]:
    """One distribution for each scored row.

    The ``entries`` likeliest tokens are listed whatever their probability (default: the top-k, or 256), with all that
    tie with the last of them, and of row i the tokens ``include[i]``. All tokens are, where there is no top-k. Raises
    ModelError for a row that is no distribution: NaN, infinity, or minus infinity alone from a model that may not have
    nothing to propose.
    """
    call = _CallScores(scores)
    vocab_size = call.logits.shape[-1]
    entries = max(entries or warp.top_k or MOST_LISTED, warp.top_k or 1)
    if entries >= vocab_size or (warp.top_k is None and not warp.greedy):
        return _whole(call, warp)
    rows = _ranked(call, *call.ranked(min(entries + SPARE, vocab_size)), warp, entries)
    missing = {row: _missing(rows[row], more) for row, more in (include or {}).items()}
    for row, logits in call.among({row: tokens for row, tokens in missing.items() if tokens}).items():
        rows[row] = _including(rows[row], missing[row], logits)
    return rows


class _CallScores:
    """The rows that one call scored, ``logits`` [n, vocab_size] on the model's device: what is seldom asked for is
    computed when it is, for all rows together."""

    def __init__(self, scores: Scores):
        self.logits = scores.logits if scores.logits.dtype == torch.float64 else scores.logits.float()
        self._source = scores.source
        self._tempered: dict[float, list[Tempered]] = {}

    def ranked(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The ``count`` largest logits of every row and their tokens, [n, count] each, the largest first. Raises
        ModelError where they are no numbers."""
        wanted = [*self.logits.topk(count, dim=-1)]
        if self.logits.is_cuda:  # they will be asked for, and are at hand then
            wanted.append(self.logits.logsumexp(-1))
        values, tokens, *totals = on_host(*wanted)
        if totals:
            self.log_totals = totals[0].tolist()
        check_numbers(values[:, 0], self._source)
        return values, tokens

    def whole(self) -> np.ndarray:
        """All logits, [n, vocab_size]. Raises ModelError where they are no numbers."""
        logits = self.logits.cpu().numpy()
        check_numbers(logits.max(axis=-1), self._source)
        return logits

    def among(self, tokens: Mapping[int, Sequence[int]]) -> dict[int, np.ndarray]:
        """The logits of some tokens of some rows, by row."""
        if not tokens:
            return {}
        counts = [len(several) for several in tokens.values()]
        flat = [token for several in tokens.values() for token in several]
        rows, columns = sent(np.array([np.repeat([*tokens], counts), flat]), self.logits.device)
        (logits,) = on_host(self.logits[rows, columns])
        return dict(zip(tokens, np.split(logits, np.cumsum(counts)[:-1]), strict=True))

    @cached_property
    def log_totals(self) -> list[float]:
        """The log of the sum of exp(logits) of every row."""
        if self.logits.device.type != "cpu":
            return self.logits.logsumexp(-1).tolist()
        logits = self.logits.numpy()  # a fifth of the time that torch takes
        best = logits.max(axis=-1, keepdims=True)
        with np.errstate(divide="ignore"):
            sums = np.exp(logits - np.where(best > -np.inf, best, 0)).sum(axis=-1, dtype=np.float64)
            return (np.log(sums) + best[:, 0]).astype(logits.dtype).tolist()

    def tempered(self, temperature: float) -> list[Tempered]:
        """What is known of every row after the temperature alone."""
        if temperature not in self._tempered:
            temper = _tempered_on_host if self.logits.device.type == "cpu" else _tempered
            entropies, totals = temper(self.logits, temperature)
            if self.logits.dtype != torch.float64:  # no digits that float32 does not have
                entropies, totals = entropies.round(8), totals.round(8)
            rows = zip(totals.tolist(), entropies.tolist(), strict=True)
            self._tempered[temperature] = [Tempered(temperature, *row) for row in rows]
        return self._tempered[temperature]


def _tempered(logits: torch.Tensor, temperature: float) -> tuple[np.ndarray, np.ndarray]:
    """Entropies and log totals after the temperature, of rows [n, vocab_size]."""
    entropies = torch.special.entr(Warp(temperature)(logits).double()).sum(-1).clamp_min(0.0)
    totals = ((logits - logits.amax(-1, keepdim=True)).double() / temperature).logsumexp(-1)
    entropies, totals = on_host(entropies, totals)
    return entropies, totals


def _tempered_on_host(logits: torch.Tensor, temperature: float) -> tuple[np.ndarray, np.ndarray]:
    """The same in few passes over each row: with x the logit over the temperature, and Z the sum of exp(x), the entropy
    is log Z less the mean of x."""
    values = logits.numpy()
    best = values.max(axis=-1, keepdims=True)
    best[best == -np.inf] = 0.0
    x = values - best
    if temperature != 1.0:  # in double, so that no temperature is too small
        with np.errstate(over="ignore"):
            x = (x.astype(np.float64) / temperature).astype(values.dtype)
    np.maximum(x, -1e30, out=x)  # 0 times it is 0
    weights = np.exp(x)
    sums = weights.sum(axis=-1, dtype=np.float64)
    np.multiply(weights, x, out=x)
    with np.errstate(divide="ignore", invalid="ignore"):
        totals = np.log(sums)
        entropies = totals - x.sum(axis=-1, dtype=np.float64) / sums
    return np.maximum(np.nan_to_num(entropies, posinf=0.0, neginf=0.0), 0.0), totals


class CallRow:
    """The row of scores that a distribution was made of."""

    __slots__ = ("_call", "_row")

    def __init__(self, call: _CallScores, row: int):
        self._call, self._row = call, row

    @property
    def log_total(self) -> float:
        """The log of the sum of exp(logits) over the vocabulary."""
        return self._call.log_totals[self._row]

    def logit(self, token: int) -> float:
        """The raw logit of any token."""
        return float(self._call.logits[self._row, token])

    def tempered(self, temperature: float) -> Tempered:
        """What is known after the temperature alone."""
        return self._call.tempered(temperature)[self._row]


def _whole(call: _CallScores, warp: Warp) -> list[Distribution]:
    logits, probs, tokens = call.whole(), warp(call.logits).cpu().numpy(), np.arange(call.logits.shape[-1])
    return [
        Distribution(tokens, probs[row], logits[row], None, len(tokens), True, call=CallRow(call, row))
        for row in range(len(logits))
    ]


def _ranked(call: _CallScores, values: np.ndarray, tokens: np.ndarray, warp: Warp, entries: int) -> list[Distribution]:
    """Distributions over the first ``entries`` of the ranked tokens [n, entries + SPARE], whose logits descend, and
    over those that equal the last of them; all after the warp that equal the last inside top-k are listed, too."""
    cut = warp.top_k if warp.top_k and not warp.greedy else entries
    rounded = _rounded(values, warp)
    listed = (values >= values[:, entries - 1 : entries]) | (rounded >= rounded[:, cut - 1 : cut])
    order, each = np.where(listed, tokens, call.logits.shape[-1]).argsort(axis=-1), np.arange(len(values))[:, None]
    logits, tokens = values[each, order], tokens[each, order]
    if warp.greedy:
        probs = warped(logits, 0.0)
    else:
        probs = warped_ranked(values, warp.temperature, warp.top_k, warp.top_p)[each, order]
    rows = []
    for row, count in enumerate(listed.sum(axis=-1).tolist()):
        if count == values.shape[-1]:  # more equals than were ranked, or fewer possible tokens
            rows.append(_with_ties(call, row, warp, entries))
            continue
        own, complete = (row, slice(count)), bool(values[row, count] == -np.inf)
        rows.append(Distribution(tokens[own], probs[own], logits[own], None, count, complete, call=CallRow(call, row)))
    return rows


def _rounded(values: np.ndarray, warp: Warp) -> np.ndarray:
    """Ranked logits after the temperature, with as many digits as the model has: equals may come of it."""
    if warp.greedy or warp.temperature == 1.0:
        return values
    with np.errstate(invalid="ignore", over="ignore"):
        return ((values.astype(np.float64) - values[:, :1]) / warp.temperature).astype(values.dtype)


def _with_ties(call: _CallScores, row: int, warp: Warp, entries: int) -> Distribution:
    """A row in which tokens after the cut equal the last one inside, or are impossible."""
    logits = call.logits[row]
    x, possible = warp.tempered(logits), logits > float("-inf")
    cut = entries if warp.greedy or warp.top_k is None else max(entries, warp.top_k)
    listed = torch.nonzero(possible & (x >= x.topk(cut).values[-1])).flatten()
    own, settings = logits[listed].cpu().numpy(), (warp.temperature, warp.top_k, warp.top_p)
    probs = warped(own[None], *settings)[0] if len(own) else own
    complete = len(listed) == int(possible.sum())
    return Distribution(*(listed.cpu().numpy(), probs, own, None, len(own)), complete, call=CallRow(call, row))


def _missing(distribution: Distribution, more: Sequence[int]) -> list[int]:
    """Those of ``more`` that are not listed."""
    return [token for token in dict.fromkeys(more) if distribution.index(token) is None]


def _including(distribution: Distribution, missing: Sequence[int], more: np.ndarray) -> Distribution:
    """With the ``missing`` tokens listed, whose logits are ``more``; the warp left them no probability."""
    tokens = np.concatenate([distribution.tokens, missing])
    logits = np.concatenate([distribution.logits, more])
    probs = np.concatenate([distribution.probs, np.zeros(len(missing), dtype=distribution.probs.dtype)])
    order = np.argsort(tokens)
    return Distribution(
        *(tokens[order], probs[order], logits[order], None, distribution.likeliest, distribution.complete),
        call=distribution.call,
    )
