"""What the page says of a method of one's own waits for the check of its guarantee."""

from dataclasses import replace

import pytest

import specviz
from specviz.decoding.exact.own_parts import check_of, claim_holds
from specviz.decoding.registry.registry import unregister
from specviz.views.race.race_view import guarantee_badge
from tests.decoding.registry.own_parts import BLEND, FORGETFUL, PATIENT

EXACT = replace(FORGETFUL, guarantee=None, exact=PATIENT.exact)


@pytest.fixture
def registered():
    for spec in (PATIENT, EXACT):
        specviz.register_verifier(spec)
    specviz.register_drafter(BLEND)
    yield
    for name in (PATIENT.name, EXACT.name, BLEND.name):
        unregister(name)


def badge_of(verifier: specviz.VerifierSpec) -> dict:
    method = specviz.Method("mine", "chain", verifier)
    return guarantee_badge(method.record(method.resolve()), claim_holds)


def test_built_in_pairings_are_proven():
    assert all(claim_holds(*(spec.name for spec in method.pair({}))) for method in specviz.methods().values())


@pytest.mark.full
def test_an_own_rule_that_keeps_its_word_is_lossless_once_it_is_checked(registered):
    assert check_of(specviz.drafters()["chain"], PATIENT).result() and claim_holds("chain", "patient") is True
    assert badge_of(PATIENT)["name"] == "lossless" and badge_of(PATIENT)["exact"]


@pytest.mark.full
def test_one_that_does_not_is_never_called_so(registered):
    assert not badge_of(EXACT)["exact"]
    assert check_of(specviz.drafters()["chain"], EXACT).result() is False and claim_holds("chain", "forgetful") is False
    badge = badge_of(EXACT)
    assert (badge["kind"], badge["name"], badge["exact"]) == ("unchecked", "own method, fails its check", False)


def test_what_nobody_knows_here_is_not_called_lossless():
    badge = badge_of(replace(PATIENT, name="stranger's"))
    assert claim_holds("chain", "stranger's") is None
    assert badge["name"] == "own method, not checked" and not badge["exact"]
