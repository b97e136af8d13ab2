"""How far the distribution of every method is from the one it is compared with: exactly, on the small reference pair.

The whole decoder runs, once for every way its coins and draws can fall; nothing is sampled and nothing assumed.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from specviz.decoding.exact.distance import N_TOKENS, PROMPTS, SIZES, VOCAB_SIZE, reference_pair
from specviz.decoding.exact.distribution import LIMIT, NO_WARP, ROOM, Written, distribution_of, exact_distribution
from specviz.decoding.exact.references import Reference, Text
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.options import Options
from specviz.decoding.run.loop import Run
from specviz.dice import Dice
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
    distances = [distance_from(method.guarantee, pair, method, prompt, N_TOKENS, sizes) for prompt in PROMPTS]
    return Exact(sum(distances) / len(distances), N_TOKENS, sizes)


def distance_from(
    guarantee: Guarantee,
    pair: ModelPair,
    method: Method,
    prompt: Sequence[int],
    n_tokens: int,
    options: Options,
    limit: int = LIMIT,
) -> float:
    """Total variation, 0 to 1, between what ``method`` writes with these ``options`` (no warp where they say none) and
    what ``guarantee`` says: over the first ``n_tokens`` tokens, or layers of beams. Raises TooManyOutcomes past
    ``limit`` ways in which the coins and draws can fall."""
    options = NO_WARP | options
    warp = Warp(*(options[name] for name in NO_WARP))
    reference = Reference(pair.target, prompt, Warp(0.0) if guarantee == "greedy" else warp, pair.end_tokens)
    asked = _Asked(pair, method, prompt, n_tokens, options, limit)
    if guarantee == "beam":
        return _from_beam_sampling(asked, reference)
    return _from_beam_search(asked, reference) if guarantee == "beam search" else _from_sampling(asked, reference)


class _Asked(NamedTuple):
    """The decoder in question."""

    pair: ModelPair
    method: Method
    prompt: Sequence[int]
    n_tokens: int
    options: Options
    limit: int

    def exact(self, *, restart: bool = False) -> dict[Written, float]:
        return exact_distribution(
            *(self.pair, self.method, self.prompt, self.n_tokens), restart=restart, limit=self.limit, **self.options
        )


def _from_sampling(asked: _Asked, reference: Reference) -> float:
    if asked.method.carries:  # beams within, one text in the end
        distribution = distribution_of(
            lambda dice: tuple(_grown(asked, dice, several=False)[1][: asked.n_tokens]), asked.limit
        )
    else:
        distribution = asked.exact(restart=True)
    return total_variation(distribution, reference.sampling(asked.n_tokens))


def _from_beam_search(asked: _Asked, reference: Reference) -> float:
    distribution = asked.exact()
    width = max(map(len, distribution))
    return total_variation(distribution, {reference.beam_search(width, asked.n_tokens): 1.0})


def _from_beam_sampling(asked: _Asked, reference: Reference) -> float:
    """The mean over the layers of how far a layer's beams are from independent draws of beam sampling, given the
    layers before and how many beams it has."""
    given: dict[tuple[Layers, int], dict[tuple[Text, ...], float]] = defaultdict(lambda: defaultdict(float))
    layers_grown = distribution_of(lambda dice: _grown(asked, dice, several=True)[0], asked.limit)
    for layers, probability in layers_grown.items():
        for depth, layer in enumerate(layers):
            given[(layers[:depth], len(layer))][layer] += probability
    distance = 0.0
    for (before, width), found in given.items():
        total = sum(found.values())
        expected = reference.layer_together(before[-1] if before else [()], width)
        distribution = {beams: probability / total for beams, probability in found.items()}
        distance += total * total_variation(distribution, expected) / asked.n_tokens
    return distance


def _grown(asked: _Asked, dice: Dice, *, several: bool) -> tuple[Layers, list[int]]:
    """The first layers of beams that one run grows, or the text of a method that settles on one; whole iterations."""
    pair, method, prompt, n_tokens, options, _ = asked
    run = Run(pair, method, prompt, options=options, max_new_tokens=n_tokens + ROOM, dice=dice, recorded=False)
    run.start()
    layers: list[tuple[Text, ...]] = []
    while run.stop is None and (len(layers) if several else len(run.emitted)) < n_tokens:
        run.step()
        layers += [tuple(layer) for layer in run.texts.history]
    return tuple(layers[:n_tokens]), run.emitted
