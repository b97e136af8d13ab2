"""What a method is: a named pairing of a drafter and a verifier, with its options, its law and its texts."""

from collections.abc import Callable
from dataclasses import dataclass, field

from specviz.decoding.options import SHARED, Option, Options, Value, resolve
from specviz.decoding.workbench import Decoder, Setting, Workbench
from specviz.lm.warp import Warp
from specviz.trace.record import MethodRecord
from specviz.verifying.verdict import Verifier

FAMILIES = {
    "target": "The target alone",
    "chain": "One drafted chain, judged by coins",
    "candidates": "Several candidates, judged by coins",
    "threshold": "A threshold in place of coins: lossy",
    "beams": "Several beams, drafted",
    "heads": "Prediction heads in place of a draft model",
    "own": "Your own",
}
"""What kinds of methods there are, in the order they are shown: a method's ``family`` and its heading."""


def target_or_greedy(options: Options) -> str:
    """The law of a lossless method: the target's, which is the greedy text at temperature 0."""
    return "greedy" if options["temperature"] == 0 else "target"


def asked_warp(options: Options) -> Warp:
    """The warp that the shared options ask for."""
    return Warp(options["temperature"], options["top_k"], options["top_p"])


WARPS = tuple(option.name for option in SHARED)


@dataclass(frozen=True)
class Method:
    """A named pairing of a drafter and a verifier.

    ``family`` is one of ``FAMILIES``. ``texts`` explain the method by phase (rule, draft, verify, accept, reject,
    finish). ``build`` makes a fresh decoder, ``judge`` its verifier alone, from a setting and the options (None: a
    recorded step cannot be judged anew); ``warp`` is that of the target's laws, and ``ruled_by`` names the options that
    the verdict on a given draft depends on, both at resolved options. ``law_of`` says what the output is distributed as
    at resolved options: ``target``, ``greedy``, ``beam``, ``beam search`` or ``lossy``. ``distance`` is, for a method
    that is lossy at its defaults, the total variation from the target's law on the reference model
    (``decoding/distance.py``). ``greedy``: decodes greedily whatever the temperature. ``carries``: more than the text
    goes from one iteration to the next. ``drafts`` says what drafts: ``model`` (the draft models), ``heads``, or
    ``nothing``.
    """

    name: str
    title: str
    family: str
    paper: str
    summary: str
    own_options: tuple[Option, ...]
    texts: dict[str, str]
    build: Callable[[Workbench, Options], Decoder] = field(repr=False)
    law_of: Callable[[Options], str] = field(repr=False, default=target_or_greedy)
    judge: Callable[[Setting, Options], Verifier] | None = field(repr=False, default=None)
    warp: Callable[[Options], Warp] = field(repr=False, default=asked_warp)
    ruled_by: Callable[[Options], tuple[str, ...]] = field(repr=False, default=lambda options: WARPS)
    distance: float | None = None
    greedy: bool = False
    carries: bool = False
    drafts: str = "model"

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise ValueError(f"family must be one of {', '.join(FAMILIES)}, got {self.family!r}")

    @property
    def options(self) -> dict[str, Option]:
        """Own options first, then those that all methods share."""
        return {option.name: option for option in (*self.own_options, *SHARED)}

    @property
    def law(self) -> str:
        """The law at the default options."""
        return self.law_for()

    def resolve(self, /, **options: Value) -> Options:
        """Every option, defaults filled in. Raises OptionError naming the option, the value and the allowed range."""
        return resolve(tuple(self.options.values()), options, f"method {self.name!r}")

    def law_for(self, /, **options: Value) -> str:
        """``target``, ``greedy``, ``beam``, ``beam search`` or ``lossy`` at the given options."""
        return self.law_of(self.resolve(**options))

    def record(self, options: Options) -> MethodRecord:
        """What a trace says about the method."""
        law = self.law_of(options)
        distance = self.distance if law == "lossy" else None
        return MethodRecord(
            self.name,
            self.title,
            self.paper,
            law,
            self.summary,
            dict(self.texts),
            distance,
            self.greedy and law == "greedy",
        )
