"""The lean forward pass says what transformers' own says, for every shape of the Llama family, or is not used."""

import pytest
import torch
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from specviz.lm.network import lean
from specviz.lm.network.transformer import TransformerLM
from tests.lm.models import tiny

SIZES = {
    "vocab_size": 61,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 4096,
}
YARN = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 1024}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 1e4,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 512,
}
SHAPES = {
    "llama": (LlamaForCausalLM, LlamaConfig, {}),
    "llama, grouped heads, tied": (
        LlamaForCausalLM,
        LlamaConfig,
        {"num_key_value_heads": 2, "tie_word_embeddings": True},
    ),
    "llama, biases": (LlamaForCausalLM, LlamaConfig, {"attention_bias": True, "mlp_bias": True}),
    "llama, long by llama3": (LlamaForCausalLM, LlamaConfig, {"rope_parameters": LLAMA3}),
    "llama, long by yarn": (LlamaForCausalLM, LlamaConfig, {"rope_parameters": YARN}),
    "mistral": (MistralForCausalLM, MistralConfig, {"num_key_value_heads": 2, "sliding_window": None}),
    "qwen2": (Qwen2ForCausalLM, Qwen2Config, {"num_key_value_heads": 1}),
    "qwen3": (Qwen3ForCausalLM, Qwen3Config, {"num_key_value_heads": 2, "head_dim": 16}),
}
FORK = [3, 1, 4, 1, 5, 9, 2, 6], [-1, 0, 0, 1, 2, 2, 4, 3]


def built(kind, config, options, seed=0):
    torch.manual_seed(seed)
    model = kind(config(**SIZES | options)).eval()
    with torch.no_grad():
        for parameter in model.parameters():  # gains and biases, too, are no longer what they are at first
            parameter.mul_(4.0).add_(0.1 * torch.randn_like(parameter))
    return model


def said(language_model, tokens, parents):
    session = language_model.open(len(tokens) + 3, hidden=True)
    whole = session.extend(tokens, parents)
    session.keep([0, 2, 4, 6])
    after = session.extend([8, 7], [3, 3])
    last = session.extend([5], [5], last_only=True)
    return [whole.logits, whole.hidden, after.logits, after.hidden, last.logits, last.hidden]


def spread(ours, stock):
    return float((ours - stock).abs().max())


def distance(rounded, truth):
    return float((rounded.float() - truth).abs().mean())


WAYS = {"column by column": {}, "packed": {"WIDE": 0}, "shared": {"COPIED": 0}}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", SHAPES)
def test_it_says_what_the_stock_pass_says(monkeypatch, shape, way):
    for name, value in WAYS[way].items():
        monkeypatch.setattr(lean, name, value)
    model = TransformerLM(built(*SHAPES[shape]), shape)
    assert model.lean and not model.lean_refused
    found = said(model, *FORK)
    model.lean = None
    for ours, stock in zip(found, said(model, *FORK), strict=True):
        # Of float64's, each of the two is up to 4e-6 away.
        assert spread(ours, stock) <= 8e-6 * float(stock.abs().max())


@pytest.mark.parametrize("shape", SHAPES)
def test_in_bfloat16_it_is_as_near_to_float32_as_the_stock_pass_is(shape):
    ours = stock = 0.0
    for seed in range(4):
        exact = said(TransformerLM(built(*SHAPES[shape], seed), shape), *FORK)
        model = TransformerLM(built(*SHAPES[shape], seed).bfloat16(), shape)
        assert model.lean
        ours += sum(map(distance, said(model, *FORK), exact))
        model.lean = None
        stock += sum(map(distance, said(model, *FORK), exact))
    assert 0 < ours <= 1.25 * stock


def test_positions_past_the_first_table(monkeypatch):
    monkeypatch.setattr(lean, "FIRST_POSITIONS", 2)
    model = TransformerLM(built(*SHAPES["llama, long by yarn"]), "long")
    found = said(model, *FORK)
    model.lean = None
    assert spread(found[0], said(model, *FORK)[0]) < 1e-4


def test_the_stock_pass_goes_on_from_shared_weights(monkeypatch):
    monkeypatch.setattr(lean, "COPIED", 0)
    model = built(*SHAPES["qwen2"])
    inputs = torch.tensor([FORK[0]])
    with torch.inference_mode():
        before = model(inputs).logits
        TransformerLM(model, "shared")
        assert torch.equal(model(inputs).logits, before)
    attention = model.model.layers[0].self_attn
    assert attention.q_proj.weight.untyped_storage().data_ptr() == attention.v_proj.weight.untyped_storage().data_ptr()


class _Quantized(torch.nn.Linear):
    """Stands for the layers that quantisers and adapters bring."""


def _with_own_layers():
    model = built(*SHAPES["llama"])
    model.model.layers[1].mlp.up_proj.__class__ = _Quantized
    return model


REFUSED = {
    "not of the Llama family": lambda: tiny("gpt2"),
    "activation is gelu": lambda: built(LlamaForCausalLM, LlamaConfig, {"hidden_act": "gelu"}),
    "positions are dynamic": lambda: built(
        LlamaForCausalLM, LlamaConfig, {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}}
    ),
    "layers of its own kind": _with_own_layers,
}


@pytest.mark.parametrize("reason", REFUSED)
def test_where_it_does_not_apply_the_stock_pass_is_used(reason):
    model = TransformerLM(REFUSED[reason](), "other")
    assert model.lean is None and reason in model.lean_refused
    assert model.open(4).extend([1, 2], [-1, 0]).logits.shape == (2, 61)


def test_where_it_does_not_agree_the_stock_pass_is_used(monkeypatch):
    monkeypatch.setattr(lean, "silu", torch.nn.functional.gelu)
    model = TransformerLM(built(*SHAPES["llama"]), "wrong")
    assert model.lean is None and "logits of a fork differ" in model.lean_refused
