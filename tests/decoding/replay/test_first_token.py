"""The distribution of the first token over all coins and first guesses, against whole decoders, coins enumerated."""

import pytest

import specviz
from specviz.decoding.exact.first_token import first_token_distribution, first_token_limit
from specviz.errors import OptionError
from specviz.trace.distribution import total_variation
from tests.decoding.methods.models import PAIRS, random_pair

PLAIN = {"temperature": 1.0, "top_k": None, "top_p": None}
SIZES = {
    "chain": {"gamma": 1},
    "tree": {"k_config": (2,)},
    "distinct-tree": {"k_config": (2,)},
    "sequences": {"drafts": 2, "gamma": 1},
    "dynamic-tree": {"nodes": 2, "depth": 1},
    "leading-tree": {"k_config": (2,)},
}
LOSSLESS = [
    ("chain", "token"),
    ("chain", "block"),
    ("chain", "recursive"),
    ("chain", "kseq"),
    ("tree", "recursive"),
    ("tree", "kseq"),
    ("distinct-tree", "recursive"),
    ("sequences", "kseq"),
    ("dynamic-tree", "recursive"),
    ("leading-tree", "recursive"),
]
REACHING = [*LOSSLESS[:3], *LOSSLESS[-2:]]
"""Those of which no rule could accept more."""
LOSSY = [("chain", "joint"), ("chain", "typical"), ("chain", "rollback"), ("tree", "joint"), ("tree", "typical")]


def drafted(pair, drafter: str, sizes: dict, seed: int = 0):
    return specviz.score_forest(pair, [0, 1], drafter, seed=seed, **sizes, **PLAIN)


def target_of(scored) -> dict[int, float]:
    return {token: prob for token, prob in scored.root.table().items() if prob > 0}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(("drafter", "verifier"), LOSSLESS)
def test_a_lossless_verifier_gives_the_target_s_distribution(name, drafter, verifier):
    for seed in range(3):
        scored = drafted(PAIRS[name], drafter, SIZES[drafter], seed)
        found = first_token_distribution(scored, verifier)
        assert sum(found.distribution.values()) == pytest.approx(1, abs=1e-12)
        assert total_variation(found.distribution, target_of(scored)) < 1e-9


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(("drafter", "verifier"), LOSSLESS)
def test_a_lossless_verifier_accepts_no_more_than_the_limit(name, drafter, verifier):
    for seed in range(3):
        scored = drafted(PAIRS[name], drafter, SIZES[drafter], seed)
        limit, accepted = first_token_limit(scored), first_token_distribution(scored, verifier).accepted
        assert 0 <= accepted <= limit + 1e-9 <= 1 + 2e-9
        if (drafter, verifier) in REACHING:
            assert accepted == pytest.approx(limit, abs=1e-9)


def test_a_lossy_one_may_accept_more_and_pays_with_the_distribution():
    scored = drafted(PAIRS["random"], "tree", SIZES["tree"])
    found = first_token_distribution(scored, "typical")
    away = total_variation(found.distribution, target_of(scored))
    assert away > found.accepted - first_token_limit(scored) > 0.05


def test_nobody_knows_the_limit_of_a_search_of_two_drafts_or_of_nothing():
    pair = random_pair(4, 8)
    several = specviz.ModelPair(pair.target, pair.draft, drafts=(random_pair(4, 9).draft,))
    of_two = specviz.score_forest(several, [0, 1], "tree", k_config=(2,), drafts=2, **PLAIN)
    for scored in (
        drafted(pair, "beam", {"gamma": 2, "beams": 2}),
        of_two,
        specviz.score_forest(pair, [0, 1], "prompt"),
    ):
        assert first_token_limit(scored) is None


@pytest.mark.parametrize(("drafter", "verifier"), LOSSY)
def test_a_lossy_one_does_not(drafter, verifier):
    scored, own = drafted(random_pair(4, 8), drafter, SIZES[drafter]), {"tau": 0.2} if verifier == "joint" else {}
    found = first_token_distribution(scored, verifier, **own)
    assert total_variation(found.distribution, target_of(scored)) > 0.01


@pytest.mark.parametrize(("drafter", "verifier"), [*LOSSLESS, *LOSSY])
def test_it_is_the_distribution_of_a_whole_decoder_that_drafts_one_layer(drafter, verifier):
    pair = random_pair(4, 8)
    whole = specviz.exact_distribution(
        pair, "custom", [0, 1], 1, restart=True, drafter=drafter, verifier=verifier, **SIZES[drafter]
    )
    found = first_token_distribution(drafted(pair, drafter, SIZES[drafter]), verifier)
    assert found.distribution == pytest.approx({token: chance for (token,), chance in whole.items()}, abs=1e-9)


def test_with_the_guesses_frozen_even_a_lossless_verifier_leans_towards_them():
    scored = drafted(random_pair(4, 8), "chain", SIZES["chain"])
    first = dict.fromkeys(range(4), 0.0)
    for tokens, chance in specviz.judge(scored, "token").outcomes.items():
        first[tokens[0]] += chance
    guess = scored.forest.nodes[0].token
    assert first[guess] > target_of(scored)[guess] + 0.01


def test_deeper_guesses_do_not_matter_to_it():
    pair = random_pair(4, 8)
    shallow, deep = (drafted(pair, "chain", {"gamma": gamma}) for gamma in (1, 3))
    assert first_token_distribution(deep, "token").distribution == pytest.approx(
        first_token_distribution(shallow, "token").distribution
    )


def test_only_as_many_guesses_as_can_be_counted():
    scored = drafted(random_pair(4, 8), "tree", {"k_config": (3,)})
    found = first_token_distribution(scored, "recursive", limit=16)
    assert (found.guesses, found.offered) == (2, 3)
    assert total_variation(found.distribution, target_of(scored)) < 1e-9
    assert first_token_distribution(scored, "recursive", limit=1).guesses == 1


def test_nobody_knows_the_chance_of_what_a_search_chose():
    scored = drafted(random_pair(4, 8), "beam", {"gamma": 2, "beams": 2})
    assert first_token_distribution(scored, "joint") is None


def test_it_refuses_what_judge_refuses():
    scored = drafted(random_pair(4, 8), "tree", SIZES["tree"])
    with pytest.raises(OptionError, match="judges one chain"):
        first_token_distribution(scored, "token")
    with pytest.raises(OptionError, match="tau must be"):
        first_token_distribution(scored, "joint", tau=3)
