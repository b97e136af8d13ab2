"""The guarantee that every method states, checked as soon as the method is registered.

Sizes are made small by themselves, so that a new method needs no line here; what its rule needs beyond that stands in
the family's own test.
"""

import pytest

from specviz.decoding.exact.distribution import NO_WARP, PossibleRuns, exact_distribution, target_distribution
from specviz.decoding.exact.guarantee_distance import distance_from
from specviz.decoding.registry.method import Method
from specviz.decoding.registry.registry import methods
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.trace.distribution import total_variation
from tests.decoding.methods.beam_distributions import beam_distribution
from tests.decoding.run.test_properties import with_parts

METHODS = methods()
EXACT = 1e-9
PROMPT = [0, 1]


def small(method: Method) -> dict:
    """The method's options at sizes that can be enumerated."""
    options = {}
    for option in method.own_options:
        if option.kind == "integer" and isinstance(option.default, int):
            most = 1 if option.name == "gamma" and method.guarantee.startswith("beam") else 2  # whole layers grow fast
            options[option.name] = max(int(option.low), min(option.default, most))
        elif option.kind == "integers":
            options[option.name] = (min(2, int(option.high)),)
    return options


def pair(seed: int, zeros: float = 0.0, ends: bool = False) -> ModelPair:
    models = (TableLM.random(3, seed + number, zeros=zeros, sharpness=1.5) for number in (0, 100, 200))
    return with_parts(*models, ends=frozenset({2}) if ends else frozenset())


PAIRS = {"random": pair(1), "zeros": pair(2, zeros=0.35), "ends": pair(3, ends=True)}


@pytest.mark.every(2)
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("method", METHODS)
def test_the_guarantee_holds(method, name):
    found, options = METHODS[method], small(METHODS[method])
    stated = found.guarantee_for(temperature=1.0, top_k=None, top_p=None, **options)
    distribution = exact_distribution(PAIRS[name], method, PROMPT, 2, restart=not found.carries, **options)
    assert sum(distribution.values()) == pytest.approx(1, abs=EXACT)
    if stated == "target":
        if found.carries:  # several beams on the way, one text
            assert distance_from("target", PossibleRuns(PAIRS[name], found, PROMPT, 2, NO_WARP | options)) < EXACT
            return
        assert total_variation(distribution, target_distribution(PAIRS[name], PROMPT, 2)) < EXACT
    elif stated == "greedy":
        assert total_variation(distribution, target_distribution(PAIRS[name], PROMPT, 2, temperature=0.0)) < EXACT
    elif stated == "beam search":
        searched = exact_distribution(PAIRS[name], "beam", PROMPT, 2, deterministic=True, beams=options["beams"])
        assert total_variation(distribution, searched) < EXACT
    elif stated == "beam":
        assert all(isinstance(beam, tuple) for beams in distribution for beam in beams)
        width = options.get("min_beams", options.get("beams", 1))
        if "threshold" in found.options:  # the width is then fixed, and the whole distribution that of beam sampling
            distribution = exact_distribution(PAIRS[name], method, PROMPT, 2, **options | {"threshold": None})
        assert total_variation(distribution, beam_distribution(PAIRS[name], PROMPT, width, 2)) < EXACT
    else:
        assert stated == "lossy"


@pytest.mark.parametrize("method", METHODS)
def test_temperature_zero_is_greedy_unless_said_otherwise(method):
    found, options = METHODS[method], small(METHODS[method])
    if found.guarantee_for(temperature=0.0, **options) == "greedy":
        distribution = exact_distribution(PAIRS["random"], method, PROMPT, 3, temperature=0.0, **options)
        ((written, probability),) = distribution.items()
        texts = set(written) if isinstance(written[0], tuple) else {written}  # several beams coincide
        assert probability == pytest.approx(1, abs=EXACT)
        assert texts == set(target_distribution(PAIRS["random"], PROMPT, 3, temperature=0.0))
