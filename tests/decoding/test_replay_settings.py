"""A recorded step at another temperature, top-k, threshold ...: what the models themselves would say there."""

import math

import numpy as np
import pytest

import specviz
from specviz.decoding.catalog import METHODS
from specviz.errors import ReplayError
from tests.decoding.live import Live
from tests.decoding.test_properties import table_pair, transformer_pair

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
    return set(change) <= set(found.options) and set(change) <= set(found.ruled_by(found.resolve()))


def numbers_of(decision) -> list[float]:
    names = ("target_prob", "draft_prob", "chance", "draw", "log_ratio", "weight", "entropy", "surprise", "rho")
    found = [getattr(decision, name, None) for name in names]
    return [value if value is not None and math.isfinite(value) else -1.0 for value in found]


@pytest.mark.parametrize("kind", ["transformer", "table"])
@pytest.mark.parametrize(("method", "change"), [mode for mode in MODES if possible(*mode)], ids=str)
def test_another_setting_is_what_the_models_say(method, change, kind):
    """The replayed verdict against the rule on the models' own laws at the new setting."""
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
            unlikely = min((live.forest.draft_prob(node) for node in live.forest.submitted), default=1.0)
            whole = "entropy" in str(error) and kind == "transformer"
            assert whole or ("could not have proposed" in str(error) and unlikely == 0.0), error
            continue
        scored, verdict = Live(pair, trace, index, options).verdict(options)
        decisions = again.iterations[index].decisions
        assert [type(one).__name__ for one in verdict.decisions] == [LIVE[one.rule] for one in decisions]
        for live, one in zip(verdict.decisions, decisions, strict=True):
            assert numbers_of(live) == pytest.approx(numbers_of(one), rel=1e-5, abs=1e-6)
            assert getattr(live, "token", None) in (None, one.token) if hasattr(one, "token") else True
            for name in ("accepted", "passes", "kept", "width"):
                assert getattr(live, name, None) == getattr(one, name, None)
        if not verdict.layers:
            tokens = [scored.forest.tokens[node] for node in verdict.path]
            tokens += [verdict.drawn.token] if verdict.drawn else []
            assert [e.token for e in again.iterations[index].emitted] == tokens[: len(again.iterations[index].emitted)]
        compared += 1
    assert compared or change.keys() & {"temperature", "top_k", "top_p"}


LIVE = {
    "coin": "Coin",
    "joint": "JointTest",
    "draw": "Draw",
    "kseq": "SequenceTest",
    "block": "BlockTest",
    "typical": "TypicalTest",
    "rollback": "RollbackTest",
    "match": "Match",
    "layer": "LayerWidth",
    "beam-coin": "BeamCoin",
    "beam-draw": "BeamDraw",
    "search": "SearchStep",
}


@pytest.mark.parametrize(
    "change", [{}, {"temperature": 1.5}, {"top_p": 1.0}, {"top_k": 12, "temperature": 0.9}], ids=str
)
@pytest.mark.parametrize("method", ["speculative", "specinfer", "mcsd", "mtad", "tree-mtad", "dynamic-tree", "slim"])
def test_laws_warped_anew_are_the_models_own(method, change):
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
            assert min(live.forest.draft_prob(node) for node in live.forest.submitted) == 0.0
            continue
        for place in (-1, *found.forest.submitted):
            assert np.abs(found.law_at(place).probs - live.law_at(place).probs).max() < 1e-6
        for node in found.forest.submitted:
            assert np.abs(found.forest.draft_laws[node].probs - live.forest.draft_laws[node].probs).max() < 1e-6
            logprob = live.law_at(found.forest.parents[node]).logprob(found.forest.tokens[node])
            assert found.law_at(found.forest.parents[node]).logprob(found.forest.tokens[node]) == pytest.approx(
                logprob, abs=1e-5
            )
