"""Weights of eight bits: as near as they can be, another model by name and fingerprint, computed as it says."""

import pytest
import torch
from transformers import AutoModelForCausalLM

import specviz
from specviz.errors import ModelError
from specviz.lm.loading.pairs import load_pair
from specviz.lm.network import lean
from specviz.lm.network.narrow import LARGEST, round_weights, rounded
from tests.tiny_pair import write_pair


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write_pair(tmp_path_factory.mktemp("pair"))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_every_weight_is_the_nearest_of_its_row(dtype):
    weight = torch.randn(5, 40, generator=torch.Generator().manual_seed(1)).to(dtype)
    weight[3] = 0
    narrow = rounded(weight)
    assert narrow.numbers.dtype == torch.int8 and narrow.scales.shape == (5,) and narrow.scales.dtype == dtype
    assert narrow.numbers.abs().amax() <= LARGEST and (narrow.weight()[3] == 0).all()
    exact = narrow.numbers.double() * narrow.scales.double()[:, None]
    steps = ((weight.double() - exact).abs() / narrow.scales.double()[:, None].clamp_min(1e-30)).amax()
    assert steps <= (0.5001 if dtype == torch.float32 else 0.9)  # a rounded scale may be too small for the largest


def test_all_linear_layers_are_rounded_in_place(paths):
    model, stock = (AutoModelForCausalLM.from_pretrained(paths[0]) for _ in range(2))
    found = round_weights(model)
    layers = [layer for layer in model.modules() if isinstance(layer, torch.nn.Linear)]
    assert set(found) == set(layers) and len(layers) == 2 * 7 + 1
    assert all(torch.equal(layer.weight, found[layer].weight()) for layer in layers)
    assert torch.equal(model.model.embed_tokens.weight, stock.model.embed_tokens.weight)
    assert not torch.equal(model.lm_head.weight, stock.lm_head.weight)


@pytest.mark.parametrize(
    ("int8", "changed"), [(None, set()), ("target", {0}), ("draft", {1, 2}), ("both", {0, 1, 2})], ids=str
)
def test_what_is_rounded_is_another_model_by_name_and_fingerprint(paths, int8, changed):
    def models(**given):
        return load_pair(*paths, drafts=[paths[1]], device="cpu", **given).models

    for number, (own, other) in enumerate(zip(models(), models(int8=int8), strict=True)):
        assert (own.fingerprint != other.fingerprint) == (number in changed)
        assert other.name == own.name + " (int8)" * (number in changed)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("rows", [1, lean.FEW, lean.FEW + 1, 40])
def test_it_computes_the_rounded_model(paths, dtype, rows):
    target = load_pair(*paths, device="cpu", dtype=dtype, int8="target").target
    assert target.forward == "lean"
    tokens = [(7 * i) % 250 for i in range(rows)]
    ours = target.open(64).extend(tokens, range(-1, rows - 1)).logits.float()
    with torch.inference_mode():
        stock = target.model(input_ids=torch.tensor([tokens])).logits[0].float()
    tolerance = 2e-6 if dtype == "float32" else 0.04
    assert (ours - stock).abs().max() <= tolerance * stock.abs().max().clamp_min(1e-3)


def test_few_rows_are_multiplied_in_eight_bits(paths, monkeypatch):
    counts, multiply = [], lean.INT8_PRODUCT

    def spied(x, *weight):
        counts.append(len(x))
        return multiply(x, *weight)

    target = load_pair(*paths, device="cpu", dtype="bfloat16", int8="target").target
    monkeypatch.setattr(lean, "INT8_PRODUCT", spied)
    session = target.open(64)
    session.extend([1], [-1])
    session.extend([2] * lean.FEW, [0] * lean.FEW)
    packs = torch.ops.mkldnn._is_mkldnn_bf16_supported()  # elsewhere eight bits are not the faster ones
    products = 2 * 4 + 1 if packs else 0
    assert counts == [1] * products + [lean.FEW] * products
    session.extend([3] * (lean.FEW + 1), [0] * (lean.FEW + 1))
    assert len(counts) == 2 * products


def test_a_rounded_draft_leaves_the_distribution_the_targets_own(paths):
    pair = load_pair(*paths, device="cpu", int8="draft")
    law = specviz.exact_distribution(pair, "speculative", [1, 2, 3], 1, top_k=3, gamma=1)
    own = specviz.target_distribution(load_pair(*paths, device="cpu"), [1, 2, 3], 1, top_k=3)
    assert specviz.total_variation(law, own) < 1e-6
    trace = specviz.decode(pair, "mtad", [1, 2, 3], max_new_tokens=8)
    assert trace.header.draft.name.endswith("(int8)") and not trace.header.target.name.endswith("(int8)")


def test_where_it_cannot_be_it_is_refused(paths):
    with pytest.raises(ModelError, match="int8 must be one of target, draft, both, or None, got 'all'") as caught:
        load_pair(*paths, device="cpu", int8="all")
    assert caught.value.argument == "int8"
    with pytest.raises(ModelError, match="int8 is for models on cpu, these are for cuda"):
        load_pair(*paths, device="cuda", int8="target")
    model = AutoModelForCausalLM.from_pretrained(paths[0])
    with pytest.raises(ModelError, match="is loaded already and stays as it is") as caught:
        load_pair(model, paths[1], int8="both")
    assert caught.value.argument == "int8"
    assert load_pair(model, paths[1], int8="draft").target.model is model
