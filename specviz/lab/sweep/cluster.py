"""The runs of a sweep on a Ray cluster: a pair of models for each worker, the same tokens as on one machine."""

import gc
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

from specviz.decoding.registry.registry import own_entries, register_missing
from specviz.errors import ModelError, SpecvizError
from specviz.lab.sweep.plan import Task, identity
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.running import Runner
from specviz.lm.loading.pairs import load_pair
from specviz.lm.pair import ModelPair
from specviz.measure.calibration import cost_ratio
from specviz.trace.record import Trace

TRIES = 3
"""How often a task is given to a worker that is then lost, before the sweep ends."""
PATIENCE = 300.0
"""Seconds in which a worker must be there, its process started on a processor of its own, where no other runs."""
UnderWay = dict[Any, tuple[Any, Task | None]]
"""By what is waited for: a worker and its task; None: it is yet to be there."""
SHARED = "workers"  # why a speed says nothing about the method
SAFE = "; the rows before are safe, and the same sweep goes on from there"


class Worker:
    """What runs in a process of the cluster, and loads its models with its first task. ``models`` are the arguments of
    ``load_pair`` there; the pair must be the one with this ``identity``. ``own`` are the drafters, verifiers and
    methods that are registered where the sweep was begun."""

    def __init__(self, models: Mapping[str, Any], wanted: Mapping[str, Any], own: tuple[Any, ...] = ()):
        self._models, self._wanted = models, wanted
        register_missing(own)

    def run(self, task: Task, record: bool, costs: Mapping[int, float]) -> tuple[Row, Trace | None] | SpecvizError:
        """A run, where drafts cost what ``costs`` says of their numbers; an error of it as a value, which keeps its
        class and its words."""
        try:
            gc.collect()
            pair = self._runner.pair
            pair.cost_ratio = costs.get(1)
            pair.further_cost_ratios = {number: cost for number, cost in costs.items() if number > 1}
            row, trace = self._runner.run(task, record)
        except SpecvizError as error:
            return error
        return row, trace if record else None

    @cached_property
    def _runner(self) -> Runner:
        pair = load_pair(**self._models)
        if identity(pair) != self._wanted:
            raise ModelError("a worker of the cluster has other models than this machine")
        return Runner(pair)

    def node(self) -> str:
        """The machine that it was given a processor of."""
        import ray

        return ray.get_runtime_context().get_node_id()


class Cluster:
    """Runs tasks on ``workers`` processes (None: one a machine, or one a GPU) of the cluster at ``address`` (``auto``:
    the one that this machine is part of; ``local``: a new one here), which load the ``models`` that ``load_pair`` takes
    by name. ``pair`` is the same pair here. Methods of one's own that are registered here are known there, too: what
    they are made of is sent along, or is imported there where it is of a module.

    Raises SpecvizError where Ray is missing, naming the extra, no cluster answers, or it has too few processors.
    """

    def __init__(self, address: str, workers: int | None, models: Mapping[str, Any], pair: ModelPair):
        try:
            import ray
        except ImportError:
            raise SpecvizError("Ray is missing, of the extra specviz[ray]", code="missing_part") from None
        if not ray.is_initialized():
            try:
                dashboard = False if address == "local" else None  # a new one needs none; others' stays as it is
                quiet = logging.ERROR
                ray.init(address=address, include_dashboard=dashboard, log_to_driver=False, logging_level=quiet)
            except (ConnectionError, ValueError, RuntimeError) as error:
                said = str(error).splitlines()[0]
                raise SpecvizError(f"no Ray cluster answers at {address}: {said}", argument="ray") from None
        kind = "GPU" if pair.target.device.type == "cuda" else "CPU"
        most = int(ray.cluster_resources().get(kind, 0))
        machines = sum(node["Alive"] for node in ray.nodes())
        self._count = workers or (most if kind == "GPU" else machines)
        if not 1 <= self._count <= most:
            raise SpecvizError(
                f"workers must be 1 to {most}, the cluster's {kind}s, got {self._count}",
                argument="workers",
            )
        self._ray, self._actor = ray, ray.remote(num_cpus=1, num_gpus=int(kind == "GPU"))(Worker)
        self._pair, self._given = pair, (dict(models), identity(pair), own_entries())

    def rows(self, tasks: Iterable[Task], record: bool) -> Iterator[tuple[Row, Trace | None]]:
        """Run the tasks, and yield each row as its run ends. A task whose worker is lost is made again, and another
        worker asked for; the others go on meanwhile. Raises SpecvizError for a run that fails, for one that lost three
        workers, and where no worker is left; the workers end with this."""
        ray, lost, waiting = self._ray, Counter[str](), iter(tasks)
        following, reason = next(waiting, None), "no processor is free for one"
        nodes: dict[Any, str] = {}  # of a worker that takes the place of another: the other's, until it is there
        under_way: UnderWay = {}
        shared: set[Any] = set()  # workers whose run was not alone on its machine
        try:
            for _ in range(self._count):
                self._ask(under_way)
            ray.wait(list(under_way), num_returns=self._count, timeout=PATIENCE)
            while following or any(task for _, task in under_way.values()):
                worker, task, result = self._ended(under_way, reason)
                if isinstance(result, ray.exceptions.RayError):
                    reason, node = _short(result), nodes.pop(worker, "")
                    ray.kill(worker)  # where it only cannot be reached
                    if task is not None:  # a worker that never came is not asked for again
                        lost[task.key] += 1
                        if lost[task.key] == TRIES:
                            raise _lost(task, reason)
                        waiting, following = chain([following] if following else [], waiting), task
                        nodes[self._ask(under_way)] = node
                    continue
                if task is None:
                    nodes[worker] = result
                else:
                    row, trace = result
                    here = {other for other, node in nodes.items() if node == nodes[worker]}
                    shared |= here if len(here) > 1 else set()  # the runs that the others are in the middle of, too
                    yield replace(row, disturbed=row.disturbed or (SHARED if worker in shared else None)), trace
                    shared.discard(worker)
                if following is None:
                    del nodes[worker]
                    ray.kill(worker)  # who is asked for may need its processor
                else:
                    under_way[worker.run.remote(following, record, self._costs(following))] = worker, following
                    following = next(waiting, None)
        finally:
            for worker in {*nodes, *(worker for worker, _ in under_way.values())}:
                ray.kill(worker)

    def _costs(self, task: Task) -> dict[int, float]:
        """What the draft of a run costs whose number of guesses follows from it: measured here, once, so that all
        workers draft alike."""
        options, further = task.setting.options, range(2, len(self._pair.drafts) + 2)
        number = ({"model": 1} | {str(number): number for number in further}).get(str(options.get("draft")))
        return {number: cost_ratio(self._pair, number)} if number and options.get("gamma") == "auto" else {}

    def _ask(self, under_way: UnderWay) -> Any:
        """Ask for a worker, which is there as soon as it says where."""
        worker = self._actor.remote(*self._given)
        under_way[worker.node.remote()] = worker, None
        return worker

    def _ended(self, under_way: UnderWay, reason: str) -> tuple[Any, Task | None, Any]:
        """The first worker that answers, its task, and the answer, or the RayError that it was lost with. Raises the
        SpecvizError that is the answer, what our own code raised in the worker, and SpecvizError, with the reason
        ``reason``, where none works and none comes."""
        ray, busy = self._ray, any(task for _, task in under_way.values())
        done = under_way and ray.wait(list(under_way), num_returns=1, timeout=None if busy else PATIENCE)[0]
        if not done:
            raise SpecvizError(f"no worker of the cluster is left ({reason}){SAFE}")
        worker, task = under_way.pop(done[0])
        try:
            result = ray.get(done[0])
        except ray.exceptions.RayTaskError:
            raise
        except ray.exceptions.RayError as error:
            return worker, task, error
        if isinstance(result, SpecvizError):
            raise result
        return worker, task, result


def _lost(task: Task, reason: str) -> SpecvizError:
    return SpecvizError(
        f"{task.setting.name}, prompt {task.prompt.id}, seed {task.seed}: {TRIES} workers of the cluster were lost "
        f"while they ran this ({reason}){SAFE}"
    )


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[-300:]
