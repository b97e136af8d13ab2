"""Tiny random transformers of every family, float32, for the tests."""

import torch
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    OPTConfig,
    OPTForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

VOCABULARY = 61
CONTEXT = 256
_SIZES = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
_ENDS = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 1}


def _llama():
    return LlamaForCausalLM(
        LlamaConfig(**_SIZES, **_ENDS, intermediate_size=48, num_key_value_heads=2, max_position_embeddings=CONTEXT)
    )


def _qwen3():
    return Qwen3ForCausalLM(
        Qwen3Config(
            **_SIZES, **_ENDS, intermediate_size=48, num_key_value_heads=2, head_dim=8, max_position_embeddings=CONTEXT
        )
    )


def _opt():
    return OPTForCausalLM(
        OPTConfig(**_SIZES, **_ENDS, ffn_dim=48, word_embed_proj_dim=32, max_position_embeddings=CONTEXT)
    )


def _gpt2():
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4, n_positions=CONTEXT, bos_token_id=0, eos_token_id=0
        )
    )


def _gpt_neox():
    return GPTNeoXForCausalLM(GPTNeoXConfig(**_SIZES, **_ENDS, intermediate_size=48, max_position_embeddings=CONTEXT))


FAMILIES = {"llama": _llama, "qwen3": _qwen3, "opt": _opt, "gpt2": _gpt2, "gpt_neox": _gpt_neox}


def tiny(family: str, seed: int = 0):
    """A random model of the family whose logits are far from even (weights four times the usual size)."""
    torch.manual_seed(seed)
    model = FAMILIES[family]().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.mul_(4.0)
    return model
