"""What version 3 added to the file: tables of unwarped laws, and distributions that are written once."""

import json

import pytest

from specviz.errors import TraceError
from specviz.trace.laws import LawTable
from specviz.trace.store import trace_from_json, trace_to_json
from tests.beam_traces import layers_trace
from tests.trace.test_store import as_version_2, changed, set_at, written_out
from tests.traces import mtad_trace, speculative_trace


def law(**changes) -> dict:
    """A table of two laws of the target, with other columns."""
    table = {
        "after": [-1, 0],
        "tokens": [[2, 3], [3, 5, 2]],
        "logits": [[1.5, 0.5], [2.0, 1.0, -1.0]],
        "log_totals": [2.0, 2.5],
        "likeliest": [2, 2],
        "entropies": [0.5, 0.25],
        "soft_totals": [0.5, 0.75],
    }
    return table | changes


LAWS = "iterations.0.forest.target_laws"
WRONG_LAWS = [
    (law(after=[-1, 9]), "target_laws.after[1]: is 9, nodes go from -1 to 8"),
    (law(after=[-1, -1]), "target_laws.after: two laws stand after the same place"),
    (law(after=[-1]), "target_laws.tokens: has 2 entries for 1 places"),
    (law(entropies=[0.5]), "target_laws.entropies: has 1 entries for 2 places"),
    (law(entropies=[0.5, -1.0]), "target_laws.entropies[1]: is -1.0, it cannot be negative"),
    (law(soft_totals=[0.5, -1.0]), "target_laws.soft_totals[1]: is -1.0, it cannot be negative"),
    (law(tokens=[[2, 77], [3, 5, 2]]), "target_laws.tokens[0]: token 77 is not in the vocabulary"),
    (law(tokens=[[2, 2], [3, 5, 2]]), "target_laws.tokens[0]: a token is listed twice"),
    (law(logits=[[1.5], [2.0, 1.0, -1.0]]), "target_laws.logits[0]: has 1 entries for 2 tokens"),
    (law(logits=[[0.5, 1.5], [2.0, 1.0, -1.0]]), "target_laws.logits[0]: the likeliest tokens come first, best first"),
    (law(log_totals=[1.0, 2.5]), "target_laws.log_totals[0]: is 1.0, less than the largest logit 1.5"),
    (law(likeliest=[-1, 2]), "target_laws.likeliest[0]: is -1, it cannot be negative"),
    (law(drafts=[0, -2]), "target_laws.drafts[1]: is -2, it cannot be negative"),
    (law(logits=[["x", 1.0], [2.0, 1.0, -1.0]]), "target_laws.logits[0][0]: input should be a valid number"),
    (law(mood=[1]), "target_laws.mood: unexpected keyword argument"),
]


def test_a_table_of_laws_is_read():
    trace = trace_from_json(changed(set_at(LAWS, law())))
    first, second = trace.iterations[0].forest.target_laws.rows
    assert (first.after, first.tokens, first.entropy, first.soft_total) == (-1, (2, 3), 0.5, 0.5)
    assert (second.logits, second.likeliest, second.draft, second.logprob) == ((2.0, 1.0, -1.0), 2, 0, None)
    assert LawTable.of(trace.iterations[0].forest.target_laws.rows).soft_totals == (0.5, 0.75)
    assert trace_from_json(trace_to_json(trace)) == trace


@pytest.mark.parametrize(("table", "message"), WRONG_LAWS, ids=[message for _, message in WRONG_LAWS])
def test_a_wrong_table_of_laws_is_named(table, message):
    with pytest.raises(TraceError) as caught:
        trace_from_json(changed(set_at(LAWS, table)))
    assert f"iterations[0].forest.{message}" in str(caught.value)


V3_DAMAGE = [
    ("iterations.0.forest.drawing", "luck", "iterations[0].forest.drawing: input should be 'independent'"),
    ("iterations.0.forest.proposals.0.order", [9], "forest.proposals[0].order[0]: is 9, nodes go from -1 to 8"),
    ("header.end_tokens", [3], "header.end_token: is 9, none of the end tokens (3,)"),
]


@pytest.mark.parametrize(("path", "value", "message"), V3_DAMAGE)
def test_other_damage_is_named(path, value, message):
    with pytest.raises(TraceError) as caught:
        trace_from_json(changed(set_at(path, value)))
    assert message in str(caught.value)
    beams = changed(set_at("iterations.0.beams.0.origins", ["accepted"] * 9), layers_trace)
    with pytest.raises(TraceError, match=r"iterations\[0\].beams\[0\].origins: has 9 entries for \d tokens"):
        trace_from_json(beams)


# What a file writes once.


def test_a_distribution_that_stands_twice_is_written_once():
    """The numbers count the distributions written out so far in the iteration: proposals, then decisions."""
    parsed = json.loads(trace_to_json(mtad_trace()))
    for plain, iteration in zip(parsed["iterations"], mtad_trace().iterations, strict=True):
        conditionals = [law for proposal in plain["forest"]["proposals"] for law in proposal["conditionals"]]
        drafts = [decision["draft"] for decision in plain["decisions"] if decision["rule"] == "joint"]
        assert all(isinstance(draft, int) for draft in drafts)
        written = [law for law in conditionals if not isinstance(law, int)]
        for draft, decision in zip(drafts, iteration.decisions, strict=False):
            assert written[draft]["probs"] == list(decision.draft.probs)
    assert len(trace_to_json(mtad_trace())) < 0.8 * len(json.dumps(written_out(mtad_trace()), separators=(",", ":")))
    assert trace_from_json(json.dumps(written_out(mtad_trace()))) == mtad_trace()


@pytest.mark.parametrize("number", [-1, 99, 10**30])
def test_a_number_that_no_distribution_has_is_refused(number):
    with pytest.raises(
        TraceError, match=rf"iterations\[0\].decisions\[0\].draft: is {number}, \d+ distributions stand"
    ):
        trace_from_json(changed(set_at("iterations.0.decisions.0.draft", number)))


@pytest.mark.parametrize("value", [True, 1.0, "0", [0]])
def test_what_is_neither_a_distribution_nor_a_number_is_refused(value):
    with pytest.raises(TraceError, match=r"iterations\[0\].decisions\[0\].draft"):
        trace_from_json(changed(set_at("iterations.0.decisions.0.draft", value)))


def test_a_number_is_none_in_an_older_file():
    parsed = as_version_2(mtad_trace())
    parsed["iterations"][0]["decisions"][0]["draft"] = 0
    with pytest.raises(TraceError, match=r"iterations\[0\].decisions\[0\].draft: input should be"):
        trace_from_json(json.dumps(parsed))


def test_a_small_file_stays_small():
    """Numbers that would put back more than the limit allows are refused before they are."""
    parsed = written_out(speculative_trace())
    first = parsed["iterations"][0]["decisions"][0]
    parsed["vocabulary"] |= {str(token): "" for token in range(100, 2000)}
    first["target"]["tokens"] += range(100, 2000)
    for name, value in (("probs", 0.0), ("logprobs", None)):
        first["target"][name] += [value] * 1900
    parsed["iterations"][0]["decisions"] = [first] + [first | {"target": 3, "draft": 0} for _ in range(20)]
    text = json.dumps(parsed)
    assert len(trace_from_json(text, limit=8 * len(text)).iterations[0].decisions) == 21
    with pytest.raises(TraceError, match="tokens of distributions are repeated"):
        trace_from_json(text, limit=len(text))
