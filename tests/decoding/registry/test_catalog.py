"""Options are checked once, for every entrance; guarantees are told at any options."""

import numpy as np
import pytest

import specviz
from specviz.errors import ModelError, OptionError
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.options import Option


@pytest.mark.parametrize(
    ("method", "wrong", "message"),
    [
        ("speculative", {"gamma": 0}, r"gamma must be a whole number in \[1, 16\] or one of auto, got 0"),
        ("speculative", {"gamma": 2.5}, "gamma must be a whole number"),
        ("speculative", {"gamma": True}, "gamma must be a whole number"),
        ("speculative", {"lenience": 0}, r"lenience must be a number in \(0, 1\], got 0"),
        (
            "speculative",
            {"draft": "oracle"},
            "draft must be one of model, 2, 3, 4, unigram, bigram, prompt, random, got 'oracle'",
        ),
        ("mtad", {"tau": -0.1}, r"tau must be a number in \[0, 1\], got -0.1"),
        ("mtad", {"beams": "8"}, "beams must be a whole number"),
        ("autoregressive", {"gamma": 4}, "method 'autoregressive' has no option 'gamma'; its options are temperature"),
        ("mtad", {"temperature": float("nan")}, r"temperature must be a number in \[0, 10\], got nan"),
        ("mtad", {"top_p": 0}, r"top_p must be a number in \(0, 1\] or None, got 0"),
        ("mtad", {"top_k": -1}, r"top_k must be a whole number in \[1, 1e\+06\] or None or 0 \(off\), got -1"),
        ("mtad", {"top_k": False}, "top_k must be a whole number"),
        ("mtad", {"gamma": 10**400}, "gamma must be a whole number"),
    ],
)
def test_a_wrong_option_names_itself_its_value_and_the_range(method, wrong, message):
    with pytest.raises(OptionError, match=message):
        specviz.methods()[method].resolve(**wrong)


@pytest.mark.parametrize("zero", [0, 0.0, np.int64(0)], ids=repr)
def test_a_top_k_of_0_is_none_on_every_way_in(zero):
    """As the field writes it: off."""
    pair = ModelPair(TableLM.random(30, 1), TableLM.random(30, 2))
    options = {"max_new_tokens": 8, "seed": 3, "top_p": None}
    wanted = specviz.decode(pair, "speculative", [0], top_k=None, **options)
    found = specviz.decode(pair, "speculative", [0], top_k=zero, **options)
    assert found.tokens == wanted.tokens and found.header.options == wanted.header.options
    assert found.header.options["top_k"] is None
    (lane, _), *_ = specviz.race(pair, ["speculative"], [0], top_k=zero, **options)
    assert lane.trace().tokens == wanted.tokens
    grid = {"method": [{"name": "speculative", "top_p": "none"}], "shared": {"top_k": zero}}
    (row,) = specviz.sweep(pair, grid, [[0]], seeds=[3], max_new_tokens=8)
    assert row.token_ids == wanted.tokens and row.options["top_k"] is None
    assert specviz.target_distribution(pair, [0], 1, top_k=zero) == specviz.target_distribution(pair, [0], 1)
    again = specviz.replay(wanted, 0, top_k=zero)
    assert again.iterations[0].emitted == wanted.iterations[0].emitted and again.header.options["top_k"] is None
    with pytest.raises(OptionError, match="'speculative top_k=none' is there already"):
        specviz.sweep(pair, {"method": [{"name": "speculative", "top_k": ["none", zero]}]}, [[0]])


TARGET = {"autoregressive", "speculative", "block", "specinfer", "mcsd", "spectr", "dynamic-tree", "custom"}
TARGET |= {"rejection", "traversal", "best-path", "spechub", "greedy-drafts"}
NOT_THE_TARGET = {
    "lossy": {"mtjd", "improved-mcsd", "typical", "bild", "mtad", "tree-mtad"},
    "beam": {"beam", "dsbd"},
    "beam search": {"speculative-beam"},
    "greedy": {"bpd", "medusa", "slim"},
}
SHIPPED = TARGET.union(*NOT_THE_TARGET.values())


def test_guarantees_at_the_options():
    methods = {name: method for name, method in specviz.methods().items() if name in SHIPPED}
    assert set(methods) == SHIPPED
    found = {name: method.guarantee for name, method in methods.items() if method.guarantee != "target"}
    assert found == {name: guarantee for guarantee, names in NOT_THE_TARGET.items() for name in names}
    assert methods["speculative"].guarantee_for(temperature=0) == "greedy"
    assert methods["speculative"].guarantee_for(lenience=0.5) == "lossy"


def test_only_methods_that_never_sample_are_recorded_as_greedy_whatever_the_temperature():
    for warp in ({}, {"temperature": 0.0}, {"temperature": 0.0, "top_k": None, "top_p": None}):
        records = {name: method.record(method.resolve(**warp)) for name, method in specviz.methods().items()}
        assert {name for name, record in records.items() if record.greedy} & SHIPPED == {"bpd", "medusa", "slim"}
    medusa = specviz.methods()["medusa"]
    assert not medusa.record(medusa.resolve(acceptance="typical", temperature=0.0)).greedy


@pytest.mark.parametrize("name", specviz.methods())
def test_every_method_is_documented(name):
    method = specviz.methods()[name]
    assert method.title and method.paper and method.summary
    assert {"rule", "draft", "verify", "accept", "reject", "finish"} <= set(method.texts)
    for option in method.options.values():
        assert option.help.endswith(".") and option.check(option.default) == option.default


def test_numbers_of_other_libraries_are_numbers():
    assert specviz.methods()["mtad"].resolve(gamma=np.int64(3), tau=np.float32(0.5))["gamma"] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_new_tokens": "64"}, "max_new_tokens must be a whole number"),
        ({"method": ["mtad"]}, r"method must be one of .*, got \['mtad'\]"),
        ({"prompt": [1.7]}, "whole token ids, got 1.7"),
        ({"prompt": b"Once"}, "must be text, token ids or a list of messages, got bytes"),
    ],
)
def test_wrong_arguments_of_decode_are_refused(arguments, message):
    given = {"method": "mtad", "prompt": [1]} | arguments
    with pytest.raises(specviz.SpecvizError, match=message):
        specviz.decode(ModelPair(TableLM.random(4, 0), TableLM.random(4, 1)), **given)


def test_a_draft_with_nothing_to_propose_leaves_the_word_to_the_target():
    pair = ModelPair(TableLM.random(4, 0), specviz.NgramLM("prompt", 4))
    for method in ("speculative", "mtad"):
        trace = specviz.decode(pair, method, [0, 1], max_new_tokens=1)
        assert trace.iterations[0].emitted[0].origin == "target"


def test_options_keep_their_type():
    assert Option("n", "integer", 1, "N.", 1, 9).check(3.0) == 3
    assert isinstance(Option("x", "number", 1.0, "X.", 0, 9).check(3), float)
    assert Option("f", "flag", False, "F.").check(True) is True


def test_methods_that_need_a_draft_say_so():
    pair = ModelPair(TableLM.random(4, 0))
    for method in ("speculative", "mtad"):
        with pytest.raises(ModelError, match="needs a pair with a draft model"):
            specviz.decode(pair, method, [1])
    assert len(specviz.decode(pair, "speculative", [1, 2, 1], draft="bigram", max_new_tokens=5).tokens) == 5
