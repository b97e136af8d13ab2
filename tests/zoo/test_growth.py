"""A grown model says what the small one says, in any shape that can hold it, and never an added token."""

from dataclasses import replace

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from specviz.decoding.run.loop import decode
from specviz.errors import ModelError
from specviz.lm.loading.models import load_model, load_tokenizer
from specviz.lm.loading.pairs import EMBEDDED, load_pair
from specviz.lm.network import lean
from specviz.lm.network.transformer import TransformerLM
from specviz.zoo.growth import Shape, grow
from specviz.zoo.training.network import Network, llama

SMALL = Shape(
    vocab_size=50, width=24, layers=2, heads=4, key_heads=2, head_size=8, feed_forward=36, tied=True, family="llama"
)
LARGE = Shape(
    vocab_size=80, width=60, layers=5, heads=12, key_heads=3, head_size=16, feed_forward=100, tied=True, family="llama"
)
SHAPES = {
    "wider": replace(SMALL, width=40),
    "deeper": replace(SMALL, layers=4),
    "larger heads": replace(SMALL, head_size=16),
    "much larger heads": replace(SMALL, head_size=20),  # no whole multiple: pairs turn at a base of their own
    "larger groups": replace(SMALL, heads=12),
    "no groups": replace(SMALL, heads=4, key_heads=4),
    "more neurons": replace(SMALL, feed_forward=50),
    "more tokens": replace(SMALL, vocab_size=70, width=28),
    "more tokens, untied": replace(SMALL, vocab_size=70, width=28, tied=False),
    "heads that are normed": replace(SMALL, family="qwen3"),
    "everything": LARGE,
    "everything, untied": replace(LARGE, tied=False),
    "everything, heads normed": replace(LARGE, family="qwen3"),
    "everything, heads normed, untied": replace(LARGE, family="qwen3", tied=False),
}


def small(shape: Shape = SMALL, **more) -> LlamaForCausalLM:
    """A random model of which every part matters: large weights, and an epsilon as large as what it is added to."""
    torch.manual_seed(0)
    settings = {"rms_norm_eps": 0.05, "max_position_embeddings": 128, "eos_token_id": 7} | more
    model = LlamaForCausalLM(shape.config(rope_parameters={"rope_type": "default", "rope_theta": 100.0}, **settings))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return model.eval()


def tokens(rows: int = 3, length: int = 60, vocab_size: int = 50) -> torch.Tensor:
    return torch.randint(vocab_size, (rows, length), generator=torch.Generator().manual_seed(1))


@torch.no_grad()
def difference(model, grown, inputs: torch.Tensor) -> float:
    """The largest of the old tokens' logits at any position, over their size."""
    before, after = model(inputs).logits, grown.eval()(inputs).logits[..., : model.config.vocab_size]
    return float((after.float() - before).abs().max() / before.abs().max())


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_the_logits_stay_in_every_shape(shape):
    model = small()
    grown = grow(model, shape)
    assert Shape.of(grown.config) == replace(shape, family="llama")
    assert grown.config.model_type == shape.family
    assert difference(model, grown, tokens()) < 2e-5


@pytest.mark.parametrize("name", [name for name in SHAPES if SHAPES[name].vocab_size > 50])
@torch.no_grad()
def test_an_added_token_has_probability_zero(name):
    logits = grow(small(), SHAPES[name]).eval()(tokens()).logits
    probabilities = logits.double().softmax(-1)
    assert logits.shape[-1] > 50 and torch.isfinite(logits).all() and logits[..., 50:].max() < -1000
    assert probabilities[..., 50:].abs().max() == 0


def test_every_part_of_the_small_model_matters():
    for name, _ in small().named_parameters():
        changed = small()
        with torch.no_grad():
            changed.get_parameter(name).mul_(1.02)
        assert difference(small(), changed, tokens()) > 5e-4, name


def test_the_settings_go_along():
    grown = grow(small(), LARGE, name="a large one")
    assert (grown.config.max_position_embeddings, grown.generation_config.eos_token_id) == (128, 7)
    assert TransformerLM(grown, "grown").forward == "lean" and grown.name_or_path == "a large one"


def test_a_wrong_forward_pass_is_noticed_beside_added_tokens(monkeypatch):
    right = lean.LeanForward.__call__

    def wrong(self, *given, **more):
        logits, *states = right(self, *given, **more)
        return torch.cat((logits[:, :50].roll(1, -1), logits[:, 50:]), -1), *states

    monkeypatch.setattr(lean.LeanForward, "__call__", wrong)
    model = TransformerLM(grow(small(), LARGE), "wrong")
    assert model.lean is None and "logits of a fork differ" in model.lean_refused


def test_weights_are_made_in_the_dtype_and_on_the_device_asked_for(monkeypatch):
    made, settle = [], torch.nn.Parameter.__new__

    def spied(cls, data=None, requires_grad=True):
        made.append((data.dtype, data.device.type))
        return settle(cls, data, requires_grad)

    model = small()
    monkeypatch.setattr(torch.nn.Parameter, "__new__", spied)
    grow(model, LARGE, dtype=torch.bfloat16)
    assert set(made) == {(torch.bfloat16, "cpu")}
    grown = grow(model, replace(LARGE, family="qwen3"), device="meta", dtype=torch.bfloat16)
    assert {(weight.dtype, weight.device.type) for weight in grown.parameters()} == {(torch.bfloat16, "meta")}


def test_in_bfloat16_what_is_rounded_again_changes_little():
    model, inputs = small(), tokens()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.bfloat16())
    for family in ("llama", "qwen3"):
        once = grow(model, replace(LARGE, family=family), dtype=torch.bfloat16).float()
        assert difference(model, once, inputs) < 0.03


def test_more_layers_alone_leave_the_function_unchanged_exactly():
    torch.manual_seed(0)
    model = llama(300, 128, 2, 176).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    deep, inputs = grow(model, replace(Shape.of(model.config), layers=5)).eval(), tokens(2, 40, 300)
    assert deep.config.num_hidden_layers == 5
    with torch.no_grad():
        assert torch.equal(model(inputs).logits, deep(inputs).logits)
        fast, fast_deep = (Network(m, compiled=False).logits(inputs) for m in (model, deep))
        assert torch.equal(fast, fast_deep)


def test_the_grown_layers_learn():
    model, inputs = llama(300, 128, 1, 176), tokens(2, 33, 300)
    deep = grow(model, replace(Shape.of(model.config), layers=3))
    Network(deep, compiled=False).cross_entropy(inputs[:, :-1], inputs[:, 1:]).backward()
    for layer in deep.model.layers[1:]:
        assert layer.self_attn.o_proj.weight.grad.abs().sum() > 0 and layer.mlp.down_proj.weight.grad.abs().sum() > 0


TWICE = {
    "fable-target": Shape(8192, 512, 32, 8, 4, 128, 1408, False, "qwen3"),
    "fable-draft": Shape(8192, 512, 4, 8, 4, 96, 1408, True, "qwen3"),
}


@pytest.fixture(scope="module")
def embedded():
    return {name: load_model(EMBEDDED / name, "cpu", torch.float32).model for name in TWICE}


@pytest.mark.full
@pytest.mark.parametrize("family", ["llama", "qwen3"])
@pytest.mark.parametrize("name", TWICE)
@torch.no_grad()
def test_the_embedded_models_stay_themselves_at_twice_their_size(embedded, name, family):
    tokenizer = load_tokenizer(EMBEDDED / name)
    text = "Once upon a time a miller had three daughters. Question: How many rolls are 12 trays of 8? Answer: " * 4
    inputs = torch.tensor([tokenizer(text)["input_ids"]])
    grown = grow(embedded[name], replace(TWICE[name], key_heads=TWICE[name].heads // 2, family=family))
    assert inputs.shape[1] > 100 and difference(embedded[name], grown, inputs) < 1e-4
    assert grown(inputs).logits[..., 4096:].max() < -1000


@pytest.mark.full
def test_a_grown_pair_decodes_the_same_text(embedded):
    tokenizer = load_tokenizer(EMBEDDED / "fable-target")
    grown = load_pair(*(grow(embedded[name], TWICE[name]) for name in TWICE), tokenizer=tokenizer)
    pair = load_pair(EMBEDDED / "fable-target", EMBEDDED / "fable-draft", device="cpu", dtype="float32")
    for method in ("speculative", "mtad"):
        small, large = (decode(one, method, "Once upon a time", max_new_tokens=16, seed=3) for one in (pair, grown))
        assert small.tokens == large.tokens
        assert small.metrics.acceptance_rate == large.metrics.acceptance_rate


REFUSED = {
    "its width is 24": (replace(SMALL, width=20), {}),
    "its layers is 2": (replace(SMALL, layers=1), {}),
    "only where the width grows": (replace(SMALL, vocab_size=51), {}),
    "whole groups": (replace(SMALL, heads=7), {}),
    "4 query heads for 2 of keys": (replace(SMALL, heads=3, key_heads=3), {}),
    "its vocabulary projection": (LARGE, {"shape": replace(SMALL, tied=False)}),
    "it has biases": (LARGE, {"attention_bias": True}),
    "hardly an epsilon": (LARGE, {"rms_norm_eps": 0.0}),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_cannot_grow_says_why(reason):
    shape, settings = REFUSED[reason]
    with pytest.raises(ModelError, match=reason):
        grow(small(**settings), shape)


def test_other_positions_and_widths_of_numbers_are_refused():
    scaled = small()
    scaled.config.rope_parameters = {"rope_type": "linear", "rope_theta": 100.0, "factor": 2.0}
    with pytest.raises(ModelError, match="positions are linear"):
        grow(scaled, LARGE)
    with pytest.raises(ModelError, match="float16"):
        grow(small(), LARGE, dtype=torch.float16)
    with pytest.raises(ModelError, match="qwen3 is not llama"):
        grow(grow(small(), replace(LARGE, family="qwen3")), LARGE)


def test_a_shape_is_read_off_a_configuration():
    config = LlamaConfig(vocab_size=9, hidden_size=8, intermediate_size=5, num_hidden_layers=3, num_attention_heads=2)
    assert Shape.of(config) == Shape(9, 8, 3, 2, 2, 4, 5, False)
