"""Ticks at round numbers, within their axis."""

import pytest

from specviz.pictures.charts import round_ticks


@pytest.mark.parametrize(
    "low, high, words",
    [
        (0.0, 1.0, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (-3.06, 0.58, ["−3", "−2", "−1", "0"]),
        (0.98, 2.0, ["1", "1.25", "1.5", "1.75", "2"]),
        (0.0, 12.0, ["0", "2.5", "5", "7.5", "10"]),
        (0.0, 480.0, ["0", "100", "200", "300", "400"]),
    ],
)
def test_ticks_are_round(low, high, words):
    ticks = round_ticks(low, high)
    assert [tick.word for tick in ticks] == words
    assert all(low <= tick.at <= high for tick in ticks)
