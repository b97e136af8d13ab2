"""Targets in GGUF files: the weights of the model that was written, as transformers reads them, and refusals."""

import struct

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Kind
from gguf import GGUFWriter
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

import specviz
from specviz.errors import ModelError
from specviz.lm.loading.gguf import read_header
from specviz.lm.loading.models import load_model, load_tokenizer, tokenizer_of
from specviz.lm.loading.pairs import load_pair
from tests.tiny_gguf import CONFIGS, tiny_model, write_gguf


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.mark.parametrize("architecture", CONFIGS)
def test_the_weights_are_those_of_the_model_that_was_written(architecture, tmp_path):
    written, path = tiny_model(architecture), write_gguf(tmp_path / "tiny.gguf", architecture)
    model = load_model(path, "cpu", torch.float32).model
    ours, theirs = model.state_dict(), written.state_dict()
    assert ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)
    tokens = torch.arange(40)[None]
    assert torch.allclose(model(tokens).logits, written(tokens).logits, atol=1e-5)


@pytest.mark.parametrize("kind", [Kind.Q4_1, Kind.Q8_0, Kind.F16, Kind.BF16], ids=lambda kind: kind.name)
def test_packed_weights_are_unpacked_as_transformers_does(kind, tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf", kind=kind)
    ours = load_model(path, "cpu", torch.bfloat16)
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path, gguf_file=path.name, dtype=torch.bfloat16)
    assert (ours.name, ours.dtype) == ("tiny", torch.bfloat16)
    for name, weight in theirs.state_dict().items():
        assert torch.equal(ours.model.state_dict()[name], weight), name


@pytest.mark.parametrize("architecture", CONFIGS)
def test_settings_and_tokenizer_are_read_as_transformers_does(architecture, tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf", architecture)
    theirs = {"pretrained_model_name_or_path": tmp_path, "gguf_file": path.name}
    ours, config = read_header(path).config().to_dict(), AutoConfig.from_pretrained(**theirs).to_dict()
    assert ours | {"_name_or_path": config["_name_or_path"]} == config
    tokenizer, other = load_tokenizer(path), AutoTokenizer.from_pretrained(**theirs)
    assert type(tokenizer) is type(other) and tokenizer.chat_template == other.chat_template
    assert tokenizer.backend_tokenizer.to_str() == other.backend_tokenizer.to_str()
    assert tokenizer.special_tokens_map == other.special_tokens_map


def test_a_file_is_a_target_with_tokenizer_template_and_end(file, monkeypatch):
    pair = load_pair(file, device="cpu")
    assert (pair.target.name, pair.draft, pair.chat, pair.end_tokens) == ("tiny", None, True, {0})
    assert pair.decode(pair.encode("than")) == "than"
    run = {"max_new_tokens": 8, "seed": 1}
    trace = specviz.decode(pair, "autoregressive", "than", **run)
    assert trace.tokens == specviz.decode(load_pair(str(file), device="cpu"), "autoregressive", "than", **run).tokens
    assert tokenizer_of(pair.target.model).get_vocab() == pair.tokenizer.get_vocab()
    both = load_pair(file, file, device="cpu")
    assert specviz.decode(both, "speculative", "than", max_new_tokens=8, temperature=0).tokens
    monkeypatch.chdir(file.parent)
    assert load_pair("tiny.gguf", device="cpu").target.name == "tiny"


def test_a_file_that_is_no_gguf_or_not_all_of_one_is_named(file, tmp_path):
    content = file.read_bytes()
    cut, other = tmp_path / "cut.gguf", tmp_path / "other.bin"
    other.write_bytes(b"PK" + content)
    with pytest.raises(ModelError, match="'.*other.bin' is not a GGUF file") as refused:
        load_pair(other)
    assert refused.value.argument == "target"
    for size in (len(content) - 1, len(content) // 2):
        cut.write_bytes(content[:size])
        with pytest.raises(ModelError, match=f"cut.gguf' is cut short: it has {size:,} of {len(content):,} bytes"):
            load_pair(cut)
    header = min(tensor.offset for tensor in read_header(file).tensors.values())
    for size in (*range(4, 40), *range(40, header - 64, header // 16)):
        cut.write_bytes(content[:size])
        with pytest.raises(ModelError, match="cut.gguf' is damaged or cut short"):
            load_pair(cut)
    with pytest.raises(ModelError, match="'no.gguf' does not exist"):
        load_pair("no.gguf")


def test_damaged_headers_end_in_a_sentence(file, tmp_path):
    content, random = file.read_bytes(), np.random.default_rng(0)
    damaged = tmp_path / "damaged.gguf"
    for _ in range(200):
        changed = bytearray(content)
        for place in random.integers(4, 3000, 3):
            changed[place] = random.integers(256)
        damaged.write_bytes(changed)
        try:
            read_header(damaged)
        except ModelError as error:
            assert "damaged.gguf" in str(error)


def test_other_architectures_versions_and_tensors_are_refused(file, tmp_path):
    writer = GGUFWriter(tmp_path / "bert.gguf", "bert")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    with pytest.raises(ModelError, match="bert.gguf' is of architecture 'bert'; read are llama, qwen2, qwen3"):
        load_pair(tmp_path / "bert.gguf")
    old = tmp_path / "old.gguf"
    old.write_bytes(b"GGUF" + struct.pack("<I", 1) + file.read_bytes()[8:])
    with pytest.raises(ModelError, match="is of version 1 of GGUF; read are 2 and 3"):
        load_pair(old)
    scaled = write_gguf(tmp_path / "scaled.gguf", more={"rope_freqs.weight": np.ones(4, np.float32)})
    with pytest.raises(ModelError, match="has a tensor 'rope_freqs.weight', which this model has no place for"):
        load_pair(scaled)
    longer = write_gguf(tmp_path / "longer.gguf", scaling="yarn")
    with pytest.raises(ModelError, match=r"longer.gguf' scales its positions \(yarn\)"):
        load_pair(longer)
