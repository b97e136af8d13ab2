"""The distributions of a trace file: each stands once, under ``distributions``, and is referred to by its number.

An entry is one of

    {"tokens": [...], "logits": [...], "log_total": ..., ...}                   a distribution, most probable first
    {"token": 5, "logprob": -1.2}                                               all probability on one token
    {"prefixes": [...], "tokens": [...], "probs": [...], "logprobs": [...]}     a joint distribution over beams
    {"of": 3, "probs": [...]}                                                   other probabilities of the same tokens

Where there are no ``probs`` they follow from the logits: by the warp of the file's options, with ``"greedy": true`` by
temperature 0. Probabilities that are missing at the end are zero (of a derived one all may be: nothing was left), null
is minus infinity. Numbers of float32 models have as many digits as tell them apart; ``"double": true`` marks float64.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

import numpy as np
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from pydantic_core import to_json

from specviz.errors import ReplayError, TraceError
from specviz.trace.distribution import STAYS, Distribution, JointDistribution, Tempered, warped_anew

SUM_TOLERANCE = 1e-3
"""How far probabilities, the rest included, may sum from one: room for float32 models and rounded files."""
LONGEST = 300
"""Characters of a refusal: a file may hold numbers and names of any length."""
STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="constants")

Numbers = tuple[float | None, ...]
Settings = tuple[float, int | None, float | None]
GREEDY: Settings = (0.0, None, None)


@with_config(STRICT)
@dataclass(frozen=True)
class _Plain:
    tokens: tuple[int, ...]
    logits: Numbers
    log_total: float | None
    probs: tuple[float, ...] | None = None
    greedy: bool = False
    likeliest: int | None = None
    complete: bool = False
    rest: float = 0.0
    tempered: tuple[float, float, float] | None = None
    double: bool = False


@with_config(STRICT)
@dataclass(frozen=True)
class _OneHot:
    token: int
    logprob: float | None
    double: bool = False


@with_config(STRICT)
@dataclass(frozen=True)
class _Joint:
    prefixes: tuple[int, ...]
    tokens: tuple[int, ...]
    probs: tuple[float, ...]
    logprobs: Numbers
    rest: float = 0.0


@with_config(STRICT)
@dataclass(frozen=True)
class _Derived:
    of: int
    probs: tuple[float, ...]
    double: bool = False


_KINDS = {"of": TypeAdapter(_Derived), "prefixes": TypeAdapter(_Joint), "token": TypeAdapter(_OneHot)}
_PLAIN = TypeAdapter(_Plain)
Either = Distribution | JointDistribution


class TableWriter:
    """Numbers distributions in the order in which they are first referred to; ``entries`` are theirs. Equal ones share
    a number. ``warp`` is temperature, top-k and top-p of the run (None: its options say none)."""

    def __init__(self, warp: Settings | None) -> None:
        self._warp = warp
        self.entries: list[dict[str, Any]] = []
        self._numbers: dict[int, int] = {}
        self._written: dict[bytes, int] = {}
        self._alive: list[Either] = []  # so that no id() is reused

    def number(self, distribution: Either) -> int:
        """The number of a distribution, written out the first time."""
        if id(distribution) not in self._numbers:
            entry = self._entry(distribution)
            text = to_json(entry)
            if text not in self._written:
                self._written[text] = len(self.entries)
                self.entries.append(entry)
            self._numbers[id(distribution)] = self._written[text]
            self._alive.append(distribution)
        return self._numbers[id(distribution)]

    def _entry(self, distribution: Either) -> dict[str, Any]:
        if distribution.base is not None and len(distribution.base) == len(distribution):
            number = self.number(distribution.base)
            return {
                "of": number,
                "probs": _trimmed(distribution.probs[_file_order(distribution.base)]),
                **_double(distribution.probs),
            }
        if isinstance(distribution, JointDistribution):
            entry = {"prefixes": distribution.prefixes.tolist(), "tokens": distribution.tokens.tolist()}
            entry |= {"probs": _trimmed(distribution.probs), "logprobs": _finite(distribution.logprobs)}
            return entry | ({"rest": distribution.rest} if distribution.rest else {})
        if distribution.certain and _is_one_hot(distribution):
            return {
                "token": int(distribution.tokens[0]),
                "logprob": _finite(distribution.logits)[0],
                **_double(distribution.probs),
            }
        order, total = _file_order(distribution), np.array([distribution.log_total], dtype=distribution.logits.dtype)
        entry = {
            "tokens": distribution.tokens[order].tolist(),
            "logits": _finite(distribution.logits[order]),
            "log_total": _finite(total)[0],
        }
        entry |= self._probs(distribution, order)
        entry |= {"likeliest": distribution.likeliest} if distribution.likeliest != len(distribution) else {}
        entry |= {"complete": True} if distribution.complete else {}
        entry |= {"rest": distribution.rest} if distribution.rest else {}
        entry |= {"tempered": tuple(distribution.tempered)} if distribution.tempered else {}
        return entry | _double(distribution.probs)

    def _probs(self, distribution: Distribution, order: np.ndarray) -> dict[str, Any]:
        """What the file says of the probabilities: nothing, where they follow."""
        if not distribution.rest:
            for settings, fields in ((self._warp, {}), (GREEDY, {"greedy": True})):
                follows = None if settings is None else _follows(distribution, settings)
                if follows is not None and np.array_equal(follows, distribution.probs):
                    return fields
        return {"probs": _trimmed(distribution.probs[order])}


def _is_one_hot(distribution: Distribution) -> bool:
    """Whether nothing but one token and its raw log-probability is known."""
    known = (
        len(distribution),
        distribution.log_total,
        distribution.likeliest,
        distribution.complete,
        distribution.rest,
        distribution.tempered,
    )
    return known == (1, 0.0, 0, False, 0.0, None)


def _follows(distribution: Distribution, settings: Settings) -> np.ndarray | None:
    """The probabilities that follow from the logits by a warp, None where too few tokens are listed."""
    try:
        return warped_anew(distribution, *settings).probs
    except ReplayError:
        return None


def _file_order(distribution: Either) -> np.ndarray:
    """Most probable first; the pairs of a joint stay as they are."""
    return distribution.order() if isinstance(distribution, Distribution) else np.arange(len(distribution))


def _double(values: np.ndarray) -> dict[str, bool]:
    return {"double": True} if values.dtype == np.float64 else {}


def _trimmed(probs: np.ndarray) -> list[float]:
    used = np.flatnonzero(probs)
    return shortest(probs[: used[-1] + 1 if len(used) else 0])


def _finite(values: np.ndarray) -> list[float | None]:
    return [None if value == -math.inf else value for value in shortest(values)]


def shortest(values: np.ndarray) -> list[float]:
    """The numbers with as many digits as tell them apart from their float32 neighbours; all digits of float64."""
    return values.tolist() if values.dtype == np.float64 else [float(str(value)) for value in values]


class TableReader:
    """The distributions of a file, by number. Raises TraceError, naming the entry, for one that is none: a wrong type,
    tokens that are not in the ``vocabulary``, probabilities that do not sum to one, a number that stands for nothing
    before it, or more than ``most`` probabilities in entries that refer to others: a small file is to stay small.
    ``warp`` is that of the file's options (None: they say none)."""

    def __init__(self, entries: Any, vocabulary: Collection[int], most: int, warp: Settings | None):
        self._warp = warp
        if not isinstance(entries, list):
            raise TraceError(f"distributions: must be a list, not a {type(entries).__name__}")
        self._vocabulary, self._left = vocabulary, most
        self._orders: list[np.ndarray] = []  # of every entry: where each of its sorted tokens stands in the file
        self._distributions: list[Either] = []
        with np.errstate(all="ignore"):  # a file may hold any numbers
            for number, entry in enumerate(entries):
                self._path = f"distributions[{number}]"
                self._distributions.append(self._read(entry))

    def find(self, number: Any, kind: type) -> Any:
        """The distribution with this number, of this kind. Raises ValueError (for pydantic) where there is none."""
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(self._distributions):
            raise ValueError(f"a number from 0 to {len(self._distributions) - 1} of the file's distributions is needed")
        distribution = self._distributions[number]
        if not isinstance(distribution, kind):
            raise ValueError(f"distribution {number} is a {type(distribution).__name__}, a {kind.__name__} is needed")
        return distribution

    def _read(self, entry: Any) -> Either:
        names = entry if isinstance(entry, dict) else {}
        adapter = next((adapter_of_kind for key, adapter_of_kind in _KINDS.items() if key in names), _PLAIN)
        try:
            parsed = adapter.validate_json(to_json(entry, inf_nan_mode="constants"))
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            field = ".".join(map(str, first["loc"]))
            message = f"{first['msg'][0].lower()}{first['msg'][1:]}"
            self._refuse(f"{field}: {message}" if field else message)
        except ValueError as error:
            self._refuse(str(error).split("\n", 1)[0])
        if isinstance(parsed, _Derived):
            return self._derived(parsed)
        if isinstance(parsed, _OneHot):
            self._orders.append(np.zeros(1, dtype=np.intp))
            return self._one_hot(parsed)
        return self._joint(parsed) if isinstance(parsed, _Joint) else self._plain(parsed)

    def _plain(self, entry: _Plain) -> Distribution:
        dtype = np.float64 if entry.double else np.float32
        tokens = self._tokens(entry.tokens)
        self._lengths(tokens=entry.tokens, logits=entry.logits)
        logits, total = _array(entry.logits, dtype), float(_array([entry.log_total], dtype)[0])
        likeliest = len(tokens) if entry.likeliest is None else entry.likeliest
        if not 0 <= likeliest <= len(tokens):
            self._refuse(f"likeliest: is {likeliest}, {len(tokens)} tokens are listed")
        if max(total, logits.max(initial=-math.inf)) == math.inf:
            self._refuse("logits: are too large for float32")
        if total < logits.max(initial=-math.inf) - SUM_TOLERANCE:
            self._refuse(f"log_total: is {total}, less than the largest logit {logits.max()}")
        if entry.tempered and (entry.tempered[0] <= 0 or min(entry.tempered[1:]) < -SUM_TOLERANCE):
            self._refuse(f"tempered: is {entry.tempered}, its numbers cannot be negative")
        order = np.argsort(tokens)
        self._orders.append(order)
        distribution = Distribution(
            *(tokens[order], np.zeros(len(tokens), dtype=dtype), logits[order], total, likeliest, entry.complete),
            rest=entry.rest,
            tempered=Tempered(*entry.tempered) if entry.tempered else None,
        )
        if entry.probs is not None:
            distribution.probs = self._probs(entry.probs, len(tokens), dtype, entry.rest)[order]
            return distribution
        settings = GREEDY if entry.greedy else self._warp
        probs = None if settings is None or entry.rest else _follows(distribution, settings)
        if probs is None:
            self._refuse("probs: are missing, and do not follow from the logits")
        distribution.probs = probs
        return distribution

    def _one_hot(self, entry: _OneHot) -> Distribution:
        dtype = np.float64 if entry.double else np.float32
        tokens, logprob = self._tokens((entry.token,)), _array((entry.logprob,), dtype)
        if logprob[0] == math.inf:
            self._refuse("logprob: is too large for float32")
        return Distribution(tokens, np.ones(1, dtype=dtype), logprob, 0.0, 0, False)

    def _joint(self, entry: _Joint) -> JointDistribution:
        count = len(entry.prefixes)
        self._lengths(prefixes=entry.prefixes, tokens=entry.tokens, logprobs=entry.logprobs)
        if len(set(zip(entry.prefixes, entry.tokens, strict=True))) < count:
            self._refuse("tokens: a pair of beam and token is listed twice")
        self._known(token for token in entry.tokens if token != STAYS)
        if not all(-(2**31) <= prefix < 2**31 for prefix in entry.prefixes):
            self._refuse("prefixes: are no prefixes of any forest")
        prefixes, tokens = (np.array(column, dtype=np.int64) for column in (entry.prefixes, entry.tokens))
        probs = self._probs(entry.probs, count, np.float64, entry.rest)
        self._orders.append(np.arange(count))
        return JointDistribution(prefixes, tokens, probs, _array(entry.logprobs, np.float64), entry.rest)

    def _derived(self, entry: _Derived) -> Either:
        if not 0 <= entry.of < len(self._distributions):
            self._refuse(f"of: is {entry.of}, {len(self._distributions)} distributions stand before it")
        base = self._distributions[entry.of]
        self._left -= len(base)
        if self._left < 0:
            self._refuse("of: too many probabilities are repeated")
        dtype = np.float64 if entry.double else np.float32
        nothing_left = np.zeros(len(base), dtype=dtype)
        probs = self._probs(entry.probs, len(base), dtype, 0.0) if entry.probs else nothing_left
        self._orders.append(self._orders[entry.of])
        return base.with_probs(probs[self._orders[entry.of]])

    def _tokens(self, tokens: Sequence[int]) -> np.ndarray:
        if len(set(tokens)) < len(tokens):
            self._refuse("tokens: a token is listed twice")
        self._known(tokens)
        return np.array(tokens, dtype=np.int64)

    def _known(self, tokens: Iterable[int]) -> None:
        for token in tokens:
            if token not in self._vocabulary:
                self._refuse(f"tokens: token {token} is not in the vocabulary of the trace")

    def _lengths(self, **columns: Sequence[object]) -> None:
        if len({len(column) for column in columns.values()}) > 1:
            self._refuse(f"{', '.join(columns)} have different lengths")

    def _probs(self, probs: Sequence[float], count: int, dtype: type, rest: float) -> np.ndarray:
        """The probabilities, with the missing zeros at the end."""
        if len(probs) > count:
            self._refuse(f"probs: has {len(probs)} numbers for {count} tokens")
        for name, prob in [*((f"probs[{i}]", prob) for i, prob in enumerate(probs)), ("rest", rest)]:
            if not 0.0 <= prob <= 1.0 + 1e-6:  # room for the rounding of float32
                self._refuse(f"{name}: is {prob}, a probability lies from 0 to 1")
        total = sum(probs) + rest
        if not abs(total - 1.0) <= SUM_TOLERANCE and (total or count):
            self._refuse(f"probs and rest sum to {total:.6f}, they make one")
        return np.concatenate([np.array(probs, dtype=dtype), np.zeros(count - len(probs), dtype=dtype)])

    def _refuse(self, sentence: str) -> NoReturn:
        between = "." if ":" in sentence.split(" ")[0] else ": "
        raise TraceError(f"{self._path}{between}{sentence}"[:LONGEST])


def _array(values: Sequence[float | None], dtype: type) -> np.ndarray:
    return np.array([-math.inf if value is None else value for value in values], dtype=np.float64).astype(dtype)


def entry_schema() -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON schema of an entry, and the definitions it refers to."""
    adapters = {"Distribution": _PLAIN, "OneHot": _KINDS["token"], "Joint": _KINDS["prefixes"], "Derived": _KINDS["of"]}
    definitions = {name: adapter.json_schema() for name, adapter in adapters.items()}
    return {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in definitions]}, definitions


def settings_of(options: Any) -> Settings | None:
    """The warp that a file's options ask for: temperature, top-k and top-p; None where they say none."""
    warp: dict[str, Any] = options if isinstance(options, dict) else {}
    temperature, top_k, top_p = (warp.get(name) for name in ("temperature", "top_k", "top_p"))
    if not _is_number(temperature) or not 0.0 <= temperature < 1e6:
        return None
    if top_k is not None and (not isinstance(top_k, int) or isinstance(top_k, bool) or top_k <= 0):
        return None
    if top_p is not None and (not _is_number(top_p) or not 0.0 <= top_p <= 1.0):
        return None
    return float(temperature), top_k, None if top_p is None else float(top_p)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
