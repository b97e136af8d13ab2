"""Validation of requests: everything that a browser or a program sends goes through one of these models first. They
convert nothing and accept no unknown names. Every refusal is a sentence of ours, with the value cut short, and names
the control at fault."""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, cycle
from typing import Annotated, Any, LiteralString, NoReturn, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from specviz.decoding.registry.registry import find_method as find
from specviz.decoding.registry.registry import methods
from specviz.errors import OptionError, SpecvizError, as_given, unfit
from specviz.options import Option
from specviz.ui.catalog import SHARED_OPTIONS
from specviz.ui.serving.limits import (
    MAX_LANES,
    MAX_NEW_TOKENS,
    MAX_PROMPT_CHARACTERS,
    MAX_SEED,
    MAX_SYSTEM_CHARACTERS,
    MAX_TURNS,
    MAX_TURNS_CHARACTERS,
    MIN_LANES,
)
from specviz.views.race.race_types import RaceMessage

A = TypeVar("A", bound="CheckedRequest")
SHOWN = 40  # characters of a value in a refusal


class Refusal(SpecvizError):
    """A form that cannot be run. ``field`` names the control at fault: ``prompt``, ``form-seed``, ``lane-1-gamma``."""

    def __init__(self, message: str, *, field: str = "form", argument: str | None = None, code: str | None = None):
        super().__init__(message, argument=argument, code=code)
        self.field = field


class CheckedRequest(BaseModel):
    """A request. A missing field counts as None, so that it is refused in the same words."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, data: Any) -> Any:
        missing = {name: None for name, field in cls.model_fields.items() if field.is_required()}
        return missing | dict(data) if isinstance(data, Mapping) else data


def refuse(sentence: str, code: LiteralString = "option") -> NoReturn:
    """End a validator with this sentence."""
    raise PydanticCustomError(code, "{sentence}", {"sentence": sentence})


def says(sentence: str, code: LiteralString = "option") -> WrapValidator:
    """Replaces pydantic's message if the value itself is refused, not a part of it; ``{value}`` is the value."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            if first["loc"] or "sentence" in first.get("ctx", {}):
                raise
        refuse(sentence.replace("{value}", as_given(value, SHOWN)), code)

    return WrapValidator(check)


def one_of(start: str, names: Callable[[], Collection[str]]) -> PlainValidator:
    """One of some names, which may change while the server runs; ``start`` begins the sentence that lists them."""

    def check(value: Any) -> str:
        if isinstance(value, str) and value in names():
            return value
        refuse(f"{start} {', '.join(names())}, got {as_given(value, SHOWN)}", "unknown_name")

    return PlainValidator(check)


def _prompt(prompt: Any) -> str:
    if not isinstance(prompt, str):
        refuse("the prompt must be text", "prompt")
    if not prompt.strip():
        refuse("The prompt is empty. Type a beginning for the models to continue, or pick an example.", "prompt")
    if len(prompt) > MAX_PROMPT_CHARACTERS:
        refuse(
            f"The prompt has {len(prompt):,} characters; this page takes up to {MAX_PROMPT_CHARACTERS:,}. "
            "Nothing was lost: shorten it and run again.",
            "too_long",
        )
    if unfit(prompt):
        refuse(f"{unfit(prompt, 'The prompt')}: delete it, or type it again.", "prompt")
    return prompt


PromptText = Annotated[str, PlainValidator(_prompt)]


def _turns(turns: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(turns, list | tuple) or not all(
        isinstance(turn, list | tuple) and len(turn) == 2 and all(isinstance(text, str) and text for text in turn)
        for turn in turns
    ):
        refuse("what was said before must be pairs of a question and its answer: start anew", "turns")
    texts = [text for turn in turns for text in turn]
    if len(turns) > MAX_TURNS or sum(map(len, texts)) > MAX_TURNS_CHARACTERS:
        refuse(
            f"This page remembers up to {MAX_TURNS} turns and {MAX_TURNS_CHARACTERS:,} characters of a conversation; "
            f"this one has {len(turns)} and {sum(map(len, texts)):,}: start anew.",
            "too_long",
        )
    if wrong := next(filter(None, (unfit(text, "What was said before") for text in texts)), ""):
        refuse(f"{wrong}: start anew.", "turns")
    return tuple((question, answer) for question, answer in turns)


ChatTurns = Annotated[tuple[tuple[str, str], ...], PlainValidator(_turns)]
"""Of a conversation before the prompt: a question and its answer each."""


def _system(system: Any) -> str:
    if not isinstance(system, str):
        refuse("the system message must be text", "system")
    if len(system) > MAX_SYSTEM_CHARACTERS:
        refuse(
            f"The system message has {len(system):,} characters; this page takes up to {MAX_SYSTEM_CHARACTERS:,}: "
            "shorten it.",
            "too_long",
        )
    if wrong := unfit(system, "The system message"):
        refuse(f"{wrong}: delete it, or type it again.", "system")
    return system.strip()


System = Annotated[str, PlainValidator(_system)]
"""The system message, before all turns; "": the chat template's default."""
Seed = Annotated[
    int, Field(ge=0, le=MAX_SEED), says(f"seed must be a whole number from 0 to {MAX_SEED}, got {{value}}")
]
TokenCount = Annotated[
    int,
    Field(ge=1, le=MAX_NEW_TOKENS),
    says(f"tokens to write must be a whole number from 1 to {MAX_NEW_TOKENS}, got {{value}}"),
]
Values = Annotated[
    dict[str, Any],
    BeforeValidator(lambda value: {} if value is None else value),
    says("The options could not be read: reload the page."),
]
"""Options by name, still to be checked against their records (``read_options``)."""
RunId = Annotated[
    str, says("This run is no longer kept on the server. Run the race again to look into it.", code="gone")
]
LaneIndex = Annotated[
    int, Field(ge=0), says("A lane is asked for by its number, 0 for the first; this is none: {value}.")
]


IterationIndex = Annotated[
    int, Field(ge=0), says("An iteration is asked for by its number, 0 for the first; this is none: {value}.")
]
MAX_CHANGES = 64  # coins that one replay may change
DecisionNumber = Annotated[
    str,
    Field(pattern="^[1-9][0-9]{0,3}$"),
    says("A coin is named by the number of its decision, a whole number from 1; this names none: {value}."),
]
Coins = Annotated[
    dict[DecisionNumber, Any],  # numbers from 0 to 1: checked where the coins have names
    Field(max_length=MAX_CHANGES),
    says(f"Up to {MAX_CHANGES} coins can be changed at a time, each by its number; these cannot be read: {{value}}."),
]


def _is_dark(value: Any) -> bool:
    return value is True


Dark = Annotated[bool, PlainValidator(_is_dark)]


LANES = f"a race has {MIN_LANES} to {MAX_LANES} lanes"
PairName = Annotated[str | None, says("the models must be chosen by their name, got {value}")]
"""Which of the page's pairs computes; None: the first."""


class RaceFormLane(CheckedRequest):
    """One lane of a race: a method, and its own options."""

    method: Annotated[str, one_of("choose one of", methods)]
    options: Values = {}


MOST_TYPED = 200  # characters of a text put by hand


def _by_hand(value: Any) -> int | str | None:
    if value is None or (isinstance(value, str) and len(value) <= MOST_TYPED):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    refuse(
        f"A token put by hand is an id, or text of up to {MOST_TYPED} characters; this is neither: "
        f"{as_given(value, SHOWN)}"
    )


ByHand = Annotated[int | str | None, PlainValidator(_by_hand)]


class BranchForm(CheckedRequest):
    """Where a run leaves the lane ``of`` (0: the first, 1: the first branch), and what is changed there: coins and
    options, or a ``token`` (an id, or text) put by hand behind the first ``at`` of the iteration."""

    of: LaneIndex
    iteration: IterationIndex
    coins: Coins = {}
    options: Values = {}
    token: ByHand = None
    at: Annotated[int | None, Field(ge=0)] = None

    @property
    def changes(self) -> dict[str, Any]:
        """What ``branch`` is asked for."""
        coins = {int(decision): uniform for decision, uniform in self.coins.items()}
        return {"coins": coins, "token": self.token, "at": self.at, **self.options}


class Parent(CheckedRequest):
    """A kept lane that a branch may leave: it spares making the run again."""

    run: RunId
    lane: LaneIndex


class RaceForm(CheckedRequest):
    """One race, as the page sends it; with ``branches`` it has one lane, which they leave."""

    run: Annotated[str, Field(pattern="^[0-9a-f]{32}$"), says("the run has no valid id: reload the page")]
    prompt: PromptText
    lanes: Annotated[
        list[Annotated[RaceFormLane, BeforeValidator(lambda value: value if isinstance(value, Mapping) else {})]],
        Field(min_length=1, max_length=MAX_LANES),
        says(LANES),
    ]
    shared: Values = {}
    max_new_tokens: TokenCount
    seed: Seed
    pair: PairName = None
    turns: ChatTurns = ()
    system: System = ""
    branches: Annotated[
        list[BranchForm],
        Field(max_length=MAX_LANES - 1),
        says(f"A run can have up to {MAX_LANES - 1} branches beside it: begin anew from one of them."),
    ] = []
    parent: Parent | None = None


@dataclass(frozen=True)
class RaceSettings:
    """One race: ``lanes`` are (method, own options); ``shared`` the options of lanes that have none of their own;
    ``pair`` the name of the models (None: the page's first); ``turns`` what was said before the prompt, and
    ``system`` what the models are told to be; ``branches`` leave the only lane, which may be kept as ``parent``."""

    run: str
    prompt: str
    lanes: tuple[tuple[str, dict[str, Any]], ...]
    shared: dict[str, Any]
    max_new_tokens: int
    seed: int
    pair: str | None = None
    turns: tuple[tuple[str, str], ...] = ()
    system: str = ""
    branches: tuple[BranchForm, ...] = ()
    parent: Parent | None = None

    @property
    def talks(self) -> bool:
        """Whether it is more than a prompt, and the models must have a chat template."""
        return bool(self.turns or self.system)

    @property
    def asked(self) -> str | list[dict[str, str]]:
        """What the models are asked: the prompt, or the messages of the whole conversation."""
        if not self.talks:
            return self.prompt
        texts = [*chain.from_iterable(self.turns), self.prompt]
        system = [("system", self.system)] if self.system else []
        said = [*system, *zip(cycle(("user", "assistant")), texts)]
        return [{"role": role, "content": text} for role, text in said]

    @property
    def form(self) -> str:
        """A fingerprint of everything that the race is made from: all but its id. An option counts the same whether a
        lane has it of its own or shares it."""
        lanes = [(name, self.shared | own) for name, own in self.lanes]
        system = (
            {"system": self.system} if self.system else None
        )  # without it, a system message could be taken for a name of models
        branches = {"branches": [one.model_dump() for one in self.branches]} if self.branches else None
        other = tuple(part for part in (self.pair, self.turns or None, system, branches) if part is not None)
        made_from = self.prompt, lanes, self.max_new_tokens, self.seed, *other
        return sha256(json.dumps(made_from, sort_keys=True).encode()).hexdigest()


def as_asked(race: RaceMessage, settings: RaceSettings) -> RaceMessage:
    """The same with what the page asked, and of whom: a trace of a conversation has its tokens alone."""
    if settings.branches:
        race["branches"] = [branch.model_dump(exclude_defaults=True) for branch in settings.branches]
    return {
        **race,
        "prompt": settings.prompt,
        "turns": [*settings.turns],
        "system": settings.system,
        "pair": settings.pair or "",
    }


def read_settings(data: Any) -> RaceSettings:
    """The settings in a form (``RaceForm``). Raises Refusal for anything missing, unknown, too long or out of range."""
    form = read(RaceForm, data, what="form")
    if form.branches and len(form.lanes) > 1:
        raise Refusal("branches leave one lane: a race that has them has no other")
    if not form.branches and len(form.lanes) < MIN_LANES:
        raise Refusal(LANES)
    for number, branch in enumerate(form.branches, 1):
        read_options(f"branch-{number}", branch.options, find(form.lanes[0].method).options)
    lanes = (
        (lane.method, read_options(f"lane-{number}", lane.options, find(lane.method).options))
        for number, lane in enumerate(form.lanes, 1)
    )
    shared = read_options("shared", form.shared, SHARED_OPTIONS)
    numbers = form.max_new_tokens, form.seed
    return RaceSettings(
        *(form.run, form.prompt, tuple(lanes), shared, *numbers, form.pair, form.turns, form.system),
        branches=tuple(form.branches),
        parent=form.parent,
    )


def read(model: type[A], data: Any, *, form: str = "form", what: str = "request") -> A:
    """The request, validated. Raises Refusal; the names of its controls begin with ``form``."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    place, sentence, code = first["loc"], first.get("ctx", {}).get("sentence"), first["type"]
    if sentence is None:  # not refused by our own checks: it is no form, or from another version of the page
        named = as_given(place[-1], SHOWN) if place else f"the {what}"
        sentence, code = f"{named} could not be read: reload the page", None
    match place:
        case ("lanes", int(index), "options", *_):
            raise Refusal(f"Lane {index + 1}: {sentence}", field=f"lane-{index + 1}", code=code)
        case ("lanes", int(index), *_):
            raise Refusal(f"Lane {index + 1}: {sentence}", field=f"lane-{index + 1}-method", code=code)
        case ("turns", *_):
            raise Refusal(sentence, field="prompt", argument="turns", code=code)
        case ("system", *_):
            raise Refusal(sentence, field="system", argument="system", code=code)
        case ("prompt" | "shared" as name, *_):
            raise Refusal(sentence, field=name, argument=name, code=code)
        case (
            "seed" | "seeds" | "max_new_tokens" | "drafter" | "card" | "grid" | "prompts" | "file" | "numbers" as name,
            *_,
        ):
            raise Refusal(sentence, field=f"{form}-{name}", argument=name, code=code)
    raise Refusal(sentence, field=form, code=code)


def read_options(where: str, values: Mapping[str, Any], options: Mapping[str, Option]) -> dict[str, Any]:
    """The ``values``, checked against the Option records of these names. ``where`` is where they were set: ``shared``,
    ``lane-2``, ``options``. Raises Refusal, whose field is where and name."""
    lane = f"Lane {where.removeprefix('lane-')}: " if where.startswith("lane-") else ""
    checked = {}
    for name, value in values.items():
        try:
            if name not in options:
                raise OptionError(f"there is no option {as_given(name, SHOWN)}", argument=name, code="unknown_option")
            if isinstance(value, str) and len(value) > 100:
                raise OptionError(f"{name} is too long", argument=name)
            checked[name] = options[name].check(value)
        except OptionError as error:
            raise Refusal(
                f"{lane}{error}", field=f"{where}-{name}", argument=error.argument, code=error.code
            ) from error
    return checked


def control_of(error: SpecvizError, form: str, names: Collection[str], otherwise: str) -> str:
    """The control that an error is about: that of its argument, where the ``form`` has one of these ``names``."""
    if isinstance(error, Refusal):
        return error.field
    if error.argument == "prompt":
        return "prompt"
    return f"{form}-{error.argument}" if error.argument in names else otherwise


def refusal_of(error: SpecvizError, settings: RaceSettings | None = None) -> Refusal:
    """The error as a refusal. One that a lane raised while it was built is about that lane's option, or else about its
    method; ``settings`` are those of the race."""
    if isinstance(error, Refusal):
        return error
    if error.argument == "prompt" or error.lane is None or settings is None:
        field, where = control_of(error, "form", ("seed", "max_new_tokens"), "form"), ""
    else:
        lane, (method, options) = error.lane + 1, settings.lanes[error.lane]
        own = {option.name for option in find(method).own_options} | set(options)
        field, where = control_of(error, f"lane-{lane}", own, f"lane-{lane}-method"), f"Lane {lane}: "
    return Refusal(f"{where}{error}", field=field, argument=error.argument, code=error.code)
