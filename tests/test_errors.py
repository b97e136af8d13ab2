"""Errors name their argument and carry a code, whoever raises them: nobody has to read a sentence."""

import math
import pickle

import numpy as np
import pytest
import torch

import specviz
from specviz import errors
from specviz.decoding.registry.parts import drafters, verifiers
from specviz.decoding.registry.registry import methods
from specviz.lm.loading.pairs import load_pair
from specviz.lm.network.transformer import is_out_of_memory
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from tests.tiny_pair import write_pair

OPTIONS = {
    (owner, option.name): option
    for owner, known in (
        *((f"method {name}", list(method.options.values())) for name, method in methods().items()),
        *((f"drafter {name}", spec.options) for name, spec in drafters().items()),
        *((f"verifier {name}", spec.options) for name, spec in verifiers().items()),
    )
    for option in known
}
NEVER = [math.nan, -math.inf, -1, 10**5000, "nothing of this name", [], [0], {"a": 1}, object(), 1j, b"1"]


@pytest.fixture(scope="module")
def pair():
    return ModelPair(TableLM.random(5, 0), TableLM.random(5, 1))


@pytest.mark.parametrize("option", OPTIONS.values(), ids=[f"{owner}: {name}" for owner, name in OPTIONS])
def test_every_value_out_of_range_names_its_option(option):
    beyond = [] if option.low is None else [n for n in (option.low - 1, option.high + 1) if n != option.off]
    for value in (*NEVER, *beyond, *([] if option.optional else [None]), *([] if option.kind == "flag" else [True])):
        with pytest.raises(specviz.OptionError) as refused:
            option.check(value)
        assert (refused.value.argument, refused.value.code) == (option.name, "option")
        assert str(refused.value).startswith(f"{option.name} must be ") and len(str(refused.value)) < 600


CALLS = {
    "gamma": lambda pair: specviz.decode(pair, "speculative", [1], gamma=99),
    "temperature": lambda pair: specviz.decode(pair, "speculative", [1], temperature=-1),
    "k_config": lambda pair: specviz.decode(pair, "specinfer", [1], k_config="8,8,8,8"),
    "draft_beams": lambda pair: specviz.decode(pair, "speculative-beam", [1], draft_beams=1),
    "exact": lambda pair: specviz.decode(pair, "mtjd", [1], exact=True, tokens=16),
    "drafts": lambda pair: specviz.decode(pair, "specinfer", [1], drafts=2),
    "decision": lambda pair: specviz.decode(pair, "improved-mcsd", [1], decision="hidden"),
    "verifier": lambda pair: specviz.decode(pair, "custom", [1], verifier="token"),
    "max_new_tokens": lambda pair: specviz.decode(pair, "speculative", [1], max_new_tokens=0),
    "seed": lambda pair: specviz.decode(pair, "speculative", [1], seed=-1),
    "prompt": lambda pair: specviz.decode(pair, "speculative", "text"),
    "method": lambda pair: specviz.decode(pair, "magic", [1]),
    "magic": lambda pair: specviz.decode(pair, "speculative", [1], magic=1),
    "lanes": lambda pair: next(specviz.race(pair, [], [1])),
    "drafter": lambda pair: specviz.score_forest(pair, [1], "magic"),
    "n_tokens": lambda pair: specviz.exact_distribution(pair, "speculative", [1], 0),
    "restart": lambda pair: specviz.exact_distribution(pair, "beam", [1], 1, restart=True),
    "index": lambda pair: specviz.replay(specviz.decode(pair, "speculative", [1], max_new_tokens=2), 99),
    "coins": lambda pair: specviz.replay(specviz.decode(pair, "speculative", [1], max_new_tokens=2), 0, coins={1: 2}),
    "tau": lambda pair: specviz.replay(specviz.decode(pair, "speculative", [1], max_new_tokens=2), 0, tau=0.5),
    "draft": lambda pair: ModelPair(TableLM.random(5, 0), TableLM.random(4, 1)),
    "target": lambda pair: load_pair(None, "a draft alone"),
    "device": lambda pair: load_pair(device="tpu"),
    "dtype": lambda pair: load_pair(dtype="int8"),
    "name": lambda pair: specviz.register_method(specviz.Method("mtad", "chain", "token")),
}
CODES = {
    "drafts": "missing_part",
    "decision": "missing_part",
    "prompt": "missing_part",
    "exact": "too_many",
    "verifier": "incompatible",
    "method": "unknown_name",
    "drafter": "unknown_name",
    "magic": "unknown_option",
    "tau": "unknown_option",
    "index": "replay",
    "coins": "replay",
    "draft": "model",
    "target": "model",
    "device": "model",
    "dtype": "model",
}


@pytest.mark.parametrize("argument", CALLS)
def test_an_error_names_the_argument_that_it_is_about(pair, argument):
    with pytest.raises(specviz.SpecvizError) as refused:
        CALLS[argument](pair)
    assert (refused.value.argument, refused.value.code) == (argument, CODES.get(argument, "option"))


def test_a_model_that_cannot_be_loaded_names_the_argument_that_it_was_given_as(tmp_path):
    paths = write_pair(tmp_path)
    for argument, given in {
        "target": ("/no/such/target",),
        "draft": (paths[0], "/no/such/draft"),
    }.items():
        with pytest.raises(specviz.ModelError) as refused:
            load_pair(*given, device="cpu")
        assert refused.value.argument == argument
    for argument in ("heads", "correlation", "deciders"):
        with pytest.raises(specviz.ModelError) as refused:
            load_pair(*paths, device="cpu", **{argument: tmp_path / "nothing"})
        assert refused.value.argument == argument
    with pytest.raises(specviz.ModelError) as refused:
        load_pair(*paths, device="cpu", drafts=["/no/such/draft"])
    assert refused.value.argument == "drafts"


def test_a_prompt_that_is_too_long_says_so(tmp_path):
    pair = load_pair(*write_pair(tmp_path), device="cpu")
    with pytest.raises(specviz.PromptError) as refused:
        specviz.decode(pair, "speculative", "x" * 600)
    assert (refused.value.argument, refused.value.code) == ("prompt", "too_long")


def test_every_class_has_a_code_of_its_own():
    classes = [errors.SpecvizError, *errors.SpecvizError.__subclasses__()]
    own = {one.__name__: one("why").code for one in classes if one.__module__ == "specviz.errors"}
    assert own == {
        "SpecvizError": "error",
        "OptionError": "option",
        "PromptError": "prompt",
        "ModelError": "model",
        "TraceError": "trace",
        "ReplayError": "replay",
        "TooManyOutcomes": "too_many",
    }
    assert all(f"``{code}``" in errors.__doc__ for code in [*own.values(), *CODES.values()])


def test_an_error_keeps_what_it_carries_when_it_travels_or_is_told_from_further_up():
    error = specviz.OptionError("gamma must be less", argument="gamma", code="too_many")
    error.lane = 2
    for one in (pickle.loads(pickle.dumps(error)), error.within("")):
        assert (type(one), str(one)) == (specviz.OptionError, "gamma must be less")
        assert (one.argument, one.code, one.lane) == ("gamma", "too_many", 2)
    assert str(error.within("a.json: ")) == "a.json: gamma must be less"


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate"),
        RuntimeError("[enforce fail at alloc_cpu.cpp:118] . DefaultCPUAllocator: can't allocate memory"),
        RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 1 bytes"),
        OSError(12, "Cannot allocate memory"),
        MemoryError(),
    ],
)
def test_too_little_memory_is_recognised(error):
    assert is_out_of_memory(error) and not is_out_of_memory(RuntimeError("the memory format is wrong"))


def test_too_little_memory_while_decoding_is_said_by_its_code(tmp_path, monkeypatch):
    pair = load_pair(*write_pair(tmp_path), device="cpu")

    def fail(*_, **__):
        raise RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 1 bytes")

    monkeypatch.setattr(pair.target, "lean", fail)
    with pytest.raises(specviz.ModelError, match="out of memory on cpu") as refused:
        specviz.decode(pair, "autoregressive", "abc")
    assert refused.value.code == "out_of_memory"


@pytest.mark.parametrize("whole", [int, np.int32, np.int64, np.uint8])
def test_whole_numbers_of_numpy_are_whole_numbers(pair, whole):
    def made(number):
        trace = specviz.decode(
            pair, "speculative", [number(1), number(2)], max_new_tokens=number(6), seed=number(3), gamma=number(2)
        )
        again = specviz.replay(trace, number(0), coins={number(1): 0.5})
        exact = specviz.exact_distribution(pair, "speculative", [number(1)], number(1), gamma=number(1))
        return trace.tokens, trace.header, again.iterations[0].emitted, exact

    assert made(whole) == made(int)
    trace = specviz.decode(pair, "specinfer", [1], max_new_tokens=2, seed=whole(3), k_config=(whole(2), whole(1)))
    assert trace.header.options["k_config"] == (2, 1) and type(trace.header.seed) is int
    lane, _ = next(specviz.race(pair, ["mtad"], [whole(1)], max_new_tokens=whole(2), seed=whole(1)))
    assert type(lane.trace().header.seed) is int
    scored = specviz.score_forest(pair, [whole(1)], seed=whole(2), k_config=(whole(2),))
    assert specviz.judge(scored, "recursive", seed=whole(2)) == specviz.judge(scored, "recursive", seed=2)


@pytest.mark.parametrize(
    "seed", [True, 1.0, "1", None, -1, 2**32, 10**5000, np.bool_(True)], ids=lambda value: type(value).__name__
)
def test_other_seeds_are_refused(pair, seed):
    with pytest.raises(specviz.OptionError, match="seed must be a whole number") as refused:
        specviz.decode(pair, "speculative", [1], seed=seed)
    assert refused.value.argument == "seed"


def test_what_was_given_is_shown_in_few_characters():
    nested: list = []
    for _ in range(100_000):
        nested = [nested]
    for value in (nested, 10**5000, "x" * 10**6, {"a" * 10**6: 1}, list(range(10**6)), b"x" * 10**6, "\ud83d"):
        assert 0 < len(errors.as_given(value, 40)) <= 40
    assert [errors.as_given(value) for value in ("a", 2.5, None, (1, 2), True)] == [
        "'a'",
        "2.5",
        "None",
        "(1, 2)",
        "True",
    ]
