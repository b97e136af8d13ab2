"""The warp against transformers' own processors, and its edges."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import LogitsProcessorList, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from specviz.errors import OptionError
from specviz.lm.warp import Warp


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    temperature=st.floats(0.2, 3.0),
    top_k=st.one_of(st.none(), st.integers(1, 40)),
    top_p=st.one_of(st.none(), st.floats(0.05, 1.0)),
)
def test_equals_the_processors_of_transformers(seed, temperature, top_k, top_p):
    logits = torch.randn(3, 30, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * 2
    processors = LogitsProcessorList([TemperatureLogitsWarper(temperature)])
    if top_k is not None:
        processors.append(TopKLogitsWarper(top_k))
    if top_p is not None and top_p < 1.0:
        processors.append(TopPLogitsWarper(top_p))
    expected = processors(None, logits).softmax(-1)
    torch.testing.assert_close(Warp(temperature, top_k, top_p)(logits), expected, atol=1e-12, rtol=1e-9)


def test_temperature_zero_is_one_hot_on_the_first_best():
    probs = Warp(0.0)(torch.tensor([[1.0, 3.0, 3.0], [0.0, -1.0, -2.0]]))
    assert probs.tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]


def test_equal_tokens_at_a_cut_stay_together():
    probs = Warp(1.0, top_k=1)(torch.tensor([[2.0, 2.0, 0.0]]))
    assert probs.tolist() == [[0.5, 0.5, 0.0]]


@pytest.mark.parametrize("warp", [Warp(), Warp(0.0), Warp(1.0, 2, 0.5)])
def test_a_row_without_any_token_becomes_zeros(warp):
    assert warp(torch.full((1, 4), float("-inf"))).sum() == 0.0


def test_half_precision_becomes_float32_and_float64_stays():
    assert Warp()(torch.zeros(1, 3, dtype=torch.bfloat16)).dtype == torch.float32
    assert Warp()(torch.zeros(1, 3, dtype=torch.float64)).dtype == torch.float64


@pytest.mark.parametrize("wrong", [{"temperature": -1}, {"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.5}])
def test_values_out_of_range_are_refused_by_name(wrong):
    with pytest.raises(OptionError, match=f"{next(iter(wrong))} must be"):
        Warp(**wrong)
