"""The call times: every combination once, the lean pass given back afterwards, no program left running."""

import subprocess
from itertools import product

from specviz.lab.measures import calls
from specviz.lm.loading.pairs import load_pair
from tests.tiny_pair import write_pair


def test_every_combination_is_measured_once(tmp_path, monkeypatch):
    paths, started, pairs, spawn = write_pair(tmp_path), [], [], subprocess.Popen

    def spied(*given, **more):
        started.append(spawn(*given, **more))
        return started[-1]

    def load(dtype, threads):
        pairs.append(load_pair(*paths, device="cpu", dtype=dtype, threads=threads))
        return pairs[-1]

    monkeypatch.setattr(subprocess, "Popen", spied)
    found = list(calls.call_times(load, cores=2, rounds=1))
    kinds = [(time.role, time.dtype, time.forward, time.threads, time.busy, time.rows) for time in found]
    wanted = product(("target", "draft"), ("float32", "bfloat16"), ("stock", "lean"), (1, 2), (0, 2), calls.ROWS)
    assert sorted(kinds) == sorted(wanted) and all(time.milliseconds > 0 for time in found)
    assert len(started) == 2 and all(program.poll() is not None for program in started)
    assert all(pair.target.lean and pair.draft.lean for pair in pairs)
