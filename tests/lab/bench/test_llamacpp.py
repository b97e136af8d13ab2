"""llama.cpp as a rival writes what we write, from the same file, and is entered where it can be."""

import importlib.util

import pytest

import specviz
from specviz.lab.bench import llamacpp
from specviz.lab.bench.runs import GENERATE, contenders, run_bench
from specviz.lab.prompts import Prompt
from specviz.lm.loading.pairs import load_pair
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from tests.tiny_gguf import write_gguf

PROMPT = (40, 41, 42, 43)
GREEDY = {"temperature": 0.0, "top_k": None, "top_p": None}


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return load_pair(write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf"), device="cpu")


def test_greedy_it_writes_what_we_write(pair):
    found = llamacpp.rival(pair, 12, **GREEDY)(PROMPT, 0)
    ours = specviz.decode(pair, "autoregressive", PROMPT, max_new_tokens=12, temperature=0.0)
    texts = [text.replace("\ufffd", "") for text in (pair.decode(found.tokens), ours.text)]  # characters cut in two
    assert found.written == 12 and texts[0] == texts[1] and len(texts[0]) > 3 and found.reading > 0


def test_it_samples_by_its_seed_and_as_warped(pair):
    sampled = llamacpp.rival(pair, 24, temperature=1.0, top_k=20, top_p=0.9)
    texts = [sampled(PROMPT, seed).tokens for seed in (1, 2, 1)]
    assert texts[0] == texts[2] != texts[1]
    likeliest = llamacpp.rival(pair, 24, temperature=1.0, top_k=1, top_p=None)
    assert likeliest(PROMPT, 3).tokens == llamacpp.rival(pair, 24, **GREEDY)(PROMPT, 0).tokens


def test_it_runs_beside_the_others(pair):
    entered = contenders(pair, ["autoregressive"], 8)
    assert [one.name for one in entered] == ["autoregressive", GENERATE, llamacpp.GENERATE]
    runs = list(run_bench(pair, entered, prompts=[Prompt("questions", "than")], rounds=1))
    assert {(run.contender, run.tokens) for run in runs} == {(one.name, 8) for one in entered}


def test_only_the_file_of_a_target_can_be_decoded(pair, monkeypatch):
    table = TableLM.random(5, 0)
    assert llamacpp.can_rival(pair) and not llamacpp.can_rival(ModelPair(table, table))
    monkeypatch.setattr(pair.target.model, "name_or_path", "somebody/tiny")
    assert not llamacpp.can_rival(pair)
    monkeypatch.undo()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(llamacpp, "find_spec", importlib.util.find_spec)
    assert not llamacpp.can_rival(pair)
