"""Pairs at paper scale where no hub can be reached: the embedded pair, grown into the shapes of published models.

The cost of a call is that of the published model, since it multiplies the same matrices; the words, the acceptance and
so the speed-up are those of the embedded pair. A shape is a published configuration, but for what ``note`` says.
"""

from dataclasses import dataclass
from typing import cast

import torch
from transformers import LlamaForCausalLM, PreTrainedModel

from specviz.lm.loading.models import load_model, load_tokenizer
from specviz.lm.loading.pairs import EMBEDDED, load_pair
from specviz.lm.pair import ModelPair
from specviz.zoo.growth import Shape, grow


@dataclass(frozen=True)
class GrownPair:
    """A pair to be grown: what each model is to cost as much as, its ``Shape``, and where that differs (``note``)."""

    target_name: str
    target: Shape
    draft_name: str
    draft: Shape
    note: str


def _llama(vocab_size: int, width: int, layers: int, heads: int, feed_forward: int, tied: bool = False) -> Shape:
    return Shape(vocab_size, width, layers, heads, heads, width // heads, feed_forward, tied)


PAPER = {
    "llama-13b": GrownPair(
        "Llama-2-13B",
        _llama(32_000, 5120, 40, 40, 13_824),
        "Llama-68M",
        _llama(32_000, 768, 2, 12, 3072),
        "Every matrix has the size it has in the published models.",
    ),
    "qwen3-8b": GrownPair(
        "Qwen3-8B",
        Shape(151_936, 4096, 36, 32, 8, 128, 12_288, False, "qwen3"),
        "Qwen3-0.6B",
        Shape(151_936, 1024, 28, 16, 8, 128, 3072, True, "qwen3"),
        "Every matrix has the size it has in the published models; the norms of each head are there, too.",
    ),
    "opt-13b": GrownPair(
        "OPT-13B",
        _llama(50_272, 5120, 40, 40, 13_656, tied=True),
        "OPT-125M",
        _llama(50_272, 768, 12, 12, 2048, tied=True),
        "An OPT cannot compute what a Llama does (its positions are learned, its feed-forward has no gate): these are "
        "Llamas of the same width, layers, heads and vocabulary, whose feed-forward has the published number of "
        "weights in three matrices instead of two. In all .1 % fewer parameters than OPT-13B, 1.3 % fewer than "
        "OPT-125M, which have a table of positions and biases.",
    ),
}

TINY = {
    "tiny": GrownPair(
        "a tiny Qwen3",
        Shape(4352, 320, 18, 10, 5, 80, 800, False, "qwen3"),
        "a tinier one",
        Shape(4352, 320, 3, 8, 4, 80, 800, True, "qwen3"),
        "A check of the command itself: of no published size.",
    )
}


def grown_pair(shapes: GrownPair, device: str, dtype: torch.dtype) -> ModelPair:
    """The embedded target and draft in these shapes, made on ``device`` in ``dtype`` (float32 or bfloat16)."""

    def grown(own: str, name: str, shape: Shape) -> PreTrainedModel:
        small = cast(LlamaForCausalLM, load_model(EMBEDDED / own, "cpu", torch.float32).model)
        return grow(small, shape, device=device, dtype=dtype, name=f"{own} as {name}")

    target = grown("fable-target", shapes.target_name, shapes.target)
    draft = grown("fable-draft", shapes.draft_name, shapes.draft)
    return load_pair(target, draft, tokenizer=load_tokenizer(EMBEDDED / "fable-target"))
