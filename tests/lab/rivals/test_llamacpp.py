"""llama.cpp as a rival writes what we write, from the same file, and is entered where it can be."""

import importlib.util

import pytest

import specviz
from specviz.lab.rivals import llamacpp
from specviz.lab.rivals.entered import GENERATE, bench_plan, bench_rows, ours, rivals
from specviz.lab.sweep.prompts import SweepPrompt
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
    found = llamacpp.rival(pair, **GREEDY)(PROMPT, 12, 0)
    ours = specviz.decode(pair, "autoregressive", PROMPT, max_new_tokens=12, temperature=0.0)
    texts = [text.replace("\ufffd", "") for text in (pair.decode(found.tokens), ours.text)]  # characters cut in two
    assert found.count == 12 and texts[0] == texts[1] and len(texts[0]) > 3 and found.reading > 0


def test_it_samples_by_its_seed_and_as_warped(pair):
    sampled = llamacpp.rival(pair, temperature=1.0, top_k=20, top_p=0.9)
    texts = [sampled(PROMPT, 24, seed).tokens for seed in (1, 2, 1)]
    assert texts[0] == texts[2] != texts[1]
    likeliest = llamacpp.rival(pair, temperature=1.0, top_k=1, top_p=None)
    assert likeliest(PROMPT, 24, 3).tokens == llamacpp.rival(pair, **GREEDY)(PROMPT, 24, 0).tokens


def test_it_runs_beside_the_others(pair):
    settings = ours(pair, [("autoregressive", {})])
    settings += rivals(pair, settings)
    assert [one.name for one in settings] == ["autoregressive", GENERATE, llamacpp.GENERATE]
    plan = bench_plan(pair, settings, [SweepPrompt("1", "questions", "than")], tokens=8, rounds=1, seed=0)
    rows = bench_rows(plan)
    assert {(row.setting, row.metrics.tokens) for row in rows} == {(one.name, 8) for one in settings}
    assert all(row.metrics.perplexity > 1 for row in rows)


def test_only_the_file_of_a_target_can_be_decoded(pair, monkeypatch):
    table = TableLM.random(5, 0)
    assert llamacpp.can_rival(pair) and not llamacpp.can_rival(ModelPair(table, table))
    monkeypatch.setattr(pair.target.model, "name_or_path", "somebody/tiny")
    assert not llamacpp.can_rival(pair)
    monkeypatch.undo()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(llamacpp, "find_spec", importlib.util.find_spec)
    assert not llamacpp.can_rival(pair)
