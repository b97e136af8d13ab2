"""A tiny random model in a GGUF file, written here: everything that loading one needs, in a tenth of a second."""

from pathlib import Path

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Kind
from transformers import AutoModelForCausalLM, LlamaConfig, PretrainedConfig, Qwen2Config, Qwen3Config

from tests.tiny_pair import END, byte_tokenizer

CONFIGS = {"llama": LlamaConfig, "qwen2": Qwen2Config, "qwen3": Qwen3Config}
TEMPLATE = "{% for message in messages %}{{ message['content'] }}{% endfor %}"


def tiny_model(architecture: str = "llama", seed: int = 0):
    torch.manual_seed(seed)
    sizes = {"vocab_size": 260, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 256}
    heads["head_dim"] = 128 if architecture == "qwen3" else 8  # transformers takes no other from a file of Qwen 3
    config: PretrainedConfig = CONFIGS[architecture](**sizes, **heads, tie_word_embeddings=architecture == "llama")
    model = AutoModelForCausalLM.from_config(config).eval()
    for weight in model.parameters():
        if weight.dim() == 1:  # norms are ones and biases zeros to begin with
            torch.nn.init.normal_(weight)
    return model


def write_gguf(
    path: Path,
    architecture: str = "llama",
    kind: Kind = Kind.F32,
    seed: int = 0,
    scaling: str = "",
    more: dict[str, np.ndarray] | None = None,
) -> Path:
    """Write ``tiny_model`` with its matrices in ``kind``, positions scaled so, and ``more`` tensors."""
    model, writer = tiny_model(architecture, seed), gguf.GGUFWriter(path, architecture)
    config = model.config
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(config.head_dim)
    writer.add_value_length(config.head_dim)
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    if scaling:
        writer.add_rope_scaling_type(gguf.RopeScalingType(scaling))
    _add_tokenizer(writer, config.vocab_size)
    names = gguf.get_tensor_name_map(getattr(gguf.MODEL_ARCH, architecture.upper()), config.num_hidden_layers)
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    for name, weight in model.state_dict().items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        layer = name.split(".")[-2]
        if architecture == "llama" and layer in heads:  # as llama.cpp's converter does
            weight = weight.view(heads[layer], 2, -1, *weight.shape[1:]).swapaxes(1, 2).reshape(weight.shape)
        form = kind if weight.dim() == 2 else Kind.F32
        packed = gguf.quantize(weight.numpy(), form)
        writer.add_tensor(names.get_name(name, (".weight", ".bias")), packed, raw_dtype=form)
    for name, content in (more or {}).items():
        writer.add_tensor(name, content)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_tokenizer(writer: gguf.GGUFWriter, size: int) -> None:
    vocabulary = sorted(byte_tokenizer().get_vocab().items(), key=lambda item: item[1])
    tokens = [token for token, _ in vocabulary] + ["th", "an", "in"]
    tokens += [f"<{number}>" for number in range(size - len(tokens))]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.CONTROL if token == END else gguf.TokenType.NORMAL for token in tokens])
    writer.add_token_merges(["t h", "a n", "i n"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    writer.add_pad_token_id(0)
    writer.add_chat_template(TEMPLATE)
