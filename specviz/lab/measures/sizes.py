"""What one target call costs by the tokens that it reads: the file that the lesson on the target call shows."""

from datetime import date
from statistics import median, quantiles

from specviz.lab.machine import machine, versions
from specviz.lab.measures.calls import CONTEXT, call_seconds
from specviz.lm.pair import ModelPair
from specviz.lm.threads import threads_for
from specviz.views.lessons.costs import CallSize, MeasuredCalls

SIZES = (1, 2, 4, 8, 16, 32, 64)


def call_sizes(pair: ModelPair, rounds: int = 6, sizes: tuple[int, ...] = SIZES) -> MeasuredCalls:
    """The target's calls of all ``sizes``, ten of each a round, in turns: what disturbs the machine for a while falls
    on all of them. Computed with the threads that its runs have."""
    target = pair.target
    found: dict[int, list[float]] = {size: [] for size in sizes}
    with threads_for(pair):
        for _ in range(rounds):
            for size, seconds in found.items():
                seconds.extend(call_seconds(target, size))
        where = machine(str(target.device))
    return MeasuredCalls(
        model=target.name,
        parameters=target.shape.parameters,
        context=CONTEXT,
        date=date.today().isoformat(),
        machine=where,
        versions=versions(),
        sizes=tuple(_size(tokens, seconds) for tokens, seconds in found.items()),
    )


def _size(tokens: int, seconds: list[float]) -> CallSize:
    low, _, high = (round(part, 6) for part in quantiles(seconds, n=4))
    return CallSize(tokens, round(median(seconds), 6), low, high, len(seconds))
