"""How far the distribution of every method is from the one it is compared with: exactly, on the small reference pair.

The whole decoder runs, once for every way its coins and draws can fall; nothing is sampled and nothing assumed.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from specviz.decoding.exact.distance import N_TOKENS, PROMPTS, SIZES, VOCAB_SIZE, reference_pair
from specviz.decoding.exact.distribution import NO_WARP, PossibleRuns, Written, distribution_of
from specviz.decoding.exact.references import TargetReference, Text
from specviz.decoding.registry.method import Method
from specviz.dice import Dice, explore
from specviz.lm.pair import ModelPair
from specviz.lm.parts.correlation import DenseCorrelation
from specviz.lm.parts.heads import TableHeads
from specviz.lm.warp import Warp
from specviz.trace.distribution import total_variation
from specviz.trace.record import Guarantee

MORE_SIZES = {"draft_beams": 2, "drafts": 2, "tokens": 2, "k_config": (2,), "nodes": 3, "candidates": 2, "keep": 2}
"""Beside ``SIZES``, for methods whose catalog entry states no distance at sizes of its own."""
BEAM_SIZES = {"gamma": 1}
"""Whole layers of beams make many outcomes: one drafted layer, and the one that the target adds."""
TREE = ((0,), (1,), (0, 0))

Layers = tuple[tuple[Text, ...], ...]


@dataclass(frozen=True)
class Exact:
    """``distance`` is a total variation, 0 to 1, of the distribution of ``n_tokens`` tokens, mean over the prompts;
    ``sizes`` are the options that differ from the method's defaults."""

    distance: float
    n_tokens: int
    sizes: dict[str, Any]


def whole_reference_pair() -> ModelPair:
    """The reference pair with prediction heads and a correlation, both random, for the methods that need them."""
    heads = TableHeads.random(VOCAB_SIZE, 2, seed=2, tree=TREE)
    return replace(reference_pair(), heads=heads, correlation=DenseCorrelation.random(VOCAB_SIZE, seed=3))


def sizes_of(method: Method) -> dict[str, Any]:
    """What the method's options are set to here: sizes of drafts only, so that all outcomes can be enumerated."""
    sizes = SIZES if method.distance is not None else MORE_SIZES | SIZES
    sizes = sizes | BEAM_SIZES if method.guarantee == "beam" else sizes
    defaults: dict[str, Any] = {name: option.default for name, option in method.options.items()}
    used = [o.name for o in method.own_options if not o.used_by or set(o.used_by) & {*map(str, defaults.values())}]
    known = {name: size for name, size in sizes.items() if name in used}
    return {name: min(size, defaults[name]) if isinstance(size, int) else size for name, size in known.items()}


def exact_distance(method: Method) -> Exact:
    """The distance of ``method`` from what its guarantee says: the target's distribution (also for a lossy method), the
    greedy text, beam search, or, given the beams before and how many follow, beam sampling. Without temperature, top-k
    and top-p."""
    pair, sizes = whole_reference_pair(), sizes_of(method)
    runs = [PossibleRuns(pair, method, prompt, N_TOKENS, NO_WARP | sizes) for prompt in PROMPTS]
    distances = [distance_from(method.guarantee, run) for run in runs]
    return Exact(sum(distances) / len(distances), N_TOKENS, sizes)


def distance_from(
    guarantee: Guarantee,
    runs: PossibleRuns,
    follow: Literal["runs", "texts", "first iteration"] = "texts",
    enough: float = 1.0,
) -> float:
    """Total variation, 0 to 1, between what the runs write and what ``guarantee`` says: over the first ``n_tokens``
    tokens, or layers of beams.

    Of a method that writes one text, ``follow`` says what is enumerated: whole ``runs``; iterations that start afresh
    from every one of the ``texts``, which is the same where nothing else goes from one iteration to the next; or the
    ``first iteration`` alone, continued by the target. Where that has the target's distribution after every text, so
    have runs. Where a single text is promised, nothing more is enumerated once others have more than ``enough``
    probability. Raises TooManyOutcomes past the limit of ``runs``.
    """
    warp = Warp(*(runs.options[name] for name in NO_WARP))
    reference = TargetReference(
        runs.pair.target, runs.prompt, Warp(0.0) if guarantee == "greedy" else warp, runs.pair.end_tokens
    )
    if guarantee == "beam":
        return _from_beam_sampling(runs, reference)
    if guarantee == "beam search":
        return _from_one(
            runs.of_one_run, lambda beams: reference.beam_search(len(beams), runs.n_tokens), runs.limit, enough
        )
    if guarantee == "greedy":
        (text,) = reference.sampling(runs.n_tokens)
        return _from_one(lambda dice: _text(runs, dice), lambda written: text, runs.limit, enough)
    if runs.method.carries:  # beams within, or roots for the next iteration; one text in the end
        distribution = distribution_of(lambda dice: _text(runs, dice), runs.limit)
    elif follow == "first iteration":
        distribution = reference.completed(runs.of_first_iteration(), runs.n_tokens)
    else:
        distribution = runs.of_every_run() if follow == "runs" else runs.of_every_text()
    return total_variation(distribution, reference.sampling(runs.n_tokens))


def _from_one(
    written: Callable[[Dice], Written], expected: Callable[[Written], Written], limit: int, enough: float
) -> float:
    """The probability of all outcomes but the one that is ``expected``, given any; ``enough`` of it ends the search."""
    away, only = 0.0, None
    for probability, outcome in explore(written, limit):
        only = only or expected(outcome)
        away += probability * (outcome != only)
        if away > enough:
            break
    return away


def _from_beam_sampling(runs: PossibleRuns, reference: TargetReference) -> float:
    """The mean over the layers of how far a layer's beams are from independent draws of beam sampling, given the
    layers before and how many beams it has."""
    layers_after: dict[tuple[Layers, int], dict[tuple[Text, ...], float]] = defaultdict(lambda: defaultdict(float))
    layers_grown = distribution_of(lambda dice: _grown(runs, dice, several=True)[0], runs.limit)
    for layers, probability in layers_grown.items():
        for depth, layer in enumerate(layers):
            layers_after[(layers[:depth], len(layer))][layer] += probability
    distance = 0.0
    for (before, width), layer_probs in layers_after.items():
        total = sum(layer_probs.values())
        expected = reference.layer_together(before[-1] if before else [()], width)
        distribution = {beams: probability / total for beams, probability in layer_probs.items()}
        distance += total * total_variation(distribution, expected) / runs.n_tokens
    return distance


def _text(runs: PossibleRuns, dice: Dice) -> Text:
    """What one run has written in the end."""
    return tuple(_grown(runs, dice, several=False)[1][: runs.n_tokens])


def _grown(runs: PossibleRuns, dice: Dice, *, several: bool) -> tuple[Layers, list[int]]:
    """The first layers of beams that one run grows, or the text of a method that settles on one; whole iterations."""
    run = runs.start(dice)
    layers: list[tuple[Text, ...]] = []
    while run.stop is None and (len(layers) if several else len(run.emitted)) < runs.n_tokens:
        run.step()
        layers += [tuple(layer) for layer in run.texts.history]
    runs.seen(run, 0, getattr(dice, "probability", 1.0))
    return tuple(layers[: runs.n_tokens]), run.emitted
