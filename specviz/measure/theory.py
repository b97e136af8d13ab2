"""What speculative decoding should gain, by Leviathan et al. 2023 (arXiv:2211.17192).

Symbols of the paper: ``acceptance`` is alpha, the probability that a drafted token is accepted (Definition 3.1, taken
as independent of the position); ``gamma`` drafted tokens an iteration; ``draft_cost`` c, one draft call in target
calls."""

from collections.abc import Iterable

from specviz.errors import OptionError


def chain_acceptance(pairs: Iterable[tuple[int, int]]) -> float | None:
    """alpha of a run: accepted tokens over tokens judged, from (accepted, offered) of each iteration.

    A chain is judged up to its first rejection, so an iteration that kept less than it was offered judged one token
    more than it kept. (Accepted over *offered* counts the tokens behind a rejection as refused and comes out lower.)
    None when nothing was judged.
    """
    kept = judged = 0
    for accepted, offered in pairs:
        kept += accepted
        judged += accepted + (accepted < offered)
    return kept / judged if judged else None


def expected_tokens(acceptance: float, gamma: int) -> float:
    """Expected tokens an iteration, (1 - a^(g+1)) / (1 - a): Equation 1; g + 1 at acceptance 1. From 1 to gamma + 1."""
    _check(acceptance, gamma)
    return sum(acceptance**i for i in range(gamma + 1))


def speed_up(acceptance: float, gamma: int, draft_cost: float, verify_cost: float = 1.0) -> float:
    """Expected tokens over an iteration's cost in one-token target calls, expected / (gamma c + v): Theorem 3.8.

    The theorem has ``verify_cost`` v = 1 (a target call on gamma + 1 tokens costs as much as on one token); pass the
    measured v for the limit on a real machine.
    """
    if draft_cost < 0:
        raise OptionError(f"draft_cost is {draft_cost}: it must be 0 or more", argument="draft_cost")
    if verify_cost <= 0:
        raise OptionError(f"verify_cost is {verify_cost}: it must be more than 0", argument="verify_cost")
    return expected_tokens(acceptance, gamma) / (gamma * draft_cost + verify_cost)


def _check(acceptance: float, gamma: int) -> None:
    if not 0.0 <= acceptance <= 1.0:
        raise OptionError(f"acceptance is {acceptance}: it must be from 0 to 1", argument="acceptance")
    if gamma < 0:
        raise OptionError(f"gamma is {gamma}: it must be 0 or more", argument="gamma")
