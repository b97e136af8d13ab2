"""Parts for a target that is there already: prediction heads, the bigram table, and a draft's decision models."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch
from transformers import PreTrainedModel

from specviz.errors import ModelError
from specviz.lm.loading.pairs import load_pair
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.parts.deciding import save_deciders
from specviz.zoo.corpus import load_corpus
from specviz.zoo.training import deciders as deciding
from specviz.zoo.training.batches import Batches, cached_streams
from specviz.zoo.training.bigrams import count_bigrams
from specviz.zoo.training.calibration import CONTINUATION, PROMPT
from specviz.zoo.training.heads import fresh_heads
from specviz.zoo.training.network import Stock
from specviz.zoo.training.parts import greedy_texts, train_heads
from specviz.zoo.training.schedule import Budget, Stage

SHORTEST_CONTEXT = PROMPT + CONTINUATION
MOST_LOGITS = 2**28  # numbers that one batch's distributions have
HEADS_SHARE = 0.8  # of the minutes, where there is a draft as well


def train_for(
    target: str | os.PathLike[str],
    corpus_directory: str | Path,
    out: str | Path,
    *,
    draft: str | os.PathLike[str] | None = None,
    work: str | Path = "build/zoo",
    minutes: float = 30.0,
    device: str | None = None,
) -> dict[str, Path]:
    """Train parts for ``target``, a directory or hub id, on the text of ``corpus_directory``; write them to ``out``.

    Returns what ``load_pair`` takes them as: ``heads`` (a folder), ``correlation`` (a file), and with a ``draft``
    ``deciders`` (a folder). ``minutes`` > 0 is the time budget of training; reading the text and the target's greedy
    continuations come on top. Unfinished work is kept in ``work``, by target. The models stay as they are. Raises
    ModelError for models that ``load_pair`` refuses or whose context is below 128, CorpusError for a corpus that is
    not whole.
    """
    pair = load_pair(target, draft, device=device, ignore_generation_config=True)
    if pair.context is not None and pair.context < SHORTEST_CONTEXT:
        raise ModelError(
            f"the pair's context is {pair.context}: training parts needs at least {SHORTEST_CONTEXT}",
            argument="target",
        )
    network, tokenizer, out = _network(pair.target), pair.tokenizer, Path(out)
    corpus, end = load_corpus(corpus_directory), min(pair.end_tokens, default=0)
    kept = Path(work) / pair.target.fingerprint
    kept.mkdir(parents=True, exist_ok=True)
    streams = cached_streams(tokenizer, corpus.training, kept / "training.npz", end)
    made = {"correlation": out / "correlation.safetensors", "heads": out / "heads"}
    out.mkdir(parents=True, exist_ok=True)
    count_bigrams(streams.values(), pair.target.vocab_size).save(made["correlation"])
    assert tokenizer is not None, "load_pair reads one"
    greedy = greedy_texts(network.model, tokenizer, corpus, end)
    stage = _stage(minutes * (1.0 if pair.draft is None else HEADS_SHARE), pair.context, pair.target.vocab_size)
    batches = Batches(streams, seed=4)
    heads = fresh_heads(network.model).to(pair.target.device)
    train_heads(heads, stage, network.model, network, batches, greedy, kept, pair.target.device, compiled=False)
    heads.save(made["heads"])
    if pair.draft is not None:
        drafting, vocab_size = _network(pair.draft).model, pair.target.vocab_size
        checkpoint = kept / f"rollouts-{pair.draft.fingerprint}.pt"
        rest = Batches(streams, seed=6), minutes * (1.0 - HEADS_SHARE), checkpoint, pair.draft.device, vocab_size
        judged, _ = deciding.collect(drafting, _judge(network.model), *rest)
        made["deciders"] = out / "deciders"
        save_deciders(deciding.fit_deciders(drafting, judged, vocab_size), made["deciders"])
    return made


def _network(model: object) -> Stock:
    assert isinstance(model, TransformerLM), "load_pair loads these"
    return Stock(model.model)


def _stage(minutes: float, context: int | None, vocab_size: int) -> Stage:
    """The heads' stage, with windows that fit the context and batches whose distributions fit the memory."""
    stage = Budget(minutes).heads
    length = min(stage.lengths[-1][1], context or stage.lengths[-1][1])
    batch = max(length, min(stage.batch_tokens, MOST_LOGITS // vocab_size))
    return replace(stage, minutes=minutes, lengths=((0.0, length),), batch_tokens=batch)


def _judge(target: PreTrainedModel) -> Callable[[torch.Tensor], torch.Tensor]:
    """The target's logits [batch, DEPTH, vocab_size] at the positions that the last ``DEPTH`` tokens were drawn at."""
    return lambda tokens: target(tokens, use_cache=False).logits[:, -1 - deciding.DEPTH : -1].float()
