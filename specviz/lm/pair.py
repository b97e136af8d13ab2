"""A target and a draft that share a vocabulary, and how text becomes their tokens."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from specviz.assets import ASSETS
from specviz.errors import ModelError, PromptError, as_given
from specviz.lm.language_model import LanguageModel
from specviz.lm.network.prompts import PromptMemory
from specviz.lm.parts.correlation import Correlation, DenseCorrelation
from specviz.lm.parts.deciding import Decider, load_deciders
from specviz.lm.parts.heads import Heads, PredictionHeads

Source = str | os.PathLike[str] | PreTrainedModel
Given = Source | torch.nn.Module
Prompt = str | Sequence[int] | Sequence[Mapping[str, Any]]
"""Text, token ids, or messages: dicts with "role" and "content", as chat templates read them."""
EMBEDDED = ASSETS / "models"
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass
class ModelPair:
    """Two language models over one vocabulary.

    Without a ``tokenizer`` prompts and results are token ids. ``drafts`` are further draft models. ``end_tokens`` end a
    text. ``chat`` says whether prompts go through the tokenizer's chat template. ``cost_ratio`` is the measured time
    of a one-token draft call over a one-token target call (None: not measured yet, see ``measure/calibration.py``).
    ``heads`` guess the target's later tokens, ``correlation`` is that of adjacent tokens, ``deciders`` are the draft's
    decision models by kind. ``choice`` says why the dtype is what it is where it was measured. ``threads`` compute
    the models on a processor (None: ``lm/threads.py`` chooses). Raises ModelError when vocabularies or widths differ,
    or the tokenizer has ids that the target has no embedding for.
    """

    target: LanguageModel
    draft: LanguageModel | None = None
    tokenizer: PreTrainedTokenizerBase | None = None
    drafts: tuple[LanguageModel, ...] = ()
    heads: Heads | None = None
    correlation: Correlation | DenseCorrelation | None = None
    deciders: Mapping[str, Decider] = field(default_factory=dict)
    end_tokens: frozenset[int] = frozenset()
    chat: bool = False
    cost_ratio: float | None = None
    choice: str = ""
    threads: int | None = None
    _pieces: dict[int, str] = field(default_factory=dict, repr=False)

    def __post_init__(self):
        for argument, model in (("draft", self.draft), *(("drafts", one) for one in self.drafts)):
            if model is not None and model.vocab_size != self.target.vocab_size:
                raise ModelError(
                    f"draft {model.name!r} has a vocabulary of {model.vocab_size}, target {self.target.name!r} one of "
                    f"{self.target.vocab_size}: they must share one",
                    argument=argument,
                )
        if self.tokenizer is not None:
            _check_tokenizer(self.tokenizer, self.target)
        _same_sizes("heads", f"heads {self.heads.name!r}" if self.heads else "", self.heads, "target", self.target)
        _same_sizes("correlation", "correlation", self.correlation, "target", self.target)
        for decider in self.deciders.values():
            if self.draft is not None:
                _same_sizes("deciders", f"decider {decider.name!r}", decider, "draft", self.draft)

    @property
    def context(self) -> int | None:
        """The longest sequence that every model of the pair can read; None without a limit."""
        limits = [model.context for model in self._models if model.context]
        return min(limits, default=None)

    def forget_prompts(self) -> None:
        """Let the next run read its prompt, also one that was read lately."""
        for model in self._models:
            memory = getattr(model, "prompts", None)
            if isinstance(memory, PromptMemory):
                memory.forget()

    @property
    def context_note(self) -> str:
        """Why the context is shorter than its model's configuration says; "" where it is not."""
        shortest = [model for model in self._models if model.context == self.context]
        return next((getattr(model, "context_note", "") for model in shortest), "")

    @property
    def _models(self) -> list[LanguageModel]:
        return [model for model in (self.target, self.draft, *self.drafts) if model is not None]

    def encode(self, prompt: Prompt, template_arguments: Mapping[str, Any] | None = None) -> tuple[int, ...]:
        """Token ids of a prompt. Messages go through the tokenizer's chat template, and so does text where ``chat`` is
        on; ``template_arguments`` are the template's own (such as ``enable_thinking``). Raises PromptError when the
        prompt is empty, none of these, refused by the template, or has ids outside the vocabulary."""
        if template_arguments is not None:
            _check_arguments(template_arguments)
        if isinstance(prompt, str):
            return self._encode_text(prompt, template_arguments)
        if isinstance(prompt, bytes | Mapping) or not isinstance(prompt, Iterable):
            raise PromptError(f"prompt must be text, token ids or a list of messages, got {type(prompt).__name__}")
        given: tuple[Any, ...] = tuple(prompt)
        if any(isinstance(one, Mapping) for one in given):
            return self._encode_messages(_messages(given), template_arguments)
        if template_arguments:
            raise PromptError(
                "template_arguments are for messages and text, the prompt is token ids", argument="template_arguments"
            )
        strange = [token for token in given if not isinstance(token, Integral) or isinstance(token, bool)]
        if strange:
            raise PromptError(
                f"prompt must be text, messages or whole token ids, got {as_given(strange[0])} among them"
            )
        tokens = tuple(int(token) for token in given)
        if not tokens:
            raise PromptError("prompt is empty: give at least one token")
        wrong = [token for token in tokens if not 0 <= token < self.target.vocab_size]
        if wrong:
            raise PromptError(
                f"prompt token {as_given(wrong[0])} is outside the vocabulary 0..{self.target.vocab_size - 1}"
            )
        return tokens

    def _encode_text(self, prompt: str, template_arguments: Mapping[str, Any] | None) -> tuple[int, ...]:
        tokenizer = self._need_tokenizer()
        if not prompt.strip():
            raise PromptError("prompt is empty: type some text")
        prompt = prompt.encode("utf-8", "replace").decode("utf-8")
        if self.chat:
            message = {"role": "user", "content": prompt}
            return self._encode_messages([message], template_arguments, "; switch chat off")
        if template_arguments:
            raise PromptError(
                "template_arguments are for the chat template, which is off for text: switch chat on, or give messages",
                argument="template_arguments",
            )
        return tuple(tokenizer(prompt, verbose=False)["input_ids"])

    def _encode_messages(
        self, messages: list[dict[str, Any]], template_arguments: Mapping[str, Any] | None, hint: str = ""
    ) -> tuple[int, ...]:
        tokenizer = self._need_tokenizer()
        if getattr(tokenizer, "chat_template", None) is None:
            raise PromptError(
                "the tokenizer has no chat template to write messages with: give text or token ids", code="missing_part"
            )
        arguments: dict[str, Any] = {"add_generation_prompt": True, **(template_arguments or {})}
        try:
            text = tokenizer.apply_chat_template(messages, tokenize=False, **arguments)
        except Exception as error:  # a template is a program of the model's, and may raise anything
            raise PromptError(f"the model's chat template refuses this prompt: {error}{hint}") from error
        assert isinstance(text, str)  # not tokenized, one conversation
        if not text:
            raise PromptError("the model's chat template makes no text of this prompt")
        return tuple(tokenizer(text, add_special_tokens=False)["input_ids"])

    def _need_tokenizer(self) -> PreTrainedTokenizerBase:
        if self.tokenizer is None:
            raise PromptError("this pair has no tokenizer: give the prompt as a list of token ids", code="missing_part")
        return self.tokenizer

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of token ids; ids joined by spaces when there is no tokenizer."""
        if self.tokenizer is None:
            return "".join(f" {token}" for token in tokens)
        text = self.tokenizer.decode(list(tokens), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        assert isinstance(text, str)  # of one list of ids
        return text

    def piece(self, token: int) -> str:
        """One token as text; the bytes of a broken character are shown as ``\\xNN``."""
        if token not in self._pieces:
            anchor = [] if self.tokenizer is None else _anchor(self.tokenizer)
            text = self.decode([*anchor, token])[len(self.decode(anchor)) :]
            if self.tokenizer is not None and "\N{REPLACEMENT CHARACTER}" in text:
                symbol = self.tokenizer.convert_ids_to_tokens(token)
                assert isinstance(symbol, str)  # of one id
                text = _byte_piece(symbol)
            self._pieces[token] = text
        return self._pieces[token]


RESERVED = ("conversation", "tokenize", "return_dict", "return_tensors")


def _check_arguments(given: Mapping[str, Any]) -> None:
    """Raises PromptError unless these are arguments by name that a chat template may have."""
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise PromptError(
            f"template_arguments must be a dict of arguments by name, got {as_given(given)}",
            argument="template_arguments",
        )
    reserved = [name for name in RESERVED if name in given]
    if reserved:
        raise PromptError(f"template_arguments must leave out {reserved[0]!r}", argument="template_arguments")


def _messages(given: Sequence[Any]) -> list[dict[str, Any]]:
    """Messages as a chat template reads them. Raises PromptError for one without a role and a content that are text."""
    for number, message in enumerate(given, 1):
        if not isinstance(message, Mapping):
            raise PromptError(
                f"message {number} must be a dict with role and content, got {as_given(message)}: a prompt is either "
                "messages or token ids"
            )
        for part in ("role", "content"):
            text = message.get(part)
            if not isinstance(text, str) or (part == "role" and not text):
                what = f"{part}={as_given(text)}" if part in message else f"no {part}"
                raise PromptError(f"message {number} must have role and content as text, got {what}")
    return [dict(message) for message in given]


def _anchor(tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """A token to decode others behind: without one, a word may lose the space before it."""
    return tokenizer("a", add_special_tokens=False)["input_ids"][-1:]


def _check_tokenizer(tokenizer: PreTrainedTokenizerBase, target: LanguageModel) -> None:
    """Raises ModelError where the tokenizer gives ids that the target cannot read."""
    token, last = max(tokenizer.get_vocab().items(), key=lambda item: item[1], default=("", -1))
    if last >= target.vocab_size:
        raise ModelError(
            f"the tokenizer has ids up to {last} ({token!r}), the embedding of target {target.name!r} only up to "
            f"{target.vocab_size - 1}: give the tokenizer it was trained with, or enlarge the embedding "
            "(resize_token_embeddings) and train it",
            argument="tokenizer",
        )


def _same_sizes(argument: str, what: str, part: object, role: str, model: LanguageModel) -> None:
    """Raises ModelError unless ``part`` was made for the vocabulary and width of ``model``, as far as it has them."""
    vocab_size, width = getattr(part, "vocab_size", None), getattr(part, "width", None)
    if vocab_size is not None and vocab_size != model.vocab_size:
        raise ModelError(
            f"{what} has a vocabulary of {vocab_size}, {role} {model.name!r} one of {model.vocab_size}: "
            "they do not belong together",
            argument=argument,
        )
    if width is not None and width != model.shape.width:
        raise ModelError(
            f"{what} reads hidden states of width {width}, {role} {model.name!r} has width {model.shape.width}: "
            "they do not belong together",
            argument=argument,
        )


def _byte_piece(symbol: str) -> str:
    """A byte-level symbol with its printable bytes as they are and the others as ``\\xNN``."""
    if symbol.startswith("<0x") and symbol.endswith(">"):
        return f"\\x{symbol[3:-1]}"
    table = _byte_of_symbol()
    data = bytes(table.get(character, 0xFF) for character in symbol)
    return data.decode("utf-8", "backslashreplace")


def _byte_of_symbol() -> dict[str, int]:
    """Byte-level BPE writes each byte as one character: printable ones as themselves, the others from 256 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}


class _Asked(NamedTuple):
    """The models that ``load_pair`` is to load."""

    target: Source
    draft: Source | None
    drafts: tuple[Source, ...]

    @property
    def others(self) -> list[tuple[str, Source]]:
        """Every draft model, with the argument that it was given as."""
        first = [] if self.draft is None else [("draft", self.draft)]
        return [*first, *(("drafts", one) for one in self.drafts)]


def load_pair(
    target: Given | None = None,
    draft: Given | None = None,
    *,
    tokenizer: PreTrainedTokenizerBase | None = None,
    drafts: Sequence[Given] = (),
    heads: str | os.PathLike[str] | None = None,
    correlation: str | os.PathLike[str] | None = None,
    deciders: str | os.PathLike[str] | None = None,
    device: str | None = None,
    dtype: str | None = None,
    chat: bool | None = None,
    cost_ratio: float | None = None,
    threads: int | None = None,
    graphs: bool | None = None,
    ignore_generation_config: bool = False,
) -> ModelPair:
    """Load a target and a draft: local directories (``~`` is the home folder) or hub ids; without arguments the
    embedded pair with all its parts.

    A model of transformers that is loaded already (PreTrainedModel) may stand in place of a name: it is used as it is,
    on its device and in its dtype, and switched to evaluation; also a quantised one, one spread over devices, or one
    with adapters in its layers (peft's LoRA). ``tokenizer`` is that of all models given so; by default it is read by
    the name that each of them carries. ``drafts`` are further draft models; ``heads`` and ``deciders`` are folders and
    ``correlation`` is a file written by ``python -m specviz train``, for this target and this draft.

    ``device`` is "cpu", "cuda", "cuda:1" or "auto" (spread over all GPUs); default: that of a target that is loaded
    already, or else cuda when there is one. ``dtype`` is float32, bfloat16, float16 or "auto": on CPU float32 or
    bfloat16, whichever takes less time here (``pair.choice`` says what was measured). Default: that of such a target,
    or else float32 on CPU, bfloat16 on CUDA. In bfloat16 a tree and a single text may round differently: where two
    tokens tie to one unit in the last place, a greedy text may leave that of plain decoding.

    ``chat``: use the tokenizer's chat template (default: when it has one). ``cost_ratio`` spares ``gamma="auto"`` its
    measurement, and repeats a run. ``threads`` compute the models on CPU (1 or more; default: one for small models,
    torch's number for large ones). ``graphs=False`` launches a GPU's kernels one by one, to compare; by default a call
    is captured as a CUDA graph and replayed. A target whose generation settings change its distribution
    (repetition_penalty, bad_words_ids, min_length, ...) is refused, since they are not applied, unless
    ``ignore_generation_config``; temperature, top-k and top-p are the methods' own options in any case. Only
    safetensors weights are read and no code from a model is run.
    Raises ModelError, naming the model, for a missing file, weights in another format, an unsuitable architecture,
    vocabularies or widths that differ, or too little memory; its ``argument`` is the one that the model was given as.
    """
    from specviz.lm.loading import about, check_generation, end_tokens_of

    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, Integral) or threads < 1):
        raise ModelError(f"threads must be a whole number from 1, got {as_given(threads)}", argument="threads")
    if dtype == "auto":
        from specviz.lm.quickest import quickest

        load = partial(load_pair, target, draft, tokenizer=tokenizer, drafts=drafts, heads=heads, deciders=deciders)
        load = partial(load, correlation=correlation, device=device, chat=chat, cost_ratio=cost_ratio, threads=threads)
        load = partial(load, graphs=graphs, ignore_generation_config=ignore_generation_config)
        free = not isinstance(target, torch.nn.Module) and _placed(target or "", device, None)[0] == "cpu"
        return quickest(lambda dtype: load(dtype=dtype)) if free else load()
    if target is None:
        if draft is not None:
            name = _name(_plain("draft", draft))
            raise ModelError(f"draft {name!r} needs a target: give both, or neither", argument="target")
        target, draft = EMBEDDED / "fable-target", EMBEDDED / "fable-draft"
        drafts = drafts or (EMBEDDED / "fable-draft-small",)
        heads, deciders = heads or EMBEDDED / "fable-heads", deciders or EMBEDDED / "fable-deciders"
        correlation = correlation or EMBEDDED / "fable-correlation" / "correlation.safetensors"
    asked = _Asked(
        _plain("target", target),
        None if draft is None else _plain("draft", draft),
        tuple(_plain("drafts", one) for one in drafts),
    )
    (device, chosen), shared = _placed(asked.target, device, dtype), _shared_tokenizer(asked, tokenizer)
    has_template = getattr(shared, "chat_template", None) is not None
    if chat and not has_template:
        raise ModelError(f"model {_name(asked.target)!r} has no chat template: chat must be off", argument="chat")
    models = _loaded(asked, device, chosen, graphs)
    if not ignore_generation_config:
        check_generation(models[0].model, models[0].name)
    beside, own = models[0].device, 1 if asked.draft is None else 2
    with about("deciders"):
        kinds = load_deciders(deciders, beside) if deciders else {}
    return ModelPair(
        models[0],
        models[1] if own == 2 else None,
        shared,
        drafts=tuple(models[own:]),
        heads=PredictionHeads.load(heads, beside, chosen) if heads else None,
        correlation=Correlation.load(correlation) if correlation else None,
        deciders=kinds,
        end_tokens=end_tokens_of(models[0].model, shared),
        chat=has_template if chat is None else chat,
        cost_ratio=cost_ratio,
        threads=threads,
    )


def _plain(argument: str, given: Given) -> Source:
    """What ``given`` is about: a name, or a model without its wrapper."""
    from specviz.lm.loading import about, model_inside

    with about(argument):
        return model_inside(given) if isinstance(given, torch.nn.Module) else given


def _name(source: Source) -> str:
    return source.name_or_path or type(source).__name__ if isinstance(source, PreTrainedModel) else str(source)


def _placed(target: Source, device: str | None, dtype: str | None) -> tuple[str, torch.dtype]:
    """Where models are loaded to, and in which dtype. Raises ModelError for a dtype that is none of DTYPES."""
    if dtype is not None and dtype not in DTYPES:
        raise ModelError(
            f"dtype must be one of {', '.join([*DTYPES, 'auto'])}, got {as_given(dtype)}", argument="dtype"
        )
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "cpu"
        if isinstance(target, PreTrainedModel) and target.device.type != "meta":  # meta: offloaded
            device = str(target.device)
    usual = (
        target.dtype if isinstance(target, PreTrainedModel) else torch.float32 if device == "cpu" else torch.bfloat16
    )
    return device, DTYPES[dtype] if dtype else usual


def _shared_tokenizer(asked: _Asked, given: PreTrainedTokenizerBase | None) -> PreTrainedTokenizerBase:
    """The target's tokenizer. Raises ModelError where a draft has another vocabulary; a ``given`` tokenizer is that of
    every model that is loaded already."""
    from specviz.lm.loading import about, same_vocabulary, tokenizer_of

    def own(argument: str, source: Source) -> PreTrainedTokenizerBase:
        with about(argument):
            return given if given is not None and isinstance(source, PreTrainedModel) else tokenizer_of(source)

    tokenizer = given if given is not None else own("target", asked.target)
    for argument, source in asked.others:
        with about(argument):
            same_vocabulary(_name(asked.target), tokenizer, _name(source), own(argument, source))
    return tokenizer


def _loaded(asked: _Asked, device: str, dtype: torch.dtype, graphs: bool | None) -> list[Any]:
    """The target and all drafts. The target keeps all its tokens; a draft with fewer gives the rest probability 0, one
    with more is cut to the target's: shared entries come first."""
    from specviz.lm.loading import about, load_model, wrap_model

    models: list[Any] = []
    for argument, source in (("target", asked.target), *asked.others):
        beside = str(models[0].device) if models and device == "auto" else device  # only the target is spread
        with about(argument):
            models.append(
                wrap_model(source, graphs)
                if isinstance(source, PreTrainedModel)
                else load_model(source, beside, dtype, graphs)
            )
    for model in models[1:]:
        model.vocab_size = models[0].vocab_size
    return models
