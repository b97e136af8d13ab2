"""Text of one's own to train on: any folder of text files, or of JSON lines of texts and chats."""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from transformers import PreTrainedTokenizerBase

from specviz.errors import as_given
from specviz.zoo.corpus import CorpusError
from specviz.zoo.training.batches import token_stream
from specviz.zoo.training.time_limit import TimeLimit

PLAIN, LINES = (".txt", ".md"), ".jsonl"
PIECE = 20_000  # characters at most of a document: longer texts are cut at a white space
HELD_OUT = 20  # one document in so many
FEWEST = 1024  # tokens
ASKED, ANSWERED = ("prompt", "instruction", "question"), ("response", "completion", "output", "answer")
ROLES: dict[Any, Any] = {"human": "user", "gpt": "assistant"}
ALLOWED = (
    '"text", "messages" (role and content), "conversations" (from and value), or a question and its answer '
    f"({', '.join(ASKED)}; {', '.join(ANSWERED)})"
)


def text_files(source: str | Path) -> list[Path]:
    """The files of text in a folder and below it, or the one file. Raises CorpusError where there is none."""
    source = Path(source)
    paths = [source] if source.is_file() else sorted(path for path in source.rglob("*") if path.is_file())
    files = [path for path in paths if path.suffix.lower() in (*PLAIN, LINES)]
    if not files:
        raise CorpusError(
            f"corpus {str(source)!r} has no text: give a folder (or a file) of {', '.join(PLAIN)} or {LINES}",
            argument="corpus",
        )
    return files


def documents(files: Iterable[Path], tokenizer: PreTrainedTokenizerBase) -> Iterator[str]:
    """Texts, in pieces of at most ``PIECE`` characters, and chats as the tokenizer's template writes them (without a
    template: what was said, by paragraphs). Raises CorpusError, naming the file and line, for what is neither."""
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CorpusError(f"{file} cannot be read as UTF-8 text: {error}", argument="corpus") from None
        if file.suffix.lower() != LINES:
            yield from _pieces(text)
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    yield from _of_line(line, tokenizer)
                except CorpusError as error:
                    raise error.within(f"{file}, line {number}: ") from None


def read_streams(
    files: Sequence[Path], tokenizer: PreTrainedTokenizerBase, end: int, limit: TimeLimit, until: float
) -> tuple[np.ndarray, np.ndarray]:
    """Token streams to train on and to measure on: every twentieth document is held out, and where that is not enough
    for both the last twentieth of the stream. Files come in an order drawn once, and reading stops at the share
    ``until`` of the time. Raises CorpusError for fewer than ``FEWEST`` tokens."""
    plain = partial(tokenizer, add_special_tokens=False)
    order = random.Random(0).sample(list(files), len(files))
    streamed: list[np.ndarray] = []
    held_out: list[np.ndarray] = []
    for chunk in limit.within(_chunks(documents(order, tokenizer)), until):
        for into, texts in ((streamed, chunk[1:]), (held_out, chunk[:1])):
            if texts:
                into.append(token_stream(plain, texts, end)[:-1])
    training, unseen = (
        np.concatenate(streams) if streams else np.zeros(0, np.uint16) for streams in (streamed, held_out)
    )
    if min(len(training), len(unseen)) < FEWEST // 2:
        whole = np.concatenate([unseen, training])
        if len(whole) < FEWEST:
            raise CorpusError(
                f"the corpus has {len(whole)} tokens: training needs at least {FEWEST}", argument="corpus"
            )
        cut = max(len(whole) // HELD_OUT, FEWEST // 4)
        training, unseen = whole[:-cut], whole[-cut:]
    return training, unseen


def _chunks(texts: Iterator[str]) -> Iterator[list[str]]:
    """Twenty documents at a time: the first of each is held out."""
    chunk: list[str] = []
    for text in texts:
        chunk.append(text)
        if len(chunk) == HELD_OUT:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _pieces(text: str) -> Iterator[str]:
    while len(text) > PIECE:
        cut = max(text.rfind(" ", 0, PIECE), text.rfind("\n", 0, PIECE)) + 1 or PIECE
        yield text[:cut]
        text = text[cut:]
    if text.strip():
        yield text


def _of_line(line: str, tokenizer: PreTrainedTokenizerBase) -> Iterator[str]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise CorpusError(f"this is not JSON ({error})", argument="corpus") from None
    text = value if isinstance(value, str) else value.get("text") if isinstance(value, dict) else None
    if isinstance(text, str):
        yield from _pieces(text)
    else:
        yield _written(_messages(value), tokenizer)


def _messages(value: Any) -> list[dict[str, str]]:
    """What was said in a chat, in the order said. Raises CorpusError for what is none."""
    fields = value if isinstance(value, dict) else {}
    prompt = next((fields[name] for name in ASKED if fields.get(name)), None)
    answered = next((fields[name] for name in ANSWERED if fields.get(name)), None)
    if prompt and answered:
        more = f"\n\n{fields['input']}" if fields.get("input") else ""
        said = [*_said("user", prompt, more), *_said("assistant", answered)]
    else:
        said = fields.get("messages") or [
            {"role": turn.get("from"), "content": turn.get("value")}
            for turn in fields.get("conversations") or []
            if isinstance(turn, dict)
        ]
    try:
        messages = [{"role": ROLES.get(turn["role"], turn["role"]), "content": turn["content"]} for turn in said]
    except (TypeError, KeyError):
        messages = []
    if not messages or not all(isinstance(part, str) for turn in messages for part in turn.values()):
        raise CorpusError(f"a line must have {ALLOWED}, got {as_given(value)}", argument="corpus")
    return messages


def _said(role: str, value: Any, more: str = "") -> list[Any]:
    """One turn, or the turns that stand there in place of it."""
    return value if isinstance(value, list) else [{"role": role, "content": f"{value}{more}"}]


def _written(messages: list[dict[str, str]], tokenizer: PreTrainedTokenizerBase) -> str:
    if getattr(tokenizer, "chat_template", None) is None:
        return "\n\n".join(turn["content"] for turn in messages)
    try:
        text = tokenizer.apply_chat_template(messages, tokenize=False)
    except Exception as error:  # a template is a program of the model's, and may raise anything
        raise CorpusError(f"the model's chat template refuses this chat: {error}", argument="corpus") from None
    assert isinstance(text, str)  # not tokenized, one conversation
    return text
