"""Files of several traces, and everything that is no such file."""

import json
import sys

import pytest

from specviz.errors import TraceError
from specviz.trace.bundle import KIND, MOST_TRACES, Bundle, bundle_to_json, read_file
from specviz.trace.record import VERSION
from specviz.trace.store import trace_size, trace_to_json
from tests.beam_traces import BEAM_TRACES
from tests.rule_traces import RULE_TRACES
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

TRACES = autoregressive_trace(), speculative_trace(), mtad_trace()
SCREEN = {"view": "microscope", "at": "1.0.decision-2", "pins": "2,3"}


def test_a_bundle_is_read_as_it_was_written():
    assert read_file(bundle_to_json(TRACES, SCREEN)) == Bundle(TRACES, SCREEN)
    assert read_file(bundle_to_json(TRACES[:1])) == Bundle(TRACES[:1], {})


@pytest.mark.parametrize("make", [*RULE_TRACES.values(), *BEAM_TRACES.values()])
def test_every_kind_of_trace_travels_in_a_bundle(make):
    assert read_file(bundle_to_json([make()])).traces == (make(),)


def test_a_plain_trace_file_is_a_bundle_of_one_without_a_screen():
    assert read_file(trace_to_json(TRACES[1])) == Bundle((TRACES[1],), {})


def test_the_size_of_a_trace_is_that_of_its_file():
    for trace in TRACES:
        assert trace_size(trace) == len(trace_to_json(trace).encode())


def bundle(**changes) -> str:
    """A bundle as JSON with other fields; None takes one away."""
    parsed = json.loads(bundle_to_json(TRACES, SCREEN)) | changes
    return json.dumps({name: value for name, value in parsed.items() if value is not None})


ONE = json.loads(trace_to_json(TRACES[0]))
TRACE_WITH_NAN = json.loads(trace_to_json(TRACES[0]))
TRACE_WITH_NAN["iterations"][0]["emitted"][0]["logprob"] = float("nan")
DEEP = "[" * 20_000 + "]" * 20_000
REFUSED = {
    "empty": ("", "the file is empty"),
    "blank": (" \n\t", "the file is empty"),
    "no JSON": ("PK\x03\x04", "not JSON"),
    "cut off": (bundle()[:-20], "not JSON"),
    "a list": ("[1]", "holds a list"),
    "a number": ("7", "holds a int"),
    "deep": (DEEP, "not JSON: recursion"),
    "deep inside": (bundle()[:-1] + f', "x": {DEEP}' + "}", "not JSON: recursion"),
    "half a character": ('{"kind": "\ud800"}', "kind: holds half a character"),
    "HTML": ("<html><script>alert(1)</script>", "not JSON"),
    "another kind": (bundle(kind="<b>"), "kind: a bundle says"),
    "traces without a kind": (bundle(kind=None), "kind: a bundle says"),
    "a newer bundle": (
        bundle(version=2),
        "version: this bundle is version 2, and this specviz reads version 1: open it with a newer specviz",
    ),
    "no version": (
        bundle(version=None),
        "version: this bundle has no version, and this specviz reads version 1: record it again",
    ),
    "version true": (bundle(version=True), "version: this bundle is version True, and"),
    "version 0": (
        bundle(version=0),
        "version: this bundle is version 0, and this specviz reads version 1: record it again",
    ),
    "a field more": (bundle(mood="good"), "mood: a bundle has no such field"),
    "no traces": (bundle(traces=[]), "has 1 to 4 traces, this one 0"),
    "forty traces": (bundle(traces=[ONE] * 40), "has 1 to 4 traces, this one 40"),
    "traces no list": (bundle(traces={"0": ONE}), "list of traces, this file a dict"),
    "a trace too new": (
        bundle(traces=[ONE, ONE | {"version": VERSION + 1}]),
        "traces[1]: version: this trace is version",
    ),
    "a trace that is none": (bundle(traces=[ONE, 3]), "traces[1]: this is not a trace"),
    "a wrong type": (bundle(traces=[ONE | {"prefill_seconds": "x"}]), "traces[0]: prefill_seconds: input should be"),
    "not a number": (bundle(traces=[ONE | {"prefill_seconds": float("nan")}]), "traces[0]: prefill_seconds: input"),
    "not a number where none is allowed": (
        bundle(traces=[TRACE_WITH_NAN]),
        "emitted[0].logprob: input should be a finite",
    ),
    "contradicting": (
        bundle(traces=[ONE | {"metrics": ONE["metrics"] | {"tokens": 9}}]),
        "traces[0]: metrics.tokens: is 9",
    ),
    "screen no object": (bundle(screen=["view"]), "screen: must be an object"),
    "screen name": (bundle(screen={"on load": "x"}), "is no part of an address"),
    "screen number": (bundle(screen={"at": 3}), "screen.at: must be text"),
    "screen long": (bundle(screen={"at": "x" * 1001}), "screen.at: must be text"),
    "screen crowded": (bundle(screen={f"p{i}": "" for i in range(41)}), "has 41 parts"),
}


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_bundle_is_refused_in_one_line(text, said):
    with pytest.raises(TraceError) as caught:
        read_file(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_a_file_over_the_limit_is_refused_before_it_is_read():
    text = trace_to_json(TRACES[0])
    assert read_file(text, limit=len(text.encode()))
    with pytest.raises(TraceError, match="bytes: at most"):
        read_file(text, limit=len(text.encode()) - 1)


def test_a_bundle_is_not_written_that_could_not_be_read():
    for traces, screen in (
        ((), {}),
        (TRACES[:1] * (MOST_TRACES + 1), {}),
        (TRACES, {"No": ""}),
        (TRACES, {"at": "x" * 2000}),
    ):
        with pytest.raises(TraceError):
            bundle_to_json(traces, screen)
    assert json.loads(bundle_to_json(TRACES))["kind"] == KIND


def test_deep_files_do_not_depend_on_python_recursion():
    before = sys.getrecursionlimit()
    with pytest.raises(TraceError):
        read_file('{"a":' * 100_000 + "1" + "}" * 100_000)
    assert sys.getrecursionlimit() == before
