"""The target's hidden states and the log of its softmax's denominator at every token of its answers.

With the last state and it, its probability of any token is one product, so a draft learns from the full distribution,
epoch after epoch, without another call of the target. The states of the prompt are kept, too, for drafts that read
them, and for those of EAGLE-3's kind the states after the layers that they read. 1,152 bytes a token and layer (width
576) and four more for one of an answer, in files that grow and are read in place; a GPU holds them all.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import linear
from transformers import PreTrainedModel

from specviz.lm.network.cache import LAST
from specviz.lm.network.stock import states_after
from specviz.zoo.draft.answers import Answer
from specviz.zoo.draft.pace import pace_of

LONGEST = 1024  # tokens of prompt and answer: of a longer prompt the end is read
ROWS = 256  # positions whose logits over the whole vocabulary are held together


@dataclass(frozen=True)
class TaughtAnswer:
    """One answer: its ``tokens`` [n], prompt included; the answer's were said at the positions ``first`` to n - 2. Its
    states, of the positions 0 to n - 2, begin at ``row`` of their file, the denominators of what was said at ``said``
    of theirs."""

    id: str
    turn: int
    kind: str
    held_out: bool
    tokens: np.ndarray
    first: int
    row: int
    said: int

    @property
    def read(self) -> int:
        """The number of states."""
        return len(self.tokens) - 1

    @property
    def count(self) -> int:
        """The number of tokens of the answer."""
        return self.read - self.first


class TaughtAnswers:
    """The answers in ``folder`` with one target's states after ``layers``, always the same ones: reads those that
    exist, and adds more."""

    def __init__(self, folder: str | Path, target: PreTrainedModel, layers: Sequence[int] = (LAST,)):
        self._folder, self._target, self._layers = Path(folder), target, tuple(layers)
        self._width = target.config.get_text_config().hidden_size
        self._folder.mkdir(parents=True, exist_ok=True)
        self._held: dict[str, torch.Tensor] = {}
        self.all = self._read()

    def _read(self) -> list[TaughtAnswer]:
        file, lessons = self._folder / "lessons.jsonl", []
        whole = file.read_bytes() if file.exists() else b""
        whole = whole[: whole.rfind(b"\n") + 1]  # a last line may be cut off
        for line in whole.decode().splitlines():
            row = json.loads(line)
            lessons.append(TaughtAnswer(**{**row, "tokens": np.array(row["tokens"], dtype=np.int32)}))
        rows, said = (sum(getattr(lesson, name) for lesson in lessons) for name in ("read", "count"))
        state = 2 * self._width
        sizes = {"hidden.bin": rows * state, "denominators.bin": said * 4}
        if self._layers != (LAST,):
            sizes["states.bin"] = rows * state * len(self._layers)
        for name, size in sizes.items():
            with (self._folder / name).open("ab") as part:
                part.truncate(size)
        with file.open("ab") as part:
            part.truncate(len(whole))
        return lessons

    @property
    def tokens(self) -> int:
        """The number of tokens of all answers."""
        return sum(lesson.count for lesson in self.all)

    def add(self, answers: Iterable[Answer], most: int | None = None) -> int:
        """Run the target over answers that are not there yet, at most ``most``; returns how many."""
        there = {(lesson.id, lesson.turn) for lesson in self.all}
        new = [answer for answer in answers if (answer.id, answer.turn) not in there and len(answer.answer) < LONGEST][
            :most
        ]
        size = pace_of(self._target.device).texts
        for start in range(0, len(new), size):
            self._add(new[start : start + size])
        return len(new)

    @torch.inference_mode()
    def _add(self, answers: Sequence[Answer]) -> None:
        target, last = self._target, self.all[-1] if self.all else None
        row, said = (last.row + last.read, last.said + last.count) if last else (0, 0)
        texts = [(answer.prompt + answer.answer)[-LONGEST:] for answer in answers]
        width = max(map(len, texts))
        tokens = torch.tensor([text + [0] * (width - len(text)) for text in texts], device=target.device)
        with states_after(target, self._layers) as after:
            after[LAST] = target.base_model(tokens, use_cache=False).last_hidden_state
        heard = torch.cat([after[layer] for layer in self._layers], dim=-1)
        lessons, state_bytes, heard_bytes, denominators = [], [], [], []
        for answer, text, hidden, read in zip(answers, texts, after[LAST], heard, strict=True):
            first, states = len(text) - len(answer.answer) - 1, hidden[: len(text) - 1].to(torch.bfloat16)
            lesson = TaughtAnswer(
                answer.id, answer.turn, answer.kind, answer.held_out, np.array(text, dtype=np.int32), first, row, said
            )
            row, said = row + lesson.read, said + lesson.count
            lessons.append(lesson)
            state_bytes.append(_bytes_of(states))
            heard_bytes.append(_bytes_of(read[: len(text) - 1]))
            denominators.append(self._denominators(states[first:]).cpu().numpy().tobytes())
        contents = {"hidden.bin": state_bytes, "denominators.bin": denominators}
        if self._layers != (LAST,):
            contents["states.bin"] = heard_bytes
        for name, content in contents.items():
            with (self._folder / name).open("ab") as file:
                file.write(b"".join(content))
        with (self._folder / "lessons.jsonl").open("a") as file:
            for lesson in lessons:
                file.write(json.dumps({**vars(lesson), "tokens": lesson.tokens.tolist()}) + "\n")
        self.all += lessons
        self._held.clear()

    def _denominators(self, hidden: torch.Tensor) -> torch.Tensor:
        return torch.cat([self.logits(rows).logsumexp(-1) for rows in hidden.split(ROWS)])

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """The target's logits, float32 [n, vocabulary], at hidden states [n, width]."""
        head = self._target.get_output_embeddings()
        assert head is not None, "a causal model projects to its vocabulary"
        weight, bias = head.get_parameter("weight"), getattr(head, "bias", None)
        return linear(hidden.to(weight.dtype), weight, bias).float()

    def states(self, lesson: TaughtAnswer) -> torch.Tensor:
        """What a draft reads at all positions of a lesson but the last, bfloat16 [n - 1, layers x width]."""
        return self._rows("hidden.bin" if self._layers == (LAST,) else "states.bin", len(self._layers), lesson)

    def _rows(self, name: str, layers: int, lesson: TaughtAnswer) -> torch.Tensor:
        rows = self._content(name, np.int16).view(torch.bfloat16).view(-1, layers * self._width)
        return rows[lesson.row : lesson.row + lesson.read]

    def said(self, lessons: Sequence[TaughtAnswer]) -> tuple[torch.Tensor, torch.Tensor]:
        """Last hidden states, bfloat16 [n, width], and denominators, float32 [n], of all that these lessons say."""
        denominators = self._content("denominators.bin", np.float32)
        rows = torch.cat([denominators[lesson.said : lesson.said + lesson.count] for lesson in lessons])
        return torch.cat([self._rows("hidden.bin", 1, lesson)[lesson.first :] for lesson in lessons]), rows

    def _content(self, name: str, dtype: type[np.generic]) -> torch.Tensor:
        """A whole file, memory-mapped, or on the GPU if the target is there."""
        if name not in self._held:
            content = np.memmap(self._folder / name, dtype=dtype, mode="c")
            self._held[name] = torch.from_numpy(content).to(self._target.device)
        return self._held[name]


def _bytes_of(states: torch.Tensor) -> bytes:
    """In bfloat16."""
    return states.to(torch.bfloat16).cpu().contiguous().view(torch.int16).numpy().tobytes()
