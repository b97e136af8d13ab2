"""The same pair decoded by transformers itself: what our decoders are raced against, whole call against whole call."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import cast

import torch
from transformers import GenerationConfig, PreTrainedModel
from transformers.utils import logging

from specviz.lm.language_model import LanguageModel
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair

NEVER = -1  # an end token that no model can emit: every run then has its full length


def can_rival(pair: ModelPair) -> bool:
    """Whether transformers can decode with this pair: both must be its models, with embeddings of one size."""
    if not (isinstance(pair.target, TransformerLM) and isinstance(pair.draft, TransformerLM)):
        return False
    ours, theirs = (model.model.config.get_text_config().vocab_size for model in (pair.target, pair.draft))
    return ours == theirs


def generate(
    pair: ModelPair,
    prompt: Sequence[int],
    count: int,
    seed: int,
    *,
    gamma: int | None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> tuple[int, ...]:
    """``count`` tokens after ``prompt`` from transformers' ``generate``; end tokens do not end it.

    With ``gamma`` it is assisted generation with the pair's draft, always ``gamma`` tokens at a time. ``temperature``,
    ``top_k`` and ``top_p`` as in ``specviz.decode``.
    """
    model, draft = _model(pair.target), _model(pair.draft)
    inputs = torch.tensor([list(prompt)], device=pair.target.device)
    torch.manual_seed(seed)
    generate = cast("Callable[..., torch.Tensor]", model.generate)  # transformers does not type it for its own models
    with _quiet(), _plain(model), _plain(draft, gamma):
        output = generate(
            inputs,
            attention_mask=torch.ones_like(inputs),
            generation_config=_config(count, temperature, top_k, top_p),
            **({} if gamma is None else {"assistant_model": draft}),
        )
    return tuple(output[0, len(prompt) :].tolist())


@torch.inference_mode()
def logprobs(pair: ModelPair, prompt: Sequence[int], tokens: Sequence[int]) -> list[float]:
    """Raw log-probabilities (before temperature, top-k and top-p) of ``tokens`` after ``prompt`` under the target."""
    text = torch.tensor([[*prompt, *tokens]], device=pair.target.device)
    logits = _model(pair.target)(text, use_cache=False).logits[0, len(prompt) - 1 : -1, : pair.target.vocab_size]
    distributions = logits.float().log_softmax(-1)
    return distributions.gather(-1, text[0, len(prompt) :, None])[:, 0].tolist()


def _model(model: LanguageModel | None) -> PreTrainedModel:
    """The model of transformers that one of the pair's is. Raises TypeError where it is none (``can_rival``)."""
    if not isinstance(model, TransformerLM):
        raise TypeError(f"no model of transformers: {model!r}")
    return model.model


def _config(count: int, temperature: float, top_k: int | None, top_p: float | None) -> GenerationConfig:
    sampling: dict[str, float] = {"do_sample": False}
    if temperature > 0:
        sampling = {"do_sample": True, "temperature": temperature, "top_k": top_k or 0, "top_p": top_p or 1.0}
    return GenerationConfig(max_new_tokens=count, eos_token_id=NEVER, pad_token_id=0, **sampling)


@contextmanager
def _plain(model: PreTrainedModel, gamma: int | None = None) -> Iterator[None]:
    """Give ``model`` plain settings of its own for a while: no end token, a constant number of drafted tokens."""
    before = model.generation_config
    model.generation_config = GenerationConfig(eos_token_id=NEVER, pad_token_id=0)
    if gamma is not None:
        model.generation_config.num_assistant_tokens = gamma
        model.generation_config.num_assistant_tokens_schedule = "constant"
        model.generation_config.assistant_confidence_threshold = 0.0
    try:
        yield
    finally:
        model.generation_config = before


@contextmanager
def _quiet() -> Iterator[None]:
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)
