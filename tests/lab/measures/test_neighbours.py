"""Runs beside busy programs: every combination once, shares of what is fair, no program left running."""

import subprocess
from itertools import product

import pytest

from specviz.commands.show_measures import busy_table
from specviz.lab.measures import neighbours
from specviz.lm.loading.pairs import load_pair
from tests.printing import printed
from tests.tiny_pair import write_pair


def test_every_combination_is_measured_once(tmp_path, monkeypatch):
    pair = load_pair(*write_pair(tmp_path), device="cpu")
    speeds = {0: 100.0, 1: 60.0, 2: 50.0, 4: 20.0}
    busy, seen = [0], []
    monkeypatch.setattr(neighbours, "busy_programs", _counting(busy))
    monkeypatch.setattr(neighbours, "_speed", lambda pair, *_: seen.append(pair.threads) or speeds[busy[0]])
    found = list(neighbours.busy_speeds(pair, [("autoregressive", {}), ("mtad", {})], 2, rounds=1, tokens=4))
    kinds = [(one.busy, one.threads, one.method) for one in found]
    assert kinds == list(product((0, 1, 2, 4), (1, 2), ("autoregressive", "mtad"))) and {1, 2} == set(seen)
    shares = {(one.threads, one.busy): one.of_fair_share for one in found}
    assert shares[1, 0] == shares[2, 0] == 1.0 and shares[1, 1] == pytest.approx(0.6)
    assert shares[1, 2] == pytest.approx(0.5 * 3 / 2) and shares[2, 2] == pytest.approx(0.5 * 4 / 2)
    assert all(one.chosen == (one.threads == 1) for one in found)
    text = printed(busy_table(found))
    assert "1 (chosen)" in text and "60 (0.60)" in text and "50 (0.75)" in text


def _counting(busy):
    class Beside:
        def __init__(self, number):
            self.number = number

        def __enter__(self):
            busy[0] = self.number

        def __exit__(self, *_):
            busy[0] = 0

    return Beside


def test_speeds_are_those_of_real_runs(tmp_path):
    pair = load_pair(*write_pair(tmp_path), device="cpu")
    assert 0 < neighbours._speed(pair, "speculative", {"gamma": 2}, 1, 4) < 1e6


def test_programs_beside_it_end_however_it_ends(monkeypatch):
    started, spawn = [], subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *given: started.append(spawn(*given)) or started[-1])
    with pytest.raises(KeyError), neighbours.busy_programs(1):
        assert started[0].poll() is None
        raise KeyError
    assert started[0].poll() is not None
