"""The header, and what every page says: examples, guarantees, the catalog's options."""

from typing import Any, TypedDict

from specviz.views.race.race_types import GuaranteeBadge, ModelPrints


class OptionSetup(TypedDict):
    """An option of the catalog, as a field of a form."""

    name: str
    label: str
    kind: str
    default: Any
    low: float | None
    high: float | None
    choices: list[Any]
    optional: bool
    off: float | None
    used_by: list[str]
    help: str


class ExampleSetup(TypedDict):
    """A button of a form: its label, the prompt it types, what it shows, and the name of the models that it is for
    (None: those that have no examples of their own)."""

    label: str
    prompt: str
    about: str
    pair: str | None


class PageName(TypedDict):
    """A page of the navigation."""

    name: str
    title: str


class Interval(TypedDict):
    """A measured number with its 95 % interval."""

    low: float
    value: float
    high: float


class MeterWords(TypedDict):
    """What a guarantee meter says of its marks."""

    exact: str
    measured: str
    distance: str
    made: str
    short: str


class MeterEntry(TypedDict):
    """What a guarantee meter shows of a method; ``exact`` and ``measured`` are distances, 0 to 1."""

    title: str
    guarantee: GuaranteeBadge
    word: str
    number: str
    exact: float
    measured: Interval
    says: MeterWords
    defaults: dict[str, Any]
    pair: ModelPrints


Guarantees = dict[str, list[MeterEntry]]
"""By method, an entry for each pair of models that it was measured on."""


class HeaderSetup(TypedDict):
    """Of the top of the page; the ``pairs`` of models by name, the usual one first; ``offers``: whether models may be
    got from here; ``public``: the address that links begin with, empty for the one that the page is seen at."""

    pages: list[PageName]
    pairs: list[str]
    offers: bool
    glossary: dict[str, str]
    guarantees: Guarantees
    public: str


class Status(TypedDict):
    """How far the models are, which ones, and whether they take turns; the ``pairs`` there are by now."""

    state: str
    text: str
    pair: ModelPrints | None
    chats: bool
    pairs: list[str]


class ModelOffer(TypedDict):
    """A model that may be got: ``bytes`` from a source into ``folder``. Its ``state`` is away, getting, here or failed
    (for a ``reason``); ``done`` of ``total`` bytes of what it is ``doing`` (0 of 0: none to count); ``kept`` bytes of
    an interrupted fetch go on from there."""

    name: str
    title: str
    licence: str
    bytes: int
    folder: str
    state: str
    doing: str
    done: int
    total: int
    kept: int
    reason: str


class ModelOffers(TypedDict):
    """All that may be got, and the pairs there are by now."""

    offers: list[ModelOffer]
    pairs: list[str]


class MethodSetup(TypedDict):
    """A method of the catalog."""

    name: str
    title: str
    summary: str
    options: list[OptionSetup]


class FamilySetup(TypedDict):
    """Methods by family."""

    title: str
    methods: list[str]
