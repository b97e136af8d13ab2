"""A draft whose embedding is smaller or larger than the target's: the target stays whole, what the draft lacks has
probability 0."""

import math

import pytest
import torch
from transformers import LlamaForCausalLM

import specviz
from specviz.errors import ModelError
from specviz.lm.loading.pairs import load_pair
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from tests.lm.models import VOCABULARY, tiny
from tests.tiny_pair import byte_tokenizer, write_pair

TOKENS = 257  # of the tokenizer
PADDED = 272
METHODS = ("speculative", "block", "mcsd", "specinfer", "mtad", "dsbd", "improved-mcsd", "dynamic-tree")


def _resize(path, size):
    model = LlamaForCausalLM.from_pretrained(path)
    torch.manual_seed(3)
    model.resize_token_embeddings(size, mean_resizing=False)
    model.save_pretrained(path)


@pytest.fixture(scope="module")
def padded(tmp_path_factory):
    """A target with an embedding larger than its draft's, and than the tokenizer needs."""
    paths = write_pair(tmp_path_factory.mktemp("padded"))
    _resize(paths[0], PADDED)
    return paths


def test_the_target_keeps_its_whole_vocabulary(padded):
    pair = load_pair(*padded, device="cpu")
    assert pair.target.vocab_size == pair.draft.vocab_size == PADDED
    alone = load_pair(padded[0], device="cpu")
    ours, own = (one.target.open(2).extend([1, 2], [-1, 0]).logits for one in (pair, alone))
    assert torch.equal(ours, own) and ours.shape == (2, PADDED)


def test_the_draft_gives_the_rest_probability_0_and_reads_it(padded):
    pair = load_pair(*padded, device="cpu")
    session = pair.draft.open(3, hidden=True)
    scores = session.extend([1, PADDED - 1, 2], [-1, 0, 1])
    assert scores.logits.shape == (3, PADDED) and scores.hidden.shape == (3, 32)
    assert (scores.logits[:, TOKENS:] == -math.inf).all() and scores.logits[:, :TOKENS].isfinite().all()
    session.keep([0])
    assert len(session.trie) == 1
    last = session.extend([3, 4], [0, 1], last_only=True).logits
    assert last.shape == (1, PADDED)


@pytest.mark.parametrize("method", METHODS)
def test_greedy_text_is_the_targets_own(padded, method):
    """The random target likes tokens that the draft has never heard of."""
    pair = load_pair(*padded, device="cpu")
    with torch.no_grad():
        pair.target.model.get_output_embeddings().weight[TOKENS:] *= 3.0
    settings = {"max_new_tokens": 12, "temperature": 0.0}
    plain = specviz.decode(pair, "autoregressive", "Once", **settings).tokens
    assert max(plain) >= TOKENS
    trace = specviz.decode(pair, method, "Once", **settings)
    if trace.header.method.guarantee in ("target", "greedy"):
        assert trace.tokens == plain
    assert len(trace.tokens) == 12 or trace.stop == "end"


@pytest.mark.parametrize("settings", [{}, {"top_k": None, "top_p": None}, {"draft": "bigram"}])
def test_sampled_runs_and_their_records(padded, settings, tmp_path):
    pair = load_pair(*padded, device="cpu")
    with torch.no_grad():
        pair.target.model.get_output_embeddings().weight[TOKENS:] *= 3.0
    trace = specviz.decode(pair, "speculative", "Once", max_new_tokens=24, seed=4, **settings)
    assert trace.header.target.vocab_size == trace.header.draft.vocab_size == PADDED
    assert any(token >= TOKENS for token in trace.tokens)
    nodes = [node for iteration in trace.iterations for node in iteration.forest.nodes]
    if "draft" not in settings:
        assert all(node.token < TOKENS for node in nodes)
        assert all(token < TOKENS for node in nodes for token in node.draft.tokens[node.draft.probs > 0])
    specviz.save_trace(trace, tmp_path / "trace.json")
    assert specviz.load_trace(tmp_path / "trace.json").tokens == trace.tokens


@pytest.mark.full
@pytest.mark.parametrize(("method", "options"), [("speculative", {"gamma": 1}), ("mcsd", {"k_config": (2,)})])
def test_the_exact_distribution_is_the_targets(method, options):
    """Of two tokens, over every coin, with a draft that has four of the target's six tokens."""
    target = TransformerLM(tiny("llama"), "target", vocab_size=6)
    draft = TransformerLM(tiny("llama", 1), "draft", vocab_size=6)
    draft._own_vocab_size = 4
    pair, settings = ModelPair(target, draft), {"top_k": None, "top_p": None}
    afresh = method == "mcsd"  # with the caches of its first iteration, each time
    found = specviz.exact_distribution(pair, method, [1, 5], n_tokens=2, restart=afresh, **options, **settings)
    plain = specviz.target_distribution(pair, [1, 5], n_tokens=2, **settings)
    assert specviz.total_variation(found, plain) < 1e-5
    assert any(5 in tokens for tokens in found)


def test_a_draft_with_more_tokens_is_cut_to_the_targets(tmp_path):
    paths = write_pair(tmp_path)
    _resize(paths[1], PADDED)
    pair = load_pair(*paths, device="cpu")
    assert pair.target.vocab_size == pair.draft.vocab_size == TOKENS
    assert pair.draft.open(1).extend([5], [-1]).logits.shape == (1, TOKENS)
    assert len(specviz.decode(pair, "mcsd", "Once", max_new_tokens=6).tokens)


def test_a_model_can_be_given_more_tokens_than_it_has():
    model = TransformerLM(tiny("llama"), "wide", vocab_size=VOCABULARY + 3)
    logits = model.open(1).extend([VOCABULARY + 1], [-1]).logits
    assert logits.shape == (1, VOCABULARY + 3) and (logits[0, -3:] == -math.inf).all()
    ModelPair(TableLM.random(VOCABULARY + 3, 0), model)


def test_a_tokenizer_larger_than_the_embedding_is_refused(tmp_path):
    paths = write_pair(tmp_path)
    tokenizer = byte_tokenizer()
    tokenizer.add_tokens(["one more"])
    for path in paths:
        tokenizer.save_pretrained(path)
    with pytest.raises(
        ModelError, match=r"ids up to 257 \('one more'\), the embedding of target 'target' only up to 256"
    ):
        load_pair(*paths, device="cpu")
    with pytest.raises(ModelError) as caught:
        ModelPair(TableLM.random(5, 0), tokenizer=byte_tokenizer())
    assert caught.value.argument == "tokenizer" and caught.value.code == "model"
