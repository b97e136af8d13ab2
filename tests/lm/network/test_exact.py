"""In half precision the likeliest logits are those of a float32 product, in every forward pass."""

import pytest
import torch
from transformers import GraniteConfig, GraniteForCausalLM

from specviz.lm.network import exact
from specviz.lm.network.exact import LIKELIEST, ROWS, with_exact_likeliest
from specviz.lm.network.transformer import TransformerLM
from tests.lm.models import FAMILIES, VOCABULARY, tiny

HALF = [torch.bfloat16, torch.float16]


def drawn(*shapes, dtype=torch.bfloat16, seed=0):
    chance = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, generator=chance).to(dtype) for shape in shapes]


def tied(logits):
    return int(((logits == logits.amax(-1, keepdim=True)).sum(-1) > 1).sum())


@pytest.mark.parametrize("dtype", HALF, ids=str)
@pytest.mark.parametrize("biased", [False, True])
def test_the_likeliest_are_exact_and_the_others_as_they_were(dtype, biased):
    hidden, weight, bias = drawn((2 * ROWS + 3, 48), (500, 48), (500,), dtype=dtype)
    product = hidden.double() @ weight.double().T + biased * bias.double()
    rounded = product.to(dtype)
    found = with_exact_likeliest(rounded, hidden, weight, bias if biased else None)
    assert found.dtype == torch.float32
    order = rounded.float().argsort(-1, descending=True)
    best, rest = order[:, : LIKELIEST - 8], order[:, LIKELIEST + 8 :]  # between them there are ties
    assert (found.gather(1, best) - product.gather(1, best)).abs().max() < 1e-5
    assert torch.equal(found.gather(1, rest), rounded.float().gather(1, rest))


def test_ties_are_as_rare_as_in_float32():
    hidden, weight = drawn((400, 32), (3000, 32))
    rounded, product = hidden @ weight.T, hidden.double() @ weight.double().T
    found = with_exact_likeliest(rounded, hidden, weight, None)
    assert tied(rounded) > 10 and tied(found) == 0
    assert torch.equal(found.argmax(-1), product.argmax(-1))


def test_a_float32_model_says_what_it_said():
    logits, hidden, weight = drawn((2, 9), (2, 3), (9, 3), dtype=torch.float32)
    assert with_exact_likeliest(logits, hidden, weight, None) is logits


@pytest.mark.parametrize("graphs", [False, True], ids=["growing", "static"])
@pytest.mark.parametrize("dtype", HALF, ids=str)
@pytest.mark.parametrize("family", [*FAMILIES, "llama, stock"])
def test_every_forward_pass_ends_with_exact_likeliest(monkeypatch, family, dtype, graphs):
    monkeypatch.setattr(exact, "LIKELIEST", 16)
    model = TransformerLM(tiny(family.split(",")[0]).to(dtype), family, graphs=graphs)
    if family == "llama, stock":
        model.lean = None
    scores = model.open(16, hidden=True).extend([3, 1, 4, 1, 5], [-1, 0, 0, 1, 2])
    assert scores.hidden is not None and scores.logits.dtype == torch.float32
    product = scores.hidden.double() @ model.model.get_output_embeddings().weight.double().T
    difference = (scores.logits.double() - product).abs() / product.abs().amax(-1, keepdim=True)
    places = product.argsort(-1, descending=True)
    assert difference.gather(1, places[:, :12]).max() < 1e-6 < difference.gather(1, places[:, 20:]).max()


def test_what_a_model_does_to_its_logits_afterwards_is_still_done():
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = GraniteConfig(vocab_size=VOCABULARY, max_position_embeddings=64, logits_scaling=8.0, **sizes)
    model = TransformerLM(GraniteForCausalLM(config).to(torch.bfloat16), "granite")
    scores = model.open(4, hidden=True).extend([3, 1], [-1, 0])
    assert model.forward == "stock" and scores.hidden is not None
    product = scores.hidden.double() @ model.model.lm_head.weight.double().T / 8.0
    assert (scores.logits.double() - product).abs().max() < 1e-6 * product.abs().max()
