"""How often one network may do something that costs, or reveals, a little each time."""

import time
from collections.abc import Callable

from cachetools import LRUCache

from specviz.ui.serving.limits import MAX_COUNTED_NETWORKS


class NetworkRateLimit:
    """Each network (``access.network_of``) may do something ``most`` times at once, and once more every ``seconds`` of
    the ``clock``. Beyond MAX_COUNTED_NETWORKS the networks seen longest ago are forgotten."""

    def __init__(self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic):
        self._most, self._seconds, self._clock = most, seconds, clock
        self._whole = LRUCache[str, float](MAX_COUNTED_NETWORKS)  # network -> when it has all of its budget again

    def allows(self, network: str) -> bool:
        """Whether the network may do it once more."""
        now = self._clock()
        return self._whole.get(network, now) - now <= (self._most - 1) * self._seconds

    def spend(self, network: str) -> None:
        """Count one use."""
        now = self._clock()
        self._whole[network] = max(now, self._whole.get(network, now)) + self._seconds
