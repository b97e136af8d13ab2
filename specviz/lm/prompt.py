"""What a prompt may be, and the token ids of it."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

from transformers import PreTrainedTokenizerBase

from specviz.errors import PromptError, as_given
from specviz.lm.control_tokens import encoded, guarded

Prompt = str | Sequence[int] | Sequence[Mapping[str, Any]]
"""Text, token ids, or messages: dicts with "role" and "content", as chat templates read them."""


def tokens_of(
    prompt: Prompt,
    tokenizer: PreTrainedTokenizerBase | None,
    vocab_size: int,
    chat: bool = False,
    template_arguments: Mapping[str, Any] | None = None,
    control_tokens: bool | None = None,
) -> tuple[int, ...]:
    """Token ids of a prompt, as ``ModelPair.encode`` says. Raises PromptError."""
    if template_arguments is not None:
        _check_arguments(template_arguments)
    if isinstance(prompt, str):
        return _of_text(prompt, _needed(tokenizer), chat, template_arguments, control_tokens)
    if isinstance(prompt, bytes | Mapping) or not isinstance(prompt, Iterable):
        raise PromptError(f"prompt must be text, token ids or a list of messages, got {type(prompt).__name__}")
    parts: tuple[Any, ...] = tuple(prompt)
    if any(isinstance(part, Mapping) for part in parts):
        return _of_messages(_messages(parts), _needed(tokenizer), template_arguments, control_tokens)
    if template_arguments:
        raise PromptError(
            "template_arguments are for messages and text, the prompt is token ids", argument="template_arguments"
        )
    return _of_ids(parts, vocab_size)


def _of_ids(ids: Sequence[Any], vocab_size: int) -> tuple[int, ...]:
    strange = [token for token in ids if not isinstance(token, Integral) or isinstance(token, bool)]
    if strange:
        raise PromptError(f"prompt must be text, messages or whole token ids, got {as_given(strange[0])} among them")
    tokens = tuple(int(token) for token in ids)
    if not tokens:
        raise PromptError("prompt is empty: give at least one token")
    wrong = [token for token in tokens if not 0 <= token < vocab_size]
    if wrong:
        raise PromptError(f"prompt token {as_given(wrong[0])} is outside the vocabulary 0..{vocab_size - 1}")
    return tokens


def _of_text(
    prompt: str,
    tokenizer: PreTrainedTokenizerBase,
    chat: bool,
    template_arguments: Mapping[str, Any] | None,
    control_tokens: bool | None,
) -> tuple[int, ...]:
    if not prompt.strip():
        raise PromptError("prompt is empty: type some text")
    prompt = prompt.encode("utf-8", "replace").decode("utf-8")
    if chat:
        message = {"role": "user", "content": prompt}
        return _of_messages([message], tokenizer, template_arguments, control_tokens, "; switch chat off")
    if template_arguments:
        raise PromptError(
            "template_arguments are for the chat template, which is off for text: switch chat on, or give messages",
            argument="template_arguments",
        )
    text, mark = guarded(prompt, tokenizer) if control_tokens is False else (prompt, "")
    tokens_added = encoded(tokenizer, text, mark)
    begin = next((at for at, (_, added) in enumerate(tokens_added) if not added), len(tokens_added))
    before = tuple(token for token, _ in tokens_added[:begin])
    tokens = _some(
        tuple(token for token, added in tokens_added if not added)
    )  # what is added behind them would end the text
    return tokens if tokens[:begin] == before else before + tokens


def _of_messages(
    messages: list[dict[str, Any]],
    tokenizer: PreTrainedTokenizerBase,
    template_arguments: Mapping[str, Any] | None,
    control_tokens: bool | None,
    hint: str = "",
) -> tuple[int, ...]:
    if getattr(tokenizer, "chat_template", None) is None:
        raise PromptError(
            "the tokenizer has no chat template to write messages with: give text or token ids", code="missing_part"
        )
    messages, mark = (messages, "") if control_tokens else guarded(messages, tokenizer)
    arguments: dict[str, Any] = {"add_generation_prompt": True, **(template_arguments or {})}
    try:
        text = tokenizer.apply_chat_template(messages, tokenize=False, **arguments)
    except Exception as error:  # a template is a program of the model's, and may raise anything
        raise PromptError(f"the model's chat template refuses this prompt: {error}{hint}") from error
    assert isinstance(text, str)  # not tokenized, one conversation
    if not text:
        raise PromptError("the model's chat template makes no text of this prompt")
    return _some(tuple(token for token, _ in encoded(tokenizer, text, mark, add_special_tokens=False)))


def _some(tokens: tuple[int, ...]) -> tuple[int, ...]:
    if not tokens:
        raise PromptError("prompt is empty: the tokenizer makes no token of this text")
    return tokens


def _needed(tokenizer: PreTrainedTokenizerBase | None) -> PreTrainedTokenizerBase:
    if tokenizer is None:
        raise PromptError("this pair has no tokenizer: give the prompt as a list of token ids", code="missing_part")
    return tokenizer


RESERVED = ("conversation", "tokenize", "return_dict", "return_tensors")


def _check_arguments(arguments: Mapping[str, Any]) -> None:
    """Raises PromptError unless these are arguments by name that a chat template may have."""
    if not isinstance(arguments, Mapping) or not all(isinstance(name, str) for name in arguments):
        raise PromptError(
            f"template_arguments must be a dict of arguments by name, got {as_given(arguments)}",
            argument="template_arguments",
        )
    reserved = [name for name in RESERVED if name in arguments]
    if reserved:
        raise PromptError(f"template_arguments must leave out {reserved[0]!r}", argument="template_arguments")


def _messages(messages: Sequence[Any]) -> list[dict[str, Any]]:
    """Messages as a chat template reads them. Raises PromptError for one without a role and a content that are text."""
    for number, message in enumerate(messages, 1):
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
    return [dict(message) for message in messages]
