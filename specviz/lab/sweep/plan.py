"""The runs of a sweep, in order, each with a key that says what is run."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

from specviz.decoding.run.loop import Run, heads_record, model_record
from specviz.dice import SeededDice
from specviz.errors import OptionError, PromptError, SpecvizError
from specviz.lab.sweep.grid import Grid, Setting
from specviz.lab.sweep.prompts import MOST_ERRORS, SweepPrompt
from specviz.lm.pair import ModelPair
from specviz.trace.record import ModelRecord

MOST_RUNS = 1_000_000
"""Of one sweep: their keys are kept in memory, 16 bytes each and what Python needs around them (some 100 MB)."""


@dataclass(frozen=True)
class Task:
    """One run to make. ``key`` is a hash of the prompt's id and everything that its tokens and its score depend on: 32
    hexadecimal digits. The first of the tokens ``ends`` is the last that perplexity counts."""

    key: str
    setting: Setting
    prompt: SweepPrompt
    seed: int
    round: int
    max_new_tokens: int
    ends: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Plan:
    """All runs of ``grid`` on ``prompts`` with ``pair``. Iterating makes the tasks anew, one at a time.

    Round by round: in a round, which has a seed of its own, every setting runs on every prompt in turns, so that a
    slow minute of the machine slows all of them; who comes first rotates.

    ``ends`` as in ``Task``, of runs that go on past the end of a text so that all are as long. ``where``: what a run's
    key has besides, such as the machine, where runs are made for their speed.
    """

    pair: ModelPair
    grid: Grid
    prompts: tuple[SweepPrompt, ...]
    ends: frozenset[int] = frozenset()
    where: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.grid.seeds) * len(self.prompts) * len(self.grid.settings)

    def __iter__(self) -> Iterator[Task]:
        settings, tokens = self.grid.settings, self.grid.max_new_tokens
        for turn, seed in enumerate(self.grid.seeds):
            for number, prompt in enumerate(self.prompts):
                read = (prompt.id, *self.pair.encode(prompt.prompt))
                if prompt.reference is not None:
                    read = (*read, prompt.reference.fingerprint)
                shift = (turn * len(self.prompts) + number) % len(settings)
                for setting in (*settings[shift:], *settings[:shift]):
                    key = self._key(setting, read, seed)
                    yield Task(key, setting, prompt, seed, turn, tokens, self.ends)

    def _key(self, setting: Setting, prompt: tuple[str | int, ...], seed: int) -> str:
        what = [setting.method, setting.options, prompt, seed, self.grid.max_new_tokens, self._models]
        what += [sorted(self.ends), self.where] if self.where else []
        return blake2b(json.dumps(what, sort_keys=True).encode(), digest_size=16).hexdigest()

    @cached_property
    def _models(self) -> dict[str, Any]:
        return identity(self.pair)

    def check(self) -> None:
        """Raises what ``decode`` would raise for one of the runs, before the first: OptionError, ModelError, or
        PromptError that names every prompt that is too long, up to ten."""
        if len(self) > MOST_RUNS:
            raise OptionError(
                f"{len(self.grid.settings)} settings, {len(self.prompts)} prompts and {len(self.grid.seeds)} seeds "
                f"are {len(self)} runs: a sweep has at most {MOST_RUNS}",
                argument="grid",
                code="too_many",
            )
        encoded = _each_prompt(self.prompts, lambda prompt: len(self.pair.encode(prompt.prompt)))
        longest = max(range(len(encoded)), key=encoded.__getitem__)
        for setting in self.grid.settings:
            try:
                self._check(setting, self.prompts[longest])
            except PromptError:
                _each_prompt(self.prompts, lambda prompt: self._check(setting, prompt))  # noqa: B023  # called at once
                raise
            except SpecvizError as error:
                raise error.within(f"{setting.name}: ") from None

    def _check(self, setting: Setting, prompt: SweepPrompt) -> None:
        if setting.decoder is not None:
            return
        method, tokens, dice = setting.rule, self.grid.max_new_tokens, SeededDice(0)
        run = {"options": setting.options, "max_new_tokens": tokens, "dice": dice, "recorded": False}
        further = dict.fromkeys(range(2, len(self.pair.drafts) + 2), 1.0)  # nothing is measured for a check
        pair = replace(self.pair, cost_ratio=1.0, further_cost_ratios=further)
        try:
            Run(pair, method, prompt.prompt, **run)
        except PromptError as error:
            raise error.within(f"{setting.name}: ") from None


def identity(pair: ModelPair) -> dict[str, Any]:
    """What of a pair the tokens of a run depend on; its models by their fingerprints."""
    return {
        "target": _model(model_record(pair.target)),
        "draft": pair.draft and _model(model_record(pair.draft)),
        "drafts": [_model(model_record(draft)) for draft in pair.drafts],
        "heads": pair.heads and _model(heads_record(pair.heads)),
        "deciders": {kind: decider.name for kind, decider in sorted(pair.deciders.items())},
        "device": pair.target.device.type,
        "end_tokens": sorted(pair.end_tokens),
    }


def _model(record: ModelRecord) -> dict[str, str]:
    return {"fingerprint": record.fingerprint, "dtype": record.dtype, "forward": record.forward}


def _each_prompt(prompts: Iterable[SweepPrompt], check) -> list[Any]:
    """``check`` of every prompt. Raises PromptError that says of each, up to ten, what is wrong."""
    settings, errors = [], list[str]()
    for prompt in prompts:
        try:
            settings.append(check(prompt))
        except PromptError as error:
            errors.append(f"{prompt.where and f'{prompt.where}: '}prompt {prompt.id}: {error}")
            if len(errors) > MOST_ERRORS:
                break
    if errors:
        more = "; and more" if len(errors) > MOST_ERRORS else ""
        raise PromptError("; ".join(errors[:MOST_ERRORS]) + more, argument="prompts")
    return settings
