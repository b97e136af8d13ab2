"""A small draft that reads its target's embedding and proposes a part of the vocabulary: the layers alone are kept.

The folder holds ``config.json`` (of the target's architecture, with fewer layers, and ``draft_of``: the target's name)
and ``*.safetensors`` in bfloat16, each below 10 MB: the layers, the last norm, ``draft_vocabulary``, the ids of the
tokens that it proposes, and ``target_embedding``, some values to know the target by. The input embedding and the
proposed tokens' rows of the output projection are the target's own. A draft that reads the target's hidden states has
``joining``, too, the matrix of ``lm/network/joining.py``; one of EAGLE-3's kind says in ``config.json`` after which
layers it reads them, as public ones do (``eagle_aux_hidden_state_layer_ids``).
"""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple, cast

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM, PretrainedConfig, PreTrainedModel

from specviz.errors import ModelError
from specviz.lm.network.joining import Joining, with_two_inputs
from specviz.lm.network.listening import ListeningLM
from specviz.lm.network.narrow import round_weights
from specviz.lm.network.suitable import attention_for
from specviz.lm.network.transformer import TransformerLM

SHARD_BYTES = 9_000_000
VOCABULARY, SAMPLE, JOINING = "draft_vocabulary", "target_embedding", "joining"
LAYERS = "eagle_aux_hidden_state_layer_ids"
ALIKE = 0.05  # how far the sample may be off, as a share of its length: a rounding to float16 is less


class SmallDraft(NamedTuple):
    """A draft's ``model``, as ``assembled`` makes it, the ids of the tokens that it proposes (``vocabulary``, int64
    [n]), and how it reads the target's hidden states (None: it does not)."""

    model: PreTrainedModel
    vocabulary: torch.Tensor
    joining: Joining | None = None

    def weights(self) -> dict[str, torch.Tensor]:
        """Those that are its own, by name: not the target's tables."""
        shared = [self.model.get_input_embeddings(), self.model.get_output_embeddings()]
        borrowed = {id(weight) for module in shared if module is not None for weight in module.parameters()}
        joining = {} if self.joining is None else {JOINING: self.joining.matrix}
        named = {**dict(self.model.named_parameters()), **joining}
        return {name: weight for name, weight in named.items() if id(weight) not in borrowed}


def is_small_draft(source: object) -> bool:
    """Whether this is a folder that ``save_small_draft`` wrote."""
    if not isinstance(source, str | os.PathLike):
        return False
    try:
        return "draft_of" in json.loads((Path(os.path.expanduser(source)) / "config.json").read_text("utf-8"))
    except (OSError, ValueError):
        return False


def assembled(target: PreTrainedModel, config: PretrainedConfig, vocabulary: torch.Tensor) -> PreTrainedModel:
    """A model of ``config`` between the embedding of ``target`` and the rows of its output projection that belong to
    ``vocabulary`` (ids, int64 [n]), in the dtype and on the device of the target; its own layers are fresh, the first
    one EAGLE-3's where the configuration names layers. Raises ModelError for a target whose embedding is more than a
    table of rows."""
    embedding, projection = _tables(target)
    attention = attention_for(type(target))
    model: PreTrainedModel = AutoModelForCausalLM.from_config(config, dtype=target.dtype, attn_implementation=attention)
    if getattr(config, LAYERS, None):
        model = with_two_inputs(model)
    rows, bias = vocabulary.to(projection.weight.device), cast(torch.Tensor | None, projection.bias)
    head = torch.nn.Linear(projection.in_features, len(rows), bias=bias is not None, device="meta")
    head.weight = torch.nn.Parameter(projection.weight.detach()[rows], requires_grad=False)
    if bias is not None:
        head.bias = torch.nn.Parameter(bias.detach()[rows], requires_grad=False)
    shared = torch.nn.Embedding.from_pretrained(embedding.weight.detach(), freeze=True)
    shared.padding_idx = embedding.padding_idx
    model.set_input_embeddings(shared)
    model.set_output_embeddings(head)
    return cast(Any, model).to(embedding.weight.device)


def _tables(target: PreTrainedModel) -> tuple[torch.nn.Embedding, torch.nn.Linear]:
    """The embedding and the output projection. Raises ModelError unless each is a table of rows that is there."""
    embedding, projection = target.get_input_embeddings(), target.get_output_embeddings()
    kind = target.config.model_type
    if type(embedding) is not torch.nn.Embedding or type(projection) is not torch.nn.Linear:
        raise ModelError(
            f"the embedding of {kind} ({type(embedding).__name__}) is not one that a small draft can share"
        )
    if embedding.weight.is_meta or projection.weight.is_meta:
        raise ModelError(f"the embedding of {kind} is offloaded: no small draft can share it")
    if projection.in_features != embedding.embedding_dim:
        raise ModelError(f"{kind} reads and writes tokens of different widths: no small draft can share both")
    return embedding, projection


def _sample(target: PreTrainedModel) -> torch.Tensor:
    """Up to 4,096 evenly spaced values of the target's embedding, bfloat16."""
    flat = _tables(target)[0].weight.detach().reshape(-1)
    return flat[:: -(-flat.numel() // 4096)].to(torch.bfloat16).cpu()


def save_small_draft(draft: SmallDraft, target: PreTrainedModel, directory: str | Path) -> None:
    """Write ``draft``, made for ``target``, into ``directory``."""
    directory, model, vocabulary = Path(directory), draft.model, draft.vocabulary
    directory.mkdir(parents=True, exist_ok=True)
    shards: list[dict[str, torch.Tensor]] = [{VOCABULARY: vocabulary.to(torch.int32).cpu(), SAMPLE: _sample(target)}]
    for name, weight in draft.weights().items():
        saved = weight.detach().to(torch.bfloat16).cpu().contiguous()
        if sum(other.nbytes for other in shards[-1].values()) + saved.nbytes > SHARD_BYTES:
            shards.append({})
        shards[-1][name] = saved
    names = [f"draft-{number:05d}-of-{len(shards):05d}.safetensors" for number in range(1, len(shards) + 1)]
    for name, shard in zip(names, shards, strict=True):
        save_file(shard, directory / name)
    for stale in {file.name for file in directory.glob("draft-*.safetensors")} - set(names):
        (directory / stale).unlink()
    own = {name: value for name, value in model.config.to_dict().items() if name != "_name_or_path"}
    config = {**own, "draft_of": Path(target.name_or_path or "").name, "dtype": "bfloat16"}
    (directory / "config.json").write_text(json.dumps(config, indent=1, default=str) + "\n")


def read_small_draft(source: str | os.PathLike[str], target: PreTrainedModel) -> SmallDraft:
    """The draft in ``source`` between the embedding of ``target`` and its output projection, in the target's dtype.
    Raises ModelError, naming the folder, for files that are missing or damaged, or were made for another target."""
    directory = Path(os.path.expanduser(source))
    try:
        config: PretrainedConfig = AutoConfig.from_pretrained(directory, local_files_only=True, trust_remote_code=False)
        weights = {
            name: part
            for file in sorted(directory.glob("draft-*.safetensors"))
            for name, part in load_file(file).items()
        }
        vocabulary, sample = weights.pop(VOCABULARY).long(), weights.pop(SAMPLE).float()
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise ModelError(f"draft {directory.name!r} could not be read: {str(error)[:200]}") from error
    own_sample = _sample(target).float()
    if own_sample.shape != sample.shape or (own_sample - sample).norm() > ALIKE * sample.norm():
        raise ModelError(
            f"draft {directory.name!r} reads the embedding of the target that it was trained for; "
            f"{Path(target.name_or_path or 'this').name!r} is another one"
        )
    model = assembled(target, config, vocabulary)
    joining = empty_joining(model) if JOINING in weights else None
    draft = SmallDraft(model, vocabulary.to(model.device), joining)
    own, there = ({(name, *of[name].shape) for name in of} for of in (draft.weights(), weights))
    if wrong := sorted(own ^ there):
        raise ModelError(f"the weights of draft {directory.name!r} are not whole: {wrong[0][0]!r}")
    with torch.no_grad():
        for name, weight in draft.weights().items():
            weight.copy_(weights[name])
    return draft


def empty_joining(model: PreTrainedModel) -> Joining:
    """How a draft's ``model`` joins states that are as wide as its own; what the matrix holds is still to come."""
    width, layers = model.config.hidden_size, tuple[int, ...](getattr(model.config, LAYERS, None) or ())
    matrix = torch.zeros(width, (len(layers) or 2) * width, dtype=model.dtype, device=model.device)
    return Joining(matrix, layers, model.config.num_hidden_layers) if layers else Joining(matrix)


def load_small_draft(
    source: str | os.PathLike[str],
    target: TransformerLM,
    dtype: torch.dtype,
    graphs: bool | None = None,
    *,
    bits: int | None = None,
) -> TransformerLM:
    """The draft in ``source`` beside ``target``, whose embedding it reads, in ``dtype``. Raises as
    ``read_small_draft``."""
    draft, name = read_small_draft(source, target.model), Path(os.path.expanduser(source)).name
    narrow = round_weights(draft.model) if bits else None
    model = cast(Any, draft.model).to(dtype)
    if draft.joining is not None:
        return ListeningLM(model, name, draft.joining, proposes=draft.vocabulary, narrow=narrow)
    return TransformerLM(model, name, graphs=graphs, narrow=narrow, proposes=draft.vocabulary)
