"""The report of a training: every number measured here and now; `report_page` puts them into words."""

import datetime
import json
import os
import platform
from dataclasses import asdict
from pathlib import Path

import torch
from rich.progress import track
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from specviz.errors import SpecvizError
from specviz.lm.loading.embedded import write_sums
from specviz.zoo.books import identify
from specviz.zoo.corpus import DOMAINS, Corpus
from specviz.zoo.report import evaluation
from specviz.zoo.report.evaluation import Sample
from specviz.zoo.report.page import render
from specviz.zoo.report.parts_evaluation import measure_parts
from specviz.zoo.training.network import placed
from specviz.zoo.training.parts import Parts
from specviz.zoo.training.stages import StageOutcome


def write_report(numbers: dict, samples: list[Sample], out: str | Path) -> None:
    """Write ``README.md`` and ``report.json`` into ``out``: what ``measure`` found, and the files that are there."""
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    numbers["files"] = _files(out)
    (out / "report.json").write_text(json.dumps(numbers | {"samples": [asdict(s) for s in samples]}, indent=1) + "\n")
    (out / "README.md").write_text(render(numbers, samples), encoding="utf-8")
    write_sums(out)


def read_report(folder: Path) -> dict:
    """The part of an earlier report that a later one repeats. Raises SpecvizError if it is damaged."""
    try:
        numbers = json.loads((folder / "report.json").read_text())
        report = {key: numbers[key] for key in ("date", "training")}
        report["parts"] = {"date": numbers["parts"]["date"]}
    except (ValueError, KeyError, TypeError) as error:
        raise SpecvizError(f"{folder / 'report.json'} is no report of a training: {error!r:.200}") from None
    return report | ({"earlier": numbers["earlier"]} if "earlier" in numbers else {})


def measure(
    target: LlamaForCausalLM,
    draft: LlamaForCausalLM,
    parts: Parts,
    tokenizer: PreTrainedTokenizerFast,
    corpus: Corpus,
    greedy: dict[str, torch.Tensor],
    outcomes: list[StageOutcome],
    device: torch.device | str,
) -> tuple[dict, list[Sample]]:
    """All numbers of the report as plain data, and the sample texts, measured on the held-out text.

    ``outcomes`` are those of the training stages, in order; ``greedy`` the target's continuations by domain, of which
    half calibrated the heads; ``device`` is the one that everything ran on and the measurement runs on. The models
    themselves are left as they are. Takes a few minutes on two CPU cores.
    """
    device = torch.device(device)
    pair = placed(evaluation.as_shipped(target), device), placed(evaluation.as_shipped(draft), device)
    measured = measure_pair(*pair, tokenizer, corpus)
    with torch.random.fork_rng():
        samples = evaluation.write_samples(pair[0], tokenizer, corpus.held_out["sums"])
    numbers = {
        "date": datetime.date.today().isoformat(),
        "device": _device_name(device),
        "torch": torch.__version__,
        "models": {"target": shape(pair[0]), "draft": shape(pair[1]), "draft-small": shape(parts.small)},
        "vocabulary": len(tokenizer),
        "training": [stage(outcome) for outcome in outcomes],
        "corpus": {
            "documents": {domain: len(corpus.training[domain]) for domain in DOMAINS},
            "characters": {domain: sum(map(len, corpus.training[domain])) for domain in DOMAINS},
            "renamed": corpus.renamed,
            "books": _books(corpus.training["tales"]),
            "held_out_books": _books(corpus.held_out["tales"]),
        },
        **measured,
        "parts": measure_parts(parts, *pair, tokenizer, corpus, greedy),
    }
    return numbers, samples


def measure_pair(
    target: LlamaForCausalLM, draft: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, corpus: Corpus
) -> dict[str, dict]:
    """``fits``: how well both know the held-out text, by domain; ``tasks``: their answers to unseen questions."""
    fits, tasks = {}, {}
    for domain in track(DOMAINS, description="report: held-out text"):
        fit = evaluation.measure_fit(target, draft, tokenizer, corpus.held_out[domain])
        fits[domain] = asdict(fit) if fit else None
    for name, model in track([("target", target), ("draft", draft)], description="report: questions"):
        scores = evaluation.sql_scores(model, tokenizer)
        scores["word problems"] = evaluation.sum_score(model, tokenizer, corpus.held_out["sums"])
        tasks[name] = {task: asdict(score) for task, score in scores.items()}
    return {"fits": fits, "tasks": tasks}


def shape(model: LlamaForCausalLM) -> dict:
    """The sizes of a model."""
    config = model.config
    return {
        "width": config.hidden_size,
        "layers": config.num_hidden_layers,
        "heads": config.num_attention_heads,
        "feed_forward": config.intermediate_size,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
    }


def stage(outcome: StageOutcome) -> dict:
    """What a training stage did, its losses thinned out."""
    done = {"name": outcome.name, "steps": outcome.steps, "tokens": outcome.tokens, "seconds": outcome.seconds}
    return done | {"losses": outcome.losses[:: max(1, len(outcome.losses) // 40)]}


def _books(texts: list[str]) -> list[dict]:
    rows = []
    for text in texts:
        book = identify(text)
        title, ebook = (book.title, book.ebook) if book else ("a text not in specviz/zoo/books.py", None)
        rows.append({"title": title, "ebook": ebook, "characters": len(text)})
    return rows


def _device_name(device: torch.device) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    name = names[0] if names else platform.processor() or platform.machine()
    return f"CPU, {name}, {torch.get_num_threads()} of {os.cpu_count()} cores"


def _files(out: Path) -> dict[str, int]:
    paths = sorted(path for path in out.glob("fable-*/*") if path.is_file())
    return {str(path.relative_to(out)): path.stat().st_size for path in paths}
