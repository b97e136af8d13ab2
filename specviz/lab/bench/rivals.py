"""The same pair decoded by transformers itself: what our decoders are raced against, whole call against whole call."""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from time import perf_counter
from typing import NamedTuple, cast

import torch
from transformers import CompileConfig, GenerationConfig, PreTrainedModel
from transformers.utils import logging

from specviz.lm.language_model import LanguageModel
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.measure.devices import synchroniser
from specviz.trace.record import Call, Role

NEVER = -1  # an end token that no model can emit: every run then has its full length


def can_rival(pair: ModelPair) -> bool:
    """Whether transformers can decode with this pair: both must be its models, with embeddings of one size."""
    if not (isinstance(pair.target, TransformerLM) and isinstance(pair.draft, TransformerLM)):
        return False
    ours, theirs = (model.model.config.get_text_config().vocab_size for model in (pair.target, pair.draft))
    return ours == theirs


def in_other_dtype(pair: ModelPair) -> ModelPair:
    """The pair in bfloat16, or in float32 where the target is in a narrower one already."""
    dtype = torch.bfloat16 if pair.target.dtype == torch.float32 else torch.float32

    def other(model: LanguageModel | None) -> TransformerLM:
        copied = copy.deepcopy(_model(model))
        torch.nn.Module.to(copied, dtype)  # in place
        return TransformerLM(copied, model.name if model else "")

    return ModelPair(other(pair.target), other(pair.draft), pair.tokenizer)


class Generated(NamedTuple):
    """``tokens`` after the prompt, the models' ``calls`` for them, and the seconds of those before, ``reading`` the
    prompt. No calls are noted of compiled models."""

    tokens: tuple[int, ...]
    calls: tuple[Call, ...] = ()
    reading: float = 0.0


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
    compiled: bool = False,
) -> Generated:
    """``count`` tokens after ``prompt`` from transformers' ``generate``; end tokens do not end it.

    With ``gamma`` it is assisted generation with the pair's draft, always ``gamma`` tokens at a time; ``compiled`` has
    a static cache and torch.compile, which assisted generation has not. ``temperature``, ``top_k`` and ``top_p`` as in
    ``specviz.decode``.
    """
    model, draft = _model(pair.target), _model(pair.draft)
    inputs = torch.tensor([list(prompt)], device=pair.target.device)
    torch.manual_seed(seed)
    generate = cast("Callable[..., torch.Tensor]", model.generate)  # transformers does not type it for its own models
    config = _config(count, temperature, top_k, top_p)
    if compiled:
        config.cache_implementation, config.compile_config = "static", CompileConfig()
        vars(config.compile_config).update(_compile_all_devices=True)  # on a processor, too
    calls: list[Call] = []
    timed = nullcontext() if compiled else _timed(pair, calls)
    with _quiet(), _plain(model), _plain(draft, gamma), timed:
        output = generate(
            inputs,
            attention_mask=torch.ones_like(inputs),
            generation_config=config,
            **({} if gamma is None else {"assistant_model": draft}),
        )
    first = {call.role: number for number, call in reversed(list(enumerate(calls)))}.values()
    return Generated(
        tuple(output[0, len(prompt) :].tolist()),
        tuple(call for number, call in enumerate(calls) if number not in first),
        sum(calls[number].seconds for number in first),
    )


@contextmanager
def _timed(pair: ModelPair, calls: list[Call]) -> Iterator[None]:
    """Note each forward pass of the two models, device work included."""
    wait, started = synchroniser(pair.target) or (lambda: None), [0.0]

    def begin(*_: object) -> None:
        wait()
        started[0] = perf_counter()

    def end(role: Role, kwargs: dict[str, torch.Tensor]) -> None:
        wait()
        calls.append(Call(role, kwargs["input_ids"].shape[1], 0, perf_counter() - started[0]))

    def note(role: Role) -> Callable[..., None]:
        return lambda _module, _inputs, kwargs, _output: end(role, kwargs)

    models = (_model(pair.target), note("target")), (_model(pair.draft), note("draft"))
    hooks = [model.register_forward_pre_hook(begin) for model, _ in models]
    hooks += [model.register_forward_hook(ended, with_kwargs=True) for model, ended in models]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


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
