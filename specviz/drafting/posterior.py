"""SLiM's fast posterior: how likely each of thousands of candidate texts is, from the heads' marginals and the
correlation of adjacent tokens (slim.txt, section 3.2, Eq. 2 and 3), and the choice of the best of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from specviz.lm.parts.correlation import Correlation, DenseCorrelation

CandidateRanks = tuple[int, ...]


def best(values: np.ndarray, count: int) -> np.ndarray:
    """The indices of the ``count`` largest of ``values`` [n] above minus infinity (all, where there are fewer), the
    largest first, equals in their order."""
    possible = np.flatnonzero(values > -np.inf)
    if count < len(possible):
        least = np.partition(values[possible], -count)[-count]
        possible = possible[values[possible] >= least]
    return possible[np.argsort(-values[possible], kind="stable")][:count]


@dataclass(frozen=True, eq=False)
class Candidates:
    """The prefixes x_1..x_i, i = 2 .. m, of top-1(f) x prod top-k(g_i) (Eq. 2), where x_1 is the text's last token.

    A candidate is known by its ranks: (3, 0) is the fourth best token of the first head, then the best of the second.
    ``tokens`` hold every head's best tokens by rank, ``log_probs`` their log-probabilities; ``layers[i]`` the
    log-posteriors of the candidates of i + 1 ranks, [k_1, .., k_(i+1)], minus infinity for what is no candidate: a text
    that goes on after an end token. ``root_log_prob`` is log p(x_1) under the target.
    """

    tokens: tuple[list[int], ...]
    log_probs: tuple[list[float], ...]
    layers: tuple[np.ndarray, ...]
    root_log_prob: float

    @property
    def log_posteriors(self) -> np.ndarray:
        """float64 [all]: the candidates one after the other, shorter ones first, better ranks first."""
        return np.concatenate([layer.ravel() for layer in self.layers])

    def ranks(self, index: int) -> CandidateRanks:
        """The ranks of candidate number ``index`` of ``log_posteriors``."""
        for layer in self.layers:
            if index < layer.size:
                return tuple(int(rank) for rank in np.unravel_index(index, layer.shape))
            index -= layer.size
        raise IndexError(index)

    def text(self, ranks: CandidateRanks) -> tuple[int, ...]:
        """The tokens x_2..x_i of a candidate."""
        return tuple(tokens[rank] for tokens, rank in zip(self.tokens, ranks, strict=False))

    def log_posterior(self, ranks: CandidateRanks) -> float:
        """log of prod p(x_i) prod r(x_j, x_(j+1)) (Eq. 3); not normalised."""
        return float(self.layers[len(ranks) - 1][ranks])

    def log_independent(self, ranks: CandidateRanks) -> float:
        """log of prod p(x_i): what the posterior would be if tokens were independent."""
        return self.root_log_prob + sum(row[rank] for row, rank in zip(self.log_probs, ranks, strict=False))


def candidates(
    tokens: Sequence[np.ndarray],
    logprobs: Sequence[np.ndarray],
    root: int,
    correlation: Correlation | DenseCorrelation | None = None,
    end_tokens: frozenset[int] = frozenset(),
    root_log_prob: float = 0.0,
) -> Candidates:
    """Every candidate with its posterior ``prod p(x_i) prod r(x_j, x_(j+1))`` (slim.txt, Eq. 3), in logarithms.

    ``tokens`` int64 [heads][k] are the best tokens of g_2 .. g_m, best first, ``logprobs`` [heads][k] their raw
    log-probabilities; ``root`` is x_1, the text's last token. Without a ``correlation`` r is one. One look-up of r per
    pair of heads, and sums that broadcast: no loop over candidates.
    """
    layers: list[np.ndarray] = []
    before, so_far = np.array([root]), np.array([root_log_prob])
    for log_p, after in zip(logprobs, tokens, strict=True):
        so_far = so_far[..., None] + (log_p + _log_r(correlation, before, after))  # [.., k_before, k_after]
        layers.append(so_far if layers else so_far[0])
        so_far = np.where(np.isin(after, list(end_tokens)), -np.inf, layers[-1])  # nothing follows an end token
        before = after
    return Candidates(
        tuple(after.tolist() for after in tokens),
        tuple(log_p.tolist() for log_p in logprobs),
        tuple(layers),
        root_log_prob,
    )


def _log_r(correlation: Correlation | DenseCorrelation | None, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """float64 [n, m]: log r of every token of ``first`` [n] beside every token of ``second`` [m]."""
    if correlation is None:
        return np.zeros((len(first), len(second)))
    return np.log(correlation.r(torch.from_numpy(first), torch.from_numpy(second)).numpy())
