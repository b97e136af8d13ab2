"""Seconds of reading a prompt: ours beside transformers', and a second run with the same prompt; medians."""

import time
from argparse import Namespace
from collections.abc import Callable
from statistics import median
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from specviz.lm.network.transformer import TransformerLM
from tests.measures.table import pair, report

LENGTHS = (900, 16_000)


def long_model() -> TransformerLM:
    """A small network of random weights that reads long prompts."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 1000, "hidden_size": 256, "intermediate_size": 768, "num_hidden_layers": 4}
    config = LlamaConfig(**sizes, num_attention_heads=8, max_position_embeddings=20_000)
    return TransformerLM(LlamaForCausalLM(config), "random, 4 layers of 256")


def reading_times(args: Namespace) -> list[dict[str, Any]]:
    """Of the target and of a long one, for every length that the context holds, taken in turn."""
    return [
        _timed(model, tokens, args.rounds)
        for model in (pair(args).target, long_model())
        for tokens in LENGTHS
        if isinstance(model, TransformerLM) and (model.context is None or tokens < model.context)
    ]


def _timed(model: TransformerLM, tokens: int, rounds: int) -> dict[str, Any]:
    prompt = torch.randint(model.vocab_size, (tokens,), generator=torch.Generator().manual_seed(0)).tolist()

    def ours() -> None:
        model.open(tokens + 1).extend(prompt, range(-1, tokens - 1), last_only=True)

    @torch.inference_mode()
    def theirs() -> None:
        model.model(input_ids=torch.tensor([prompt], device=model.device), use_cache=True, logits_to_keep=1)

    seconds: dict[str, list[float]] = {"ours": [], "again": [], "transformers": []}
    for _ in range(rounds):
        model.prompts.forget()
        for name, call in (("ours", ours), ("again", ours), ("transformers", theirs)):
            seconds[name].append(_seconds(call))
    model.prompts.forget()
    return {"model": model.name, "tokens": tokens} | {name: median(own) for name, own in seconds.items()}


def _seconds(call: Callable[[], None]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


if __name__ == "__main__":
    report(reading_times, __doc__)
