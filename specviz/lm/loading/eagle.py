"""EAGLE-3 drafts in the layouts that are public: a folder of the authors' kind, or of the library speculators.

Both hold ``fc.weight``, the layers (``midlayer.*``, or ``layers.0.*`` and on), ``norm.weight``, ``lm_head.weight`` over
a draft vocabulary and ``d2t``, whose token of the target is the draft's plus ``d2t`` of it; ``t2d``, the target's
tokens that are among them; and perhaps an embedding, without which the target's is read. ``config.json`` is that of the
layers, or holds it (``transformer_layer_config``). Weights are ``*.safetensors`` or ``pytorch_model*.bin``, of which
nothing but tensors is read.

After which of the target's layers states are read: ``eagle_aux_hidden_state_layer_ids`` numbers what a layer reads, as
vLLM does; inside ``eagle_config`` it numbers layers by what they leave, as SGLang does, which is one less. Without it
they are the usual low, middle and high one.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, cast

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from transformers import AutoConfig, AutoModelForCausalLM, PretrainedConfig, PreTrainedModel

from specviz.errors import ModelError
from specviz.lm.loading.small_draft import LAYERS
from specviz.lm.network.joining import Joining, low_middle_high, with_two_inputs
from specviz.lm.network.lean import FAMILIES
from specviz.lm.network.listening import ListeningLM
from specviz.lm.network.narrow import round_weights
from specviz.lm.network.transformer import TransformerLM

Weights = dict[str, torch.Tensor]
KIND, LAYER_CONFIG = "speculators_model_type", "transformer_layer_config"
FC, HEAD, EMBEDDING, FIRST = "fc.weight", "lm_head.weight", "embed_tokens.weight", "layers.0."


def is_eagle(source: object) -> bool:
    """Whether this is a folder with a draft in one of these layouts."""
    if not isinstance(source, str | os.PathLike):
        return False
    try:
        config = json.loads((Path(os.path.expanduser(source)) / "config.json").read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and ("draft_vocab_size" in config or KIND in config)


def load_eagle(
    source: str | os.PathLike[str], target: TransformerLM, dtype: torch.dtype, *, bits: int | None = None
) -> ListeningLM:
    """The draft in ``source`` for ``target``, on its device, in ``dtype``. Raises ModelError, naming the draft, for
    files that are missing or damaged, a matrix that is missing or not known, and a draft of another target."""
    directory = Path(os.path.expanduser(source))
    name = directory.name
    try:
        whole = json.loads((directory / "config.json").read_text("utf-8"))
        weights = _weights(directory)
    except (OSError, ValueError, RuntimeError, UnpicklingError, SafetensorError) as error:
        raise ModelError(f"draft {name!r} could not be read: {str(error)[:200]}") from error
    if whole.get(KIND, "eagle3") != "eagle3":
        raise ModelError(f"draft {name!r} is a speculator of kind {whole[KIND]!r}: only eagle3 is read")
    config = _layer_config(whole, name)
    _check_vocabulary(config, target, name)
    proposes = _proposed(weights, config.vocab_size, name)
    layers = _layers(whole, target, name)
    model = _model(config, weights, target, name, before=bool(whole.get("norm_before_residual")))
    fc = _fc(weights, config.hidden_size, layers, target, name)
    narrow = round_weights(model) if bits else None
    joining = Joining(fc, layers, config.num_hidden_layers)
    return ListeningLM(cast(Any, model).to(dtype), name, joining, proposes=proposes.to(target.device), narrow=narrow)


def _weights(directory: Path) -> Weights:
    """All matrices by the names of speculators, those left out that are the target's or can be worked out."""
    files = sorted(directory.glob("*.safetensors"))
    parts = [load_file(file) for file in files] or [
        torch.load(file, map_location="cpu", weights_only=True) for file in sorted(directory.glob("pytorch_model*.bin"))
    ]
    if not parts:
        raise ValueError("there are no *.safetensors and no pytorch_model*.bin")
    named = {name.removeprefix("model."): weight for part in parts for name, weight in part.items()}
    named = {name.replace("midlayer.", FIRST, 1): weight for name, weight in named.items()}
    return {
        name: weight
        for name, weight in named.items()
        if not name.startswith("verifier_") and not name.endswith("inv_freq")
    }


def _layer_config(whole: dict[str, Any], name: str) -> PretrainedConfig:
    fields = whole.get(LAYER_CONFIG, whole)
    family = fields.get("model_type", "llama")
    if family not in FAMILIES:
        raise ModelError(f"draft {name!r} has layers of {family}: only those of {', '.join(FAMILIES)} are read")
    config = type(AutoConfig.for_model(family)).from_dict({"num_hidden_layers": 1, **fields})
    config.tie_word_embeddings, config.pad_token_id = False, None
    return config


def _check_vocabulary(config: PretrainedConfig, target: TransformerLM, name: str) -> None:
    theirs = target.model.config.get_text_config().vocab_size
    if config.vocab_size != theirs:
        raise ModelError(
            f"draft {name!r} was made for a vocabulary of {config.vocab_size}, target {target.name!r} has one of "
            f"{theirs}: it belongs to another target"
        )


def _proposed(weights: Weights, vocab_size: int, name: str) -> torch.Tensor:
    """The target's ids of the draft's tokens, int64 [n]. Raises ModelError where the maps do not say them."""
    if HEAD not in weights:
        raise _lacks(HEAD, name)
    head, offsets, among = weights[HEAD], weights.pop("d2t", None), weights.pop("t2d", None)
    if offsets is None and len(head) < vocab_size:
        raise ModelError(f"the weights of draft {name!r} lack 'd2t', which says what its {len(head)} tokens are")
    offsets = torch.zeros(len(head)) if offsets is None else offsets
    tokens, known = torch.arange(len(offsets)) + offsets.long(), torch.zeros(vocab_size, dtype=torch.bool)
    if int(tokens.min()) >= 0 and int(tokens.max()) < vocab_size:
        known[tokens] = True
    if int(known.sum()) != len(head) or not (among is None or torch.equal(among.bool(), known)):
        raise ModelError(f"'d2t' of draft {name!r} does not name {len(head)} of its target's {vocab_size} tokens")
    return tokens


def _layers(whole: dict[str, Any], target: TransformerLM, name: str) -> tuple[int, ...]:
    count, inside = target.shape.layers, (whole.get("eagle_config") or {}).get(LAYERS) or ()
    layers = tuple(whole.get(LAYERS) or [layer + 1 for layer in inside]) or low_middle_high(count)
    for layer in layers:
        if not 1 <= layer <= count:
            raise ModelError(
                f"draft {name!r} reads what its target is after layer {layer}, target {target.name!r} has {count}: it "
                "belongs to another target"
            )
    return layers


def _fc(weights: Weights, width: int, layers: tuple[int, ...], target: TransformerLM, name: str) -> torch.Tensor:
    fc = weights[FC]
    if fc.shape != (width, len(layers) * target.shape.width):
        raise ModelError(
            f"draft {name!r} reads hidden states of width {fc.shape[1] / len(layers):g}, target {target.name!r} has "
            f"width {target.shape.width}: it belongs to another target"
        )
    return fc


def _model(
    config: PretrainedConfig, weights: Weights, target: TransformerLM, name: str, *, before: bool
) -> PreTrainedModel:
    """The draft's layers between its embedding, or the target's, and its output projection, float32."""
    embedding, width, vocab_size = _embedding(weights, config, target, name), config.hidden_size, config.vocab_size
    config.vocab_size = 1  # both tables are put in later
    model: PreTrainedModel = AutoModelForCausalLM.from_config(config, dtype=torch.float32, attn_implementation="sdpa")
    model.config.vocab_size = vocab_size
    with_two_inputs(model, norm_before_residual=before)
    model.set_output_embeddings(torch.nn.Linear(width, len(weights[HEAD]), bias=False))
    own, elsewhere = {key.removeprefix("model."): weight for key, weight in model.state_dict().items()}, (EMBEDDING, FC)
    for key in [FC, *(key for key in own if key != EMBEDDING)]:
        if key not in weights:
            raise _lacks(key, name)
    for key, weight in weights.items():
        if key not in own and key not in elsewhere:
            raise ModelError(f"the weights of draft {name!r} have {key!r}, which no EAGLE-3 draft known here has")
        if key not in elsewhere and weight.shape != own[key].shape:
            raise _misshapen(key, weight, own[key].shape, name)
    with torch.no_grad():
        for key, weight in own.items():
            if key != EMBEDDING:
                weight.copy_(weights[key])
    model.set_input_embeddings(torch.nn.Embedding.from_pretrained(embedding, freeze=True))
    return cast(Any, model).to(target.device)


def _embedding(weights: Weights, config: PretrainedConfig, target: TransformerLM, name: str) -> torch.Tensor:
    """The draft's own embedding, or where it has none the target's, [vocab_size, width]."""
    theirs = target.model.get_input_embeddings()
    shape = (config.vocab_size, config.hidden_size)
    if EMBEDDING in weights:
        if weights[EMBEDDING].shape != shape:
            raise _misshapen(EMBEDDING, weights[EMBEDDING], shape, name)
        return weights[EMBEDDING]
    if type(theirs) is not torch.nn.Embedding or theirs.weight.is_meta or theirs.weight.shape != shape:
        raise ModelError(
            f"the weights of draft {name!r} lack {EMBEDDING!r}, and that of target {target.name!r} does not fit"
        )
    return theirs.weight.detach()


def _lacks(key: str, name: str) -> ModelError:
    return ModelError(f"the weights of draft {name!r} lack {key!r}")


def _misshapen(key: str, weight: torch.Tensor, shape: Sequence[int], name: str) -> ModelError:
    return ModelError(f"{key!r} of draft {name!r} is {list(weight.shape)}, by its config.json {list(shape)}")
