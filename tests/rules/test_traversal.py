"""Traversal verification in words and pictures: weights that come out, residuals that follow, states on the way up."""

import re

import pytest

import specviz
from specviz.rules.blocks.traversal import TraversalTest
from specviz.rules.draw import SampledToken, residual_kind
from specviz.views.drafts.node_states import final_states, judged_states
from specviz.views.story.scenes import scenes
from tests.decoding.methods.models import random_pair

WEIGHT = re.compile(r"w = min\((\S+) × (\S+) / (\S+), 1\) = ([^;:]+)")


@pytest.fixture(scope="module")
def traces():
    pair = random_pair(6, 25)
    return [specviz.decode(pair, "traversal", [0, 3], seed=seed, max_new_tokens=24) for seed in range(4)]


def test_the_weight_of_a_formula_comes_out(traces):
    told = [scene for trace in traces for index in range(len(trace.iterations)) for scene in scenes(trace, index)]
    tests = [scene for scene in told if scene.title.startswith("Path of")]
    found = [numbers for scene in tests for numbers in WEIGHT.findall(scene.formula)]
    assert len(found) > 20 and any("w = " in scene.formula and "by what is below" in scene.formula for scene in tests)
    for share, target, draft, shown in found:
        decimals = len(shown.partition("e")[0].partition(".")[2]) - int(shown.partition("e")[2] or 0)
        weight = min(float(share) * float(target) / float(draft), 1.0)
        assert abs(weight - float(shown)) <= 0.51 * 10.0**-decimals, (share, target, draft, shown)
    assert any("What is left of the target's distribution" in scene.sentence for scene in tests)
    assert any(scene.sentence.startswith("The target gives") for scene in tests)
    assert any("wherever its coin falls" in scene.sentence for scene in tests)


def test_the_token_after_a_path_comes_from_what_the_judging_left(traces):
    kinds = set()
    for trace in traces:
        for iteration in trace.iterations:
            draw = iteration.decisions[-1]
            if isinstance(draw, SampledToken):
                kinds.add((draw.origin, draw.after < 0, residual_kind(iteration, draw)))
    left = "(w target − draft)+"
    assert {("bonus", False, ""), ("resampled", True, left), ("resampled", False, left)} <= kinds
    assert {kind for *_, kind in kinds} == {"", left}


def test_what_stands_above_a_kept_path_is_accepted_with_it(traces):
    above = 0
    for trace in traces:
        for iteration in trace.iterations[:-1]:  # the last is cut at the length asked for
            judged, final = judged_states(iteration, len(iteration.decisions)), final_states(iteration)
            accepted = {node for node, state in final.items() if state == "accepted"}
            assert {node for node, state in judged.items() if state == "accepted"} == accepted
            tested = {decision.node for decision in iteration.decisions if isinstance(decision, TraversalTest)}
            above += len(accepted - tested)
    assert above
