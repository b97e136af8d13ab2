"""What a run on a GPU must show: our decoders beside transformers' own with the same models, in turns in the same run.

Besides the speeds: the share of an iteration that goes outside the models' calls; CUDA graphs against the same calls
launched kernel by kernel, where the models have graphs; and memory. Pairs are measured one after the other, so that
only one is in memory; one that does not fit is left out, and said to be.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from os import getpid
from pathlib import Path
from typing import Any

import torch

from specviz.errors import ModelError, OptionError
from specviz.lab.machine import resident
from specviz.lab.rivals.entered import EAGER, bench_plan, bench_rows, ours, rivals, variant
from specviz.lab.rivals.grown import PAPER, TINY, grown_pair
from specviz.lab.rivals.report import bench_report
from specviz.lab.rivals.suite import Entry
from specviz.lab.sweep.grid import Setting
from specviz.lab.sweep.prompts import SweepPrompt
from specviz.lab.sweep.running import Runner
from specviz.lm.loading.models import check_device
from specviz.lm.network.transformer import is_out_of_memory
from specviz.lm.pair import ModelPair

METHODS = ("autoregressive", "speculative", "mtad", "dsbd")


@dataclass(frozen=True)
class Source:
    """A pair to be measured: its name, what is to be known of it, and what loads it."""

    name: str
    note: str
    load: Callable[[], ModelPair]


def gpu_device(name: str | None) -> str:
    """The device to grow pairs on: a GPU unless cpu is asked for. Raises ModelError where there is none, and for what
    is no device."""
    if name == "cpu":
        return "cpu"
    if not torch.cuda.is_available():
        raise ModelError(
            "bench --gpu needs a CUDA GPU, and this torch sees none; --device cpu checks the command itself, on a tiny "
            "shape",
            argument="device",
        )
    check_device(name or "cuda")
    return "cuda" if name in (None, "auto") else name


def grown_sources(names: Sequence[str] | None, device: str, dtype: torch.dtype) -> list[Source]:
    """The pairs of these shapes; None: all of ``PAPER``, on a processor the tiny one. Raises OptionError for an unknown
    name."""
    shapes = PAPER | TINY
    if names is None:
        names = tuple(TINY) if device == "cpu" else tuple(PAPER)
    for name in names:
        if name not in shapes:
            raise OptionError(f"shapes must be among {', '.join(shapes)}, got {name!r}", argument="shapes")
    return [Source(name, shapes[name].note, partial(grown_pair, shapes[name], device, dtype)) for name in names]


def gpu_bench(
    sources: Iterable[Source],
    methods: Sequence[Entry],
    prompts: Sequence[SweepPrompt],
    *,
    tokens: int,
    rounds: int,
    seed: int,
    work: Path | None = None,
) -> Iterator[dict[str, Any]]:
    """Measure each source and yield what ``measured`` says of it, with its ``name`` and ``note``; of one that the
    device has too little memory for, ``does_not_fit`` says so instead. Its rows are kept below the folder ``work``."""
    for source in sources:
        settings = {"tokens": tokens, "rounds": rounds, "seed": seed}
        try:
            report = measured(source.load(), methods, prompts, **settings, work=work and work / source.name)
        except (ModelError, RuntimeError, MemoryError) as error:
            if getattr(error, "code", "") != "out_of_memory" and not is_out_of_memory(error):
                raise
            report = {"does_not_fit": str(error).partition("\n")[0]}
        yield {"name": source.name, "note": source.note} | report
        gc.collect()
        torch.cuda.empty_cache()


def measured(
    pair: ModelPair, methods: Sequence[Entry], prompts: Sequence[SweepPrompt], *, work: Path | None = None, **size: int
) -> dict[str, Any]:
    """``bench_report`` of one pair (``size`` as in ``bench_plan``), and: ``graphs``, whether its models run by CUDA
    graphs; ``memory`` in bytes, ``loaded`` and at its most during one run of each contender."""
    loaded = peak_memory(pair, lambda: None)
    settings = gpu_settings(pair, methods)
    plan = bench_plan(pair, settings, prompts, **size)
    runner = Runner(plan.pair)
    once = islice(plan, len(settings))
    peaks = {task.setting.name: peak_memory(pair, partial(runner.run, task, False)) for task in once}
    return bench_report(plan, bench_rows(plan, work)) | {
        "graphs": has_graphs(pair),
        "memory": {"loaded": loaded} | peaks,
    }


def gpu_settings(pair: ModelPair, methods: Sequence[Entry]) -> list[Setting]:
    """Each method, with and without graphs where the pair has them, and transformers' own; nothing is recorded."""
    settings = ours(pair, methods, recorded=False)
    eager = without_graphs(pair)
    again = [variant(setting, EAGER, eager) for setting in settings] if has_graphs(pair) else []
    return [*settings, *rivals(pair, settings), *again]


def has_graphs(pair: ModelPair) -> bool:
    """Whether the target's calls are replayed from CUDA graphs."""
    return bool(getattr(pair.target, "graphs", False))


def without_graphs(pair: ModelPair) -> ModelPair:
    """The same models in the same memory, their calls launched kernel by kernel."""

    def eager(model: Any) -> Any:
        return model.without_graphs() if getattr(model, "graphs", False) else model

    drafts = tuple(eager(draft) for draft in pair.drafts)
    return replace(pair, target=eager(pair.target), draft=eager(pair.draft), drafts=drafts)


def peak_memory(pair: ModelPair, work: Callable[[], object]) -> int | None:
    """The most bytes that tensors took on all GPUs while ``work`` was done. For a pair on a processor, the memory that
    this process has afterwards (None where the system does not tell)."""
    if pair.target.device.type != "cuda":
        work()
        return resident(getpid())
    devices = range(torch.cuda.device_count())
    for device in devices:
        torch.cuda.reset_peak_memory_stats(device)
    work()
    return sum(torch.cuda.max_memory_allocated(device) for device in devices)
