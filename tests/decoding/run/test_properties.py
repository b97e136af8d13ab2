"""What holds for every method at any options (hypothesis), on small tables and on tiny transformers."""

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import specviz
from specviz.decoding.registry.registry import methods
from specviz.decoding.run.loop import Run
from specviz.dice import SeededDice
from specviz.errors import ModelError, OptionError
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.ngram import NgramLM
from specviz.lm.pair import ModelPair
from specviz.lm.parts.correlation import DenseCorrelation
from specviz.lm.parts.deciding import FunctionDecider
from specviz.lm.parts.heads import TableHeads
from specviz.lm.table import TableLM
from tests.lm.models import tiny

METHODS = methods()
VOCABULARY = 6
TREE = ((0,), (1,), (0, 0), (1, 0), (0, 1), (0, 0, 0))
_TRANSFORMERS = []


def with_parts(target, draft, other, ends=frozenset()) -> ModelPair:
    """A pair with every part that any method asks for."""
    size = target.vocab_size
    return ModelPair(
        target,
        draft,
        drafts=(other,),
        end_tokens=ends,
        heads=TableHeads.random(size, 3, 7, tree=TREE),
        correlation=DenseCorrelation.random(size, 3),
        deciders={kind: FunctionDecider(lambda token: (token % 5) / 5) for kind in ("hidden", "entropy")},
    )


def transformer_pair() -> ModelPair:
    if not _TRANSFORMERS:
        _TRANSFORMERS.append(with_parts(*(TransformerLM(tiny("llama", seed), f"model {seed}") for seed in (1, 2, 3))))
    return _TRANSFORMERS[0]


def table_pair(seed: int, ends: bool) -> ModelPair:
    """Every fourth has a draft that often has nothing to propose."""
    models = [TableLM.random(VOCABULARY, seed + i, zeros=0.2, order=2) for i in range(3)]
    models[1] = NgramLM("prompt", VOCABULARY) if seed % 4 == 0 else models[1]
    return with_parts(*models, ends=frozenset({0}) if ends else frozenset())


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
    if option.kind == "integers":
        values.append(st.lists(st.integers(int(option.low), 3), min_size=1, max_size=3).map(tuple))
    return st.one_of(values)


@st.composite
def runs(draw, methods=tuple(METHODS)):
    method = METHODS[draw(st.sampled_from(sorted(methods)))]
    options = {name: draw(option_values(option)) for name, option in method.options.items()}
    small = draw(st.booleans())
    if small:
        pair = table_pair(draw(st.integers(0, 20)), draw(st.booleans()))
        prompt = draw(st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=4))
    else:
        pair, prompt = transformer_pair(), draw(st.lists(st.integers(2, 60), min_size=1, max_size=4))
    return pair, method.name, prompt, draw(st.integers(1, 12)), draw(st.integers(0, 999)), options


def rows_needed(prompt, output, iteration) -> int:
    """Cache rows that the texts after an iteration need: every token's but the newest one's, shared ones once."""
    if iteration.steps is None:
        return len(prompt) + len(output) - 1
    texts = [(*prompt, *output, *beam.tokens) for beam in iteration.beams]
    return len({text[:end] for text in texts for end in range(1, len(text))})


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


@pytest.mark.full
@settings(max_examples=3 * settings().max_examples)
@given(runs())
def test_every_run_keeps_its_promises(case):
    pair, method, prompt, length, seed, options = case
    pair.cost_ratio = 0.1
    try:
        trace = specviz.decode(pair, method, prompt, max_new_tokens=length, seed=seed, **options)
    except (OptionError, ModelError) as refusal:  # options that exclude each other, or too much to enumerate
        assert any(name in str(refusal) for name in METHODS[method].options), refusal
        reject()
    tokens = trace.tokens
    assert 1 <= len(tokens) <= length
    assert not set(tokens[:-1]) & pair.end_tokens
    assert trace.stop == ("end" if tokens[-1] in pair.end_tokens else "length")
    output: list[int] = []
    for iteration in trace.iterations:
        assert [call.role for call in iteration.calls].count("target") == 1
        last = iteration is trace.iterations[-1]
        before, output = output, [*output, *(emitted.token for emitted in iteration.emitted)]
        if iteration.steps is None or not last:
            assert iteration.rows == rows_needed(prompt, output, iteration)
        else:  # at the end the best beam becomes output whole
            assert iteration.rows == rows_needed(prompt, before, iteration)
        assert iteration.rows_peak >= iteration.rows
        assert iteration.accepted <= iteration.offered
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


@pytest.mark.every(3)
@pytest.mark.parametrize("method", [name for name in METHODS if METHODS[name].uses == "model"])
def test_cached_rows_never_change_what_the_draft_says(method):
    """The draft's distribution at every drafted node equals the draft model's on the path, read without any cache."""
    import torch

    pair, checked = transformer_pair(), 0
    models = (pair.draft, *pair.drafts)
    options = {"top_k": None} | ({"fallback": 0.0, "rollback": 100.0} if method == "bild" else {})
    run = Run(pair, METHODS[method], [5, 9], options=options, max_new_tokens=24, dice=SeededDice(1))
    run.start()
    while run.stop is None:
        contexts = run.beam_texts
        forest = run.step().forest
        for node in forest.nodes:
            if node.root:  # drawn from the target's distribution
                continue
            path, above = [], node.parent
            while above >= 0:
                path.insert(0, forest.nodes[above].token)
                above = forest.nodes[above].parent
            with torch.inference_mode():
                text = torch.tensor([contexts[-1 - above] + path])
                logits = models[node.model].model(input_ids=text, use_cache=False).logits[0, -1]
            assert node.draft_logprob == pytest.approx(float(logits.log_softmax(-1)[node.token]), abs=1e-4)
            checked += 1
    assert checked >= 8
