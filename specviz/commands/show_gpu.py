"""The measurement on a GPU as Markdown: for a file, and for a terminal as it is."""

from collections.abc import Sequence
from typing import Any

from specviz.commands.show import brief, interval
from specviz.lab.bench.runs import ASSISTED, GENERATE
from specviz.lab.sweep.summary import Estimate
from specviz.zoo.report.markdown import table

COLUMNS = (
    "",
    "tokens/s, whole calls",
    "/ generate",
    "/ assisted",
    "tokens/s, own clock",
    "tokens per target call",
    "acceptance",
    "perplexity",
    "outside the models",
    "memory, GB",
    "disturbed runs",
)
NOTES = """- tokens/s of whole calls: by the wall clock, prompt included, on both sides; by the own clock without it.
- `/ generate`, `/ assisted`: speed of whole calls over that of transformers' own decoders with the same models.
- Speeds and ratios are medians over rounds (95 % intervals over prompts and rounds, none below six rounds). In a
  round all contenders take turns on every prompt; each round has a seed of its own. End tokens are ignored on both
  sides; perplexity counts the tokens up to the first.
- Outside the models: the share of an iteration's time that is in no model's call.
- Memory: the most that was in use during one run{memory}.
- A run is disturbed where the machine was busy with something else: it is left out of what is timed."""
ALLOCATED = ", as tensors on all GPUs"
RESIDENT = ", of the whole process, not of a GPU"


def gpu_markdown(reports: Sequence[dict[str, Any]]) -> str:
    """What ``gpu_bench`` said of each pair: when, on what, the contenders, the ratios; and how to read them."""
    parts = ["# On a GPU: `python -m specviz bench --gpu`", *(part for one in reports for part in _pair(one))]
    devices = {one["settings"]["device"].partition(":")[0] for one in reports if "settings" in one}
    if devices:
        parts.append(NOTES.format(memory=ALLOCATED if devices == {"cuda"} else RESIDENT))
    return "\n\n".join(parts)


def _pair(report: dict[str, Any]) -> list[str]:
    parts = [f"## {report['name']}"] + ([report["note"]] if report["note"] else [])
    if "does_not_fit" in report:
        return [*parts, f"Left out: {report['does_not_fit']}"]
    graphs = "" if report["graphs"] else "No CUDA graphs here, so graph against eager is not measured."
    tables = [_contenders(report), _ratios(report["ratios"])]
    return [*parts, _facts(report), *([graphs] if graphs else []), *tables]


def _facts(report: dict[str, Any]) -> str:
    machine, settings = report["machine"] | report["versions"], report["settings"]
    on = machine.get("accelerator", "no GPU (a check of the command, no measurement)")
    rest = ", ".join(f"{name} {value}" for name, value in machine.items() if name != "accelerator")
    models = "; ".join(f"{role} {_model(report[role])}" for role in ("target", "draft") if report[role])
    size = f"{settings['prompts']} prompts, {settings['tokens']} tokens each, {settings['rounds']} rounds"
    loaded = _gigabytes(report["memory"]["loaded"])
    return f"**{on}**, {report['date']}, {rest}. {models}; {loaded} GB in use when both were loaded. {size}."


def _model(model: dict[str, Any]) -> str:
    size = f"{model['parameters'] / 1e9:.3g} billion parameters, {_gigabytes(model['bytes'])} GB"
    return f"{model['name']} ({size}, {model['dtype']})"


def _contenders(report: dict[str, Any]) -> str:
    against = {ratio["name"]: Estimate(**ratio["value"]) for ratio in report["against_transformers"]}
    outside = {one["contender"]: one["outside"] / one["seconds"] for one in report["accounts"]}
    rows = []
    for row in report["rows"]:
        name, own = row["contender"], row["tokens_per_second"]
        whole = row["whole_call"]
        cells = [interval(whole and Estimate(**whole))]
        cells += [_ratio(against.get(f"{name} / {rival}")) for rival in (GENERATE, ASSISTED)]
        cells += [
            interval(own and Estimate(**own)),
            brief(row["tokens_per_target_call"]),
            _share(row["acceptance_rate"]),
        ]
        cells += [brief(row["perplexity"]), _share(outside.get(name))]
        rows.append([name, *cells, _gigabytes(report["memory"][name]), brief(row["disturbed"])])
    return table(list(COLUMNS), rows)


def _ratios(ratios: Sequence[dict[str, Any]]) -> str:
    rows = [[ratio["name"], _ratio(Estimate(**ratio["value"])), ratio["meaning"]] for ratio in ratios]
    return table(["ratio", "median (interval)", "of"], rows)


def _ratio(value: Estimate | None) -> str:
    if value is None:
        return "-"
    return f"{value.median:.2f}" + ("" if value.low is None else f" ({value.low:.2f}..{value.high:.2f})")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _gigabytes(size: int | None) -> str:
    return "-" if size is None else f"{size / 1e9:.2f}"
