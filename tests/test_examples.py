"""The public face: every example in a docstring runs and says what it shows, and importing it brings in no page."""

import doctest
import inspect
import subprocess
import sys

import pandas
import pytest

import specviz
from specviz.errors import SpecvizError
from tests.beam_traces import layers_trace
from tests.traces import mtad_trace, speculative_trace

SHOWN = (
    *("TransformerLM", "target_distribution", "total_variation", "step_figures", "check_guarantee", "stream"),
    *("decode", "race", "exact_distribution", "Trace"),
)
"""Names whose docstrings have an example."""
FINDER = doctest.DocTestFinder()


def examples(name: str) -> list[doctest.DocTest]:
    thing = getattr(specviz, name)
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return []
    return [test for test in FINDER.find(thing, name, globs={}) if test.examples]


@pytest.mark.parametrize("name", sorted(specviz.__all__))
def test_the_examples_run(name):
    found = examples(name)
    assert found or name not in SHOWN
    for test in found:
        said = []
        assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)


@pytest.mark.parametrize("name", sorted(set(specviz.__all__) - {"__version__"}))
def test_everything_public_is_documented(name):
    thing = getattr(specviz, name)
    assert (inspect.getdoc(thing) or "").strip()
    for key, value in vars(thing).items() if inspect.isclass(thing) else ():
        if inspect.isfunction(value) and not key.startswith("_") and value.__name__ == key:  # no default of a field
            assert inspect.getdoc(value), f"{name}.{key} has no docstring"


def test_importing_brings_in_no_page():
    check = (
        "import sys, specviz; print({'plotly', 'gradio', 'pandas'} & set(sys.modules), 'step_figures' in dir(specviz))"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, timeout=200, check=True)
    assert done.stdout.strip() == "set() True"
    with pytest.raises(AttributeError, match="no attribute 'step_figure'"):
        specviz.step_figure  # noqa: B018


# Frames.

TRACES = (speculative_trace(), mtad_trace(), layers_trace())


@pytest.mark.parametrize(
    "trace", [speculative_trace(), mtad_trace(), layers_trace()], ids=lambda t: t.header.method.name
)
def test_a_frame_has_a_row_a_token(trace):
    frame = trace.to_frame()
    emitted = [(iteration, e) for iteration in trace.iterations for e in iteration.emitted]
    assert frame.token.tolist() == list(trace.tokens) and "".join(frame.piece) == trace.text
    assert frame.position.tolist() == [len(trace.header.prompt_tokens) + i for i in range(len(emitted))]
    for row, (iteration, e) in zip(frame.itertuples(), emitted, strict=True):
        assert (row.iteration, row.origin) == (iteration.index, e.origin)
        assert pandas.isna(row.node) if e.node is None else row.node == e.node
        if e.node is not None:
            node = iteration.forest.nodes[e.node]
            assert (row.depth, row.draft_prob) == (node.depth, node.draft_prob)


@pytest.mark.parametrize(
    "trace", [speculative_trace(), mtad_trace(), layers_trace()], ids=lambda t: t.header.method.name
)
def test_a_frame_has_a_row_a_decision(trace):
    frame = trace.decisions_to_frame()
    decisions = [d for iteration in trace.iterations for d in iteration.decisions]
    assert frame.rule.tolist() == [d.rule for d in decisions] and len(decisions) > 1
    for row, d in zip(frame.itertuples(), decisions, strict=True):
        for name in ("uniform", "acceptance_probability", "target_prob"):
            value = getattr(d, name, None)
            assert pandas.isna(getattr(row, name)) if value is None else getattr(row, name) == value
        if d.rule == "joint":
            assert row.accepted == d.kept


def test_without_pandas_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SpecvizError, match=r"pip install 'specviz\[frames\]'"):
        speculative_trace().to_frame()


# Streams.


def pair():
    return specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))


def test_a_stream_is_decode_bit_by_bit():
    whole = specviz.decode(pair(), "speculative", [0], max_new_tokens=9, seed=4, gamma=2)
    run = specviz.stream(pair(), "speculative", [0], max_new_tokens=9, seed=4, gamma=2)
    first = next(run)
    assert run.trace().stop == "stopped" and run.trace().tokens == tuple(e.token for e in first.emitted)
    rest = list(run)
    assert run.trace().tokens == whole.tokens and run.trace().stop == "length" and run.text == whole.text
    assert len(rest) + 1 == len(whole.iterations)
    assert next(run, None) is None


def test_a_stream_ends_with_its_trace():
    def shown():
        return (yield from specviz.stream(pair(), "mtad", [0], max_new_tokens=4))

    going = shown()
    with pytest.raises(StopIteration) as ended:
        while True:
            next(going)
    assert len(ended.value.value.tokens) == 4


def test_a_stream_checks_before_the_first_token():
    with pytest.raises(specviz.OptionError, match="gamma must be"):
        specviz.stream(pair(), "speculative", [0], gamma=99)
    with pytest.raises(specviz.OptionError, match="seed must be"):
        specviz.stream(pair(), "speculative", [0], seed=-1)
    with pytest.raises(specviz.PromptError):
        specviz.stream(pair(), "speculative", 5)
