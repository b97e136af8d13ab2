"""Reading models from disk or hub, and saying clearly why one cannot be read."""

import logging
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from transformers import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    TOKENIZER_MAPPING,
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)
from transformers.utils import logging as transformers_logging

from specviz.errors import ModelError, as_given
from specviz.lm.loading.gguf import load_gguf, read_header
from specviz.lm.network.cache import is_out_of_memory
from specviz.lm.network.narrow import round_weights
from specviz.lm.network.suitable import attention_for, refuse_other_attention, refuse_unsuitable
from specviz.lm.network.transformer import TransformerLM

log = logging.getLogger(__name__)

NameOrPath = str | os.PathLike[str]
"""A directory or a GGUF file, in which ``~`` stands for the home folder, or a hub id."""


@contextmanager
def about(argument: str) -> Generator[None]:
    """A ModelError raised inside is about this argument, unless it names another one."""
    try:
        yield
    except ModelError as error:
        error.argument = error.argument or argument
        raise


def _found(source: NameOrPath) -> tuple[Path | None, dict[str, Any]]:
    """Where the source lies (None: on the hub), and how transformers' readers are to be called for it. Raises
    ModelError for one that is not there."""
    path = Path(os.path.expanduser(source))
    here: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    if path.exists():
        return path, {"pretrained_model_name_or_path": path, **here}
    if path.is_absolute() or str(source).startswith(".") or len(path.parts) > 2 or path.suffix == ".gguf":
        what = "GGUF file" if path.suffix == ".gguf" else "model directory"
        raise ModelError(f"{what} {str(source)!r} does not exist")
    return None, {"pretrained_model_name_or_path": source, **here, "local_files_only": False}


def _short(error: Exception) -> str:
    return str(error).strip().split("\n")[0][:300]


def load_tokenizer(source: NameOrPath) -> PreTrainedTokenizerBase:
    """The tokenizer of a model. Raises ModelError when it has none that can be read."""
    path, reading = _found(source)
    header = read_header(path) if path and path.is_file() else None
    try:
        if not path or not header:
            return AutoTokenizer.from_pretrained(**reading)
        kind: Any = TOKENIZER_MAPPING.get(type(header.config()), PreTrainedTokenizerFast)
        return kind.from_pretrained(**reading | {"pretrained_model_name_or_path": path.parent, "gguf_file": path.name})
    except Exception as error:  # tokenizers fail in many ways, all of them the file's fault
        raise ModelError(f"no tokenizer could be read from {str(source)!r}: {_short(error)}") from error


FEW_BYTES = 1 << 30  # of a model's files


def load_model(
    source: NameOrPath, device: str, dtype: torch.dtype, graphs: bool | None = None, *, bits: int | None = None
) -> TransformerLM:
    """A causal model with safetensors weights on ``device`` ("auto": spread over the GPUs), rounded to ``bits``, 4 or
    None."""
    path, reading = _found(source)
    header = None if path is None or path.is_dir() else read_header(path)
    name = (path.stem if header else path.name) if path else str(source)
    if path and not header:
        _check_files(path)
    check_device(device)
    transformers_logging.disable_progress_bar()
    # Transformers makes any other dtype torch's default, for all threads, while it loads; others may be computing.
    loading = torch.float32 if path and _bytes(path) <= FEW_BYTES else dtype
    try:
        config = header.config() if header else AutoConfig.from_pretrained(**reading)
        attention = _attention(config, name)
        loaded: Any
        if path and header:
            if device == "auto":
                raise ModelError(f"GGUF file {name!r} cannot be spread over GPUs: use cuda or cpu", argument="device")
            loaded = load_gguf(path, header, config, loading, attention)
        else:
            loaded = AutoModelForCausalLM.from_pretrained(
                **reading,
                **({"device_map": "auto"} if device == "auto" else {}),
                config=config,
                dtype=loading,
                attn_implementation=attention,
                use_safetensors=True,
                output_loading_info=True,
            )
        model, report = loaded  # a pair, with output_loading_info
        if report["missing_keys"]:
            raise ModelError(
                f"the weights of {name!r} lack {sorted(report['missing_keys'])[0]!r}: the files are not whole"
            )
        narrow = round_weights(model) if bits else None  # of the weights as they were read
        if loading != dtype:
            for weight in model.parameters():
                weight.data = weight.data.to(dtype)
            model.config.dtype = dtype
        loaded_on = model if device == "auto" else model.to(device)
        return TransformerLM(loaded_on, name, graphs=graphs, narrow=narrow)
    except ModelError:
        raise
    except Exception as error:  # safetensors, transformers and the hub raise many kinds
        if is_out_of_memory(error):
            raise ModelError(
                f"out of memory on {device} while loading {name!r}; try bfloat16 or a smaller model",
                code="out_of_memory",
            ) from error
        raise ModelError(f"model {str(source)!r} could not be loaded: {_short(error)}") from error


def _bytes(path: Path) -> int:
    return sum(file.stat().st_size for file in (path.glob("*.safetensors") if path.is_dir() else [path]))


def _check_files(directory: Path) -> None:
    if not (directory / "config.json").is_file():
        raise ModelError(f"model directory {str(directory)!r} has no config.json")
    if not any(directory.glob("*.safetensors")):
        raise ModelError(f"model directory {str(directory)!r} has no *.safetensors weights; other formats are not read")


def _attention(config: PretrainedConfig, name: str) -> str:
    """Which attention to load a model with. Raises ModelError, before any weight is read, for an unsuitable one."""
    refuse_unsuitable(config, name)
    kind: Any = MODEL_FOR_CAUSAL_LM_MAPPING.get(type(config), None)
    if kind is None or isinstance(kind, tuple):  # one of several: what it is will be seen once it is loaded
        return "sdpa"
    refuse_other_attention(kind, config, name)
    return attention_for(kind)


def check_device(device: str) -> None:
    """Raises ModelError unless models can be loaded to it: cpu, and where there is a GPU cuda, cuda:N and auto."""
    if device == "cpu":
        return
    if device == "auto" or str(device).split(":")[0] == "cuda":
        if not torch.cuda.is_available():
            raise ModelError(
                f"device {device!r} was asked for, but this torch sees no CUDA GPU; use cpu", argument="device"
            )
        return
    raise ModelError(f"device must be cpu, cuda, cuda:N or auto, got {as_given(device)}", argument="device")


def unshared_tokens(
    target: NameOrPath,
    target_tokenizer: PreTrainedTokenizerBase,
    draft: NameOrPath,
    draft_tokenizer: PreTrainedTokenizerBase,
) -> frozenset[int]:
    """The ids that stand for different strings in the two tokenizers, or for one in one of them only. Raises ModelError
    unless all of them are special, or were added to a vocabulary that is the same."""
    ours, theirs = target_tokenizer.get_vocab(), draft_tokenizer.get_vocab()
    differing = sorted(ours.items() ^ theirs.items(), key=lambda item: (item[1], item[0]))
    added = target_tokenizer.added_tokens_decoder.keys() | draft_tokenizer.added_tokens_decoder.keys()
    for token, number in differing:
        if number not in added:
            raise ModelError(
                f"target {str(target)!r} ({len(ours)} tokens) and draft {str(draft)!r} ({len(theirs)}) have different "
                f"vocabularies, for example at id {number} ({token!r}); speculative decoding needs a shared one"
            )
    if differing:
        token, number = differing[0]
        log.warning(
            "draft %r does not share %d of the added tokens of target %r, such as %r (id %d): it never proposes them",
            *(str(draft), len({number for _, number in differing}), str(target), token, number),
        )
    return frozenset(number for _, number in differing)


def model_inside(module: torch.nn.Module) -> PreTrainedModel:
    """The model of transformers: itself, or inside a wrapper that changed its layers in place (peft's LoRA). Raises
    ModelError for any other module, and for adapters that work on the prompt instead."""
    adapter = getattr(module, "active_peft_config", None)
    if getattr(adapter, "is_prompt_learning", False):
        raise ModelError(
            f"{type(module).__name__} has an adapter that adds to the prompt, which a tree cannot; merge it"
        )
    inside = module if isinstance(module, PreTrainedModel) else getattr(module, "get_base_model", lambda: None)()
    if not isinstance(inside, PreTrainedModel):
        raise ModelError(
            f"a model must be a directory, a hub id, or a model of transformers (peft's may wrap it), got a "
            f"{type(module).__name__}"
        )
    return inside


def wrap_model(model: PreTrainedModel, graphs: bool | None = None) -> TransformerLM:
    """A causal model that is loaded already: as it is, on its device and in its dtype, switched to evaluation."""
    return TransformerLM(model, Path(model.name_or_path or "").name or type(model).__name__, graphs=graphs)


def tokenizer_of(source: NameOrPath | PreTrainedModel) -> PreTrainedTokenizerBase:
    """The tokenizer of a model, loaded or not. Raises ModelError where it has none that can be read."""
    if not isinstance(source, PreTrainedModel):
        return load_tokenizer(source)
    if not source.name_or_path:
        raise ModelError(
            f"this {type(source).__name__} has no name to read a tokenizer by: give tokenizer=",
            argument="tokenizer",
            code="missing_part",
        )
    return load_tokenizer(source.name_or_path)


def end_tokens_of(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """The ids that end a text, from the generation settings and the tokenizer."""
    ends = getattr(model.generation_config, "eos_token_id", None)
    tokens = set(ends) if isinstance(ends, list | tuple) else {ends}
    tokens.add(tokenizer.eos_token_id)
    return frozenset(int(token) for token in tokens if token is not None)
