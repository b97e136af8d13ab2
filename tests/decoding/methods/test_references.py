"""The distributions that methods are compared with, checked against the decoders' own and against the definitions."""

from collections import defaultdict

import pytest

from specviz.decoding.exact.distribution import exact_distribution, target_distribution
from specviz.decoding.exact.references import TargetReference
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.lm.warp import Warp
from specviz.trace.distribution import total_variation
from tests.decoding.methods.beam_distributions import beam_distribution, independent, p_beam

EXACT = 1e-12
MODEL = TableLM.random(4, 5, zeros=0.2)
PROMPT = (0, 1)
WARPS = [{}, {"temperature": 0.6, "top_k": 3}, {"temperature": 1.5, "top_p": 0.7}]
ENDS = [frozenset(), frozenset({3})]


def reference(warp=None, ends=frozenset()):
    return TargetReference(MODEL, PROMPT, Warp(**warp or {}), ends)


@pytest.mark.parametrize("ends", ENDS, ids=["endless", "ends"])
@pytest.mark.parametrize("warp", [*WARPS, {"temperature": 0.0}], ids=str)
def test_plain_sampling(warp, ends):
    pair = ModelPair(MODEL, end_tokens=ends)
    for n_tokens in (1, 2, 3):
        distribution = reference(warp, ends).sampling(n_tokens)
        decoded = exact_distribution(pair, "autoregressive", PROMPT, n_tokens, **warp)
        assert total_variation(distribution, decoded) < EXACT
        assert target_distribution(pair, PROMPT, n_tokens, **warp) == distribution


@pytest.mark.parametrize("ends", ENDS, ids=["endless", "ends"])
@pytest.mark.parametrize("warp", WARPS, ids=str)
def test_one_layer_of_beams(warp, ends):
    found = reference(warp, ends)
    for beams in ([()], [(1,), (2,)], [(1,), (1,), (3,)]):
        one = p_beam(MODEL, PROMPT, beams, Warp(**warp), ends)
        assert total_variation(found.layer(beams), one) < EXACT
        assert total_variation(found.layer_together(beams, 2), independent(one, 2)) < EXACT


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("warp", WARPS, ids=str)
def test_one_beam_of_beam_sampling(warp, width):
    for ends in ENDS:
        expected = defaultdict(float)
        pair = ModelPair(MODEL, end_tokens=ends)
        for beams, probability in beam_distribution(pair, PROMPT, width, 2, Warp(**warp)).items():
            expected[beams[0]] += probability
        assert total_variation(reference(warp, ends).beam_sampling(width), expected) < EXACT


@pytest.mark.parametrize("width", [1, 2, 4])
def test_beam_search(width):
    for ends in ENDS:
        pair = ModelPair(MODEL, end_tokens=ends)
        (searched,) = exact_distribution(pair, "beam", PROMPT, 3, deterministic=True, beams=width)
        assert reference(ends=ends).beam_search(width, 3) == searched
