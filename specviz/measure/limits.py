"""The most that any rule can accept of several drafts for one token and keep the target's distribution.

Drafts that all lie in a set H of tokens cannot serve the target's other tokens. By the duality of optimal transport no
rule accepts more often than

    1 + min over H of  p(H) - W(H),   W(H) the probability that all drafts lie in H,

and some rule does (Hu et al. 2025, Towards Optimal Multi-Draft Speculative Decoding, arXiv 2502.18779; for two i.i.d.
drafts also Khisti et al. 2024, arXiv 2410.18234). For drafts drawn independently or without replacement the minimum is
at a set of tokens with the smallest p / q, so that as many sets are tried as there are tokens.
"""

from typing import Literal

import numpy as np

from specviz.errors import OptionError

Drafting = Literal["independent", "without_replacement", "one_drawn"]
MOST_TUPLES = 100_000
"""Beginnings of drafts without replacement that are gone through."""


def acceptance_limit(target: np.ndarray, draft: np.ndarray, drafts: int, drafting: Drafting = "independent") -> float:
    """The greatest probability, 0 to 1, with which one of ``drafts`` (1 or more) tokens for a place is accepted.

    ``target`` and ``draft`` [vocabulary] are p and q, each nonnegative with sum 1. Drafts are drawn ``independent`` of
    each other from q, ``without_replacement`` (as many as q has tokens at most; in the time of tokens ** (drafts - 1)),
    or ``one_drawn``: all but one are the likeliest of q, and one is drawn from what q has besides. Raises OptionError
    for fewer drafts than one, or too many without replacement.

    >>> import numpy as np
    >>> round(acceptance_limit(np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.4, 0.5]), 1), 6)
    0.6
    >>> round(acceptance_limit(np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.4, 0.5]), 2, "without_replacement"), 6)
    0.766667
    """
    if drafts < 1:
        raise OptionError(f"drafts is {drafts}: it must be 1 or more", argument="drafts")
    p, q = np.asarray(target, dtype=np.float64), np.asarray(draft, dtype=np.float64)
    possible = np.flatnonzero(q)
    p, q = p[possible], q[possible]  # what is never drafted is in no set that matters
    if drafting == "one_drawn":
        return _one_drawn(p, q, drafts)
    order = np.argsort(p / q, kind="stable")
    p, q = p[order], q[order]
    if drafting == "independent":
        inside = q.cumsum() ** drafts
    else:
        drafts = min(drafts, len(q))
        if len(q) ** max(drafts - 2, 0) > MOST_TUPLES:
            raise OptionError(f"drafts is {drafts}: too many without replacement of {len(q)} tokens", argument="drafts")
        inside = _all_inside(q, drafts)
    return _clipped(1.0 + (p.cumsum() - inside).min(initial=0.0))


def _one_drawn(p: np.ndarray, q: np.ndarray, drafts: int) -> float:
    """Every H that matters holds the tokens taken for certain: p of these, and sum min(p, q') of the others."""
    order = np.argsort(-q, kind="stable")
    taken, others = order[: drafts - 1], order[drafts - 1 :]
    left = q[others] / max(q[others].sum(), np.finfo(np.float64).tiny)
    return _clipped(float(p[taken].sum() + np.minimum(p[others], left).sum()))


def _all_inside(q: np.ndarray, drafts: int) -> np.ndarray:
    """The probability that all drafts without replacement are among the first i tokens, [n], for every i from 1; q may
    sum to anything positive."""
    q = q / max(q.sum(), np.finfo(np.float64).tiny)
    if drafts == 1:
        return q.cumsum()
    others = 1.0 - q
    if drafts == 2:
        share = np.divide(q, others, out=np.zeros_like(q), where=others > 0.0)
        return q.cumsum() * share.cumsum() - (share * q).cumsum()
    inside = np.zeros_like(q)
    for first in np.flatnonzero(q):
        rest = q.copy()
        rest[first] = 0.0
        inside[first:] += q[first] * _all_inside(rest, drafts - 1)[first:]
    return inside


def _clipped(probability: float) -> float:
    return min(1.0, max(0.0, float(probability)))
