"""How many beams a layer is to have: the probability that at least K of m drafts are accepted (dsbd.txt, section 3.2).

With alpha_j the probability that a draft is accepted after j - 1 rejections in a row (Eq. 4), and P(0, 0) = 1:

    P(m, k) = sum over i = 1 .. m of alpha_i prod_(j<i) (1 - alpha_j) P(m - i, k - 1)        (Eqs. 2, 3)
    P(m, 0) = prod_(j<=m) (1 - alpha_j)

Each acceptance starts the count of rejections afresh. (Eq. 5 must sum from k = 0, as Eq. 7 does.)
"""

from collections.abc import Sequence

import numpy as np

ROUNDING = 1e-12  # a probability this little below the threshold still reaches it


def probabilities_of_accepting(acceptances: Sequence[float]) -> np.ndarray:
    """P(m, k) for k = 0 .. m of all m drafts, [m + 1]; ``acceptances`` are alpha_1 .. alpha_m, each in [0, 1]."""
    most, alone = len(acceptances), [1.0]  # prod_(j<=i) (1 - alpha_j)
    for acceptance in acceptances:
        alone.append(alone[-1] * (1.0 - acceptance))
    first = [acceptance * before for acceptance, before in zip(acceptances, alone, strict=False)]
    table = [[1.0]]  # P(m, 0 .. m)
    for m in range(1, most + 1):
        accepted = [sum(first[i - 1] * table[m - i][k - 1] for i in range(1, m - k + 2)) for k in range(1, m + 1)]
        table.append([alone[m], *accepted])
    return np.array(table[most])


def probabilities_of_at_least(acceptances: Sequence[float]) -> list[float]:
    """The probability that at least K of m drafts are accepted, for K = 1 .. m (Eq. 5)."""
    return (1.0 - np.cumsum(probabilities_of_accepting(acceptances))[:-1]).tolist()


def layer_width(at_least: Sequence[float], threshold: float | None, min_beams: int) -> int:
    """max(``min_beams``, the largest K whose probability reaches the threshold) (Eqs. 6, 7); without a threshold
    ``min_beams``."""
    if threshold is None:
        return min_beams
    reached = [beams for beams, probability in enumerate(at_least, 1) if probability >= threshold - ROUNDING]
    return max([min_beams, *reached])
