"""Perplexity."""

from math import log

import pytest

from specviz.measure.quality import perplexity


def test_perplexity_is_the_geometric_mean_of_inverse_probabilities():
    assert perplexity([log(0.5), log(0.125)]) == pytest.approx(4.0)
    assert perplexity([0.0]) == 1.0


@pytest.mark.parametrize("logprobs", [[], [-1.0, None], [-1e6]])
def test_no_number_where_there_is_none(logprobs):
    assert perplexity(logprobs) is None
