"""A benchmark as plain data: what was measured, on what, when, and every run behind it."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from specviz.lab.bench.comparison import ratios, rows
from specviz.lab.bench.iteration_costs import accounts
from specviz.lab.bench.runs import BenchRun, Contender
from specviz.lab.bench.suite import Suite
from specviz.lab.machine import machine, versions
from specviz.lab.prompts import Prompt
from specviz.lm.pair import ModelPair


def bench_report(
    pair: ModelPair,
    entered: Sequence[Contender],
    runs: Sequence[BenchRun],
    prompts: Sequence[Prompt],
    *,
    tokens: int,
    rounds: int,
    seed: int,
    suite: Suite | None = None,
) -> dict[str, Any]:
    """JSON-ready: date (UTC), machine, versions, models, settings, ``rows``, ``ratios``, ``accounts`` of iterations,
    and all ``runs``. ``suite`` says how the contenders were chosen (None: by hand)."""
    device = str(pair.target.device)
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine(device),
        "versions": versions(),
        "target": _model(pair.target),
        "draft": _model(pair.draft),
        "settings": {"device": device, "tokens": tokens, "rounds": rounds, "seed": seed, "prompts": len(prompts)},
        "average_width": suite.width if suite else None,
        "left_out": suite.left_out if suite else {},
        "contenders": {contender.name: contender.options for contender in entered},
        "rows": [asdict(row) for row in rows(runs)],
        "ratios": [asdict(ratio) for ratio in ratios(runs)],
        "accounts": [asdict(account) for account in accounts(runs)],
        "runs": [_run(run, prompts) for run in runs],
    }


def _model(model) -> dict[str, Any] | None:
    if model is None:
        return None
    return {
        "name": model.name,
        "fingerprint": model.fingerprint,
        "dtype": str(model.dtype).removeprefix("torch."),
        "parameters": model.shape.parameters,
        "bytes": model.shape.parameters * model.dtype.itemsize,
    }


def _run(run: BenchRun, prompts: Sequence[Prompt]) -> dict[str, Any]:
    return {
        "contender": run.contender,
        "round": run.round,
        "prompt": run.prompt,
        "domain": prompts[run.prompt].domain,
        "tokens": run.tokens,
        "wall_seconds": run.wall,
        "nll": run.nll,
        "scored": run.scored,
        "disturbed": run.disturbed,
        "metrics": run.metrics and asdict(run.metrics),
    }
