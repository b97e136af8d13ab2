"""Counted costs against counts made by hand."""

from dataclasses import replace

from specviz.measure.cost import call_flops, total_flops
from specviz.trace.record import Call, Header, ModelRecord
from tests.traces import speculative_trace

# 2 layers of width 4: 100 weights and a tied 10 x 4 embedding
MODEL = ModelRecord(
    "m", "f", parameters=140, embedding_parameters=40, layers=2, width=4, vocab_size=10, dtype="float16"
)
TABLE = ModelRecord("table", "f", 0, 0, 0, 0, 10, "float64")


def test_flops_of_one_call():
    weights = 2 * (100 + 40)  # every weight once, then the logits
    attention = 4 * 2 * 4 * (7 + 3)  # scores and mix, layers, width, keys
    assert call_flops(MODEL, Call("target", tokens=3, rows=7, seconds=0.1)) == 3 * (weights + attention)


def test_an_untied_head_is_counted_once():
    untied = ModelRecord("m", "f", 180, 80, 2, 4, 10, "float32")
    call = Call("target", 3, 7, 0.1)
    assert call_flops(untied, call) == call_flops(MODEL, call)


def header(target: ModelRecord, draft: ModelRecord | None, **more) -> Header:
    return replace(speculative_trace().header, target=target, draft=draft, **more)


def test_total_charges_each_call_to_its_model():
    calls = [Call("draft", 1, 5, 0.1), Call("target", 2, 5, 0.1)]
    assert total_flops(calls, header(MODEL, TABLE)) == call_flops(MODEL, calls[1])
    assert total_flops(calls, header(MODEL, MODEL)) == call_flops(MODEL, calls[0]) + call_flops(MODEL, calls[1])
    assert total_flops(calls, header(MODEL, None)) == call_flops(MODEL, calls[1])
    assert total_flops(calls, header(TABLE, TABLE)) == 0.0


def test_further_drafts_and_heads_are_charged_too():
    wide = ModelRecord("w", "f", 380, 80, 2, 8, 10, "float32")
    heads = ModelRecord("h", "f", 1000, 0, 0, 0, 10, "float32")
    calls = [Call("draft", 1, 5, 0.1, draft=1), Call("heads", 1, 0, 0.1)]
    assert total_flops(calls, header(MODEL, MODEL, drafts=(wide,), heads=heads)) == call_flops(wide, calls[0]) + 2000
