"""Speculative decoding broken on purpose: how far each break leads, against formulas written down apart."""

from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from specviz.decoding.exact.distribution import exact_distribution
from specviz.decoding.registry.registry import methods
from specviz.errors import OptionError, TraceError
from specviz.lab.lessons.broken_rules import NAMES, broken, distance, step_distance, step_distribution
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.trace.store import load_trace
from tests.by_hand import dense

EXACT = 1e-12
GALLERY = Path(__file__).resolve().parents[3] / "assets" / "gallery"
BREAKS = [name for name in NAMES if name != "none"]


def distribution_of_break(name, p, q, raw):
    """The distribution of one token under a break, from its definition."""
    kept = np.minimum(p, q)
    left = np.maximum(p - q, 0)
    if name == "none":
        return p
    if name == "target":
        return kept + (1 - kept.sum()) * p
    if name == "draft":
        return kept + (1 - kept.sum()) * q
    kept = q * np.minimum(1, np.divide(p, raw, out=np.ones_like(p), where=raw > 0))
    return kept + (1 - kept.sum()) * left / left.sum()


def warped(probs, temperature=0.7):
    sharp = probs ** (1 / temperature)
    return sharp / sharp.sum()


def gallery(name):
    return load_trace(next(GALLERY.glob(f"*-{name}.json")))


@pytest.fixture(scope="module")
def speculative():
    return gallery("speculative")


def coins(trace):
    return [
        (iteration.index, decision_index, decision)
        for iteration in trace.iterations
        for decision_index, decision in enumerate(iteration.decisions, 1)
        if decision.rule == "coin"
    ]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(5))
def test_the_distribution_of_one_token_is_the_closed_form(name, seed):
    generator = np.random.default_rng(seed)
    p, own = generator.dirichlet(np.ones(6)), generator.dirichlet(np.ones(6))
    p[seed], q = 0.0, warped(own)
    p /= p.sum()
    found, acceptance = step_distribution(dense(p), dense(q, np.log(own)), NAMES[name].verifier())
    assert [found.get(token, 0.0) for token in range(6)] == pytest.approx(
        distribution_of_break(name, p, q, own), abs=EXACT
    )
    judged_by = own if name == "stale" else q
    assert acceptance == pytest.approx((q * np.minimum(1, p / judged_by)).sum(), abs=EXACT)


@pytest.mark.parametrize("name", NAMES)
def test_the_whole_decoder_follows_the_closed_form(name):
    pair = ModelPair(TableLM.random(4, 1), TableLM.random(4, 2))
    for temperature in (0.7, 1.3):
        distribution = exact_distribution(pair, broken(name), [0, 1], 1, gamma=2, temperature=temperature)
        p, own = pair.target.probabilities([0, 1]), pair.draft.probabilities([0, 1])
        expected = distribution_of_break(name, warped(p, temperature), warped(own, temperature), own)
        assert [distribution[(token,)] for token in range(4)] == pytest.approx(expected, abs=EXACT)


@pytest.mark.full
def test_only_what_is_broken_strays_on_the_reference_pair():
    assert distance("none") < EXACT
    assert all(0.05 < distance(name) < 0.5 for name in BREAKS)
    assert distance("draft") > distance("target")


def test_a_break_is_no_method_of_the_catalog():
    assert all(broken(name) not in methods().values() for name in BREAKS)
    assert methods()["speculative"].guarantee == "target"


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_step_is_the_closed_form_of_its_distributions(speculative, name):
    strays = []
    for index, decision_index, decision in coins(speculative)[:12]:
        found = step_distance(speculative, index, decision_index, name)
        tokens = sorted({*decision.target.tokens.tolist(), *decision.draft.tokens.tolist()})

        def column(recorded, values, tokens=tokens):
            by_token = dict(zip(recorded.tokens.tolist(), values.tolist(), strict=True))
            return np.array([by_token.get(token, 0.0) for token in tokens])

        p = column(decision.target, decision.target.probs)
        q = column(decision.draft, decision.draft.probs)
        raw = column(decision.draft, np.exp(decision.draft.logprobs))
        expected = distribution_of_break(name, p, q, raw)
        assert [found["distribution"].get(token, 0.0) for token in tokens] == pytest.approx(expected, abs=1e-6)
        assert found["target"] == pytest.approx({t: x for t, x in zip(tokens, p, strict=True) if x > 0}, abs=1e-6)
        assert found["distance"] == pytest.approx(np.abs(expected - p).sum() / 2, abs=1e-6)
        assert sum(found["distribution"].values()) == pytest.approx(1, abs=1e-9)
        strays.append(found["distance"] >= EXACT)
        assert ("exactly" in found["sentence"]) == (not strays[-1])
    assert any(strays) == (name != "none")  # a break need not show at every step


def test_the_probability_of_keeping_is_the_overlap_unless_q_is_stale(speculative):
    index, decision_index, decision = coins(speculative)[0]
    q = decision.draft.table()
    overlap = sum(min(p, q.get(token, 0.0)) for token, p in decision.target.table().items())
    kept = {name: step_distance(speculative, index, decision_index, name)["acceptance"] for name in NAMES}
    assert kept["none"] == kept["target"] == kept["draft"] == pytest.approx(overlap, abs=1e-6)
    assert kept["stale"] > kept["none"]  # top-k and top-p made every q that is left larger than it was


def test_what_has_no_such_step_is_refused_with_the_reason(speculative):
    index, decision_index, _ = coins(speculative)[0]
    with pytest.raises(OptionError, match="break must be one of none, target, draft, stale, got 'p'"):
        step_distance(speculative, index, decision_index, "p")
    with pytest.raises(TraceError, match="index must be 0 to"):
        step_distance(speculative, len(speculative.iterations), 1, "target")
    with pytest.raises(TraceError, match="decision must be 1 to"):
        step_distance(speculative, index, 0, "target")
    last = len(speculative.iterations[index].decisions)
    with pytest.raises(TraceError, match="flips no coin: its rule is 'draw'"):
        step_distance(speculative, index, last, "target")
    trees = gallery("specinfer")
    with pytest.raises(TraceError, match="one of 4 candidates"):
        step_distance(
            trees,
            *next((i, decision_index) for i, decision_index, coin in coins(trees) if coin.candidates == 4),
            "target",
        )


def test_a_record_that_leaves_something_out_is_refused(speculative):
    index, decision_index, decision = coins(speculative)[0]
    left_out = copy(decision.target)
    left_out.rest = 0.01
    short = replace(decision, target=left_out)
    iteration = speculative.iterations[index]
    decisions = (*iteration.decisions[: decision_index - 1], short, *iteration.decisions[decision_index:])
    iterations = tuple(
        replace(each, decisions=decisions) if each.index == index else each for each in speculative.iterations
    )
    with pytest.raises(TraceError, match="leaves out 0.01 of a distribution"):
        step_distance(replace(speculative, iterations=iterations), index, decision_index, "target")
