"""A rule with a class of decisions of its own, defined outside of the package, works as ours do: it is recorded,
checked, kept in a file, told, drawn and judged again, and nothing of ours names it."""

from dataclasses import replace

import pytest

import specviz
from specviz.errors import SpecvizError, TraceError
from specviz.facts.follows import is_same
from specviz.pictures.data import unpacked
from specviz.trace import decisions
from specviz.trace.check import first_problem
from specviz.trace.store import trace_from_json, trace_schema, trace_to_json
from specviz.views import step_figures, steps
from specviz.views.drafts.node_states import judged_states
from specviz.views.story.scenes import iteration_payload
from tests.decoding.methods.models import random_pair
from tests.decoding.registry.own_rule import FAIR, KINDS, MARGIN, FairCoin, MarginTest
from tests.trace.schema import problem


@pytest.fixture
def known():
    """The classes of the rules, known for as long as a test runs."""
    for kind in KINDS:
        decisions.register(kind)
    yield
    for kind in KINDS:
        decisions.forget(kind.rule)


@pytest.fixture
def trace(known):
    return specviz.decode(random_pair(6, 4), MARGIN, [1, 2], max_new_tokens=24, seed=3, gamma=4, top_k=None)


def rejected(trace):
    """The first step with a rejected guess that has others below it: its index, and the number of the decision."""
    for iteration in trace.iterations:
        for at, one in enumerate(iteration.decisions, start=1):
            if isinstance(one, MarginTest) and not one.accepted and one.depth < 4:
                return iteration.index, at
    raise AssertionError("nothing was rejected")


def test_its_verdicts_are_recorded(trace):
    index, at = rejected(trace)
    iteration = trace.iterations[index]
    nodes, test = iteration.forest.nodes, iteration.decisions[at - 1]
    assert [node.outcome for node in nodes] == ["accepted"] * (at - 1) + ["rejected"] + ["unjudged"] * (4 - at)
    states = judged_states(iteration, at)
    assert states[test.node] == "rejected" and states[test.node + 1] == "unjudged"


def test_it_is_read_as_it_was_written(trace):
    assert first_problem(trace) is None
    text = trace_to_json(trace)
    assert trace_from_json(text) == trace and '"rule":"margin"' in text
    assert problem(specviz.trace.store.json_object(text.encode(), "a trace"), trace_schema()) is None
    decisions.forget("margin")
    with pytest.raises(TraceError, match="'margin'"):
        trace_from_json(text)


@pytest.mark.parametrize(
    ("change", "path"),
    [({"needed": 1.5}, "needed: is 1.5, a prob"), ({"favourite": 99}, "favourite: token 99"), ({"depth": 0}, "depth")],
)
def test_nonsense_in_it_is_found(trace, change, path):
    index, at = rejected(trace)
    step = trace.iterations[index]
    other = (*step.decisions[: at - 1], replace(step.decisions[at - 1], **change), *step.decisions[at:])
    steps = (*trace.iterations[:index], replace(step, decisions=other), *trace.iterations[index + 1 :])
    assert f"decisions[{at - 1}].{path}" in first_problem(replace(trace, iterations=steps))


def test_it_is_told_and_drawn(trace):
    index, at = rejected(trace)
    test = trace.iterations[index].decisions[at - 1]
    scene = next(one for one in steps(trace, index) if one.key == f"decision-{at}")
    assert scene.title.endswith("rejected") and "< " in scene.formula and scene.focus == test.node
    payload = iteration_payload(trace, index)
    (bars,) = unpacked(payload["pictures"][f"margin-{at}"], payload["fields"])["shapes"]
    assert bars["rows"][0]["bars"][0]["length"] == pytest.approx(test.target_prob, abs=1e-4)
    assert scene.formula in [one["formula"] for one in payload["scenes"]]
    assert set(step_figures(trace, index, scene.key)) >= {"decision"}


def test_it_is_judged_again(trace):
    index, _ = rejected(trace)
    found = specviz.changeable(trace, index, method=MARGIN)
    assert [one["label"].split()[0] for one in found["coins"]] in ([], ["draw"])
    assert "share" in [one["name"] for one in found["options"]]
    again = specviz.replay(trace, index, method=MARGIN).iterations[index]
    assert again.decisions == trace.iterations[index].decisions
    lenient = specviz.replay(trace, index, method=MARGIN, share=0.0).iterations[index]
    assert all(one.accepted for one in lenient.decisions if isinstance(one, MarginTest)) and lenient.accepted == 4


def test_a_decision_of_no_known_class_is_not_recorded(known):
    decisions.forget("margin")
    with pytest.raises(SpecvizError, match=r"holds MarginTest\(.* no class of decisions: derive it from GuessTest"):
        specviz.decode(random_pair(6, 4), MARGIN, [1, 2], max_new_tokens=4)


def test_a_coin_of_its_own_is_flipped_again_and_leaves_a_residual(known):
    pair, plain = random_pair(6, 4), {"top_k": None, "gamma": 4, "seed": 3}
    trace = specviz.decode(pair, FAIR, [1, 2], max_new_tokens=40, **plain)
    ours = specviz.decode(pair, "speculative", [1, 2], max_new_tokens=40, **plain)
    assert trace.tokens == ours.tokens and trace.metrics.alpha == ours.metrics.alpha is not None
    drawn = [one for one in trace.iterations if not is_same(one.decisions[-1].source, one.decisions[-1].target)]
    for iteration in drawn:
        (scene,) = (scene for scene in steps(trace, iteration.index) if scene.key == "draw")
        assert scene.title.startswith("From the residual: ") and "residual = (" in scene.formula
    uncertain = [one.index for one in trace.iterations if one.decisions[0].accepted and one.decisions[0].chance < 0.99]
    for index in uncertain:
        first = specviz.changeable(trace, index, method=FAIR)["coins"][0]
        assert first["decision"] == 1 and first["label"].startswith("coin of token 1")
        coin = specviz.replay(trace, index, coins={1: 0.999}, method=FAIR).iterations[index].decisions[0]
        assert isinstance(coin, FairCoin) and not coin.accepted
    assert drawn and uncertain
