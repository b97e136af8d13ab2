"""Which models can score a tree, and up to where: LongRoPE, windows out of reach, attention that takes no mask."""

import pytest
import torch
from transformers import (
    Gemma2Config,
    Gemma2ForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Phi3Config,
    Phi3ForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
)

import specviz
from specviz.errors import ModelError, PromptError
from specviz.lm.loading.pairs import load_pair
from specviz.lm.network import suitable
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from tests.lm.models import VOCABULARY, tiny
from tests.tiny_pair import byte_tokenizer, write_pair

SIZES = {
    "vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 4, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0,
}  # fmt: skip
SWITCH, LONGEST = 16, 64


def _loud(model, seed=0):
    """The model with weights four times as large: its logits are far from even."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.normal_(std=0.08)
    return model.eval()


def long_rope(seed=0, **changes):
    rope = {
        "rope_type": "longrope", "rope_theta": 10000.0, "short_factor": [1.0] * 4, "long_factor": [2.0, 4.0, 8.0, 16.0],
        "original_max_position_embeddings": SWITCH,
    }  # fmt: skip
    sizes = SIZES | {"max_position_embeddings": LONGEST, "original_max_position_embeddings": SWITCH}
    return _loud(Phi3ForCausalLM(Phi3Config(**sizes, rope_parameters=rope, **changes)), seed)


def test_longrope_is_read_up_to_the_switch():
    model = TransformerLM(long_rope(), "phi")
    assert model.context == SWITCH
    pair = ModelPair(model, TransformerLM(tiny("llama"), "draft"))
    assert pair.context == SWITCH and "beyond 16 its longrope rotary factors change" in pair.context_note
    with pytest.raises(
        PromptError, match="exceeds the context of 16; at most 6 fit; phi3 could read 64, but"
    ) as caught:
        specviz.decode(pair, "speculative", [1, 2, 3, 4, 5, 6, 7], max_new_tokens=7, gamma=3)
    assert caught.value.code == "too_long"


@pytest.mark.parametrize("method", ["speculative", "mcsd", "dynamic-tree"])
def test_greedy_text_is_generates_up_to_the_switch(method):
    target, prompt, count = long_rope(), [1, 2, 3, 4], 7
    pair = ModelPair(TransformerLM(target, "phi"), TransformerLM(long_rope(1), "draft"))
    options = {"gamma": 5} if method == "speculative" else {}
    with torch.inference_mode():
        inputs = torch.tensor([prompt])
        plain = target.generate(inputs, attention_mask=torch.ones_like(inputs), max_new_tokens=count, do_sample=False)
    trace = specviz.decode(pair, method, prompt, max_new_tokens=count, temperature=0.0, **options)
    assert list(trace.tokens) == plain[0, 4 : 4 + len(trace.tokens)].tolist()


@pytest.mark.parametrize("rope_type", ["yarn", "linear", "llama3", "dynamic"])
def test_rotary_factors_that_do_not_change_leave_the_context(rope_type):
    rope = {"rope_type": rope_type, "rope_theta": 10000.0, "factor": 4.0}
    if rope_type in ("yarn", "llama3"):
        rope["original_max_position_embeddings"] = SWITCH
    if rope_type == "llama3":
        rope |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    config = LlamaConfig(**SIZES, max_position_embeddings=LONGEST, rope_parameters=rope)
    model = TransformerLM(_loud(LlamaForCausalLM(config)), rope_type)
    assert (model.context, model.context_note) == (LONGEST, "")


def test_a_switch_is_found_by_trying_not_by_name(monkeypatch):
    monkeypatch.setattr(suitable, "_rotary_switches", lambda config: [("another", SWITCH)])
    assert TransformerLM(long_rope(), "phi").context == SWITCH
    assert TransformerLM(tiny("llama"), "llama").context == 256


def _mistral(window, context):
    sizes = SIZES | {"sliding_window": window, "max_position_embeddings": context}
    return _loud(MistralForCausalLM(MistralConfig(**sizes)))


@pytest.mark.parametrize("window", [LONGEST, LONGEST + 1])
def test_a_window_out_of_reach_is_none(window):
    model = TransformerLM(_mistral(window, LONGEST), "far")
    tokens = [i % VOCABULARY for i in range(LONGEST - 2)]
    tree = model.open(LONGEST).extend([*tokens, 5, 6], [*range(-1, len(tokens) - 1), len(tokens) - 2, len(tokens) - 1])
    with torch.inference_mode():
        alone = model.model(input_ids=torch.tensor([[*tokens, 6]]), use_cache=False).logits[0]
    torch.testing.assert_close(tree.logits[len(tokens) - 1], alone[-2], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(tree.logits[-1], alone[-1], atol=1e-4, rtol=1e-4)


def test_a_window_within_reach_is_refused():
    with pytest.raises(ModelError, match=r"'near' \(mistral\) has sliding_attention layers"):
        TransformerLM(_mistral(LONGEST - 1, LONGEST), "near")


@pytest.mark.parametrize("window", [LONGEST, 8])
def test_windows_of_some_layers(window):
    config = Qwen2Config(
        **SIZES, max_position_embeddings=LONGEST, use_sliding_window=True, sliding_window=window, max_window_layers=1,
    )  # fmt: skip
    assert "sliding_attention" in config.layer_types
    model = _loud(Qwen2ForCausalLM(config))
    if window == 8:
        with pytest.raises(ModelError, match="sliding_attention"):
            TransformerLM(model, "mixed")
    else:
        assert TransformerLM(model, "mixed").context == LONGEST


def _eager_only():
    sizes = SIZES | {"head_dim": 8, "max_position_embeddings": LONGEST, "sliding_window": LONGEST}
    return Gemma2ForCausalLM(Gemma2Config(**sizes))


def test_eager_attention_alone_is_refused_in_our_words(tmp_path):
    with pytest.raises(ModelError, match=r"'eager' \(gemma2\) has no scaled_dot_product_attention in transformers"):
        TransformerLM(_eager_only(), "eager")
    _eager_only().save_pretrained(tmp_path / "gemma")
    byte_tokenizer().save_pretrained(tmp_path / "gemma")
    with pytest.raises(ModelError, match=r"'gemma' \(gemma2\) has no scaled_dot_product_attention") as caught:
        load_pair(tmp_path / "gemma", device="cpu")
    assert caught.value.argument == "target"


def test_a_model_loaded_with_eager_attention_is_told_how_to_load_it(tmp_path):
    path, _ = write_pair(tmp_path)
    model = LlamaForCausalLM.from_pretrained(path, attn_implementation="eager")
    with pytest.raises(ModelError, match="was loaded with eager attention, .* load it with attn_implementation='sdpa'"):
        load_pair(model, device="cpu")
