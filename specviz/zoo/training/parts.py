"""The parts besides target and draft: a second draft, prediction heads, the bigram table, decision models."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from transformers import LlamaForCausalLM, PreTrainedModel, PreTrainedTokenizerBase

from specviz.lm.parts.correlation import Correlation
from specviz.lm.parts.deciding import DecisionModel, save_deciders
from specviz.lm.parts.heads import PredictionHeads, choose_tree
from specviz.zoo.corpus import DOMAINS, Corpus
from specviz.zoo.training import deciders as deciding
from specviz.zoo.training.batches import Batches, evaluation_windows, token_stream
from specviz.zoo.training.calibration import (
    PROMPT,
    accuracies,
    greedy_continuations,
    rank_guesses,
)
from specviz.zoo.training.heads import heads_loss
from specviz.zoo.training.network import Network
from specviz.zoo.training.schedule import Budget, Stage
from specviz.zoo.training.stages import StageOutcome, run_stage

GREEDY_PROMPTS = 128  # a domain; every other one calibrates the heads, the rest is for the report


@dataclass(frozen=True)
class Parts:
    """Everything that was made for one target and one draft."""

    small: LlamaForCausalLM
    heads: PredictionHeads
    correlation: Correlation
    deciders: dict[str, DecisionModel]


def train_heads(
    heads: PredictionHeads,
    stage: Stage,
    target: PreTrainedModel,
    network: Network,
    batches: Batches,
    greedy: dict[str, torch.Tensor],
    work: Path,
    device: torch.device,
    compiled: bool,
) -> StageOutcome:
    """Train ``heads`` in place on ``target``, which ``network`` runs: rounded to bfloat16 as they are saved, with the
    accuracies and the tree that every other one of the target's ``greedy`` continuations gives them."""
    loss = heads_loss(heads, network, compiled)
    outcome = run_stage(stage, heads, loss, batches, work / "heads.pt", device)
    round_as_saved(heads)
    calibrate_heads(heads, target, greedy)
    return outcome


@torch.no_grad()
def round_as_saved(heads: PredictionHeads) -> None:
    """Round the weights in place to bfloat16, which they are saved in."""
    for weight in heads.parameters():
        weight.copy_(weight.to(torch.bfloat16))


def calibrate_heads(heads: PredictionHeads, target: PreTrainedModel, greedy: dict[str, torch.Tensor]) -> None:
    """Set ``heads.accuracy`` and ``heads.tree`` from every other text of ``greedy``: every domain counts alike."""
    ranks = [rank_guesses(target, heads, None, texts[::2], first=PROMPT - 1).plain for texts in greedy.values()]
    fewest = min(map(len, ranks))
    heads.accuracy = accuracies(np.concatenate([rows[:fewest] for rows in ranks]))
    heads.tree = choose_tree(heads.accuracy)


def greedy_texts(
    target: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, corpus: Corpus
) -> dict[str, torch.Tensor]:
    """By domain: the target's own greedy continuations of held-out text, int64 [n, PROMPT + CONTINUATION]."""
    texts = {}
    for domain in DOMAINS:
        stream = token_stream(tokenizer, corpus.held_out[domain])
        if len(stream) > PROMPT:
            texts[domain] = greedy_continuations(target, evaluation_windows(stream, PROMPT, GREEDY_PROMPTS))
    return texts


def train_deciders(
    budget: Budget,
    target: LlamaForCausalLM,
    draft: LlamaForCausalLM,
    batches: Batches,
    work: Path,
    device: torch.device,
    compiled: bool,
) -> tuple[dict[str, DecisionModel], StageOutcome]:
    """Decision models of ``draft``, from what ``target`` said to its rollouts."""
    judged, outcome = deciding.collect(
        draft, judge(Network(target, compiled)), batches, budget.rollouts, work / "rollouts.pt", device
    )
    return deciding.fit_deciders(draft, judged), outcome


def judge(target: Network) -> Callable[[torch.Tensor], torch.Tensor]:
    """The target's logits [batch, DEPTH, vocab_size] at the positions that the last ``DEPTH`` tokens were drawn at."""

    def logits(tokens: torch.Tensor) -> torch.Tensor:
        hidden = target.hidden(tokens)[:, -1 - deciding.DEPTH : -1]
        return (hidden @ target.model.model.embed_tokens.weight.to(torch.bfloat16).t()).float()

    return logits


def save_parts(parts: Parts, out: Path) -> None:
    """Write ``fable-heads``, ``fable-correlation`` and ``fable-deciders`` into ``out``."""
    parts.heads.save(out / "fable-heads")
    parts.correlation.save(out / "fable-correlation" / "correlation.safetensors")
    save_deciders(parts.deciders, out / "fable-deciders")
