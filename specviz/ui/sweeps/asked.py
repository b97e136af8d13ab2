"""What a visitor may sweep: a card or a grid of their own, on built-in prompts or a file, within the page's bounds."""

import io
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, NoReturn

from pydantic import Field, TypeAdapter

from specviz.errors import OptionError, PromptError, SpecvizError, as_given
from specviz.lab.cards.card import Card, find_card
from specviz.lab.cards.points import USUAL
from specviz.lab.quality.reference import Reference
from specviz.lab.sweep.grid import Grid, as_grid, parse_grid
from specviz.lab.sweep.numbers import NUMBERS, RECORDED
from specviz.lab.sweep.plan import Plan
from specviz.lab.sweep.prompts import DOMAINS, SweepPrompt, built_in, parse_prompts
from specviz.lm.pair import ModelPair
from specviz.ui.serving import limits
from specviz.ui.serving.models import PairLoader
from specviz.ui.settings import CheckedRequest, PairName, Refusal, TokenCount, read, says

FORM = "sweep"  # the names of its fields begin with it
OFFLINE = "python -m specviz sweep"
_REFERENCE = TypeAdapter(Reference)


class SweepForm(CheckedRequest):
    """A sweep, as the page sends it: ``card``, the name of one, or ``grid``, TOML; ``file``, lines of JSON, or
    ``prompts``, built-in sets (None: those of the card, or all). ``seeds`` and ``max_new_tokens`` come before what the
    grid says; ``numbers`` are drawn of a grid (None: the usual ones)."""

    card: Annotated[str | None, says("the card must be the name of one, got {value}")] = None
    grid: Annotated[
        str | None,
        Field(max_length=limits.MAX_GRID_CHARACTERS),
        says(f"the grid must be text, of {limits.MAX_GRID_CHARACTERS:,} characters at most"),
    ] = None
    prompts: Annotated[
        list[str] | None, Field(min_length=1, max_length=10), says("prompts must be names of built-in sets")
    ] = None
    file: Annotated[str | None, says("the file must be text")] = None
    seeds: Annotated[
        int | None,
        Field(ge=1, le=limits.MAX_SWEEP_SEEDS),
        says(f"seeds must be a whole number from 1 to {limits.MAX_SWEEP_SEEDS}, got {{value}}"),
    ] = None
    max_new_tokens: TokenCount | None = None
    numbers: Annotated[
        list[str] | None,
        Field(min_length=1, max_length=limits.MAX_SWEEP_CHARTS),
        says(f"choose 1 to {limits.MAX_SWEEP_CHARTS} numbers to draw"),
    ] = None
    pair: PairName = None


@dataclass(frozen=True)
class Recipe:
    """What a sweep runs. ``title`` is for people; ``card`` the name of the card that it is of ("": none); ``recorded``:
    with distributions, which some numbers need. ``numbers`` are drawn where it is of no card. ``pair`` names the models
    (None: the page's first)."""

    title: str
    grid: Mapping[str, Any]
    prompts: tuple[SweepPrompt, ...]
    card: str = ""
    recorded: bool = False
    numbers: tuple[str, ...] = USUAL
    pair: str | None = None

    def plan(self, pair: ModelPair) -> Plan:
        """Its runs with this pair, unchecked."""
        return Plan(pair, as_grid(self.grid), self.prompts)

    def flat(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def recipe_of(flat: Any) -> Recipe:
    """The recipe of ``flat()``. Raises ValueError, TypeError or KeyError for what is none."""
    prompts, numbers = tuple(map(_prompt_of, flat["prompts"])), tuple(flat["numbers"])
    return Recipe(**{**flat, "prompts": prompts, "numbers": numbers})


def _prompt_of(flat: Any) -> SweepPrompt:
    reference = flat["reference"]
    return SweepPrompt(**{**flat, "reference": None if reference is None else _REFERENCE.validate_python(reference)})


def read_sweep(data: Any, loader: PairLoader, cards: Mapping[str, Card]) -> tuple[Recipe, Plan]:
    """The sweep in a form (``SweepForm``), of a grid or one of the ``cards``, checked with its pair to the last run.
    Raises Refusal, which names the field and the line."""
    form = read(SweepForm, data, form=FORM, what="form")
    if (form.card is None) == (form.grid is None):
        _refuse("grid", "say what to run: a card, or a grid of your own")
    try:
        recipe = _recipe(form, cards, loader.names)
        _bound(recipe, as_grid(recipe.grid), form)
        plan = recipe.plan(loader.of(form.pair).pair)
        plan.check()
    except Refusal:
        raise
    except PromptError as error:
        _refuse("prompts" if form.file is None else "file", str(error), error.code)
    except SpecvizError as error:
        _refuse("grid" if form.card is None else "card", str(error), error.code)
    return recipe, plan


def _recipe(form: SweepForm, cards: Mapping[str, Card], pairs: Collection[str]) -> Recipe:
    card = None if form.card is None else find_card(cards.values(), form.card)
    base = card.grid if card else parse_grid((form.grid or "").encode("utf-8", "replace"), "the grid")
    overrides = {"seeds": form.seeds, "max_new_tokens": form.max_new_tokens}
    grid = {**base, **{name: value for name, value in overrides.items() if value is not None}}
    if card:
        pair = card.pair if card.pair in pairs else form.pair
        return Recipe(card.title, grid, _prompts(form, card.prompts), card.name, card.recorded, pair=pair)
    methods = dict.fromkeys(setting.method for setting in as_grid(grid).settings)
    numbers = USUAL if form.numbers is None else tuple(dict.fromkeys(form.numbers))
    for name in numbers:
        if name not in NUMBERS:
            _refuse("numbers", f"numbers must be among {', '.join(NUMBERS)}, got {as_given(name)}")
    recorded = any(name in RECORDED for name in numbers)
    return Recipe(", ".join(methods), grid, _prompts(form, DOMAINS), "", recorded, numbers, form.pair)


def _prompts(form: SweepForm, usual: tuple[str, ...]) -> tuple[SweepPrompt, ...]:
    if form.file is None:
        return tuple(built_in(*dict.fromkeys(usual if form.prompts is None else form.prompts)))
    if form.prompts is not None:
        _refuse("prompts", "choose built-in prompts or a file, not both")
    content = form.file.encode("utf-8", "replace")
    if len(content) > limits.MAX_SWEEP_FILE_BYTES:
        most = f"{limits.MAX_SWEEP_FILE_BYTES / 1e6:.0f} MB"
        _refuse("file", f"the file has {len(content) / 1e6:.1f} MB; this page takes up to {most}", "too_large")
    prompts = parse_prompts(io.BytesIO(content), "the file", limits.MAX_SWEEP_PROMPTS)
    for prompt in prompts:
        own = {
            "": (prompt.prompt, limits.MAX_PROMPT_CHARACTERS),
            "question_id of ": (prompt.id, limits.MAX_SWEEP_NAME),
            "category of ": (prompt.category, limits.MAX_SWEEP_NAME),
        }
        for what, (text, most) in own.items():
            if len(text) > most:
                said = f"the file: the {what}prompt {prompt.id[:40]} has {len(text):,} characters, at most {most:,} fit"
                raise PromptError(said, argument="prompts", code="too_long")
    return tuple(prompts)


def _bound(recipe: Recipe, grid: Grid, form: SweepForm) -> None:
    """Raises OptionError for more than the page runs."""
    if grid.max_new_tokens > limits.MAX_NEW_TOKENS:
        text = f"max_new_tokens must be at most {limits.MAX_NEW_TOKENS} here, got {grid.max_new_tokens}"
        raise OptionError(text, argument="max_new_tokens")
    runs = len(grid.settings) * len(recipe.prompts) * len(grid.seeds)
    if runs > limits.MAX_SWEEP_RUNS:
        raise OptionError(
            f"{len(grid.settings)} settings, {len(recipe.prompts)} prompts and {len(grid.seeds)} seeds are {runs:,} "
            f"runs; this page makes up to {limits.MAX_SWEEP_RUNS:,}: list fewer values, or run it with {OFFLINE}",
            argument="grid",
            code="too_many",
        )


def _refuse(name: str, text: str, code: str | None = None) -> NoReturn:
    raise Refusal(text, field=f"{FORM}-{name}", argument=name, code=code)
