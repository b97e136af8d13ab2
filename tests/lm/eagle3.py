"""A small target, random EAGLE-3 drafts of it in both public layouts, and what such a draft says by the paper's words.

Nothing here calls the code that it is held against: the draft's arithmetic is written out in float64, the target's
states are those that transformers gives, and each text is read as a whole at each step.
"""

import json
import math
from functools import cache
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM

from tests.tiny_pair import byte_tokenizer

V, WIDTH, LAYERS, HEADS, KEY_HEADS, SIZE = 257, 32, 8, 4, 2, 8
EPS, BASE = 1e-5, 10_000.0
AUTHORS, SPECULATORS = "authors", "speculators"


def write_target(folder: Path, layers: int = LAYERS) -> Path:
    """A Llama whose distributions are far from even."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=V,
        hidden_size=WIDTH,
        intermediate_size=48,
        num_hidden_layers=layers,
        num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS,
        max_position_embeddings=512,
        tie_word_embeddings=True,
        eos_token_id=0,
    )
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(2.0 if weight.ndim == 2 else 1.0)
    model.save_pretrained(folder)
    byte_tokenizer().save_pretrained(folder)
    return folder


def draft_weights(
    tokens: int = 100, width: int = WIDTH, layers: int = 1, read: int = 3, *, embedded: bool = False
) -> dict[str, torch.Tensor]:
    """Random weights by the names of speculators, of a draft that proposes ``tokens`` tokens."""
    chance = torch.Generator().manual_seed(1)

    def matrix(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=chance) / math.sqrt(shape[-1])

    def gain() -> torch.Tensor:
        return 1 + 0.3 * torch.randn(width, generator=chance)

    weights = {
        "fc.weight": matrix(width, read * WIDTH),
        "norm.weight": gain(),
        "lm_head.weight": 2 * matrix(tokens, width),
    }
    for number in range(layers):
        layer, inputs = f"layers.{number}.", 2 * width if number == 0 else width
        weights |= {
            f"{layer}self_attn.q_proj.weight": matrix(HEADS * SIZE, inputs),
            f"{layer}self_attn.k_proj.weight": matrix(KEY_HEADS * SIZE, inputs),
            f"{layer}self_attn.v_proj.weight": matrix(KEY_HEADS * SIZE, inputs),
            f"{layer}self_attn.o_proj.weight": matrix(width, HEADS * SIZE),
            f"{layer}mlp.gate_proj.weight": matrix(48, width),
            f"{layer}mlp.up_proj.weight": matrix(48, width),
            f"{layer}mlp.down_proj.weight": matrix(width, 48),
            f"{layer}input_layernorm.weight": gain(),
            f"{layer}post_attention_layernorm.weight": gain(),
        }
    weights["layers.0.hidden_norm.weight"] = gain()
    if embedded:
        weights["embed_tokens.weight"] = matrix(V, width)
    chosen = torch.randperm(V, generator=chance)[:tokens].sort().values
    weights["d2t"] = chosen - torch.arange(tokens)
    weights["t2d"] = torch.zeros(V, dtype=torch.bool).scatter_(0, chosen, True)
    return weights


def write_draft(folder: Path, weights: dict[str, torch.Tensor], layout: str = AUTHORS, **config: object) -> Path:
    """The weights and a configuration in one of the layouts; ``pickled`` weights are a ``pytorch_model.bin``. What
    is given besides is written into the configuration."""
    pickled = config.pop("pickled", False)
    folder.mkdir(parents=True, exist_ok=True)
    width = weights["fc.weight" if "fc.weight" in weights else "norm.weight"].shape[0]
    inner = {
        "model_type": "llama",
        "vocab_size": V,
        "hidden_size": width,
        "intermediate_size": 48,
        "num_hidden_layers": sum(name.endswith("o_proj.weight") for name in weights),
        "num_attention_heads": HEADS,
        "num_key_value_heads": KEY_HEADS,
        "head_dim": SIZE,
        "rms_norm_eps": EPS,
        "rope_theta": BASE,
        "max_position_embeddings": 512,
        "hidden_act": "silu",
        "attention_bias": False,
    }
    count = len(weights.get("lm_head.weight", ()))
    if layout == AUTHORS:
        weights = {name.replace("layers.0.", "midlayer."): weight for name, weight in weights.items()}
        whole = {"architectures": ["LlamaForCausalLMEagle3"], **inner, "draft_vocab_size": count}
    else:
        whole = {
            "architectures": ["Eagle3DraftModel"],
            "speculators_model_type": "eagle3",
            "draft_vocab_size": count,
            "transformer_layer_config": inner,
            "speculators_config": {"algorithm": "eagle3", "verifier": {"name_or_path": "some/target"}},
        }
    (folder / "config.json").write_text(json.dumps(whole | config))
    if pickled:
        torch.save(weights, folder / "pytorch_model.bin")
    else:
        save_file({name: weight.contiguous() for name, weight in weights.items()}, folder / "model.safetensors")
    return folder


class PlainDraft:
    """What a draft of these ``weights`` says beside ``target``, whose states after ``layers`` it reads."""

    def __init__(
        self, weights: dict[str, torch.Tensor], target: LlamaForCausalLM, layers=(2, 4, 5), *, norm_before: bool = False
    ):
        self.weights = {name: weight.double() for name, weight in weights.items() if weight.is_floating_point()}
        self.tokens = torch.arange(len(weights["d2t"])) + weights["d2t"]
        self.target, self.layers, self.norm_before = target, layers, norm_before
        table = weights.get("embed_tokens.weight")
        self.embedding = (target.model.embed_tokens.weight.detach() if table is None else table).double()
        self.said = cache(self._said)

    @torch.no_grad()
    def _said(self, text: tuple[int, ...], heard: int) -> torch.Tensor:
        """Logits [V] after ``text``, of which the target has read the first ``heard`` tokens."""
        states = self.target(torch.tensor([text]), output_hidden_states=True, use_cache=False).hidden_states
        features = torch.cat([states[layer][0].double() for layer in self.layers], dim=-1) @ self._w("fc").T
        assert heard, "the state at the first token is the target's"
        own, before = (
            features[0],
            list[torch.Tensor](),
        )  # of the tokens from the second on: the state at the token before
        for at in range(1, len(text)):
            before.append(features[at - 1] if at - 1 < heard else own)
            own = self._read(text[1 : at + 1], torch.stack(before))[-1]
        logits = torch.full((V,), -torch.inf, dtype=torch.float64)
        logits[self.tokens] = self._normed(own, "norm") @ self._w("lm_head").T
        return logits

    def _read(self, tokens, states: torch.Tensor) -> torch.Tensor:
        """The states that all layers make of a text and of what came before each of its tokens, [n, width] each."""
        x = states
        for number in range(sum(name.endswith("o_proj.weight") for name in self.weights)):
            layer = f"layers.{number}."
            if number == 0:
                normed = self._normed(x, layer + "hidden_norm")
                x = normed if self.norm_before else x
                inputs = torch.cat([self._normed(self.embedding[list(tokens)], layer + "input_layernorm"), normed], -1)
            else:
                inputs = self._normed(x, layer + "input_layernorm")
            x = x + self._attended(inputs, layer + "self_attn.")
            inner = self._normed(x, layer + "post_attention_layernorm")
            gate, up = (inner @ self._w(f"{layer}mlp.{name}_proj").T for name in ("gate", "up"))
            x = x + (gate * torch.sigmoid(gate) * up) @ self._w(layer + "mlp.down_proj").T
        return x

    def _attended(self, inputs: torch.Tensor, name: str) -> torch.Tensor:
        count = len(inputs)
        q, k, v = (
            (inputs @ self._w(f"{name}{part}_proj").T).view(count, -1, SIZE).transpose(0, 1) for part in ("q", "k", "v")
        )  # [heads, count, size]
        k, v = (part.repeat_interleave(HEADS // KEY_HEADS, dim=0) for part in (_turned(k), v))
        scores = _turned(q) @ k.transpose(1, 2) / math.sqrt(SIZE)
        later = torch.ones(count, count, dtype=torch.bool).triu(1)
        seen = scores.masked_fill(later, -torch.inf).softmax(-1) @ v
        return seen.transpose(0, 1).reshape(count, -1) @ self._w(name + "o_proj").T

    def _normed(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return x / (x.pow(2).mean(-1, keepdim=True) + EPS).sqrt() * self._w(name)

    def _w(self, name: str) -> torch.Tensor:
        return self.weights[name + ".weight"]


def _turned(x: torch.Tensor) -> torch.Tensor:
    """Each row [heads, n, SIZE] turned by its position: halves are the two parts of complex numbers."""
    half = SIZE // 2
    angles = torch.arange(x.shape[1], dtype=torch.float64)[:, None] * BASE ** (-torch.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], dim=-1)
