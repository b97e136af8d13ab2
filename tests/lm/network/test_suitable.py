"""Which models can score a tree, and up to where: LongRoPE, windows, positions and attention that no tree can have."""

import pytest
import torch
from transformers import (
    BartConfig,
    BartForCausalLM,
    BloomConfig,
    BloomForCausalLM,
    FalconConfig,
    FalconForCausalLM,
    Gemma2Config,
    Gemma2ForCausalLM,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPTJConfig,
    GPTJForCausalLM,
    GptOssConfig,
    GptOssForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MambaConfig,
    MambaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    MptConfig,
    MptForCausalLM,
    Olmo3Config,
    Olmo3ForCausalLM,
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
    assert pair.context == SWITCH and "beyond 16 its longrope rotary factors change" in model.context_note
    with pytest.raises(
        PromptError, match="exceeds the context of 16 of target 'phi'; at most 6 fit; phi3 could read 64, but"
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


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_a_switch_is_looked_for_with_a_mask_that_the_attention_takes(attention):
    rope = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": SWITCH}
    config = LlamaConfig(**SIZES, max_position_embeddings=LONGEST, rope_parameters=rope, attn_implementation=attention)
    assert TransformerLM(_loud(LlamaForCausalLM(config)), "yarn").context == LONGEST


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


def _layers(kind, config, **sizes):
    """A model of this class whose first layer has a window of ``WINDOW`` tokens."""
    return lambda: _loud(kind(config(**SIZES | {"max_position_embeddings": LONGEST, "sliding_window": WINDOW} | sizes)))


WINDOW = 12
SOME = {"layer_types": ["sliding_attention", "full_attention"]}
WINDOWS = {
    "mistral": _layers(MistralForCausalLM, MistralConfig),
    "phi3": _layers(Phi3ForCausalLM, Phi3Config),
    "olmo3": _layers(Olmo3ForCausalLM, Olmo3Config, **SOME),
    "gemma2": _layers(Gemma2ForCausalLM, Gemma2Config, head_dim=8, **SOME),
    "gemma3": _layers(Gemma3ForCausalLM, Gemma3TextConfig, head_dim=8, **SOME),
    "qwen2": _layers(Qwen2ForCausalLM, Qwen2Config, use_sliding_window=True, max_window_layers=1),
    "gpt_oss": _layers(GptOssForCausalLM, GptOssConfig, head_dim=8, num_local_experts=2, num_experts_per_tok=1, **SOME),
}


@pytest.mark.parametrize("family", WINDOWS)
def test_a_model_is_read_as_far_as_its_window(family):
    """To the last position inside, trees say what texts do; at the next one they would not."""
    model = TransformerLM(WINDOWS[family](), family)
    assert model.context == WINDOW
    assert f"could read {LONGEST}, but beyond {WINDOW} layers with a sliding window" in model.context_note
    tokens = [(7 * i + 3) % VOCABULARY for i in range(WINDOW + 1)]
    fork = model.open(2 * WINDOW).extend([*tokens, 5], [*range(-1, WINDOW), WINDOW - 2]).logits
    with torch.inference_mode():
        texts = [[*tokens], [*tokens[:-2], 5]]
        text, other = (model.model(input_ids=torch.tensor([one]), use_cache=False).logits[0] for one in texts)
    torch.testing.assert_close(fork[:WINDOW], text[:WINDOW], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(fork[-1], other[-1], atol=1e-4, rtol=1e-4)
    assert (fork[WINDOW] - text[WINDOW]).abs().max() > 1e-3


WITHIN = [("autoregressive", {}), ("speculative", {"gamma": 2}), ("mcsd", {"k_config": (2, 2)})]


@pytest.mark.parametrize("method, options", WITHIN)
@pytest.mark.parametrize("family", WINDOWS)
def test_greedy_text_is_generates_up_to_the_window(family, method, options):
    target, prompt = WINDOWS[family](), [1, 2, 3]
    pair = ModelPair(TransformerLM(target, family), TransformerLM(tiny("llama"), "draft"))
    count = WINDOW - len(prompt) - (2 if options else 0)  # as many as can be drafted stay free
    with torch.inference_mode():
        inputs = torch.tensor([prompt])
        plain = target.generate(inputs, attention_mask=torch.ones_like(inputs), max_new_tokens=count, do_sample=False)
    trace = specviz.decode(pair, method, prompt, max_new_tokens=count, temperature=0.0, **options)
    assert list(trace.tokens) == plain[0, len(prompt) : len(prompt) + len(trace.tokens)].tolist()
    with pytest.raises(PromptError, match=f"context of {WINDOW} of target '{family}'; .* with a sliding window"):
        specviz.decode(pair, method, [*prompt, 4], max_new_tokens=count, temperature=0.0, **options)


def test_the_shortest_of_window_and_switch_is_the_context():
    assert TransformerLM(long_rope(sliding_window=SWITCH - 1), "phi").context == SWITCH - 1
    far = TransformerLM(long_rope(sliding_window=SWITCH + 1), "phi")
    assert far.context == SWITCH and "rotary factors" in far.context_note


@pytest.mark.parametrize("window", [LONGEST, 8])
def test_windows_of_some_layers(window):
    config = Qwen2Config(
        **SIZES, max_position_embeddings=LONGEST, use_sliding_window=True, sliding_window=window, max_window_layers=1,
    )  # fmt: skip
    assert "sliding_attention" in config.layer_types
    assert TransformerLM(_loud(Qwen2ForCausalLM(config)), "mixed").context == window


def _small(kind, config, **sizes):
    torch.manual_seed(0)
    return kind(config(vocab_size=VOCABULARY, **sizes))


WIDE = {"hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2}
POSITIONS = {
    "falcon": (lambda: _small(FalconForCausalLM, FalconConfig, alibi=True, **WIDE), "tells positions by ALiBi"),
    "bloom": (lambda: _small(BloomForCausalLM, BloomConfig, hidden_size=32, n_head=4, n_layer=2), "by ALiBi"),
    "mpt": (lambda: _small(MptForCausalLM, MptConfig, d_model=32, n_heads=4, n_layers=2), "by ALiBi"),
    "bart": (
        lambda: _small(BartForCausalLM, BartConfig, d_model=32, decoder_layers=1, decoder_attention_heads=4,
                       decoder_ffn_dim=32, is_encoder_decoder=False),
        "takes no position_ids; it follows no tree mask",
    ),
    "gptj": (
        lambda: _small(GPTJForCausalLM, GPTJConfig, n_embd=32, n_head=4, n_layer=1, rotary_dim=4),
        "attention of its own in transformers, which takes no mask",
    ),
    "mamba": (
        lambda: _small(MambaForCausalLM, MambaConfig, hidden_size=32, num_hidden_layers=1),
        "has linear_attention layers",
    ),
}  # fmt: skip


@pytest.mark.parametrize("family", POSITIONS)
def test_positions_that_no_tree_can_have_are_refused_in_our_words(family, tmp_path):
    made, said = POSITIONS[family]
    with pytest.raises(ModelError, match=rf"^model '{family}' \({family}\).* {said}"):
        TransformerLM(made(), family)
    made().save_pretrained(tmp_path / family)
    byte_tokenizer().save_pretrained(tmp_path / family)
    with pytest.raises(ModelError, match=said) as caught:
        load_pair(tmp_path / family, device="cpu")
    assert caught.value.argument == "target"


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_falcon_with_rotary_positions_is_used(attention):
    model = _small(FalconForCausalLM, FalconConfig, alibi=False, attn_implementation=attention, **WIDE)
    assert TransformerLM(model, "falcon").forward == "stock"


def test_a_forward_pass_that_fails_on_a_tree_is_a_reason(monkeypatch):
    model = tiny("opt")
    monkeypatch.setattr(type(model), "forward", lambda self, input_ids, attention_mask=None, **rest: [] + input_ids)
    with pytest.raises(ModelError, match=r"'odd' \(opt\) cannot be used: .* fails on a tree: can only concatenate"):
        TransformerLM(model, "odd")


def test_plain_attention_takes_the_mask_of_a_tree(tmp_path):
    path, _ = write_pair(tmp_path)
    model = LlamaForCausalLM.from_pretrained(path, attn_implementation="eager")
    pair = load_pair(model, device="cpu")
    assert specviz.decode(pair, "autoregressive", "Once", max_new_tokens=4).tokens
    tokenizer = byte_tokenizer()
    _layers(Gemma2ForCausalLM, Gemma2Config, head_dim=8, vocab_size=len(tokenizer))().save_pretrained(
        tmp_path / "gemma"
    )
    tokenizer.save_pretrained(tmp_path / "gemma")
    assert specviz.decode(
        load_pair(tmp_path / "gemma", device="cpu"), "autoregressive", "Once", max_new_tokens=8
    ).tokens


def test_a_model_loaded_with_other_attention_is_told_how_to_load_it(tmp_path):
    path, _ = write_pair(tmp_path)
    model = LlamaForCausalLM.from_pretrained(path, attn_implementation="flex_attention")
    with pytest.raises(ModelError, match="loaded with flex_attention attention, .* it with attn_implementation='sdpa'"):
        load_pair(model, device="cpu")
