"""Training a small draft on its target's own answers: writing them, running the target over them once, learning from
them."""

import dataclasses
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch.nn.functional import linear, pad
from transformers import PreTrainedModel

from specviz.errors import ModelError, SpecvizError
from specviz.lm.loading.pairs import load_pair
from specviz.lm.loading.small_draft import SmallDraft, read_small_draft, save_small_draft
from specviz.lm.network.cache import LAST
from specviz.lm.network.joining import low_middle_high
from specviz.lm.network.transformer import TransformerLM
from specviz.zoo.corpus import load_corpus
from specviz.zoo.draft.answers import DraftQuestion, read_answers, said_by, write_answers
from specviz.zoo.draft.fresh import draft_vocabulary, fresh_draft
from specviz.zoo.draft.lessons import TaughtAnswer, TaughtAnswers
from specviz.zoo.draft.loss import Distance, distance, joined
from specviz.zoo.draft.measured import DraftAgreement, measure_draft
from specviz.zoo.draft.openings import openings
from specviz.zoo.draft.pace import pace_of
from specviz.zoo.draft.prompts import MADE, prompts_for
from specviz.zoo.draft.unrolled import DEPTHS, said_by_draft
from specviz.zoo.training.time_limit import TimeLimit

WARM_STEPS, DECAY_FROM = 50, 0.7  # linear decay from this share of the time
KL_STEPS = 400  # before total variation joins in
WINDOW = 8  # steps whose answers are drawn together and grouped by length, so that little is padding
UNROLLED = 3  # every UNROLLED steps a draft that reads the target's states learns to go on from its own
AVERAGE = 0.999  # of the weights that are saved, over steps
WRITTEN, FIRST, LEARNED = 0.5, 0.6, 0.97  # shares of the time: answers are written, the first are there, are learned
AT_A_TIME, AT_FIRST = 32, 256  # new answers that the target is asked about before learning goes on, or begins
LOOK_EVERY, MEASURE_EVERY, KEEP_EVERY = 120.0, 600.0, 120.0  # seconds: for new answers, held-out ones, checkpoints
MEASURED = 48  # held-out answers


@dataclass
class _State:
    """The progress of a training: steps taken, seconds spent, tokens of answers seen; the measurements over time."""

    steps: int = 0
    seconds: float = 0.0
    tokens: int = 0
    curve: list[dict[str, Any]] = field(default_factory=list)


def train_draft(
    target: str | os.PathLike[str],
    out: str | Path,
    *,
    prompts: Sequence[str | Path] = (),
    corpus: str | Path | None = None,
    answers: str | Path | None = None,
    work: str | Path = "build/draft",
    minutes: float = 60.0,
    layers: int | None = None,
    listening: Literal["last", "three"] | None = None,
    start: str | Path | None = None,
    device: str | None = None,
    tell: Callable[[str], None] = print,
    clock: Callable[[], float] = time.monotonic,
) -> Path:
    """Train a small draft for ``target``, a directory or hub id; write it to ``out``, for ``load_pair(target, out)``.

    ``prompts`` are files of prompts that the target answers first, for half of the time at most: JSON lines of them, or
    texts to ask about (.txt, .md); ``corpus`` is the folder of the embedded target's texts, whose openings are prompts
    (openings.py); without any, prompts are made from templates (prompts.py). ``answers`` is the folder that answers are
    kept in, or are written into by somebody else meanwhile (default: in ``work``). One prompt in twenty is held out, to
    measure with. The draft has ``layers`` layers (2; 1 if ``listening``: a draft that reads the target's hidden states,
    too, the "last" ones, or those after "three" of its layers, as EAGLE-3 does), which begin as the target's; it reads
    and writes through the target's own embedding and proposes 8 to 16 thousand tokens, those that answers use.
    ``start`` is a folder written before: that draft learns on. It learns the target's distribution at every token of
    the answers. ``minutes`` > 0, by ``clock`` (seconds), are those of everything, interrupted runs included: the same
    command goes on from ``work``. ``tell`` gets a sentence at a time; ``out`` also gets
    ``report.json``. Raises ModelError for a target that no draft can share the embedding of, with too few layers for
    three to be read, and for a ``start`` that is not a draft of it, SpecvizError for files that cannot be read and
    where there are no answers.
    """
    limit, questions = TimeLimit(minutes, clock), list[DraftQuestion]()
    if corpus is not None:
        questions = openings(load_corpus(corpus, query_count=MADE))
    elif prompts or answers is None:
        questions = prompts_for(prompts)
    pair = load_pair(target, device=device, dtype="float32", ignore_generation_config=True)
    assert isinstance(pair.target, TransformerLM), "load_pair loads these"
    model = pair.target.model
    _check_head(model)
    if listening and not pair.target.lean:
        raise ModelError(f"no draft can hear {pair.target.name!r}: {pair.target.lean_refused}", argument="listening")
    if start is None:  # fail before anything is answered
        count = (1 if listening else 2) if layers is None else layers
        reads = low_middle_high(pair.target.shape.layers) if listening == "three" else (LAST,) if listening else ()
        draft = fresh_draft(model, count, torch.zeros(1, dtype=torch.long), reads=reads)
    else:
        draft = read_small_draft(start, model)
        count, reads = draft.model.config.num_hidden_layers, draft.joining.layers if draft.joining else ()
    three = "".join(f"-{layer}" for layer in reads if layer != LAST)
    kind = f"{count}{'-listening' if reads else ''}{three}"
    folder_of_training = Path(work) / f"{pair.target.fingerprint}-{kind}"
    folder = Path(answers) if answers else folder_of_training.parent / f"{pair.target.fingerprint}-answers"
    folder_of_training.mkdir(parents=True, exist_ok=True)
    state = _saved(folder_of_training)
    limit.spent_before(state["state"].seconds if state else 0.0)
    if questions:
        tokens = write_answers(pair, questions, folder, lambda _tokens: not limit.passed(WRITTEN))
        tell(f"answers: {tokens:,} tokens in {folder}")
    folder_of_lessons = folder_of_training.parent / f"{pair.target.fingerprint}-lessons{three}"
    lessons = TaughtAnswers(folder_of_lessons, model, reads or (LAST,))
    written = list(read_answers(folder))
    while lessons.add(written, AT_A_TIME) and len(lessons.all) < AT_FIRST and not limit.passed(FIRST):
        pass
    if not [lesson for lesson in lessons.all if not lesson.held_out]:
        raise SpecvizError(f"{folder} has no answers to learn from: give prompts", argument="answers")
    if start is None:
        counts = said_by(written, pair.target.vocab_size)
        vocabulary = draft_vocabulary(counts, pair.end_tokens).to(pair.target.device)
        draft = fresh_draft(model, count, vocabulary, reads=reads)
    training = _DraftTraining(model, draft, lessons, folder, folder_of_training, Path(out), limit, tell)
    if state:
        training.resume(state)
    training.run()
    return Path(out)


def _check_head(model: PreTrainedModel) -> None:
    """Raises ModelError unless logits are one product of the last hidden states."""
    tokens, head = torch.tensor([[1, 2, 3]], device=model.device), model.get_output_embeddings()
    with torch.inference_mode():
        said, hidden = (
            model(tokens, use_cache=False).logits,
            model.base_model(tokens, use_cache=False).last_hidden_state,
        )
        if head is None or (head(hidden) - said).abs().max() > 1e-3 * said.abs().max():
            kind = model.config.model_type
            raise ModelError(f"{kind} does more to its last hidden states than project them: no draft can share that")


def _bfloat16_is_faster(weight: torch.Tensor) -> bool:
    """Whether products with ``weight`` [out, in] take less time in bfloat16 than in float32: where a processor does not
    know it, a step of training takes a minute and a half."""
    best = {}
    for dtype in (torch.bfloat16, torch.float32):
        rows, matrix = weight.new_ones(256, weight.shape[-1], dtype=dtype), weight.to(dtype)
        took = []
        for _ in range(3):
            began = time.perf_counter()
            linear(rows, matrix).sum().item()
            took.append(time.perf_counter() - began)
        best[dtype] = min(took)
    return best[torch.bfloat16] < best[torch.float32]


def _weight_of(head: torch.nn.Module) -> torch.Tensor:
    return head.get_parameter("weight")


def _saved(folder: Path) -> dict[str, Any] | None:
    path = folder / "training.pt"
    return torch.load(path, map_location="cpu", weights_only=False) if path.exists() else None


class _DraftTraining:
    """The training loop and its state."""

    def __init__(
        self,
        target: PreTrainedModel,
        draft: SmallDraft,
        lessons: TaughtAnswers,
        answers: Path,
        folder: Path,
        out: Path,
        limit: TimeLimit,
        tell: Callable[[str], None],
    ):
        if draft.joining is not None:
            learned = torch.nn.Parameter(draft.joining.matrix)
            draft = draft._replace(joining=draft.joining._replace(matrix=learned))
        self._target, self._draft = target, draft
        self._lessons, self._answers = lessons, answers
        self._kept, self._out, self._limit, self._tell = folder, out, limit, tell
        self._weights = draft.weights()
        self._average = {name: weight.detach().clone() for name, weight in self._weights.items()}
        self._narrow = _bfloat16_is_faster(max(self._weights.values(), key=torch.numel).detach())
        self._pace = pace_of(target.device)
        self._optimizer = torch.optim.AdamW(
            self._weights.values(), lr=self._pace.rate, betas=(0.9, 0.95), weight_decay=0.01
        )
        self._state = _State()

    def resume(self, saved: dict[str, Any]) -> None:
        with torch.no_grad():
            for name, weight in self._weights.items():
                weight.copy_(saved["weights"][name])
                self._average[name].copy_(saved["average"][name])
        self._optimizer.load_state_dict(saved["optimizer"])
        self._state = saved["state"]

    def run(self) -> None:
        """Learn until the time is over; meanwhile look for new answers, measure, and save checkpoints."""
        size = sum(weight.numel() for weight in self._weights.values())
        self._tell(
            f"draft: {size / 1e6:.1f} M weights of its own, {len(self._draft.vocabulary):,} tokens to propose; "
            f"{self._lessons.tokens:,} tokens of answers"
        )
        if not self._state.curve:
            self._measure()
        looked = measured = saved = self._limit.elapsed()
        every = MEASURE_EVERY
        recent: list[Distance] = []
        while not self._limit.passed(LEARNED):
            recent.append(self._step())
            now = self._state.seconds = self._limit.elapsed()
            if now - looked > LOOK_EVERY:
                self._lessons.add(read_answers(self._answers), AT_FIRST)
                looked = self._limit.elapsed()
            if now - measured > every:
                self._progress(recent)
                begun = self._limit.elapsed()
                self._measure()
                measured, recent = self._limit.elapsed(), []
                every = max(MEASURE_EVERY, 9 * (measured - begun))  # measuring takes a tenth of the time at most
            if now - saved > KEEP_EVERY:
                self._keep()
                saved = self._limit.elapsed()
        self._progress(recent)
        self._measure()
        self._keep()

    def _step(self) -> Distance:
        step, share = self._state.steps, self._limit.elapsed() / self._limit.seconds / LEARNED
        rate = min(1.0, (step + 1) / WARM_STEPS) * min(1.0, (1.0 - share) / (1.0 - DECAY_FROM))
        self._optimizer.param_groups[0]["lr"] = self._pace.rate * max(rate, 0.0)
        some = self._drawn(step)
        loss = self._distance(some, hybrid=step >= KL_STEPS, depths=1 if (step + 1) % UNROLLED else DEPTHS)
        loss.loss.backward()
        torch.nn.utils.clip_grad_norm_(self._weights.values(), 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        decay = min(AVERAGE, (1 + step) / (10 + step))
        with torch.no_grad():
            for name, weight in self._weights.items():
                self._average[name].lerp_(weight, 1 - decay)
        self._state.steps += 1
        self._state.tokens += sum(lesson.count for lesson in some)
        return dataclasses.replace(loss, loss=loss.loss.detach())

    def _drawn(self, step: int) -> list[TaughtAnswer]:
        """The answers of a step: of similar length, from one window of steps."""
        known = [lesson for lesson in self._lessons.all if not lesson.held_out]
        window, at = divmod(step, WINDOW)
        chance, size = np.random.default_rng((7, window)), min(self._pace.answers, len(known))
        numbers = chance.choice(len(known), min(WINDOW * size, len(known)), replace=False)
        numbers = sorted(numbers, key=lambda number: len(known[number].tokens))
        begins = int(chance.permutation(WINDOW)[at] * (len(numbers) - size) / (WINDOW - 1))
        return [known[number] for number in numbers[begins : begins + size]]

    def _distance(self, some: Sequence[TaughtAnswer], *, hybrid: bool, depths: int) -> Distance:
        device, width = self._target.device, max(len(lesson.tokens) for lesson in some)
        tokens = torch.zeros(len(some), width, dtype=torch.long)
        positions = torch.zeros(len(some), width, dtype=torch.bool)
        for row, lesson in enumerate(some):
            tokens[row, : len(lesson.tokens)] = torch.from_numpy(lesson.tokens.astype(np.int64))
            positions[row, lesson.first : len(lesson.tokens) - 1] = True
        head, heard = self._draft.model.get_output_embeddings(), None
        assert head is not None, "it has the target's rows"
        if self._draft.joining is not None:
            rows = [self._lessons.states(lesson).to(_weight_of(head)) for lesson in some]
            heard = torch.stack([pad(states, (0, 0, 0, width - len(states))) for states in rows])
        weight, bias = _weight_of(head), getattr(head, "bias", None)
        with torch.no_grad():
            hidden, denominators = self._lessons.said(some)
            target_log_probs = linear(hidden.to(weight.dtype), weight, bias).float() - denominators[:, None]
        with torch.autocast(device.type, torch.bfloat16, enabled=self._narrow):
            said = said_by_draft(self._draft, tokens.to(device), heard, positions.to(device), depths)
        return joined([distance(logits, target_log_probs, hybrid=hybrid) for logits in said])

    def _progress(self, recent: Sequence[Distance]) -> None:
        if recent:
            loss, kl, agreement = (
                sum(values) / len(recent)
                for values in zip(
                    *((step.loss.item(), step.kl.item(), step.agreement.item()) for step in recent), strict=True
                )
            )
            self._tell(
                f"{self._state.seconds / 60:.1f} minutes, {self._state.steps:,} steps, {self._state.tokens:,} tokens "
                f"(of {self._lessons.tokens:,}): loss {loss:.3f}, KL {kl:.3f}, agreement {agreement:.3f}"
            )

    def _measure(self) -> None:
        """Measure the averaged weights on held-out answers (where there are none, on others), and write them."""
        held_out = [lesson for lesson in self._lessons.all if lesson.held_out]
        if not held_out:
            self._tell("no answer is held out: the draft is measured on those that it learns from")
            held_out = self._lessons.all
        with torch.no_grad():
            learning = {name: weight.clone() for name, weight in self._weights.items()}
            for name, weight in self._weights.items():
                weight.copy_(self._average[name])
            agreement = measure_draft(self._draft, self._lessons, held_out[:MEASURED])
            save_small_draft(self._draft, self._target, self._out)
            for name, weight in self._weights.items():
                weight.copy_(learning[name])
        done = self._state
        row = {"steps": done.steps, "minutes": round(self._limit.elapsed() / 60, 2), "tokens": done.tokens}
        done.curve.append({**row, **dataclasses.asdict(agreement)})
        self._tell(agreement.sentence)
        self._report(agreement)

    def _report(self, agreement: DraftAgreement) -> None:
        first = self._state.curve[0]["warped"]
        if self._state.steps and agreement.warped <= first:
            self._tell(f"this draft is no better than before its training (warped agreement {first:.3f}): train longer")
        report = {
            "target": Path(self._target.name_or_path or "").name,
            "answers": {"count": len(self._lessons.all), "tokens": self._lessons.tokens},
            "vocabulary": len(self._draft.vocabulary),
            "weights": sum(weight.numel() for weight in self._weights.values()),
            "curve": self._state.curve,
        }
        (self._out / "report.json").write_text(json.dumps(report, indent=1) + "\n")

    def _keep(self) -> None:
        path = self._kept / "training.pt"
        saved = {
            "weights": {name: weight.detach() for name, weight in self._weights.items()},
            "average": self._average,
            "optimizer": self._optimizer.state_dict(),
            "state": self._state,
        }
        torch.save(saved, path.with_suffix(".partial"))
        path.with_suffix(".partial").replace(path)
