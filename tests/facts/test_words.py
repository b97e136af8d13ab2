"""Where a token came from and what a method promises: one table each, read by everybody."""

from typing import get_args

import pytest

from specviz.commands.methods import methods_page
from specviz.decoding.exact.own_parts import claim_holds
from specviz.decoding.registry.registry import methods
from specviz.facts.words import GUARANTEES, ORIGINS, of_guarantee
from specviz.lab.guarantees import words as meter
from specviz.trace.forest import Origin
from specviz.trace.record import Guarantee
from specviz.views.plot import palette
from specviz.views.race.race_view import guarantee_badge, legend


def test_every_origin_and_guarantee_has_all_its_words():
    assert tuple(ORIGINS) == get_args(Origin) and tuple(GUARANTEES) == get_args(Guarantee)
    assert all(word.strip() for words in (*ORIGINS.values(), *GUARANTEES.values()) for word in words)


def test_page_figures_and_terminal_read_the_same_table():
    assert {one["name"]: (one["word"], one["help"]) for one in legend()["origins"]} == {
        name: (words.caption, words.help) for name, words in ORIGINS.items()
    }
    assert {name: mark.word for name, mark in palette.ORIGINS.items()} == {n: w.mark for n, w in ORIGINS.items()}
    for method in methods().values():
        words, record = GUARANTEES[method.guarantee], method.record(method.resolve())
        assert words.help in guarantee_badge(record, claim_holds)["help"] and words.meaning in methods_page(
            {method.name: method}
        )
        assert meter.word(method) == words.meter


@pytest.mark.parametrize("unknown", ["psychic"])
def test_a_guarantee_that_only_a_file_knows_is_named(unknown):
    words = of_guarantee(unknown)
    assert (words.name, words.help, words.one) == (unknown, "Its guarantee: psychic.", "has the guarantee psychic")
