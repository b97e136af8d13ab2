"""Greedy output equals transformers' own greedy generate, token for token, in float32."""

import pytest
import torch

import specviz
from specviz.lm.loading.pairs import EMBEDDED
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from tests.lm.models import FAMILIES, tiny

SPECULATIVE = [
    ("autoregressive", {}),
    ("speculative", {}),
    ("speculative", {"gamma": 7}),
    ("speculative", {"draft": "prompt"}),
]


def generated(model, prompt, length):
    with torch.inference_mode():
        output = model.generate(
            torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.long), do_sample=False,
            min_new_tokens=1, max_new_tokens=length, eos_token_id=None, pad_token_id=0,
        )  # fmt: skip
    return tuple(output[0, len(prompt) :].tolist())


@pytest.mark.full
@pytest.mark.every(3)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("method", "options"), SPECULATIVE, ids=str)
def test_random_models(family, method, options):
    target = tiny(family, 3)
    draft = tiny(family, 3)
    with torch.no_grad():  # a draft that is often right and often wrong
        for parameter in draft.parameters():
            parameter.add_(torch.randn_like(parameter) * parameter.std() * 0.1)
    pair = ModelPair(TransformerLM(target, "target"), TransformerLM(draft, "draft"))
    trace = specviz.decode(pair, method, [7, 8, 9], max_new_tokens=200, temperature=0.0, **options)
    assert trace.tokens == generated(target, [7, 8, 9], 200)
    assert trace.header.method.guarantee == "greedy"


@pytest.mark.full
@pytest.mark.every(5)
@pytest.mark.parametrize(("method", "options"), SPECULATIVE, ids=str)
def test_the_embedded_pair_for_200_tokens(method, options):
    assert EMBEDDED.is_dir()
    pair = specviz.load_pair(device="cpu", dtype="float32")
    pair.end_tokens = frozenset()
    trace = specviz.decode(pair, method, "Once upon a time", max_new_tokens=200, temperature=0.0, **options)
    assert trace.tokens == generated(pair.target.model, list(trace.header.prompt_tokens), 200)
