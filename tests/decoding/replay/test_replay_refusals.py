"""What a record lacks, and what makes no sense, is said and refused."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import specviz
from specviz.decoding.registry.registry import methods
from specviz.errors import OptionError, ReplayError, SpecvizError
from specviz.lm.table import TableLM
from specviz.trace.distribution import Distribution
from tests.decoding.run.test_properties import transformer_pair, with_parts
from tests.trace.strategies import traces

METHODS = methods()
PROMPT = [1, 2, 3]


def recorded(pair, method, seed=1, **options):
    return specviz.decode(pair, method, PROMPT, max_new_tokens=14, seed=seed, **options)


SHORT = [
    (
        {"top_k": 40},
        "the (target|draft)'s distribution after .*: the 40 likeliest tokens are needed, and .* lists the 20 likeliest",
    ),
    (
        {"top_k": None},
        "distribution after .*: without top_k all tokens are needed, and .* lists 2[0-9]: top_k can be 20 at most",
    ),
]


@pytest.mark.parametrize(("change", "message"), SHORT, ids=str)
@pytest.mark.parametrize("method", ["autoregressive", "speculative", "block", "mcsd", "spectr", "mtad", "typical"])
def test_a_list_that_is_too_short_is_refused(method, change, message):
    with pytest.raises(ReplayError, match=message):
        specviz.replay(recorded(transformer_pair(), method), 0, **change)


@pytest.mark.parametrize("method", ["beam", "mtjd", "dsbd"])
def test_a_layer_that_is_too_short_is_refused(method):
    trace = recorded(transformer_pair(), method)
    listed = "the target's distribution after .*: the 21 likeliest tokens are needed, and .* lists the 20 likeliest"
    with pytest.raises(ReplayError, match=listed):
        specviz.replay(trace, 1, top_k=21)
    with pytest.raises(ReplayError, match="without top_k all tokens are needed"):
        specviz.replay(trace, 1, top_k=None)


def test_a_temperature_that_needs_the_whole_entropy_is_refused():
    trace = recorded(transformer_pair(), "typical")
    known = "temperature=0.5 needs the entropy over all tokens; the record lists 2., and the entropy at temperature 1"
    with pytest.raises(ReplayError, match=known):
        specviz.replay(trace, 0, temperature=0.5)


def with_target(trace, target):
    """The trace with other target distributions in its first iteration."""
    first = trace.iterations[0]
    changed = replace(first, forest=replace(first.forest, target=target))
    return replace(trace, iterations=(changed, *trace.iterations[1:]))


def test_what_was_left_out_is_enough_where_the_warp_looks_no_further():
    """Raw, a distribution of 61 tokens is listed whole; of a larger one the rare tokens are missing."""
    trace = recorded(transformer_pair(), "autoregressive", top_k=None, top_p=None)
    assert specviz.replay(trace, 0, temperature=0.5)
    given = trace.iterations[0].forest.target[-1]
    kept = np.sort(np.argsort(-given.logits, kind="stable")[:10])
    columns, rest = (given.tokens[kept], given.probs[kept], given.logits[kept]), 1.0 - float(given.probs[kept].sum())
    few = Distribution(*columns, given.log_total, 10, False, rest=rest, tempered=given.tempered)
    part = with_target(trace, {-1: few})
    for change in ({}, {"temperature": 0.5, "top_p": 0.3}, {"top_p": 0.99}):
        for ask in (specviz.replay, specviz.recorded_forest):
            with pytest.raises(ReplayError, match="target's .* without top_k all tokens .* top_k can be 10 at most"):
                ask(part, 0, **change)
    for change in ({"top_k": 8}, {"top_k": 10, "temperature": 2.0}, {"top_p": 0.15}, {"temperature": 0.0}):
        whole, again = (specviz.replay(one, 0, **change).iterations[0].decisions[0] for one in (trace, part))
        possible = {token: prob for token, prob in whole.target.table().items() if prob > 0}
        assert len(possible) <= 10 and again.token == whole.token
        assert {token: again.target.prob(token) for token in possible} == pytest.approx(possible, abs=1e-6)


@pytest.mark.parametrize(
    ("method", "model"),
    [
        *((method, "target") for method in ("autoregressive", "speculative", "specinfer", "typical", "improved-mcsd")),
        *((method, "target|all") for method in ("beam", "dsbd")),
        ("mtad", "target|draft"),
    ],
)
def test_a_record_that_leaves_out_some_probability_is_not_judged_even_unchanged(method, model):
    """Of 400 tokens the likeliest 256 at most are listed: a draw from these would be another one."""
    trace = recorded(large_pair(), method, top_k=None, top_p=None)
    assert trace.header.probability_floor > 0.0
    for index in range(len(trace.iterations)):
        with pytest.raises(ReplayError, match=f"({model}).*tokens are needed, and the record lists"):
            specviz.replay(trace, index)
        assert "tokens are needed" in specviz.changeable(trace, index)["reason"]
    if method in ("autoregressive", "typical"):  # elsewhere top_k=20 would not have proposed what was drafted
        assert len(specviz.replay(trace, 0, top_k=20).tokens) > 0


@pytest.mark.parametrize(
    ("method", "options"),
    [("beam", {"deterministic": True}), ("speculative-beam", {}), ("custom", {"verifier": "greedy"})],
)
def test_rules_that_draw_nothing_need_no_more_than_is_listed(method, options):
    trace = recorded(large_pair(), method, top_k=None, top_p=None, **options)
    for index, iteration in enumerate(trace.iterations):
        assert specviz.replay(trace, index).iterations[index].emitted == iteration.emitted


def large_pair():
    return with_parts(*(TableLM.random(400, seed, order=1) for seed in (1, 2, 3)))


def test_a_record_without_a_distribution_of_the_target_says_which():
    trace = recorded(transformer_pair(), "speculative")
    target = trace.iterations[0].forest.target
    for kept in ({}, {prefix: target[prefix] for prefix in target if prefix != -1}):
        broken = with_target(trace, kept)
        with pytest.raises(ReplayError, match="the record lacks the target's distribution after the text"):
            specviz.recorded_forest(broken, 0)
        found = specviz.changeable(broken, 0)
        assert found["coins"] == [] == found["options"] and "after the text" in found["reason"]


def test_what_makes_no_sense_is_refused():
    trace = recorded(transformer_pair(), "speculative")
    with pytest.raises(ReplayError, match=r"index must be 0 to \d+, got 99"):
        specviz.replay(trace, 99)
    for coins in ({1: 1.5}, {1: math.nan}, {1: True}, {"1": 0.5}, [0.5]):
        with pytest.raises(ReplayError, match="coins map decisions, counted from 1, to numbers from 0 to 1"):
            specviz.replay(trace, 0, coins=coins)
    with pytest.raises(ReplayError, match="Decision 99 of this verdict flips no coin; coins are flipped at decision 1"):
        specviz.replay(trace, 0, coins={99: 0.5})
    with pytest.raises(OptionError, match="gamma does not rule this iteration's verdict"):
        specviz.replay(trace, 0, gamma=2)
    with pytest.raises(OptionError, match=r"lenience must be a number in \(0, 1\], got 3"):
        specviz.replay(trace, 0, lenience=3)
    with pytest.raises(OptionError, match="has no option 'tau'"):
        specviz.replay(trace, 0, tau=0.3)
    assert specviz.replay(trace, 0, gamma=4)  # as it was
    unrecorded = specviz.decode(transformer_pair(), "speculative", PROMPT, max_new_tokens=9, record=False)
    with pytest.raises(ReplayError, match="was not recorded"):
        specviz.replay(unrecorded, 0)
    own = replace(trace, header=replace(trace.header, method=replace(trace.header.method, name="mine")))
    with pytest.raises(ReplayError, match="method 'mine' is not registered, .* give method="):
        specviz.replay(own, 0)
    small = replace(trace, header=replace(trace.header, target=replace(trace.header.target, vocab_size=3)))
    with pytest.raises(ReplayError, match="outside of the target's vocabulary of 3"):
        specviz.replay(small, 0)
    assert issubclass(ReplayError, SpecvizError)


STRANGE = [{"self": 1}, {"x" * 10_000: 1}, {"draft": "x" * 10_000}, {"gamma": 10**4000}]


@pytest.mark.parametrize("options", STRANGE, ids=lambda options: str(options)[:20])
def test_options_that_no_run_wrote_are_refused_in_a_line(options):
    trace = recorded(transformer_pair(), "speculative")
    strange = replace(trace, header=replace(trace.header, options=trace.header.options | options))
    with pytest.raises(OptionError) as refusal:
        specviz.replay(strange, 0)
    assert len(str(refusal.value)) < 400 and specviz.changeable(strange, 0)["reason"] == str(refusal.value)
    own = replace(strange, header=replace(strange.header, method=replace(strange.header.method, name="x" * 10_000)))
    assert len(specviz.changeable(own, 0)["reason"]) < 400


def test_a_number_of_thousands_of_digits_is_refused():
    for text in ("9" * 5000, "4x" + "9" * 10):
        with pytest.raises(OptionError, match="k_config must be 1 to 8 whole numbers"):
            METHODS["specinfer"].resolve(k_config=text)


def test_a_step_takes_no_room_for_the_vocabulary():
    """Only what is listed is calculated with, whatever size of vocabulary a file states."""
    trace = recorded(transformer_pair(), "speculative")
    target, draft = (replace(model, vocab_size=2**40) for model in (trace.header.target, trace.header.draft))
    huge = replace(trace, header=replace(trace.header, target=target, draft=draft))
    for change in ({}, {"temperature": 1.3}, {"temperature": 0.0}, {"lenience": 0.5}):
        assert specviz.replay(huge, 0, **change).iterations == specviz.replay(trace, 0, **change).iterations


def test_a_tree_drafted_at_temperature_0_lacks_the_drafts_distribution():
    trace = recorded(transformer_pair(), "specinfer", temperature=0.0)
    with pytest.raises(ReplayError, match="at temperature 0 the draft took its likeliest tokens without drawing"):
        specviz.replay(trace, 0, temperature=0.7)


def test_a_token_that_could_not_have_been_drafted_is_named():
    for seed in range(40):
        trace = recorded(transformer_pair(), "block", seed)
        rare = [node for node in trace.iterations[0].forest.nodes if node.draft_prob < 0.1]
        if rare:
            with pytest.raises(ReplayError, match=rf"could not have proposed token {rare[0].depth} .* at top_p=0.01"):
                specviz.replay(trace, 0, top_p=0.01)
            return
    raise AssertionError("no rare token was drafted")


@pytest.mark.full
@given(traces(), st.sampled_from(list(METHODS)), st.integers(0, 2), st.integers(6, 40))
@settings(max_examples=150, deadline=None)
def test_a_record_that_no_run_wrote_is_refused_in_words(trace, method, index, size):
    """Sound fields that do not fit together: a reason, never another error."""
    header, target = trace.header, replace(trace.header.target, vocab_size=size)
    about = replace(header.method, name=method)
    strange = replace(trace, header=replace(header, method=about, options={}, target=target))
    found = specviz.changeable(strange, index)
    assert found["reason"] is None or isinstance(found["reason"], str)
    for coin in found["coins"]:
        try:
            specviz.replay(strange, index, coins={coin["decision"]: 0.5})
        except SpecvizError:
            continue


def test_a_method_is_given_by_its_name_too():
    trace = recorded(transformer_pair(), "mcsd")
    for method in ("mcsd", METHODS["mcsd"]):
        assert specviz.replay(trace, 1, method=method) == specviz.replay(trace, 1)
        assert specviz.changeable(trace, 1, method=method) == specviz.changeable(trace, 1)
        forest = specviz.recorded_forest(trace, 1, method=method)
        assert forest.forest.nodes == specviz.recorded_forest(trace, 1).forest.nodes


def test_a_method_that_cannot_be_the_traces_is_refused():
    trace = recorded(transformer_pair(), "mcsd")
    for ask in (specviz.replay, specviz.recorded_forest):
        with pytest.raises(OptionError, match="method must be one of autoregressive, .* got 'magic'"):
            ask(trace, 0, method="magic")
        with pytest.raises(OptionError, match="method must be one of autoregressive, .* got 3"):
            ask(trace, 0, method=3)
        message = "'speculative' has no option 'k_config', which the trace of method 'mcsd' .*: judge its drafts"
        with pytest.raises(ReplayError, match=message) as refused:
            ask(trace, 0, method="speculative")
        assert refused.value.argument == "method"
    assert "must be one of" in specviz.changeable(trace, 0, method="magic")["reason"]
