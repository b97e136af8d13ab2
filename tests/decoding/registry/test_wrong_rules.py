"""``check_guarantee`` refuses every wrong rule of ``wrong_rules.py`` at its defaults, by a distance, and holds the same
machinery with nothing wrong to be right."""

import pytest

import specviz
from tests.decoding.registry.wrong_rules import RIGHT, WRONG


@pytest.mark.full
@pytest.mark.every(5)
@pytest.mark.parametrize("name", WRONG)
def test_a_rule_that_is_wrong_in_one_place_is_refused(name):
    report = specviz.check_guarantee(WRONG[name])
    away = [claim for claim in report.failures if claim.distance > claim.tolerance]
    assert away, report
    assert not report.holds and all(str(claim).startswith("FAILS") for claim in away)


@pytest.mark.full
@pytest.mark.every(2)
@pytest.mark.parametrize("name", RIGHT)
def test_the_same_machinery_with_nothing_wrong_holds(name):
    report = specviz.check_guarantee(RIGHT[name])
    assert report.holds and report.distance < 1e-9, report


def test_there_are_enough_of_them():
    assert len(WRONG) >= 40
