"""Running a sweep: each task once, a row for it, kept on disk where a folder is given."""

import gc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from time import process_time, thread_time
from typing import Any

from specviz.decoding.run.loop import MAX_NEW_TOKENS, Run, iterations
from specviz.dice import SeededDice
from specviz.errors import SpecvizError, TraceError
from specviz.lab.machine import machine, versions
from specviz.lab.quality.reference import score
from specviz.lab.sweep.grid import GridLike, as_grid, as_seeds
from specviz.lab.sweep.log import RowLog, read_rows
from specviz.lab.sweep.plan import Plan, Task
from specviz.lab.sweep.prompts import SweepPrompt, as_prompts
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.written import RivalText, rival_columns, trace_columns
from specviz.lm.pair import ModelPair
from specviz.lm.prompt import Prompt
from specviz.measure.clock import stopwatch, tidy
from specviz.measure.devices import synchroniser
from specviz.measure.disturbance import disturbed_by
from specviz.trace.record import Trace
from specviz.trace.store import save_trace
from specviz.version import __version__

WARMING = 16  # tokens of a run that does not count
TRACES = "traces"

Rows = Callable[[Iterable[Task], bool], Iterator[tuple[Row, Trace | None]]]
"""Runs tasks, recorded or not, and yields their rows, with the traces of recorded ones."""
Start = Callable[[ModelPair], Rows]
Walk = Callable[[Iterator[Run]], tuple[Run, str | None]]
"""Takes a run to its end, of which it is handed the state after each iteration, and says what disturbed it (None:
nothing that it knows of)."""


def sweep(
    pair: ModelPair,
    grid: GridLike,
    prompts: Iterable[SweepPrompt | Prompt] | str | Path | None = None,
    seeds: int | Iterable[int] | None = None,
    *,
    max_new_tokens: int | None = None,
    out: str | Path | None = None,
    traces: bool = False,
    record: bool = False,
) -> Iterator[Row]:
    """Run every setting of ``grid`` on every prompt with every seed, and yield a row as each run ends.

    ``grid`` is a dict or a TOML file (``lab/sweep/grid.py``), in which ``seeds`` and ``max_new_tokens`` may stand, too;
    in a dict a method is a name or a Method. Rows know it by its name: change that where you change the rule.
    ``prompts`` are texts, a domain or set of the built-in ones, a file of JSON lines, or None: those of all domains.
    ``seeds`` are a list, or how many from 0 on; each is a round, in which the settings take turns.

    With ``out``, a folder, rows are kept in ``rows.jsonl`` there, and runs that it has already are left out: a sweep
    that was broken off, however that was, goes on where it stopped. ``traces`` keeps whole traces beside them. No row
    is kept in memory. ``record``, or ``traces``: with distributions, without which rows have no ``alpha``; it takes
    time outside the runs' clocks.

    What is wrong with the arguments is raised here, before the first run: OptionError, PromptError or ModelError, as
    of ``decode``. While it runs, SpecvizError that names the file where a row cannot be written, or the run
    that failed; the rows before are safe.

    >>> import specviz
    >>> pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
    >>> grid = {"method": [{"name": "autoregressive"}, {"name": "speculative", "gamma": [2, 4]}]}
    >>> rows = list(specviz.sweep(pair, grid, [[0], [1, 2]], seeds=3, max_new_tokens=8))
    >>> len(rows), sorted({row.setting for row in rows})
    (18, ['autoregressive', 'speculative gamma=2', 'speculative gamma=4'])
    """
    return run_plan(plan_of(pair, grid, prompts, seeds, max_new_tokens), out, traces, recorded=record)


def plan_of(
    pair: ModelPair,
    grid: GridLike,
    prompts: Iterable[SweepPrompt | Prompt] | str | Path | None = None,
    seeds: int | Iterable[int] | None = None,
    max_new_tokens: int | None = None,
) -> Plan:
    """The checked plan of a sweep; arguments and errors are those of ``sweep``."""
    whole = as_grid(grid)
    if seeds is not None:
        whole = replace(whole, seeds=as_seeds(seeds))
    if max_new_tokens is not None:
        whole = replace(whole, max_new_tokens=MAX_NEW_TOKENS.whole(max_new_tokens))
    plan = Plan(pair, whole, tuple(as_prompts(prompts)))
    plan.check()
    return plan


def run_plan(
    plan: Plan,
    out: str | Path | None = None,
    traces: bool = False,
    start: Start | None = None,
    *,
    recorded: bool = False,
) -> Iterator[Row]:
    """The rows of a checked plan, as ``sweep`` yields them. ``start`` makes of a pair what runs the tasks (None: this
    process does). ``recorded``: with distributions, so that every number is there, also where no traces are kept."""
    if traces and out is None:
        raise SpecvizError("traces need a folder to be kept in: out", argument="out")
    if out is not None:
        return _logged(plan, RowLog(out), traces, recorded or traces, start or _here)
    return (row for row, _ in _here(plan.pair)(plan, recorded))


def rows_of(plan: Plan, folder: str | Path) -> list[Row]:
    """Of the rows in the folder those of this plan, in its order; their settings and rounds are called as there."""
    rows = {row.key: row for row in read_rows(folder)}
    return [replace(rows[task.key], setting=task.setting.name, round=task.round) for task in plan if task.key in rows]


def _logged(plan: Plan, log: RowLog, traces: bool, recorded: bool, start: Start) -> Iterator[Row]:
    with log:
        pair = _with_cost_ratios(plan.pair, log)
        if traces:
            _make(log.path.parent / TRACES)
        for row, trace in start(pair)((task for task in plan if task.key not in log), recorded):
            if traces and trace is not None:
                try:
                    save_trace(trace, log.path.parent / TRACES / f"{row.key}.json")
                except TraceError as error:
                    raise log.broken_off(str(error)) from None
            log.append(row)
            yield row


def _with_cost_ratios(pair: ModelPair, log: RowLog) -> ModelPair:
    """The pair with what the rows were made with that are there."""
    models, numbers = models_of(pair), range(2, len(pair.drafts) + 2)
    first = log.cost_ratio(models, "model") or pair.cost_ratio
    further = {number: cost for number in numbers if (cost := log.cost_ratio(models, str(number)))}
    return replace(pair, cost_ratio=first, further_cost_ratios=pair.further_cost_ratios | further)


def _here(pair: ModelPair) -> Rows:
    """Runs tasks in this process, one after the other."""

    def rows(tasks: Iterable[Task], record: bool) -> Iterator[tuple[Row, Trace | None]]:
        runner = Runner(pair)
        with tidy():
            for task in tasks:
                gc.collect()
                yield runner.run(task, record)

    return rows


def at_once(run: Iterator[Run]) -> tuple[Run, None]:
    """Without a pause."""
    *_, last = run
    return last, None


class Runner:
    """Makes runs with ``pair``, each taken to its end by ``walk``; the first of each setting is made twice, and counts
    the second time."""

    def __init__(self, pair: ModelPair, walk: Walk = at_once):
        self.pair, self._walk = pair, walk
        self._warm = set[str]()

    def run(self, task: Task, record: bool) -> tuple[Row, Trace | None]:
        """One run, which reads its prompt; a rival's has no trace. Raises what ``decode`` does, with the run's name."""
        try:
            if task.setting.name not in self._warm:
                tokens = task.max_new_tokens if task.setting.decoder else min(WARMING, task.max_new_tokens)
                self._made(replace(task, max_new_tokens=tokens), record)
                self._warm.add(task.setting.name)
            synchronise, began, own = synchroniser(self.pair.target), process_time(), thread_time()
            with stopwatch(synchronise) as watch:
                row, disturbed = self._made(task, record)
            used, share = process_time() - began, (thread_time() - own) / watch.seconds
        except SpecvizError as error:
            raise error.within(f"{task.setting.name}, prompt {task.prompt.id}, seed {task.seed}: ") from None
        if isinstance(row, Trace):
            return _row(self.pair, task, trace_columns(row, task.ends), watch.seconds, used, disturbed), row
        prompt = self.pair.encode(task.prompt.prompt)
        columns = rival_columns(row, self.pair, prompt, task.ends, watch.seconds, None if synchronise else share)
        return _row(self.pair, task, columns, watch.seconds, used, disturbed), None

    def _made(self, task: Task, record: bool) -> tuple[Trace | RivalText, str | None]:
        """What a run wrote, and what disturbed it as far as who made it knows."""
        if task.setting.decoder is not None:
            self.pair.forget_prompts()
            return task.setting.decoder(self.pair.encode(task.prompt.prompt), task.max_new_tokens, task.seed), None
        run, disturbed = self._walk(self._decode(task, record))
        return run.trace(), disturbed

    def _decode(self, task: Task, record: bool) -> Iterator[Run]:
        self.pair.forget_prompts()
        method, dice, seed = task.setting.rule, SeededDice(task.seed), task.seed
        more = {"options": dict(task.setting.options), "max_new_tokens": task.max_new_tokens, "recorded": record}
        run = Run(self.pair, method, task.prompt.prompt, **more, dice=dice, seed=seed)
        for _ in iterations(run):
            yield run


def _row(pair: ModelPair, task: Task, own: dict[str, Any], wall: float, cpu: float, disturbed: str | None) -> Row:
    """A row of a run with its ``own`` columns."""
    reference = task.prompt.reference
    return Row(
        key=task.key,
        setting=task.setting.name,
        method=task.setting.method,
        options=task.setting.options,
        max_new_tokens=task.max_new_tokens,
        prompt=task.prompt.id,
        category=task.prompt.category,
        seed=task.seed,
        round=task.round,
        wall_seconds=wall,
        cpu_seconds=cpu,
        disturbed=disturbed or disturbed_by(own["metrics"]),
        models=models_of(pair),
        machine=_machine(own["device"]),
        versions=_versions(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        score=reference and score(reference, own["text"]),
        score_kind=reference and reference.kind,
        **own,
    )


def models_of(pair: ModelPair) -> dict[str, dict[str, str]]:
    """Name, fingerprint and dtype of the models, by role."""
    models = {"target": pair.target, "draft": pair.draft} | {f"draft {i}": m for i, m in enumerate(pair.drafts, 2)}
    return {
        role: {"name": m.name, "fingerprint": m.fingerprint, "dtype": str(m.dtype).removeprefix("torch.")}
        for role, m in models.items()
        if m is not None
    }


@lru_cache
def _machine(device: str) -> dict[str, str]:
    return machine(device)


@lru_cache
def _versions() -> dict[str, str]:
    return {"specviz": __version__} | versions()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SpecvizError(f"{folder} cannot be made ({error.strerror})") from None
