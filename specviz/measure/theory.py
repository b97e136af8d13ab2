"""What speculative decoding should gain, by Leviathan et al. 2023 (arXiv:2211.17192).

Symbols of the paper: ``acceptance`` is alpha, the probability that a drafted token is accepted (Definition 3.1, taken
as independent of the position); ``gamma`` drafted tokens an iteration; ``draft_cost`` c, one draft call in target
calls."""

from specviz.errors import OptionError

MOST_GAMMA = 16  # that is tried as the best


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


def arithmetic(acceptance: float, gamma: int, draft_operations: float) -> float:
    """Operations for a token in those of plain decoding, (gamma c^ + gamma + 1) / expected tokens: Theorem 3.11.
    ``draft_operations`` c^, 0 or more: those of the draft model for a token, in those of the target."""
    if not draft_operations >= 0:
        raise OptionError(f"draft_operations is {draft_operations}: it must be 0 or more", argument="draft_operations")
    return (gamma * draft_operations + gamma + 1) / expected_tokens(acceptance, gamma)


def verify_cost_at(gamma: float, verify_cost: float, measured_at: float) -> float:
    """v of a target call on ``gamma`` guesses, where one on ``measured_at`` (more than 0) costs ``verify_cost``: a
    call's cost is taken to grow evenly with the tokens that it reads. A v below 1 is measured too low, as nothing gets
    cheaper by reading more: it is taken for any number of guesses."""
    return verify_cost if verify_cost < 1.0 else 1.0 + (verify_cost - 1.0) * gamma / measured_at


def best_gamma(acceptance: float, draft_cost: float, verify_cost: float, measured_at: float) -> int:
    """The gamma from 1 to MOST_GAMMA with the highest speed-up, the smallest of equals; v as in ``verify_cost_at``."""

    def speed(gamma: int) -> float:
        return speed_up(acceptance, gamma, draft_cost, verify_cost_at(gamma, verify_cost, measured_at))

    return max(range(1, MOST_GAMMA + 1), key=speed)


def _check(acceptance: float, gamma: int) -> None:
    if not 0.0 <= acceptance <= 1.0:
        raise OptionError(f"acceptance is {acceptance}: it must be from 0 to 1", argument="acceptance")
    if gamma < 0:
        raise OptionError(f"gamma is {gamma}: it must be 0 or more", argument="gamma")
