"""Files of versions 1, 2 and 3 open as they did: what a page shows of them is what the file itself says.

The files in ``old`` were written by those versions: the hand-written samples of all rules, and short runs. What they
say is read from their JSON here, not by ``trace/migrate.py``. Any other file of version 3 can be checked in the same
way: ``check_file(path)``, ``check_replays(path)``.
"""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import specviz
from specviz.errors import ReplayError, TraceError
from specviz.trace import migrate
from specviz.trace.record import VERSION, Trace
from specviz.trace.store import load_trace, trace_from_json, trace_to_json
from tests.trace.files import SAMPLES, difference, set_at

OLD = Path(__file__).parent / "old"
FILES = sorted(OLD.glob("*.json"))
DRAWINGS = {"distinct": "without_replacement", "certain": "deterministic"}
NEW_NAMES = {"chance": "acceptance_probability", "draw": "uniform"}


def near(one: float | None, other: float | None) -> bool:
    """The same number, but for the rounding of float32."""
    if one is None or other is None:
        return one is other or -math.inf in (one, other)
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-6)


def spelled_out(iteration: dict) -> dict:
    """The iteration with every distribution where it stands: version 3 wrote one that stood before as its number."""
    found = []

    def whole(holder, key):
        if isinstance(holder[key], int):
            holder[key] = found[holder[key]]
        else:
            found.append(holder[key])

    for proposal in iteration["forest"]["proposals"]:
        for j in range(len(proposal["conditionals"])):
            whole(proposal["conditionals"], j)
        if proposal.get("joint"):
            whole(proposal, "joint")
    for decision in iteration["decisions"]:
        for name in ("target", "draft", "source"):
            if decision.get(name) is not None:
                whole(decision, name)
    return iteration


def check_distribution(now, then: dict) -> None:
    """The same probabilities, warped and raw, of the same tokens (or pairs); none of others."""
    joint = "places" in then
    keys = list(zip(then["places"], then["tokens"], strict=True)) if joint else then["tokens"]
    shown = dict(zip(keys, then["probs"], strict=True))
    table = now.table()
    assert all(near(table.get(key, 0.0), shown.get(key, 0.0)) for key in table.keys() | shown.keys())
    assert near(now.rest, then["rest"])
    for key, logprob in zip(keys, then["logprobs"], strict=True):
        if joint:
            here = (now.prefixes == key[0]) & (now.tokens == key[1])
            assert near(float(now.logprobs[here][0]), logprob)
        else:
            assert near(now.logprob(key), logprob)


def check_nodes(now, then: dict) -> None:
    assert len(now.nodes) == len(then["nodes"])
    for node, old in zip(now.nodes, then["nodes"], strict=True):
        for name in ("token", "parent", "depth", "submitted", "outcome"):
            assert getattr(node, name) == old[name]
        assert node.model == old.get("draft", 0)
        assert (node.score, node.estimate) == (old.get("score"), old.get("estimate"))
        assert near(node.draft_prob, old["draft_prob"]) and near(node.draft_logprob, old["draft_logprob"])
        assert (node.root is not None) == old.get("root", False)


def check_proposals(now, then: dict) -> None:
    """What nodes were drawn from. Where the file says how siblings were drawn, all that one draft model drew after one
    prefix is one proposal now, and a certain token has none; else the proposals are those of the file."""
    found = {number: proposal for proposal in now.proposals for number in proposal.draws}
    if then.get("drawing") in ("search", None):
        assert len(now.proposals) == len(then["proposals"])
    for index, old in enumerate(then["proposals"]):
        draws = old.get("order") or old["draws"]
        if then.get("drawing") in ("search", None) or old.get("joint"):
            proposal = now.proposals[index]
            assert proposal.draws == tuple(draws) and proposal.weights == tuple(old["parent_weights"])
        elif not set(draws) <= found.keys():
            assert all(then["nodes"][number]["draft_prob"] == 1.0 for number in draws)
            continue
        else:
            proposal = found[draws[0]]
            assert {number for number in proposal.draws} >= set(draws)
        assert proposal.replacement == old["replacement"] and proposal.parents == tuple(old["parents"])
        assert (proposal.joint is None) == (old.get("joint") is None)
        if proposal.joint is not None:
            check_distribution(proposal.joint, old["joint"])
        for shown, conditional in zip(proposal.distributions, old["conditionals"], strict=True):
            check_distribution(shown, conditional)


def check_target(now, then: dict) -> None:
    """The target's raw distributions, those of equal texts shared; those that no decision shows may be left out."""
    table = then.get("target_laws") or {"after": []}
    for i, after in enumerate(table["after"]):
        if after not in now.target:
            assert table["likeliest"][i] < 300
            continue
        given = now.target[after]
        assert near(given.log_total, table["log_totals"][i])
        for token, logit in zip(table["tokens"][i], table["logits"][i], strict=True):
            assert near(given.logit(token), logit)
        if table.get("soft_totals"):
            assert given.tempered.log_total == table["soft_totals"][i]
            assert given.tempered.entropy == table["entropies"][i]


def check_decisions(now, then: list[dict], exact: bool = True) -> None:
    assert [decision.rule for decision in now] == [old["rule"] for old in then]
    for decision, old in zip(now, then, strict=True):
        for name, value in old.items():
            found = getattr(decision, NEW_NAMES.get(name, name))
            if isinstance(value, dict):
                check_distribution(found, value)
            elif isinstance(value, float) and not exact or name in ("target_prob", "draft_prob"):
                assert near(found, value)
            elif isinstance(value, list) and not exact:
                assert len(found) == len(value) and all(map(near, found, value))
            else:
                assert found == (tuple(value) if isinstance(value, list) else value)


def check_file(path: Path) -> None:
    then, now = json.loads(path.read_text()), load_trace(path)
    assert now.version == VERSION and len(now.iterations) == len(then["iterations"])
    for iteration, old in zip(now.iterations, then["iterations"], strict=True):
        if old["forest"] is not None:
            spelled_out(old)
            check_nodes(iteration.forest, old["forest"])
            check_proposals(iteration.forest, old["forest"])
            check_target(iteration.forest, old["forest"])
            check_decisions(iteration.decisions, old["decisions"])
            drawing = old["forest"].get("drawing")
            assert iteration.forest.drawing == DRAWINGS.get(drawing, drawing)
    check_rest(now, then)
    assert difference(trace_from_json(trace_to_json(now)), now) is None


def check_rest(now: Trace, then: dict) -> None:
    """Whatever else the file says: no field of the record is another one."""
    written = json.loads(trace_to_json(now))
    then["header"]["method"]["guarantee"] = then["header"]["method"].pop("law")
    end_token = then["header"]["end_token"]
    then["header"].setdefault("end_tokens", [] if end_token is None else [end_token])
    for part in ("header", "metrics", "vocabulary", "prefill_seconds", "stop"):
        assert lacks_nothing(written[part], then[part])
    for new, old in zip(written["iterations"], then["iterations"], strict=True):
        for part in ("emitted", "offered", "accepted", "depth", "calls", "segments", "rows", "rows_peak", "notes"):
            assert lacks_nothing(new[part], old[part])
        for part in ("index", "context_length", "context_tail", "seconds", "record_seconds", "steps"):
            assert lacks_nothing(new.get(part), old.get(part))
    for iteration, old in zip(now.iterations, then["iterations"], strict=True):
        for name in ("inputs", "beams"):
            beams = old.get(name, [])
            assert len(beams) == len(getattr(iteration, name))
            for beam, one in zip(getattr(iteration, name), beams, strict=True):
                assert (list(beam.tokens), beam.last, beam.logprob) == (one["tokens"], one["last"], one["logprob"])
                assert (list(beam.origins), beam.finished) == (one.get("origins", []), one["finished"])


def lacks_nothing(new, old) -> bool:
    """Whether every value of the old JSON is in the new one; what is left out there is as usual."""
    if isinstance(old, dict):
        return all(lacks_nothing(new.get(name), value) for name, value in old.items())
    if isinstance(old, list) and new is not None:
        return len(new) == len(old) and all(map(lacks_nothing, new, old))
    return new == old or (new is None and not old)


def check_replays(path: Path) -> int:
    """Every step judged again is as the file says; how many there are."""
    then, now = json.loads(path.read_text()), load_trace(path)
    for index, old in enumerate(then["iterations"]):
        spelled_out(old)
        again = specviz.replay(now, index).iterations[index]
        check_decisions(again.decisions, old["decisions"], exact=False)
        check_nodes(again.forest, old["forest"])
        assert again.emitted == now.iterations[index].emitted and again.beams == now.iterations[index].beams
    return len(then["iterations"])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_older_file_opens_as_it_did(path):
    check_file(path)


RUNS = sorted(OLD.glob("v3-run-*float*.json"))
LARGE = sorted(OLD.glob("v3-run-*300-tokens*.json"))
LACKING = sorted({*FILES} - {*RUNS, *LARGE})


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_every_step_of_a_run_of_version_3_is_judged_as_recorded(path):
    assert check_replays(path) >= 2


@pytest.mark.parametrize("path", LARGE, ids=lambda path: path.stem)
def test_what_version_3_did_not_list_is_said(path):
    """More than 256 possible tokens and no top-k: the rare ones are missing, so the record gives a verdict only at a
    top-k that needs no more than is listed."""
    trace = load_trace(path)
    assert trace.header.target.vocab_size == 300
    if "dsbd" in path.name:
        with pytest.raises(ReplayError, match="are needed|lacks"):
            specviz.replay(trace, 0)
        return
    with pytest.raises(ReplayError, match="all tokens are needed, and the record lists"):
        specviz.replay(trace, 0, top_p=None)
    assert specviz.replay(trace, 0, top_k=5).iterations[0].emitted


@pytest.mark.parametrize("path", LACKING, ids=lambda path: path.stem)
def test_what_older_files_lack_is_said_and_nothing_is_made_up(path):
    """Versions 1 and 2 had no target distributions after prefixes, nor have the hand-written samples: no step can be
    judged again, and the reason is said."""
    trace = load_trace(path)
    assert all(iteration.forest.target == {} for iteration in trace.iterations)
    method = specviz.methods()["speculative"]
    bare = trace.header.options.keys() & {"temperature", "top_k", "top_p", "max_new_tokens"}
    options = {name: trace.header.options[name] for name in bare}
    bare = replace(trace, header=replace(trace.header, options=options))
    for index in range(len(trace.iterations)):
        with pytest.raises(ReplayError, match="versions 1 and 2 do: decode again"):
            specviz.replay(bare, index, method=method)
        found = specviz.changeable(bare, index, method=method)
        assert found["coins"] == [] == found["options"] and "decode again" in found["reason"]


# What is no such file.


def old(name: str) -> dict:
    return json.loads((OLD / f"{name}.json").read_text())


def test_an_older_version_is_migrated_step_by_step(monkeypatch):
    def from_zero(parsed, most):  # version 0 called the seed "luck"
        parsed["header"]["seed"] = parsed["header"].pop("luck")
        return parsed

    older = old("v1-mtad") | {"version": -1}
    older["header"]["luck"] = older["header"].pop("seed")
    today = migrate.MIGRATIONS
    monkeypatch.setattr(migrate, "MIGRATIONS", today | {-1: lambda parsed, most: parsed, 0: from_zero})
    assert trace_from_json(json.dumps(older)) == load_trace(OLD / "v1-mtad.json")
    monkeypatch.setattr(migrate, "MIGRATIONS", today | {0: from_zero})
    with pytest.raises(TraceError, match="version -1, which can no longer be read"):
        trace_from_json(json.dumps(older))


@pytest.mark.parametrize("name", ["v1-mtad", "v2-layers", "v3-mtad"])
def test_a_damaged_file_of_an_older_version_is_refused(name):
    for change in (lambda p: p.pop("iterations"), lambda p: p["iterations"][0].pop("decisions")):
        parsed = old(name)
        change(parsed)
        with pytest.raises(TraceError, match=f"this file of version {parsed['version']} cannot be read"):
            trace_from_json(json.dumps(parsed))


def changed_old(name: str, path: str, value) -> str:
    parsed = old(name)
    set_at(path, value)(parsed)
    return json.dumps(parsed)


# Of a run of version 3, the damage that its own tables and numbers can have.

RUN, TABLE = "v3-run-speculative-float32", "iterations.0.forest.target_laws."
WRONG_TABLES = [
    ("after", [-1, 0, 1, 9, 3], "a table names a prefix twice, or one that is not there"),
    ("after", [-1, 0, 1, 1, 3], "a table names a prefix twice, or one that is not there"),
    ("after", [-1], "ValueError"),
    ("entropies", [0.5], "ValueError"),
    ("entropies.1", -1.0, "its numbers cannot be negative"),
    ("soft_totals.1", -1.0, "its numbers cannot be negative"),
    ("tokens.0.0", 77, "token 77 is not in the vocabulary"),
    ("tokens.0", [2, 2], "a logit for each token"),
    ("logits.0", [1.5], "a logit for each token"),
    ("logits.0.1", 99.0, "the likeliest come first, best first"),
    ("logits.0.0", float("nan"), "a number is not finite"),
    ("logits.0.0", "x", "TypeError"),
    ("log_totals.0", -5.0, "less than the largest logit"),
    ("log_totals.0", float("inf"), "a number is not finite"),
    ("likeliest.0", -1, "likeliest: is -1"),
    ("drafts", [0, -2, 0, 0, 0], "a draft model cannot be negative"),
    ("mood", [1], "'mood' is no field of it"),
]


@pytest.mark.parametrize(("column", "value", "message"), WRONG_TABLES)
def test_a_wrong_table_of_version_3_is_refused(column, value, message):
    assert old(RUN)["iterations"][0]["forest"]["target_laws"]["after"] == [-1, 0, 1, 2, 3]
    with pytest.raises(TraceError) as caught:
        trace_from_json(changed_old(RUN, TABLE + column, value))
    assert message in str(caught.value) and "\n" not in str(caught.value)


FOREST, DECISION = "iterations.0.forest.", "iterations.0.decisions.0."
WRONG_PARTS = [
    *((RUN, DECISION + "draft", number, "distributions stand before it") for number in (-1, 99, 10**30)),
    *((RUN, DECISION + "draft", value, "cannot be read") for value in (True, 1.0, "0", [0])),
    ("v2-mtad", DECISION + "draft", 0, "this file of version 2 cannot be read (TypeError: a number is no distribution"),
    (RUN, DECISION + "target.probs.0", 0.1, "probs and rest sum to"),
    (RUN, DECISION + "target.probs", [1.5], "distributions["),
    (RUN, DECISION + "mood", 1, "iterations[0].decisions[0].mood: unexpected keyword argument"),
    (RUN, DECISION + "target.mood", 1, "'mood' is no field of it"),
    (RUN, FOREST + "nodes.0.mood", 1, "'mood' is no field of it"),
    (RUN, FOREST + "nodes.0.token", "x", "nodes.tokens[0]: input should be a valid integer"),
    (RUN, FOREST + "nodes.0.outcome", "won", "nodes.outcomes.won"),
    (RUN, FOREST + "nodes.1.parent", 7, "cannot be read"),
    (RUN, FOREST + "nodes.1.parent", 1, "parent and depth of node 1 contradict each other"),
    (RUN, FOREST + "nodes.1.depth", 5, "parent and depth of node 1 contradict each other"),
    (RUN, FOREST + "nodes.0.draft_prob", 1.5, "a probability lies from 0 to 1, not 1.5"),
    (RUN, DECISION + "target_prob", 1.5, "a probability lies from 0 to 1, not 1.5"),
    (RUN, DECISION + "chance", -0.5, "decisions[0].acceptance_probability: is -0.5"),
    (RUN, FOREST + "proposals.0.mood", 1, "'mood' is no field of it"),
    (RUN, FOREST + "proposals.0.parents", [], "cannot be read"),
    (RUN, FOREST + "drawing", "luck", "KeyError: 'luck'"),
    (RUN, FOREST + "mood", 1, "iterations[0].forest.mood: unexpected keyword argument"),
    ("v3-layers", DECISION + "target.places.0", -2, "prefixes go from -1 to 2"),
    ("v3-layers", DECISION + "draft", [], "cannot be read"),
    ("v3-run-dsbd-float32", FOREST + "proposals.0.order", [9999], "cannot be read"),
    ("v3-mtad", "header.end_tokens", [3], "header.end_token: is 9, none of the end tokens (3,)"),
    ("v3-mtad", "header.method.law", "luck", "header.method.guarantee: input should be 'target'"),
]


@pytest.mark.parametrize(("name", "path", "value", "message"), WRONG_PARTS)
def test_a_wrong_part_of_an_older_file_is_refused(name, path, value, message):
    with pytest.raises(TraceError) as caught:
        trace_from_json(changed_old(name, path, value))
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_numbers_of_version_3_cannot_blow_up_the_memory():
    """Numbers that would put back more than the limit allows are refused before they are."""
    parsed = old("v3-speculative")
    first = spelled_out(parsed["iterations"][0])["decisions"][0]
    parsed["vocabulary"] |= {str(token): "" for token in range(100, 2000)}
    first["target"]["tokens"] += range(100, 2000)
    for name, value in (("probs", 0.0), ("logprobs", None)):
        first["target"][name] += [value] * 1900
    parsed["iterations"][0]["decisions"] = [first] + [first | {"target": 3, "draft": 0} for _ in range(20)]
    text = json.dumps(parsed)
    assert len(trace_from_json(text, limit=8 * len(text)).iterations[0].decisions) == 21
    with pytest.raises(TraceError, match="tokens of distributions are repeated"):
        trace_from_json(text, limit=len(text))


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_samples_say_the_same_in_every_version(sample):
    """What is written by hand today is what the files of version 3 were written from."""
    name = sample.__name__.removesuffix("_trace").replace("_", "-")
    now, then = sample(), load_trace(OLD / f"v3-{name}.json")
    assert (now.header.prompt_tokens, now.tokens, now.text) == (then.header.prompt_tokens, then.tokens, then.text)
    for one, other in zip(now.iterations, then.iterations, strict=True):
        assert len(one.forest.nodes) == len(other.forest.nodes)
        for node, before in zip(one.forest.nodes, other.forest.nodes, strict=True):
            assert (node.token, node.parent, node.outcome) == (before.token, before.parent, before.outcome)
            assert near(node.draft_prob, before.draft_prob)
        assert [d.rule for d in one.decisions] == [d.rule for d in other.decisions]
        for decision, before in zip(one.decisions, other.decisions, strict=True):
            for field in ("node", "token", "uniform", "accepted", "kept", "acceptance_probability"):
                assert near(*(float(getattr(d, field, None) or 0.0) for d in (decision, before)))
        assert (one.calls, one.segments, one.inputs, one.beams) == (
            other.calls,
            other.segments,
            other.inputs,
            other.beams,
        )
