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

from specviz.zoo import evaluation
from specviz.zoo.books import identify
from specviz.zoo.corpus import DOMAINS, Corpus
from specviz.zoo.evaluation import Sample
from specviz.zoo.report_page import render
from specviz.zoo.training import Outcome


def write_report(
    target: LlamaForCausalLM,
    draft: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    corpus: Corpus,
    outcomes: list[Outcome],
    out: str | Path,
    device: torch.device | str,
) -> None:
    """Measure the pair on the held-out text and write ``README.md`` and ``report.json`` into ``out``.

    ``outcomes`` are those of the training stages, in order; ``device`` is the one they ran on and the measurement runs
    on. The models themselves are left as they are. Takes a few minutes on two CPU cores.
    """
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    numbers, samples = measure(target, draft, tokenizer, corpus, outcomes, torch.device(device))
    numbers["files"] = _files(out)
    (out / "report.json").write_text(json.dumps(numbers | {"samples": [asdict(s) for s in samples]}, indent=1) + "\n")
    (out / "README.md").write_text(render(numbers, samples), encoding="utf-8")


def measure(
    target: LlamaForCausalLM,
    draft: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    corpus: Corpus,
    outcomes: list[Outcome],
    device: torch.device,
) -> tuple[dict, list[Sample]]:
    """All numbers of the report as plain data, and the sample texts."""
    pair = [evaluation.as_shipped(model).to(device) for model in (target, draft)]
    with torch.random.fork_rng():
        fits = {}
        for domain in track(DOMAINS, description="report: held-out text"):
            fits[domain] = evaluation.measure_fit(*pair, tokenizer, corpus.held_out[domain])
        problems = corpus.held_out["sums"]
        tasks = {}
        for name, model in track(list(zip(("target", "draft"), pair, strict=True)), description="report: questions"):
            scores = evaluation.sql_scores(model, tokenizer)
            scores["word problems"] = evaluation.sum_score(model, tokenizer, problems)
            tasks[name] = {task: asdict(score) for task, score in scores.items()}
        samples = evaluation.write_samples(pair[0], tokenizer, problems)
    numbers = {
        "date": datetime.date.today().isoformat(),
        "device": _device_name(device),
        "torch": torch.__version__,
        "models": {"target": _shape(pair[0]), "draft": _shape(pair[1])},
        "vocabulary": len(tokenizer),
        "training": [_stage(outcome) for outcome in outcomes],
        "corpus": {
            "documents": {domain: len(corpus.training[domain]) for domain in DOMAINS},
            "characters": {domain: sum(map(len, corpus.training[domain])) for domain in DOMAINS},
            "books": _books(corpus.training["tales"]),
            "held_out_books": _books(corpus.held_out["tales"]),
        },
        "fits": {domain: asdict(fit) if fit else None for domain, fit in fits.items()},
        "tasks": tasks,
    }
    return numbers, samples


def _shape(model: LlamaForCausalLM) -> dict:
    config = model.config
    return {
        "width": config.hidden_size,
        "layers": config.num_hidden_layers,
        "heads": config.num_attention_heads,
        "feed_forward": config.intermediate_size,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
    }


def _stage(outcome: Outcome) -> dict:
    stage = {"name": outcome.name, "steps": outcome.steps, "tokens": outcome.tokens, "seconds": outcome.seconds}
    return stage | {"losses": outcome.losses[:: max(1, len(outcome.losses) // 40)]}


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
    paths = sorted(path for path in out.glob("*/*") if path.is_file())
    return {str(path.relative_to(out)): path.stat().st_size for path in paths}
