"""Files that were changed at random: they are read, or refused in one line, and nothing else."""

import copy
import json
import random

import pytest

from specviz.errors import TraceError
from specviz.trace.store import trace_from_json, trace_to_json
from tests.trace.files import SAMPLES, difference, parsed_file

STRANGE = [
    *(None, True, False, 0, 1, -1, 2, 3, 99, -99, 10**9, 2**31, 2**63, -(10**30), 10**400),
    *(0.0, -0.0, 0.5, 1.0, -0.5, 1.5, 1e-320, 1e39, 1e308, -1e308, float("nan"), float("inf"), float("-inf")),
    *("", "x", "0", "accepted", "coin", "\ud800", "1" * 50, [], {}, [[]], [0], [-1], [None], ["x"], [0.5, 0.5]),
    *({"0": 0}, {"-1": 0}, {"of": 0}, {"tokens": []}, {"rule": "coin"}),
]
NAMES = ["of", "tokens", "probs", "prefixes", "rest", "rule", "node", "nodes", "layers", "target", "inputs", "x", "0"]


def parts(parsed, path=()):
    """Every part of a file, as what holds it and under which key."""
    for key, value in parsed.items() if isinstance(parsed, dict) else enumerate(parsed):
        yield parsed, key
        if isinstance(value, dict | list):
            yield from parts(value)


def mutated(parsed: dict, dice: random.Random) -> dict:
    """The file with one to three changes: a strange value, a value of another part, something missing, doubled, moved
    or renamed."""
    parsed = copy.deepcopy(parsed)
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        known = list(parts(parsed))
        holder, key = dice.choice(known)
        other, from_key = dice.choice(known)
        value = holder[key]
        change = dice.randrange(7)
        if change <= 1:
            holder[key] = copy.deepcopy(dice.choice(STRANGE))
        elif change == 2:
            holder[key] = copy.deepcopy(other[from_key])
        elif change == 3:
            del holder[key]
        elif change == 4 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(value))
        elif change == 5 and isinstance(holder, dict):
            holder[dice.choice(NAMES)] = holder.pop(key)
        elif isinstance(value, bool) or not isinstance(value, int | float):
            holder[key] = [value]
        else:
            holder[key] = value + dice.choice([-1, 1, -2, 10, 0.25, -0.001])
    return parsed


def check(parsed: dict, dice: random.Random) -> bool:
    """Whether a mutated file is read. What is read can be written, and is then the same."""
    text = json.dumps(mutated(parsed, dice))
    try:
        trace = trace_from_json(text)
    except TraceError as error:
        assert "\n" not in str(error) and len(str(error)) < 400
        return False
    again = trace_from_json(trace_to_json(trace))
    assert difference(again, trace) is None
    return True


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_mutated_file_is_read_or_refused(sample):
    parsed = parsed_file(sample())
    assert 0 < sum(check(parsed, random.Random(seed)) for seed in range(150)) < 150


@pytest.mark.parametrize("sample", SAMPLES[:3])
def test_a_file_that_is_cut_off_or_has_strange_bytes_is_refused(sample):
    data, dice = trace_to_json(sample()).encode(), random.Random(1)
    for _ in range(40):
        with pytest.raises(TraceError):
            trace_from_json(data[: dice.randrange(len(data))])
        place = dice.randrange(len(data))
        changed = data[:place] + bytes([dice.randrange(256)]) + data[place + 1 :]
        try:
            trace_from_json(changed)
        except TraceError as error:
            assert "\n" not in str(error)
