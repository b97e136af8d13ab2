"""Small traces of rules that no trace was written for by hand: a pair of tables decoded."""

from functools import cache

import specviz
from specviz.trace.record import Trace
from tests.decoding.methods.models import random_pair

PAIR = random_pair(4, 8)


@cache
def traversal_trace() -> Trace:
    return specviz.decode(PAIR, "traversal", [0, 1], max_new_tokens=8)


@cache
def by_hand_trace() -> Trace:
    return specviz.branch(PAIR, traversal_trace(), 1, token=2)


DECODED_TRACES = {"traversal": traversal_trace, "by-hand": by_hand_trace}
