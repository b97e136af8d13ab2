"""Static shapes over the trie cache say what growing ones say, whatever the call's size and whatever lay there before.

Everything here runs on a processor: the same classes as on a GPU, without a capture.
"""

import gc
import random

import pytest
import torch
from accelerate import cpu_offload
from transformers import LlamaForCausalLM

import specviz
from specviz.lm.loading.pairs import load_pair
from specviz.lm.network import static
from specviz.lm.network.cache import GrowingCache
from specviz.lm.network.static import CALLS, IDLE, SIZES, StaticCache
from specviz.lm.network.transformer import TransformerLM
from specviz.lm.pair import ModelPair
from tests.lm.models import FAMILIES, VOCABULARY, tiny
from tests.lm.network.test_lean import SHAPES, built
from tests.lm.test_trie import ancestors
from tests.tiny_pair import write_pair

EDGES = [1, 2, *(count + more for count in CALLS[1:-1] for more in (0, 1)), CALLS[-1], CALLS[-1] + 1]
"""Numbers of rows at which calls begin to be of another size, the last of them too large for one call."""
MODELS = {
    **{family: lambda family=family: tiny(family) for family in FAMILIES},
    **{shape: lambda shape=shape: built(*SHAPES[shape]) for shape in SHAPES if "," in shape or shape == "qwen2"},
}
METHODS = ("autoregressive", "speculative", "mcsd", "specinfer", "mtad", "dsbd", "dynamic-tree", "beam")
HUGE = 1e30


def both(make):
    """The same model in static shapes and in growing ones."""
    return TransformerLM(make(), "static", graphs=True), TransformerLM(make(), "growing", graphs=False)


def step(session, draw, count, cut=True):
    """``count`` more rows anywhere on the trie, and sometimes nothing kept but three paths."""
    start = len(session.trie)
    parents = [draw.randrange(max(-1, row - 14), row) for row in range(start, start + count)]
    scores = session.extend([draw.randrange(VOCABULARY) for _ in parents], parents)
    if cut and draw.random() < 0.4:
        leaves = draw.sample(range(len(session.trie)), min(3, len(session.trie)))
        session.keep(sorted(set().union(*(ancestors(session.trie.parents, leaf) for leaf in leaves))))
    return scores


def close(ours, theirs):
    """To 1e-5 of the largest number: single precision, and sums in another order."""
    assert (ours.hidden is None) == (theirs.hidden is None)
    for one, other in ((ours.logits, theirs.logits), (ours.hidden, theirs.hidden)):
        if one is not None:
            assert one.shape == other.shape
            assert float((one - other).abs().max()) <= 1e-5 * float(other.abs().max())


def agree(models, counts=EDGES, seed=0, room=1000):
    draws = [random.Random(seed), random.Random(seed)]
    sessions = [model.open(room, hidden=True) for model in models]
    for count in random.Random(seed).sample(counts, len(counts)):
        close(*map(step, sessions, draws, (count, count)))
    assert sessions[0].trie.parents == sessions[1].trie.parents
    return sessions


def cache_of(session) -> StaticCache:
    assert isinstance(session._cache, StaticCache)
    return session._cache


@pytest.mark.parametrize("lean", [True, False], ids=["", "stock"])
@pytest.mark.parametrize("kind", MODELS)
def test_every_size_of_call_on_forks_that_are_cut(kind, lean):
    models = both(MODELS[kind])
    if not lean:
        if models[0].lean is None:
            return
        for model in models:
            model.lean = None
    sessions = agree(models)
    assert cache_of(sessions[0]).size_in_rows == 1024 and isinstance(sessions[1]._cache, GrowingCache)
    last = [session.extend([3, 5, 7], [0, 1, 1], last_only=True) for session in sessions]
    close(*last)
    assert last[0].logits.shape == (1, VOCABULARY)


def test_hidden_states_are_left_out_unless_asked_for():
    assert TransformerLM(tiny("opt"), "opt", graphs=True).open(3).extend([3, 5], [-1, 0]).hidden is None


def test_padded_rows_write_to_the_spare_row_and_see_that_alone():
    session = TransformerLM(tiny("opt"), "opt", graphs=True).open(40)
    session.extend([3, 5, 7, 9, 2], [-1, 0, 0, 1, 2])
    for layer in cache_of(session).layers:
        for part in layer.held():
            assert part[:, :, :5].abs().amin(dim=(1, 3)).all() and not part[:, :, 5:-1].any() and part[:, :, -1].any()
    assert cache_of(session)._mask[5:8].nonzero().tolist() == [[row, SIZES[0] - 1] for row in range(3)]


@pytest.mark.parametrize("family", ["llama", "opt"])
def test_what_lies_in_rows_that_nobody_sees_does_not_matter(family):
    sessions = agree(both(lambda: tiny(family)), counts=[1, 5, 3])
    for layer in cache_of(sessions[0]).layers:
        for part in layer.held():
            part[:, :, len(sessions[0].trie) :] = HUGE
    draws = random.Random(1), random.Random(1)
    for count in (3, 1, 20):
        close(*map(step, sessions, draws, (count, count)))


@pytest.mark.parametrize("left", [HUGE, float("nan")])
def test_an_earlier_session_leaves_nothing_but_the_buffers(left):
    models = both(lambda: tiny("llama"))
    first = models[0].open(300)
    step(first, random.Random(3), 40)
    cache = cache_of(first)
    for layer in cache.layers:
        for part in layer.held():
            part[:] = left
    del first
    gc.collect()
    again = agree(models, seed=4, room=400, counts=[1, 9, 30])[0]
    assert cache_of(again) is cache


def test_a_cache_is_its_sessions_own_and_few_wait_for_another():
    model = TransformerLM(tiny("llama"), "llama", graphs=True)
    sessions = [model.open(100) for _ in range(IDLE + 2)]
    caches = [cache_of(session) for session in sessions]
    assert len(set(map(id, caches))) == IDLE + 2
    sessions.clear()
    gc.collect()
    assert len(model._static._idle) == IDLE
    larger, another = model.open(SIZES[0]), model.open(SIZES[0] - 1)
    assert cache_of(larger) not in caches and cache_of(larger).size_in_rows == SIZES[1]
    assert cache_of(another) in caches and cache_of(another).size_in_rows == SIZES[0]


def test_a_session_too_long_for_it_grows():
    model = TransformerLM(tiny("llama"), "llama", graphs=True)
    assert isinstance(model.open(SIZES[-1] - 1)._cache, StaticCache)
    assert isinstance(model.open(SIZES[-1])._cache, GrowingCache)


def test_a_full_session():
    """Its last row is not the spare one."""
    models = both(lambda: tiny("llama"))
    capacity = SIZES[0] - 1
    draws, sessions = (random.Random(5), random.Random(5)), [model.open(capacity) for model in models]
    for count in (100, 128, 128, capacity - 356):
        close(*(step(session, draw, count, cut=False) for session, draw in zip(sessions, draws, strict=True)))
    assert cache_of(sessions[0]).size_in_rows == SIZES[0] and len(sessions[0].trie) == capacity


@pytest.mark.parametrize("family", ["llama", "opt"])
def test_prompts_are_remembered(family):
    """Also where one is longer than a call, starts like another, and is read by the other shapes."""
    ours, theirs = both(lambda: tiny(family))
    long = [(7 * n * n + 3 * n) % VOCABULARY for n in range(190)]
    for prompt in (long, [*long, 5, 9], long[:140], long):
        sessions = [model.open(len(prompt) + 9, hidden=True) for model in (ours, theirs)]
        close(*(session.extend(prompt, range(-1, len(prompt) - 1), last_only=True) for session in sessions))
        close(*(session.extend([3, 5, 7], [len(prompt) - 1, len(prompt) - 1, 2]) for session in sessions))
    assert len(ours.prompts._readings) == 3
    theirs.prompts = ours.prompts
    fresh = TransformerLM(tiny(family), "fresh")
    sessions = [model.open(200) for model in (theirs, fresh)]
    for session in sessions:
        session.extend(long, range(-1, len(long) - 1), last_only=True)
    close(*(session.extend([3, 5, 7], [189, 189, 2]) for session in sessions))


def test_a_widened_vocabulary():
    models = [TransformerLM(tiny("llama"), "wide", VOCABULARY + 3, graphs=graphs) for graphs in (True, False)]
    sessions = [model.open(9) for model in models]
    ours, theirs = (session.extend([1, VOCABULARY + 1, 2], [-1, 0, 1]).logits for session in sessions)
    assert torch.equal(ours.isinf(), theirs.isinf()) and ours.shape == (3, VOCABULARY + 3)
    torch.testing.assert_close(ours[:, :VOCABULARY], theirs[:, :VOCABULARY], atol=1e-4, rtol=1e-5)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    target, draft = write_pair(tmp_path_factory.mktemp("static"))
    return [load_pair(target, draft, drafts=[target], device="cpu", graphs=graphs) for graphs in (True, None)]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("method", METHODS)
def test_methods_write_the_same(pairs, method, temperature):
    options = {"drafts": 2} if method == "specinfer" else {}
    settings = {"max_new_tokens": 16, "temperature": temperature, "seed": 3, **options}
    ours, theirs = (specviz.decode(pair, method, "Once upon a time", **settings) for pair in pairs)
    assert ours.tokens == theirs.tokens
    assert [len(one.calls) for one in ours.iterations] == [len(one.calls) for one in theirs.iterations]
    assert len(ours.header.drafts) == (1 if method == "specinfer" else 0)


def test_a_second_run_takes_the_caches_of_the_first(pairs, monkeypatch):
    pair = pairs[0]
    specviz.decode(pair, "speculative", "Once", max_new_tokens=8)
    gc.collect()
    monkeypatch.setattr(static, "StaticCache", lambda *_: pytest.fail("made another"))
    specviz.decode(pair, "speculative", "Twice", max_new_tokens=8)


def test_who_has_static_shapes(tmp_path):
    paths = write_pair(tmp_path)
    for graphs, expected in ((None, False), (False, False), (True, True)):
        given = LlamaForCausalLM.from_pretrained(paths[1])
        pair = load_pair(paths[0], given, drafts=[paths[1]], device="cpu", graphs=graphs)
        for model in (pair.target, pair.draft, *pair.drafts):
            assert model.graphs is expected and isinstance(model.open(3)._cache, StaticCache) is expected
    assert not specviz.decode(pair, "speculative", "Once", max_new_tokens=4).header.target.graphs  # on no GPU


def test_why_it_has_none():
    assert TransformerLM(tiny("opt"), "opt").graphs_refused == "it computes on a processor"
    assert TransformerLM(tiny("opt"), "opt", graphs=False).graphs_refused == "they are switched off"
    offloaded = TransformerLM(cpu_offload(tiny("opt"), torch.device("cpu")), "opt", graphs=True)
    assert offloaded.graphs_refused == "its weights are not all on one device" and not offloaded.graphs


def test_where_it_does_not_agree_shapes_grow(monkeypatch):
    monkeypatch.setattr(static.StaticLayer, "update", lambda self, *_args, **_kwargs: self.held())
    model = TransformerLM(tiny("opt"), "opt", graphs=True)
    assert not model.graphs and "logits of a fork differ" in model.graphs_refused
    assert isinstance(model.open(3)._cache, GrowingCache)


def test_where_its_first_call_finds_no_memory_shapes_grow(monkeypatch):
    def fail(*_given):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(StaticCache, "_write", fail)
    model = TransformerLM(tiny("opt"), "opt", graphs=True)
    assert not model.graphs and "out of memory" in model.graphs_refused
    assert model.open(3).extend([1], [-1]).logits.shape == (1, VOCABULARY)


def test_a_pair_of_one_static_and_one_growing_model():
    target, draft = TransformerLM(tiny("llama"), "t", graphs=True), TransformerLM(tiny("llama", 1), "d")
    plain = ModelPair(TransformerLM(tiny("llama"), "t"), TransformerLM(tiny("llama", 1), "d"))
    texts = [
        specviz.decode(pair, "mcsd", [1, 2, 3], max_new_tokens=12, seed=2).tokens
        for pair in (ModelPair(target, draft), plain)
    ]
    assert texts[0] == texts[1]
