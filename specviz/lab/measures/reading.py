"""What reading a prompt costs: ours beside transformers', and what a second run with the same prompt saves."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from specviz.lm.network.transformer import TransformerLM

LENGTHS = (900, 16_000)
CONTEXT = 20_000
WIDTH, LAYERS, HEADS, VOCABULARY = 256, 4, 8, 1_000


@dataclass(frozen=True)
class ReadingTime:
    """Median seconds of reading a prompt of ``tokens`` tokens with ``model``: by ``ours``, ``again`` (a second run with
    the same prompt) and ``transformers``."""

    model: str
    tokens: int
    ours: float
    again: float
    transformers: float


def long_model() -> TransformerLM:
    """A small network of random weights that reads long prompts."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        intermediate_size=3 * WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        max_position_embeddings=CONTEXT,
    )
    return TransformerLM(LlamaForCausalLM(config), f"random, {LAYERS} layers of {WIDTH}")


def reading_times(models: list[TransformerLM], rounds: int = 6) -> Iterator[ReadingTime]:
    """The times of every model for every length that its context holds, taken in turn ``rounds`` times."""
    for model in models:
        for tokens in LENGTHS:
            if model.context is None or tokens < model.context:
                yield _measured(model, tokens, rounds)


def _measured(model: TransformerLM, tokens: int, rounds: int) -> ReadingTime:
    prompt = torch.randint(model.vocab_size, (tokens,), generator=torch.Generator().manual_seed(0)).tolist()
    found: dict[str, list[float]] = {"ours": [], "again": [], "transformers": []}

    def ours() -> None:
        model.open(tokens + 1).extend(prompt, range(-1, tokens - 1), last_only=True)

    @torch.inference_mode()
    def theirs() -> None:
        model.model(input_ids=torch.tensor([prompt], device=model.device), use_cache=True, logits_to_keep=1)

    for _ in range(rounds):
        model.prompts.forget()
        found["ours"].append(_seconds(ours))
        found["again"].append(_seconds(ours))
        found["transformers"].append(_seconds(theirs))
    model.prompts.forget()
    return ReadingTime(model.name, tokens, **{name: median(seconds) for name, seconds in found.items()})


def _seconds(call: Callable[[], None]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started
