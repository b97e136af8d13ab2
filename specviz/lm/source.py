"""Whose scores they are and where, and the error for scores that are no numbers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from specviz.errors import ModelError
from specviz.trace.record import Role


class ScoreSource(NamedTuple):
    """The model behind scored rows: its part in the pair, its name, what it computes in, and the ``positions`` of the
    rows in their texts, from 0. From position ``silent_from`` on it may have nothing to propose: a row of minus
    infinities (None: nowhere)."""

    role: Role
    name: str
    dtype: torch.dtype
    positions: Sequence[int]
    silent_from: int | None = None


UNKNOWN = ScoreSource("target", "", torch.float32, (), 0)
"""Scores that nobody says anything of."""


def check_numbers(best: np.ndarray, source: ScoreSource) -> None:
    """Raises ModelError, naming the model, the position and a way out, unless the largest logit of every row is a
    number: NaN is larger than any. ``best`` [n] are those of the rows of ``source``."""
    if np.isfinite(best).all():
        return
    for row in np.flatnonzero(~np.isfinite(best)).tolist():
        position = source.positions[row] if source.positions else row
        if best[row] == -np.inf and source.silent_from is not None and position >= source.silent_from:
            continue
        raise ModelError(
            f"{source.role} {source.name!r} {no_numbers(float(best[row]), position, source.dtype)}",
            argument=source.role,
        )


def no_numbers(best: float, position: int, dtype: torch.dtype) -> str:
    """What is wrong with a row whose largest logit is ``best``, and a way out."""
    content = "NaN" if np.isnan(best) else "infinity" if best > 0 else "nothing but minus infinity"
    return (
        f"gives {content} for logits at position {position}, in {str(dtype).removeprefix('torch.')}: {_way_out(dtype)}"
    )


def _way_out(dtype: torch.dtype) -> str:
    if dtype == torch.float16:
        return "numbers above 65,504 do not fit; use dtype='bfloat16' or 'float32' (--dtype)"
    if dtype == torch.bfloat16:
        return "use dtype='float32' (--dtype); if it does so there, too, its weights are damaged"
    return "its weights, or what it computes of them, are damaged; use another model"
