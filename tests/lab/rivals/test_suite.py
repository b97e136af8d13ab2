"""What is entered when nobody says: every method, as far as the pair can, beams at dsbd's own width."""

from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest

from specviz.decoding.registry.registry import methods
from specviz.decoding.run.loop import decode
from specviz.lab.rivals.entered import bench_plan, bench_rows, ours, rivals
from specviz.lab.rivals.suite import PAIRINGS, average_width, everything, full_suite, layer_widths
from specviz.lab.sweep.prompts import built_in
from specviz.lm.pair import ModelPair
from specviz.options import label
from specviz.rules.beams.width import BeamWidth
from specviz.trace.distribution import JointDistribution
from tests.traces import speculative_trace

TWO = built_in()[3::6]


@pytest.fixture(scope="module")
def suite(pair):
    return full_suite(pair, [(name, {}) for name in everything()], TWO, tokens=5, seed=3)


def layer(depth: int, width: int) -> BeamWidth:
    whole, real = np.array([], dtype=np.int64), np.array([])
    distribution = JointDistribution(whole, whole, real, real, 1.0)
    return BeamWidth(depth, width, 1, 0.7, 5, (), (), distribution, None)


@pytest.mark.parametrize(
    ("judged", "steps", "widths"),
    [
        ((2, 3, 4), 4, [2, 3, 4, 4]),  # all full: one more layer, as wide as the last
        ((2, 3), 2, [2, 3]),  # the second was not full and ended the iteration
        ((2, 3, 4), 2, [2, 3]),  # cut at the length limit
        ((), 1, []),
    ],
)
def test_widths_are_those_of_the_layers_kept(judged, steps, widths):
    turn = replace(speculative_trace().iterations[0], decisions=tuple(map(layer, (1, 2, 3), judged)), steps=steps)
    assert layer_widths(turn) == widths


def test_the_average_width_counts_every_layer_once(pair):
    wide, runs = replace(pair, end_tokens=frozenset()), []
    for prompt in TWO:
        trace = decode(wide, "dsbd", prompt.prompt, max_new_tokens=5, seed=3)
        runs += [width for iteration in trace.iterations for width in layer_widths(iteration)]
    assert len(runs) == 5 * len(TWO)
    assert average_width(pair, TWO, tokens=5, seed=3) == fmean(runs)
    assert average_width(pair, TWO, tokens=5, min_beams=5, draft_beams=2) == 5.0


def test_the_suite_names_every_method_of_the_catalog(pair, suite):
    assert {name.split(" ")[0] for name in suite.left_out} == {"bpd", "medusa", "slim", "specinfer", "improved-mcsd"}
    assert {name for name, _ in suite.entries} | {name.split(" ")[0] for name in suite.left_out} == set(everything())
    assert set(everything()) == set(methods()) - set(PAIRINGS)


def test_what_a_pair_lacks_is_said(suite):
    assert "prediction heads" in suite.left_out["medusa nodes=64"]
    assert "2 draft models" in suite.left_out["specinfer drafts=2"]
    assert "decision='hidden'" in suite.left_out["improved-mcsd decision=hidden"]
    assert ("improved-mcsd", {"decision": None}) in suite.entries


def test_beam_runs_at_the_whole_widths_around_dsbds(suite):
    widths = [own["beams"] for name, own in suite.entries if name == "beam"]
    assert widths[0] <= suite.width <= widths[-1]
    assert widths[-1] - widths[0] <= 1


def test_a_whole_width_needs_one_contender(pair):
    exact = full_suite(pair, [("beam", {}), ("dsbd", {"min_beams": 3, "draft_beams": 1})], TWO, tokens=4)
    assert [label(*entry) for entry in exact.entries] == ["beam beams=3", "dsbd min_beams=3 draft_beams=1"]
    assert exact.width == 3.0


def test_settings_that_were_asked_for_reach_every_variant(pair):
    entries = full_suite(pair, [("improved-mcsd", {"width": 2}), ("mtad", {"tau": 0.2})], TWO, tokens=4).entries
    assert entries == (("improved-mcsd", {"width": 2, "decision": None}), ("mtad", {"tau": 0.2}))


def test_a_target_alone_runs_what_needs_no_draft(pair):
    alone = full_suite(ModelPair(pair.target, tokenizer=pair.tokenizer), [(n, {}) for n in everything()], TWO, tokens=4)
    assert [name for name, _ in alone.entries] == ["autoregressive", "beam", "mtjd"]
    assert alone.width is None


@pytest.mark.full
def test_the_whole_suite_runs(pair, suite):
    settings = ours(pair, suite.entries)
    settings += rivals(pair, settings)
    rows = bench_rows(bench_plan(pair, settings, TWO[:1], tokens=5, rounds=1, seed=0))
    assert [row.setting for row in rows] == [setting.name for setting in settings]
    assert {row.metrics.tokens for row in rows} == {5}
