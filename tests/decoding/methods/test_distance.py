"""The distances that methods state, computed again; the reference pair is what its description says."""

import pytest

from specviz.decoding.exact.distance import PROMPTS, SIZES, distance, reference_pair
from specviz.decoding.registry.registry import methods

METHODS = methods()
STATED = ["typical", "bild", "mtad", "tree-mtad", "improved-mcsd"]


@pytest.mark.full
@pytest.mark.parametrize("name", STATED)
def test_a_method_states_what_is_computed(name):
    method = METHODS[name]
    assert method.guarantee == "lossy" and method.distance is not None
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
    distributions = [(pair.target.probabilities(prompt), pair.draft.probabilities(prompt)) for prompt in PROMPTS]
    assert any(p.max() > 0.9 for p, _ in distributions) and any(p.max() < 0.9 for p, _ in distributions)
    assert all(p.argmax() == q.argmax() for p, q in distributions) and not any((p == q).all() for p, q in distributions)
    assert set(SIZES) == {"gamma", "beams", "width", "depth"}
