"""How far the distribution of every method is from the one it is compared with: exactly, on the small reference pair.

The whole decoder runs, once for every way its coins and draws can fall; nothing is sampled and nothing assumed.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from specviz.decoding.exact.distance import N_TOKENS, PROMPTS, SIZES, VOCAB_SIZE, reference_pair
from specviz.decoding.exact.distribution import NO_WARP, ROOM, distribution_of, exact_distribution
from specviz.decoding.registry.method import Method
from specviz.decoding.run.loop import Run
from specviz.dice import Dice
from specviz.lab.guarantees.references import Reference, Text
from specviz.lm.correlation import DenseCorrelation
from specviz.lm.heads import TableHeads
from specviz.lm.pair import ModelPair
from specviz.lm.warp import Warp
from specviz.trace.distribution import total_variation

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
    defaults = {name: option.default for name, option in method.options.items()}
    used = [o.name for o in method.own_options if not o.used_by or set(o.used_by) & {*map(str, defaults.values())}]
    known = {name: size for name, size in sizes.items() if name in used}
    return {name: min(size, defaults[name]) if isinstance(size, int) else size for name, size in known.items()}


def exact_distance(method: Method) -> Exact:
    """The distance of ``method`` from what its guarantee says: the target's distribution (also for a lossy method), the
    greedy text, beam search, or, given the beams before and how many follow, beam sampling. Without temperature, top-k
    and top-p."""
    pair, sizes = whole_reference_pair(), sizes_of(method)
    measure = {"beam": _from_beam_sampling, "beam search": _from_beam_search}.get(method.guarantee, _from_sampling)
    distances = [measure(pair, method, prompt, sizes) for prompt in PROMPTS]
    return Exact(sum(distances) / len(distances), N_TOKENS, sizes)


def _reference(pair: ModelPair, prompt: Sequence[int], warp: Warp = Warp()) -> Reference:  # noqa: B008 (frozen)
    return Reference(pair.target, prompt, warp, pair.end_tokens)


def _from_sampling(pair: ModelPair, method: Method, prompt: Sequence[int], sizes: dict[str, Any]) -> float:
    if method.carries:  # beams within, one text in the end
        distribution = distribution_of(lambda dice: tuple(_grown(pair, method, prompt, sizes, dice)[1][:N_TOKENS]))
    else:
        distribution = exact_distribution(pair, method, prompt, N_TOKENS, restart=True, **sizes)
    warp = Warp(0.0) if method.guarantee == "greedy" else Warp()
    return total_variation(distribution, _reference(pair, prompt, warp).sampling(N_TOKENS))


def _from_beam_search(pair: ModelPair, method: Method, prompt: Sequence[int], sizes: dict[str, Any]) -> float:
    distribution = exact_distribution(pair, method, prompt, N_TOKENS, **sizes)
    return total_variation(distribution, {_reference(pair, prompt).beam_search(sizes["beams"], N_TOKENS): 1.0})


def _from_beam_sampling(pair: ModelPair, method: Method, prompt: Sequence[int], sizes: dict[str, Any]) -> float:
    """The mean over the layers of how far a layer's beams are from independent draws of beam sampling, given the
    layers before and how many beams it has."""
    reference = _reference(pair, prompt)
    given: dict[tuple, dict[tuple[Text, ...], float]] = defaultdict(lambda: defaultdict(float))
    for layers, probability in distribution_of(lambda dice: _grown(pair, method, prompt, sizes, dice)[0]).items():
        for depth, layer in enumerate(layers):
            given[(layers[:depth], len(layer))][layer] += probability
    distance = 0.0
    for (before, width), found in given.items():
        total = sum(found.values())
        expected = reference.layer_together(before[-1] if before else [()], width)
        distribution = {beams: probability / total for beams, probability in found.items()}
        distance += total * total_variation(distribution, expected) / N_TOKENS
    return distance


def _grown(
    pair: ModelPair, method: Method, prompt: Sequence[int], sizes: dict[str, Any], dice: Dice
) -> tuple[Layers, list[int]]:
    """The first layers of beams that one run grows, or the text of a method that settles on one; whole iterations."""
    options, most = NO_WARP | sizes, N_TOKENS + ROOM
    run = Run(pair, method, prompt, options=options, max_new_tokens=most, dice=dice, recorded=False)
    run.start()
    layers: list[tuple[Text, ...]] = []
    several = method.guarantee == "beam"
    while run.stop is None and (len(layers) if several else len(run.emitted)) < N_TOKENS:
        run.step()
        layers += [tuple(layer) for layer in run.texts.history]
    return tuple(layers[:N_TOKENS]), run.emitted
