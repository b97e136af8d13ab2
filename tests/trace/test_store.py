"""The file format: nothing is lost, nothing wrong gets in, and a refusal names the field."""

import copy
import json
import stat

import pytest
from hypothesis import HealthCheck, given, settings

from specviz.errors import TraceError
from specviz.trace import store
from specviz.trace.record import VERSION, Trace
from specviz.trace.store import load_trace, save_trace, trace_from_json, trace_schema, trace_to_json
from tests.beam_traces import BEAM_TRACES, layers_trace, search_trace
from tests.rule_traces import RULE_TRACES, heads_trace, kseq_trace, rollback_trace
from tests.trace.strategies import traces
from tests.traces import autoregressive_trace, mtad_trace, speculative_trace

PLAIN = [autoregressive_trace, speculative_trace, mtad_trace]
SAMPLES = [*PLAIN, *RULE_TRACES.values(), *BEAM_TRACES.values()]


@given(traces())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_the_round_trip_is_exact(trace: Trace):
    again = trace_from_json(trace_to_json(trace))
    assert again == trace
    assert repr(again) == repr(trace)  # types too: tuples stay tuples, 1 stays an integer, 1.0 a float


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_saved_file_is_loaded_equal(sample, tmp_path):
    path = tmp_path / "run.json"
    sample().save(str(path))
    assert load_trace(path) == sample()
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.json"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o400


def written_out(trace: Trace) -> dict:
    """The parsed JSON of a trace with nothing left out and nothing shared: that, too, is a trace."""
    return json.loads(store._ADAPTER.dump_json(trace))


def changed(change, sample=mtad_trace) -> str:
    """A sample as JSON after ``change(parsed)``."""
    parsed = written_out(sample())
    change(parsed)
    return json.dumps(parsed)


def set_at(path: str, value):
    """``set_at("iterations.1.rows", 3)`` as a change of the parsed JSON."""

    def change(parsed):
        *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        for part in way:
            parsed = parsed[part]
        parsed[last] = value

    return change


DAMAGE = [
    ("iterations.1.decisions.0.target_prob", "x", "iterations[1].decisions[0].target_prob: input should be a valid"),
    ("iterations.1.decisions.0.target_prob", 1.5, "iterations[1].decisions[0].target_prob: is 1.5, a probability"),
    ("iterations.1.decisions.3.draw", -0.1, "iterations[1].decisions[3].draw: is -0.1, a probability"),
    ("iterations.1.decisions.0.node", 99, "iterations[1].decisions[0].node: is 99, the forest has 9 nodes"),
    ("iterations.1.decisions.0.node", 3, "iterations[1].decisions[0].token: is 2, node 3 of the forest is token 3"),
    ("iterations.1.decisions.0.rule", "guess", "iterations[1].decisions[0]: input tag 'guess'"),
    ("iterations.0.decisions.0.target.probs", [1.0], "iterations[0].decisions[0].target: tokens, probs and logprobs"),
    ("iterations.0.decisions.0.target.probs", [0.9, 0.3, 0.2], "iterations[0].decisions[0].target: probs and rest sum"),
    ("iterations.0.decisions.0.target.tokens", [2, 2, 5], "iterations[0].decisions[0].target.tokens: a token is"),
    ("iterations.0.decisions.0.target.tokens", [2, 5, 77], "target.tokens: token 77 is not in the vocabulary"),
    ("iterations.0.forest.nodes.3.parent", 7, "iterations[0].forest.nodes[3].parent: is 7, a parent comes before"),
    ("iterations.0.forest.nodes.3.depth", 5, "iterations[0].forest.nodes[3].depth: is 5, its parent makes it 2"),
    ("iterations.0.forest.nodes.0.draft_prob", 2, "iterations[0].forest.nodes[0].draft_prob: is 2.0, a probability"),
    ("iterations.0.forest.nodes.0.outcome", "won", "iterations[0].forest.nodes[0].outcome: input should be 'ac"),
    ("iterations.0.forest.proposals.0.draws", [9], "iterations[0].forest.proposals[0].draws[0]: is 9, nodes go from"),
    ("iterations.0.forest.proposals.0.parents", [], "iterations[0].forest.proposals[0]: parents, parent_weights"),
    ("iterations.0.emitted.0.node", 12, "iterations[0].emitted[0].node: is 12, the forest has 9 nodes"),
    ("iterations.0.emitted.0.token", 1.0, "iterations[0].emitted[0].token: input should be a valid integer"),
    ("iterations.0.accepted", 9, "iterations[0].accepted: is 9, more than the 3 offered"),
    ("iterations.0.segments.0.end", -1.0, "iterations[0].segments[0]: runs from 0.0 to -1.0"),
    ("iterations.0.calls.0.tokens", -2, "iterations[0].calls[0].tokens: is -2, it cannot be negative"),
    ("iterations.1.index", 4, "iterations[1].index: is 4, iterations are numbered"),
    ("iterations.1.context_length", 4, "iterations[1].context_length: is 4, prompt and emitted tokens make 8"),
    ("iterations.1.seconds", None, "iterations[1].seconds: input should be a valid number, not None"),
    ("iterations.1.forest", None, "iterations[1].decisions[0]: is a joint decision, but the iter"),
    ("metrics.tokens", 5, "metrics.tokens: is 5, the iterations emit 6"),
    ("metrics.perplexity", -3.0, "metrics.perplexity: is -3.0"),
    ("prefill_seconds", float("nan"), "prefill_seconds: input should be a finite number"),
    ("prefill_seconds", float("inf"), "prefill_seconds: input should be a finite number"),
    ("header.options.gamma", ["x"], "header.options.gamma"),
    ("header.method.distance", 1.5, "header.method.distance: is 1.5, a probability lies"),
    ("iterations.0.forest.nodes.0.parent", -2, "iterations[0].forest.nodes[0].parent: is -2, a parent comes before"),
    ("iterations.0.forest.nodes.0.score", 3.0, "iterations[0].forest.nodes[0].score: is 3.0, a probability"),
    ("iterations.0.forest.planned_depth", -1, "iterations[0].forest.planned_depth: is -1, it cannot be negative"),
    ("iterations.0.decisions.3.after", 9, "iterations[0].decisions[3].after[0]: is 9, nodes go from -1 to 8"),
    ("header.seed", True, "header.seed: input should be a valid integer"),
    ("header.mood", "good", "header.mood: unexpected keyword argument"),
    ("vocabulary.two", "2", "vocabulary.two"),
    ("version", VERSION + 1, f"version: this trace is version {VERSION + 1}, this specviz reads up to {VERSION}"),
    ("version", 0, "version: this trace is version 0, which can no longer be read"),
    ("version", "1", "version: a trace carries a whole number"),
    ("version", True, "version: a trace carries a whole number"),
]


@pytest.mark.parametrize(("path", "value", "message"), DAMAGE)
def test_a_damaged_field_is_named(path, value, message):
    with pytest.raises(TraceError) as caught:
        trace_from_json(changed(set_at(path, value)))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


D, F = "iterations.0.decisions.", "iterations.0.forest."
MORE_DAMAGE = [
    (kseq_trace, D + "0.rho", -1.0, "decisions[0].rho: is -1.0, it cannot be negative"),
    (kseq_trace, D + "1.candidate", 2, "decisions[1].candidate: is 2, candidates are counted from 0 to 1"),
    (rollback_trace, D + "0.confidence", 1.1, "decisions[0].confidence: is 1.1, a probability"),
    (heads_trace, D + "0.best", 77, "decisions[0].best: token 77 is not in the vocabulary"),
    (heads_trace, F + "considered", 2, "forest.considered: is 2, fewer than the 5 hypotheses listed"),
    (heads_trace, F + "hypotheses.0.node", 1, "hypotheses[0].token: is 2, node 1 of the forest is token 3"),
    (heads_trace, F + "hypotheses.1.posterior", -0.1, "hypotheses[1].posterior: is -0.1, it cannot be negative"),
    (layers_trace, D + "0.offered", 2, "decisions[0]: acceptances and at_least have one number for each of the 2"),
    (layers_trace, D + "0.at_least.0", 1.2, "decisions[0].at_least: is 1.2, a probability"),
    (layers_trace, D + "0.target.places.0", -2, "decisions[0].target.places[0]: is -2, nodes go from -1 to 2"),
    (layers_trace, D + "0.target.tokens.0", 77, "decisions[0].target.tokens: token 77 is not in the vocabulary"),
    (layers_trace, D + "0.draft.tokens.0", 3, "decisions[0].draft.tokens: a pair of beam and token is listed twice"),
    (layers_trace, D + "1.target.rest", 0.5, "decisions[1].target: probs and rest sum to 1.5"),
    (layers_trace, D + "3.parent", 8, "decisions[3].parent[0]: is 8, nodes go from -1 to 2"),
    (layers_trace, F + "proposals.0.joint.probs", [1.0], "joint: places, tokens, probs and logprobs have different"),
    (layers_trace, "iterations.0.beams.0.last", 2, "iterations[0].beams[0].last: is 2, its tokens end with 3"),
    (layers_trace, "iterations.0.steps", -1, "iterations[0].steps: is -1, it cannot be negative"),
    (search_trace, D + "0.nodes", [None], "decisions[0]: parents, tokens, logprobs and nodes have different lengths"),
    (search_trace, D + "0.drafted", [5], "decisions[0].drafted[0]: is 5, nodes go from 0 to 1"),
]


@pytest.mark.parametrize(("sample", "path", "value", "message"), MORE_DAMAGE)
def test_a_damaged_field_of_any_rule_is_named(sample, path, value, message):
    with pytest.raises(TraceError) as caught:
        trace_from_json(changed(set_at(path, value), sample))
    assert message in str(caught.value)


@pytest.mark.parametrize("field", ["version", "header", "metrics"])
def test_a_missing_field_is_named(field):
    with pytest.raises(TraceError, match=f"^{field}: "):
        trace_from_json(changed(lambda parsed: parsed.pop(field)))


@pytest.mark.parametrize("text", ["", "{", "nul", "[" * 5000, b"\xff\xfe", '"\ud800"', "PK\x03\x04", '{"version":1}}'])
def test_what_is_not_json_is_refused(text):
    with pytest.raises(TraceError, match="not JSON"):
        trace_from_json(text)


@pytest.mark.parametrize("text", ["[]", "3", "null", '"trace"'])
def test_json_of_another_shape_is_refused(text):
    with pytest.raises(TraceError, match="not a trace"):
        trace_from_json(text)


def test_a_huge_file_is_refused_before_it_is_read_whole(tmp_path):
    path = tmp_path / "huge.json"
    save_trace(mtad_trace(), path)
    with pytest.raises(TraceError, match=r"huge.json: the file has more than 1000 bytes"):
        load_trace(path, limit=1000)
    with pytest.raises(TraceError, match="at most 1000 are read"):
        trace_from_json(path.read_text(), limit=1000)


def test_a_file_error_names_the_file_and_the_field(tmp_path):
    path = tmp_path / "bent.json"
    path.write_text(changed(set_at("iterations.0.rows", -1)))
    with pytest.raises(TraceError, match=r"bent.json: iterations\[0\]\.rows: is -1"):
        load_trace(path)
    with pytest.raises(TraceError, match=r"absent.json: cannot be read \(No such file"):
        load_trace(tmp_path / "absent.json")
    with pytest.raises(TraceError, match="cannot be written"):
        save_trace(mtad_trace(), tmp_path / "no" / "such" / "folder.json")


def test_a_trace_that_could_not_be_loaded_is_not_saved(tmp_path):
    good, path = mtad_trace(), tmp_path / "run.json"
    save_trace(good, path)
    for bad in (float("nan"), float("inf"), -1.0):
        broken = copy.deepcopy(good)
        object.__setattr__(broken, "prefill_seconds", bad)
        with pytest.raises(TraceError, match="prefill_seconds"):
            save_trace(broken, path)
    lone_surrogate = copy.deepcopy(good)
    object.__setattr__(lone_surrogate.header, "prompt_text", "\ud800")
    with pytest.raises(TraceError, match="cannot be written as JSON"):
        save_trace(lone_surrogate, path)
    assert load_trace(path) == good
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.json"]


def test_a_write_that_fails_leaves_the_older_file(tmp_path, monkeypatch):
    path = tmp_path / "run.json"
    save_trace(speculative_trace(), path)

    def full(*_paths):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.os, "replace", full)
    with pytest.raises(TraceError, match=r"run.json: cannot be written \(No space left on device\)"):
        save_trace(mtad_trace(), path)
    assert load_trace(path) == speculative_trace()
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.json"]


def test_an_older_version_is_migrated_step_by_step(monkeypatch):
    def from_zero(parsed):  # version 0 called the seed "luck"
        parsed["header"]["seed"] = parsed["header"].pop("luck")
        return parsed

    def older(parsed):
        parsed["version"] = -1
        parsed["header"]["luck"] = parsed["header"].pop("seed")

    today = store.MIGRATIONS
    monkeypatch.setattr(store, "MIGRATIONS", today | {-1: lambda parsed: parsed, 0: from_zero})
    assert trace_from_json(changed(older)) == mtad_trace()
    monkeypatch.setattr(store, "MIGRATIONS", today | {0: from_zero})
    with pytest.raises(TraceError, match="version -1, which can no longer be read"):
        trace_from_json(changed(older))


def without(parts: list[dict], *names: str) -> None:
    for part in parts:
        for name in names:
            del part[name]


def as_version_2(trace: Trace) -> dict:
    """The trace as version 2 wrote it: without whatever version 3 added."""
    parsed = written_out(trace) | {"version": 2}
    forests = [iteration["forest"] for iteration in parsed["iterations"]]
    without([parsed["header"]], "end_tokens")
    without(forests, "target_laws", "draft_laws", "drawing")
    without([proposal for forest in forests for proposal in forest["proposals"]], "order")
    beams = [beam for iteration in parsed["iterations"] for beam in (*iteration["inputs"], *iteration["beams"])]
    without(beams, "origins", "logprobs")
    return parsed


def as_version_1(trace: Trace) -> str:
    """The trace as version 1 wrote it: without whatever version 2 added."""
    parsed = as_version_2(trace) | {"version": 1}
    forests = [iteration["forest"] for iteration in parsed["iterations"]]
    for parts, names in (
        ([parsed["header"]], ("drafts", "heads")),
        ([parsed["header"]["method"]], ("distance", "greedy")),
        (parsed["iterations"], ("inputs", "beams", "steps")),
        ([call for iteration in parsed["iterations"] for call in iteration["calls"]], ("draft",)),
        (forests, ("hypotheses", "considered", "planned_depth")),
        ([node for forest in forests for node in forest["nodes"]], ("draft", "score", "estimate", "root")),
        ([proposal for forest in forests for proposal in forest["proposals"]], ("joint",)),
        ([d for i in parsed["iterations"] for d in i["decisions"] if d["rule"] == "coin"], ("candidate", "candidates")),
        ([d for i in parsed["iterations"] for d in i["decisions"] if d["rule"] == "draw"], ("after",)),
    ):
        without(parts, *names)
    return json.dumps(parsed)


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_file_of_version_2_is_read_without_the_laws_that_it_lacks(sample):
    assert trace_from_json(json.dumps(as_version_2(sample()))) == sample()


@pytest.mark.parametrize("sample", PLAIN)
def test_a_file_of_version_1_is_read_as_written_today(sample):
    assert '"after"' not in as_version_1(sample())
    assert trace_from_json(as_version_1(sample())) == sample()


def test_a_damaged_file_of_version_1_is_refused():
    for change in (lambda p: p.pop("iterations"), lambda p: p["iterations"][0].pop("decisions")):
        parsed = json.loads(as_version_1(speculative_trace()))
        change(parsed)
        with pytest.raises(TraceError, match="this file of version 1 cannot be read"):
            trace_from_json(json.dumps(parsed))


def test_the_schema_names_every_field_and_forbids_others():
    schema = trace_schema()
    assert schema["title"] == f"specviz trace, version {VERSION}"
    assert set(schema["properties"]) == set(json.loads(trace_to_json(mtad_trace())))
    assert schema["additionalProperties"] is False
    assert set(schema["$defs"]) >= {"CoinDecision", "JointDecision", "DrawDecision", "Distribution", "Iteration"}
    either = schema["$defs"]["CoinDecision"]["properties"]["target"]["anyOf"]
    assert either[0] == {"$ref": "#/$defs/Distribution"} and either[1]["type"] == "integer"
