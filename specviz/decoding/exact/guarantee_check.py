"""``check_guarantee``: a method held to what it claims, its own author's methods included.

Every claim is about one setting (no warp, a warp, temperature 0) on one pair. On small tables whole decoders are
enumerated, so a distance is exact; on a pair of networks the same is done with few tokens to choose from.
"""

from dataclasses import dataclass

import torch

from specviz.decoding.exact.distribution import LIMIT, N_TOKENS, NO_WARP
from specviz.decoding.exact.guarantee_distance import distance_from
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.options import Options, Value
from specviz.decoding.registry.registry import find_method
from specviz.lm.pair import ModelPair
from specviz.lm.parts.correlation import DenseCorrelation
from specviz.lm.parts.deciding import FunctionDecider
from specviz.lm.parts.heads import TableHeads
from specviz.lm.prompt import Prompt
from specviz.lm.table import TableLM
from specviz.trace.record import Guarantee

TOLERANCES = {torch.float64: 1e-9, torch.float32: 1e-3}
"""Distances that are rounding: by dtype of the target."""
COARSE = 0.05  # of bfloat16 and float16, whose logits depend on how many rows a call has
WARPS: tuple[Options, ...] = (NO_WARP, {"temperature": 0.7, "top_k": 2, "top_p": None}, NO_WARP | {"temperature": 0.0})
NARROW = {"temperature": 0.8, "top_k": 2, "top_p": None}
"""The warp on a pair of networks: two tokens to choose from, so that every outcome can be followed."""
TABLE_PROMPT = (0, 1)
VOCAB_SIZE = 3
TREE = ((0,), (1,), (0, 0))


@dataclass(frozen=True)
class GuaranteeClaim:
    """What the method's output is distributed as (``guarantee``) on ``pair`` (its name) after ``prompt`` at
    ``options``, and the total variation, 0 to 1, of what it really writes. ``tolerance`` is what rounding may come to.
    Of ``lossy`` the distance is that from the target's distribution, and any will do."""

    guarantee: Guarantee
    pair: str
    prompt: tuple[int, ...]
    options: Options
    distance: float
    tolerance: float

    @property
    def holds(self) -> bool:
        """Whether the distance is rounding; always, where nothing is promised."""
        return self.guarantee == "lossy" or self.distance <= self.tolerance

    def __str__(self) -> str:
        settings = ", ".join(f"{name}={value}" for name, value in self.options.items())
        found = "holds" if self.holds else "FAILS"
        return f"{found}: {self.guarantee!r} on {self.pair} ({settings}): distance {self.distance:.3g}"


@dataclass(frozen=True)
class GuaranteeReport:
    """What ``check_guarantee`` found: all ``claims`` of ``method``. Printed, it is a line a claim."""

    method: str
    claims: tuple[GuaranteeClaim, ...]

    @property
    def holds(self) -> bool:
        """Whether every claim does."""
        return not self.failures

    @property
    def failures(self) -> tuple[GuaranteeClaim, ...]:
        """The claims that fail."""
        return tuple(claim for claim in self.claims if not claim.holds)

    @property
    def distance(self) -> float:
        """The largest distance, 0 to 1, of all claims that promise something; 0 where none does."""
        return max((claim.distance for claim in self.claims if claim.guarantee != "lossy"), default=0.0)

    def __str__(self) -> str:
        return "\n".join((f"{self.method}: largest distance {self.distance:.3g}", *map(str, self.claims)))


def check_guarantee(
    method: str | Method,
    pair: ModelPair | None = None,
    *,
    prompt: Prompt | None = None,
    n_tokens: int = 2,
    limit: int = LIMIT,
    **options: Value,
) -> GuaranteeReport:
    """Hold a method, by name or one of your own, to the guarantee that it states.

    It is run to the end of every coin and draw on small tables over three tokens (open ones, some with zeros, some with
    an end token), without warp, with one, and at temperature 0; and on ``pair`` after ``prompt``, where one is given,
    with two tokens to choose from at each place. Its distribution of the first ``n_tokens`` tokens (of the beams, for a
    method that keeps several) is compared with the one it claims, which is computed from the target alone. Sizes of
    drafts are made small; ``options`` are others than that. Nothing is asserted: ``assert report.holds, report``.

    A distance on tables is exact (1e-9 is rounding); on a float32 pair rounding comes to 1e-3 at most, but where two
    tokens are equally likely a cut of top-k may fall differently. Raises OptionError for wrong options, ModelError for
    a pair that lacks what the method needs, TooManyOutcomes past ``limit`` ways in which coins and draws can fall.

    >>> import specviz
    >>> report = specviz.check_guarantee("speculative", gamma=1)
    >>> report.holds, round(report.distance, 9), len(report.claims)
    (True, 0.0, 9)
    >>> print(report.claims[0])  # doctest: +ELLIPSIS
    holds: 'target' on open tables (temperature=1.0, top_k=None, top_p=None, gamma=1): distance ...
    """
    n_tokens = N_TOKENS.whole(n_tokens)
    method = find_method(method)
    sizes = small_sizes(method) | options
    cases = [(name, tables, TABLE_PROMPT, warp) for name, tables in table_pairs().items() for warp in WARPS]
    if pair is not None:
        given = pair.encode(_usual_prompt(pair) if prompt is None else prompt)
        cases += [(pair.target.name, pair, given, NARROW), (pair.target.name, pair, given, WARPS[-1])]
    claims = []
    for name, models, tokens, warp in cases:
        full = warp | sizes
        claimed = method.guarantee_for(**full)
        distance = distance_from(claimed, models, method, tokens, n_tokens, full, limit)
        tolerance = TOLERANCES.get(models.target.dtype, COARSE)
        claims.append(GuaranteeClaim(claimed, name, tuple(tokens), full, distance, tolerance))
    return GuaranteeReport(method.name, tuple(claims))


def small_sizes(method: Method) -> Options:
    """The method's whole numbers, as small as enumeration wants them: drafts of two, one layer of beams."""
    sizes: Options = {}
    for option in method.own_options:
        low, high = int(option.low or 0), int(option.high or 0)
        if option.kind == "integer" and isinstance(option.default, int):
            most = 1 if option.name == "gamma" and method.guarantee.startswith("beam") else 2  # whole layers grow fast
            sizes[option.name] = max(low, min(option.default, most))
        elif option.kind == "integers":
            sizes[option.name] = (min(2, high),)
    return sizes


def table_pairs() -> dict[str, ModelPair]:
    """Small pairs with every part that a method may ask for, float64, by what is special about them."""
    return {
        "open tables": _tables(1),
        "tables with zeros": _tables(2, zeros=0.35),
        "tables with an end token": _tables(3, ends=frozenset({2})),
    }


def _tables(seed: int, *, zeros: float = 0.0, ends: frozenset[int] = frozenset()) -> ModelPair:
    target, draft, other = (
        TableLM.random(VOCAB_SIZE, seed + further, zeros=zeros, sharpness=1.5) for further in (0, 100, 200)
    )
    return ModelPair(
        target,
        draft,
        drafts=(other,),
        end_tokens=ends,
        heads=TableHeads.random(VOCAB_SIZE, 2, seed, tree=TREE),
        correlation=DenseCorrelation.random(VOCAB_SIZE, seed),
        deciders={kind: FunctionDecider(lambda token: (token % 5) / 5) for kind in ("hidden", "entropy")},
    )


def _usual_prompt(pair: ModelPair) -> Prompt:
    return TABLE_PROMPT if pair.tokenizer is None else "Once upon a time"
