"""What a visitor asked for, checked: nothing of the page's form reaches a model before it went through here."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from specviz.decoding.registry.registry import find_method as find
from specviz.errors import OptionError, PromptError, SpecvizError
from specviz.ui.serving.limits import MAX_LANES, MAX_NEW_TOKENS, MAX_PROMPT_CHARACTERS, MAX_SEED, MIN_LANES

_RANGES = {"max_new_tokens": (1, MAX_NEW_TOKENS), "seed": (0, MAX_SEED)}


class Refusal(SpecvizError):
    """A form that cannot be run. ``field`` names the control at fault: ``prompt``, ``form-seed``, ``lane-1-gamma``."""

    def __init__(self, field: str, message: str):
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class RaceSettings:
    """One race: ``lanes`` are (method, own options); ``shared`` the options that hold for all lanes."""

    run: str
    prompt: str
    lanes: tuple[tuple[str, dict[str, Any]], ...]
    shared: dict[str, Any]
    max_new_tokens: int
    seed: int


def read_settings(form: Any, methods: Mapping[str, Any], shared: Mapping[str, Any]) -> RaceSettings:
    """The settings in ``form``, which is what the page sends.

    ``{run, prompt, lanes: [{method, options}], shared, max_new_tokens, seed}``; ``methods`` and ``shared`` are the
    catalog's Method and Option records by name.

    Raises Refusal for anything missing, unknown, too long or out of range.
    """
    if not isinstance(form, Mapping):
        raise Refusal("form", "the form could not be read: reload the page")
    run = form.get("run")
    if not (isinstance(run, str) and re.fullmatch(r"[0-9a-f]{32}", run)):
        raise Refusal("form", "the run has no valid id: reload the page")
    lanes = form.get("lanes")
    if not (isinstance(lanes, list) and MIN_LANES <= len(lanes) <= MAX_LANES):
        raise Refusal("form", f"a race has {MIN_LANES} to {MAX_LANES} lanes")
    return RaceSettings(
        run=run,
        prompt=read_prompt(form.get("prompt")),
        lanes=tuple(_read_lane(number, lane, methods) for number, lane in enumerate(lanes, 1)),
        shared=read_options("shared", form.get("shared", {}), shared),
        max_new_tokens=read_number("max_new_tokens", form.get("max_new_tokens"), "tokens to write"),
        seed=read_number("seed", form.get("seed")),
    )


def read_prompt(prompt: Any) -> str:
    """A prompt that is text, not blank and within MAX_PROMPT_CHARACTERS; raises Refusal otherwise."""
    if not isinstance(prompt, str):
        raise Refusal("prompt", "the prompt must be text")
    if not prompt.strip():
        raise Refusal("prompt", "The prompt is empty. Type a beginning for the models to continue, or pick an example.")
    if len(prompt) > MAX_PROMPT_CHARACTERS:
        raise Refusal(
            "prompt",
            f"The prompt has {len(prompt):,} characters; this page takes up to {MAX_PROMPT_CHARACTERS:,}. "
            "Nothing was lost: shorten it and run again.",
        )
    return prompt


def _read_lane(number: int, lane: Any, methods: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    name = lane.get("method") if isinstance(lane, Mapping) else None
    if not isinstance(name, str) or name not in methods:
        raise Refusal(f"lane-{number}-method", f"lane {number}: choose one of {', '.join(methods)}")
    return name, read_options(f"lane-{number}", lane.get("options", {}), methods[name].options)


def read_options(where: str, values: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The ``values`` checked against the Option records of these names. ``where`` is where they were set: ``shared``,
    ``lane-2``, ``options``. Raises Refusal, whose field is where and name."""
    if not isinstance(values, Mapping):
        raise Refusal(where, "options are names with values, these are not: reload the page")
    checked = {}
    for name, value in values.items():
        field = f"{where}-{name}"
        if name not in options:
            raise Refusal(field, f"{where.replace('-', ' ')}: there is no option {str(name)[:40]!r}")
        if isinstance(value, str) and len(value) > 100:
            raise Refusal(field, f"{name} is too long")
        try:
            checked[name] = options[name].check(value)
        except OptionError as error:
            where = f"Lane {where.removeprefix('lane-')}: " if where.startswith("lane-") else ""
            raise Refusal(field, f"{where}{error}") from error
    return checked


def read_number(name: str, value: Any, label: str = "") -> int:
    """``max_new_tokens`` or ``seed``, a whole number in the page's range; raises Refusal, calling it ``label``."""
    low, high = _RANGES[name]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        allowed = f"a whole number from {low} to {high}"
        raise Refusal(f"form-{name}", f"{label or name} must be {allowed}, got {str(value)[:40]}")
    return value


def refusal_of(error: SpecvizError, settings: RaceSettings | None = None) -> Refusal:
    """The error as a refusal. One that a lane raised while it was built is about the first of its method's own options
    that the message names, or else about its method; ``settings`` are those of the race."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, PromptError):
        return Refusal("prompt", str(error))
    if error.lane is None or settings is None:
        return Refusal("form", str(error))
    method, _ = settings.lanes[error.lane]
    own = {option.name for option in find(method).own_options}
    named = [word for word in re.findall(r"\w+", str(error)) if word in own]
    lane = error.lane + 1
    return Refusal(f"lane-{lane}-{named[0] if named else 'method'}", f"Lane {lane}: {error}")
