"""Milliseconds of an iteration outside the models' calls, beside one top-k and one log-sum-exp of the same rows.

The pair is made up: two small networks of random weights over 151,936 tokens (as many as Qwen's), the draft a slightly
shaken copy of the target, so that some of its tokens are accepted. ``recorded``: wall time with a record over without.
"""

import time
from argparse import Namespace
from itertools import product
from statistics import median
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from specviz.decoding.run.loop import decode
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.threads import threads_for
from specviz.options import label
from specviz.trace.record import Iteration
from tests.measures.table import lanes, report

VOCABULARY = 151_936


def random_pair(vocab_size: int) -> ModelPair:
    """Two networks of random weights, alike but not equal; the head's are sharpened, or else all logits were flat."""
    torch.manual_seed(0)
    sizes = {"vocab_size": vocab_size, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
    target, draft = (LlamaForCausalLM(LlamaConfig(**sizes, num_attention_heads=4)) for _ in range(2))
    target.lm_head.weight.data *= 30
    draft.load_state_dict(target.state_dict())
    for weight in draft.parameters():
        weight.data += 0.05 * weight.std() * torch.randn_like(weight)
    return ModelPair(TransformerLM(target, "random-target"), TransformerLM(draft, "random-draft"))


def vocabulary_costs(args: Namespace, vocab_size: int = VOCABULARY) -> list[dict[str, Any]]:
    """Of every method, with top-k and without; each run is made with a record and without, in turn."""
    pair, rows = random_pair(vocab_size), []
    for top_k, (method, own) in product((20, None), lanes(args)):
        options = {**own, "top_k": top_k, "top_p": 0.9 if top_k else None, "max_new_tokens": args.tokens}
        iterations, walls = list[Iteration](), {False: list[float](), True: list[float]()}
        for seed, record in product(range(-1, args.rounds), walls):  # the first warms up
            started = time.perf_counter()
            trace = decode(pair, method, tuple(range(100, 116)), seed=max(seed, 0), record=record, **options)
            if seed >= 0:
                walls[record].append(time.perf_counter() - started)
                iterations += () if record else trace.iterations
        outside = 1e3 * median(one.seconds - sum(call.seconds for call in one.calls) for one in iterations)
        with threads_for(pair):
            selection = 1e3 * median(_selection(one, vocab_size) for one in iterations)
        costs = {"outside": outside, "selection": selection, "ratio": outside / selection}
        recorded = median(full / bare for full, bare in zip(walls[True], walls[False], strict=True))
        rows.append({"method": label(method, own), "top_k": top_k} | costs | {"recorded": recorded})
    return rows


@torch.inference_mode()
def _selection(iteration: Iteration, vocab_size: int) -> float:
    """Seconds of one top-k (20, and one more to see ties) and one log-sum-exp over rows like an iteration's."""
    logits = [torch.randn(call.tokens, vocab_size) for call in iteration.calls]
    started = time.perf_counter()
    for rows in logits:
        rows.topk(21, dim=-1)
        rows.logsumexp(-1)
    return time.perf_counter() - started


if __name__ == "__main__":
    report(vocabulary_costs, __doc__)
