"""Whether the machine was doing something else while a lane's clock ran: then its seconds say nothing about the method.

Measured on 22 November 2026 on two cores of an Intel Xeon, the embedded pair, three races of five methods of 48 tokens
a row (on the page: four of three methods, 64 tokens). ``calls`` is ``call_slowdown``; "or more": besides the busy
processes started for the measurement another program ran at times.

| busy processes beside it | torch's threads | share of the processor | calls | speculative, tokens/s |
|---|---|---|---|---|
| none | 1 | .94 - 1.00 | 1.04 - 1.30 | 99 - 143 |
| none | 2 | .97 - 1.00 | 1.04 - 1.16 | 138 - 190 |
| one (a core is left) | 1 | .92 - 1.00 | 1.04 - 1.16 | 104 - 142 |
| two or more | 1 | .32 - .53 | 1.13 - 2.39 | 30 - 65 |
| one or more | 2 | .25 - .60 | 1.36 - 15.1 | 4 - 26 |
| the page's own browser and server | 1 | .90 - .96 | 1.07 - 1.34 | 93 - 127 |
| the page's own browser and server | 2 | .59 - .72 | 1.20 - 2.01 | 59 - 72 |

So the share decides. The calls are for a GPU, where the thread may wait for the device, and for threads that spin while
they wait; they tell only when most calls were kept waiting, so that a few slow first ones are no disturbance.
"""

from typing import Literal

from specviz.trace.record import Metrics

LEAST_SHARE = 0.8
"""Of the processor; with less the thread was kept waiting, by other programs or by its own other threads."""
MOST_SLOWDOWN = 2.0
"""Of the median call over the fastest."""


def disturbed_by(metrics: Metrics) -> Literal["processor_share", "call_slowdown"] | None:
    """The number that shows that the lane was disturbed, so that nothing follows from its speed. None: it was not, or
    nobody knows, since neither was measured."""
    return kept_waiting(metrics.processor_share, metrics.call_slowdown)


def kept_waiting(
    share: float | None, slowdown: float | None = None
) -> Literal["processor_share", "call_slowdown"] | None:
    """The same of the two numbers, each None where it was not measured."""
    if share is not None and share < LEAST_SHARE:
        return "processor_share"
    return "call_slowdown" if slowdown is not None and slowdown > MOST_SLOWDOWN else None
