"""What holds for every method at any options (hypothesis), on small tables and on tiny transformers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import specviz
from specviz.decoding.catalog import METHODS
from specviz.decoding.loop import Run
from specviz.dice import SeededDice
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.lm.transformer import TransformerLM
from tests.lm.models import tiny

VOCABULARY = 6
_TRANSFORMERS = []


def transformer_pair() -> ModelPair:
    if not _TRANSFORMERS:
        _TRANSFORMERS.append(
            ModelPair(TransformerLM(tiny("llama", 1), "target"), TransformerLM(tiny("llama", 2), "draft"))
        )
    return _TRANSFORMERS[0]


def table_pair(seed: int, ends: bool) -> ModelPair:
    models = (TableLM.random(VOCABULARY, seed + i, zeros=0.2, order=2) for i in range(2))
    return ModelPair(*models, end_tokens=frozenset({0}) if ends else frozenset())


def option_values(option):
    """Any allowed value, kept small where it costs time."""
    values = [st.sampled_from(option.choices)] if option.choices else []
    if option.optional:
        values.append(st.none())
    if option.kind == "integer":
        values.append(st.integers(int(option.low), min(int(option.high), 7)))
    if option.kind == "number":
        values.append(st.floats(option.low, min(option.high, 3.0), exclude_min=option.above_low))
    if option.kind == "flag":
        values.append(st.booleans())
    return st.one_of(values)


@st.composite
def runs(draw):
    method = METHODS[draw(st.sampled_from(sorted(METHODS)))]
    options = {name: draw(option_values(option)) for name, option in method.options.items()}
    small = draw(st.booleans())
    if small:
        pair = table_pair(draw(st.integers(0, 20)), draw(st.booleans()))
        prompt = draw(st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=4))
    else:
        pair, prompt = transformer_pair(), draw(st.lists(st.integers(2, 60), min_size=1, max_size=4))
    return pair, method.name, prompt, draw(st.integers(1, 12)), draw(st.integers(0, 999)), options


def without_clocks(trace):
    """A trace with every reading of a clock taken out."""
    from dataclasses import replace

    iterations = tuple(
        replace(
            iteration,
            seconds=0.0,
            record_seconds=0.0,
            segments=(),
            calls=tuple(replace(call, seconds=0.0) for call in iteration.calls),
        )
        for iteration in trace.iterations
    )
    return trace.header, iterations, trace.vocabulary, trace.stop


@settings(max_examples=120)
@given(runs())
def test_every_run_keeps_its_promises(case):
    pair, method, prompt, length, seed, options = case
    pair.cost_ratio = 0.1
    trace = specviz.decode(pair, method, prompt, max_new_tokens=length, seed=seed, **options)
    tokens = trace.tokens
    assert 1 <= len(tokens) <= length
    assert not set(tokens[:-1]) & pair.end_tokens
    assert trace.stop == ("end" if tokens[-1] in pair.end_tokens else "length")
    emitted = 0
    for iteration in trace.iterations:
        assert [call.role for call in iteration.calls].count("target") == 1
        emitted += len(iteration.emitted)
        assert iteration.rows == len(prompt) + emitted - 1
        assert iteration.rows_peak >= iteration.rows
    again = specviz.decode(pair, method, prompt, max_new_tokens=length, seed=seed, **options)
    assert without_clocks(again) == without_clocks(trace)
    light = specviz.decode(pair, method, prompt, max_new_tokens=length, seed=seed, record=False, **options)
    assert light.tokens == tokens and all(i.forest is None and not i.decisions for i in light.iterations)
    assert light.metrics.perplexity == trace.metrics.perplexity
    from specviz.trace.store import trace_from_json, trace_to_json

    assert trace_from_json(trace_to_json(trace)) == trace


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_cached_rows_never_change_what_the_target_says(method, temperature):
    """Every token's recorded log-probability equals the one of the whole text read at once, without any cache."""
    import torch

    pair = transformer_pair()
    trace = specviz.decode(pair, method, [5, 9, 11], max_new_tokens=30, seed=4, temperature=temperature)
    text = [5, 9, 11, *trace.tokens]
    with torch.inference_mode():
        logits = pair.target.model(input_ids=torch.tensor([text]), use_cache=False).logits[0].log_softmax(-1)
    expected = [float(logits[2 + i, token]) for i, token in enumerate(trace.tokens)]
    recorded = [emitted.logprob for iteration in trace.iterations for emitted in iteration.emitted]
    assert recorded == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "autoregressive"])
def test_cached_rows_never_change_what_the_draft_says(method):
    """The draft's law at every drafted node equals the draft model's on the path, read without any cache."""
    import torch

    pair = transformer_pair()
    run = Run(pair, METHODS[method], [5, 9], options={"top_k": None}, max_new_tokens=24, dice=SeededDice(1))
    run.start()
    while run.stop is None:
        context = list(run.tokens)
        forest = run.step().forest
        for node in forest.nodes:
            path, above = [], node.parent
            while above >= 0:
                path.insert(0, forest.nodes[above].token)
                above = forest.nodes[above].parent
            with torch.inference_mode():
                logits = pair.draft.model(input_ids=torch.tensor([context + path]), use_cache=False).logits[0, -1]
            assert node.draft_logprob == pytest.approx(float(logits.log_softmax(-1)[node.token]), abs=1e-4)
