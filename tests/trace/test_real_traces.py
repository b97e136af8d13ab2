"""What the decoders really write passes every check and comes back equal."""

import pytest

from specviz.decoding.catalog import methods
from specviz.decoding.loop import decode
from specviz.decoding.race import race
from specviz.lm.correlation import DenseCorrelation
from specviz.lm.deciding import FunctionDecider
from specviz.lm.heads import TableHeads
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.trace.store import load_trace, trace_from_json, trace_to_json

SETTINGS = {
    "defaults": {},
    "greedy": {"temperature": 0.0},
    "no warp": {"top_k": None, "top_p": None},
    "hot": {"temperature": 3.0, "top_k": 2},
}


@pytest.fixture(scope="module", params=[0.0, 0.5], ids=["full", "zeros"])
def pair(request) -> ModelPair:
    target, draft, other = (TableLM.random(7, seed, zeros=request.param, sharpness=2.0) for seed in (1, 2, 3))
    return ModelPair(
        target,
        draft,
        drafts=(other,),
        heads=TableHeads.random(7, 3, seed=4),
        correlation=DenseCorrelation.random(7, seed=5),
        deciders={"entropy": FunctionDecider(0.3)},
        end_tokens=frozenset({6}),
    )


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("method", methods())
@pytest.mark.parametrize("seed", range(2))
def test_every_method_writes_sound_traces(pair, method, setting, seed, tmp_path):
    trace = decode(pair, method, [1, 2, 3], max_new_tokens=12, seed=seed, **SETTINGS[setting])
    trace.save(str(tmp_path / "run.json"))
    assert load_trace(tmp_path / "run.json") == trace


OPTIONS = [
    ("speculative", {"lenience": 0.5}),
    ("beam", {"deterministic": True}),
    ("mtjd", {"tokens": 2, "exact": True}),
    ("specinfer", {"drafts": 2, "k_config": (3, 2)}),
    ("mcsd", {"replacement": True}),
    ("improved-mcsd", {"decision": "entropy", "width": 4}),
    ("dsbd", {"threshold": None, "min_beams": 3}),
    ("dsbd", {"single_cache": True, "threshold": 0.2}),
    ("medusa", {"acceptance": "typical"}),
    ("slim", {"keep": 1, "correlation": False}),
    ("bild", {"fallback": 0.1}),
    *(
        ("custom", {"drafter": "tree", "verifier": verifier})
        for verifier in ("recursive", "typical", "greedy", "joint")
    ),
    *(("custom", {"drafter": "sequences", "verifier": verifier}) for verifier in ("kseq", "recursive")),
]


@pytest.mark.parametrize(("method", "options"), OPTIONS, ids=str)
def test_options_write_sound_traces(pair, method, options, tmp_path):
    trace = decode(pair, method, [1, 2, 3], max_new_tokens=12, seed=1, **options)
    trace.save(str(tmp_path / "run.json"))
    assert load_trace(tmp_path / "run.json") == trace


@pytest.mark.parametrize("draft", ["unigram", "bigram", "prompt", "random"])
def test_counts_as_drafts(pair, draft):
    trace = decode(pair, "speculative", [1, 2, 1, 2], max_new_tokens=12, draft=draft, gamma="auto")
    assert trace_from_json(trace_to_json(trace)) == trace


def test_without_record(pair):
    trace = decode(pair, "mtad", [1, 2], max_new_tokens=9, record=False)
    assert trace_from_json(trace_to_json(trace)) == trace
    assert all(iteration.forest is None for iteration in trace.iterations)


def test_a_stopped_lane(pair):
    endless = ModelPair(pair.target, pair.draft)
    turns = race(endless, ["autoregressive", "mtad"], [1, 2], max_new_tokens=30)
    lane, _ = next(turns)
    trace = lane.trace()
    turns.close()
    assert trace.stop == "stopped"
    assert trace_from_json(trace_to_json(trace)) == trace
