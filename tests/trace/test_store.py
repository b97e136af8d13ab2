"""The file format: nothing is lost, nothing wrong gets in, and a refusal names the field."""

import copy
import json
import stat
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from specviz.errors import TraceError
from specviz.trace import store
from specviz.trace.record import VERSION, Trace
from specviz.trace.store import load_trace, save_trace, trace_from_json, trace_schema, trace_to_json
from tests.beam_traces import layers_trace, search_trace
from tests.rule_traces import fork_trace, heads_trace, kseq_trace, rollback_trace
from tests.trace.files import SAMPLES, changed, difference, parsed_file, set_at
from tests.trace.schema import problem
from tests.trace.strategies import traces
from tests.traces import mtad_trace, speculative_trace


@given(traces())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_the_round_trip_is_exact(trace: Trace):
    again = trace_from_json(trace_to_json(trace))
    assert again == trace
    assert difference(again, trace) is None  # types too: tuples stay tuples, 1 stays an integer, 1.0 a float
    assert "\n" not in repr(trace) and len(repr(trace)) < 200


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_saved_file_is_loaded_equal(sample, tmp_path):
    path = tmp_path / "run.json"
    save_trace(sample(), str(path))
    assert load_trace(path) == sample()
    assert difference(load_trace(path), sample()) is None
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.json"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o400


D, F, N = "iterations.0.decisions.", "iterations.0.forest.", "iterations.0.forest.nodes."
DAMAGE = [
    ("iterations.1.decisions.0.log_ratio", "x", "iterations[1].decisions[0].log_ratio: input should be a valid number"),
    ("iterations.1.decisions.3.uniform", 1.5, "iterations[1].decisions[3].uniform: is 1.5, a probability"),
    ("iterations.1.decisions.3.uniform", -0.1, "iterations[1].decisions[3].uniform: is -0.1, a probability"),
    ("iterations.1.decisions.0.node", 99, "iterations[1].decisions[0].node: is 99, the forest has 9 nodes"),
    ("iterations.1.decisions.0.node", 3, "iterations[1].decisions[0].token: is 2, node 3 of the forest is token 3"),
    ("iterations.1.decisions.0.rule", "guess", "iterations[1].decisions[0]: input tag 'guess'"),
    ("iterations.1.decisions.0.target_prob", 0.5, "iterations[1].decisions[0].target_prob: unexpected keyword"),
    (D + "0.target", 14, "iterations[0].decisions[0].target: a number from 0 to 13 of the file's"),
    (D + "0.target", -1, "iterations[0].decisions[0].target: a number from 0 to 13 of the file's"),
    (D + "0.target", True, "iterations[0].decisions[0].target: a number from 0 to 13 of the file's"),
    (D + "0.target", 10**30, "iterations[0].decisions[0].target: a number from 0 to 13 of the file's"),
    (D + "0.target", {"tokens": [2]}, "iterations[0].decisions[0].target: a number from 0 to 13"),
    (N + "parents.3", 7, "iterations[0].forest.nodes: parent of node 3 is 7, a parent comes before"),
    (N + "parents.0", -2, "iterations[0].forest.nodes[0].parent: is -2, a parent comes before"),
    (N + "parents.0", -(10**30), "iterations[0].forest.nodes[0].parent: is -1000"),
    (N + "parents", [-1], "iterations[0].forest.nodes: tokens, parents and drafts have different"),
    (N + "tokens.0", 77, "iterations[0].forest.nodes[0].token: token 77 is not in the vocabulary"),
    (N + "tokens.0", "2", "iterations[0].forest.nodes.tokens[0]: input should be a valid integer"),
    (N + "tokens.0", 10, "iterations[0].forest.nodes[0].draft: does not list token 10, which was drawn from it"),
    (N + "drafts.0", 14, "iterations[0].forest.nodes: a number from 0 to 13 of the file's"),
    (N + "drafts.0", 0.0, "iterations[0].forest.nodes.drafts[0]: input should be a valid integer"),
    (N + "outcomes.won", [], "iterations[0].forest.nodes.outcomes.won"),
    (N + "outcomes.rejected", [0], "iterations[0].forest.nodes: outcomes: a node is named twice"),
    (N + "outcomes.rejected", [99], "iterations[0].forest.nodes: node 99 is named, there are 9"),
    (N + "unsubmitted", [-1], "iterations[0].forest.nodes: node -1 is named, there are 9"),
    (N + "models", {"9": 1}, "iterations[0].forest.nodes: node 9 is named, there are 9"),
    (N + "models", {"one": 1}, "iterations[0].forest.nodes.models.one"),
    (N + "models", {"0": -1}, "iterations[0].forest.nodes[0].model: is -1, it cannot be negative"),
    (N + "scores", {"0": 3.0}, "iterations[0].forest.nodes[0].score: is 3.0, a probability"),
    (N + "scores", {"0": float("nan")}, "iterations[0].forest.nodes.scores.0: input should be a finite number"),
    (N + "estimates", {"1": -0.5}, "iterations[0].forest.nodes[1].estimate: is -0.5, a probability"),
    (N + "roots", {"3": "target"}, "iterations[0].forest.nodes[3].root: is set, but the node follows node 0"),
    (N + "roots", {"0": "luck"}, "iterations[0].forest.nodes.roots.0: input should be 'accepted'"),
    (N + "depths", [1], "iterations[0].forest.nodes.depths: unexpected keyword argument"),
    (F + "layers.0.draws", [9], "iterations[0].forest.layers[0].draws[0]: is 9, prefixes go from -1 to 8"),
    (F + "layers.0.parents", [], "iterations[0].forest.layers[0]: parents, weights and distributions have different"),
    (F + "layers.0.weights", [1.5], "iterations[0].forest.layers[0].weights[0]: is 1.5, a probability"),
    (F + "layers.0.joint", 0, "iterations[0].forest.layers[0].joint: distribution 0 is a Distribution"),
    (F + "target", {"9": 0}, "iterations[0].forest.target[0]: is 9, prefixes go from -1 to 8"),
    (F + "target", {"0": 99}, "iterations[0].forest.target.0: a number from 0 to 13 of the file's"),
    (F + "drawing", 3, "iterations[0].forest.drawing: input should be a valid string"),
    (F + "mood", 3, "iterations[0].forest.mood: unexpected keyword argument"),
    (F + "planned_depth", -1, "iterations[0].forest.planned_depth: is -1, it cannot be negative"),
    ("iterations.0.emitted.0.node", 12, "iterations[0].emitted[0].node: is 12, the forest has 9 nodes"),
    ("iterations.0.emitted.0.token", 1.0, "iterations[0].emitted[0].token: input should be a valid integer"),
    ("iterations.0.accepted", 9, "iterations[0].accepted: is 9, more than the 3 offered"),
    ("iterations.0.segments.0.end", -1.0, "iterations[0].segments[0].end: is -1.0, it cannot be negative"),
    ("iterations.0.segments.0.start", 99.0, "iterations[0].segments[0]: ends at "),
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
    ("header.method.guarantee", "luck", "header.method.guarantee: input should be 'target'"),
    (D + "3.after", 9, "iterations[0].decisions[3].after[0]: is 9, prefixes go from -1 to 8"),
    ("header.seed", True, "header.seed: input should be a valid integer"),
    ("header.mood", "good", "header.mood: unexpected keyword argument"),
    ("header.prompt_text", "a\ud800", "header.prompt_text: holds half a character, '\\ud800' at 1, which is no text"),
    ("vocabulary.2", "\udfff", "vocabulary.2: holds half a character"),
    ("header.options.\ud800", 1, "a name in header.options: holds half a character"),
    ("prefill_seconds", 1.7e308, "prefill_seconds: is 1.7e+308, numbers lie from -1e+30 to 1e+30"),
    ("iterations.1.calls.0.seconds", 1e308, "iterations[1].calls[0].seconds: is 1e+308, numbers lie from"),
    ("iterations.0.decisions.0.depth", 10**400, "iterations[0].decisions[0].depth: is 1000"),
    ("header.options.gamma", 10**400, "header.options.gamma: is 1000"),
    ("header.options.gamma", [1, -(10**31)], "header.options.gamma[1]: is -1000"),
    ("header.end_tokens", [3], "header.end_token: is 9, none of the end tokens (3,)"),
    ("vocabulary.two", "2", "vocabulary.two"),
    ("distributions", {}, "distributions: must be a list, not a dict"),
    ("distributions", None, "distributions: must be a list, not a NoneType"),
]


@pytest.mark.parametrize(("path", "value", "message"), DAMAGE)
def test_a_damaged_field_is_named(path, value, message):
    with pytest.raises(TraceError) as caught:
        trace_from_json(changed(set_at(path, value)))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


OLDER, NEWER = "record it again", "open it with a newer specviz"


@pytest.mark.parametrize(
    ("version", "says", "helps"),
    [
        (1, "is version 1", OLDER),
        (3, "is version 3", OLDER),
        (5, "is version 5", NEWER),
        (10**60, "is version 1000", NEWER),
        ("4", "is version '4'", OLDER),
        (4.0, "is version 4.0", OLDER),
        (True, "is version True", OLDER),
        (None, "is version None", OLDER),
    ],
)
def test_another_version_is_refused_by_name(version, says, helps):
    with pytest.raises(TraceError) as caught:
        trace_from_json(changed(set_at("version", version)))
    said = str(caught.value)
    assert said.startswith(f"version: this trace {says}") and len(said) < 200
    assert said.endswith(f", and this specviz reads version 4: {helps}")


def test_a_file_without_a_version_is_refused():
    with pytest.raises(TraceError, match="^version: this trace has no version, and this .* 4: record it again$"):
        trace_from_json(changed(lambda parsed: parsed.pop("version")))


def test_version_4_is_read():
    assert VERSION == 4 == parsed_file(mtad_trace())["version"]
    assert trace_from_json(changed(set_at("version", 4))) == mtad_trace()


MORE_DAMAGE = [
    (speculative_trace, D + "1.acceptance_probability", 1.5, "decisions[1].acceptance_probability: is 1.5, a probab"),
    (speculative_trace, D + "1.chance", 0.5, "decisions[1].chance: unexpected keyword argument"),
    (kseq_trace, D + "0.rho", -1.0, "decisions[0].rho: is -1.0, it cannot be negative"),
    (kseq_trace, D + "1.candidate", 2, "decisions[1].candidate: is 2, candidates are counted from 0 to 1"),
    (rollback_trace, D + "0.confidence", 1.1, "decisions[0].confidence: is 1.1, a probability"),
    (heads_trace, D + "0.best", 77, "decisions[0].best: token 77 is not in the vocabulary"),
    (heads_trace, F + "considered", 2, "forest.considered: is 2, fewer than the 5 hypotheses listed"),
    (heads_trace, F + "hypotheses.0.node", 1, "hypotheses[0].token: is 2, node 1 of the forest is token 3"),
    (heads_trace, F + "hypotheses.1.posterior", -0.1, "hypotheses[1].posterior: is -0.1, it cannot be negative"),
    (fork_trace, N + "roots", {"2": "target"}, "forest.nodes[2].root: is set, but the node follows node 0"),
    (layers_trace, D + "0.offered", 2, "decisions[0]: acceptances and at_least have one number for each of the 2"),
    (layers_trace, D + "0.at_least.0", 1.2, "decisions[0].at_least[0]: is 1.2, a probability"),
    (layers_trace, D + "0.target", 0, "decisions[0].target: distribution 0 is a Distribution, a Joint"),
    (
        layers_trace,
        "distributions.2.prefixes.0",
        -2,
        ".target.prefixes[0]: is -2, prefixes go from -1 to 2",
    ),
    (layers_trace, D + "3.parent", 8, "decisions[3].parent[0]: is 8, prefixes go from -1 to 2"),
    (layers_trace, N + "drafts.0", 1, "forest.nodes: distribution 1 is a JointDistribution, a Distribu"),
    (layers_trace, F + "layers.0.beams.0.prefix", 9, "forest.layers[0].beams[0]: is 9, prefixes go from -1 to 2"),
    (layers_trace, F + "layers.0.beams.0.next", 1, "layers[0].beams[0].next: distribution 1 is a Joint"),
    (layers_trace, "iterations.0.beams.0.last", 2, "iterations[0].beams[0].last: is 2, its tokens end with 3"),
    (layers_trace, "iterations.0.beams.0.origins", ["accepted"] * 9, "beams[0].origins: has 9 entries for 1 tokens"),
    (layers_trace, "iterations.0.steps", -1, "iterations[0].steps: is -1, it cannot be negative"),
    (search_trace, D + "0.nodes", [None], "decisions[0]: parents, tokens, logprobs and nodes have different lengths"),
    (search_trace, D + "0.drafted", [5], "decisions[0].drafted[0]: is 5, prefixes go from 0 to 1"),
]


@pytest.mark.parametrize(("sample", "path", "value", "message"), MORE_DAMAGE)
def test_a_damaged_field_of_any_rule_is_named(sample, path, value, message):
    with pytest.raises(TraceError) as caught:
        trace_from_json(changed(set_at(path, value), sample))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["version", "header", "metrics"])
def test_a_missing_field_is_named(field):
    with pytest.raises(TraceError, match=f"^{field}: "):
        trace_from_json(changed(lambda parsed: parsed.pop(field)))


@pytest.mark.parametrize("text", ["", "{", "nul", "[" * 5000, b"\xff\xfe", "PK\x03\x04", '{"version":1}}'])
def test_what_is_not_json_is_refused(text):
    with pytest.raises(TraceError, match="not JSON"):
        trace_from_json(text)


def test_half_a_character_anywhere_is_named():
    for text in ('"a\ud800"', b'"a\\ud800"', b'"a\xed\xa0\x80"'):
        with pytest.raises(TraceError, match="^the text: holds half a character, '.ud800' at 1, which is no text$"):
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
    with pytest.raises(TraceError, match=r"absent.json cannot be read \(No such file"):
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
    with pytest.raises(TraceError, match=r"cannot be written as JSON: header\.prompt_text: holds half a character"):
        save_trace(lone_surrogate, path)
    assert load_trace(path) == good
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.json"]


def test_a_write_that_fails_leaves_the_older_file(tmp_path, monkeypatch):
    path = tmp_path / "run.json"
    save_trace(speculative_trace(), path)

    def full(*_paths):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.os, "replace", full)
    with pytest.raises(TraceError, match=r"run.json cannot be written \(No space left on device\)"):
        save_trace(mtad_trace(), path)
    assert load_trace(path) == speculative_trace()
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.json"]


def test_the_beams_that_an_iteration_begins_with_are_not_written_twice():
    """Mostly they are those that the one before ended with; where they are not, even none, the file says so."""
    parsed = parsed_file(layers_trace())
    assert "inputs" in parsed["iterations"][0] and "inputs" not in parsed["iterations"][1]
    trace = layers_trace()
    first, second = trace.iterations
    assert second.inputs == first.beams
    for inputs in ((), first.beams[::-1]):
        other = copy.deepcopy(trace)
        object.__setattr__(other.iterations[1], "inputs", inputs)
        if not inputs:  # then there is no second beam to extend
            object.__setattr__(other.iterations[1], "decisions", ())
        assert len(parsed_file(other)["iterations"][1]["inputs"]) == len(inputs)
        assert difference(trace_from_json(trace_to_json(other)), other) is None


# The schema.


def test_the_schema_names_every_field_and_forbids_others():
    schema = trace_schema()
    assert schema["title"] == f"specviz trace, version {VERSION}"
    assert set(schema["properties"]) == set(parsed_file(replace(mtad_trace(), no_energy="why")))
    assert schema["additionalProperties"] is False and "distributions" in schema["required"]
    assert set(schema["$defs"]) >= {"Coin", "JointRatioTest", "SampledToken", "Distribution", "Iteration"}
    assert set(schema["$defs"]) >= {"OneHot", "Joint", "Derived"}
    assert schema["$defs"]["Coin"]["properties"]["target"]["type"] == "integer"
    loose = [name for name, part in schema["$defs"].items() if part["additionalProperties"] is not False]
    assert loose == []


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_sample_obeys_the_schema(sample):
    assert problem(parsed_file(sample()), trace_schema()) is None


def test_what_is_wrong_does_not_obey_the_schema():
    for path, value in (
        ("header.mood", 1),
        ("version", "4"),
        (D + "0.target", 0.5),
        (D + "0.rule", "guess"),
        (N + "tokens.0", "x"),
        ("distributions.0.mood", 1),
    ):
        assert problem(json.loads(changed(set_at(path, value))), trace_schema()) is not None
