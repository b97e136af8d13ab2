"""A transformers causal model behind a trie KV cache: preallocated, written in place, compacted by row."""

import hashlib
from collections.abc import Mapping, Sequence
from copy import copy
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

import numpy as np
import torch
from transformers import PreTrainedModel

from specviz.errors import ModelError
from specviz.lm.language_model import ModelShape, Scores, Session
from specviz.lm.network.cache import GrowingCache, TrieCache, is_out_of_memory
from specviz.lm.network.graphs import Captures, CudaGraphs
from specviz.lm.network.heard import Heard
from specviz.lm.network.lean import LeanForward
from specviz.lm.network.narrow import Rounded
from specviz.lm.network.prompts import BLOCK, PromptMemory, ReadPrompt
from specviz.lm.network.static import StaticCaches
from specviz.lm.network.stock import StockForward
from specviz.lm.network.suitable import (
    exact_context,
    lacking_arguments,
    refuse_other_attention,
    refuse_unsuitable,
)
from specviz.lm.network.widened import WidenedSession
from specviz.lm.source import no_numbers
from specviz.lm.trie import TokenTrie

TRIED = 32  # tokens, from all of the vocabulary, that a model must give numbers for before it is used


class TransformerLM:
    """Any causal model of transformers whose positions and attention can be told: tree rows get explicit positions
    (their depth) and a mask (their ancestors). Raises ModelError, naming the model, for architectures that cannot.

    ``dtype`` float32, bfloat16 or float16; logits come back in float32, on the model's device, the likeliest of them
    unrounded (``lm/network/exact.py``; not of a quantised or offloaded head). ``model`` is one that is loaded already
    (``load_pair`` loads them by name), ``name`` what traces call it; ``vocab_size`` is how many tokens it is to have
    (default: the configuration's): fewer leave out the last ones, more have probability 0 (a draft for a target with a
    larger embedding), and so have the ``unshared`` ones (set later: those that stand for something else in the target's
    tokenizer). ``proposes`` (int64 [n], ids of its vocabulary) are the tokens that its n logits are of, where they are
    not of all: the others have probability 0. ``narrow`` is what ``round_weights`` made of its layers in four bits
    (``lm/network/narrow.py``), so that they are computed from that; its name says so. ``context`` is the
    configuration's, or ends with a sliding window, or where rotary factors would change with the deepest drafted token
    (LongRoPE); ``context_note`` says so. ``graphs``: calls have static shapes, which a GPU replays as CUDA graphs
    (default: on a GPU); ``graphs_refused`` says why they have not.

    >>> import specviz
    >>> from transformers import LlamaConfig, LlamaForCausalLM
    >>> sizes = {"hidden_size": 16, "intermediate_size": 32, "num_attention_heads": 2, "num_hidden_layers": 1}
    >>> model = LlamaForCausalLM(LlamaConfig(vocab_size=32, **sizes))
    >>> pair = specviz.ModelPair(specviz.TransformerLM(model, "tiny"), specviz.NgramLM("prompt", 32))
    >>> len(specviz.decode(pair, "speculative", [1, 2, 3], max_new_tokens=5).tokens)
    5
    """

    def __init__(
        self,
        model: PreTrainedModel,
        name: str,
        vocab_size: int | None = None,
        graphs: bool | None = None,
        *,
        narrow: Mapping[torch.nn.Linear, Rounded] | None = None,
        proposes: torch.Tensor | None = None,
    ):
        config = model.config.get_text_config()
        refuse_unsuitable(model.config, name)
        refuse_other_attention(type(model), config, name)
        self.model = model.eval()
        self.name = f"{name} (4 bits)" if narrow else name
        self._own_vocab_size: int = config.vocab_size
        self.vocab_size = min(vocab_size or config.vocab_size, config.vocab_size)
        self.unshared: frozenset[int] = frozenset()
        self.proposes: torch.Tensor | None = None  # set once it was tried: on its own logits
        self.dtype = model.dtype
        self.device = _input_device(model)
        self.context, self.context_note = exact_context(model, self.device)
        self.shape = _sizes(model, name)
        self.prompts = PromptMemory()
        self.stock, self._static = StockForward(self.model), None
        self.lean, self.lean_refused = _lean_forward(self.model, narrow)
        if self.lean and (fault := _fault(self)):
            self.lean, self.lean_refused = None, fault
        if not self.lean:
            _refuse_stock(self)
        self.fingerprint = fingerprint(model, narrow=bool(self.lean and self.lean.narrow))
        self._no_static = _why_no_static(self, graphs)
        if not self._no_static:
            self._static = _static_caches(self)
            if fault := _fault(self):
                self._static, self._no_static = None, fault
        self.vocab_size = vocab_size or config.vocab_size
        self.proposes = proposes

    @property
    def forward(self) -> Literal["lean", "stock"]:
        """Whose forward pass computes it: ``lm/network/lean.py``'s or transformers'; ``lean_refused`` says why."""
        return "lean" if self.lean else "stock"

    @property
    def graphs(self) -> bool:
        """Whether new sessions have static shapes, and on a GPU replay CUDA graphs."""
        return not self.graphs_refused

    @property
    def graphs_refused(self) -> str:
        """Why they have not; "" where they have."""
        return self._no_static or (self._static.captures.refused if self._static else "")

    def without_graphs(self) -> "TransformerLM":
        """The same model in the same memory, its calls launched kernel by kernel in shapes that grow."""
        eager = copy(self)
        eager._static, eager._no_static = None, "graphs are off"
        return eager

    def new_cache(self, capacity: int, holder: object) -> TrieCache:
        """A cache for ``capacity`` rows, which ``holder`` has to itself as long as it lives."""
        static = self._static.take(capacity, holder) if self._static else None
        return static or GrowingCache(self.shape.layers, capacity, self.device)

    def open(self, capacity: int, hidden: bool = False, heard: Heard | None = None) -> Session:
        """A new session for up to ``capacity`` rows; ``hidden``: its scores hold the last hidden states too; ``heard``
        gets the states of all its rows that it asks for."""
        session = TransformerSession(self, capacity, hidden, heard)
        if self.vocab_size <= self._own_vocab_size and not self.unshared and self.proposes is None:
            return session
        return WidenedSession(session, self._own_vocab_size, self.vocab_size, self.unshared, self.proposes)


def _sizes(model: PreTrainedModel, name: str) -> ModelShape:
    try:
        return _shape(model)
    except Exception as error:  # configurations whose layers differ refuse to be asked for all of them at once
        raise ModelError(f"model {name!r} ({model.config.model_type}) cannot be used: {error}") from error


def _shape(model: PreTrainedModel) -> ModelShape:
    config = model.config.get_text_config()
    layers = (model.get_input_embeddings(), model.get_output_embeddings())
    embeddings = {weight for layer in layers if isinstance(weight := getattr(layer, "weight", None), torch.Tensor)}
    weights = [weight for _, weight in _weights(model)]
    unread = getattr(layers[0], "weight", None) if len(embeddings) > 1 else None  # not tied: a call looks up rows
    queries = getattr(config, "num_attention_heads", 0)
    heads = getattr(config, "num_key_value_heads", None) or queries
    head_width = getattr(config, "head_dim", None) or config.hidden_size // max(1, queries)
    return ModelShape(
        parameters=sum(weight.numel() for weight in weights),
        embedding_parameters=sum(weight.numel() for weight in embeddings),
        layers=config.num_hidden_layers,
        width=config.hidden_size,
        weight_bytes=sum(weight.nbytes for weight in weights if weight is not unread),
        row_bytes=2 * config.num_hidden_layers * heads * head_width * model.dtype.itemsize,
    )


def _weights(model: PreTrainedModel) -> list[tuple[str, torch.Tensor]]:
    """Every parameter by its name, and every buffer that is saved: quantised layers keep their weights in those."""
    saved = model.state_dict().keys()
    return [*model.named_parameters(), *(named for named in model.named_buffers() if named[0] in saved)]


def _input_device(model: PreTrainedModel) -> torch.device:
    """Where the model reads token ids; weights that wait elsewhere (offloaded ones) are brought there for a call."""
    embedding = model.get_input_embeddings()
    weight = getattr(embedding, "weight", None)
    device = weight.device if isinstance(weight, torch.Tensor) else model.device
    if device.type == "meta":
        device = torch.device(getattr(getattr(embedding, "_hf_hook", None), "execution_device", "cpu"))
    return device


def fingerprint(
    model: PreTrainedModel,
    samples: int = 4096,
    *,
    narrow: bool = False,
    besides: Mapping[str, torch.Tensor] = MappingProxyType({}),
) -> str:
    """SHA-256 (16 hex digits) over every weight's name, shape and up to ``samples`` evenly spaced values, those
    ``besides`` the model included, and over whether products are of four bits (``narrow``), whose scales are rounded in
    their own way."""
    digest = hashlib.sha256(b"narrow" if narrow else b"")
    for name, parameter in sorted([*_weights(model), *besides.items()], key=lambda weight: weight[0]):
        flat = _present(model, name, parameter).detach().reshape(-1)
        stride = -(-flat.numel() // samples)
        digest.update(f"{name}{tuple(parameter.shape)}".encode())
        digest.update(flat[::stride].float().cpu().numpy().tobytes())
    return digest.hexdigest()[:16]


def _present(model: PreTrainedModel, name: str, weight: torch.Tensor) -> torch.Tensor:
    """A weight with its values, also where it waits in memory or on disk for its layer's call."""
    if not weight.is_meta:
        return weight
    from accelerate.utils import align_module_device  # what offloaded it

    layer = model.get_submodule(name.rpartition(".")[0])
    with align_module_device(layer, torch.device("cpu")):
        return getattr(layer, name.rpartition(".")[2]).clone()


class TransformerSession:
    """A trie whose rows have keys and values in every layer; ``hidden``: scores hold the last hidden states too;
    ``heard`` gets the states of all rows that it asks for."""

    def __init__(self, language_model: TransformerLM, capacity: int, hidden: bool = False, heard: Heard | None = None):
        self._language_model, self._hidden, self._heard = language_model, hidden, heard
        self.trie = TokenTrie(capacity)
        if heard:
            heard.listen_to(self.trie)
        self._cache = language_model.new_cache(capacity, self)

    @torch.inference_mode()
    def extend(self, tokens: Sequence[int], parents: Sequence[int], *, last_only: bool = False) -> Scores:
        start, longest = len(self.trie), self._cache.longest_call
        self.trie.add(tokens, parents)
        if last_only and start == 0 and self.trie.is_chain:
            return self._read()
        ends = [*range(start + longest, len(self.trie), longest), len(self.trie)]
        scores = [self._scored(first, end, last_only) for first, end in pairwise([start, *ends])]
        return scores[-1] if last_only or len(scores) == 1 else Scores.joined(scores)

    def _read(self) -> Scores:
        """Score the last row of a prompt, which the trie has already; rows that were read before are taken over."""
        tokens, memory = tuple(self.trie.tokens), self._language_model.prompts
        listened = self._heard.layers if self._heard else ()
        reading, start = memory.recall(tokens, self._hidden, listened)
        if reading is not None:
            self._cache.fill(reading.layers, start)
            if self._heard and reading.states is not None:
                self._heard.write(0, reading.states[:start])
            if start == len(tokens):
                return reading.said(self._hidden)
        scores = None
        for first, end in pairwise([*range(start, len(tokens), BLOCK), len(tokens)]):
            scores = self._scored(first, end, True)
        assert scores is not None  # a prompt has rows
        if self._cache.size(len(tokens)) <= memory.limit:  # or else not even copied
            states = self._heard.first(len(tokens)) if self._heard else None
            memory.keep(ReadPrompt(tokens, self._cache.copy(len(tokens)), scores, states, listened))
        return scores

    def _scored(self, start: int, end: int, last_only: bool) -> Scores:
        """One forward pass over the rows from ``start`` to ``end``, which the trie has already."""
        language_model, heard = self._language_model, self._heard
        forward, layers = language_model.lean or language_model.stock, heard.layers if heard else ()
        try:
            logits, hidden, states = self._cache.scored(forward, self.trie, start, end, last_only, layers)
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise _out_of_memory(language_model, end) from error
            raise
        if heard:
            if states is None:
                raise ModelError(f"model {language_model.name!r} shows no hidden states that a draft could read")
            heard.write(start, states)
        logits = logits[-1:] if last_only else logits
        hidden = hidden[-len(logits) :] if self._hidden and hidden is not None else None
        return Scores(logits[:, : language_model.vocab_size], hidden)

    @torch.inference_mode()
    def keep(self, rows: Sequence[int]) -> None:
        stay = self.trie.keep(rows)
        if stay < len(rows):
            self._cache.move(rows[stay:], stay)
            if self._heard:
                self._heard.move(rows[stay:], stay)


def _out_of_memory(language_model: TransformerLM, rows: int) -> ModelError:
    return ModelError(
        f"out of memory on {language_model.device} while {language_model.name!r} held {rows} cache rows; "
        "use a shorter prompt, fewer beams, --dtype bfloat16 or a smaller model",
        code="out_of_memory",
    )


def _lean_forward(
    model: PreTrainedModel, narrow: Mapping[torch.nn.Linear, Rounded] | None
) -> tuple[LeanForward | None, str]:
    """The lean forward pass of ``model``, or None and why there is none."""
    try:
        return LeanForward(model, narrow), ""
    except ValueError as error:
        return None, str(error)


def _why_no_static(language_model: TransformerLM, wanted: bool | None) -> str:
    """Why calls have no static shapes, empty where they have. Those of a processor are faster without."""
    if wanted is False or (wanted is None and language_model.device.type != "cuda"):
        return "it computes on a processor" if wanted is None else "they are switched off"
    together = {weight.device for weight in language_model.model.parameters()} == {language_model.device}
    return "" if together else "its weights are not all on one device"


def _static_caches(language_model: TransformerLM) -> StaticCaches:
    """Its caches in static shapes; one row by the other way shows what its layers hold."""
    device, cache = language_model.device, language_model.new_cache(1, language_model)
    trie = TokenTrie(1)
    trie.add([0], [-1])
    with torch.inference_mode():
        cache.scored(language_model.lean or language_model.stock, trie, 0, 1, False)
    capture = CudaGraphs(device) if device.type == "cuda" else None
    return StaticCaches(cache.layers, device, Captures(language_model.name, capture))


def _fault(language_model: TransformerLM) -> str:
    """Why it scores no trees as it computes now, errors that the forward pass raises included; empty where it does."""
    try:
        return _number_fault(language_model) or _tree_fault(language_model)
    except (RuntimeError, ModelError) as error:  # sizes that do not fit, too little memory
        return str(error)


def _refuse_stock(language_model: TransformerLM) -> None:
    """Raises ModelError, with the reason, where transformers' own forward pass scores no trees."""
    model, name = language_model.model, language_model.name
    try:
        fault = _number_fault(language_model) or _tree_fault(language_model)
    except Exception as error:  # whatever it raises when it is given a tree
        if isinstance(error, ModelError) or is_out_of_memory(error):
            raise
        fault = f"its forward pass fails on a tree: {str(error).strip() or type(error).__name__}"
    if fault:
        what = f"model {name!r} ({model.config.get_text_config().model_type}) cannot be used: "
        raise ModelError(f"{what}{lacking_arguments(model)}{fault}")


def _number_fault(language_model: TransformerLM) -> str:
    """Score a text of tokens from all of the vocabulary: empty where all logits are numbers, or what they are."""
    vocab_size, count = language_model.vocab_size, min(TRIED, language_model.context or TRIED)
    tokens = [i * vocab_size // count for i in range(count)]
    best = language_model.open(count).extend(tokens, range(-1, count - 1)).logits.amax(-1).float()
    wrong = best.isfinite().logical_not().nonzero()
    if not len(wrong):
        return ""
    position = int(wrong[0])
    return f"it {no_numbers(float(best[position]), position, language_model.dtype)}"


def _tree_fault(language_model: TransformerLM) -> str:
    """Score a fork (two children of one token) by two calls of equal size, and each path by the stock forward pass:
    empty where the two agree, or what the difference is."""
    vocab_size = language_model.vocab_size
    first, left, right = (i % vocab_size for i in (3, 5, 7))
    tree = language_model.open(4)
    calls = [tree.extend([first, left], [-1, 0]), tree.extend([right, left], [0, 2])]  # a graph: captured, replayed
    together = Scores.joined(calls).logits.float().cpu()
    for path, rows in (((first, left), (0, 1)), ((first, right, left), (0, 2, 3))):
        with torch.inference_mode():
            inputs = torch.tensor([path], device=language_model.device)
            alone = language_model.model(input_ids=inputs, use_cache=False).logits[0, :, :vocab_size].float().cpu()
        alone, forked = _sayable(alone), _sayable(together[list(rows)])
        spread = float((forked - alone).abs().max())
        size = max(float(alone.abs().max()), 1e-3)
        narrow = language_model.lean and language_model.lean.narrow  # .16 of the largest logit in smollm2
        tolerance = 1e-3 if language_model.dtype == torch.float32 else 0.25 if narrow else 0.1
        if not np.isfinite(spread) or spread > tolerance * size:
            return f"it follows no tree mask: the logits of a fork differ by {spread:.3g} from one path at a time"
    return ""


def _sayable(logits: torch.Tensor) -> torch.Tensor:
    """Logits [n, vocabulary], those of tokens that are never said no further than 50 below the best: however far they
    are, it says nothing of the others."""
    return logits.maximum(logits.amax(-1, keepdim=True) - 50)
