"""How good a text is, by the target's own judgement."""

import math
from collections.abc import Iterable


def perplexity(logprobs: Iterable[float | None]) -> float | None:
    """exp of the mean negative log-likelihood (natural logarithms, the target's raw probabilities).

    None when there is no token, or when a token has no probability at all (None): the number is then infinite.
    """
    listed = list(logprobs)
    values = [value for value in listed if value is not None]
    if not values or len(values) < len(listed):
        return None
    return _exp(-math.fsum(values) / len(values))


def _exp(mean: float) -> float | None:
    try:
        return math.exp(mean)
    except OverflowError:
        return None
