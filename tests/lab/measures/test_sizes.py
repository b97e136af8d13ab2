"""Calls by the tokens they read: every size is timed, and the file can be read back."""

import json
from dataclasses import asdict

from specviz.lab.measures.calls import CONTEXT
from specviz.lab.measures.sizes import call_sizes
from specviz.lm.loading.pairs import load_pair
from specviz.views.lessons.costs import read_measured
from tests.tiny_pair import write_pair


def test_every_size_is_timed_and_read_back(tmp_path):
    pair = load_pair(*write_pair(tmp_path), device="cpu")
    found = call_sizes(pair, rounds=1, sizes=(1, 3))
    assert [size.tokens for size in found.sizes] == [1, 3]
    assert all(0 < size.low <= size.seconds <= size.high and size.calls == 10 for size in found.sizes)
    assert (found.model, found.context, found.parameters) == (pair.target.name, CONTEXT, pair.target.shape.parameters)
    path = tmp_path / "calls.json"
    path.write_text(json.dumps(asdict(found)))
    assert read_measured(path) == found
