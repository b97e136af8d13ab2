"""Free pairings: which drafter meets which verifier, and what is guaranteed of it."""

import pytest

import specviz
from specviz.decoding.exact.distribution import exact_distribution, target_distribution
from specviz.decoding.registry.methods.custom import CUSTOM
from specviz.decoding.registry.parts import free_drafters, free_options, free_verifiers
from specviz.errors import ModelError, OptionError
from specviz.lm.pair import ModelPair
from specviz.lm.parts.correlation import DenseCorrelation
from specviz.lm.parts.heads import TableHeads
from specviz.trace.distribution import total_variation
from tests.decoding.methods.models import random_pair

DRAFTERS, VERIFIERS = free_drafters(), free_verifiers()
SMALL = {"gamma": 2, "beams": 2, "k_config": (2, 1), "drafts": 2, "nodes": 3, "depth": 2, "candidates": 2, "keep": 3}


def sizes_of(drafter: str) -> dict:
    """Small sizes for one drafter alone."""
    return {option.name: SMALL[option.name] for option in free_options(DRAFTERS[drafter]) if option.name in SMALL}


def pair_with_heads(seed: int = 5) -> ModelPair:
    plain = random_pair(3, seed)
    heads = TableHeads.random(3, 2, seed, tree=((0,), (1,), (0, 0)))
    return ModelPair(plain.target, plain.draft, heads=heads, correlation=DenseCorrelation.random(3, seed))


def fits(drafter: str, verifier: str) -> bool:
    options = CUSTOM.full(CUSTOM.resolve(drafter=drafter, verifier=verifier))
    source, judge = DRAFTERS[drafter], VERIFIERS[verifier]
    drawn_so = judge.drawings is None or source.drawing(options) in judge.drawings
    return source.shape in judge.judges and drawn_so


PAIRINGS = [(drafter, verifier) for drafter in DRAFTERS for verifier in VERIFIERS]


@pytest.mark.every(3)
@pytest.mark.parametrize(("drafter", "verifier"), [pairing for pairing in PAIRINGS if fits(*pairing)])
def test_the_guarantee_holds(drafter, verifier):
    """Every pairing that says ``target`` or ``greedy`` is; those that fit otherwise run and are honest about it."""
    pair, options = pair_with_heads(), SMALL | {"drafter": drafter, "verifier": verifier}
    guarantee = CUSTOM.guarantee_for(**options)
    found = exact_distribution(
        pair, CUSTOM, [0, 1], 2, restart=drafter not in ("heads-chain", "heads-tree", "posterior"), **options
    )
    assert sum(found.values()) == pytest.approx(1, abs=1e-9)
    if guarantee == "target":
        assert total_variation(found, target_distribution(pair, [0, 1], 2)) < 1e-9
    elif guarantee == "greedy":
        assert total_variation(found, target_distribution(pair, [0, 1], 2, temperature=0.0)) < 1e-9
    else:
        assert total_variation(found, target_distribution(pair, [0, 1], 2)) > 1e-3


@pytest.mark.parametrize(("drafter", "verifier"), [pairing for pairing in PAIRINGS if not fits(*pairing)])
def test_what_does_not_fit_is_refused_with_the_reason(drafter, verifier):
    with pytest.raises(OptionError, match="one chain|drawn|deterministic|chosen by a search") as refusal:
        specviz.decode(pair_with_heads(), "custom", [0], drafter=drafter, verifier=verifier)
    assert verifier in str(refusal.value) and drafter in str(refusal.value)


def test_lenience_makes_a_pairing_lossy():
    assert CUSTOM.guarantee_for(drafter="chain", verifier="token") == "target"
    assert CUSTOM.guarantee_for(drafter="chain", verifier="token", lenience=0.5) == "lossy"
    assert CUSTOM.guarantee_for(drafter="chain", verifier="token", temperature=0) == "greedy"


def test_parts_that_a_pair_lacks_are_named():
    pair = random_pair(3, 1)
    with pytest.raises(ModelError, match="prediction heads"):
        specviz.decode(pair, "custom", [0], drafter="heads-tree", verifier="greedy")
    with pytest.raises(ModelError, match="draft model"):
        specviz.decode(ModelPair(pair.target), "custom", [0], drafter="chain", verifier="token")


def test_unknown_names_list_the_known_ones():
    with pytest.raises(OptionError, match="drafter must be one of chain, prompt"):
        specviz.decode(random_pair(3, 1), "custom", [0], drafter="oracle")
    with pytest.raises(OptionError, match="verifier must be one of token, block"):
        specviz.decode(random_pair(3, 1), "custom", [0], verifier="oracle")
