"""Parts trained for a target of one's own: files that load_pair reads, and methods that run with them."""

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

import specviz
from specviz.errors import ModelError
from specviz.lm.network.transformer import TransformerLM, fingerprint
from specviz.zoo.for_target import train_for
from specviz.zoo.training.heads import fresh_heads, heads_loss
from specviz.zoo.training.network import Network, Stock, llama
from tests.tiny_pair import byte_tokenizer, write_pair


@pytest.fixture(scope="module")
def pair_of_two(tmp_path_factory):
    """A GPT-2 with an embedding larger than its tokenizer needs, and a Llama as its draft."""
    folder = tmp_path_factory.mktemp("own")
    _, draft = write_pair(folder)
    torch.manual_seed(2)
    config = GPT2Config(vocab_size=272, n_embd=32, n_layer=2, n_head=4, n_positions=256, bos_token_id=0, eos_token_id=0)
    GPT2LMHeadModel(config).save_pretrained(folder / "gpt")
    byte_tokenizer().save_pretrained(folder / "gpt")
    return folder / "gpt", draft


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr("specviz.zoo.training.parts.GREEDY_PROMPTS", 4)
    monkeypatch.setattr("specviz.zoo.training.deciders.EPOCHS", 1)
    monkeypatch.setattr("specviz.zoo.for_target.load_corpus", lambda folder: folder)  # is one already


def test_parts_are_trained_for_a_given_target(pair_of_two, corpus, tmp_path):
    target, draft = pair_of_two
    settings = {"work": tmp_path / "work", "minutes": 0.03, "device": "cpu"}
    made = train_for(target, corpus, tmp_path / "parts", draft=draft, **settings)
    assert sorted(made) == ["correlation", "deciders", "heads"]
    pair = specviz.load_pair(target, draft, device="cpu", **made)
    assert pair.heads.target == pair.target.fingerprint and pair.heads.vocab_size == pair.target.vocab_size == 272
    assert sorted(pair.deciders) == ["entropy", "hidden"] and pair.correlation.total > 1000
    assert pair.deciders["hidden"].draft == pair.draft.fingerprint
    assert len(pair.heads.accuracy) == pair.heads.count and len(pair.heads.tree) > 4
    for method in ("bpd", "medusa", "slim"):
        assert 1 <= len(specviz.decode(pair, method, "One morning", max_new_tokens=8).tokens) <= 8


def test_without_a_draft_there_are_no_decision_models(pair_of_two, corpus, tmp_path):
    made = train_for(pair_of_two[0], corpus, tmp_path, work=tmp_path / "work", minutes=0.01, device="cpu")
    assert sorted(made) == ["correlation", "heads"] and specviz.load_pair(pair_of_two[0], device="cpu", **made).heads


def test_too_short_a_context_is_refused(pair_of_two, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("specviz.zoo.for_target.SHORTEST_CONTEXT", 300)
    with pytest.raises(ModelError, match="context is 256: training parts needs at least 300"):
        train_for(pair_of_two[0], corpus, tmp_path, work=tmp_path, minutes=0.01, device="cpu")


def test_the_stock_pass_scores_as_the_fast_one():
    torch.manual_seed(0)
    model = llama(50, 64, 2, 96).eval()
    tokens = torch.randint(50, (3, 20), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        fast, stock = Network(model, compiled=False).scored(tokens), Stock(model).scored(tokens)
    for ours, theirs in zip(fast, stock, strict=True):
        assert ours.shape == theirs.shape
        torch.testing.assert_close(ours.float(), theirs.float(), atol=0.05, rtol=0.05)
    heads = fresh_heads(model)
    losses = [
        heads_loss(heads, one, compiled=False)(tokens, tokens).item() for one in (Network(model, False), Stock(model))
    ]
    assert losses[0] == pytest.approx(losses[1], rel=0.01)


def test_training_leaves_the_models_as_they_are(pair_of_two, corpus, tmp_path):
    before = specviz.load_pair(*pair_of_two, device="cpu")
    train_for(pair_of_two[0], corpus, tmp_path, draft=pair_of_two[1], work=tmp_path, minutes=0.01, device="cpu")
    after = specviz.load_pair(*pair_of_two, device="cpu")
    assert isinstance(after.target, TransformerLM) and fingerprint(after.target.model) == before.target.fingerprint
