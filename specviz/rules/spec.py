"""What a verifier says about itself, once; everything that pairs, runs, replays or shows it reads it here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from specviz.lm.warp import Warp
from specviz.options import SHARED, Option, Options
from specviz.rules.verdict import Verifier
from specviz.trace.forest import Drawing
from specviz.trace.record import Guarantee

DraftShape = Literal["nothing", "chain", "tree", "fork", "layers"]
SHAPES: dict[DraftShape, str] = {
    "nothing": "nothing",
    "chain": "one chain",
    "tree": "a tree",
    "fork": "a fork",
    "layers": "layers of beams",
}
"""What drafts look like, in words."""
WARPS = tuple(option.name for option in SHARED)
DRAWINGS: dict[Drawing, str] = {
    "independent": "drawn independently of each other",
    "without_replacement": "drawn without replacement",
    "deterministic": "deterministic",
    "search": "chosen by a search, so that nobody knows the probability of each",
}
"""The ways to draw siblings that verifiers know, in words; a drafter may have a way of its own."""
LINE: tuple[Drawing, ...] = ("independent", "deterministic")
"""The ways to draw one chain."""


@dataclass(frozen=True)
class VerifyContext:
    """What a verifier is made for, besides the options: the ``warp`` of the target's distributions, the tokens that end
    a text, how long the prompt is, how many tokens are to follow it, and how many the vocabulary has."""

    warp: Warp
    end_tokens: frozenset[int]
    prompt_length: int
    max_new_tokens: int
    vocab_size: int


def asked_warp(options: Options) -> Warp:
    """The warp that the shared options ask for."""
    return Warp(options["temperature"], options["top_k"], options["top_p"])


def target_or_greedy(options: Options) -> Guarantee:
    """What a lossless method promises: the target's distribution, which is the greedy text at temperature 0."""
    return "greedy" if options["temperature"] == 0 else "target"


def one_text(context: VerifyContext, options: Options) -> tuple[int, int | None]:
    """One text is kept at a time."""
    return 1, None


@dataclass(frozen=True)
class VerifierSpec:
    """A verifier: ``build`` makes one from what it must know and the resolved options.

    ``about`` says in a few words how it judges; ``title`` and ``sentence`` are for readers of the page: what the rule
    is called, and what it does in a sentence that needs no formula (default: ``about``). ``judges`` are the shapes of
    drafts it can judge, ``drawings`` how siblings may have been drawn (None: in any way), ``exact`` the drawings of
    which the output keeps the target's distribution.
    ``guarantee`` overrides what follows from that: what the output is distributed as, at resolved options and a
    drawing. ``target_warp`` is the warp of the target's distributions. ``changeable`` names the options that the
    verdict on a given draft depends on (default: its own and the warp). ``beams`` is how many texts are kept at a time,
    and the target's cache rows that they need besides one text (None: as many as texts that share nothing but the
    prompt). ``carries`` and ``free`` as of a drafter.
    """

    name: str
    about: str
    build: Callable[[VerifyContext, Options], Verifier] = field(repr=False)
    options: tuple[Option, ...] = ()
    title: str = ""
    sentence: str = ""
    judges: tuple[DraftShape, ...] = ("chain", "tree")
    drawings: tuple[Drawing, ...] | None = None
    exact: tuple[Drawing, ...] = ()
    guarantee: Callable[[Options, Drawing], Guarantee] | None = field(repr=False, default=None)
    target_warp: Callable[[Options], Warp] = field(repr=False, default=asked_warp)
    changeable: Callable[[Options], tuple[str, ...]] | None = field(repr=False, default=None)
    beams: Callable[[VerifyContext, Options], tuple[int, int | None]] = field(repr=False, default=one_text)
    carries: bool = False
    free: bool | tuple[str, ...] = True

    def __post_init__(self) -> None:
        about = self.about[:1].upper() + self.about[1:]
        object.__setattr__(self, "title", self.title or about)
        object.__setattr__(self, "sentence", self.sentence or f"{about}.")

    def guarantee_for(self, options: Options, drawing: Drawing) -> Guarantee:
        """What the output is distributed as when such drafts are judged."""
        if self.guarantee is not None:
            return self.guarantee(options, drawing)
        if not self.exact:
            return "lossy"
        return "target" if drawing in self.exact and options["temperature"] else _greedy_or_lossy(options)

    def changeable_for(self, options: Options) -> tuple[str, ...]:
        """The options that the verdict on a given draft depends on."""
        if self.changeable is not None:
            return self.changeable(options)
        return (*(option.name for option in self.options), *WARPS)

    def refusal(self, shape: DraftShape, drawing: Drawing, drafter: str) -> str | None:
        """Why it cannot judge drafts of this shape and drawing, made by ``drafter``; None where it can."""
        if shape not in self.judges:
            judged = " or ".join(
                SHAPES[judged_shape]
                for judged_shape in self.judges
                if judged_shape != "nothing" or len(self.judges) == 1
            )
            return f"verifier {self.name!r} judges {judged}, and {drafter} is {SHAPES[shape]}"
        if self.drawings is not None and drawing not in self.drawings:
            wanted = " or ".join(DRAWINGS.get(name, name) for name in self.drawings)
            return (
                f"verifier {self.name!r} needs candidates {wanted}, and those of {drafter} are "
                f"{DRAWINGS.get(drawing, drawing)}: its coins would not be fair"
            )
        return None


def _greedy_or_lossy(options: Options) -> Guarantee:
    """At temperature 0 an exact verifier can emit nothing but the target's choice, however the drafts were drawn."""
    return "greedy" if options["temperature"] == 0 else "lossy"
