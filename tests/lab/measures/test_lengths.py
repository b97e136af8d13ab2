"""Draft lengths: every length on every prompt, and what is said of auto beside the best."""

import pytest

from specviz.commands.show_measures import lengths_table
from specviz.lab.measures import lengths
from specviz.lab.measures.lengths import AUTO, FIXED, LengthSpeed, auto_over_best, length_speeds
from specviz.lab.prompts import PROMPTS
from specviz.lm.loading.pairs import load_pair
from tests.printing import printed
from tests.tiny_pair import write_pair


def test_every_length_runs_on_every_prompt_with_the_same_seeds(tmp_path, monkeypatch):
    asked = []
    real = lengths.decode

    def decode(pair, method, text, *, gamma, seed, **settings):
        asked.append((text, seed, gamma))
        return real(pair, method, text, gamma=gamma, seed=seed, **settings)

    monkeypatch.setattr(lengths, "decode", decode)
    pair = load_pair(*write_pair(tmp_path), device="cpu")
    found = list(length_speeds(pair, rounds=2, tokens=3))
    assert [(one.domain, one.gamma) for one in found] == [
        (domain, gamma) for domain in ("tales", "sums", "queries") for gamma in (AUTO, *FIXED)
    ]
    assert all(len(one.rounds) == 2 and min(one.rounds) > 0 for one in found)
    assert sorted(asked, key=str) == sorted(
        ((prompt.text, seed, gamma) for prompt in PROMPTS for seed in range(2) for gamma in (AUTO, *FIXED)), key=str
    )
    assert "auto / best fixed" in printed(lengths_table(found))


def test_auto_is_held_against_the_fastest_fixed_length():
    speeds = [
        LengthSpeed("tales", AUTO, (90.0, 99.0)),
        LengthSpeed("tales", 2, (100.0, 90.0)),
        LengthSpeed("tales", 4, (100.0, 110.0)),
    ]
    best, ratio = auto_over_best(speeds)
    assert best == 4 and ratio.median == pytest.approx(0.9)
    shown = printed(lengths_table(speeds))
    assert "105*" in shown and "0.90" in shown and ".." not in shown
    again = [LengthSpeed(one.domain, one.gamma, one.rounds * 3) for one in speeds]
    assert "(0.90 .. 0.90)" in printed(lengths_table(again))
