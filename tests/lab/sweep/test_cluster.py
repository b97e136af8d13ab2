"""A sweep on a local Ray cluster of two workers: the same tokens, also where workers are killed."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import specviz
from specviz.decoding.registry.parts import register_drafter, register_verifier
from specviz.decoding.registry.registry import register_method, unregister
from specviz.errors import ModelError, SpecvizError
from specviz.lab.sweep import cluster
from specviz.lab.sweep.cluster import Cluster, Worker
from specviz.lab.sweep.log import read_rows
from specviz.lab.sweep.prompts import built_in
from specviz.lab.sweep.running import plan_of, run_plan
from specviz.rules.spec import VerifierSpec
from specviz.rules.token import Coin, TokenVerifier
from tests.decoding.registry.own_parts import PATIENT, STRANGER, TWINS
from tests.tiny_pair import write_pair

GRID = {"method": [{"name": "speculative"}, {"name": "mtad", "gamma": 2}], "max_new_tokens": 5}
PROMPTS, SEEDS = ["Once", "upon a time"], 6
ROOT = Path(__file__).resolve().parents[3]
SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
"""Of Ray: its workers would wait for the other tests, which are not nice."""


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    target, draft = write_pair(tmp_path_factory.mktemp("pair"))
    return {"target": str(target), "draft": str(draft), "device": "cpu", "threads": 1}


@pytest.fixture(scope="module")
def two_processors():
    ray = pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
        for name, value in SETTINGS.items():
            patch.setenv(name, value)
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        yield
        ray.shutdown()


@pytest.fixture
def start(models, two_processors):
    return partial(Cluster, "local", 2, models)


def workers() -> list[int]:
    """The processes that run tasks."""
    found = [(int(p.parent.name), p.read_bytes()) for p in Path("/proc").glob("[0-9]*/cmdline") if p.exists()]
    return sorted(process for process, command in found if command.startswith(b"ray::Worker"))


@pytest.mark.full
def test_a_cluster_writes_the_same_tokens_and_survives_the_loss_of_a_worker(models, start, tmp_path):
    pair = specviz.load_pair(**models)
    plan = plan_of(pair, GRID, PROMPTS, SEEDS)
    whole = {row.key: row.token_ids for row in specviz.sweep(pair, GRID, PROMPTS, SEEDS)}
    rows = run_plan(plan, tmp_path, True, lambda pair: start(pair).rows)
    first = next(rows)
    assert first.disturbed and len(workers()) == 2  # they share a machine
    os.kill(workers()[0], signal.SIGKILL)
    made = [first, *rows]
    assert len(made) == len(whole) == len(plan) and {row.key: row.token_ids for row in made} == whole
    assert list(read_rows(tmp_path)) == made  # while a new worker loads, the other may have the machine to itself
    assert len(list((tmp_path / "traces").iterdir())) == len(made)


@pytest.mark.full
def test_all_workers_guess_as_many_tokens_as_this_machine_would(models, start, tmp_path, monkeypatch):
    pair = specviz.load_pair(**models)
    monkeypatch.setattr("specviz.measure.calibration._measured", lambda *_: 0.0123)  # none of theirs
    plan = plan_of(pair, {"method": [{"name": "speculative", "gamma": "auto"}], "max_new_tokens": 5}, PROMPTS, 2)
    whole = {row.key: row.token_ids for row in run_plan(plan)}
    rows = [*run_plan(plan, tmp_path, False, lambda pair: start(pair).rows)]
    assert {row.key: row.token_ids for row in rows} == whole and {row.cost_ratio for row in rows} == {0.0123}
    assert all(row.disturbed for row in rows)  # the last one, too, which went on alone


@pytest.mark.full
def test_a_task_that_loses_every_worker_ends_the_sweep(models, start, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "TRIES", 1)
    plan = plan_of(specviz.load_pair(**models), GRID, PROMPTS, SEEDS)
    rows = run_plan(plan, tmp_path, start=lambda pair: start(pair).rows)
    made = [next(rows)]
    for process in workers():
        os.kill(process, signal.SIGKILL)
    with pytest.raises(SpecvizError, match="1 workers of the cluster were lost while they ran this .*the rows before"):
        made.extend(iter(lambda: next(rows), None))
    assert list(read_rows(tmp_path))[: len(made)] == made


@pytest.mark.full
def test_what_a_cluster_cannot_do_is_named(models, start):
    pair = specviz.load_pair(**models)
    with pytest.raises(SpecvizError, match="workers must be 1 to 2, the cluster's CPUs, got 3"):
        Cluster("local", 3, models, pair)
    plan = plan_of(pair, GRID, PROMPTS, 1)
    other = Cluster("local", 1, models | {"draft": models["target"]}, pair)
    with pytest.raises(SpecvizError, match="a worker of the cluster has other models than this machine"):
        list(other.rows(plan, False))
    none = Cluster("local", 1, models | {"draft": "/none/such"}, pair)
    with pytest.raises(ModelError, match="/none/such"):
        list(none.rows(plan, False))
    task = next(iter(plan))
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute"):  # what our own code does wrong
        list(Cluster("local", 1, models, pair).rows([replace(task, setting=None)], False))


@pytest.mark.full
def test_workers_know_methods_of_ones_own(models, start):
    """Registered ones, also as parts of a free pairing, and one that nobody registered, of functions made here."""

    class Halves(TokenVerifier):
        def _flip(self, number, node, target, dice):
            flip = dice.flip(0.5)
            return Coin(number, node.depth, node.token, 0.5, flip.uniform, flip.heads, target, node.draft)

    spec = VerifierSpec(
        "halves", "a fair coin", lambda context, options: Halves(1.0, context.end_tokens), judges=("chain",)
    )
    registered = [register_verifier(spec), register_drafter(TWINS), register_verifier(PATIENT)]
    registered.append(register_method(replace(STRANGER, drafter="twins", verifier="patient")))
    try:
        made_here = specviz.Method(name="made-here", drafter="chain", verifier=replace(spec, name="other-halves"))
        free = {"name": "custom", "drafter": "twins", "verifier": "patient"}
        named = [{"name": "stranger"}, {"name": specviz.Method(name="half", drafter="chain", verifier="halves")}]
        grid = {"method": [*named, {"name": made_here}, free], "max_new_tokens": 5}
        pair = specviz.load_pair(**models)
        plan = plan_of(pair, grid, PROMPTS, 1)
        found = {row.key: (row.setting, row.token_ids) for row, _ in start(pair).rows(plan, False)}
        assert found == {row.key: (row.setting, row.token_ids) for row in run_plan(plan)} and len(found) == 8
    finally:
        for one in registered:
            unregister(one.name)


class Doomed(Worker):
    """Is lost while it loads its models, unless the file is there that the first one leaves."""

    def run(self, task, record, costs):
        if not (left := Path(self._models["target"]).with_name("lost")).exists():
            left.touch()
            self._models = {**self._models, "target": Deadly()}
        return super().run(task, record, costs)


class Deadly(os.PathLike):
    def __fspath__(self):
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.full
def test_a_worker_lost_while_it_loads_is_replaced(models, two_processors, monkeypatch):
    monkeypatch.setattr(cluster, "Worker", Doomed)
    pair = specviz.load_pair(**models)
    plan = plan_of(pair, GRID, PROMPTS, 1)
    made = [row for row, _ in Cluster("local", 1, models, pair).rows(plan, False)]
    assert Path(models["target"]).with_name("lost").exists()
    assert {row.key: row.token_ids for row in made} == {
        row.key: row.token_ids for row in specviz.sweep(pair, GRID, PROMPTS, 1)
    }


@pytest.mark.full
def test_however_a_worker_is_lost_its_task_is_made_again(models, start, monkeypatch):
    import ray

    errors = [getattr(ray.exceptions, name)("lost") for name in ("OutOfMemoryError", "NodeDiedError")]
    pair, get = specviz.load_pair(**models), ray.get

    def lost(done):
        found = get(done)
        if isinstance(found, tuple) and errors:
            raise errors.pop()
        return found

    monkeypatch.setattr(ray, "get", lost)
    plan = plan_of(pair, GRID, PROMPTS, 1)
    made = sorted(row.key for row, _ in start(pair).rows(plan, False))
    assert not errors and made == sorted(task.key for task in plan)


@pytest.mark.full
def test_where_processors_are_missing_fewer_workers_go_on_and_without_any_it_ends(models, start, monkeypatch):
    import ray

    monkeypatch.setattr(cluster, "PATIENCE", 15.0)
    pair = specviz.load_pair(**models)
    plan = plan_of(pair, GRID, PROMPTS, 1)
    taken = [ray.remote(num_cpus=1)(Worker).remote({}, {})]
    ray.get(taken[0].node.remote())
    assert len(list(start(pair).rows(plan, False))) == len(plan)
    taken.append(ray.remote(num_cpus=1)(Worker).remote({}, {}))
    ray.get(taken[1].node.remote())
    monkeypatch.setattr(cluster, "PATIENCE", 1.0)
    with pytest.raises(SpecvizError, match=r"no worker of the cluster is left \(no processor is free.*the rows before"):
        list(start(pair).rows(plan, False))
    for worker in taken:
        ray.kill(worker)


@pytest.mark.full
def test_the_command_begins_a_cluster_of_its_own(models, tmp_path):
    pytest.importorskip("ray")
    grid = tmp_path / "grid.toml"
    grid.write_text('seeds = [0, 1]\nmax_new_tokens = 5\n[[method]]\nname = "speculative"\n', encoding="utf-8")
    command = [sys.executable, "-m", "specviz", "sweep", str(grid), "--prompts", "tales", "--out"]
    command += [str(tmp_path / "rows"), "--ray", "local", "--workers", "1"]
    command += [f"--{name}={value}" for name, value in models.items()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **SETTINGS}
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    pair, wanted = specviz.load_pair(**models), {}
    for row in specviz.sweep(pair, GRID | {"method": [{"name": "speculative"}]}, built_in("tales"), 2):
        wanted[row.key] = row.token_ids
    assert {row.key: row.token_ids for row in read_rows(tmp_path / "rows")} == wanted
