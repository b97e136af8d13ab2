"""A recorded step judged again: the same when nothing changes, and what the models would say when something does."""

import math
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import specviz
from specviz.decoding.registry.registry import methods
from specviz.trace.check import first_problem
from specviz.trace.distribution import Distribution, JointDistribution
from specviz.trace.store import trace_from_json, trace_to_json
from specviz.ui.page import GALLERY
from specviz.views.story.scenes import iteration_payload
from tests.decoding.methods.models import random_pair
from tests.decoding.run.test_properties import table_pair, transformer_pair, with_parts

METHODS = methods()
WARPS = {
    "defaults": {},
    "greedy": {"temperature": 0.0},
    "no warp": {"top_k": None, "top_p": None},
    "hot": {"temperature": 3.0, "top_k": 2},
}
OPTIONS = [
    ("speculative", {"lenience": 0.5}),
    ("speculative", {"draft": "bigram"}),
    ("beam", {"deterministic": True}),
    ("mtjd", {"tokens": 2}),
    ("specinfer", {"drafts": 2, "k_config": (3, 2)}),
    ("mcsd", {"replacement": True}),
    ("improved-mcsd", {"decision": "entropy", "width": 4}),
    ("dsbd", {"threshold": None, "min_beams": 3}),
    ("dsbd", {"single_cache": True, "threshold": 0.2}),
    ("medusa", {"acceptance": "typical"}),
    ("custom", {"drafter": "sequences", "verifier": "kseq"}),
    ("custom", {"drafter": "beam-forest", "verifier": "typical"}),
    ("custom", {"drafter": "chain", "verifier": "rollback"}),
    ("custom", {"drafter": "posterior", "verifier": "joint"}),
]
PROMPT = [1, 2, 3]


def recorded(pair, method, seed=1, **options):
    return specviz.decode(pair, method, PROMPT, max_new_tokens=14, seed=seed, **options)


def differences(one, other, tolerance: float, path: str = "") -> list[str]:
    """Where two records differ by more than ``tolerance``, relatively for large and absolutely for small numbers."""
    if is_dataclass(one) and type(one) is type(other):
        pairs = [(f".{f.name}", getattr(one, f.name), getattr(other, f.name)) for f in fields(one)]
        return [found for name, a, b in pairs for found in differences(a, b, tolerance, path + name)]
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [found for i, (a, b) in pairs for found in differences(a, b, tolerance, f"{path}[{i}]")]
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [found for key in one for found in differences(one[key], other[key], tolerance, f"{path}[{key}]")]
    if isinstance(one, Distribution | JointDistribution) and type(one) is type(other):
        names = [name.removeprefix("_") for name in type(one).__slots__ if name not in ("base", "call")]
        pairs = [(f".{name}", getattr(one, name), getattr(other, name)) for name in names]
        return [found for name, a, b in pairs for found in differences(a, b, tolerance, path + name)]
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and one.shape == other.shape:
        close = one.dtype == other.dtype and np.allclose(one, other, rtol=tolerance, atol=tolerance)
        return [] if close else [f"{path}: {one} {other}"]
    if isinstance(one, float) and isinstance(other, float):
        return [] if math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance) else [f"{path}: {one} {other}"]
    return [] if one == other else [f"{path}: {one!r:.60} {other!r:.60}"]


def check_unchanged(trace, tolerance: float) -> None:
    for index, iteration in enumerate(trace.iterations):
        again = specviz.replay(trace, index)
        assert differences(iteration, again.iterations[index], tolerance) == []
        assert again.iterations[:index] == trace.iterations[:index] and len(again.iterations) == index + 1
        assert first_problem(again) is None


@pytest.mark.parametrize("warp", WARPS)
@pytest.mark.parametrize("method", METHODS)
def test_without_changes_a_table_says_what_was_recorded(method, warp):
    for seed in range(3):
        check_unchanged(recorded(table_pair(seed, ends=True), method, seed, **WARPS[warp]), 1e-9)


@pytest.mark.every(3)
@pytest.mark.parametrize("method", METHODS)
def test_without_changes_a_transformer_says_what_was_recorded(method):
    """The vocabulary of 61 is listed in part."""
    for warp in ({}, {"temperature": 0.0}, {"temperature": 1.7, "top_k": 7}):
        check_unchanged(recorded(transformer_pair(), method, **warp), 1e-9)


@pytest.mark.parametrize(("method", "options"), OPTIONS, ids=str)
def test_without_changes_at_other_options(method, options):
    check_unchanged(recorded(transformer_pair(), method, **options), 1e-9)


@pytest.mark.parametrize("path", sorted(GALLERY.glob("*.json")), ids=lambda path: path.stem)
def test_without_changes_the_gallery_is_as_recorded(path):
    check_unchanged(specviz.load_trace(path), 1e-6)


# Coins.


def coins_of(trace, index):
    """The decisions with a coin that could have fallen either way."""
    return [
        (decision_index, one)
        for decision_index, one in enumerate(trace.iterations[index].decisions, start=1)
        if hasattr(one, "acceptance_probability")
        and one.uniform is not None
        and 0.001 < one.acceptance_probability < 0.999
    ]


FLIPPED = ["speculative", "block", "specinfer", "mcsd", "spectr", "dynamic-tree", "improved-mcsd", "dsbd", "custom"]


@pytest.mark.every(2)
@pytest.mark.parametrize("method", FLIPPED)
def test_a_coin_across_the_probability_turns_the_verdict(method):
    turned = 0
    for seed in range(4):
        trace = recorded(transformer_pair(), method, seed)
        for index in range(len(trace.iterations)):
            for decision_index, decision in coins_of(trace, index)[:3]:
                sides = []
                for number in (math.nextafter(decision.acceptance_probability, 0), decision.acceptance_probability):
                    again = specviz.replay(trace, index, coins={decision_index: number})
                    now = again.iterations[index].decisions
                    assert [(one.rule, getattr(one, "uniform", None)) for one in now[: decision_index - 1]] == [
                        (one.rule, getattr(one, "uniform", None))
                        for one in trace.iterations[index].decisions[: decision_index - 1]
                    ]
                    assert now[decision_index - 1].uniform == number and now[decision_index - 1].node == decision.node
                    sides.append(
                        getattr(now[decision_index - 1], "accepted", getattr(now[decision_index - 1], "passes", None))
                    )
                    assert first_problem(again) is None
                assert sides == [True, False]
                turned += 1
    assert turned


@pytest.mark.parametrize("method", METHODS)
def test_a_draw_walks_through_the_distribution_it_is_drawn_from(method):
    """Numbers from 0 to 1 give every token in the order of its id, as often as the distribution says."""
    trace = recorded(transformer_pair(), method)
    for index, iteration in enumerate(trace.iterations[:4]):
        for decision_index, one in enumerate(iteration.decisions, start=1):
            if one.rule != "draw" or one.uniform is None:
                continue  # of pairs of beams and tokens the order is that of the layer
            shown = sorted(one.source.table().items())
            before, total = 0.0, sum(prob for _, prob in shown)
            for token, prob in shown:
                if prob > 1e-3:
                    again = specviz.replay(trace, index, coins={decision_index: (before + prob / 2) / total})
                    assert again.iterations[index].decisions[decision_index - 1].token == token
                before += prob


def test_a_verdict_that_goes_further_takes_new_coins():
    """The same ones every time, counted, and none where the record has enough."""
    trace = next(
        found
        for seed in range(60)
        if (found := recorded(transformer_pair(), "speculative", seed)).iterations[0].accepted == 0
        and len(coins_of(found, 0)) == 1
    )
    further = specviz.replay(trace, 0, coins={1: 0.0})
    assert further.iterations[0].accepted >= 1
    asked = sum(one.uniform is not None for one in further.iterations[0].decisions)
    assert further.iterations[0].notes.get("new_coins", 0) == max(0, asked - 2)
    assert specviz.replay(trace, 0, coins={1: 0.0}) == further
    decision_index = len(further.iterations[0].decisions)
    if further.iterations[0].decisions[-1].uniform is not None:  # a coin that only the new verdict has
        again = specviz.replay(trace, 0, coins={1: 0.0, decision_index: 0.5})
        assert again.iterations[0].decisions[decision_index - 1].uniform == 0.5
    assert "new_coins" not in specviz.replay(trace, 0).iterations[0].notes


def test_the_changed_step_is_a_whole_trace():
    """It is shown, saved and replayed again like any other; what came before it stays."""
    trace = recorded(transformer_pair(), "specinfer", seed=3)
    again = specviz.replay(trace, 1, temperature=1.6, top_p=1.0)
    assert again.header.options["temperature"] == 1.6 and again.header.options["k_config"] == (4, 1, 1, 1)
    assert again.iterations[0] == trace.iterations[0] and again.stop == "stopped"
    assert again.metrics.tokens == len(again.tokens) and again.metrics.joules_per_token is None
    assert again.no_energy == "the last step was judged anew, not run"
    assert trace_from_json(trace_to_json(again)) == again
    assert again.iterations[1].calls == trace.iterations[1].calls
    check_unchanged(again, 1e-6) if len(again.iterations) == 1 else None
    assert differences(specviz.replay(again, 1).iterations[1], again.iterations[1], 1e-6) == []
    payload = iteration_payload(again, 1)
    assert payload["scenes"][-1]["key"] == "commit"


@pytest.mark.every(3)
@pytest.mark.parametrize("method", METHODS)
def test_every_replayed_step_is_shown(method):
    trace = recorded(transformer_pair(), method, seed=6)
    for index in range(min(3, len(trace.iterations))):
        found = specviz.changeable(trace, index)
        keys = [scene["key"] for scene in iteration_payload(trace, index)["scenes"]]
        for coin in found["coins"][:3]:
            again = specviz.replay(trace, index, coins={coin["decision"]: 0.0})
            assert first_problem(again) is None
            assert iteration_payload(again, index)["scenes"]
            assert coin["scene"] in keys


def test_the_guarantee_of_a_lenient_rule_is_said():
    trace = recorded(transformer_pair(), "speculative")
    assert trace.header.method.guarantee == "target"
    assert specviz.replay(trace, 0, lenience=0.5).header.method.guarantee == "lossy"


# Any verifier on a recorded forest.


@pytest.mark.parametrize("verifier", ["token", "block", "typical", "rollback", "joint", "greedy"])
def test_a_recorded_chain_is_judged_like_a_drafted_one(verifier):
    pair = with_parts(*(random_pair(6, seed).target for seed in (1, 2, 3)))
    options = {"gamma": 2, "top_k": 3}
    trace = specviz.decode(
        pair, "custom", [0, 1], max_new_tokens=64, seed=3, drafter="chain", verifier="token", **options
    )
    drafted = specviz.score_forest(pair, [0, 1], "chain", seed=3, **options)
    one, other = specviz.judge(drafted, verifier), specviz.judge(specviz.recorded_forest(trace, 0), verifier)
    assert one.outcomes == pytest.approx(other.outcomes, rel=1e-9)
    assert one.expected_accepted == pytest.approx(other.expected_accepted, rel=1e-9)


# What can be changed.


@pytest.mark.parametrize("method", METHODS)
def test_what_can_be_changed_is_listed(method):
    trace = recorded(transformer_pair(), method, seed=2)
    for index, iteration in enumerate(trace.iterations):
        found = specviz.changeable(trace, index)
        assert [coin["decision"] for coin in found["coins"]] == [
            decision_index
            for decision_index, one in enumerate(iteration.decisions, start=1)
            if getattr(one, "uniform", None) is not None
        ]
        assert (found["reason"] is None) == bool(found["coins"] or found["options"])
        for option in found["options"]:
            assert option["value"] == trace.header.options[option["name"]] and option["help"].endswith(".")
            specviz.replay(trace, index, **{option["name"]: option["value"]})


def test_only_what_the_rule_uses_is_listed():
    names = {
        method: [one["name"] for one in specviz.changeable(recorded(transformer_pair(), method), 0)["options"]]
        for method in METHODS
    }
    warp = ["temperature", "top_k", "top_p"]
    assert names["speculative"] == ["lenience", *warp] and names["mtad"] == names["tree-mtad"] == ["tau", *warp]
    assert names["typical"] == ["epsilon", "delta", *warp] and names["bild"] == ["rollback", *warp]
    assert names["dsbd"] == ["threshold", "min_beams", *warp] and names["beam"] == ["deterministic", *warp]
    assert names["bpd"] == names["slim"] == [] and names["medusa"] == ["acceptance"]
    assert names["speculative-beam"] == ["beams"] and names["custom"] == names["spectr"] == warp
