"""One frozen forest, every verdict: exact distributions against the coins of the rules."""

import numpy as np
import pytest

import specviz
from specviz.dice import SeededDice
from specviz.errors import OptionError
from specviz.lm.pair import ModelPair
from specviz.rules.recursive import RecursiveVerifier
from tests.decoding.methods.models import random_pair
from tests.decoding.registry.test_custom import fits, sizes_of

PLAIN = {"temperature": 1.0, "top_k": None, "top_p": None}


def chain(seed: int = 0, gamma: int = 2, pair: ModelPair | None = None):
    return specviz.score_forest(pair or random_pair(4, 8), [0, 1], "chain", seed=seed, gamma=gamma, **PLAIN)


def acceptances(scored) -> list[float]:
    """min(1, p / q) along a chain."""
    pairs = [(scored.target_at(node.parent).prob(node.token), node.draft_prob) for node in scored.forest.nodes]
    return [min(1.0, p / q) for p, q in pairs]


@pytest.mark.parametrize("seed", range(5))
def test_kept_paths_follow_the_coins(seed):
    scored = chain(seed)
    first, second = acceptances(scored)
    kept = specviz.judge(scored, "token").kept
    expected = {(): 1 - first, (0,): first * (1 - second), (0, 1): first * second}
    assert kept == pytest.approx({path: chance for path, chance in expected.items() if chance > 0})


def test_outcomes_add_up_and_the_means_are_theirs():
    judgement = specviz.judge(chain(3), "token")
    assert sum(judgement.outcomes.values()) == pytest.approx(1)
    assert judgement.expected_tokens == pytest.approx(sum(len(t) * p for t, p in judgement.outcomes.items()))
    assert judgement.expected_accepted == pytest.approx(sum(len(t) * p for t, p in judgement.kept.items()))


def test_block_keeps_no_less_on_average_over_drafts():
    """For one frozen chain either may keep more; averaged over drafts block verification does."""
    pair, block, token = random_pair(3, 9, sharpness=2.0), 0.0, 0.0
    for seed in range(200):
        scored = chain(seed, pair=pair)
        block += specviz.judge(scored, "block").expected_accepted
        token += specviz.judge(scored, "token").expected_accepted
    assert block >= token


def test_the_shown_verdict_is_that_of_the_dice():
    scored = chain(1)
    shown = specviz.judge(scored, "token", seed=7)
    assert shown == specviz.judge(scored, "token", dice=SeededDice(7))
    assert shown.outcomes[shown.tokens] > 0
    verdicts = {specviz.judge(scored, "token", seed=seed).tokens for seed in range(40)}
    assert len(verdicts) > 1 and verdicts <= set(shown.outcomes)


@pytest.mark.parametrize("drafter", ["chain", "tree", "distinct-tree", "sequences", "beam-forest", "dynamic-tree"])
def test_every_verifier_that_fits_judges_and_leaves_the_forest_alone(drafter):
    scored = specviz.score_forest(random_pair(4, 2), [0], drafter, seed=5, **PLAIN, **sizes_of(drafter))
    distributions = [*scored.forest.target.values(), *(node.draft for node in scored.forest.nodes)]
    before = [distribution.probs.copy() for distribution in distributions]
    for verifier in ("token", "block", "recursive", "kseq", "joint", "typical", "rollback", "greedy"):
        if fits(drafter, verifier):
            judgement = specviz.judge(scored, verifier)
            assert sum(judgement.outcomes.values()) == pytest.approx(1)
            assert len(judgement.forest.nodes) == len(scored.forest)
    assert all(
        np.array_equal(distribution.probs, probs) for distribution, probs in zip(distributions, before, strict=True)
    )


def test_a_verifier_of_ones_own():
    scored = specviz.score_forest(random_pair(3, 4), [0], "tree", k_config=(2,), **PLAIN)
    own, named = specviz.judge(scored, RecursiveVerifier()), specviz.judge(scored, "recursive")
    assert own.outcomes == named.outcomes and own.verifier == "RecursiveVerifier"


def test_lenience_reaches_the_verifier():
    scored = chain(2)
    assert (
        specviz.judge(scored, "token", lenience=0.01).expected_accepted
        > specviz.judge(scored, "token").expected_accepted
    )


def test_an_end_token_ends_the_verdict():
    model = specviz.TableLM(lambda context: [0.0, 1.0], 2)
    scored = specviz.score_forest(ModelPair(model, model), [0], "chain", gamma=2, **PLAIN)
    assert scored.root.table() == {1: 1.0, 0: 0.0}
    assert specviz.judge(scored, "token").tokens == (1, 1, 1)
    assert specviz.judge(scored, "token", end_tokens=frozenset({1})).tokens == (1,)


def test_refusals_name_what_is_allowed():
    scored = chain()
    with pytest.raises(OptionError, match="verifier must be one of token, block"):
        specviz.judge(scored, "oracle")
    trace = specviz.decode(random_pair(3, 1), "speculative", [0], max_new_tokens=2)
    with pytest.raises(OptionError, match="scored must be a forest of score_forest or recorded_forest, got Trace"):
        specviz.judge(trace, "token")
    with pytest.raises(OptionError, match=r"tau must be a number in \[0, 1\], got 2"):
        specviz.judge(scored, "joint", tau=2)
    with pytest.raises(OptionError, match="drafter must be one of none, chain, prompt"):
        specviz.score_forest(random_pair(3, 1), [0], "oracle")
    tree = specviz.score_forest(random_pair(3, 1), [0], "dynamic-tree", **PLAIN)
    with pytest.raises(OptionError, match="deterministic"):
        specviz.judge(tree, "kseq")
