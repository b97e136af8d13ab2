"""How often one network may do something that costs, or tells, a little each time."""

import time
from collections.abc import Callable

from specviz.ui.serving.limits import MAX_COUNTED_NETWORKS


class NetworkRateLimit:
    """So many for each network (``access.network_of``): ``most`` at once, and one more each ``seconds`` of the
    ``clock``. The networks that spent something longest ago are forgotten beyond MAX_COUNTED_NETWORKS."""

    def __init__(self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic):
        self._most, self._seconds, self._clock = most, seconds, clock
        self._whole: dict[str, float] = {}  # network -> when it has all of its budget again

    def allows(self, network: str) -> bool:
        """Whether one more is fine."""
        now = self._clock()
        return self._whole.get(network, now) - now <= (self._most - 1) * self._seconds

    def spend(self, network: str) -> None:
        """Count one."""
        now = self._clock()
        self._whole[network] = max(now, self._whole.pop(network, now)) + self._seconds
        while len(self._whole) > MAX_COUNTED_NETWORKS:
            del self._whole[next(iter(self._whole))]
