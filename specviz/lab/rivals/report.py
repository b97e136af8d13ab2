"""A benchmark as plain data: what was measured, on what, when, what follows, and every run behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from specviz.lab.machine import machine, versions
from specviz.lab.rivals import llamacpp
from specviz.lab.rivals.costs import accounts, against_limit, iteration_cost, undisturbed
from specviz.lab.rivals.entered import ASSISTED, EAGER, GENERATE, RECORDED
from specviz.lab.rivals.suite import Suite
from specviz.lab.sweep.plan import Plan
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.summary import Estimate, Group, grouped

OWN_SPEED, CALL_SPEED, OUTSIDE = "tokens_per_second", "whole_call", "outside"
NUMBERS_OF_ROWS = (
    *(OWN_SPEED, CALL_SPEED, "tokens_per_target_call", "acceptance_rate", "longest_accepted", "perplexity", OUTSIDE),
    *("flops_per_token", "kv_rows_peak", "target_calls", "draft_calls"),
)

MEANINGS = {
    OWN_SPEED: "speed by own clocks",
    CALL_SPEED: "speed by the wall time of whole calls",
    "perplexity": "perplexity up to the end token; lower is likelier text",
    OUTSIDE: "share of iterations outside the models' calls",
}


@dataclass(frozen=True)
class Ratio:
    """A number taken within each round, as median over rounds and interval; ``meaning`` says how it is made."""

    name: str
    meaning: str
    median: float
    low: float | None
    high: float | None


def bench_report(plan: Plan, rows: Sequence[Row], suite: Suite | None = None) -> dict[str, Any]:
    """JSON-ready: date (UTC), machine, versions, models, settings, ``rows``, ``ratios``, ``accounts`` of iterations,
    ``cost`` of one of the first chain, and all ``runs``. ``suite`` says how the contenders were chosen (None: by
    hand)."""
    device, grid = str(plan.pair.target.device), plan.grid
    rounds = len({row.round for row in rows})
    settings = {"device": device, "tokens": grid.max_new_tokens, "rounds": rounds, "seed": grid.seeds[0]}
    groups = contenders(rows)
    chain, plain = (_timed(rows, groups, method) for method in ("speculative", "autoregressive"))
    cost = iteration_cost(chain, plain)
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine(device),
        "versions": versions(),
        "target": _model(plan.pair.target),
        "draft": _model(plan.pair.draft),
        "settings": settings | {"prompts": len(plan.prompts)},
        "average_width": suite.width if suite else None,
        "left_out": suite.left_out if suite else {},
        "contenders": {setting.name: setting.options for setting in grid.settings},
        "rows": [contender_row(name, groups) for name in groups],
        "ratios": [asdict(ratio) for ratio in ratios(rows)],
        "accounts": [asdict(account) for account in accounts(rows)],
        "cost": cost and asdict(cost),
        "runs": [replace(row, token_ids=(), text="").flat() for row in rows],
    }


def contenders(rows: Sequence[Row]) -> dict[str, Group]:
    """The runs of each contender by its name, in the order of their first run."""
    return {group.first.setting: group for group in grouped(rows, NUMBERS_OF_ROWS)}


def contender_row(name: str, groups: Mapping[str, Group]) -> dict[str, Any]:
    """One contender: what its text is distributed as (None: of rivals nothing is claimed), every number as median over
    rounds with its interval, None where it has none; its speed of whole calls over those of transformers; and how many
    of its runs were disturbed, which are left out of speeds."""
    group = groups[name]
    numbers = {metric: _plain(group.summary(metric)) for metric in NUMBERS_OF_ROWS}
    if not group.first.guarantee:
        numbers["kv_rows_peak"] = None
        if not group.first.metrics.target_calls:
            numbers |= dict.fromkeys(("target_calls", "draft_calls"))
    against = {rival: compare(groups, name, rival, CALL_SPEED) for rival in (GENERATE, ASSISTED) if rival != name}
    over = {f"over_{rival}": ratio and _plain(ratio) for rival, ratio in against.items()}
    disturbed = sum(group.disturbed)
    return {"contender": name, "guarantee": group.first.guarantee or None, "disturbed": disturbed} | numbers | over


def ratios(rows: Sequence[Row]) -> list[Ratio]:
    """Every head-to-head that the contenders allow: among ours, with rivals, with and without the record, with and
    without graphs, with the limit."""
    groups = contenders(rows)
    names = [_first(groups, method) for method in ("autoregressive", "speculative", "mtad", "dsbd")]
    plain, chain, joint, _ = names
    ratios = [
        compare(groups, chain, plain, OWN_SPEED),
        compare(groups, joint, chain, OWN_SPEED),
        compare(groups, joint, chain, "perplexity"),
    ]
    for mine, theirs in ((plain, GENERATE), (chain, ASSISTED), (plain, llamacpp.GENERATE), (chain, llamacpp.GENERATE)):
        ratios += [compare(groups, mine, name, CALL_SPEED) for name in groups if name.startswith(theirs)]
    for metric in (OWN_SPEED, CALL_SPEED):
        ratios += [compare(groups, name, name.removesuffix(RECORDED), metric) for name in groups if RECORDED in name]
        ratios += [compare(groups, name.removesuffix(EAGER), name, metric) for name in groups if EAGER in name]
    overheads = ((name, groups[name].summary(OUTSIDE)) for name in names if name)
    ratios += [_ratio(f"overhead of {name}", MEANINGS[OUTSIDE], share) for name, share in overheads]
    limit = against_limit(*(_timed(rows, groups, method) for method in ("speculative", "autoregressive")))
    meaning = "measured speed-up over expected tokens per iteration / (gamma c + v), all of the same runs"
    return [ratio for ratio in (*ratios, _ratio("speed-up / its limit", meaning, limit)) if ratio is not None]


def compare(groups: Mapping[str, Group], one: str | None, other: str | None, metric: str) -> Ratio | None:
    """The number of one contender over that of another, round by round; None without runs of both, or where one has no
    such number."""
    if one is None or other is None or one not in groups or other not in groups:
        return None
    return _ratio(f"{one} / {other}", MEANINGS[metric], groups[one].over(groups[other], metric))


def _ratio(name: str, meaning: str, value: Estimate) -> Ratio | None:
    if value.median is None or not isfinite(value.median):
        return None
    return Ratio(name, meaning, value.median, value.low, value.high)


def _plain(value: Estimate | Ratio) -> dict[str, float | None] | None:
    if value.median is None or not isfinite(value.median):
        return None
    return {"median": value.median, "low": value.low, "high": value.high}


def _first(groups: Mapping[str, Group], method: str) -> str | None:
    """The first contender that runs a method as it is; None without one."""
    return next((name for name, group in groups.items() if group.first.method == method), None)


def _timed(rows: Sequence[Row], groups: Mapping[str, Group], method: str) -> Sequence[Row]:
    """The undisturbed runs of the first contender that runs a method."""
    name = _first(groups, method)
    return [row for row in undisturbed(rows) if row.setting == name]


def _model(model: Any) -> dict[str, Any] | None:
    return model and {
        "name": model.name,
        "fingerprint": model.fingerprint,
        "dtype": str(model.dtype).removeprefix("torch."),
        "parameters": model.shape.parameters,
        "bytes": model.shape.parameters * model.dtype.itemsize,
    }
