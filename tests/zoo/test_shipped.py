"""The models that come along: their shape and size, and what their traces weigh."""

import json

import pytest

import specviz
from specviz.decoding.catalog import METHODS
from specviz.lm.pair import EMBEDDED
from specviz.trace.store import trace_to_json

MB = 1_000_000


def test_the_target_is_deep_and_narrow_and_the_draft_shallow():
    target, draft = (
        json.loads((EMBEDDED / name / "config.json").read_text()) for name in ("fable-target", "fable-draft")
    )
    sizes = ("model_type", "hidden_size", "num_hidden_layers", "intermediate_size", "vocab_size")
    assert [target[size] for size in sizes] == ["llama", 256, 16, 704, 4096]
    assert [draft[size] for size in sizes] == ["llama", 128, 2, 352, 4096]
    assert target["dtype"] == draft["dtype"] == "bfloat16"


def test_every_file_fits_a_space_and_all_fit_the_repository():
    files = [path for path in EMBEDDED.rglob("*") if path.is_file()]
    assert max(path.stat().st_size for path in files) < 10 * MB
    assert sum(path.stat().st_size for path in files) < 60 * MB


@pytest.fixture(scope="module")
def pair():
    return specviz.load_pair(device="cpu", dtype="float32")


def test_target_and_draft_share_a_tokenizer(pair):
    assert (EMBEDDED / "fable-target" / "tokenizer.json").read_bytes() == (
        EMBEDDED / "fable-draft" / "tokenizer.json"
    ).read_bytes()
    assert pair.target.vocab_size == pair.draft.vocab_size == 4096 and pair.end_tokens == {0} and pair.context == 1024


@pytest.mark.parametrize("method", METHODS)
def test_a_trace_of_64_tokens_stays_under_a_megabyte(pair, method):
    pair.end_tokens = frozenset()
    trace = specviz.decode(pair, method, "Once upon a time there was a queen who", max_new_tokens=64)
    assert len(trace.tokens) == 64 and len(trace_to_json(trace).encode()) < MB
