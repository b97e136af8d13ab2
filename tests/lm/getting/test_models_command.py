"""``models`` and ``--pair`` on the command line, and known models as targets."""

import os
import shutil
import signal
import threading
import time
from dataclasses import replace

import pytest
import torch

from specviz.decoding.run.loop import decode
from specviz.errors import ModelError
from specviz.lm.getting.catalog import MODELS, find_model
from specviz.lm.getting.getting import models_folder, path_of
from specviz.lm.loading import embedded
from specviz.lm.loading.pairs import load_pair
from specviz.lm.loading.small_draft import is_small_draft, save_small_draft
from specviz.lm.network.listening import ListeningLM
from specviz.zoo.draft.fresh import fresh_draft
from tests.lm.getting.conftest import WHEEL
from tests.test_command_line import run  # noqa: F401
from tests.tiny_pair import write_pair

ABOUT = "tiny: a random model; licence CC0-1.0; from tiny-model==1.0 of the package index ("
DECODE = ["--method", "autoregressive", "--prompt", "than", "--max-new-tokens", "3", "--device", "cpu"]


def test_models_are_listed_got_verified_and_removed(run, tiny, linked, index, content):  # noqa: F811
    code, out, err = run("models")
    assert (code, err) == (0, "") and ABOUT in out and "not here: specviz models get tiny" in out
    assert "smollm2: SmolLM2-135M-Instruct" in out and out == run("models", "list")[1]
    code, out, err = run("models", "get", "tiny")
    assert (code, out) == (0, f"{path_of(tiny)}\n") and err.startswith(ABOUT)
    assert f"here: {path_of(tiny)}" in run("models")[1]
    for words in (["verify"], ["verify", "tiny"]):
        assert run("models", *words) == (0, f"tiny is what was published: {path_of(tiny)}\n", "")
    path_of(tiny).write_bytes(content[1:])
    assert run("models", "verify")[2].startswith("specviz: error: model 'tiny' is damaged")
    code, out, err = run("models", "remove", "tiny")
    assert (code, out) == (0, f"tiny is removed: {len(content) - 1:,} bytes\n")
    assert run("models", "remove", "tiny") == (2, "", "specviz: error: model 'tiny' is not here\n")
    assert run("models", "verify")[0] == 2 and run("models", "get", "unknown")[0] == 2
    assert len(index.asked) == 1


def test_ctrl_c_says_what_is_kept(run, tiny, linked, index, content):  # noqa: F811
    part, ended = models_folder() / f"{WHEEL}.part", threading.Event()

    def goes_on(sent: int) -> bool:
        if sent < 40000:
            return True
        while not part.exists() or part.stat().st_size < 8192:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)
        return not ended.wait(60)

    index.goes_on = goes_on
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
    try:
        code, out, err = run("models", "get", "tiny")
    finally:
        ended.set()
        signal.signal(signal.SIGINT, usual)
    assert (code, out) == (130, "")
    size = part.stat().st_size
    assert err.endswith(f"specviz: stopped; {size:,} bytes are kept, the same again goes on from there\n")
    assert f"({size:,} bytes have arrived)" in run("models")[1]
    index.goes_on = lambda sent: True
    assert run("models", "get", "tiny")[0] == 0 and path_of(tiny).read_bytes() == content


def test_a_pair_is_got_first_and_then_here(run, tiny, linked, index):  # noqa: F811
    with pytest.raises(ModelError, match="'tiny' is not on this machine: specviz models get tiny") as refused:
        load_pair("tiny")
    assert (refused.value.argument, refused.value.code, index.asked) == ("target", "missing_part", [])
    code, out, err = run("decode", "--pair", "tiny", *DECODE)
    assert code == 0 and out.startswith("than") and ABOUT in err
    code, again, err = run("decode", "--pair", "tiny", *DECODE)
    assert (code, err, len(index.asked)) == (0, "", 1)
    pair = load_pair("tiny", device="cpu")
    assert (pair.target.name, pair.draft.name) == ("tiny", "bigram")  # counts, while it has no draft of its own
    assert decode(pair, "mtad", "a b a", max_new_tokens=4).metrics.tokens == 4
    assert run("decode", "--pair", "tiny", "--target", "x", *DECODE)[0] == 2


def test_a_known_model_brings_its_drafts(run, tiny, linked, tmp_path, monkeypatch, caplog):  # noqa: F811
    assert run("models", "get", "tiny")[0] == 0
    target = load_pair("tiny", device="cpu").target
    folder, vocabulary = tmp_path / "tiny-draft", torch.arange(target.vocab_size)
    save_small_draft(fresh_draft(target.model, 1, vocabulary), target.model, folder)
    save_small_draft(fresh_draft(target.model, 1, vocabulary, reads=(-1,)), target.model, tmp_path / "hearing")
    monkeypatch.setattr(embedded, "EMBEDDED", tmp_path)
    monkeypatch.setattr(embedded.part, "__defaults__", (tmp_path,))
    monkeypatch.setitem(MODELS, "tiny", replace(tiny, drafts=("tiny-draft", "hearing")))
    pair = load_pair("tiny", device="cpu")
    assert (pair.draft.name, pair.draft.shape.layers) == ("tiny-draft", 1)
    other = load_pair("tiny", "hearing", device="cpu")
    assert (other.draft.name, type(other.draft)) == ("hearing", ListeningLM)
    texts = [
        decode(of, name, "a b a", max_new_tokens=8, temperature=0.0).tokens
        for of, name in ((pair, "autoregressive"), (pair, "speculative"), (other, "speculative"))
    ]
    assert texts[0] == texts[1] == texts[2]
    assert str(tmp_path) not in (folder / "config.json").read_text()
    shutil.rmtree(folder)
    assert load_pair("tiny", device="cpu").draft.name == "bigram" and "goes on without" in caplog.text
    with pytest.raises(ModelError, match="draft 'tiny-draft' is missing or not what was shipped"):
        load_pair("tiny", "tiny-draft", device="cpu")


def test_the_drafts_of_every_known_model_are_embedded():
    for draft in (draft for model in MODELS.values() for draft in model.drafts):
        assert embedded.part(draft) is not None and is_small_draft(embedded.EMBEDDED / draft)
        assert all(file.stat().st_size < 10e6 for file in (embedded.EMBEDDED / draft).iterdir())


def test_a_folder_of_that_name_comes_before_the_known_model(tiny, index, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_pair(tmp_path)
    (tmp_path / "target").rename("tiny")
    assert load_pair("tiny", device="cpu").draft is None and index.asked == []


def test_a_file_is_a_target_on_the_command_line(run, content, tmp_path):  # noqa: F811
    (tmp_path / "own.gguf").write_bytes(content)
    assert run("decode", "--target", str(tmp_path / "own.gguf"), *DECODE)[::2] == (0, "")


def test_unknown_names_are_refused():
    with pytest.raises(ModelError, match="no model is called 'x'; known are smollm2") as refused:
        find_model("x")
    assert refused.value.code == "unknown_name" and list(MODELS) == ["smollm2"]
