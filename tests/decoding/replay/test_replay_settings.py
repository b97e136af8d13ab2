"""A recorded step at another temperature, top-k, threshold ...: what the models themselves would say there."""

import math

import numpy as np
import pytest

import specviz
from specviz.decoding.registry.registry import methods
from specviz.drafting.tree import ONE_DRAWN
from specviz.errors import ReplayError
from tests.decoding.replay.live import Live
from tests.decoding.run.test_properties import table_pair, transformer_pair

METHODS = methods()
PROMPT = [1, 2, 3]


def recorded(pair, method, seed=1, **options):
    return specviz.decode(pair, method, PROMPT, max_new_tokens=14, seed=seed, **options)


CHANGES = [
    {"temperature": 0.6},
    {"temperature": 1.8},
    {"temperature": 0.0},
    {"top_k": 5},
    {"top_p": None},
    {"top_p": 0.5, "temperature": 2.5},
    {"tau": 0.6},
    {"tau": 0.01},
    {"lenience": 0.2},
    {"epsilon": 0.3, "delta": 0.9},
    {"rollback": 0.7},
    {"threshold": 0.2},
    {"threshold": None, "min_beams": 4},
    {"deterministic": True},
    {"beams": 1},
    {"acceptance": "typical"},
]
MODES = [(method, change) for method in METHODS for change in CHANGES]


def possible(method: str, change: dict) -> bool:
    """Whether the method's rule depends on the options."""
    found = METHODS[method]
    return set(change) <= set(found.options) and set(change) <= set(found.changeable(found.resolve()))


def numbers_of(decision) -> list[float]:
    names = ("target_prob", "draft_prob", "acceptance_probability", "log_ratio", "weight", "entropy", "surprise", "rho")
    found = [getattr(decision, name, None) for name in names]
    return [value if value is not None and math.isfinite(value) else -1.0 for value in found]


def same_uniform(one, other) -> bool:
    """Whether two decisions were taken by one number. What is certain needs none, and rounding may make it certain."""
    numbers = [getattr(decision, "uniform", None) for decision in (one, other)]
    if None not in numbers or numbers == [None, None]:
        return numbers[0] == numbers[1]
    if hasattr(one, "source"):
        return min(decision.source.probs.max() for decision in (one, other)) > 1 - 1e-6
    sides = [round(decision.acceptance_probability, 6) for decision in (one, other)]
    return sides[0] == sides[1] in (0.0, 1.0)


@pytest.mark.every(5)
@pytest.mark.parametrize("kind", ["transformer", "table"])
@pytest.mark.parametrize(("method", "change"), [mode for mode in MODES if possible(*mode)], ids=str)
def test_another_setting_is_what_the_models_say(method, change, kind):
    """The replayed verdict against the rule on the models' own distributions at the new setting."""
    pair = transformer_pair() if kind == "transformer" else table_pair(5, ends=True)
    own = {"beams": 2} if method == "mtad" else {}
    trace = recorded(pair, method, seed=4, **own)
    compared = 0
    for index in range(min(3, len(trace.iterations))):
        options = METHODS[method].resolve(
            **{name: value for name, value in trace.header.options.items() if name != "max_new_tokens"} | change
        )
        try:
            again = specviz.replay(trace, index, **change)
        except ReplayError as error:
            live = Live(pair, trace, index, options).scored()
            unlikely = min((live.forest.nodes[n].draft_prob for n in live.forest.submitted), default=1.0)
            whole = "entropy" in str(error) and kind == "transformer"
            own_way = "draws in a way of its own (one_drawn)" in str(error) and live.forest.drawing == ONE_DRAWN
            assert whole or own_way or ("could not have proposed" in str(error) and unlikely == 0.0), error
            continue
        scored, verdict = Live(pair, trace, index, options).verdict()
        decisions = again.iterations[index].decisions
        assert [type(one) for one in verdict.decisions] == [type(one) for one in decisions]
        for live, one in zip(verdict.decisions, decisions, strict=True):
            assert numbers_of(live) == pytest.approx(numbers_of(one), rel=1e-5, abs=1e-6) and same_uniform(live, one)
            for name in ("token", "accepted", "passes", "kept", "width", "tokens", "best"):
                assert getattr(live, name, None) == getattr(one, name, None)
        if not verdict.layers:
            tokens = [scored.forest.nodes[number].token for number in verdict.path]
            tokens += [verdict.sampled.token] if verdict.sampled else []
            assert [e.token for e in again.iterations[index].emitted] == tokens[: len(again.iterations[index].emitted)]
        compared += 1
    assert compared or change.keys() & {"temperature", "top_k", "top_p"}


def over_the_vocabulary(given, size):
    """Probabilities [size] of all tokens."""
    probs = np.zeros(size)
    probs[given.tokens] = given.probs
    return probs


@pytest.mark.full
@pytest.mark.every(3)
@pytest.mark.parametrize(
    "change", [{}, {"temperature": 1.5}, {"top_p": 1.0}, {"top_k": 12, "temperature": 0.9}], ids=str
)
@pytest.mark.parametrize("method", ["speculative", "specinfer", "mcsd", "mtad", "tree-mtad", "dynamic-tree", "slim"])
def test_distributions_warped_anew_are_the_models_own(method, change):
    pair = transformer_pair()
    trace = recorded(pair, method, seed=2)
    options = METHODS[method].resolve(
        **{name: value for name, value in trace.header.options.items() if name != "max_new_tokens"} | change
    )
    if method == "slim":
        change = {}
    for index in range(min(2, len(trace.iterations))):
        live = Live(pair, trace, index, options).scored()
        try:
            found = specviz.recorded_forest(trace, index, **change)
        except ReplayError as error:
            assert "could not have proposed" in str(error)
            assert min(live.forest.nodes[number].draft_prob for number in live.forest.submitted) == 0.0
            continue
        size = pair.target.vocab_size
        for prefix in (-1, *found.forest.submitted):
            one, other = (over_the_vocabulary(scored.target_at(prefix), size) for scored in (found, live))
            assert np.abs(one - other).max() < 1e-6
        for number in found.forest.submitted:
            node, other = found.forest.nodes[number], live.forest.nodes[number]
            drafts = (over_the_vocabulary(given.draft, size) for given in (node, other))
            assert np.abs(np.subtract(*drafts)).max() < 1e-6
            logprob = live.target_at(node.parent).logprob(node.token)
            assert found.target_at(node.parent).logprob(node.token) == pytest.approx(logprob, abs=1e-5)
