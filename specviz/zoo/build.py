"""The one command that builds the embedded models: tokenizer, target (shallow, then deep), drafts, parts, report."""

import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from specviz.errors import SpecvizError
from specviz.zoo.corpus import load_corpus
from specviz.zoo.growth import Shape, grow
from specviz.zoo.report.evaluation import as_shipped
from specviz.zoo.report.measured import measure, measure_pair, read_report, write_report
from specviz.zoo.training.batches import LAST_MIXTURE, Batches, cached_streams
from specviz.zoo.training.bigrams import count_bigrams
from specviz.zoo.training.heads import fresh_heads, learned_heads
from specviz.zoo.training.network import Network, llama, placed
from specviz.zoo.training.parts import Parts, greedy_texts, save_parts, train_deciders, train_heads
from specviz.zoo.training.schedule import Budget, Stage
from specviz.zoo.training.stages import StageOutcome, run_stage
from specviz.zoo.vocabulary import train_tokenizer

SHARD_SIZE = "9MB"
TARGET = {"width": 256, "feed_forward": 704, "shallow_layers": 4, "layers": 16}
DRAFT_LAYERS = 2
SMALL = {"width": 128, "feed_forward": 352, "layers": 1}


def build(
    corpus_directory: str | Path,
    out: str | Path,
    *,
    work: str | Path = "build/zoo",
    start: str | Path | None = None,
    minutes: float = 165.0,
    device: str | None = None,
    compiled: bool | None = None,
) -> None:
    """Train on ``corpus_directory``; write ``fable-target``, ``fable-draft``, ``fable-draft-small``, ``fable-heads``,
    ``fable-correlation``, ``fable-deciders`` and the report to ``out``.

    ``minutes`` is the time budget of the training stages together; data preparation and the report come on top.
    Everything unfinished lives in ``work``: run the same command again after an interruption and it goes on there.
    ``start`` names a folder with all that this command once wrote: target, drafts and heads learn on; what is counted
    and fitted is made anew. Raises SpecvizError, before anything is trained, when ``start`` lacks one of them or its
    report, or when what is in ``work`` began from other models; CorpusError when the corpus is incomplete.
    """
    console, out, work = Console(), Path(out), Path(work)
    learned, earlier = (Path(start), _learned(Path(start))) if start else (None, None)
    work.mkdir(parents=True, exist_ok=True)
    _same_beginning(work / "began.txt", learned)
    chosen = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    compiled = _has_compiler() if compiled is None else compiled
    torch.manual_seed(0)
    with _denormals_flushed():
        console.print(f"corpus {corpus_directory}, device {chosen}, compiled {compiled}, budget {minutes:g} minutes")
        corpus = load_corpus(corpus_directory)
        tokenizer = _tokenizer(corpus, learned / "fable-target" if learned else work / "tokenizer")
        streams = cached_streams(tokenizer, corpus.training, work / "training.npz")
        console.print("training tokens: " + ", ".join(f"{name} {len(s) / 1e6:.2f} M" for name, s in streams.items()))
        batches = Batches(streams)

        budget = Budget(minutes, learned is not None)
        target, outcomes = _train_target(budget, len(tokenizer), batches, work, chosen, compiled, learned)
        _save(target, tokenizer, out / "fable-target")
        draft = placed(_model(learned / "fable-draft") if learned else first_layers(target, DRAFT_LAYERS), chosen)
        outcome = _distil(budget.distil, draft, target, Batches(streams, seed=2), work, chosen, compiled)
        _save(draft, tokenizer, out / "fable-draft")
        outcomes.append(outcome)

        target, draft = as_shipped(target), as_shipped(draft)  # the parts belong to the models as they are saved
        greedy = greedy_texts(target, tokenizer, corpus)
        parts, more = _train_parts(budget, target, draft, streams, greedy, work, chosen, compiled, learned)
        _save(parts.small, tokenizer, out / "fable-draft-small")
        save_parts(parts, out)
        outcomes += more
        (work / "outcomes.json").write_text(json.dumps([vars(o) for o in outcomes], indent=1))

        numbers, samples = measure(target, draft, parts, tokenizer, corpus, greedy, outcomes, chosen)
        if learned and earlier:
            before = [placed(_model(learned / name), chosen) for name in ("fable-target", "fable-draft")]
            numbers["earlier"] = earlier | measure_pair(before[0], before[1], tokenizer, corpus)
        write_report(numbers, samples, out)
        console.print(f"written to {out}")


def _learned(folder: Path) -> dict:
    """The report of the models in ``folder``, where all are that learn on. Raises SpecvizError naming what is not."""
    files = ("fable-target/config.json", "fable-draft/config.json", "fable-draft-small/config.json")
    for file in (*files, "fable-heads/config.json", "report.json"):
        if not (folder / file).is_file():
            raise SpecvizError(f"{folder} holds no {file}: --from takes a folder that train wrote", argument="from")
    return read_report(folder)


def _same_beginning(note: Path, learned: Path | None) -> None:
    """Note which weights a training began from. Raises SpecvizError when what lies beside the note did from others."""
    digest = hashlib.sha256()
    for file in sorted(learned.glob("*/*.safetensors")) if learned else ():
        digest.update(file.read_bytes())
    if not note.exists():
        note.write_text(digest.hexdigest())
    elif note.read_text() != digest.hexdigest():
        raise SpecvizError(
            f"{note.parent} holds a training that began from other models: give another --work folder to begin anew",
            argument="work",
        )


@contextmanager
def _denormals_flushed() -> Iterator[None]:
    """Treat denormal numbers as zeros: fading optimizer moments become denormal, and CPUs are slow with those."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def _has_compiler() -> bool:
    return shutil.which("g++") is not None or shutil.which("clang++") is not None


def _tokenizer(corpus, directory: Path) -> PreTrainedTokenizerFast:
    if not (directory / "tokenizer.json").exists():
        train_tokenizer(corpus, directory)
    return PreTrainedTokenizerFast.from_pretrained(directory)


def _train_target(
    budget: Budget,
    vocab_size: int,
    batches: Batches,
    work: Path,
    device: torch.device,
    compiled: bool,
    learned: Path | None,
) -> tuple[LlamaForCausalLM, list[StageOutcome]]:
    if learned:
        model = placed(_model(learned / "fable-target"), device)
        loss = Network(model, compiled).cross_entropy
        later = Batches(batches.streams, seed=7)
        outcomes = [run_stage(budget.further, model, loss, later, work / "further.pt", device)]
        return model, [*outcomes, _polish(budget, model, loss, batches, work, device)]
    if device.type == "cuda":  # fast enough for all layers from the first step
        model = placed(llama(vocab_size, TARGET["width"], TARGET["layers"], TARGET["feed_forward"]), device)
        loss = Network(model, compiled).cross_entropy
        outcomes = [run_stage(budget.full, model, loss, batches, work / "full.pt", device)]
        return model, [*outcomes, _polish(budget, model, loss, batches, work, device)]
    model = placed(llama(vocab_size, TARGET["width"], TARGET["shallow_layers"], TARGET["feed_forward"]), device)
    first = run_stage(
        budget.shallow, model, Network(model, compiled).cross_entropy, batches, work / "shallow.pt", device
    )
    deep = placed(grow(model.cpu(), replace(Shape.of(model.config), layers=TARGET["layers"])), device)
    later = Batches(batches.streams, seed=1)
    loss = Network(deep, compiled).cross_entropy
    second = run_stage(budget.deep, deep, loss, later, work / "deep.pt", device)
    return deep, [first, second, _polish(budget, deep, loss, batches, work, device)]


def _polish(budget: Budget, model, loss, batches: Batches, work: Path, device: torch.device) -> StageOutcome:
    last = Batches(batches.streams, seed=3, mixture=LAST_MIXTURE)
    return run_stage(budget.polish, model, loss, last, work / "polish.pt", device)


def _model(folder: Path) -> LlamaForCausalLM:
    """That of a folder, to learn on."""
    return LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)


def first_layers(target: LlamaForCausalLM, layers: int) -> LlamaForCausalLM:
    """A draft that begins as the first layers of ``target``, with its embedding and its last norm. On a tale never seen
    .9 M tokens took such a one to an agreement of .596 after the warp; one of half the width, begun afresh, had .573
    after more than 16 M (2026-11-24)."""
    config = target.config
    draft = llama(config.vocab_size, config.hidden_size, layers, config.intermediate_size)
    taken = target.state_dict()
    draft.load_state_dict({name: taken[name] for name in draft.state_dict()})
    return draft


def _distil(
    stage: Stage,
    draft: LlamaForCausalLM,
    target: LlamaForCausalLM,
    batches: Batches,
    work: Path,
    device: torch.device,
    compiled: bool,
) -> StageOutcome:
    loss = distillation_loss(Network(draft, compiled), Network(target, compiled))
    return run_stage(stage, draft, loss, batches, work / f"{stage.name}.pt", device)


def _train_parts(
    budget: Budget,
    target: LlamaForCausalLM,
    draft: LlamaForCausalLM,
    streams: dict[str, np.ndarray],
    greedy: dict[str, torch.Tensor],
    work: Path,
    device: torch.device,
    compiled: bool,
    learned: Path | None,
) -> tuple[Parts, list[StageOutcome]]:
    correlation = count_bigrams(streams.values(), target.config.vocab_size)
    fresh = llama(target.config.vocab_size, SMALL["width"], SMALL["layers"], SMALL["feed_forward"])
    small = placed(_model(learned / "fable-draft-small") if learned else fresh, device)
    distilled = _distil(budget.small, small, target, Batches(streams, seed=5), work, device, compiled)
    network = Network(target, compiled)
    heads = (learned_heads(learned / "fable-heads", target) if learned else fresh_heads(target)).to(device)
    batches = Batches(streams, seed=4)
    taught = train_heads(heads, budget.heads, target, network, batches, greedy, work, device, compiled)
    deciders, rolled_out = train_deciders(budget, target, draft, Batches(streams, seed=6), work, device, compiled)
    return Parts(small, heads, correlation, deciders), [distilled, taught, rolled_out]


def distillation_loss(draft: Network, target: Network) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """Loss of a batch: the draft's distance from the target; the text's own next tokens are not used."""

    def loss(inputs: torch.Tensor, _targets: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            teacher = target.logits(inputs)
        return draft.divergence(inputs, teacher)

    return loss


def _save(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, directory: Path) -> None:
    logging.getLogger("transformers").setLevel(logging.ERROR)
    half = llama(
        model.config.vocab_size,
        model.config.hidden_size,
        model.config.num_hidden_layers,
        model.config.intermediate_size,
    )
    half.load_state_dict(model.state_dict())
    half.bfloat16().save_pretrained(directory, max_shard_size=SHARD_SIZE)
    tokenizer.save_pretrained(directory)
