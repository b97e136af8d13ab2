"""Parts for an existing target: prediction heads, the bigram table, and a draft's decision models."""

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from transformers import PreTrainedModel

from specviz.errors import ModelError, SpecvizError
from specviz.lm.loading.eagle import is_eagle
from specviz.lm.loading.pairs import load_pair
from specviz.lm.loading.small_draft import is_small_draft
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.parts.deciding import save_deciders
from specviz.lm.parts.heads import PredictionHeads, choose_tree
from specviz.zoo.report.reached import decider_sentences, follower_depth, reached
from specviz.zoo.texts import read_streams, text_files
from specviz.zoo.training import deciders as deciding
from specviz.zoo.training.batches import Batches, evaluation_windows
from specviz.zoo.training.bigrams import count_bigrams
from specviz.zoo.training.calibration import CONTINUATION, PROMPT, accuracies, greedy_continuations, rank_guesses
from specviz.zoo.training.heads import fresh_heads, heads_loss
from specviz.zoo.training.network import Stock
from specviz.zoo.training.parts import round_as_saved
from specviz.zoo.training.schedule import Stage
from specviz.zoo.training.stages import StageOutcome, run_stage
from specviz.zoo.training.time_limit import TimeLimit

SHORTEST_CONTEXT = PROMPT + CONTINUATION
MOST_LOGITS = 2**28  # numbers that one batch's distributions have
WINDOW, BATCH_TOKENS = 512, 8 * 512
STEPS = 100  # the fewest steps of the heads: batches are smaller if time is short
GREEDY_TEXTS, AT_ONCE = 192, 4
READ, ASKED, UNTRAINED = 0.08, 0.16, 0.2  # shares of the time by which each of these is done, and those below
WITHOUT_DRAFT, WITH_DRAFT = (0.88, 0.93, 0.98), (0.68, 0.72, 0.76)  # the heads have learned, are calibrated, measured
ROLLED_OUT, FITTED = 0.92, 0.98
ROLLED_OUT_AT_ONCE = 4


@dataclass(frozen=True)
class _TrainingJob:
    """One training: its models, its working folder, its time limit."""

    pair: ModelPair
    kept: Path
    limit: TimeLimit
    tell: Callable[[str], None]

    @property
    def shares(self) -> tuple[float, float, float]:
        return WITHOUT_DRAFT if self.pair.draft is None else WITH_DRAFT


@dataclass(frozen=True)
class _TrainingTexts:
    """Made once, and kept when a training is interrupted: the stream to train on; the target's greedy continuations of
    held-out text, int64 [batch, length] each; ranks [positions, heads] of the untrained heads on every other one of
    them."""

    source: str
    stream: np.ndarray
    greedy: list[torch.Tensor]
    untrained: np.ndarray


def train_for(
    target: str | os.PathLike[str],
    corpus: str | Path,
    out: str | Path,
    *,
    draft: str | os.PathLike[str] | None = None,
    work: str | Path = "build/zoo",
    minutes: float = 30.0,
    device: str | None = None,
    tell: Callable[[str], None] = print,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, Path]:
    """Train parts for ``target``, a directory or hub id, on text; write them to ``out``.

    ``corpus`` is a file, or a folder with any number of them: text (``.txt``, ``.md``), or ``.jsonl`` with a text or a
    chat on each line, which goes through the target's chat template. One document in twenty is held out. Returns what
    ``load_pair`` takes the parts as: ``heads`` (a folder), ``correlation`` (a file), and with a ``draft`` ``deciders``
    (a folder). ``minutes`` > 0, by ``clock`` (seconds), are those of everything: loading, reading, training, measuring,
    and an earlier run with the same models and minutes that was interrupted, whose work is kept in ``work``. ``tell``
    gets a sentence at a time: what was read, how the training went, what the parts are worth on text that they never
    saw, and where they are worth less than what costs nothing. The models stay as they are.

    Raises ModelError for models that ``load_pair`` refuses or whose context is below 128, and for a draft that proposes
    a part of the vocabulary, CorpusError for a corpus without text, with a line that cannot be read, or with fewer than
    1,024 tokens.
    """
    limit, files = TimeLimit(minutes, clock), text_files(corpus)
    if is_small_draft(draft) or is_eagle(draft):
        raise ModelError(
            f"draft {str(draft)!r} proposes a part of the vocabulary: decision models are for drafts that propose all",
            argument="draft",
        )
    pair = load_pair(target, draft, device=device, ignore_generation_config=True)
    if pair.context is not None and pair.context < SHORTEST_CONTEXT:
        raise ModelError(
            f"the pair's context is {pair.context}: training parts needs at least {SHORTEST_CONTEXT}",
            argument="target",
        )
    fingerprints = "-".join(model.fingerprint for model in pair.models)
    out, folder_of_work = Path(out), Path(work) / f"{fingerprints}-{minutes:g}"
    for folder in (out, folder_of_work):
        folder.mkdir(parents=True, exist_ok=True)
    limit.spent_before(_seconds_before(folder_of_work))
    doing = _TrainingJob(pair, folder_of_work, limit, tell)
    texts = _texts(doing, files)
    made = {"correlation": out / "correlation.safetensors", "heads": out / "heads"}
    count_bigrams([texts.stream], pair.target.vocab_size).save(made["correlation"])
    _train_heads(doing, texts).save(made["heads"])
    if pair.draft is not None:
        made["deciders"] = out / "deciders"
        _train_deciders(doing, _model(pair.draft), texts.stream, made["deciders"])
    shutil.rmtree(folder_of_work)
    tell(f"time: {limit.elapsed() / 60:.1f} of {minutes:g} minutes")
    return made


def _seconds_before(folder: Path) -> float:
    """The seconds that an interrupted training took until its last checkpoint."""
    files = (folder / name for name in ("heads.pt", "rollouts.pt"))
    saved = (torch.load(file, map_location="cpu", weights_only=False) for file in files if file.exists())
    return max((checkpoint["outcome"].seconds for checkpoint in saved), default=0.0)


def _model(model: object) -> PreTrainedModel:
    assert isinstance(model, TransformerLM), "load_pair loads these"
    return model.model


def _texts(work: _TrainingJob, files: list[Path]) -> _TrainingTexts:
    """The texts and the target's continuations, or those of an interrupted training. Raises SpecvizError if that one
    read other files."""
    pair, limit, path = work.pair, work.limit, work.kept / "texts.pt"
    source = " ".join(f"{file}:{file.stat().st_size}" for file in files)
    if path.exists():
        texts: _TrainingTexts = torch.load(path, weights_only=False)
        if texts.source != source:
            raise SpecvizError(f"{path} was made from another corpus: give another --work folder to begin anew")
        return texts
    assert pair.tokenizer is not None, "load_pair reads one"
    stream, unseen = read_streams(files, pair.tokenizer, min(pair.end_tokens, default=0), limit, READ)
    work.tell(f"text: {len(stream):,} tokens to train on and {len(unseen):,} held out, of {len(files):,} files")
    windows = evaluation_windows(unseen, PROMPT, GREEDY_TEXTS)
    windows = windows[torch.randperm(len(windows), generator=torch.Generator().manual_seed(0))]
    target = _model(pair.target)
    in_time = limit.within(windows.split(AT_ONCE), ASKED)
    greedy = [greedy_continuations(target, some, lambda: not limit.passed(ASKED)).cpu() for some in in_time]
    work.tell(f"target: {sum(map(len, greedy))} continuations of held-out text to measure with")
    heads = fresh_heads(target).to(pair.target.device)
    texts = _TrainingTexts(source, stream, greedy, _ranks(work, heads, _half(greedy, 1), UNTRAINED))
    torch.save(texts, path.with_suffix(".partial"))
    path.with_suffix(".partial").replace(path)
    return texts


def _half(texts: list[torch.Tensor], start: int) -> list[torch.Tensor]:
    """Every other row of each batch, from ``start``; a single row is in both halves."""
    return [text[start::2] if len(text) > 1 else text for text in texts]


def _ranks(work: _TrainingJob, heads: PredictionHeads, texts: list[torch.Tensor], until: float) -> np.ndarray:
    """Ranks [positions, heads] of the heads' guesses in ``texts``, while there is time."""
    target, in_time = _model(work.pair.target), work.limit.within(texts, until)
    return np.concatenate([rank_guesses(target, heads, None, text, first=PROMPT - 1).plain for text in in_time])


def _train_heads(work: _TrainingJob, texts: _TrainingTexts) -> PredictionHeads:
    """Heads that were taught on the text, calibrated on one half of the target's continuations and measured on the
    other."""
    target, device, (_, calibrated, measured) = _model(work.pair.target), work.pair.target.device, work.shares
    heads = fresh_heads(target).to(device)
    loss = heads_loss(heads, Stock(target), compiled=False)
    stage, batches = _stage(work, heads, texts.stream), _batches(texts.stream, seed=4)
    outcome = run_stage(stage, heads, loss, batches, work.kept / "heads.pt", device, work.limit.elapsed)
    work.tell(_progress(outcome))
    round_as_saved(heads)
    heads.accuracy = accuracies(_ranks(work, heads, _half(texts.greedy, 0), calibrated))
    heads.tree = choose_tree(heads.accuracy)
    unseen = _half(texts.greedy, 1)
    ranks = _ranks(work, heads, unseen, measured)
    follower = follower_depth(texts.stream, unseen, PROMPT - 1, heads.count, heads.vocab_size)
    measures = reached(heads, ranks, texts.untrained, follower)
    for sentence in filter(None, (measures.sentence, measures.warning)):
        work.tell(sentence)
    return heads


def _batches(stream: np.ndarray, seed: int) -> Batches:
    return Batches({"text": stream}, seed, {"text": 1.0})


def _stage(work: _TrainingJob, heads: PredictionHeads, stream: np.ndarray) -> Stage:
    """The heads' stage: batches that fit the memory and leave time for ``STEPS`` steps, by the time that one step on a
    short window took; windows that fit the batch, the context and the text."""
    target, context, limit = work.pair.target, work.pair.context or WINDOW, work.limit
    inputs, targets = (tokens.to(target.device) for tokens in _batches(stream, seed=0).draw(0, 1, PROMPT))
    begun = limit.elapsed()
    heads_loss(heads, Stock(_model(target)), compiled=False)(inputs, targets).backward()
    heads.zero_grad(set_to_none=True)
    a_token = max(limit.elapsed() - begun, 1e-9) / PROMPT
    seconds = work.shares[0] * limit.seconds
    affordable = int((seconds - limit.elapsed()) / STEPS / a_token)
    batch = max(PROMPT, min(BATCH_TOKENS, MOST_LOGITS // target.vocab_size, affordable))
    length = min(WINDOW, batch, context, len(stream) - 2)
    return Stage("heads", seconds / 60, batch, ((0.0, length),), warm_steps=20, decay_from=0.4, peak=0.5)


def _progress(outcome: StageOutcome) -> str:
    """A sentence about a finished stage."""
    if not outcome.losses:
        return f"{outcome.name}: no step was taken, the time was over before; give more --minutes"
    (_, first), (_, last) = outcome.losses[0], outcome.losses[-1]
    return f"{outcome.name}: {outcome.steps:,} steps, {outcome.tokens:,} tokens, loss {first:.3f} to {last:.3f}"


def _train_deciders(work: _TrainingJob, draft: PreTrainedModel, stream: np.ndarray, out: Path) -> None:
    """The draft's decision models, from what the target said to its rollouts."""
    target, limit, drawn = work.pair.target, work.limit, _batches(stream, seed=6)
    minutes, rollouts, judge = ROLLED_OUT * limit.seconds / 60, work.kept / "rollouts.pt", _judge(_model(target))
    settings = minutes, rollouts, target.device, target.vocab_size, limit.elapsed, ROLLED_OUT_AT_ONCE
    judged, _ = deciding.collect(draft, judge, drawn, *settings)
    deciders = deciding.fit_deciders(draft, judged, target.vocab_size, lambda: not limit.passed(FITTED))
    save_deciders(deciders, out)
    for sentence in decider_sentences(deciders, judged):
        work.tell(sentence)


def _judge(target: PreTrainedModel) -> Callable[[torch.Tensor], torch.Tensor]:
    """The target's logits [batch, DEPTH, vocab_size] at the positions that the last ``DEPTH`` tokens were drawn at."""
    return lambda tokens: target(tokens, use_cache=False).logits[:, -1 - deciding.DEPTH : -1].float()
