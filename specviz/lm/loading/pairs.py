"""Reading a pair from disk or hub: which models, where they are placed, in which dtype."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from specviz.errors import ModelError, as_given
from specviz.lm.getting.catalog import MODELS, KnownModel
from specviz.lm.getting.getting import known_path
from specviz.lm.loading import embedded
from specviz.lm.loading.eagle import is_eagle, load_eagle
from specviz.lm.loading.generation import check_generation
from specviz.lm.loading.models import (
    about,
    end_tokens_of,
    load_model,
    model_inside,
    tokenizer_of,
    unshared_tokens,
    wrap_model,
)
from specviz.lm.loading.quickest import GUESSES, quickest
from specviz.lm.loading.small_draft import is_small_draft, load_small_draft
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.ngram import NgramLM
from specviz.lm.pair import ModelPair
from specviz.lm.parts.correlation import Correlation
from specviz.lm.parts.deciding import load_deciders
from specviz.lm.parts.heads import PredictionHeads

Folder = str | os.PathLike[str]
ModelSource = Folder | PreTrainedModel
PartSource = ModelSource | torch.nn.Module
G = TypeVar("G")
EMBEDDED = embedded.EMBEDDED
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
BITS = (4,)
"""The numbers of bits that weights can be rounded to."""


class _PairSources(NamedTuple):
    """The models that ``load_pair`` is to load, and what was trained for them. ``counted``: where there is no draft
    model, counts draft."""

    target: ModelSource
    draft: ModelSource | None
    drafts: tuple[ModelSource, ...]
    bits: int | None
    heads: Folder | None
    correlation: Folder | None
    deciders: Folder | None
    counted: bool = False

    @property
    def others(self) -> list[tuple[str, ModelSource]]:
        """Every draft model, with the argument that it was given as."""
        first = [] if self.draft is None else [("draft", self.draft)]
        return [*first, *(("drafts", source) for source in self.drafts)]


def load_pair(
    target: PartSource | None = None,
    draft: PartSource | None = None,
    *,
    tokenizer: PreTrainedTokenizerBase | None = None,
    drafts: Sequence[PartSource] = (),
    heads: Folder | None = None,
    correlation: Folder | None = None,
    deciders: Folder | None = None,
    device: str | None = None,
    dtype: str | None = None,
    chat: bool | None = None,
    control_tokens: bool | None = None,
    cost_ratio: float | None = None,
    threads: int | None = None,
    bits: int | None = None,
    graphs: bool | None = None,
    ignore_generation_config: bool = False,
) -> ModelPair:
    """Load a target and a draft: local directories, GGUF files (a target of Llama's family) or hub ids; ``~`` is the
    home folder. Without arguments the embedded pair with all its parts. A target may be the name of a known model that
    is on this machine (``python -m specviz models``); it brings drafts, of which ``draft`` and ``drafts`` may name any
    (default: the first). A draft that ``python -m specviz train --draft-for`` wrote reads the target's own embedding
    and proposes a part of its vocabulary. A folder with a public EAGLE-3 draft of the target is read, too, in the
    layout of its authors or of speculators (``lm/loading/eagle.py``).

    A model of transformers that is loaded already (PreTrainedModel) may stand in place of a name: it is used as it is,
    on its device and in its dtype, and switched to evaluation; also a quantised one, one spread over devices, or one
    with adapters in its layers (peft's LoRA). ``tokenizer`` is that of all models given so; by default it is read by
    the name that each of them carries. ``drafts`` are further draft models; ``heads`` and ``deciders`` are folders and
    ``correlation`` is a file written by ``python -m specviz train``, for this target and this draft.

    ``device`` is "cpu", "cuda", "cuda:1" or "auto" (spread over all GPUs); default: that of a target that is loaded
    already, or else cuda when there is one. ``dtype`` is float32, bfloat16, float16 or "auto": on CPU float32 or
    bfloat16, for each model whichever takes less time here (``pair.choice`` says what was measured). Default: that of
    such a target, or else float32 on CPU, bfloat16 on CUDA. In bfloat16 and float16 a tree and a single text may
    round differently on a GPU, in models without a lean forward pass (``forward``), and on a processor whose products
    depend on their number of rows: where two tokens nearly tie, a greedy text may leave that of plain decoding. In
    float32 that is rare.

    ``chat``: use the tokenizer's chat template (default: when it has one). ``control_tokens``: whether one typed in a
    prompt, such as ``<|im_end|>``, is that token (default: in text as it is, not in text and messages that go through
    the template). ``cost_ratio`` spares ``gamma="auto"`` its measurement, and repeats a run. ``threads`` compute the
    models on CPU (1 or more; default: one for small models, torch's number for large ones). ``bits=4``, on CPU: weights
    of all layers are rounded to four bits, which makes another model of each, except that those of a GGUF file of Q4_1
    are four bits already (``lm/network/narrow.py``). In bfloat16, the default then, calls get faster: all where a
    processor does not know bfloat16, else those of one row, so that speculation gains less over plain decoding.
    ``graphs=False`` launches a GPU's kernels one by one, to compare; by default a call is captured as a CUDA graph and
    replayed.

    A target whose generation settings change its distribution or a text's end (repetition_penalty, stop_strings, one
    that is not known here, ...) is refused, since they are not applied, unless ``ignore_generation_config``;
    temperature, top-k, top-p, beams and lengths are options of the methods and runs in any case. Special and other
    added tokens that only one of target and draft has are never drafted, which the log says. Only safetensors and GGUF
    weights are read (these to the full ``dtype``), and the tensors of an EAGLE-3 draft's ``pytorch_model.bin``; no code
    from a model is run.

    Raises ModelError, naming the model, for a missing file, weights in another format, an unsuitable architecture,
    vocabularies or widths that differ, or too little memory; its ``argument`` is the one that the model was given as.
    Also for an option that would change nothing of these models, such as ``dtype`` where all are loaded already.
    """
    sources = _asked(target, draft, tuple(drafts), bits, heads, correlation, deciders)
    _refuse_unused(sources, device, dtype, cost_ratio)
    shared, unshared = _shared_tokenizer(sources, tokenizer)
    chat = _chat(sources, shared, chat)
    models, choice = _loaded(sources, device, dtype, _checked_threads(threads), graphs)
    for model, tokens in zip(models[1:], unshared, strict=True):  # the target keeps all of its own
        model.vocab_size, model.unshared = models[0].vocab_size, tokens
    if not ignore_generation_config:
        check_generation(models[0].model, models[0].name)
    settings = {"control_tokens": control_tokens, "cost_ratio": cost_ratio, "choice": choice, "threads": threads}
    return _joined(sources, shared, models, chat=chat, **settings)


def _joined(
    sources: _PairSources,
    tokenizer: PreTrainedTokenizerBase,
    models: list[TransformerLM],
    **settings: Any,
) -> ModelPair:
    """The pair of these models, the target first, with what was trained for them; ``settings`` are fields of it."""
    target, own = models[0], 1 if sources.draft is None else 2
    counts = NgramLM("bigram", target.vocab_size) if sources.counted else None
    with about("deciders"):
        deciders = load_deciders(sources.deciders, target.device) if sources.deciders else {}
    return ModelPair(
        target,
        models[1] if own == 2 else counts,
        tokenizer,
        drafts=tuple(models[own:]),
        heads=PredictionHeads.load(sources.heads, target.device, target.dtype) if sources.heads else None,
        correlation=Correlation.load(sources.correlation) if sources.correlation else None,
        deciders=deciders,
        end_tokens=end_tokens_of(target.model, tokenizer),
        **settings,
    )


def _refuse_unused(pair_sources: _PairSources, device: str | None, dtype: str | None, cost_ratio: float | None) -> None:
    """Raises ModelError for an option that is given and would change nothing of these models."""
    sources = [pair_sources.target, *(source for _, source in pair_sources.others)]
    loaded = [source for source in sources if isinstance(source, PreTrainedModel)]
    whole, places = len(loaded) == len(sources), {str(model.device) for model in loaded if model.device.type != "meta"}
    placed = all(isinstance(source, PreTrainedModel) or _goes_with_target(source) for source in sources)
    types, stay = (
        {str(model.dtype).removeprefix("torch.") for model in loaded},
        "these models are loaded already, and stay",
    )
    unused = {
        "device": (device, placed and places - {device, f"{device}:0"}, f"{stay} on {' and '.join(sorted(places))}"),
        "dtype": (dtype, whole and types - {dtype}, f"{stay} in {' and '.join(sorted(types))}"),
        "deciders": (pair_sources.deciders, pair_sources.draft is None, "there is no draft"),
        "cost_ratio": (cost_ratio, pair_sources.draft is None, "there is no draft"),
    }
    for name, (value, without_effect, why) in unused.items():
        if value is not None and without_effect:
            raise ModelError(f"{name}={as_given(value)} would change nothing: {why}", argument=name)


def _checked_threads(threads: int | None) -> int | None:
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, Integral) or threads < 1):
        raise ModelError(f"threads must be a whole number from 1, got {as_given(threads)}", argument="threads")
    return threads


def _chat(sources: _PairSources, tokenizer: PreTrainedTokenizerBase, chat: bool | None) -> bool:
    """Whether prompts go through the chat template. Raises ModelError where one is asked for that is not there."""
    has_template = getattr(tokenizer, "chat_template", None) is not None
    if chat and not has_template:
        raise ModelError(f"model {_name(sources.target)!r} has no chat template: chat must be off", argument="chat")
    return has_template if chat is None else chat


def _asked(
    target: PartSource | None,
    draft: PartSource | None,
    drafts: tuple[PartSource, ...],
    bits: int | None,
    *parts: Folder | None,
) -> _PairSources:
    """What was asked for, or the embedded models and their parts. Raises ModelError for a draft without a target."""
    if bits is not None and (type(bits) is not int or bits not in BITS):
        raise ModelError(f"bits must be 4 or None, got {as_given(bits)}", argument="bits")
    heads, correlation, deciders = parts
    if target is None:
        if draft is not None:
            name = _name(_plain("draft", draft))
            raise ModelError(f"draft {name!r} needs a target: give both, or neither", argument="target")
        target, draft = EMBEDDED / "fable-target", EMBEDDED / "fable-draft"
        drafts = drafts or (EMBEDDED / "fable-draft-small",)
        embedded.check_models()
        heads, deciders = heads or embedded.part(embedded.HEADS), deciders or embedded.part(embedded.DECIDERS)
        correlation = correlation or embedded.part(embedded.CORRELATION)
    known = MODELS.get(target) if isinstance(target, str) and not os.path.exists(target) else None
    if known is not None:
        with about("target"):
            target = known_path(known.name)
        if draft is None and known.drafts:
            draft, *others = map(embedded.part, known.drafts)
            drafts = drafts or tuple(other for other in others if other is not None)
        draft = _shipped("draft", draft, known)
        drafts = tuple(_shipped("drafts", source, known) for source in drafts)
    first = None if draft is None else _plain("draft", draft)
    further = tuple(_plain("drafts", source) for source in drafts)
    counted = known is not None and first is None
    return _PairSources(_plain("target", target), first, further, bits, heads, correlation, deciders, counted)


def _shipped(argument: str, source: G, known: KnownModel) -> G | Path:
    """The folder of a draft that ``known`` brings, where ``source`` is its name and nothing here is called so."""
    if not isinstance(source, str | os.PathLike) or str(source) not in known.drafts or os.path.exists(source):
        return source
    folder = embedded.part(str(source))
    if folder is None:
        raise ModelError(f"{argument} {str(source)!r} is missing or not what was shipped", argument=argument)
    return folder


def _plain(argument: str, source: PartSource) -> ModelSource:
    """What ``source`` is about: a name, or a model without its wrapper."""
    with about(argument):
        return model_inside(source) if isinstance(source, torch.nn.Module) else source


def _goes_with_target(source: ModelSource) -> bool:
    """Whether this is a draft without a vocabulary or a device of its own."""
    return is_small_draft(source) or is_eagle(source)


def _name(source: ModelSource) -> str:
    return source.name_or_path or type(source).__name__ if isinstance(source, PreTrainedModel) else str(source)


def _shared_tokenizer(
    sources: _PairSources, supplied: PreTrainedTokenizerBase | None
) -> tuple[PreTrainedTokenizerBase, list[frozenset[int]]]:
    """The target's tokenizer, and of each draft the tokens that it does not share. Raises ModelError where a draft has
    another vocabulary; a ``supplied`` tokenizer is that of every model that is loaded already."""

    def own(argument: str, source: ModelSource) -> PreTrainedTokenizerBase:
        with about(argument):
            return supplied if supplied is not None and isinstance(source, PreTrainedModel) else tokenizer_of(source)

    tokenizer = supplied if supplied is not None else own("target", sources.target)
    unshared = []
    for argument, source in sources.others:
        if _goes_with_target(source):  # it has the target's
            unshared.append(frozenset[int]())
            continue
        with about(argument):
            unshared.append(unshared_tokens(_name(sources.target), tokenizer, _name(source), own(argument, source)))
    return tokenizer, unshared


def _loaded(
    sources: _PairSources, device: str | None, dtype: str | None, threads: int | None, graphs: bool | None
) -> tuple[list[TransformerLM], str]:
    """The target and all drafts, and why they have the dtypes they have."""
    device, usual = _placed(sources.target, device, dtype)
    free = dtype == "auto" and device == "cpu" and not sources.bits
    if sources.bits:
        _check_rounding(sources, device)
        usual = torch.bfloat16 if dtype in (None, "auto") else usual
    models: list[TransformerLM] = []
    reasons: list[str] = []
    for argument, source in (("target", sources.target), *sources.others):
        beside = str(models[0].device) if models and device == "auto" else device  # only the target is spread
        rows = (1, GUESSES) if argument != "target" else (GUESSES + 1,) if sources.others else (1,)
        with about(argument):
            if isinstance(source, PreTrainedModel):
                models.append(wrap_model(source, graphs))
                continue
            if argument != "target" and is_small_draft(source):
                load = partial(load_small_draft, source, models[0], graphs=graphs, bits=sources.bits)
            elif argument != "target" and is_eagle(source):
                load = partial(load_eagle, source, models[0], bits=sources.bits)
            else:
                load = partial(load_model, source, beside, graphs=graphs, bits=sources.bits)
            if free:
                model, reason = quickest(load, rows, threads, models[0] if models else None)
                models.append(model)
                reasons.append(f"{model.name} in {reason}")
            else:
                models.append(load(usual))
    for model in models:
        if graphs and model.graphs_refused:
            raise ModelError(f"graphs=True, and {model.name!r} has none: {model.graphs_refused}", argument="graphs")
    return models, "; ".join(reasons)


def _check_rounding(sources: _PairSources, device: str) -> None:
    """Raises ModelError where there is no product with weights of few bits, or the weights are not ours to change."""
    if device != "cpu":
        raise ModelError(f"bits is for models on cpu, these are for {device}", argument="bits")
    for argument, source in (("target", sources.target), *sources.others):
        if isinstance(source, PreTrainedModel):
            raise ModelError(
                f"bits={sources.bits} rounds models read from a folder or hub; {argument} {_name(source)!r} is loaded "
                "already and stays as it is",
                argument="bits",
            )


def _placed(target: ModelSource, device: str | None, dtype: str | None) -> tuple[str, torch.dtype]:
    """Where models are loaded to, and in which dtype. Raises ModelError for a dtype that is none of DTYPES."""
    if dtype not in (None, "auto", *DTYPES):
        raise ModelError(
            f"dtype must be one of {', '.join([*DTYPES, 'auto'])}, got {as_given(dtype)}", argument="dtype"
        )
    model = target if isinstance(target, PreTrainedModel) else None
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "cpu"
        if model is not None and model.device.type != "meta":  # meta: offloaded
            device = str(model.device)
    if dtype in DTYPES:
        return device, DTYPES[dtype]
    return device, model.dtype if model is not None else torch.float32 if device == "cpu" else torch.bfloat16
