"""Counted costs against counts made by hand."""

from dataclasses import replace

import torch

import specviz
from specviz.measure.cost import cache_bytes, call_bytes, call_flops, total_bytes, total_flops
from specviz.trace.record import BeamRecord, Call, Header, ModelRecord
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


LARGE = replace(MODEL, weight_bytes=280, row_bytes=32)
SMALL = replace(MODEL, weight_bytes=70, row_bytes=8)


def test_a_call_reads_its_weights_once_and_every_cache_row():
    assert call_bytes(LARGE, Call("target", tokens=3, rows=7, seconds=0.1)) == 280 + 32 * 10
    calls = [Call("draft", 1, 5, 0.1), Call("target", 2, 5, 0.1)]
    assert total_bytes(calls, header(LARGE, SMALL)) == 70 + 8 * 6 + 280 + 32 * 7
    assert total_bytes(calls, header(LARGE, None)) == 280 + 32 * 7


def test_the_cache_is_that_of_all_models_at_their_largest_of_an_iteration():
    one, two, _ = speculative_trace().iterations
    one = replace(one, calls=(Call("draft", 1, 5, 0.1), Call("draft", 1, 6, 0.1), Call("target", 4, 4, 0.1)))
    two = replace(two, calls=(Call("target", 5, 6, 0.1),))  # the draft still has its 7 rows
    assert cache_bytes([one], header(LARGE, SMALL)) == 8 * 7 + 32 * 8
    assert cache_bytes([one, two], header(LARGE, SMALL)) == 8 * 7 + 32 * 11
    assert cache_bytes([one, two], header(LARGE, SMALL), separate=True) == 8 * 7 + 32 * 11  # there is one text


def test_separate_caches_hold_what_beams_share_once_for_each():
    one = replace(speculative_trace().iterations[0], context_length=10, calls=(Call("target", 2, 12, 0.1),))
    beams = tuple(BeamRecord(tokens, tokens[-1], -1.0, False) for tokens in ((1, 2), (1, 3), (1, 3)))
    several = replace(one, inputs=beams)  # the context thrice, token 1 thrice, token 3 twice
    assert cache_bytes([several], header(LARGE, None)) == 32 * 14
    assert cache_bytes([several], header(LARGE, None), separate=True) == 32 * (14 + 2 * 10 + 2 + 1)


def test_bytes_of_the_embedded_pair_are_those_of_its_weights_and_caches():
    pair = specviz.load_pair()
    model, shape = pair.target.model, pair.target.shape
    given, projected = model.get_input_embeddings().weight, model.get_output_embeddings().weight
    unread = 0 if projected is given else given.nbytes
    assert shape.weight_bytes == sum(weight.nbytes for weight in model.parameters()) - unread
    with torch.inference_mode():
        cache = model(torch.tensor([[1, 2, 3]]), use_cache=True).past_key_values
    assert 3 * shape.row_bytes == sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)
    metrics = specviz.decode(pair, "autoregressive", "Once upon a time", max_new_tokens=8).metrics
    assert metrics.kv_bytes_peak == metrics.kv_bytes_separate == shape.row_bytes * metrics.kv_rows_peak
