"""Whether the embedded models can know what they are asked: they have read nothing but tales, word problems and SQL."""

from itertools import pairwise

from specviz.lm.loading.pairs import ModelPair

FAMILIAR = 1.05
"""The embedded target's surprise at a prompt of a familiar kind is at most this, in nats per byte. Measured on
2026-11-25 (float32): its own examples and built-in prompts .27 to .95, the word problems of Spec-Bench .64 to .97;
of a dozen of Spec-Bench's prompts of each other kind all but some of reasoning and math are above it (medians 1.15
to 3.3)."""
READ = 600  # characters of the prompt
UNFAMILIAR = (
    "These models have read tales, sums in words and SQL, and nothing else; this prompt is of another kind, so its "
    "answer is made of pieces of those."
)


def unfamiliar(pair: ModelPair, prompt: str) -> str:
    """UNFAMILIAR where the prompt is a question without the form that the embedded pair learned (``Answer:`` or
    ``SQL:`` at its end), or surprises its target by more than FAMILIAR; else ""."""
    asks = prompt.rstrip().endswith("?")
    return UNFAMILIAR if asks or surprise(pair, prompt[:READ]) > FAMILIAR else ""


def surprise(pair: ModelPair, text: str) -> float:
    """The target's surprise at a text after its first token, in nats per byte of UTF-8."""
    tokens = list(pair.encode(text))
    if len(tokens) < 2:
        return 0.0
    rows = pair.target.open(len(tokens)).extend(tokens, range(-1, len(tokens) - 1)).logits.float().log_softmax(-1)
    nats = sum(-rows[row, token].item() for row, (_, token) in enumerate(pairwise(tokens)))
    return nats / max(len(text.encode()), 1)
