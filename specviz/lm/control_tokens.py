"""Control tokens in a visitor's text, such as ``<|im_end|>``: typed, they are to stay text, where a tokenizer would
read the token and a turn of the chat would end.

Each is broken up by a mark, a code point that no text has, before the text meets the template and the tokenizer; then
the mark's own tokens are taken out. Text without control tokens is not touched.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from transformers import PreTrainedTokenizerBase

from specviz.errors import PromptError

MARKS = tuple(map(chr, range(0xFDD0, 0xFDF0)))
"""Code points that Unicode leaves to programs: never part of a text that is exchanged."""


def guarded(content: Any, tokenizer: PreTrainedTokenizerBase) -> tuple[Any, str]:
    """Text, or messages, with every control token in it broken up by a mark, and the mark; "" where there is none."""
    texts = list(_texts(content))
    special = [token.content for token in tokenizer.added_tokens_decoder.values() if token.special]
    special += tokenizer.all_special_tokens
    written = [token.content for token in tokenizer.added_tokens_decoder.values() if _writes(tokenizer, token.content)]
    present = [token for token in {*special, *written} if token[1:] and any(token in text for text in texts)]
    if not present:
        return content, ""
    mark = next((mark for mark in MARKS if not any(mark in text for text in texts)), "")
    if not (mark and tokenizer.is_fast):
        raise PromptError(
            f"the text has the control token {present[0]!r}, which this tokenizer cannot read as text: leave it out, "
            "or switch control_tokens on"
        )
    if isinstance(content, str):
        return _broken_up(content, present, mark), mark
    own = [token for token in present if token in special]  # a template may take a model's own turn apart: </think>
    return [_broken_up(message, own if message["role"] == "assistant" else present, mark) for message in content], mark


def _writes(tokenizer: PreTrainedTokenizerBase, token: str) -> bool:
    """Whether the chat template itself writes a token, to begin or end something."""
    return bool(token.strip()) and token in str(tokenizer.chat_template or "")


def _texts(content: Any) -> Iterable[str]:
    """Every text in a text, or in messages, however deep."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        for value in content.values():
            yield from _texts(value)
    elif isinstance(content, Sequence):
        for value in content:
            yield from _texts(value)


def _broken_up(content: Any, tokens: Iterable[str], mark: str) -> Any:
    """The same, with the mark behind the first character of each of these tokens, also of one within another."""
    if isinstance(content, str):
        starts = "|".join(re.escape(token) for token in tokens)
        return re.sub(f"(?={starts})(.)", rf"\1{mark}", content, flags=re.DOTALL) if starts else content
    if isinstance(content, Mapping):
        return {name: _broken_up(value, tokens, mark) for name, value in content.items()}
    if isinstance(content, Sequence):
        return [_broken_up(value, tokens, mark) for value in content]
    return content


def encoded(tokenizer: PreTrainedTokenizerBase, text: str, mark: str, **arguments: Any) -> list[tuple[int, bool]]:
    """The tokens of ``text`` without those of the ``mark``, and whether the tokenizer added them to the text's own.
    Raises PromptError where a token holds more than the mark."""
    encoding = tokenizer(
        text, verbose=False, return_special_tokens_mask=True, return_offsets_mapping=bool(mark), **arguments
    )
    pairs = list(zip(encoding["input_ids"], map(bool, encoding["special_tokens_mask"]), strict=True))
    if not mark:
        return pairs
    spans = [text[start:end] for start, end in encoding["offset_mapping"]]
    if any(mark in span and span.strip(mark) for span in spans):
        raise PromptError("the text has a control token that this tokenizer cannot read as text: leave it out")
    return [token for token, span in zip(pairs, spans, strict=True) if mark not in span]
