"""The runs of a sweep on a Ray cluster: a pair of models for each worker, the same tokens as on one machine."""

import gc
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from specviz.errors import ModelError, SpecvizError
from specviz.lab.sweep.plan import Task, identity
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.running import Runner
from specviz.lm.loading.pairs import load_pair
from specviz.lm.pair import ModelPair
from specviz.trace.record import Trace

TRIES = 3
"""How often a task is given to a worker that is then lost, before the sweep ends."""
SHARED = "workers"  # why a speed says nothing about the method


class Worker:
    """What runs in a process of the cluster. ``models`` are the arguments of ``load_pair`` there; the pair must be the
    one with this ``identity``."""

    def __init__(self, models: Mapping[str, Any], cost_ratio: float | None, wanted: Mapping[str, Any]):
        self._runner = Runner(replace(load_pair(**models), cost_ratio=cost_ratio))
        self._same = identity(self._runner.pair) == wanted

    def run(self, task: Task, record: bool) -> tuple[Row, Trace | None] | SpecvizError:
        """A run; an error of it as a value, which keeps its class and its words."""
        if not self._same:
            return ModelError("a worker of the cluster has other models than this machine")
        gc.collect()
        try:
            row, trace = self._runner.run(task, record)
        except SpecvizError as error:
            return error
        return row, trace if record else None

    def node(self) -> str:
        import ray

        return ray.get_runtime_context().get_node_id()


class Cluster:
    """Runs tasks on ``workers`` processes (None: one a machine, or one a GPU) of the cluster at ``address`` (``auto``:
    the one that this machine is part of; ``local``: a new one here), which load the ``models`` that ``load_pair`` takes
    by name. ``pair`` is the same pair here.

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
        self._given = (dict(models), pair.cost_ratio, identity(pair))

    def rows(self, tasks: Iterable[Task], record: bool) -> Iterator[tuple[Row, Trace | None]]:
        """Run the tasks, and yield each row as its run ends. A task whose worker is lost is given to a new one. Raises
        SpecvizError for a run that fails, and for one that lost three workers; the workers end with this."""
        ray, left, lost = self._ray, iter(tasks), Counter[str]()
        nodes: dict[Any, str] = {}
        under_way: dict[Any, tuple[Any, Task]] = {}
        try:
            for task in islice(left, self._count):
                worker = self._actor.remote(*self._given)
                nodes[worker] = ""
                under_way[worker.run.remote(task, record)] = worker, task
            nodes.update({worker: self._node(worker) for worker in nodes})
            while under_way:
                (done,), _ = ray.wait(list(under_way), num_returns=1)
                worker, task = under_way.pop(done)
                following: Task | None = task
                try:
                    found = ray.get(done)
                    if isinstance(found, SpecvizError):
                        raise found
                    shared = list(nodes.values()).count(nodes[worker]) > 1
                    row, trace = found
                    yield replace(row, disturbed=row.disturbed or (SHARED if shared else None)), trace
                    following = next(left, None)
                except ray.exceptions.RayActorError as error:
                    lost[task.key] += 1
                    if lost[task.key] == TRIES:
                        raise _lost(task, error) from None
                    del nodes[worker]
                    worker = self._actor.remote(*self._given)
                    nodes[worker] = self._node(worker)
                if following is not None:
                    under_way[worker.run.remote(following, record)] = worker, following
        finally:
            for worker in nodes:
                ray.kill(worker)

    def _node(self, worker: Any) -> str:
        """Where a worker runs, once it has loaded the models."""
        try:
            return self._ray.get(worker.node.remote())
        except self._ray.exceptions.RayActorError as error:
            raise SpecvizError(f"a worker of the cluster does not start: {_short(error)}") from None


def _lost(task: Task, error: Exception) -> SpecvizError:
    return SpecvizError(
        f"{task.setting.name}, prompt {task.prompt.id}, seed {task.seed}: {TRIES} workers of the cluster were lost "
        f"while they ran this ({_short(error)}); the rows before are safe, and the same sweep goes on from there"
    )


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[-300:]
