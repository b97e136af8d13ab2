"""What a graph replays, and what happens where none can be captured. Graphs themselves need a GPU; elsewhere the
operations of a call are noted and done again, over whatever lies in the same memory then."""

import random
import warnings

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import specviz
from specviz.lm.network import static
from specviz.lm.network.cache import GrowingCache
from specviz.lm.network.static import StaticCache
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from tests.lm.models import FAMILIES, tiny
from tests.lm.network.test_static import EDGES, both, close, step

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA GPU on this machine")


class Noted(TorchDispatchMode):
    """Every operation on tensors, with what it was given and what it gave."""

    def __init__(self):
        super().__init__()
        self.operations = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        assert "_local_scalar_dense" not in str(func), "a number of a tensor was asked for"
        found = func(*args, **(kwargs or {}))
        self.operations.append((func, args, kwargs or {}, found))
        return found

    def again(self):
        for func, args, kwargs, before in self.operations:
            for old, new in zip(tree_leaves(before), tree_leaves(func(*args, **kwargs)), strict=True):
                if isinstance(old, torch.Tensor) and old.data_ptr() != new.data_ptr():
                    old.copy_(new)


class NotedCalls:
    """Stands for ``CudaGraphs``: notes the operations of a call, and does them again."""

    captured = 0

    def __call__(self, compute):
        self.captured += 1
        with Noted() as noted:
            outputs = compute()

        def again():
            noted.again()
            return outputs

        return again


def noting(model):
    calls = NotedCalls()
    model._static.captures._capture = calls
    return calls


@pytest.mark.parametrize("lean", [True, False], ids=["", "stock"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_operations_of_one_call_do_for_every_other_of_its_size(family, lean):
    models = both(lambda: tiny(family))
    if not lean:
        for model in models:
            model.lean = None
    calls, random_ = noting(models[0]), random.Random(7)
    draws, sessions = (random.Random(1), random.Random(1)), [model.open(500, hidden=True) for model in models]
    said = []
    for count in [*EDGES[:9], *(random_.choice(EDGES[:9]) for _ in range(25))]:
        said.append([*map(step, sessions, draws, (count, count))])
        if len(sessions[0].trie) > 400:
            for session in sessions:
                session.keep(range(session.trie._trunk))
    for ours, theirs in said:  # what one call says, the next leaves as it is
        close(ours, theirs)
    assert calls.captured == 5  # 1, 2, 4, 8 and 16 rows


def test_each_pass_has_graphs_of_its_own():
    model = TransformerLM(tiny("llama"), "llama", graphs=True)
    calls, lean = noting(model), model.lean
    session = model.open(30)
    for count, forward in enumerate((lean, None, lean, None), 1):
        model.lean = forward
        session.extend([3], [-1])
        assert calls.captured == min(count, 2)


def test_a_second_run_captures_nothing():
    pair = ModelPair(*(TransformerLM(tiny("llama", seed), "model", graphs=True) for seed in (0, 1)))
    calls = [noting(model) for model in (pair.target, pair.draft)]
    settings = {"max_new_tokens": 12, "seed": 4}
    first = specviz.decode(pair, "speculative", [1, 2, 3], **settings)
    captured = [one.captured for one in calls]
    assert all(captured)
    assert specviz.decode(pair, "speculative", [1, 2, 3], **settings).tokens == first.tokens
    assert [one.captured for one in calls] == captured


@pytest.mark.parametrize(
    "error",
    [RuntimeError("operation not permitted when stream is capturing"), torch.OutOfMemoryError("CUDA out of memory")],
)
def test_where_a_capture_is_refused_one_warning_says_why(error):
    models = both(lambda: tiny("llama"))
    asked = []

    def refuse(compute):
        asked.append(compute)
        try:
            raise error
        finally:
            raise RuntimeError("the capture cannot be ended")

    models[0]._static.captures._capture = refuse
    sessions, draws = [model.open(100) for model in models], (random.Random(1), random.Random(1))
    with pytest.warns(RuntimeWarning, match=f"'static' is computed without CUDA graphs from now on: {error}"):
        close(*map(step, sessions, draws, (5, 5)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for count in (2, 5, 30):
            close(*map(step, sessions, draws, (count, count)))
        assert isinstance(models[0].open(9)._cache, GrowingCache)
    assert len(asked) == 1 and not models[0].graphs and models[0].graphs_refused == str(error)


def test_another_error_is_not_hidden():
    model = TransformerLM(tiny("llama"), "llama", graphs=True)

    def fail(compute):
        raise TypeError("a mistake")

    model._static.captures._capture = fail
    with pytest.raises(TypeError, match="a mistake"):
        model.open(5).extend([1], [-1])


@pytest.mark.parametrize("failures", [1, 2])
def test_without_memory_for_a_cache_the_idle_ones_go_first(monkeypatch, failures):
    model = TransformerLM(tiny("llama"), "llama", graphs=True)
    sessions = [model.open(9) for _ in range(2)]
    sessions.clear()
    assert len(model._static._idle) == 2
    errors = [torch.OutOfMemoryError("CUDA out of memory")] * failures

    def made(*given):
        if errors:
            raise errors.pop()
        return StaticCache(*given)

    monkeypatch.setattr(static, "StaticCache", made)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        session = model.open(600)
    assert not errors and not model._static._idle
    assert isinstance(session._cache, StaticCache if failures == 1 else GrowingCache) and model.graphs is (
        failures == 1
    )
    assert [str(one.message).partition(": ")[2] for one in said] == ["CUDA out of memory"] * (failures - 1)


def test_what_a_graph_reads_of_the_rotary_table_stays(monkeypatch):
    monkeypatch.setattr("specviz.lm.network.lean.FIRST_POSITIONS", 4)
    model = TransformerLM(tiny("llama"), "llama", graphs=True)
    before = model.lean.cos
    model.open(600).extend([1], [-1])
    assert len(model.lean.cos) == 1024 and any(before is cos for cos, _ in model.lean._former)


@needs_gpu
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_replayed_calls_equal_launched_ones(family, dtype):
    models = [TransformerLM(tiny(family).to("cuda", dtype), "gpu", graphs=graphs) for graphs in (None, False)]
    assert models[0].graphs and not models[1].graphs
    draws, sessions = (random.Random(1), random.Random(1)), [model.open(500, hidden=True) for model in models]
    for count in [*EDGES[:9], *EDGES[:9]]:
        ours, theirs = map(step, sessions, draws, (count, count))
        spread = float((ours.logits - theirs.logits).float().abs().max())
        assert spread <= (1e-4 if dtype == torch.float32 else 0.1) * float(theirs.logits.float().abs().max())
    assert {size for _, size in sessions[0]._cache._graphs} >= {1, 2, 4, 8, 16} and models[0].graphs


@needs_gpu
def test_a_run_on_a_gpu_says_that_it_was_replayed():
    target, draft = (TransformerLM(tiny("llama", seed).to("cuda"), "gpu") for seed in (0, 1))
    trace = specviz.decode(ModelPair(target, draft), "speculative", [1, 2, 3], max_new_tokens=8, temperature=0.0)
    plain = ModelPair(*(TransformerLM(tiny("llama", seed), "cpu") for seed in (0, 1)))
    assert trace.header.target.graphs and trace.header.draft.graphs
    assert trace.tokens == specviz.decode(plain, "speculative", [1, 2, 3], max_new_tokens=8, temperature=0.0).tokens
    assert all(call.seconds > 0.0 for iteration in trace.iterations for call in iteration.calls)
