"""A target and a draft that share a vocabulary."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from transformers import PreTrainedTokenizerBase

from specviz.errors import ModelError
from specviz.lm.language_model import LanguageModel
from specviz.lm.network.prompts import PromptMemory
from specviz.lm.parts.correlation import Correlation, DenseCorrelation
from specviz.lm.parts.deciding import Decider
from specviz.lm.parts.heads import Heads
from specviz.lm.prompt import Prompt, tokens_of
from specviz.trace.record import TRAILING_SPACE

log = logging.getLogger(__name__)


@dataclass
class ModelPair:
    """Two language models over one vocabulary.

    Without a ``tokenizer`` prompts and results are token ids. ``drafts`` are further draft models. ``end_tokens`` end a
    text. ``chat`` says whether prompts go through the tokenizer's chat template. ``control_tokens`` says whether one
    that is typed in a prompt, such as ``<|im_end|>``, is that token or its characters (None: the token in text as it
    is, the characters in what goes through the template, where nobody is to end a turn or begin another by typing).
    ``cost_ratio`` is the measured time of a one-token draft call over a one-token target call (None: not measured yet,
    see ``measure/calibration.py``); ``further_cost_ratios`` are those of ``drafts``, by number from 2.
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
    further_cost_ratios: dict[int, float] = field(default_factory=dict)
    choice: str = ""
    threads: int | None = None
    control_tokens: bool | None = None
    _bytes: dict[int, bytes] = field(default_factory=dict, repr=False)
    _said: set[str] = field(default_factory=set, repr=False)

    def __post_init__(self):
        for argument, model in (("draft", self.draft), *(("drafts", draft) for draft in self.drafts)):
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
        limits = [model.context for model in self.models if model.context]
        return min(limits, default=None)

    def forget_prompts(self) -> None:
        """Let the next run read its prompt, also one that was read lately."""
        for model in self.models:
            memory = getattr(model, "prompts", None)
            if isinstance(memory, PromptMemory):
                memory.forget()

    @property
    def models(self) -> list[LanguageModel]:
        """The target, the draft, and further drafts."""
        return [model for model in (self.target, self.draft, *self.drafts) if model is not None]

    def encode(self, prompt: Prompt, template_arguments: Mapping[str, Any] | None = None) -> tuple[int, ...]:
        """Token ids of a prompt. Messages go through the tokenizer's chat template, and so does text where ``chat`` is
        on; ``template_arguments`` are the template's own (such as ``enable_thinking``). Other text follows what the
        tokenizer puts before a text (BOS), unless it begins so itself; nothing is put behind it. Raises PromptError
        when the prompt is empty, none of these, refused by the template, or has ids outside the vocabulary."""
        settings = (self.tokenizer, self.target.vocab_size, self.chat, template_arguments, self.control_tokens)
        tokens = tokens_of(prompt, *settings)
        if isinstance(prompt, str) and prompt.endswith(" ") and not self.chat and TRAILING_SPACE not in self._said:
            self._said.add(TRAILING_SPACE)
            log.warning(TRAILING_SPACE)
        return tokens

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of token ids; ids joined by spaces when there is no tokenizer."""
        if self.tokenizer is None:
            return "".join(f" {token}" for token in tokens)
        text = self.tokenizer.decode(list(tokens), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        assert isinstance(text, str)  # of one list of ids
        return text

    def piece(self, token: int) -> str:
        """One token as text; the bytes of a broken character are shown as ``\\xNN``."""
        return self.token_bytes(token).decode("utf-8", "backslashreplace")

    def token_bytes(self, token: int) -> bytes:
        """The text of one token in UTF-8: whole characters, or bytes of a character that others complete."""
        if token not in self._bytes:
            anchor = [] if self.tokenizer is None else _anchor(self.tokenizer)
            text = self.decode([*anchor, token])[len(self.decode(anchor)) :]
            broken = self.tokenizer is not None and "\N{REPLACEMENT CHARACTER}" in text
            symbol = self.tokenizer.convert_ids_to_tokens(token) if self.tokenizer and broken else None
            symbol_bytes = _bytes_of_symbol(symbol) if isinstance(symbol, str) else None
            self._bytes[token] = text.encode("utf-8", "replace") if symbol_bytes is None else symbol_bytes
        return self._bytes[token]


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


def _bytes_of_symbol(symbol: str) -> bytes | None:
    """The bytes that a byte-level symbol stands for; None for one that is its own text."""
    if match := re.fullmatch("<0x([0-9A-Fa-f]{2})>", symbol):
        return bytes.fromhex(match[1])
    table = _byte_of_symbol()
    return bytes(table[character] for character in symbol) if table.keys() >= {*symbol} else None


def _byte_of_symbol() -> dict[str, int]:
    """Byte-level BPE writes each byte as one character: printable ones as themselves, the others from 256 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}
