"""The numbers of a sweep: what each run adds to a round's number, and how it is made of the sums.

A round's number is that of all its runs together, as ``METRIC_HELP`` defines it: tokens per second are all tokens over
all seconds, never a mean of speeds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any, Literal

import numpy as np

from specviz.lab.sweep.row import COLUMNS, METRICS, Row
from specviz.measure.summary import METRIC_HELP
from specviz.measure.theory import expected_tokens

CALLS = {"ms_per_target_call": "target_calls", "ms_per_draft_call": "draft_calls"}
SPEEDS = ("tokens_per_second", "seconds", "seconds_to_first_token", "joules_per_token", *CALLS)
NOTHING = (0.0, 0.0)
RECORDED = ("alpha", "tokens_over_expected", "speed_over_expected")
"""Numbers that only runs recorded with their distributions have."""
LOWER = (
    *("seconds", "seconds_to_first_token", "perplexity", "flops_per_token", "joules_per_token", "bytes_per_token"),
    *CALLS,
)
HIGHER = ("tokens_per_second", "tokens_per_target_call", "acceptance_rate", "longest_accepted", "alpha")


@dataclass(frozen=True)
class Number:
    """``label``, ``unit`` ("" for a plain number) and ``meaning`` as in ``MetricHelp``; ``better``: "higher", "lower"
    or "" where neither is. ``parts`` of a run: what to add up over the runs of a round, and what to divide the sum by
    (0: the run says nothing); ``finish`` is applied to the quotient. ``timed``: disturbed runs do not count."""

    label: str
    unit: str
    meaning: str
    parts: Callable[[Row], tuple[float, float]]
    better: Literal["higher", "lower", ""] = ""
    finish: Callable[[Any], Any] = lambda value: value
    timed: bool = False


def _parts(metric: str) -> Callable[[Row], tuple[float, float]]:
    def parts(row: Row) -> tuple[float, float]:
        metrics = row.metrics
        value = getattr(metrics, metric)
        if value is None:
            return NOTHING
        match metric:
            case "tokens_per_second":
                return metrics.tokens, metrics.seconds
            case "tokens_per_target_call":
                return metrics.tokens, metrics.target_calls
            case "acceptance_rate":
                return row.accepted, row.offered
            case "perplexity":  # the mean of logarithms, over the tokens that it counts
                scored = row.parts.get("scored", metrics.tokens)
                return log(value) * scored, scored
            case "flops_per_token" | "bytes_per_token" | "joules_per_token":
                return value * metrics.tokens, metrics.tokens
            case "ms_per_target_call" | "ms_per_draft_call":
                count = getattr(metrics, CALLS[metric])
                return value * count, count
            case _:
                return value, 1.0

    return parts


def _over_expected(row: Row) -> tuple[float, float]:
    """Of a chain of guesses judged one by one, by its own alpha; the last draft of a run may be cut short, so that a
    run should be long."""
    gamma, alpha = row.options.get("gamma"), row.metrics.alpha
    if alpha is None or not isinstance(gamma, int):
        return NOTHING
    return row.metrics.tokens, row.metrics.target_calls * expected_tokens(alpha, gamma)


def _speed_over_expected(row: Row) -> tuple[float, float]:
    """The same of its tokens a second, by the run's own alpha and the time of its own calls."""
    tokens, expected = _over_expected(row)
    metrics = row.metrics
    if not expected or metrics.ms_per_target_call is None or metrics.ms_per_draft_call is None:
        return NOTHING
    in_calls = (
        metrics.target_calls * metrics.ms_per_target_call + metrics.draft_calls * metrics.ms_per_draft_call
    ) / 1e3
    return tokens, metrics.seconds * expected / in_calls


def _outside(row: Row) -> tuple[float, float]:
    parts, seconds = row.parts, row.metrics.seconds
    return (seconds - parts["target"] - parts["drafting"], seconds) if "target" in parts else NOTHING


def _score(row: Row) -> tuple[float, float]:
    return NOTHING if row.score is None else (row.score, 1.0)


def _made() -> dict[str, Number]:
    numbers = {}
    for name in METRICS:
        if COLUMNS[name] in (int, float):
            label, unit, meaning = METRIC_HELP[name]
            better = "higher" if name in HIGHER else "lower" if name in LOWER else ""
            finish = {"finish": np.exp} if name == "perplexity" else {}
            numbers[name] = Number(label, unit, meaning, _parts(name), better, timed=name in SPEEDS, **finish)
    return numbers


NUMBERS: dict[str, Number] = _made() | {
    "tokens_over_expected": Number(
        "tokens per call over theory",
        "",
        "Tokens per target call over what Equation 1 of the speculative decoding paper expects of the run's own α: "
        "(1 - α^(γ + 1)) / (1 - α).",
        _over_expected,
    ),
    "speed_over_expected": Number(
        "speed over theory",
        "",
        "Tokens per second over what Theorem 3.8 of the speculative decoding paper expects of the run's own α and the "
        "time of its own calls: the tokens of Equation 1 over that of γ draft calls and a target call.",
        _speed_over_expected,
        timed=True,
    ),
    "score": Number(
        "score",
        "",
        "Of texts whose prompt has an answer, the mean score, 0 to 1: execution accuracy, exact match or Rouge-L.",
        _score,
        "higher",
    ),
}

TIMED: dict[str, Number] = NUMBERS | {
    "whole_call": Number(
        "speed of whole calls",
        "tokens/s",
        "Emitted tokens over the wall time of the whole call, reading the prompt included.",
        lambda row: (row.metrics.tokens, row.wall_seconds),
        "higher",
        timed=True,
    ),
    "outside": Number(
        "time outside the models",
        "",
        "The share of the decoding time that is in no model's call.",
        _outside,
        "lower",
        timed=True,
    ),
}
"""These, and those of runs that nothing but the benchmark keeps waiting."""
