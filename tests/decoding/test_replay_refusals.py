"""What a record lacks, and what makes no sense, is said and refused."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import specviz
from specviz.decoding.catalog import METHODS
from specviz.decoding.step import LARGEST, open_step
from specviz.errors import OptionError, ReplayError, SpecvizError
from tests.decoding.test_properties import transformer_pair
from tests.trace.strategies import traces

PROMPT = [1, 2, 3]


def recorded(pair, method, seed=1, **options):
    return specviz.decode(pair, method, PROMPT, max_new_tokens=14, seed=seed, **options)


SHORT = [
    ({"top_k": 40}, "top_k=40 needs the 40 likeliest tokens of the (target|draft)'s law .*; the record lists 20"),
    ({"top_k": None}, "without top_k all of the .*'s law after .* is needed; the record lists 2[0-9] of 61 tokens"),
]


@pytest.mark.parametrize(("change", "message"), SHORT, ids=str)
@pytest.mark.parametrize("method", ["autoregressive", "speculative", "block", "mcsd", "spectr", "mtad", "typical"])
def test_a_list_that_is_too_short_is_refused(method, change, message):
    with pytest.raises(ReplayError, match=message):
        specviz.replay(recorded(transformer_pair(), method), 0, **change)


@pytest.mark.parametrize("method", ["beam", "mtjd", "dsbd"])
def test_a_layer_that_is_too_short_is_refused(method):
    trace = recorded(transformer_pair(), method)
    with pytest.raises(ReplayError, match="the 21 likeliest tokens of the .*'s law after .* needed; .* lists 20"):
        specviz.replay(trace, 1, top_k=21)
    with pytest.raises(ReplayError, match="all tokens of the .* are needed"):
        specviz.replay(trace, 1, top_k=None)


def test_a_temperature_that_needs_the_whole_entropy_is_refused():
    trace = recorded(transformer_pair(), "typical")
    with pytest.raises(ReplayError, match=r"temperature=0.5 needs the entropy of all of the target's law .* 61 tokens"):
        specviz.replay(trace, 0, temperature=0.5)


def test_what_was_left_out_is_enough_where_the_warp_looks_no_further():
    """Unwarped, a law of 61 tokens is listed whole; of a larger one the rare tokens are missing."""
    trace = recorded(transformer_pair(), "autoregressive", top_k=None, top_p=None)
    assert specviz.replay(trace, 0, temperature=0.5)
    table = trace.iterations[0].forest.target_laws
    few = {name: tuple(row[:10] for row in getattr(table, name)) for name in ("tokens", "logits")}
    forest = replace(trace.iterations[0].forest, target_laws=replace(table, **few, likeliest=(10,)))
    part = replace(trace, iterations=(replace(trace.iterations[0], forest=forest),))
    for change in ({}, {"temperature": 0.5, "top_p": 0.3}, {"top_p": 0.99}):
        with pytest.raises(ReplayError, match="without top_k all of the target's law .* top_k can be 10 at most"):
            specviz.replay(part, 0, **change)
    for change in ({"top_k": 8}, {"top_k": 10, "temperature": 2.0}, {"top_p": 0.15}, {"temperature": 0.0}):
        whole, again = (specviz.replay(one, 0, **change).iterations[0].decisions[0] for one in (trace, part))
        size = sum(prob > 0 for prob in whole.target.probs)
        assert size <= 10 and again.token == whole.token
        assert again.target.tokens[:size] == whole.target.tokens[:size]
        assert again.target.probs[:size] == pytest.approx(whole.target.probs[:size], abs=1e-6)


def test_an_older_file_says_what_it_lacks():
    trace = recorded(transformer_pair(), "speculative")
    forest = trace.iterations[0].forest
    older = replace(
        trace,
        iterations=(
            replace(trace.iterations[0], forest=replace(forest, target_laws=type(forest.target_laws)(), drawing=None)),
        ),
    )
    with pytest.raises(ReplayError, match="versions 1 and 2 do: decode again"):
        specviz.replay(older, 0, coins={1: 0.2})
    found = specviz.changeable(older, 0)
    assert found["coins"] == [] == found["options"] and "decode again" in found["reason"]
    missing = replace(forest.target_laws, **{name: column[1:] for name, column in vars(forest.target_laws).items()})
    broken = replace(trace, iterations=(replace(trace.iterations[0], forest=replace(forest, target_laws=missing)),))
    with pytest.raises(ReplayError, match="the record lacks the target's law after the text"):
        specviz.recorded_forest(broken, 0)


def test_what_makes_no_sense_is_refused():
    trace = recorded(transformer_pair(), "speculative")
    with pytest.raises(ReplayError, match=r"index must be 0 to \d+, got 99"):
        specviz.replay(trace, 99)
    for coins in ({1: 1.5}, {1: math.nan}, {1: True}, {"1": 0.5}):
        with pytest.raises(ReplayError, match="coins map decisions, counted from 1, to numbers from 0 to 1"):
            specviz.replay(trace, 0, coins=coins)
    with pytest.raises(ReplayError, match="decision 99 of this verdict has no coin; its coins are at 1"):
        specviz.replay(trace, 0, coins={99: 0.5})
    with pytest.raises(OptionError, match="gamma does not rule this step's verdict"):
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
    with pytest.raises(ReplayError, match="method 'mine' is not in the catalog"):
        specviz.replay(own, 0)
    huge = replace(trace, header=replace(trace.header, target=replace(trace.header.target, vocab_size=2**40)))
    with pytest.raises(ReplayError, match="too large to be judged anew"):
        specviz.replay(huge, 0)
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


def test_what_a_step_may_take_is_counted_in_bytes():
    """As many numbers of float64 take twice the room of float32."""
    trace = recorded(transformer_pair(), "speculative")
    places = 1 + len(trace.iterations[0].forest.nodes)

    def model(dtype):
        return replace(trace.header.target, vocab_size=LARGEST // 4 // places, dtype=dtype)

    for name, dtype in (("target", "float64"), ("draft", "float64"), ("target", "float32")):
        sized = replace(trace.header, target=model("float32"))
        large = replace(trace, header=replace(sized, **{name: model(dtype)}))
        if dtype == "float32":
            assert open_step(large, 0, {}).size == LARGEST // 4 // places
            continue
        with pytest.raises(ReplayError, match="too large to be judged anew"):
            open_step(large, 0, {})


def test_a_tree_drafted_at_temperature_0_lacks_the_drafts_law():
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
            specviz.replay(strange, index, coins={coin["place"]: 0.5})
        except SpecvizError:
            continue
