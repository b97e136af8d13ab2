"""Calibration tells a slow model from a quick one, once per pair."""

from time import sleep

from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.measure.calibration import cost_ratio


def slow(seconds: float) -> TableLM:
    """A model whose every call takes ``seconds`` (and a little)."""
    model = TableLM(lambda context: [0.5, 0.5], 2)
    opened = model.open

    def open(capacity):
        session = opened(capacity)
        extend = session.extend

        def sluggish(*arguments, **options):
            sleep(seconds)
            return extend(*arguments, **options)

        session.extend = sluggish
        return session

    model.open = open
    return model


def test_the_ratio_is_draft_over_target_and_kept():
    pair = ModelPair(slow(0.02), slow(0.005))
    ratio = cost_ratio(pair)
    assert 0.1 < ratio < 0.8  # a quarter, were the machine all ours
    assert cost_ratio(pair) == ratio == pair.cost_ratio


def test_a_given_ratio_is_not_measured():
    assert cost_ratio(ModelPair(slow(0.0), slow(0.0), cost_ratio=0.125)) == 0.125
