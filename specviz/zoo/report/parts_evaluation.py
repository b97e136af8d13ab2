"""What the parts beside target and draft can do, measured on text they never saw; plain numbers, for the report."""

import datetime
from dataclasses import asdict

import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from specviz.lm.parts.correlation import Correlation
from specviz.lm.parts.deciding import DecisionModel
from specviz.lm.parts.heads import PredictionHeads, chain_tree
from specviz.zoo.corpus import DOMAINS, Corpus
from specviz.zoo.report import evaluation
from specviz.zoo.training import deciders as deciding
from specviz.zoo.training.batches import evaluation_windows, token_stream
from specviz.zoo.training.calibration import (
    CONTINUATION,
    PROMPT,
    HeadRanks,
    expected_depth,
    log_correlation,
    measured_depth,
    rank_guesses,
)
from specviz.zoo.training.network import placed
from specviz.zoo.training.parts import Parts

WINDOW, WINDOWS = 512, 32  # of held-out text, a domain
ROLLOUTS = 256  # a domain
TOP = 5


def measure_parts(
    parts: Parts,
    target: LlamaForCausalLM,
    draft: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    corpus: Corpus,
    greedy: dict[str, torch.Tensor],
) -> dict:
    """All numbers about ``parts`` as plain data; models as shipped (bfloat16 values, float32 arithmetic).

    ``greedy`` are the target's greedy continuations by domain: half of them calibrated the heads, the other half is
    measured here.
    """
    streams = {domain: token_stream(tokenizer, corpus.held_out[domain]) for domain in DOMAINS}
    small = placed(evaluation.as_shipped(parts.small), target.device)
    with torch.random.fork_rng():
        fits = {domain: evaluation.measure_fit(target, small, tokenizer, corpus.held_out[domain]) for domain in DOMAINS}
        return {
            "date": datetime.date.today().isoformat(),
            "small": {domain: asdict(fit) if fit else None for domain, fit in fits.items()},
            "correlation": _correlation(parts.correlation),
            "heads": measure_heads(parts.heads, target, parts.correlation, streams, greedy),
            "deciders": measure_deciders(parts.deciders, target, draft, streams),
        }


def _correlation(correlation: Correlation) -> dict:
    return {"pairs": len(correlation.pairs), "total": correlation.total, "floor": correlation.floor}


def measure_heads(heads: PredictionHeads, target, correlation: Correlation, streams: dict, greedy: dict) -> dict:
    """Accuracies on held-out text and on greedy continuations, by domain, and what the tree gains on the latter."""
    log_r = log_correlation(correlation)
    text, written, unseen = {}, {}, []
    for domain, stream in streams.items():
        length = min(WINDOW, len(stream) - 1)
        if length > heads.count + 1:
            text[domain] = _shares(
                rank_guesses(target, heads, log_r, evaluation_windows(stream, length, WINDOWS)), length
            )
        if domain in greedy and len(greedy[domain]) > 1:
            ranks = rank_guesses(target, heads, log_r, greedy[domain][1::2], first=PROMPT - 1)
            written[domain] = _shares(ranks, CONTINUATION)
            unseen.append(ranks)
    return {
        "count": heads.count,
        "width": heads.width,
        "parameters": sum(weight.numel() for weight in heads.parameters()),
        "text": text,
        "greedy": written,
        "tree": [list(path) for path in heads.tree],
        "expected": {
            "tree": expected_depth(heads.tree, heads.accuracy),
            "chain": expected_depth(chain_tree(heads.count), heads.accuracy),
        },
        "measured": {
            name: sum(measured_depth(tree, ranks.plain) for ranks in unseen) / len(unseen) if unseen else None
            for name, tree in (("tree", heads.tree), ("chain", chain_tree(heads.count)))
        },
    }


def _shares(ranks: HeadRanks, length: int) -> dict:
    """The shares of positions where the right token is among the best 1 .. 5 of each head, without and with r."""
    return {
        "positions": len(ranks.plain),
        "length": length,
        "plain": [[float((column < k).mean()) for k in range(1, TOP + 1)] for column in ranks.plain.T],
        "corrected": [[float((column < k).mean()) for k in range(1, TOP + 1)] for column in ranks.corrected.T],
    }


def measure_deciders(deciders: dict[str, DecisionModel], target, draft, streams: dict) -> dict:
    """Each decision model's estimates against what verification said, on rollouts from held-out text."""

    def judge(tokens: torch.Tensor) -> torch.Tensor:
        hidden = target.model(tokens, use_cache=False).last_hidden_state[:, -1 - deciding.DEPTH : -1]
        return target.lm_head(hidden)

    generator = torch.Generator().manual_seed(evaluation.QUESTION_SEED)
    judged = []
    for stream in streams.values():
        if len(stream) <= deciding.CONTEXT:
            continue
        for contexts in evaluation_windows(stream, deciding.CONTEXT, ROLLOUTS).split(deciding.BATCH):
            contexts = contexts[:, :-1].to(target.device)
            judged.append(deciding.roll_out(draft, judge, contexts, generator))
    if not judged:
        return {}
    positions = deciding.join(judged)
    with torch.inference_mode():
        return {
            kind: deciding.calibrate(
                decider(getattr(positions, kind)).sigmoid().double().numpy(), positions.accepted.double().numpy()
            )
            for kind, decider in deciders.items()
        }
