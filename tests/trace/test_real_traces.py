"""What the decoders really write passes every check and comes back equal."""

import json

import pytest

import specviz
from specviz.decoding.registry.registry import methods
from specviz.decoding.run.loop import decode
from specviz.decoding.run.race import race
from specviz.errors import SpecvizError
from specviz.lm.pair import ModelPair
from specviz.lm.parts.correlation import DenseCorrelation
from specviz.lm.parts.deciding import FunctionDecider
from specviz.lm.parts.heads import TableHeads
from specviz.lm.table import TableLM
from specviz.trace.record import Trace
from specviz.trace.store import load_trace, trace_from_json, trace_schema, trace_size, trace_to_json
from tests.decoding.run.test_properties import transformer_pair
from tests.trace.files import difference, mentions, parsed_file, reused
from tests.trace.schema import problem

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


def check(trace: Trace, path) -> None:
    """It comes back the same from a file, which has every distribution once and obeys the schema."""
    specviz.save_trace(trace, str(path))
    again = load_trace(path)
    assert again == trace and difference(again, trace) is None
    parsed = parsed_file(trace)
    count = len(parsed["distributions"])
    assert count == len({json.dumps(entry) for entry in parsed["distributions"]}) == reused(trace)
    assert set(mentions(parsed)) == set(range(count)) and reused(again, by_identity=True) == count
    assert len(repr(trace)) < 200 and "\n" not in repr(trace)


@pytest.mark.every(3)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("method", methods())
@pytest.mark.parametrize("seed", range(2))
def test_every_method_writes_sound_traces(pair, method, setting, seed, tmp_path):
    check(decode(pair, method, [1, 2, 3], max_new_tokens=12, seed=seed, **SETTINGS[setting]), tmp_path / "run.json")


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
    check(decode(pair, method, [1, 2, 3], max_new_tokens=12, seed=1, **options), tmp_path / "run.json")


@pytest.mark.parametrize("method", methods())
def test_real_files_obey_the_schema(pair, method):
    assert problem(parsed_file(decode(pair, method, [1, 2, 3], max_new_tokens=6, seed=1)), trace_schema()) is None


FLOAT32 = {"defaults": {}, "greedy": {"temperature": 0.0}, "no warp": {"top_k": None, "top_p": None}}
FLOAT32 |= {"short": {"top_k": 3}}


@pytest.mark.every(3)
@pytest.mark.parametrize("setting", FLOAT32)
@pytest.mark.parametrize("method", [method for method in methods() if method != "slim"])
def test_a_network_writes_sound_traces(method, setting, tmp_path):
    """float32, and of 61 tokens 20 are listed; greedy and without a cut, probabilities follow from the logits."""
    trace = decode(transformer_pair(), method, [1, 2, 3], max_new_tokens=8, seed=1, **FLOAT32[setting])
    check(trace, tmp_path / "run.json")


LARGE = {"no warp": {"top_k": None, "top_p": None}, "nucleus": {"top_k": None}, "many": {"top_k": 280}}


@pytest.mark.parametrize("setting", LARGE)
@pytest.mark.parametrize("method", ["speculative", "mcsd", "spectr", "dsbd", "mtjd", "medusa", "typical"])
def test_distributions_of_which_a_part_is_kept(method, setting, tmp_path):
    """Of more than 256 possible tokens a record keeps the likeliest, and how much is left out."""
    target, draft = (TableLM.random(300, seed, sharpness=6.0) for seed in (1, 2))
    heads = TableHeads.random(300, 3, seed=4)
    large = ModelPair(target, draft, heads=heads, end_tokens=frozenset({299}))
    trace = decode(large, method, [0, 1], max_new_tokens=2, seed=0, **LARGE[setting])
    check(trace, tmp_path / "run.json")
    rests = [entry.get("rest", 0.0) for entry in parsed_file(trace)["distributions"]]
    assert max(rests) > 0.0 if setting == "no warp" and method != "medusa" else max(rests) < 1e-2


@pytest.mark.parametrize("method", methods())
def test_a_verdict_under_other_options_is_a_sound_trace_too(pair, method, tmp_path):
    """Whatever a step judged again comes to can be saved; even that a draft has nothing left to propose."""
    trace = decode(pair, method, [1, 2, 3], max_new_tokens=12, seed=2)
    written = 0
    for index in range(len(trace.iterations)):
        for change in ({}, {"top_k": 1}, {"top_p": 0.3}, {"temperature": 2.0}):
            try:
                again = specviz.replay(trace, index, **change)
            except SpecvizError:
                continue
            check(again, tmp_path / "run.json")
            written += 1
    assert written >= len(trace.iterations)


def test_what_is_left_of_a_draft_may_be_nothing(tmp_path):
    """Siblings drawn without replacement at a top-k that leaves fewer tokens than siblings: a rule that does not read
    the draft judges them all the same, and the verdict can be saved."""
    pair = ModelPair(*(TableLM.random(6, seed, sharpness=2.0) for seed in (1, 2)), end_tokens=frozenset({5}))
    options = {"drafter": "distinct-tree", "verifier": "typical"}
    trace = decode(pair, "custom", [0, 1], max_new_tokens=10, seed=1, **options)
    again = specviz.replay(trace, 0, top_k=1)
    assert any(not node.draft.probs.any() for node in again.iterations[0].forest.nodes)
    check(again, tmp_path / "run.json")


# How large a file is.


@pytest.mark.parametrize("method", ["speculative", "mcsd", "specinfer", "dsbd", "mtad", "typical"])
def test_a_file_is_smaller_than_what_it_says(method):
    """Every distribution once, whatever refers to it, and no probabilities that follow from the logits."""
    trace = decode(transformer_pair(), method, [1, 2, 3], max_new_tokens=8, seed=1)
    parsed = parsed_file(trace)
    entries = parsed["distributions"]
    sizes = [len(json.dumps(entry, separators=(",", ":"))) for entry in entries]
    assert sum(sizes[number] for number in mentions(parsed)) > sum(sizes)
    assert trace_size(trace) == len(trace_to_json(trace).encode())
    of_the_models = [entry for entry in entries if "logits" in entry]
    assert of_the_models and not any("probs" in entry for entry in of_the_models)


@pytest.mark.parametrize("draft", ["unigram", "bigram", "prompt", "random"])
def test_counts_as_drafts(pair, draft):
    trace = decode(pair, "speculative", [1, 2, 1, 2], max_new_tokens=12, draft=draft, gamma="auto")
    assert difference(trace_from_json(trace_to_json(trace)), trace) is None


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
