"""Which dtype and how many threads: chosen by what this machine does, said, and left as it was afterwards."""

import threading

import pytest
import torch

import specviz
from specviz.errors import ModelError
from specviz.lm.loading import quickest as module
from specviz.lm.loading.pairs import load_pair
from specviz.lm.loading.quickest import call_seconds, quickest
from specviz.lm.threads import SMALL, computing_with, threads_for, threads_of
from specviz.ui.serving.models import describe_pair
from tests.tiny_pair import write_pair


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write_pair(tmp_path_factory.mktemp("pair"))


@pytest.mark.parametrize(
    ("wide", "target", "draft", "said"),
    [
        ({5: 0.020, 1: 0.009, 4: 0.012}, "bfloat16", "bfloat16", "bfloat16"),
        ({5: 0.020, 1: 0.009, 4: 0.010}, "bfloat16", "float32", "bfloat16, draft float32"),
        ({5: 0.004, 1: 0.011, 4: 0.008}, "float32", "float32", "float32"),
    ],
)
def test_the_quicker_one_is_taken_for_each_model_and_the_reason_said(paths, monkeypatch, wide, target, draft, said):
    def seconds(models, rows, threads, target):
        assert threads is None and (target is None) == (rows == 5)
        return [wide[rows] if model.dtype == torch.float32 else 0.010 for model in models]

    monkeypatch.setattr(module, "call_seconds", seconds)
    pair = load_pair(*paths, device="cpu", dtype="auto")
    assert (str(pair.target.dtype), str(pair.draft.dtype)) == (f"torch.{target}", f"torch.{draft}")
    of_target, of_draft = pair.choice.split("; ")
    assert of_target.startswith(
        f"{pair.target.name} in {target} (a call of 5 rows takes {min(wide[5], 0.01) * 1e3:.2f}"
    )
    both = min(wide[1] + wide[4], 0.02) * 1e3
    assert of_draft.startswith(
        f"{pair.draft.name} in {draft} (one call each of 1 and 4 rows takes in all {both:.2f} ms"
    )
    assert describe_pair(pair).endswith(f": ready ({said}, lean pass)")


def test_a_target_alone_is_timed_with_single_rows(paths, monkeypatch):
    seen = []
    monkeypatch.setattr(module, "call_seconds", lambda models, rows, threads, target: seen.append(rows) or [1.0, 2.0])
    load_pair(paths[0], device="cpu", dtype="auto")
    assert seen == [1]


def test_both_are_really_timed(paths):
    pair = load_pair(*paths, device="cpu", dtype="auto")
    assert pair.choice.count(" ms against ") == 2 and pair.target.dtype in (torch.float32, torch.bfloat16)
    assert specviz.decode(pair, "speculative", [1, 2, 3], max_new_tokens=4).header.target.forward == "lean"
    (seconds,) = call_seconds([pair.target], 5, budget=0.0)
    assert 0 < seconds < 10


def test_drafts_are_timed_in_turns_between_calls_of_the_target(paths, monkeypatch):
    pair, made = load_pair(*paths, device="cpu"), []
    one = module._TimedCalls.one
    monkeypatch.setattr(module._TimedCalls, "one", lambda calls: made.append(calls) or one(calls))
    call_seconds([pair.draft, pair.target], 1, target=pair.target, budget=0.0)
    between, *others = dict.fromkeys(made)
    assert len(others) == 2 and made == [between, others[0], between, others[1]] * 3


def test_a_draft_is_timed_with_the_threads_that_its_pair_decodes_with(paths, monkeypatch):
    pair, asked = load_pair(*paths, device="cpu"), []
    monkeypatch.setattr(module, "enough_threads", lambda models: asked.append([*models]) or 1)
    call_seconds([pair.draft], 1, target=pair.target, budget=0.0)
    call_seconds([pair.target], 5, budget=0.0)
    assert asked == [[pair.draft, pair.target], [pair.target]]


def test_models_of_two_dtypes_decode_together(paths, monkeypatch):
    def seconds(models, rows, *_):
        return [(rows == 5) == (model.dtype == torch.float32) for model in models]

    monkeypatch.setattr(module, "call_seconds", seconds)
    pair = load_pair(*paths, device="cpu", dtype="auto")
    assert (pair.target.dtype, pair.draft.dtype) == (torch.bfloat16, torch.float32)
    for method in ("speculative", "mtad", "mcsd", "dsbd"):
        assert len(specviz.decode(pair, method, [1, 2, 3], max_new_tokens=8).tokens) == 8


def test_without_memory_for_float32_it_is_bfloat16(paths):
    def load(dtype):
        if dtype == torch.float32:
            raise ModelError("out of memory", code="out_of_memory")
        return load_pair(*paths, device="cpu", dtype="bfloat16").target

    model, reason = quickest(load, [1])
    assert model.dtype == torch.bfloat16 and "too little memory" in reason


def test_what_else_is_wrong_is_said(paths):
    def load(dtype):
        if dtype == torch.float32:
            raise ModelError("damaged")
        return load_pair(*paths, device="cpu", dtype="bfloat16").target

    with pytest.raises(ModelError, match="damaged"):
        quickest(load, [1])


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_threads_out_of_range_are_refused(paths, threads):
    with pytest.raises(ModelError, match="threads must be a whole number from 1") as caught:
        load_pair(*paths, device="cpu", threads=threads)
    assert caught.value.argument == "threads"


@pytest.fixture
def three_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def test_small_models_have_one_thread_and_large_ones_those_torch_started_with(paths, monkeypatch):
    pair = load_pair(*paths, device="cpu")
    assert threads_of(pair) == 1 and threads_of(load_pair(*paths, device="cpu", threads=2)) == 2
    monkeypatch.setattr("specviz.lm.threads.SMALL", pair.target.shape.parameters - 1)
    monkeypatch.setattr("specviz.lm.threads.ALL", 3)
    assert threads_of(pair) == 3 and SMALL > 13_900_000  # the embedded target is small
    found: list[int] = []
    with computing_with(1):  # what a new thread hears of torch then, it hears for ever
        other = threading.Thread(target=lambda: found.append(threads_of(pair)))
        other.start()
        other.join()
    assert found == [3]


def test_a_run_computes_with_its_threads_and_leaves_the_others_theirs(paths, three_threads):
    pair = load_pair(*paths, device="cpu", threads=2)
    seen = set()
    extend = type(pair.target.open(1)).extend

    def spied(*args, **kwargs):
        seen.add(torch.get_num_threads())
        return extend(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("specviz.lm.network.transformer.TransformerSession.extend", spied)
        specviz.decode(pair, "speculative", [1, 2, 3], max_new_tokens=4)
    assert seen == {2} and torch.get_num_threads() == 3
    with pytest.raises(KeyError), threads_for(pair):
        raise KeyError
    assert torch.get_num_threads() == 3
