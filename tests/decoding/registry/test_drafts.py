"""Whatever drafts, by the one option ``draft``: the pair's models by number, counts, copies; what is promised holds."""

from dataclasses import replace

import pytest

import specviz
from specviz.decoding.exact.distribution import NO_WARP, PossibleRuns
from specviz.decoding.exact.guarantee_distance import distance_from, sizes_of, whole_reference_pair
from specviz.decoding.registry.registry import methods
from specviz.errors import ModelError, OptionError
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM

EXACT = 1e-9
WITH_DRAFT = {name: one for name, one in methods().items() if "draft" in one.options and name != "custom"}
EXACTLY = [name for name, one in WITH_DRAFT.items() if one.guarantee != "lossy"]
OTHERS = ("2", "unigram", "bigram", "prompt", "random")


@pytest.fixture(scope="module")
def pair():
    return replace(whole_reference_pair(), drafts=(TableLM.random(3, seed=9),))


def test_every_method_with_a_draft_model_offers_the_same_drafts():
    assert len(WITH_DRAFT) == 18
    assert {one.options["draft"].choices for one in WITH_DRAFT.values()} == {("model", "2", "3", "4", *OTHERS[1:])}


@pytest.mark.every(4)
@pytest.mark.parametrize("draft", OTHERS)
@pytest.mark.parametrize("name", EXACTLY)
def test_what_is_promised_holds_whatever_drafts(pair, name, draft):
    method = WITH_DRAFT[name]
    options = sizes_of(method) | {"draft": draft}
    if "gamma" in options:
        options["gamma"] = 1 if method.guarantee == "beam" else 2
    distance = distance_from(method.guarantee, PossibleRuns(pair, method, [0, 1, 0, 1], 2, NO_WARP | options))
    assert distance < EXACT


@pytest.mark.parametrize("name", WITH_DRAFT)
def test_a_further_draft_model_is_the_one_that_drafts(pair, name):
    """With the models changed round the second writes what the first wrote."""
    plain = {"decision": None} if "decision" in WITH_DRAFT[name].options else {}
    round_about = replace(pair, draft=pair.drafts[0], drafts=(pair.draft,))
    for draft in (2, "2"):
        found = specviz.decode(round_about, name, [0, 1], max_new_tokens=12, seed=4, draft=draft, **plain)
        first = specviz.decode(pair, name, [0, 1], max_new_tokens=12, seed=4, **plain)
        assert found.tokens == first.tokens and found.header.options["draft"] == "2"
        assert len(found.iterations) == len(first.iterations)


def test_drafts_that_are_not_there_are_refused_by_name(pair):
    with pytest.raises(
        ModelError, match="mtad needs a pair with 3 draft models, this has 2; draft='model' is the first"
    ):
        specviz.decode(pair, "mtad", [0], draft=3)
    with pytest.raises(OptionError, match="draft must be one of model, 2, 3, 4, unigram, .*, got 5"):
        specviz.decode(pair, "mtad", [0], draft=5)
    with pytest.raises(OptionError, match="drafts=2 takes the pair's first draft models, so draft must be 'model'"):
        specviz.decode(pair, "specinfer", [0], drafts=2, draft=2)
    alone = ModelPair(pair.target)
    with pytest.raises(ModelError, match="mtad needs a pair with a draft model; use draft='bigram', say"):
        specviz.decode(alone, "mtad", [0])
    assert len(specviz.decode(alone, "mtad", [0], draft="bigram", max_new_tokens=5).tokens) == 5


def test_decision_models_know_their_own_draft_only():
    pair = specviz.load_pair(device="cpu")
    with pytest.raises(
        OptionError, match="decision='hidden' estimates for the pair's first draft model: use decision=No"
    ):
        specviz.decode(pair, "improved-mcsd", "Once", decision="hidden", draft=2)


def test_the_best_gamma_counts_what_the_further_draft_costs(pair):
    """By its own cost, measured once, so that the same seed gives the same text; the first draft's number stays."""
    costly = replace(pair, cost_ratio=50.0, further_cost_ratios={})
    asked = {"gamma": "auto", "draft": 2, "max_new_tokens": 8, "seed": 1}
    trace = specviz.decode(costly, "speculative", [0, 1], **asked)
    assert trace.header.cost_ratio == costly.further_cost_ratios[2] != 50.0 and costly.cost_ratio == 50.0
    costly.further_cost_ratios[2] = 0.25
    assert specviz.decode(costly, "speculative", [0, 1], **asked).header.cost_ratio == 0.25
