"""The target's answers to prompts, as JSON lines of token ids: written in batches, resumed, and read."""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from transformers import PreTrainedModel
from transformers.cache_utils import Cache

from specviz.errors import SpecvizError, as_given
from specviz.lm.network.cache import GrowingLayer, RowCount
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.zoo.draft.pace import pace_of
from specviz.zoo.report.evaluation import WARP

LONGEST, SHARD = 256, 1000
WINDOW = 8  # batches whose questions are sorted by length, so that a batch has questions of about the same length
LONGEST_PROMPT = 1024  # tokens
FEW = 32  # likeliest tokens, of which the warp keeps 20 at most
GREEDY = 4  # one answer in GREEDY is greedy, the others are sampled under the papers' warp
HELD_OUT = 20  # one conversation in HELD_OUT


@dataclass(frozen=True)
class Answer:
    """Token ids of a prompt, as the model reads it, and of the answer, including its end token, if any."""

    id: str
    turn: int
    kind: str
    prompt: list[int]
    answer: list[int]

    @property
    def held_out(self) -> bool:
        """Whether it is held out: all turns of a conversation are, or none."""
        return zlib.crc32(self.id.encode()) % HELD_OUT == 0


@dataclass(frozen=True)
class DraftQuestion:
    """A question and its kind of prompt."""

    id: str
    kind: str
    text: str


def read_answers(folder: str | Path) -> Iterator[Answer]:
    """The answers in ``folder``'s ``*.jsonl``, in order; an incomplete last line is left out. Raises SpecvizError for
    other broken lines."""
    for file in sorted(Path(folder).glob("*.jsonl")):
        for line in file.read_text("utf-8").split("\n"):
            try:
                row = json.loads(line)
            except ValueError:
                continue  # the last line, cut off when a training was stopped
            try:
                answer = Answer(*(row[key] for key in ("id", "turn", "kind", "prompt_ids", "answer_ids")))
            except (KeyError, TypeError) as error:
                raise SpecvizError(f"{file} holds a line that is no answer: {error!r}", argument="answers") from None
            if answer.prompt and answer.answer:
                yield answer


def said_by(answers: Iterable[Answer], vocab_size: int) -> np.ndarray:
    """How often each token occurs in the answers to learn from, int64 [vocab_size]."""
    counts = np.zeros(vocab_size, np.int64)
    for answer in answers:
        if not answer.held_out:
            np.add.at(counts, answer.answer, 1)
    return counts


def read_questions(files: Iterable[str | Path]) -> list[DraftQuestion]:
    """The prompts of JSON lines: texts, or ``prompt``, ``text`` or the first of ``turns``, with ``kind`` (``category``)
    and ``id`` (``question_id``) where they have them. Raises SpecvizError naming the file and line of any other."""
    return [
        _question(line, f"{file.stem}-{number}", f"{file}, line {number}")
        for file in map(Path, files)
        for number, line in enumerate(text_of(file).split("\n"), 1)
        if line.strip()
    ]


def text_of(file: Path) -> str:
    """The text of a file of prompts. Raises SpecvizError naming one that is not UTF-8."""
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecvizError(f"{file} cannot be read as UTF-8 text: {error}", argument="prompts") from None


def _question(line: str, name: str, where: str) -> DraftQuestion:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise SpecvizError(f"{where} is not JSON ({error})", argument="prompts") from None
    row = row if isinstance(row, dict) else {"text": row}
    turns = row.get("turns") or [row.get("prompt", row.get("text"))]
    if not isinstance(turns, list) or not isinstance(turns[0], str) or not turns[0].strip():
        raise SpecvizError(
            f"{where} must have a prompt, a text or turns that are text, got {as_given(row)}", argument="prompts"
        )
    identifier = row.get("id", row.get("question_id"))
    return DraftQuestion(
        name if identifier is None else str(identifier), str(row.get("kind", row.get("category", ""))), turns[0]
    )


def write_answers(
    pair: ModelPair, questions: Sequence[DraftQuestion], folder: str | Path, go_on: Callable[[int], bool]
) -> int:
    """Let the target of ``pair`` answer, some at a time while ``go_on(tokens so far)``; append to ``folder``: existing
    answers are not asked for again. Returns the number of tokens of all answers there."""
    folder, target = Path(folder), pair.target
    assert isinstance(target, TransformerLM), "load_pair loads these"
    folder.mkdir(parents=True, exist_ok=True)
    there = {answer.id: len(answer.answer) for answer in read_answers(folder)}
    left = [question for question in questions if question.id not in there]
    count, tokens = len(there), sum(there.values())
    for some in _batches(left, pace_of(target.device).prompts):
        if not go_on(tokens):
            break
        prompts = [list(pair.encode(question.text))[-LONGEST_PROMPT:] for question in some]
        greedy = [zlib.crc32(f"{question.id} greedy".encode()) % GREEDY == 0 for question in some]
        generator = torch.Generator().manual_seed(zlib.crc32(some[0].id.encode()))
        answers = answer(target.model, prompts, greedy, pair.end_tokens, generator, LONGEST)
        with (folder / f"{count // SHARD:04d}.jsonl").open("a", encoding="utf-8") as file:
            for question, prompt, was_greedy, written in zip(some, prompts, greedy, answers, strict=True):
                row = {"id": question.id, "turn": 0, "kind": question.kind, "greedy": was_greedy}
                file.write(json.dumps({**row, "prompt_ids": prompt, "answer_ids": written}) + "\n")
        count, tokens = count + len(some), tokens + sum(map(len, answers))
    return tokens


def _batches(questions: Sequence[DraftQuestion], size: int) -> Iterator[Sequence[DraftQuestion]]:
    for window in range(0, len(questions), WINDOW * size):
        some = sorted(questions[window : window + WINDOW * size], key=lambda question: len(question.text))
        for start in range(0, len(some), size):
            yield some[start : start + size]


@torch.inference_mode()
def answer(
    model: PreTrainedModel,
    prompts: Sequence[list[int]],
    greedy: Sequence[bool],
    ends: frozenset[int],
    generator: torch.Generator,
    longest: int,
) -> list[list[int]]:
    """New tokens for each prompt, at most ``longest``, up to and with the first of ``ends``; the likeliest ones where
    ``greedy``, else drawn under the papers' warp."""
    width, device = max(map(len, prompts)), model.device
    tokens = torch.tensor([[0] * (width - len(prompt)) + prompt for prompt in prompts], device=device)
    real = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts], device=device)
    position = (real.cumsum(-1) - 1).clamp_min(0)
    written: list[list[int]] = [[] for _ in prompts]
    rows = list(range(len(prompts)))  # still in the batch; rows that have ended are dropped a quarter at a time
    count = RowCount()
    layers = [GrowingLayer(count, width + longest) for _ in range(model.config.get_text_config().num_hidden_layers)]
    cache = Cache(layers=[*layers])
    for _ in range(longest):
        count.start, count.end = count.end, count.end + tokens.shape[-1]
        output = model(
            tokens,
            attention_mask=real,
            position_ids=position,
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        few = output.logits[:, -1].float().topk(min(FEW, output.logits.shape[-1]))
        drawn = torch.multinomial(WARP(few.values).cpu(), 1, generator=generator).to(device)
        likeliest = torch.tensor([greedy[row] for row in rows], device=device)[:, None]
        tokens = few.indices.gather(-1, drawn.masked_fill(likeliest, 0))
        for row, token in zip(rows, tokens[:, 0].tolist(), strict=True):
            if not (written[row] and written[row][-1] in ends):
                written[row].append(token)
        on = [number for number, row in enumerate(rows) if written[row][-1] not in ends]
        if not on:
            break
        if len(on) <= 0.75 * len(rows):
            for layer in layers:
                layer.choose(torch.tensor(on, device=device))
            tokens, real, position, rows = tokens[on], real[on], position[on], [rows[number] for number in on]
        real = torch.cat([real, real.new_ones(len(real), 1)], dim=1)
        position = position[:, -1:] + 1
    return written
