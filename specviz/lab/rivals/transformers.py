"""The same pair decoded by transformers itself: what our decoders are raced against, whole call against whole call."""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from time import perf_counter
from typing import cast

import torch
from transformers import CompileConfig, GenerationConfig, PreTrainedModel
from transformers.utils import logging

from specviz.lab.sweep.written import RivalText
from specviz.lm.language_model import LanguageModel
from specviz.lm.network.listening import ListeningLM
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.measure.devices import synchroniser
from specviz.trace.record import Call, Role

NEVER = -1  # an end token that no model can emit: every run then has its full length
NEVER_SAID = -1e4  # the logit of a token that is not proposed


def rival_pair(pair: ModelPair) -> ModelPair | None:
    """The pair as transformers can decode with it: without a draft where that is none of its models or has another
    vocabulary; None where the target is none. A draft that proposes a part of the vocabulary gets a row for every token
    of it, since assistance knows no such draft."""
    if not isinstance(pair.target, TransformerLM):
        return None
    if not isinstance(pair.draft, TransformerLM) or isinstance(pair.draft, ListeningLM):
        return replace(pair, draft=None)
    if pair.draft.proposes is not None:
        return replace(pair, draft=_whole(pair.draft, pair.draft.proposes))
    ours, theirs = (model.model.config.get_text_config().vocab_size for model in (pair.target, pair.draft))
    return pair if ours == theirs else replace(pair, draft=None)


def _whole(draft: TransformerLM, proposes: torch.Tensor) -> TransformerLM:
    model = copy.deepcopy(draft.model)
    few = cast(torch.nn.Linear, model.get_output_embeddings())
    head = torch.nn.Linear(few.in_features, draft.vocab_size, device=few.weight.device, dtype=few.weight.dtype)
    with torch.no_grad():
        head.weight.zero_()[proposes] = few.weight
        head.bias.fill_(NEVER_SAID)[proposes] = 0.0 if few.bias is None else few.bias
    model.set_output_embeddings(head)
    return TransformerLM(model, draft.name)


def in_other_dtype(pair: ModelPair) -> ModelPair:
    """The pair in bfloat16, or in float32 where the target is in a narrower one already."""
    dtype = torch.bfloat16 if pair.target.dtype == torch.float32 else torch.float32

    def other(model: LanguageModel) -> TransformerLM:
        copied = copy.deepcopy(_model(model))
        torch.nn.Module.to(copied, dtype)  # in place
        return TransformerLM(copied, model.name)

    return ModelPair(other(pair.target), other(pair.draft) if pair.draft else None, pair.tokenizer)


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
) -> RivalText:
    """``count`` tokens after ``prompt`` from transformers' ``generate``; end tokens do not end it.

    With ``gamma`` it is assisted generation with the pair's draft, always ``gamma`` tokens at a time; ``compiled`` has
    a static cache and torch.compile, which assisted generation has not. ``temperature``, ``top_k`` and ``top_p`` as in
    ``specviz.decode``.
    """
    model, draft = _model(pair.target), None if gamma is None else _model(pair.draft)
    inputs = torch.tensor([list(prompt)], device=pair.target.device)
    torch.manual_seed(seed)
    generate = cast("Callable[..., torch.Tensor]", model.generate)  # transformers does not type it for its own models
    config = _config(count, temperature, top_k, top_p)
    if compiled:
        config.cache_implementation, config.compile_config = "static", CompileConfig()
        vars(config.compile_config).update(_compile_all_devices=True)  # on a processor, too
    calls: list[Call] = []
    with ExitStack() as around:
        around.enter_context(_quiet())
        around.enter_context(_plain(model))
        if draft is not None:
            around.enter_context(_plain(draft, gamma))
        if not compiled:
            wait = synchroniser(pair.target) or (lambda: None)
            around.enter_context(_timed(model, "target", wait, calls))
            if draft is not None:
                around.enter_context(_timed(draft, "draft", wait, calls))
        output = generate(
            inputs,
            attention_mask=torch.ones_like(inputs),
            generation_config=config,
            **({} if gamma is None else {"assistant_model": draft}),
        )
    first = {call.role: number for number, call in reversed(list(enumerate(calls)))}.values()
    return RivalText(
        tuple(output[0, len(prompt) :].tolist()),
        tuple(call for number, call in enumerate(calls) if number not in first),
        sum(calls[number].seconds for number in first),
    )


@contextmanager
def _timed(model: PreTrainedModel, role: Role, wait: Callable[[], None], calls: list[Call]) -> Iterator[None]:
    """Note each forward pass of ``model``, device work included."""
    started = 0.0

    def begin(*_: object) -> None:
        nonlocal started
        wait()
        started = perf_counter()

    def end(_module: object, _inputs: object, kwargs: dict[str, torch.Tensor], _output: object) -> None:
        wait()
        calls.append(Call(role, kwargs["input_ids"].shape[1], 0, perf_counter() - started))

    hooks = [model.register_forward_pre_hook(begin), model.register_forward_hook(end, with_kwargs=True)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


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
