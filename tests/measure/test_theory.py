"""Theorem 3.8 and its parts, against simulation and the paper's own table."""

import pytest

from specviz.errors import OptionError
from specviz.measure.theory import (
    arithmetic,
    best_gamma,
    expected_tokens,
    speed_up,
    verify_cost_at,
)


@pytest.mark.parametrize(
    ("acceptance", "gamma", "speed"), [(0.6, 2, 1.96), (0.7, 3, 2.53), (0.8, 2, 2.44), (0.8, 5, 3.69), (0.9, 10, 6.86)]
)
def test_table_1_of_the_paper(acceptance, gamma, speed):
    assert speed_up(acceptance, gamma, 0.0) == pytest.approx(speed, abs=0.005)
    assert expected_tokens(acceptance, gamma) == pytest.approx((1 - acceptance ** (gamma + 1)) / (1 - acceptance))


@pytest.mark.parametrize(
    ("acceptance", "gamma", "operations"),
    [(0.6, 2, 1.53), (0.7, 3, 1.58), (0.8, 2, 1.23), (0.8, 5, 1.63), (0.9, 2, 1.11), (0.9, 10, 1.60)],
)
def test_arithmetic_in_table_1_of_the_paper(acceptance, gamma, operations):
    assert arithmetic(acceptance, gamma, 0.0) == pytest.approx(operations, abs=0.005)
    assert arithmetic(acceptance, gamma, 0.1) > arithmetic(acceptance, gamma, 0.0)


@pytest.mark.parametrize(
    ("gamma", "acceptance", "cost", "expected"), [(7, 0.75, 0.02, 3.2), (5, 0.68, 0.04, 2.4), (3, 0.74, 0.11, 2.0)]
)
def test_table_4_of_the_paper(gamma, acceptance, cost, expected):
    assert speed_up(acceptance, gamma, cost) == pytest.approx(expected, abs=0.06)


def test_ends_of_the_range():
    assert expected_tokens(1.0, 4) == 5
    assert expected_tokens(0.0, 4) == 1
    assert expected_tokens(0.5, 0) == 1
    assert speed_up(1.0, 4, 0.1) == pytest.approx(5 / 1.4)
    assert speed_up(1.0, 4, 0.1, verify_cost=1.2) == pytest.approx(5 / 1.6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expected_tokens(1.1, 4), "acceptance is 1.1: it must be from 0 to 1"),
        (lambda: expected_tokens(float("nan"), 4), "acceptance is nan"),
        (lambda: expected_tokens(0.5, -1), "gamma is -1"),
        (lambda: speed_up(0.5, 4, -0.1), "draft_cost is -0.1"),
        (lambda: speed_up(0.5, 4, 0.1, 0.0), "verify_cost is 0.0"),
        (lambda: arithmetic(0.5, 4, -0.1), "draft_operations is -0.1"),
    ],
)
def test_a_wrong_argument_is_named(call, message):
    with pytest.raises(OptionError, match=message):
        call()


def test_a_target_call_costs_more_the_more_it_reads_and_never_less():
    assert [verify_cost_at(gamma, 1.2, 4) for gamma in (0, 4, 8)] == pytest.approx([1.0, 1.2, 1.4])
    assert [verify_cost_at(gamma, 0.9, 4) for gamma in (1, 4, 16)] == [0.9] * 3


def test_the_best_gamma_of_figure_3():
    """For c = 0.1, and free drafting: the more is accepted, the more to guess."""
    assert [best_gamma(acceptance, 0.1, 1.0, 4) for acceptance in (0.1, 0.5, 0.7, 0.9)] == [1, 2, 4, 10]
    assert best_gamma(0.7, 0.0, 1.0, 4) == 16 and best_gamma(0.0, 0.1, 1.0, 4) == 1
