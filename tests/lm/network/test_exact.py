"""In half precision scores do not depend on the shape of a call, and the likeliest logits are a float32 product's."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import GraniteConfig, GraniteForCausalLM

import specviz
from specviz.lm.network import exact, lean
from specviz.lm.network.exact import LIKELIEST, ROWS, attention, with_exact_likeliest
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


@pytest.mark.parametrize("key_heads", [4, 2, 1])
def test_attention_is_the_usual_one_to_a_rounding(key_heads):
    queries, keys, values = drawn((1, 4, 5, 16), (1, key_heads, 40, 16), (1, key_heads, 40, 16))
    mask = torch.zeros(5, 40, dtype=torch.bfloat16).masked_fill_(torch.rand(5, 40) < 0.3, -torch.inf)
    for given in (mask, None):
        found = attention(queries, keys, values, given, enable_gqa=key_heads < 4)
        wide = None if given is None else given.float()
        usual = scaled_dot_product_attention(queries.float(), keys.float(), values.float(), wide, enable_gqa=True)
        assert found.dtype == torch.bfloat16 and torch.equal(found, usual.bfloat16()) or spread(found, usual) < 0.005


def spread(found, usual):
    return float((found.float() - usual).abs().max() / usual.abs().max())


def test_attention_does_not_depend_on_where_the_rows_lie_nor_on_other_rows():
    queries, keys, values = drawn((1, 6, 9, 32), (1, 2, 300, 32), (1, 2, 300, 32))
    seen = torch.rand(9, 300, generator=torch.Generator().manual_seed(1)) < 0.6
    mask = torch.zeros(9, 300, dtype=torch.bfloat16).masked_fill_(~seen, -torch.inf)
    together = attention(queries, keys, values, mask, enable_gqa=True)
    for row in range(9):
        own = seen[row].nonzero()[:, 0]
        alone = attention(queries[:, :, row : row + 1], keys[:, :, own], values[:, :, own], None, enable_gqa=True)
        assert torch.equal(alone[:, :, 0], together[:, :, row])


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


class _RoundedOnce(lean._Product):
    """A product whose rows do not depend on each other: which processors' own do is theirs to say."""

    def __call__(self, x):
        return (x.double() @ self.weight.double()).to(x.dtype)

    def added(self, to, x):
        return to.add_(self(x))


@pytest.fixture
def bfloat16(monkeypatch):
    """A tiny target in bfloat16 whose products depend on nothing but their row."""
    monkeypatch.setattr(lean, "_way_of_joining", lambda _model: lambda linear: _RoundedOnce(*lean._by_column(linear)))
    return TransformerLM(tiny("llama").to(torch.bfloat16), "tiny")


def test_scores_in_bfloat16_do_not_depend_on_the_call(bfloat16):
    tokens = [(7 * i) % VOCABULARY for i in range(40)]
    session = bfloat16.open(64, hidden=True)
    one_by_one = [session.extend([token], [row - 1]) for row, token in enumerate(tokens)]
    for calls in ((40,), (1, 5, 5, 29), (20, 3, 17)):
        session, start = bfloat16.open(64, hidden=True), 0
        for count in calls:
            found = session.extend(tokens[start : start + count], range(start - 1, start + count - 1))
            for row in range(count):
                assert torch.equal(found.logits[row], one_by_one[start + row].logits[0])
                assert torch.equal(found.hidden[row], one_by_one[start + row].hidden[0])
            start += count


def test_nor_on_the_branches_of_a_tree(bfloat16):
    path = [(7 * i) % VOCABULARY for i in range(30)]
    alone, tree = bfloat16.open(64), bfloat16.open(64)
    one_by_one = [alone.extend([token], [row - 1]).logits[0] for row, token in enumerate(path)]
    tokens, parents, rows = path[:1], [-1], [0]
    for token in path[1:]:  # each with a sibling
        parents += [rows[-1]] * 2
        rows.append(len(tokens))
        tokens += [token, 60 - token]
    together = tree.extend(tokens, parents).logits
    assert all(map(torch.equal, together[rows], one_by_one))
    tree.keep(rows)
    assert torch.equal(tree.extend([2], [29]).logits, alone.extend([2], [29]).logits)


@pytest.mark.parametrize("method", ["speculative", "mcsd", "tree-mtad"])
def test_a_greedy_text_in_bfloat16_is_that_of_plain_decoding(bfloat16, method):
    pair = specviz.ModelPair(bfloat16, specviz.NgramLM("prompt", VOCABULARY))
    for seed in range(3):
        prompt = torch.randint(VOCABULARY, (12,), generator=torch.Generator().manual_seed(seed)).tolist()
        plain, drafted = (
            specviz.decode(pair, name, prompt, max_new_tokens=40, temperature=0) for name in ("autoregressive", method)
        )
        assert drafted.tokens == plain.tokens
