"""The cost of a race's target calls by the number of tokens read: why guesses are cheap to check."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from specviz.facts.tokens import count
from specviz.trace.record import Trace
from specviz.views.race.timeline import duration
from specviz.views.story.payload_types import CallCost

FEWEST = 2  # calls behind a median, at least
MOST = 6  # numbers of tokens that are shown


def call_costs(traces: Sequence[Trace]) -> list[CallCost]:
    """The median seconds of a target call by the tokens it read, fewest tokens first; of the MOST most frequent ones.
    Empty where the lanes ran on several targets or devices, whose seconds do not compare."""
    headers = [trace.header for trace in traces]
    if len({(header.target.fingerprint, header.target.dtype, header.device) for header in headers}) != 1:
        return []
    seconds = defaultdict[int, list[float]](list)
    for trace in traces:
        for iteration in trace.iterations:
            for call in iteration.calls:
                if call.role == "target":
                    seconds[call.tokens].append(call.seconds)
    often = sorted(seconds, key=lambda tokens: -len(seconds[tokens]))[:MOST]
    return [
        {"tokens": tokens, "seconds": median(seconds[tokens]), "calls": len(seconds[tokens])}
        for tokens in sorted(often)
        if len(seconds[tokens]) >= FEWEST
    ]


def call_words(costs: Sequence[CallCost]) -> str:
    """The cost of reading several tokens at once compared with one; empty if the race does not show it."""
    single = next((cost for cost in costs if cost["tokens"] == 1), None)
    most = max(costs, key=lambda cost: cost["tokens"], default=None)
    if single is None or most is None or most is single or single["seconds"] <= 0.0:
        return ""
    times, numbers = most["seconds"] / single["seconds"], [duration(cost["seconds"]) for cost in (most, single)]
    return (
        f"Reading {count(most['tokens'], 'token')} in one target call took {times:.2f} times as long as reading one "
        f"({numbers[0]} against {numbers[1]}): the model's weights are read once for all of them."
    )
