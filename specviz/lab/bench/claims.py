"""What the papers promise of their methods, each held against the runs of one benchmark.

A promise is a list of checks; a check is a ratio of two contenders, taken within each round, and the limit it must
keep. Whether it holds is decided by the median; ``clear`` says whether the whole interval lies on the median's side.
Nothing here knows an outcome: a promise that the runs do not keep is said to fail, with the same numbers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import ge, gt, le
from typing import Literal

from specviz.lab.bench import numbers
from specviz.lab.bench.comparison import SPEED, Ratio, compare
from specviz.lab.bench.numbers import Number, Runs
from specviz.trace.record import Header

Sense = Literal["at least", "more than", "at most"]
PASSES = {"at least": ge, "more than": gt, "at most": le}
EFFICIENCY, ALPHA = "tokens per target call", "longest accepted / depth"
PERPLEXITY, FLOPS = "perplexity", "FLOPs per token"


@dataclass(frozen=True)
class Check:
    """``ratio`` must be at least, more than or at most ``limit``. ``holds``: its median is. ``clear``: so are both ends
    of its interval, or neither."""

    ratio: Ratio
    sense: Sense
    limit: float
    holds: bool
    clear: bool


@dataclass(frozen=True)
class Claim:
    """A promise in words, the paper it comes from, and its checks; ``holds`` when all of them do."""

    text: str
    paper: str
    holds: bool
    checks: tuple[Check, ...]


def claims(runs: Runs) -> list[Claim]:
    """Every promise whose contenders all ran."""
    made = _beams(runs) + _heads(runs) + _likely_text(runs) + _trees(runs) + _forks(runs)
    return [claim for claim in made if claim is not None]


def _beams(runs: Runs) -> list[Claim | None]:
    """dsbd against beam sampling: the suite enters the whole widths around dsbd's average."""
    text = "1.5 times the speed of beam sampling of the same average width, at equal or lower perplexity"
    return [
        _claim(
            f"{one}: {text} ({other})",
            "dsbd.txt",
            _check(runs, one, other, numbers.own_speed, SPEED, "at least", 1.5),
            _check(runs, one, other, numbers.perplexity, PERPLEXITY, "at most", 1.0),
        )
        for one in _named(runs, "dsbd")
        for other in _named(runs, "beam")
    ]


def _heads(runs: Runs) -> list[Claim | None]:
    return [
        _claim(
            f"{one}: at most .40 of the arithmetic per token of {other}, at no fewer tokens per target call than .98 "
            "of it",
            "slim.txt",
            _check(runs, one, other, numbers.flops_per_token, FLOPS, "at most", 0.40),
            _check(runs, one, other, numbers.block_efficiency, EFFICIENCY, "at least", 0.98),
        )
        for one in _named(runs, "slim", keep=20)
        for other in _named(runs, "medusa", nodes=64)
    ]


def _likely_text(runs: Runs) -> list[Claim | None]:
    """mtad against the samplers that write one text: those that it does not beat, else the best of them."""
    made = []
    for one in _named(runs, "mtad"):
        others = sorted((numbers.perplexity(numbers.of(runs, name)), name) for name in _samplers(runs) if name != one)
        own = numbers.perplexity(numbers.of(runs, one))
        shown = [name for found, name in others if found <= own] or [name for _, name in others[:1]]
        checks = [_check(runs, one, name, numbers.perplexity, PERPLEXITY, "at most", 1.0) for name in shown]
        speeds = [
            _check(runs, one, chain, numbers.own_speed, SPEED, "at least", 1.0) for chain in _named(runs, "speculative")
        ]
        text = f"{one}: the lowest perplexity of the samplers that write one text, no slower than speculative"
        made.append(_claim(text, "mtad.txt", *checks, *speeds) if checks and speeds else None)
    return made


def _samplers(runs: Runs) -> list[str]:
    """Contenders that draw their tokens and keep one text at a time: no beams, no greedy text."""
    drawn = [name for name, header in numbers.headers(runs).items() if header.method.guarantee in ("target", "lossy")]
    return [name for name in drawn if all(i.steps is None for i in numbers.iterations(numbers.of(runs, name)))]


def _trees(runs: Runs) -> list[Claim | None]:
    return [
        _claim(
            f"{one}: more tokens per target call than {chain}",
            "mtad.txt (SpecInfer, SpecTr), improved-mcsd.txt (MCSD)",
            _check(runs, one, chain, numbers.block_efficiency, EFFICIENCY, "more than", 1.0),
        )
        for method in ("specinfer", "mcsd", "spectr")
        for one in _named(runs, method)
        for chain in _named(runs, "speculative")
    ]


def _forks(runs: Runs) -> list[Claim | None]:
    return [
        _claim(
            f"{one}: a higher alpha than {other}",
            "improved-mcsd.txt",
            _check(runs, one, other, numbers.longest_accepted, ALPHA, "more than", 1.0),
        )
        for one in _named(runs, "improved-mcsd")
        for other in _named(runs, "mcsd")
    ]


def _named(runs: Runs, method: str, **options: int) -> Iterable[str]:
    """The contenders that run ``method``, with these of its options."""

    def fits(header: Header) -> bool:
        return header.method.name == method and options.items() <= header.options.items()

    return [name for name, header in numbers.headers(runs).items() if fits(header)]


def _check(runs: Runs, one: str, other: str, number: Number, meaning: str, sense: Sense, limit: float) -> Check | None:
    ratio = compare(runs, one, other, number, meaning)
    if ratio is None:
        return None
    passes, value = PASSES[sense], ratio.value
    holds = passes(value.median, limit)
    clear = all(passes(end, limit) == holds for end in (value.low, value.high))
    return Check(ratio, sense, limit, holds, clear)


def _claim(text: str, paper: str, *checks: Check | None) -> Claim | None:
    """None where a check has no number."""
    made = tuple(check for check in checks if check is not None)
    return Claim(text, paper, all(check.holds for check in made), made) if len(made) == len(checks) else None
