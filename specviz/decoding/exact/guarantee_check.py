"""``check_guarantee``: a method held to what it claims, its own author's methods included.

Every claim is about one setting (no warp, a warp, temperature 0) on one pair. On small tables whole decoders are
enumerated, so a distance is exact; on a pair of networks the same is done with few tokens to choose from. A distance
says nothing of what was never run, so the places of the rule that were reached are counted (``places.py``), and a claim
holds only where all were.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Literal

import torch

from specviz.decoding.exact.distribution import LIMIT, N_TOKENS, NO_WARP, PossibleRuns
from specviz.decoding.exact.guarantee_distance import distance_from
from specviz.decoding.exact.places import Places
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.registry import find_method
from specviz.decoding.run.loop import Run
from specviz.dice import SeededDice, explore
from specviz.errors import OptionError
from specviz.lm.pair import ModelPair
from specviz.lm.parts.correlation import DenseCorrelation
from specviz.lm.parts.deciding import FunctionDecider
from specviz.lm.parts.heads import TableHeads
from specviz.lm.prompt import Prompt
from specviz.lm.table import TableLM
from specviz.options import Option, Options, Value
from specviz.trace.record import Guarantee

TOLERANCES = {torch.float64: 1e-9, torch.float32: 1e-3}
"""Distances that are rounding: by dtype of the target."""
COARSE = 0.05  # of bfloat16 and float16, whose logits depend on how many rows a call has
WARPS: tuple[Options, ...] = (NO_WARP, {"temperature": 0.7, "top_k": 2, "top_p": None}, NO_WARP | {"temperature": 0.0})
NARROW = {"temperature": 0.8, "top_k": 2, "top_p": None}
"""The warp on a pair of networks: two tokens to choose from, so that every outcome can be followed."""
VOCAB_SIZE = 3
TABLE_PROMPT = (0, 1, 0, 1)
"""What was said before can be copied, where a method drafts by lookup."""
CONTEXTS = (TABLE_PROMPT, *(context for context in product(range(VOCAB_SIZE), repeat=4) if context != TABLE_PROMPT))
"""Prompts of what draws nothing: after each the rule goes one way, and together they go all ways."""
GREEDY_TOKENS = 48
"""Tokens that are followed at temperature 0 on a pair of networks, after the one prompt."""
TREE = ((0,), (1,), (0, 0), (0, 0, 0))
K_CONFIGS = {1: (2,), 2: (1, 2), 3: (2, 1, 1)}
"""Trees by their depth: one that branches below an accepted guess, one with two levels below its branches."""
SEVERAL, MANY = 2, 5
"""Sizes that are no depth: where guesses are drawn, and where they are not."""

CERTAIN: tuple[Guarantee, ...] = ("greedy", "beam search")
"""What is promised of a method that draws nothing."""

Enumerated = Literal["runs", "texts", "first iteration"]


@dataclass(frozen=True)
class GuaranteeClaim:
    """What the method's output is distributed as (``guarantee``) on ``pair`` (its name) after ``prompts`` at
    ``options``, each with one of ``sizes``; and the total variation, 0 to 1, of what it really writes, the largest that
    was found: a claim that is refuted is not followed further. ``tolerance`` is what rounding may come to. ``reached``
    counts the outcomes that went through each place of the rule inside the horizon, ``missing`` are the places that
    none did (``places.py``).
    Of ``lossy`` the distance is that from the target's distribution, and any will do."""

    guarantee: Guarantee
    pair: str
    prompts: tuple[tuple[int, ...], ...]
    options: Options
    sizes: tuple[Options, ...]
    distance: float
    tolerance: float
    reached: Mapping[str, int]
    missing: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the distance is rounding and every place was reached; always, where nothing is promised."""
        return self.guarantee == "lossy" or (self.distance <= self.tolerance and not self.missing)

    def __str__(self) -> str:
        at = "; ".join(map(_settings, (self.options, *self.sizes)))
        says = f"{self.guarantee!r} on {self.pair} ({at}): distance {self.distance:.3g}"
        if self.guarantee == "lossy":
            return f"promises nothing: {says} from the target's distribution"
        if self.distance > self.tolerance:
            return f"FAILS: {says}"
        if self.missing:
            return f"OPEN: {says}, but no outcome reached {', '.join(self.missing)}: more tokens, or other sizes, may"
        places = ", ".join(f"{place} ({count})" for place, count in sorted(self.reached.items()))
        return f"holds: {says}" + (f"; outcomes with {places}" if places else "")


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
        """The claims that do not hold: too far away, or not reached everywhere."""
        return tuple(claim for claim in self.claims if not claim.holds)

    @property
    def distance(self) -> float:
        """The largest distance, 0 to 1, of all claims that promise something; 0 where none does."""
        return max((claim.distance for claim in self.claims if claim.guarantee != "lossy"), default=0.0)

    def __str__(self) -> str:
        lossy = [claim.distance for claim in self.claims if claim.guarantee == "lossy"]
        heads = (
            [
                f"{len(lossy)} of {len(self.claims)} settings promise nothing (lossy): up to {max(lossy):.3g} from "
                "the target's distribution"
            ]
            if lossy
            else []
        )
        if len(lossy) < len(self.claims):
            heads.insert(0, f"largest distance {self.distance:.3g}")
        return "\n".join((f"{self.method}: {'; '.join(heads)}", *map(str, self.claims)))


def check_guarantee(
    method: str | Method,
    pair: ModelPair | None = None,
    *,
    prompt: Prompt | None = None,
    n_tokens: int = 3,
    limit: int = LIMIT,
    **options: Value,
) -> GuaranteeReport:
    """Hold a method, by name or one of your own, to the guarantee that it states.

    It is run to the end of every coin and draw on small tables over three tokens (open ones, some with zeros, some with
    an end token), without warp, with one, and at temperature 0; and on ``pair`` after ``prompt``, where one is given,
    with two tokens to choose from at each place. Its distribution of the first ``n_tokens`` tokens (of the beams, for a
    method that keeps several) is compared with the one it claims, which is computed from the target alone.

    Drafts are made small, in two ways: short ones, behind which the next token is still seen, and deep ones of three
    layers, trees with two layers below a branch. ``options`` are others than those. Counted is what the outcomes went
    through: guesses accepted at every depth, rejections behind every number of accepted ones, the token after a full
    draft, an accepted end token. A claim that did not reach all of these says so, and does not hold. Nothing is
    asserted: ``assert report.holds, report``.

    A distance on tables is exact (1e-9 is rounding); on a float32 pair rounding comes to 1e-3 at most, but where two
    tokens are equally likely a cut of top-k may fall differently. Raises OptionError for wrong options, ModelError for
    a pair that lacks what the method needs, TooManyOutcomes past ``limit`` ways in which coins and draws can fall.

    >>> import specviz
    >>> report = specviz.check_guarantee("speculative", gamma=1)
    >>> report.holds, round(report.distance, 9), len(report.claims)
    (True, 0.0, 9)
    >>> print(report.claims[0])  # doctest: +ELLIPSIS
    holds: 'target' on open tables (temperature=1.0, top_k=None, top_p=None; gamma=1): distance ...
    """
    n_tokens = N_TOKENS.whole(n_tokens)
    method = find_method(method)
    claims = [
        _claim(method, name, tables, CONTEXTS, warp, options, n_tokens, n_tokens, limit)
        for name, tables in table_pairs().items()
        for warp in WARPS
    ]
    if pair is not None:
        prompt_tokens = tuple(pair.encode(_usual_prompt(pair) if prompt is None else prompt))
        claims += [
            _claim(method, pair.target.name, pair, (prompt_tokens,), warp, options, n_tokens, GREEDY_TOKENS, limit)
            for warp in (NARROW, WARPS[-1])
        ]
    return GuaranteeReport(method.name, tuple(claims))


def _claim(
    method: Method,
    name: str,
    pair: ModelPair,
    contexts: Sequence[tuple[int, ...]],
    warp: Options,
    options: Options,
    n_tokens: int,
    certain_tokens: int,
    limit: int,
) -> GuaranteeClaim:
    """The claim at one warp on one pair, after as many of ``contexts`` as can be paid for; what draws nothing is
    followed for ``certain_tokens``."""
    sizes = [size | options for size in draft_sizes(method, pair, warp)]
    sizes = [size for number, size in enumerate(sizes) if size not in sizes[:number]]
    claimed = method.guarantee_for(**warp, **sizes[0])
    certain = warp["temperature"] == 0 or claimed in CERTAIN
    few = 12 if _drawing(method, warp) == "deterministic" else 1 if warp["top_k"] is None else 3
    prompts, horizon = (contexts, certain_tokens) if certain else (contexts[:few], n_tokens)
    places, distance, tolerance = Places(), 0.0, TOLERANCES.get(pair.target.dtype, COARSE)
    for follow, size, prompt, tokens in _enumerations(claimed, warp, sizes, prompts, horizon, certain=certain):
        seen = partial(places.see, horizon=tokens)
        runs = PossibleRuns(pair, method, prompt, tokens, warp | size, limit, seen)
        distance = max(distance, distance_from(claimed, runs, follow, max(1e-4, 2 * tolerance)))
        if claimed != "lossy" and distance > tolerance:
            break  # it is refuted
    return GuaranteeClaim(
        *(claimed, name, tuple(prompts), dict(warp), tuple(sizes), distance, tolerance),
        dict(places.counts),
        () if claimed == "lossy" else places.missing,
    )


def _enumerations(
    claimed: Guarantee,
    warp: Options,
    sizes: Sequence[Options],
    prompts: Sequence[tuple[int, ...]],
    n_tokens: int,
    *,
    certain: bool,
) -> Iterator[tuple[Enumerated, Options, tuple[int, ...], int]]:
    """What is enumerated of a claim, at which size, after which prompt and over how many tokens: what can be paid for,
    the cheapest first."""
    short, deep, narrow = sizes[0], sizes[1:], warp["top_k"] is not None
    if certain:
        for prompt, size in product(prompts, sizes):
            yield "runs", size, prompt, n_tokens
    elif claimed == "beam":  # without a warp, layers of beams have too many outcomes
        yield "runs", short, prompts[0], n_tokens if narrow else min(n_tokens, 2)
        for size in deep if narrow else ():
            yield "runs", size, prompts[0], n_tokens
    else:
        for prompt in prompts:
            yield "texts", short, prompt, n_tokens
        if claimed == "lossy":
            return
        if narrow:  # what a rule carries on without saying so
            yield "runs", short, prompts[0], min(n_tokens, 2)
        for size, prompt in product(deep, prompts):
            yield "first iteration", size, prompt, n_tokens


def draft_sizes(method: Method, pair: ModelPair, warp: Options) -> tuple[Options, Options]:
    """The method's whole numbers as small as enumeration wants them: those of a short draft and of a deep one.

    Options that say how deep a draft is are found by trying: with more of them the drafter drafts more in a row."""
    claimed = method.guarantee_for(**warp)
    forked = method.pair({})[0].shape == "fork"  # the first token of a draft is the target's
    short, deep = (1, 2) if forked or claimed == "beam" else (2, 3)  # whole layers grow fast
    sizes = [option for option in method.own_options if _is_size(option)]
    shallow = {option.name: _size(option, SEVERAL, 1) for option in sizes}

    def depth(sizes: Options) -> int:
        try:
            return Run(pair, method, TABLE_PROMPT, options=warp | sizes, max_new_tokens=1, dice=SeededDice(0)).depth
        except OptionError:  # sizes that do not go together
            return 0

    deepening = {
        option.name
        for option in sizes
        if depth(shallow | {option.name: _size(option, SEVERAL + 1, 2)}) > depth(shallow)
    }

    def at(layers: int, several: int) -> Options:
        return {o.name: _size(o, layers if o.name in deepening else several, layers) for o in sizes}

    def certain(sizes: Options) -> bool:
        """Whether one iteration of such sizes leaves nothing to chance."""
        run = PossibleRuns(pair, method, TABLE_PROMPT, 1, warp | sizes).of_one_run
        return next(explore(run))[0] == 1.0

    cheap = _drawing(method, warp) == "deterministic" or (claimed in CERTAIN and certain(at(short, MANY)))
    return at(short, MANY if cheap else SEVERAL), at(deep, MANY if cheap else SEVERAL)


def _drawing(method: Method, warp: Options) -> str:
    """How the drafter draws siblings at this warp."""
    return method.pair({})[0].drawing(method.full(method.resolve(**warp)))


def _is_size(option: Option) -> bool:
    """Whether it is a whole number, or a list of them."""
    return option.kind == "integers" or (
        option.kind == "integer" and (option.default is None or isinstance(option.default, int))
    )


def _size(option: Option, size: int, layers: int) -> Value:
    """``size``, or a tree of so many layers: no more than the default, within what is allowed."""
    low, high = int(option.low or 0), int(option.high or 0)
    if option.kind == "integers":
        return tuple(max(low, min(children, high)) for children in K_CONFIGS[layers])
    most = min(option.default, size) if isinstance(option.default, int) else size
    return max(low, min(most, high))


def _settings(options: Options) -> str:
    return ", ".join(f"{name}={value}" for name, value in options.items())


def table_pairs() -> dict[str, ModelPair]:
    """Small pairs with every part that a method may ask for, float64, by what is special about them."""
    return {
        "open tables": _tables(1),
        "tables with zeros": _tables(3, zeros=0.35),
        "tables with an end token": _tables(5, ends=frozenset({2})),
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
        heads=TableHeads.random(VOCAB_SIZE, 3, seed, tree=TREE),
        correlation=DenseCorrelation.random(VOCAB_SIZE, seed),
        deciders={kind: FunctionDecider(lambda token: (token % 5) / 5) for kind in ("hidden", "entropy")},
    )


def _usual_prompt(pair: ModelPair) -> Prompt:
    return TABLE_PROMPT if pair.tokenizer is None else "Once upon a time"
