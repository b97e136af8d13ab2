"""A transformers causal model behind a trie KV cache: preallocated, written in place, compacted by row."""

import hashlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from typing import Literal

import numpy as np
import torch
from transformers import PretrainedConfig, PreTrainedModel
from transformers.cache_utils import Cache, CacheLayerMixin

from specviz.errors import ModelError
from specviz.lm.language_model import ModelShape, Scores
from specviz.lm.lean import LeanForward
from specviz.lm.prompts import BLOCK, KeysAndValues, PromptMemory, Reading
from specviz.lm.trie import TokenTrie

ATTENTION_KINDS_ALLOWED: tuple[str, ...] = ("full_attention",)
LONGEST_CALL = 512  # rows; the mask of a call has this many times the rows so far


class TransformerLM:
    """Any causal model of transformers whose positions and attention can be told: tree rows get explicit positions
    (their depth) and a mask (their ancestors). Raises ModelError, naming the model, for architectures that cannot.

    ``dtype`` float32, bfloat16 or float16; logits come back in it, on the model's device. ``model`` is one that is
    loaded already (``load_pair`` loads them by name), ``name`` what traces call it; ``vocab_size`` leaves out padding
    at the end of the vocabulary (default: the configuration's).

    >>> import specviz
    >>> from transformers import LlamaConfig, LlamaForCausalLM
    >>> sizes = {"hidden_size": 16, "intermediate_size": 32, "num_attention_heads": 2, "num_hidden_layers": 1}
    >>> model = LlamaForCausalLM(LlamaConfig(vocab_size=32, **sizes))
    >>> pair = specviz.ModelPair(specviz.TransformerLM(model, "tiny"), specviz.NgramLM("prompt", 32))
    >>> len(specviz.decode(pair, "speculative", [1, 2, 3], max_new_tokens=5).tokens)
    5
    """

    def __init__(self, model: PreTrainedModel, name: str, vocab_size: int | None = None):
        config = model.config.get_text_config()
        _refuse_unsuitable(model.config, config, name)
        self.model = model.eval()
        self.name = name
        self.vocab_size = vocab_size or config.vocab_size
        self.context = getattr(config, "max_position_embeddings", None)
        self.dtype = model.dtype
        self.device = _weight(model.get_input_embeddings()).device
        self.fingerprint = fingerprint(model)
        self.shape = _shape(model)
        self.prompts = PromptMemory()
        self.lean, self.lean_refused = _lean_forward(self.model)
        if self.lean and (fault := _tree_fault(self)):
            self.lean, self.lean_refused = None, fault
        if not self.lean and (fault := _tree_fault(self)):
            raise ModelError(f"model {name!r} ({config.model_type}) follows no tree mask: {fault}; it cannot be used")

    @property
    def forward(self) -> Literal["lean", "stock"]:
        """Whose forward pass computes it: ``lm/lean.py``'s or transformers'; ``lean_refused`` says why."""
        return "lean" if self.lean else "stock"

    def open(self, capacity: int, hidden: bool = False) -> "TransformerSession":
        """A new session for up to ``capacity`` rows; ``hidden``: its scores hold the last hidden states too."""
        return TransformerSession(self, capacity, hidden)


def _refuse_unsuitable(whole: PretrainedConfig, config: PretrainedConfig, name: str) -> None:
    if getattr(whole, "is_encoder_decoder", False):
        raise ModelError(
            f"model {name!r} is an encoder-decoder ({config.model_type}); only causal decoders can be used"
        )
    kinds = set(getattr(config, "layer_types", None) or ATTENTION_KINDS_ALLOWED)
    windowed = getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True)
    if windowed and kinds <= set(ATTENTION_KINDS_ALLOWED) and not getattr(config, "layer_types", None):
        kinds.add("sliding_attention")
    unsuitable = sorted(kinds - set(ATTENTION_KINDS_ALLOWED))
    if unsuitable:
        raise ModelError(
            f"model {name!r} ({config.model_type}) has {', '.join(unsuitable)} layers, whose cache cannot be a tree of "
            "tokens; choose a model with full attention in every layer (Llama, Qwen3, OPT, GPT-2, GPT-NeoX, ...)"
        )


def _shape(model: PreTrainedModel) -> ModelShape:
    config = model.config.get_text_config()
    embeddings = {_weight(model.get_input_embeddings()), *_output_weights(model)}
    return ModelShape(
        parameters=sum(p.numel() for p in model.parameters()),
        embedding_parameters=sum(weight.numel() for weight in embeddings),
        layers=config.num_hidden_layers,
        width=config.hidden_size,
    )


def _output_weights(model: PreTrainedModel) -> list[torch.Tensor]:
    head = model.get_output_embeddings()
    return [] if head is None else [_weight(head)]


def _weight(layer: torch.nn.Module) -> torch.Tensor:
    """The weight of an embedding or a projection."""
    weight = layer.weight
    assert isinstance(weight, torch.Tensor)
    return weight


def fingerprint(model: PreTrainedModel, samples: int = 4096) -> str:
    """SHA-256 (16 hex digits) over every parameter's name, shape and up to ``samples`` evenly spaced values."""
    digest = hashlib.sha256()
    for name, parameter in sorted(model.named_parameters()):
        flat = parameter.detach().reshape(-1)
        stride = -(-flat.numel() // samples)
        digest.update(f"{name}{tuple(parameter.shape)}".encode())
        digest.update(flat[::stride].float().cpu().numpy().tobytes())
    return digest.hexdigest()[:16]


class _TrieLayer(CacheLayerMixin):
    """One layer's keys and values, [1, heads, capacity, head size] each, allocated at the first update."""

    is_croppable = False

    def __init__(self, rows: "_RowCount", capacity: int):
        super().__init__()
        self._rows, self._capacity = rows, capacity

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        shape = (1, key_states.shape[1], self._capacity)
        self.keys = key_states.new_empty((*shape, key_states.shape[3]))
        self.values = value_states.new_empty((*shape, value_states.shape[3]))
        self.is_initialized = True

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: object, **kwargs: object
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        (keys, values), start, end = self._held(), self._rows.start, self._rows.end
        keys[:, :, start:end] = key_states
        values[:, :, start:end] = value_states
        return keys[:, :, :end], values[:, :, :end]

    def _held(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Keys and values, once there are any."""
        assert self.keys is not None and self.values is not None
        return self.keys, self.values

    def copy(self, rows: int) -> KeysAndValues:
        """Its first ``rows`` rows."""
        keys, values = self._held()
        return keys[:, :, :rows].clone(), values[:, :, :rows].clone()

    def fill(self, kept: KeysAndValues, rows: int) -> None:
        """Make the first ``rows`` rows of ``kept`` its own."""
        if not self.is_initialized:
            self.lazy_initialization(*kept)
        keys, values = self._held()
        keys[:, :, :rows] = kept[0][:, :, :rows]
        values[:, :, :rows] = kept[1][:, :, :rows]

    def move(self, sources: torch.Tensor, start: int) -> None:
        """Copy the rows ``sources`` to the rows from ``start`` on."""
        keys, values = self._held()
        sources, end = sources.to(keys.device), start + len(sources)
        keys[:, :, start:end] = keys.index_select(2, sources)
        values[:, :, start:end] = values.index_select(2, sources)

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self._rows.start + query_length, 0

    def get_seq_length(self) -> int:
        return self._rows.start

    def get_max_length(self) -> int:
        return self._capacity


class _RowCount:
    """Where the next call writes, shared by all layers."""

    start = 0
    end = 0


class TransformerSession:
    """A trie whose rows have keys and values in every layer; ``hidden``: scores hold the last hidden states too."""

    def __init__(self, language_model: TransformerLM, capacity: int, hidden: bool = False):
        self._language_model, self._hidden = language_model, hidden
        self.trie = TokenTrie(capacity)
        self._rows = _RowCount()
        layers = language_model.shape.layers
        self._layers = [_TrieLayer(self._rows, capacity) for _ in range(layers)]
        self._cache = Cache(layers=[*self._layers])

    @torch.inference_mode()
    def extend(self, tokens: Sequence[int], parents: Sequence[int], *, last_only: bool = False) -> Scores:
        start = len(self.trie)
        self.trie.add(tokens, parents)
        if last_only and start == 0 and self.trie.is_chain:
            return self._read()
        ends = [*range(start + LONGEST_CALL, len(self.trie), LONGEST_CALL), len(self.trie)]
        scores = [self._scored(first, end, last_only) for first, end in pairwise([start, *ends])]
        return scores[-1] if last_only or len(scores) == 1 else Scores.joined(scores)

    def _read(self) -> Scores:
        """Score the last row of a prompt, which the trie has already; rows that were read before are taken over."""
        tokens, memory = tuple(self.trie.tokens), self._language_model.prompts
        reading, start = memory.recall(tokens, self._hidden)
        if reading is not None:
            for layer, kept in zip(self._layers, reading.layers, strict=True):
                layer.fill(kept, start)
            self._rows.start = self._rows.end = start
            if start == len(tokens):
                return reading.scores
        scores = None
        for end in [*range(start + BLOCK, len(tokens), BLOCK), len(tokens)]:
            scores = self._scored(self._rows.start, end, True)
        assert scores is not None  # a prompt has rows
        memory.keep(Reading(tokens, tuple(layer.copy(len(tokens)) for layer in self._layers), scores))
        return scores

    def _scored(self, start: int, end: int, last_only: bool) -> Scores:
        """One forward pass over the rows from ``start`` to ``end``, which the trie has already."""
        language_model, trie = self._language_model, self.trie
        self._rows.start, self._rows.end = start, end
        device = language_model.device
        mask = trie.mask(start, end)
        tokens = torch.tensor(trie.tokens[start:end], device=device)
        positions = torch.tensor(trie.depths[start:end], device=device)
        try:
            if language_model.lean:
                seen = None if mask.all() else torch.from_numpy(mask).to(device)
                logits, hidden = language_model.lean(tokens, positions, seen, self._layers, last_only)
            else:
                logits, hidden = self._stock(tokens, positions, torch.from_numpy(mask).to(device), last_only)
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise _out_of_memory(language_model, end) from error
            raise
        self._rows.start = end
        return Scores(logits[:, : language_model.vocab_size], hidden if self._hidden else None)

    def _stock(
        self, tokens: torch.Tensor, positions: torch.Tensor, mask: torch.Tensor, last_only: bool
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """The forward pass as transformers has it."""
        model = self._language_model.model
        seen: list[torch.Tensor] = []
        with _projected(model, seen) if self._hidden else nullcontext():
            output = model(
                input_ids=tokens[None],
                attention_mask=mask[None, None],
                position_ids=positions[None],
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=1 if last_only else 0,
            )
        return output.logits[0], seen[0][0] if seen else None

    @torch.inference_mode()
    def keep(self, rows: Sequence[int]) -> None:
        stay = self.trie.keep(rows)
        if stay < len(rows):
            sources = torch.tensor(rows[stay:])
            for layer in self._layers:
                layer.move(sources, stay)
        self._rows.start = self._rows.end = len(rows)


@contextmanager
def _projected(model: PreTrainedModel, seen: list[torch.Tensor]) -> Generator[None, None, None]:
    """Append to ``seen`` what the vocabulary projection reads, [1, rows, width], in each call made inside."""
    head = model.get_output_embeddings()
    assert head is not None, "a causal model projects to its vocabulary"
    hook = head.register_forward_pre_hook(lambda _module, inputs: seen.append(inputs[0]))
    try:
        yield
    finally:
        hook.remove()


def is_out_of_memory(error: BaseException) -> bool:
    """Whether torch, safetensors or Python ran out of memory. On a CPU torch says so in a plain RuntimeError, which can
    be told from others by its words alone; this is the one place that reads them."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    words = ("not enough memory", "cannot allocate memory", "can't allocate memory", "out of memory")
    return any(one in str(error).lower() for one in words)


def _out_of_memory(language_model: TransformerLM, rows: int) -> ModelError:
    return ModelError(
        f"out of memory on {language_model.device} while {language_model.name!r} held {rows} cache rows; "
        "use a shorter prompt, fewer beams, --dtype bfloat16 or a smaller model",
        code="out_of_memory",
    )


def _lean_forward(model: PreTrainedModel) -> tuple[LeanForward | None, str]:
    """The lean forward pass of ``model``, or None and why there is none."""
    try:
        return LeanForward(model), ""
    except ValueError as error:
        return None, str(error)


def _tree_fault(language_model: TransformerLM) -> str:
    """Score a fork (two children of one token) at once, and each path by the stock forward pass: empty where the two
    agree, or what the difference is."""
    vocab_size = language_model.vocab_size
    first, left, right = (i % vocab_size for i in (3, 5, 7))
    tree = language_model.open(4)
    together = tree.extend([first, left, right, left], [-1, 0, 0, 2]).logits.float().cpu()
    for path, rows in (((first, left), (0, 1)), ((first, right, left), (0, 2, 3))):
        with torch.inference_mode():
            inputs = torch.tensor([path], device=language_model.device)
            alone = language_model.model(input_ids=inputs, use_cache=False).logits[0, :, :vocab_size].float().cpu()
        spread = float((together[list(rows)] - alone).abs().max())
        size = max(float(alone.abs().max()), 1e-3)
        tolerance = 1e-3 if language_model.dtype == torch.float32 else 0.1
        if not np.isfinite(spread) or spread > tolerance * size:
            return f"the logits of a fork differ by {spread:.3g} from one path at a time"
    return ""
