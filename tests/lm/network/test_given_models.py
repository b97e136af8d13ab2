"""Models made with transformers that go in as objects: quantised, with adapters in a wrapper, offloaded."""

import pytest
import torch
from accelerate import cpu_offload
from torch import nn
from torch.nn import functional as F
from transformers import LlamaForCausalLM

import specviz
from specviz.errors import ModelError
from specviz.lm.loading.pairs import load_pair
from tests.tiny_pair import write_pair

GREEDY = {"max_new_tokens": 10, "temperature": 0.0}


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write_pair(tmp_path_factory.mktemp("given"))


class Int8(nn.Module):
    """A linear layer that keeps its weight as int8 in a buffer, with one scale a row, as quantisers do."""

    def __init__(self, linear):
        super().__init__()
        scale = linear.weight.detach().abs().amax(1, keepdim=True) / 127
        self.register_buffer("weight", (linear.weight.detach() / scale).round().to(torch.int8))
        self.register_buffer("scale", scale)

    def forward(self, x):
        return F.linear(x, self.weight * self.scale)


class Adapted(nn.Module):
    """A linear layer with a low-rank adapter beside it."""

    def __init__(self, linear, rank=2):
        super().__init__()
        self.base_layer = linear
        self.down = nn.Linear(linear.in_features, rank, bias=False)
        self.up = nn.Linear(rank, linear.out_features, bias=False)

    def forward(self, x):
        return self.base_layer(x) + self.up(self.down(x))


class Wrapper(nn.Module):
    """As peft wraps a model whose layers it has changed."""

    def __init__(self, model):
        super().__init__()
        self.base_model = model

    def get_base_model(self):
        return self.base_model

    def forward(self, *args, **kwargs):
        return self.base_model(*args, **kwargs)


def _changed(path, kind):
    """The model with every projection of its layers replaced."""
    torch.manual_seed(5)
    model = LlamaForCausalLM.from_pretrained(path)
    for name, layer in [*model.model.layers.named_modules()]:
        if isinstance(layer, nn.Linear):
            parent, _, leaf = name.rpartition(".")
            setattr(model.model.layers.get_submodule(parent), leaf, kind(layer))
    return model.eval()


def _greedy(model, prompt):
    inputs = torch.tensor([prompt])
    with torch.inference_mode():
        return model.generate(
            inputs, attention_mask=torch.ones_like(inputs), max_new_tokens=10, do_sample=False, pad_token_id=0
        )[0, len(prompt) :].tolist()


def _check(pair, model):
    prompt = pair.encode("Once upon")
    for method in ("autoregressive", "speculative", "mcsd"):
        assert list(specviz.decode(pair, method, prompt, **GREEDY).tokens) == _greedy(model, prompt)


def test_a_quantised_model(paths):
    model, plain = _changed(paths[0], Int8), load_pair(*paths, device="cpu")
    pair = load_pair(model, paths[1])
    _check(pair, model)
    assert pair.target.shape.parameters > plain.target.shape.parameters  # its scales, and no weight is left out
    assert pair.target.fingerprint != plain.target.fingerprint
    other = _changed(paths[0], Int8)
    other.model.layers[0].mlp.up_proj.weight[0, 0] += 1
    assert load_pair(other, paths[1]).target.fingerprint != pair.target.fingerprint


def test_a_model_with_adapters_in_a_wrapper(paths):
    model = _changed(paths[0], Adapted)
    wrapped = Wrapper(model)
    pair = load_pair(wrapped, paths[1], drafts=[Wrapper(LlamaForCausalLM.from_pretrained(paths[1]))])
    _check(pair, wrapped.base_model)
    assert pair.target.fingerprint != load_pair(*paths, device="cpu").target.fingerprint
    assert pair.target.name == "target" and pair.drafts[0].name == "draft"


def test_an_offloaded_model(paths):
    stock = LlamaForCausalLM.from_pretrained(paths[0]).eval()
    model = cpu_offload(LlamaForCausalLM.from_pretrained(paths[0]).eval(), torch.device("cpu"))
    assert all(parameter.is_meta for parameter in model.parameters())
    pair = load_pair(model, paths[1])
    assert pair.target.device == torch.device("cpu")
    assert pair.target.fingerprint == load_pair(stock, paths[1]).target.fingerprint
    _check(pair, stock)


def test_weights_of_several_files(paths, tmp_path):
    LlamaForCausalLM.from_pretrained(paths[0]).save_pretrained(tmp_path / "sharded", max_shard_size="20KB")
    load_pair(paths[0], device="cpu").tokenizer.save_pretrained(tmp_path / "sharded")
    assert len([*(tmp_path / "sharded").glob("*.safetensors")]) > 1
    ours, whole = (load_pair(path, device="cpu").target for path in (tmp_path / "sharded", paths[0]))
    assert ours.fingerprint == whole.fingerprint


def test_what_is_no_causal_model_is_refused(paths):
    for given in (nn.Linear(2, 2), Wrapper(nn.Linear(2, 2))):
        with pytest.raises(
            ModelError, match="a model must be a directory, a hub id, or a model of transformers"
        ) as caught:
            load_pair(paths[0], given)
        assert caught.value.argument == "draft"


def test_adapters_of_the_prompt_are_refused(paths):
    wrapped = Wrapper(LlamaForCausalLM.from_pretrained(paths[0]))
    wrapped.active_peft_config = type("Config", (), {"is_prompt_learning": True})()
    with pytest.raises(ModelError, match="an adapter that adds to the prompt"):
        load_pair(wrapped, paths[1])
