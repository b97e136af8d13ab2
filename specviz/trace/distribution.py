"""One distribution from the model to the screen: what can come after a prefix, as small sorted arrays.

``Distribution`` is over tokens, ``JointDistribution`` over (prefix, token) pairs of a layer of beams. Models make them,
verifiers calculate with them, traces keep them, views draw them: always the same objects. They are never changed in
place. What a verifier derives from them (a residual, what is left without replacement) is a function below, each with
its equation.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from pydantic_core import CoreSchema, core_schema

from specviz.errors import ReplayError

STAYS = -1  # the token of a beam that has ended and stays as it is
FEWEST = 20  # likeliest tokens that a record keeps, however rare


def _by_number(kind: type) -> CoreSchema:
    """How files refer to distributions: by their number in a table (``trace/table.py``), the context of the adapter."""
    return core_schema.with_info_plain_validator_function(
        lambda number, info: info.context.find(number, kind),
        serialization=core_schema.plain_serializer_function_ser_schema(
            lambda distribution, info: info.context.number(distribution), info_arg=True
        ),
        metadata={
            "pydantic_js_functions": [
                lambda _schema, _handler: {
                    "type": "integer",
                    "minimum": 0,
                    "description": f"the number of a {kind.__name__} among the trace's distributions",
                }
            ]
        },
    )


class Tempered(NamedTuple):
    """A distribution after the temperature alone: log of the sum of exp((logit - the largest) / temperature) over the
    whole vocabulary, and the entropy in nats."""

    temperature: float
    log_total: float
    entropy: float


class Distribution:
    """A model's distribution of the token that follows one prefix.

    ``tokens`` int64 [n], ascending; ``probs`` [n] after the warp, nonnegative, summing with ``rest`` to one; ``logits``
    [n] raw, before any warp (minus infinity for a token that is listed though it is impossible). Both are float32, or
    float64 for table models. ``log_total`` is the log of the sum of exp(logits) over the *whole* vocabulary (minus
    infinity for a model with nothing to propose). The ``likeliest`` of the tokens by raw logit are the vocabulary's
    likeliest, ties with the last included; others are listed because they were drafted. ``complete``: every possible
    token is listed. ``rest`` is the warped probability of tokens that a record leaves out. ``tempered`` is what is
    known after the temperature alone. ``base`` is the distribution whose tokens and logits a derived one shares; what
    is known of all tokens is known of that.
    """

    __slots__ = (
        *("tokens", "probs", "logits", "_log_total", "likeliest", "complete", "rest", "tempered", "base"),
        "call",  # until it is recorded: the row of scores that it was made of (lm/scoring.py)
    )

    def __init__(
        self,
        tokens: np.ndarray,
        probs: np.ndarray,
        logits: np.ndarray,
        log_total: float | None,
        likeliest: int,
        complete: bool,
        *,
        rest: float = 0.0,
        tempered: Tempered | None = None,
        base: Distribution | None = None,
        call: Any = None,
    ):
        self.tokens, self.probs, self.logits, self._log_total = tokens, probs, logits, log_total
        self.likeliest, self.complete, self.rest = likeliest, complete, rest
        self.tempered, self.base, self.call = tempered, base, call

    def release(self) -> None:
        """Release the scores that it was made of; what a record keeps has been computed by then."""
        whole = self.base or self
        if whole.call is not None:
            _ = whole.log_total
            whole.call = None

    def __len__(self) -> int:
        return len(self.tokens)

    def __repr__(self) -> str:
        shown = ", ".join(f"{token}: {prob:.3g}" for token, prob in list(self.table().items())[:4])
        return f"Distribution({{{shown}{', ...' if len(self) > 4 else ''}}})"

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Distribution):
            return NotImplemented
        plain = (self.log_total, self.likeliest, self.complete, self.rest, self.tempered)
        return plain == (other.log_total, other.likeliest, other.complete, other.rest, other.tempered) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in ("tokens", "probs", "logits")
        )

    # Compared by value; identity is what a file stores once. The type of object says that everything has a hash.
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> CoreSchema:
        return _by_number(cls)

    # Reading it.

    @property
    def log_total(self) -> float:
        """The log of the sum of exp(logits) over the whole vocabulary; a pass over it when first asked for."""
        if self._log_total is None:
            self._log_total = self.call.log_total if self.base is None else self.base.log_total
        return self._log_total

    @property
    def possible(self) -> bool:
        """Whether any token is possible; a draft that copies from the context may have nothing to propose."""
        if self._log_total is None:  # scores list their likeliest
            return bool(self.logits.max(initial=-math.inf) > -math.inf)
        return self._log_total > -math.inf

    def index(self, token: int) -> int | None:
        """Where a token is listed, None where it is not."""
        place = int(self.tokens.searchsorted(token))
        return place if place < len(self.tokens) and self.tokens[place] == token else None

    def prob(self, token: int) -> float:
        """The warped probability of ``token``, 0 where it is not listed."""
        place = self.index(token)
        return 0.0 if place is None else float(self.probs[place])

    def probs_of(self, tokens: np.ndarray) -> np.ndarray:
        """The warped probabilities of ``tokens`` int64 [m], 0 where they are not listed."""
        if tokens is self.tokens:
            return self.probs
        if not len(self.tokens):
            return np.zeros(len(tokens), dtype=self.probs.dtype)
        places = np.searchsorted(self.tokens, tokens)
        places[places == len(self.tokens)] = 0
        return np.where(self.tokens[places] == tokens, self.probs[places], self.probs.dtype.type(0))

    def logit(self, token: int) -> float:
        """The raw logit of ``token``. Raises ReplayError where a record does not list it."""
        place = self.index(token)
        if place is not None:
            return float(self.logits[place])
        if self.complete:
            return -math.inf
        call = self.call if self.base is None else self.base.call
        if call is not None:
            return call.logit(token)
        raise ReplayError(f"token {token} is needed, and the record lists {len(self)} others")

    def logprob(self, token: int) -> float:
        """The raw natural log-probability of ``token``, before any warp; minus infinity where the model gives it none.
        Raises ReplayError where a record does not list it."""
        return self.logit(token) - self.log_total if self.possible else -math.inf

    @property
    def logprobs(self) -> np.ndarray:
        """Raw natural log-probabilities of ``tokens``, float64 [n]."""
        logits = self.logits.astype(np.float64)
        return logits - self.log_total if self.possible else logits

    @property
    def best(self) -> int:
        """The token with the greatest raw logit, the smallest id among equals."""
        return int(self.tokens[self.logits.argmax()])

    def ranked(self, count: int) -> np.ndarray:
        """The ``count`` likeliest possible tokens by raw logit, best first, smaller ids first among equals; fewer where
        fewer are possible. Raises ReplayError where a record lists fewer."""
        self.need(count)
        order = np.argsort(-self.logits, kind="stable")[:count]
        return self.tokens[order[self.logits[order] > -np.inf]]

    @property
    def certain(self) -> bool:
        """Whether one token has all the probability."""
        return bool(self.probs.max(initial=0.0) == 1.0)

    def need(self, count: int | None) -> None:
        """Raises ReplayError unless the ``count`` likeliest tokens are known (None: all that are possible)."""
        if self.complete or (count is not None and count <= self.likeliest):
            return
        needed = "all tokens" if count is None else f"the {count} likeliest tokens"
        raise ReplayError(f"{needed} are needed, and the record lists the {self.likeliest} likeliest")

    def at_temperature(self, temperature: float) -> tuple[np.ndarray, float]:
        """The probabilities of ``tokens`` after the temperature alone, [n], and the entropy over the whole vocabulary
        in nats. Raises ReplayError where a record does not know it at this temperature."""
        if self.base is not None:
            return self.base.at_temperature(temperature)
        if temperature == 0.0:
            self.need(1)
            return warped(self.logits[None], 0.0)[0], 0.0
        if self.tempered is None or self.tempered.temperature != temperature:
            if self.call is not None:
                self.tempered = self.call.tempered(temperature)
            elif self.complete:
                self.tempered = tempered(self.logits, temperature)
            else:
                known = f", and the entropy at temperature {self.tempered.temperature:g}" if self.tempered else ""
                raise ReplayError(
                    f"temperature={temperature:g} needs the entropy over all tokens; "
                    f"the record lists {len(self)}{known}"
                )
        best = float(self.logits.max(initial=-math.inf))
        shares = (self.logits.astype(np.float64) - best) / temperature - self.tempered.log_total
        return np.exp(shares).astype(self.probs.dtype), self.tempered.entropy

    def table(self) -> dict[int, float]:
        """Token to warped probability, most probable first."""
        order = self.order()
        return dict(zip(self.tokens[order].tolist(), self.probs[order].tolist(), strict=True))

    def raw_logprobs(self) -> dict[int, float]:
        """Token to raw log-probability, the likeliest first, impossible ones left out."""
        order = np.argsort(-self.logits, kind="stable")
        pairs = zip(self.tokens[order].tolist(), self.logprobs[order].tolist(), strict=True)
        return {token: logprob for token, logprob in pairs if logprob > -math.inf}

    def order(self) -> np.ndarray:
        """The indices of the tokens, most probable first: by warped probability, then raw logit, then id."""
        return np.lexsort((self.tokens, -self.logits, -self.probs))

    # Deriving others.

    def with_probs(self, probs: np.ndarray) -> Distribution:
        """Other probabilities [n] of the same tokens: a residual, say."""
        return Distribution(
            *(self.tokens, probs, self.logits, self._log_total, self.likeliest, self.complete), base=self.base or self
        )


def tempered(logits: np.ndarray, temperature: float) -> Tempered:
    """What is known of all possible tokens after the temperature; ``logits`` [n] are raw."""
    x = logits.astype(np.float64)
    x = (x - x.max(initial=-math.inf)) / temperature
    log_total = float(np.log(np.exp(x).sum()))
    probs = np.exp(x - log_total)
    positive = probs[probs > 0.0]
    return Tempered(temperature, log_total, max(0.0, float(-(positive * np.log(positive)).sum())))


def one_hot(distribution: Distribution, token: int) -> Distribution:
    """All probability on ``token``: a deterministic draft, q = 1, or the target at temperature 0. Of ``distribution``
    it keeps only the token's raw log-probability."""
    logprob = np.array([distribution.logprob(token)], dtype=distribution.logits.dtype)
    return Distribution(np.array([token]), np.ones(1, dtype=distribution.probs.dtype), logprob, 0.0, 0, False)


def overlap(
    target: Distribution | JointDistribution, draft: Distribution | JointDistribution, rho: float = 1.0
) -> float:
    """sum min(p / rho, q), 0 to 1, of two distributions over tokens or two over pairs: the probability that what this
    draft proposes is accepted (speculative-decoding.txt, Corollary 3.6; with K-SEQ's discount ``rho`` it is beta)."""
    if isinstance(target, JointDistribution) or isinstance(draft, JointDistribution):
        assert isinstance(target, JointDistribution) and isinstance(draft, JointDistribution)
        shared = draft.probs_of(target)
    else:
        shared = draft.probs_of(target.tokens)
    return float(np.minimum(target.probs / rho, shared).sum(dtype=np.float64))


def total_variation(one: Mapping[Any, float], other: Mapping[Any, float]) -> float:
    """The distance of two distributions: half the sum of absolute differences of their probabilities, 0 to 1. It is the
    most by which they can differ on any set of outcomes; an outcome that is missing has probability 0.

    >>> import specviz
    >>> specviz.total_variation({(0,): 0.5, (1,): 0.5}, {(0,): 0.75, (2,): 0.25})
    0.5
    """
    return sum(abs(one.get(key, 0.0) - other.get(key, 0.0)) for key in one.keys() | other.keys()) / 2


def residual(target: Distribution, draft: Distribution, weight: float = 1.0) -> Distribution:
    """norm((weight p - q)+), from which a rejected token is replaced; p itself when nothing is left of it
    (speculative-decoding.txt, section 2.3, with ``weight`` 1; block verification with w_i)."""
    excess = np.maximum(weight * target.probs - draft.probs_of(target.tokens), 0.0).astype(target.probs.dtype)
    return normalised(target, excess)


def normalised(distribution: Distribution, weights: np.ndarray) -> Distribution:
    """norm(weights) over the tokens of ``distribution``; ``distribution`` itself where the weights [n] are all zero."""
    total = weights.sum()
    return distribution.with_probs(weights / total) if total > 0.0 else distribution


def without(distribution: Distribution, token: int) -> Distribution:
    """norm(q with q[token] = 0): what is left when ``token`` was drawn without replacement; all zeros at the end."""
    probs = np.where(distribution.tokens == token, distribution.probs.dtype.type(0), distribution.probs)
    return distribution.with_probs(probs / max(probs.sum(), np.finfo(probs.dtype).tiny))


def warped(logits: np.ndarray, temperature: float, top_k: int | None = None, top_p: float | None = None) -> np.ndarray:
    """The warp T of rows of raw logits [n, m]: temperature, then top-k, then top-p, then renormalise; probabilities
    [n, m] of the same type. Ties with the last token inside a cut stay inside; at temperature 0 the first of the most
    probable has all. A row without any finite logit becomes zeros. (``lm/warp.py`` does the same to whole rows of a
    vocabulary, on the model's device.)"""
    if not logits.size:
        return np.zeros_like(logits)
    best = logits.max(axis=-1, keepdims=True)
    possible = best > -np.inf
    if temperature == 0.0:
        first = np.arange(logits.shape[-1]) == logits.argmax(axis=-1)[:, None]
        return (first & possible).astype(logits.dtype)
    x, best = logits.astype(np.float64), np.where(possible, best, 0.0).astype(np.float64)
    if temperature != 1.0:
        with np.errstate(over="ignore"):
            x = ((x - best) / temperature).astype(logits.dtype).astype(np.float64)  # as many digits as the model has
        best = 0.0
    if top_k is not None and top_k < x.shape[-1]:
        x = np.where(x >= -np.partition(-x, top_k - 1, axis=-1)[:, top_k - 1 : top_k], x, -np.inf)
    probs = np.exp(x - best)
    probs /= np.maximum(probs.sum(axis=-1, keepdims=True), 1e-300)
    return _nucleus(probs, top_p).astype(logits.dtype)


def warped_ranked(logits: np.ndarray, temperature: float, top_k: int | None, top_p: float | None) -> np.ndarray:
    """The same of rows that descend [n, m], at a temperature above 0: nothing has to be sorted. Rows without any finite
    logit are not asked for."""
    best = logits[:, :1].astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        x = logits - best if temperature == 1.0 else ((logits - best) / temperature).astype(logits.dtype)
        probs = np.exp(x, dtype=np.float64)
    if top_k is not None and top_k < x.shape[-1]:
        probs[x < x[:, top_k - 1 : top_k]] = 0.0
    probs /= probs.sum(axis=-1, keepdims=True)
    if top_p not in (None, 1.0):
        inside = (probs.cumsum(axis=-1) - probs < top_p).sum(axis=-1, keepdims=True)
        probs[probs < probs[np.arange(len(probs))[:, None], inside - 1]] = 0.0
        probs /= probs.sum(axis=-1, keepdims=True)
    return probs.astype(logits.dtype)


def _nucleus(probs: np.ndarray, top_p: float | None) -> np.ndarray:
    """Of rows [n, m] keep the tokens before which less than ``top_p`` of the probability lies, and renormalise."""
    if top_p in (None, 1.0):
        return probs
    ordered = -np.sort(-probs, axis=-1)
    inside = (np.cumsum(ordered, axis=-1) - ordered < top_p).sum(axis=-1, keepdims=True)
    last = ordered[np.arange(len(probs))[:, None], np.maximum(inside, 1) - 1]
    nucleus = np.where(probs >= last, probs, 0.0)
    return nucleus / np.maximum(nucleus.sum(axis=-1, keepdims=True), 1e-300)


def warped_anew(
    distribution: Distribution, temperature: float, top_k: int | None = None, top_p: float | None = None
) -> Distribution:
    """The same raw logits under another warp. Raises ReplayError where a record does not list enough of the tokens."""
    if temperature == 0.0:
        distribution.need(1)
    elif top_k is not None:
        distribution.need(top_k)
    elif not distribution.complete:
        return distribution.with_probs(_nucleus_of_part(distribution, temperature, top_p))
    return distribution.with_probs(warped(distribution.logits[None], temperature, top_k, top_p)[0])


def _nucleus_of_part(distribution: Distribution, temperature: float, top_p: float | None) -> np.ndarray:
    """Without top-k the whole vocabulary is needed, unless top-p cuts inside what is listed."""
    total = None
    if distribution.tempered is not None and distribution.tempered.temperature == temperature:
        total = distribution.tempered.log_total
    elif temperature == 1.0:
        total = distribution.log_total - float(distribution.logits.max(initial=-math.inf))
    if total is not None and distribution.likeliest and top_p not in (None, 1.0):
        shares = np.exp(
            (distribution.logits.astype(np.float64) - float(distribution.logits.max())) / temperature - total
        )
        likeliest = np.sort(shares)[::-1][: distribution.likeliest]
        if float(likeliest.sum()) >= top_p:
            return _nucleus(np.where(shares >= likeliest[-1], shares, 0.0)[None], top_p)[0].astype(
                distribution.probs.dtype
            )
    at_most = f": top_k can be {distribution.likeliest} at most" if distribution.likeliest else ""
    raise ReplayError(f"without top_k all tokens are needed, and the record lists {len(distribution)}{at_most}")


class JointDistribution:
    """A distribution over (prefix, next token) pairs of a layer of beams (dsbd.txt, Eq. 1), flat arrays [n].

    ``prefixes`` say which beam a pair extends: a node, or -1 - i for input beam i; ``tokens`` what extends it (-1: a
    beam that has ended stays as it is). ``probs`` float64, after the one warp of the joint, sum with ``rest`` to one;
    ``logprobs`` are the raw joint log-probabilities of the longer beam's output. ``rest`` is the probability of pairs
    that a record leaves out; ``base`` the one whose pairs a derived one shares.
    """

    __slots__ = ("base", "logprobs", "prefixes", "probs", "rest", "tokens")

    def __init__(
        self,
        prefixes: np.ndarray,
        tokens: np.ndarray,
        probs: np.ndarray,
        logprobs: np.ndarray,
        rest: float = 0.0,
        base: JointDistribution | None = None,
    ):
        self.prefixes, self.tokens, self.probs, self.logprobs = prefixes, tokens, probs, logprobs
        self.rest, self.base = rest, base

    def __len__(self) -> int:
        return len(self.tokens)

    def __repr__(self) -> str:
        shown = ", ".join(f"{pair}: {prob:.3g}" for pair, prob in list(self.table().items())[:4])
        return f"JointDistribution({{{shown}{', ...' if len(self) > 4 else ''}}})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointDistribution):
            return NotImplemented
        return self.rest == other.rest and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("prefixes", "tokens", "probs", "logprobs")
        )

    __hash__ = None  # pyright: ignore[reportAssignmentType] (as of Distribution)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> CoreSchema:
        return _by_number(cls)

    def with_probs(self, probs: np.ndarray) -> JointDistribution:
        """Other probabilities [n] of the same pairs."""
        return JointDistribution(self.prefixes, self.tokens, probs, self.logprobs, base=self.base or self)

    def prob(self, prefix: int, token: int) -> float:
        """The probability of one pair, 0 where it is not listed."""
        return float(self.probs[(self.prefixes == prefix) & (self.tokens == token)].sum())

    def of_prefix(self, prefix: int) -> float:
        """The probability that the beam at ``prefix`` is extended."""
        return float(self.probs[self.prefixes == prefix].sum())

    def keys(self) -> np.ndarray:
        """One whole number for each pair, int64 [n]."""
        return self.prefixes.astype(np.int64) * 2**32 + self.tokens

    def probs_of(self, pairs: JointDistribution) -> np.ndarray:
        """The probability of each of the pairs [m] of another, 0 where it is not listed."""
        if not len(self):
            return np.zeros(len(pairs))
        own, wanted = self.keys(), pairs.keys()
        order = own.argsort()
        places = order[own.searchsorted(wanted, sorter=order).clip(max=len(own) - 1)]
        return np.where(own[places] == wanted, self.probs[places], 0.0)

    def order(self) -> np.ndarray:
        """The indices of the pairs, most probable first, then earlier beams, then smaller tokens."""
        return np.lexsort((self.tokens, np.abs(self.prefixes), self.prefixes >= 0, -self.probs))

    def table(self) -> dict[tuple[int, int], float]:
        """(prefix, token) to probability, most probable first."""
        order = self.order()
        pairs = zip(self.prefixes[order].tolist(), self.tokens[order].tolist(), strict=True)
        return dict(zip(pairs, self.probs[order].tolist(), strict=True))


def restricted(joint: JointDistribution, prefixes: Collection[int]) -> JointDistribution:
    """q(pair | the beam extended is one of ``prefixes``): renormalised, nothing is warped again."""
    inside = np.array([prefix in prefixes for prefix in joint.prefixes.tolist()])
    probs = np.where(inside, joint.probs, 0.0)
    return joint.with_probs(probs / probs.sum())


def joint_residual(target: JointDistribution, draft_probs: np.ndarray) -> JointDistribution:
    """norm((p' - q)+) over the pairs of ``target``, with ``draft_probs`` [n] q at those pairs; p' itself when nothing
    is left of it."""
    excess = np.maximum(target.probs - draft_probs, 0.0)
    return target.with_probs(excess / excess.sum()) if excess.any() else target


def conditional(joint: JointDistribution, prefix: int, distribution: Distribution) -> Distribution:
    """The distribution of the next token of the beam at ``prefix``, whose own is ``distribution``."""
    here = joint.prefixes == prefix
    order = np.argsort(joint.tokens[here])
    tokens, probs = joint.tokens[here][order], joint.probs[here][order]
    full = np.zeros(len(distribution))
    full[np.searchsorted(distribution.tokens, tokens)] = probs / probs.sum()
    return distribution.with_probs(full)


def listed(distribution: Distribution, entries: int, smallest: float, required: Sequence[int]) -> Distribution:
    """What a record keeps of a distribution over more than ``entries`` possible tokens: of its likeliest those of
    probability ``smallest`` or more (by the model or after the warp), and the ``required`` ones; the rest summed."""
    least = np.float64(distribution.log_total + math.log(smallest))
    probable = int((distribution.logits >= least).sum()) if distribution.possible else 0
    raw = largest(distribution.logits, max(min(probable, entries), FEWEST) + 1)
    count = max(probable, min(FEWEST, len(distribution)))
    if count <= entries:
        count = int(
            (distribution.logits >= distribution.logits[raw[count - 1]]).sum()
        )  # with all that equal the last of them
    common = raw[: min(count, entries)]
    likeliest = count if count <= entries else int((distribution.logits > distribution.logits[raw[entries]]).sum())
    warped = np.flatnonzero(distribution.probs >= smallest)
    if len(warped) > entries:
        warped = warped[largest(distribution.probs[warped], entries)[:entries]]
    must = [index for index in map(distribution.index, required) if index is not None]
    indices = np.unique(np.concatenate([common, warped, np.array(must, dtype=np.intp)]))
    left_out = distribution.probs.astype(np.float64)
    left_out[indices] = 0.0
    return Distribution(
        *(
            distribution.tokens[indices],
            distribution.probs[indices],
            distribution.logits[indices],
            distribution.log_total,
            likeliest,
            False,
        ),
        rest=float(left_out.sum()),
        tempered=distribution.tempered,
    )


def largest(values: np.ndarray, count: int) -> np.ndarray:
    """The indices of the ``count`` largest of ``values`` [n] and of all that equal the last of them, the largest first,
    equal ones in their order. Nothing else is sorted."""
    if count >= len(values):
        return np.argsort(-values, kind="stable")
    least = np.partition(values, len(values) - count)[len(values) - count]
    indices = np.flatnonzero(values >= least)
    return indices[np.argsort(-values[indices], kind="stable")]


def listed_joint(joint: JointDistribution, entries: int) -> JointDistribution:
    """What a record keeps of a joint distribution of more than ``entries`` pairs: the likeliest, the rest summed."""
    indices = np.sort(joint.order()[:entries])
    rest = float(np.delete(joint.probs, indices).sum())
    return JointDistribution(
        joint.prefixes[indices], joint.tokens[indices], joint.probs[indices], joint.logprobs[indices], rest
    )
