"""The distances that the catalog states, computed again; the reference pair is what its description says."""

import pytest

from specviz.decoding.catalog import METHODS
from specviz.decoding.distance import PROMPTS, SIZES, distance, reference_pair

STATED = ["typical", "bild", "mtad", "tree-mtad", "improved-mcsd"]


@pytest.mark.parametrize("name", STATED)
def test_the_catalog_states_what_is_computed(name):
    method = METHODS[name]
    assert method.law == "lossy" and method.distance is not None
    assert distance(method) == pytest.approx(method.distance, abs=5e-4)


def test_lossless_methods_and_settings_are_at_distance_zero():
    assert distance(METHODS["speculative"]) < 1e-9
    assert distance(METHODS["improved-mcsd"], width=1) < 1e-9
    assert distance(METHODS["bild"], rollback=0.0) < 1e-9


def test_a_stated_distance_is_shown_where_the_settings_are_lossy_only():
    method = METHODS["improved-mcsd"]
    assert method.record(method.resolve()).distance == method.distance
    assert method.record(method.resolve(width=1)).distance is None


def test_the_reference_pair():
    pair = reference_pair()
    assert pair.target.vocab_size == pair.draft.vocab_size == 3
    laws = [(pair.target.probabilities(prompt), pair.draft.probabilities(prompt)) for prompt in PROMPTS]
    assert any(p.max() > 0.9 for p, _ in laws) and any(p.max() < 0.9 for p, _ in laws)
    assert all(p.argmax() == q.argmax() for p, q in laws) and not any((p == q).all() for p, q in laws)
    assert set(SIZES) == {"gamma", "beams", "width", "depth"}
