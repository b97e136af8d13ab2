"""What Python makes of the theory on a grid, which the page's own formulas have to give, too:
``python -m tests.player.theory_grid`` writes tests/player/lab/theory-grid.json."""

import json
from itertools import product
from pathlib import Path

from specviz.measure.theory import arithmetic, best_gamma, expected_tokens, speed_up, verify_cost_at

FILE = Path(__file__).with_name("lab") / "theory-grid.json"
ALPHAS, COSTS, CALLS, GAMMAS = (0.0, 0.3, 0.7, 0.95, 1.0), (0.0, 0.07, 0.6), (0.8, 1.0, 1.4), (1, 5, 16)


def theory_grid() -> str:
    """A row for each place: alpha, c (c^ too), v, gamma, then tokens, speed-up, arithmetic, v at 16 guesses and the
    best gamma; v is that of ``gamma`` guesses."""
    rows = [
        [*place, *(round(value, 9) for value in _values(*place))] for place in product(ALPHAS, COSTS, CALLS, GAMMAS)
    ]
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"


def _values(alpha: float, cost: float, call: float, gamma: int) -> tuple[float, ...]:
    tokens, speed = expected_tokens(alpha, gamma), speed_up(alpha, gamma, cost, call)
    wider, best = verify_cost_at(16, call, gamma), best_gamma(alpha, cost, call, gamma)
    return tokens, speed, arithmetic(alpha, gamma, cost), wider, best


if __name__ == "__main__":
    FILE.write_text(theory_grid(), encoding="utf-8")
