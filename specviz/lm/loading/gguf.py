"""Models in GGUF files, llama.cpp's format: weights, settings and tokenizer in one file, mostly in four to eight bits.

transformers reads the tokenizer. The settings and the weights (to full precision) are read here: that takes a fraction
of the time, and a file that is cut short, or has a tensor that the model would leave out, is refused.
Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import math
import struct
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
import torch
from gguf import GGML_QUANT_SIZES, MODEL_ARCH, GGMLQuantizationType, GGUFValueType, dequantize, get_tensor_name_map
from transformers import AutoConfig, AutoModelForCausalLM, PretrainedConfig
from transformers.integrations.ggml import GGUF_CONFIG_MAPPING

from specviz.errors import ModelError

FAMILY = {"llama": MODEL_ARCH.LLAMA, "qwen2": MODEL_ARCH.QWEN2, "qwen3": MODEL_ARCH.QWEN3}
"""The architectures that are read: Llama's layers, with biases (Qwen 2) or norms of queries and keys (Qwen 3)."""

_NUMBERS = {
    GGUFValueType[name]: struct.Struct(f"<{code}")
    for name, code in zip(
        "UINT8 INT8 UINT16 INT16 UINT32 INT32 FLOAT32 BOOL UINT64 INT64 FLOAT64".split(), "BbHhIif?Qqd", strict=True
    )
}


class GgufTensor(NamedTuple):
    """Where a tensor lies in the file: ``shape`` as torch has it, ``offset`` and ``size`` in bytes."""

    shape: tuple[int, ...]
    kind: GGMLQuantizationType
    offset: int
    size: int


class GgufHeader(NamedTuple):
    """The settings of a file, by name, and its tensors; of a list of numbers, how many they are."""

    settings: dict[str, Any]
    tensors: dict[str, GgufTensor]

    def config(self) -> PretrainedConfig:
        """The settings as transformers names them."""
        architecture = self.settings["general.architecture"]
        names = {f"{architecture}.{name}": own for name, own in GGUF_CONFIG_MAPPING[architecture].items()}
        names |= {f"tokenizer.{name}": own for name, own in GGUF_CONFIG_MAPPING["tokenizer"].items()}
        named = {own: self.settings[name] for name, own in names.items() if own and name in self.settings}
        vocabulary = {"vocab_size": len(self.settings.get("tokenizer.ggml.tokens", ()))}
        tied = {"tie_word_embeddings": "output.weight" not in self.tensors}
        return AutoConfig.for_model(architecture, **(vocabulary | tied | named))


def read_header(path: Path) -> GgufHeader:
    """What a file says of itself. Raises ModelError, naming the file, for one that is no GGUF, is cut short, is of
    an architecture that is not in FAMILY, or has settings that would be left out."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ModelError(f"{str(path)!r} is not a GGUF file")
            settings, tensors = header = _header(file)
            whole = max((tensor.offset + tensor.size for tensor in tensors.values()), default=0)
    except (struct.error, ValueError, KeyError, TypeError, ArithmeticError, MemoryError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"GGUF file {str(path)!r} is damaged or cut short: its header cannot be read") from error
    except OSError as error:
        raise ModelError(f"{str(path)!r} cannot be read: {error.strerror}") from error
    architecture = settings.get("general.architecture")
    if architecture not in FAMILY:
        raise ModelError(f"GGUF file {str(path)!r} is of architecture {architecture!r}; read are {', '.join(FAMILY)}")
    scaling = settings.get(f"{architecture}.rope.scaling.type", "none")
    if scaling != "none":
        raise ModelError(
            f"GGUF file {str(path)!r} scales its positions ({scaling}), which is not read from such a file"
        )
    if whole > path.stat().st_size:
        raise ModelError(f"GGUF file {str(path)!r} is cut short: it has {path.stat().st_size:,} of {whole:,} bytes")
    return header


def _header(file: BinaryIO) -> GgufHeader:
    """Of a file that is open after its first four bytes."""

    def number(kind: GGUFValueType) -> Any:
        form = _NUMBERS[kind]
        return form.unpack(file.read(form.size))[0]

    def text() -> str:
        size = number(GGUFValueType.UINT64)
        content = file.read(size) if size < 2**31 else b""
        if len(content) < size:
            raise ValueError("the file ends within a text")
        return content.decode("utf-8", "replace")

    def value(kind: GGUFValueType) -> Any:
        if kind == GGUFValueType.STRING:
            return text()
        if kind != GGUFValueType.ARRAY:
            return number(kind)
        inside, count = GGUFValueType(number(GGUFValueType.UINT32)), number(GGUFValueType.UINT64)
        if inside not in _NUMBERS:
            return [value(inside) for _ in range(count)]
        file.seek(count * _NUMBERS[inside].size, 1)  # long lists of numbers are not needed here
        return count

    version = number(GGUFValueType.UINT32)
    if version not in (2, 3):
        raise ModelError(f"{file.name!r} is of version {version} of GGUF; read are 2 and 3")
    tensor_count, setting_count = number(GGUFValueType.UINT64), number(GGUFValueType.UINT64)
    settings = {text(): value(GGUFValueType(number(GGUFValueType.UINT32))) for _ in range(setting_count)}
    tensors = {}
    for _ in range(tensor_count):
        name = text()
        sizes = [number(GGUFValueType.UINT64) for _ in range(number(GGUFValueType.UINT32))]
        kind = GGMLQuantizationType(number(GGUFValueType.UINT32))
        per_block, block_bytes = GGML_QUANT_SIZES[kind]
        tensors[name] = GgufTensor(
            tuple(reversed(sizes)), kind, number(GGUFValueType.UINT64), math.prod(sizes) // per_block * block_bytes
        )
    step = settings.get("general.alignment", 32)
    start = -(-file.tell() // step) * step
    return GgufHeader(
        settings, {name: tensor._replace(offset=start + tensor.offset) for name, tensor in tensors.items()}
    )


def load_gguf(
    path: Path, header: GgufHeader, config: PretrainedConfig, dtype: torch.dtype, attention: str
) -> tuple[Any, dict[str, Any]]:
    """The model in a file of this ``header``, in ``dtype`` and on the CPU, and transformers' report of what is missing.
    Raises ModelError for a file with a tensor that the model of this ``config`` has no place for."""
    with torch.device("meta"):
        empty = AutoModelForCausalLM.from_config(config)
    names = get_tensor_name_map(FAMILY[config.model_type], config.num_hidden_layers)
    places = {names.get_name(name, try_suffixes=(".weight", ".bias")): name for name in empty.state_dict()}
    if foreign := sorted(header.tensors.keys() - places.keys()):
        raise ModelError(f"GGUF file {str(path)!r} has a tensor {foreign[0]!r}, which this model has no place for")
    content = np.memmap(path, np.uint8, "r")
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    state = {}
    for name, tensor in header.tensors.items():
        rows = content[tensor.offset : tensor.offset + tensor.size].reshape(*tensor.shape[:-1], -1)
        weight = torch.from_numpy(dequantize(rows, tensor.kind).astype(np.float32).reshape(tensor.shape))
        layer = places[name].split(".")[-2]
        if config.model_type == "llama" and layer in heads:
            weight = _halves(weight, heads[layer])
        state[places[name]] = weight.to(dtype)
    model, report = cast(Any, type(empty)).from_pretrained(
        None, config=config, state_dict=state, dtype=dtype, attn_implementation=attention, output_loading_info=True
    )
    model.name_or_path = model.config.name_or_path = str(path)  # by which its tokenizer is found
    return model, report


def _halves(weight: torch.Tensor, heads: int) -> torch.Tensor:
    """llama.cpp rotates neighbouring rows of a head, transformers the first half with the second: back to halves."""
    return weight.view(heads, -1, 2, *weight.shape[1:]).transpose(1, 2).reshape(weight.shape)
