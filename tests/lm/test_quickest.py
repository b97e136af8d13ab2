"""Which dtype and how many threads: chosen by what this machine does, said, and left as it was afterwards."""

import pytest
import torch

import specviz
from specviz.errors import ModelError
from specviz.lm import quickest as module
from specviz.lm.pair import load_pair
from specviz.lm.quickest import iteration_seconds, quickest
from specviz.lm.threads import SMALL, threads_for, threads_of
from specviz.ui.serving.models import describe_pair
from tests.tiny_pair import write_pair


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write_pair(tmp_path_factory.mktemp("pair"))


@pytest.mark.parametrize(("wide", "chosen"), [(0.020, "bfloat16"), (0.004, "float32")])
def test_the_quicker_one_is_taken_and_the_reason_said(paths, monkeypatch, wide, chosen):
    seconds = {torch.float32: wide, torch.bfloat16: 0.010}
    monkeypatch.setattr(module, "iteration_seconds", lambda pair: seconds[pair.target.dtype])
    pair = load_pair(*paths, device="cpu", dtype="auto")
    assert str(pair.target.dtype) == str(pair.draft.dtype) == f"torch.{chosen}"
    assert pair.choice.startswith(f"{chosen}: an iteration of 4 guesses takes {min(wide, 0.010) * 1e3:.1f} ms against")
    assert describe_pair(pair).endswith(f": ready ({chosen}, lean forward pass)")


def test_both_are_really_timed(paths):
    pair = load_pair(*paths, device="cpu", dtype="auto")
    assert " ms against " in pair.choice and pair.target.dtype in (torch.float32, torch.bfloat16)
    assert specviz.decode(pair, "speculative", [1, 2, 3], max_new_tokens=4).header.target.forward == "lean"
    assert 0 < iteration_seconds(pair, 0.0) < 10


def test_without_memory_for_float32_it_is_bfloat16(paths):
    def load(dtype):
        if dtype == "float32":
            raise ModelError("out of memory", code="out_of_memory")
        return load_pair(*paths, device="cpu", dtype=dtype)

    pair = quickest(load)
    assert pair.target.dtype == torch.bfloat16 and "too little memory" in pair.choice


def test_what_else_is_wrong_is_said(paths):
    def load(dtype):
        if dtype == "float32":
            raise ModelError("damaged")
        return load_pair(*paths, device="cpu", dtype=dtype)

    with pytest.raises(ModelError, match="damaged"):
        quickest(load)


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


def test_small_models_have_one_thread_and_large_ones_those_of_torch(paths, three_threads, monkeypatch):
    pair = load_pair(*paths, device="cpu")
    assert threads_of(pair) == 1 and threads_of(load_pair(*paths, device="cpu", threads=2)) == 2
    monkeypatch.setattr("specviz.lm.threads.SMALL", pair.target.shape.parameters - 1)
    assert threads_of(pair) == 3 and SMALL > 13_900_000  # the embedded target is small


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
