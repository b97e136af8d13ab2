"""Weights of four bits: as near as they can be, found again in a file of Q4_1, computed as they say."""

import gguf
import pytest
import torch
from transformers import AutoModelForCausalLM

import specviz
from specviz.errors import ModelError
from specviz.lm.loading.pairs import load_pair
from specviz.lm.network.lean import LeanForward
from specviz.lm.network.narrow import BLOCK, LARGEST, FourBits, round_weights, rounded
from specviz.lm.network.prompts import BLOCK as PROMPT
from tests.tiny_pair import write_pair


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write_pair(tmp_path_factory.mktemp("pair"))


def _random(*shape, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_every_weight_is_the_nearest_of_its_block(dtype):
    weight = _random(5, 3 * BLOCK).to(dtype)
    weight[3] = 0.25
    narrow = rounded(weight)
    assert narrow.numbers.shape == (5, 3, BLOCK) and narrow.steps.shape == narrow.least.shape == (5, 3, 1)
    assert narrow.numbers.dtype == torch.uint8 and narrow.numbers.max() == LARGEST
    steps = narrow.steps.double().clamp_min(1e-30)
    blocks = weight.double().unflatten(1, (-1, BLOCK))
    others = narrow.steps.double() * torch.arange(LARGEST + 1) + narrow.least.double()
    nearest = (blocks[..., None] - others[:, :, None]).abs().amin(-1)
    chosen = (blocks - narrow.weight().double().unflatten(1, (-1, BLOCK))).abs()
    assert (chosen <= nearest + 1e-6).all() and (chosen / steps)[torch.arange(5) != 3].max() < 0.52
    assert (narrow.weight()[3] == 0.25).all()


def test_what_a_q4_1_file_holds_is_found_again():
    q = gguf.quants.quantize(_random(7, 4 * BLOCK).numpy(), gguf.GGMLQuantizationType.Q4_1)
    weight = torch.from_numpy(gguf.quants.dequantize(q, gguf.GGMLQuantizationType.Q4_1))
    assert torch.equal(rounded(weight).weight(), weight)
    assert not torch.equal(rounded(weight + 0.01 * _random(7, 4 * BLOCK, seed=2)).weight(), weight)


def test_products_are_those_of_the_rounded_weights_and_of_each_row_alone():
    parts = [rounded(_random(outputs, 2 * BLOCK, seed=outputs)) for outputs in (8, 24)]
    x = _random(9, 2 * BLOCK).to(torch.bfloat16)
    weights = FourBits.of(parts)
    found, exact = weights.times(x), x.double() @ torch.cat([part.weight() for part in parts]).double().T
    torch.testing.assert_close(found.double(), exact, atol=0.01 * exact.abs().max().item(), rtol=0)
    assert all(torch.equal(weights.times(x[row : row + 1])[0], found[row]) for row in range(9))


def test_layers_of_whole_blocks_are_rounded_in_place(paths):
    model, stock = (AutoModelForCausalLM.from_pretrained(paths[0]) for _ in range(2))
    found = round_weights(model)
    for (name, ours), (_, theirs) in zip(model.named_modules(), stock.named_modules(), strict=True):
        if isinstance(ours, torch.nn.Linear):
            as_they_were = name == "lm_head" or name.endswith("down_proj")  # which reads 48 numbers
            assert torch.equal(ours.weight, theirs.weight) == as_they_were == (ours not in found)
            assert as_they_were or torch.equal(ours.weight, found[ours].weight())


def test_what_is_rounded_is_another_model_by_name_and_fingerprint(paths):
    def models(**given):
        return load_pair(*paths, drafts=[paths[1]], device="cpu", **given).models

    for own, other in zip(models(), models(bits=4), strict=True):
        assert own.fingerprint != other.fingerprint and other.name == f"{own.name} (4 bits)"
        assert (own.dtype, other.dtype) == (torch.float32, torch.bfloat16)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("rows", [1, 5, PROMPT])
def test_it_computes_the_rounded_model(paths, dtype, rows):
    target = load_pair(*paths, device="cpu", dtype=dtype, bits=4).target
    assert target.forward == "lean"
    tokens = [(7 * i) % 250 for i in range(rows)]
    ours = target.open(PROMPT).extend(tokens, range(-1, rows - 1)).logits.float()
    with torch.inference_mode():
        stock = target.model(input_ids=torch.tensor([tokens])).logits[0].float()
    tolerance = 2e-6 if dtype == "float32" else 0.04
    assert (ours - stock).abs().max() <= tolerance * stock.abs().max().clamp_min(1e-3)


def test_all_calls_but_a_prompts_are_multiplied_in_four_bits(paths, monkeypatch):
    counts, times = [], FourBits.times
    target = load_pair(*paths, device="cpu", bits=4).target
    monkeypatch.setattr(FourBits, "times", lambda self, x: counts.append(len(x)) or times(self, x))
    session = target.open(2 * PROMPT)
    session.extend([2] * PROMPT, range(-1, PROMPT - 1))
    assert not counts
    session.extend([1], [PROMPT - 1])
    session.extend([2] * 9, [0] * 9)
    products = 2 * 3  # of each layer all but what reads 48 numbers
    assert counts == [1] * products + [9] * products


def test_a_row_says_the_same_in_calls_of_any_shape(paths):
    target = load_pair(*paths, device="cpu", bits=4).target
    one = [target.open(20).extend([token], [-1]).logits[0] for token in range(9)]
    assert torch.equal(target.open(20).extend(range(9), [-1] * 9).logits, torch.stack(one))


def test_lossless_methods_keep_the_rounded_targets_distribution(paths):
    pair = load_pair(*paths, device="cpu", dtype="float32", bits=4)
    law = specviz.exact_distribution(pair, "speculative", [1, 2, 3], 1, top_k=3, gamma=1)
    assert specviz.total_variation(law, specviz.target_distribution(pair, [1, 2, 3], 1, top_k=3)) < 1e-6
    trace = specviz.decode(pair, "mtad", [1, 2, 3], max_new_tokens=8)
    assert trace.header.target.name.endswith("(4 bits)")


@pytest.mark.parametrize("bits", [8, "4", True, 4.5, 4.0])
def test_other_numbers_of_bits_are_refused(paths, bits):
    with pytest.raises(ModelError, match="bits must be 4 or None, got") as caught:
        load_pair(*paths, device="cpu", bits=bits)
    assert caught.value.argument == "bits"


def test_it_rounds_what_was_read_not_its_bfloat16(paths):
    wide, narrow = (load_pair(*paths, device="cpu", dtype=dtype, bits=4).models for dtype in ("float32", "bfloat16"))
    for one, other in zip(wide, narrow, strict=True):
        for exact, found in zip(one.model.parameters(), other.model.parameters(), strict=True):
            assert torch.equal(exact.to(torch.bfloat16), found)


def test_auto_chooses_no_dtype_that_has_no_such_products(paths):
    target = load_pair(*paths, device="cpu", dtype="auto", bits=4).target
    assert target.dtype == torch.bfloat16 and target.lean.narrow


def test_a_mask_that_is_ignored_is_found_in_four_bits_too(paths, monkeypatch):
    extend = LeanForward.__call__
    monkeypatch.setattr(
        LeanForward,
        "__call__",
        lambda self, tokens, positions, mask, *rest: extend(
            self, tokens, positions, None if mask is None else mask | True, *rest
        ),
    )
    assert load_pair(*paths, device="cpu", bits=4).target.forward == "stock"


def test_where_it_cannot_be_it_is_refused(paths):
    with pytest.raises(ModelError, match="bits is for models on cpu, these are for cuda"):
        load_pair(*paths, device="cuda", bits=4)
    model = AutoModelForCausalLM.from_pretrained(paths[0])
    with pytest.raises(ModelError, match="target .* is loaded already and stays as it is") as caught:
        load_pair(model, paths[1], bits=4)
    assert caught.value.argument == "bits"
    for layer in (one for one in model.modules() if isinstance(one, torch.nn.Linear)):
        layer.in_features = 48
    with pytest.raises(ModelError, match="no layer reads a multiple of 32 numbers"):
        round_weights(model)
