"""What a run on a GPU must show: our decoders beside transformers' own with the same models, in turns in the same run.

Besides the speeds: the share of an iteration that goes outside the models' calls; CUDA graphs against the same calls
launched kernel by kernel, where the models have graphs; and memory. Pairs are measured one after the other, so that
only one is in memory; one that does not fit is left out, and said to be.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from os import getpid
from typing import Any

import torch

from specviz.errors import ModelError, OptionError
from specviz.lab.bench.comparison import Ratio, compare
from specviz.lab.bench.grown import PAPER, TINY, grown_pair
from specviz.lab.bench.numbers import CALL_SPEED, Runs, ours
from specviz.lab.bench.report import bench_report
from specviz.lab.bench.runs import ASSISTED, EAGER, GENERATE, RECORDED, Contender, MethodSpec, contenders, run_bench
from specviz.lab.machine import resident
from specviz.lab.prompts import PROMPTS, Prompt
from specviz.lm.loading.models import check_device
from specviz.lm.network.transformer import is_out_of_memory
from specviz.lm.pair import ModelPair

METHODS = ("autoregressive", "speculative", "mtad", "dsbd")
RIVALS = (GENERATE, ASSISTED)


@dataclass(frozen=True)
class Source:
    """A pair to be measured: its name, what is to be known of it, and what loads it."""

    name: str
    note: str
    load: Callable[[], ModelPair]


def gpu_device(asked: str | None) -> str:
    """The device to grow pairs on: a GPU unless cpu is asked for. Raises ModelError where there is none, and for what
    is no device."""
    if asked == "cpu":
        return "cpu"
    if not torch.cuda.is_available():
        raise ModelError(
            "bench --gpu needs a CUDA GPU, and this torch sees none; --device cpu checks the command itself, on a tiny "
            "shape",
            argument="device",
        )
    check_device(asked or "cuda")
    return "cuda" if asked in (None, "auto") else asked


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
    methods: Sequence[MethodSpec],
    *,
    tokens: int,
    rounds: int,
    seed: int,
    prompts: Sequence[Prompt] = PROMPTS,
) -> Iterator[dict[str, Any]]:
    """Measure each source and yield what ``measured`` says of it, with its ``name`` and ``note``; of one that the
    device has too little memory for, ``does_not_fit`` says so instead."""
    for source in sources:
        try:
            found = measured(source.load(), methods, tokens=tokens, rounds=rounds, seed=seed, prompts=prompts)
        except (ModelError, RuntimeError, MemoryError) as error:
            if getattr(error, "code", "") != "out_of_memory" and not is_out_of_memory(error):
                raise
            found = {"does_not_fit": str(error).partition("\n")[0]}
        yield {"name": source.name, "note": source.note} | found
        gc.collect()
        torch.cuda.empty_cache()


def measured(
    pair: ModelPair,
    methods: Sequence[MethodSpec],
    *,
    tokens: int,
    rounds: int,
    seed: int,
    prompts: Sequence[Prompt] = PROMPTS,
) -> dict[str, Any]:
    """``bench_report`` of one pair, JSON-ready, and: ``graphs``, whether its models run by CUDA graphs;
    ``against_transformers``, the ratios of whole calls; ``memory`` in bytes, ``loaded`` and at its most during one run
    of each contender."""
    loaded = peak_memory(pair, lambda: None)
    entered = gpu_contenders(pair, methods, tokens)
    text = pair.encode(prompts[0].text)
    peaks = {contender.name: peak_memory(pair, partial(contender.run, text, seed)) for contender in entered}
    runs = list(run_bench(pair, entered, prompts=prompts, rounds=rounds, seed=seed))
    report = bench_report(pair, entered, runs, prompts, tokens=tokens, rounds=rounds, seed=seed)
    return report | {
        "graphs": has_graphs(pair),
        "against_transformers": [asdict(ratio) for ratio in against_transformers(runs)],
        "memory": {"loaded": loaded} | peaks,
    }


def gpu_contenders(pair: ModelPair, methods: Sequence[MethodSpec], tokens: int) -> list[Contender]:
    """Each method, with and without graphs where the pair has them, and transformers' own; nothing is recorded."""
    entered = [one for one in contenders(pair, methods, tokens) if not one.name.endswith(RECORDED)]
    if has_graphs(pair):
        again = contenders(without_graphs(pair), methods, tokens)
        ours = [one for one in again if one.method is not None and not one.name.endswith(RECORDED)]
        entered += [replace(one, name=one.name + EAGER) for one in ours]
    return entered


def has_graphs(pair: ModelPair) -> bool:
    """Whether the target's calls are replayed from CUDA graphs."""
    return bool(getattr(pair.target, "graphs", False))


def without_graphs(pair: ModelPair) -> ModelPair:
    """The same models in the same memory, their calls launched kernel by kernel."""

    def eager(model: Any) -> Any:
        return model.without_graphs() if getattr(model, "graphs", False) else model

    drafts = tuple(eager(draft) for draft in pair.drafts)
    return replace(pair, target=eager(pair.target), draft=eager(pair.draft), drafts=drafts)


def against_transformers(runs: Runs) -> list[Ratio]:
    """Each of our contenders over transformers' ``generate`` and over its assisted generation, by whole calls."""
    made = [compare(runs, name, rival, CALL_SPEED) for name in ours(runs) for rival in RIVALS]
    return [ratio for ratio in made if ratio is not None]


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
