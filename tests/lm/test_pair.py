"""Loading pairs from disk, text to tokens and back, and every way in which loading is refused."""

import json
import shutil

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

import specviz
from specviz.decoding.run.detokenizer import Detokenizer
from specviz.errors import ModelError, PromptError
from specviz.lm.loading.pairs import load_pair
from specviz.lm.pair import ModelPair
from specviz.lm.parts.correlation import Correlation
from specviz.lm.parts.deciding import DecisionModel, save_deciders
from specviz.lm.parts.heads import PredictionHeads
from specviz.lm.table import TableLM
from tests.tiny_pair import swapped_tokenizer, write_pair


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write_pair(tmp_path_factory.mktemp("pair"))


@pytest.fixture
def copied(paths, tmp_path):
    """The pair in a folder of its own, to be damaged."""
    return tuple(shutil.copytree(path, tmp_path / path.name) for path in paths)


def test_a_local_pair_is_loaded(paths):
    pair = load_pair(*paths, device="cpu")
    assert (pair.target.name, pair.draft.name) == ("target", "draft")
    assert pair.target.dtype == torch.float32 and pair.context == 512 and pair.end_tokens == {0}
    assert not pair.chat and pair.target.fingerprint != pair.draft.fingerprint


def _parts(folder, width=32, vocab_size=257):
    """Heads, correlation and deciders for the pair, on disk."""
    PredictionHeads(2, width, vocab_size).save(folder / "heads")
    Correlation.from_counts(np.array([1]), np.array([1]), vocab_size).save(folder / "r.safetensors")
    save_deciders({"hidden": DecisionModel("hidden", width, vocab_size)}, folder / "deciders")
    return {"heads": folder / "heads", "correlation": folder / "r.safetensors", "deciders": folder / "deciders"}


def test_a_pair_is_loaded_with_its_parts(paths, tmp_path):
    pair = load_pair(*paths, drafts=[paths[1], paths[0]], **_parts(tmp_path), device="cpu")
    assert [model.name for model in pair.drafts] == ["draft", "target"] and pair.draft.name == "draft"
    assert pair.heads.count == 2 and list(pair.deciders) == ["hidden"] and pair.correlation.total == 1
    hidden = pair.target.open(4, hidden=True).extend([1, 2], [-1, 0], last_only=True).hidden
    assert pair.heads.logits([1, 2], hidden).shape == (2, 257)
    bare = load_pair(*paths, device="cpu")
    assert (bare.drafts, bare.heads, bare.correlation, bare.deciders) == ((), None, None, {})


def test_further_drafts_need_no_first(paths):
    pair = load_pair(paths[0], drafts=[paths[1]], device="cpu")
    assert pair.draft is None and [model.name for model in pair.drafts] == ["draft"]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"width": 16}, "heads 'heads' reads hidden states of width 16, target 'target' has width 32"),
        ({"vocab_size": 300}, "heads 'heads' has a vocabulary of 300, target 'target' one of 257"),
    ],
)
def test_parts_of_another_model_are_refused(paths, tmp_path, sizes, message):
    parts = _parts(tmp_path, **sizes)
    with pytest.raises(ModelError, match=message):
        load_pair(*paths, **parts, device="cpu")
    with pytest.raises(ModelError, match="decider 'deciders/hidden' (reads|has)"):
        load_pair(*paths, deciders=parts["deciders"], device="cpu")
    if "vocab_size" in sizes:
        with pytest.raises(ModelError, match="correlation has a vocabulary of 300"):
            load_pair(*paths, correlation=parts["correlation"], device="cpu")


def test_a_further_draft_of_another_vocabulary_is_refused(paths, copied):
    swapped_tokenizer().save_pretrained(copied[1])
    with pytest.raises(ModelError, match="different vocabularies"):
        load_pair(*paths, drafts=[copied[1]], device="cpu")


def test_others_keep_their_dtype_while_a_pair_is_loaded(paths, monkeypatch):
    """transformers sets torch's default for every thread, to that which it loads in."""
    usual, seen = torch.set_default_dtype, []
    monkeypatch.setattr(torch, "set_default_dtype", lambda dtype: seen.append(dtype) or usual(dtype))
    model = load_pair(*paths, device="cpu", dtype="bfloat16").target.model
    assert set(seen) == {torch.float32}
    direct = AutoModelForCausalLM.from_pretrained(paths[0], dtype=torch.bfloat16)
    assert model.config.dtype == direct.config.dtype == torch.bfloat16
    for mine, theirs in ((model.parameters, direct.parameters), (model.buffers, direct.buffers)):
        assert all(torch.equal(a, b) and a.dtype == b.dtype for a, b in zip(mine(), theirs(), strict=True))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_pairs_decode(paths, dtype):
    pair = load_pair(*paths, device="cpu", dtype=dtype)
    trace = specviz.decode(pair, "speculative", "Once", max_new_tokens=12)
    assert pair.target.dtype == getattr(torch, dtype) and trace.header.target.dtype == dtype
    assert 1 <= len(trace.tokens) <= 12


@pytest.mark.parametrize(
    "prompt",
    [
        "plain",
        "  spaces  and\n\nlines ",
        "emoji 🙂",
        "שלום עולם",
        "<img src=x onerror=alert(1)>",
        "${alert(1)}",
        "a\u0000b",
    ],
)
def test_any_text_survives_the_tokens(paths, prompt):
    pair = load_pair(*paths, device="cpu")
    assert pair.decode(pair.encode(prompt)) == prompt


def test_a_lone_surrogate_is_replaced_not_fatal(paths):
    assert load_pair(*paths, device="cpu").encode("a\ud800b")


def test_pieces_join_to_the_text_and_are_never_broken(paths):
    pair = load_pair(*paths, device="cpu")
    text = "né 🙂 שלום"
    detokenizer = Detokenizer(pair, pair.encode("prompt"))
    pieces = [detokenizer.piece(token) for token in pair.encode(text)]
    assert "".join(pieces) == text and "🙂" in pieces and "\N{REPLACEMENT CHARACTER}" not in "".join(pieces)
    assert pair.piece(pair.encode("🙂")[0]) == "\\xf0"


def test_end_tokens_have_no_text(paths):
    pair = load_pair(*paths, device="cpu")
    assert Detokenizer(pair, [5]).piece(0) == "" and pair.piece(0) == "<|endoftext|>"


def test_the_chat_template_is_used_and_can_be_switched_off(copied):
    settings = json.loads((copied[0] / "tokenizer_config.json").read_text())
    settings["chat_template"] = "{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}{% endfor %} [reply]"
    (copied[0] / "tokenizer_config.json").write_text(json.dumps(settings))
    chatting = load_pair(*copied, device="cpu")
    assert chatting.chat and chatting.decode(chatting.encode("hello")) == "[user] hello [reply]"
    plain = load_pair(*copied, device="cpu", chat=False)
    assert plain.decode(plain.encode("hello")) == "hello"


def test_chat_without_a_template_is_refused(paths):
    with pytest.raises(ModelError, match="has no chat template: chat must be off"):
        load_pair(*paths, device="cpu", chat=True)


def test_different_vocabularies_are_refused_with_an_example(copied):
    swapped_tokenizer().save_pretrained(copied[1])
    with pytest.raises(ModelError, match=r"different vocabularies, for example at id 5 \("):
        load_pair(*copied, device="cpu")


def _without_config(target):
    (target / "config.json").unlink()


def _without_weights(target):
    (target / "model.safetensors").rename(target / "pytorch_model.bin")


def _damaged_weights(target):
    (target / "model.safetensors").write_bytes(b"not a tensor file")


def _without_tokenizer(target):
    for path in target.glob("tokenizer*"):
        path.unlink()


def _encoder_decoder(target):
    (target / "config.json").write_text(json.dumps({"model_type": "t5", "is_encoder_decoder": True}))


def _a_layer_short(target):
    settings = json.loads((target / "config.json").read_text())
    (target / "config.json").write_text(json.dumps(settings | {"num_hidden_layers": 3, "layer_types": None}))


def _remote_code(target):
    settings = json.loads((target / "config.json").read_text())
    settings |= {"model_type": "unheard_of", "auto_map": {"AutoConfig": "code.C", "AutoModelForCausalLM": "code.M"}}
    (target / "config.json").write_text(json.dumps(settings))
    (target / "code.py").write_text("raise SystemExit('remote code was run')")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_without_config, "has no config.json"),
        (_without_weights, r"has no \*.safetensors weights; other formats are not read"),
        (_damaged_weights, "could not be loaded"),
        (_without_tokenizer, "no tokenizer could be read"),
        (_a_layer_short, "lack 'model.layers.2"),
        (_encoder_decoder, "is an encoder-decoder"),
        (_remote_code, "could not be loaded|no tokenizer could be read"),
    ],
)
def test_a_damaged_model_is_refused_with_the_reason(copied, damage, message):
    damage(copied[0])
    with pytest.raises(ModelError, match=message):
        load_pair(*copied, device="cpu")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "/no/such/model"}, "model directory '/no/such/model' does not exist"),
        ({"draft": "only-a-draft"}, "needs a target"),
        ({"device": "tpu"}, "device must be cpu, cuda, cuda:N or auto, got 'tpu'"),
        ({"dtype": "int8"}, "dtype must be one of float32, bfloat16, float16, auto, got 'int8'"),
    ],
)
def test_wrong_arguments_are_refused(paths, arguments, message):
    known = {} if {"target", "draft"} & set(arguments) else {"target": paths[0], "draft": paths[1]}
    with pytest.raises(ModelError, match=message):
        load_pair(**known, **arguments)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA GPU")
def test_cuda_without_a_gpu_is_refused(paths):
    with pytest.raises(ModelError, match="device 'cuda' was asked for, but this torch sees no CUDA GPU"):
        load_pair(*paths, device="cuda")


def test_too_little_memory_while_loading_is_explained(paths, monkeypatch):
    def fail(*args, **kwargs):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr("specviz.lm.loading.models.AutoModelForCausalLM.from_pretrained", fail)
    with pytest.raises(ModelError, match="out of memory on cpu while loading 'target'"):
        load_pair(*paths, device="cpu")


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        ("", "prompt is empty"),
        (" \n", "prompt is empty"),
        ([], "prompt is empty"),
        ([1, 300], "prompt token 300 is outside the vocabulary 0..256"),
        (5, "prompt must be text, token ids or a list of messages, got int"),
    ],
)
def test_wrong_prompts_are_refused(paths, prompt, message):
    with pytest.raises(PromptError, match=message):
        load_pair(*paths, device="cpu").encode(prompt)


def test_pairs_without_a_tokenizer_speak_token_ids():
    pair = ModelPair(TableLM.random(5, 0), TableLM.random(5, 1))
    assert pair.encode([1, 2]) == (1, 2) and pair.decode([1, 2]) == " 1 2"
    with pytest.raises(PromptError, match="has no tokenizer"):
        pair.encode("text")
    with pytest.raises(ModelError, match="vocabulary of 4, target 'random table 0' one of 5"):
        ModelPair(TableLM.random(5, 0), TableLM.random(4, 1))
