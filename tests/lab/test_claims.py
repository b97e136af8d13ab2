"""Promises held against runs made by hand: each can hold, and each can fail."""

from dataclasses import replace
from math import log

import pytest

from specviz.lab.bench.claims import claims
from specviz.lab.bench.runs import BenchRun
from specviz.trace.record import Trace
from tests.traces import speculative_trace


def run(
    name: str, turn: int = 0, *, guarantee: str = "target", slower: float = 1.0, perplexity: float = 5.0, **changes
):
    """A run of ``name`` with the sample trace's 7 tokens in 3 target calls: 4 of 9 accepted, 4 nodes read a call.

    ``calls`` target calls in all, ``read`` tokens in each of them, ``accepted`` of 3 drafts in each iteration,
    ``steps`` of each iteration.
    """
    method, *words = name.removesuffix(" (recorded)").split(" ")
    options = {key: int(value) if value.isdecimal() else value for key, value in (word.split("=") for word in words)}
    trace = _changed(speculative_trace(), **changes)
    header = replace(
        trace.header, method=replace(trace.header.method, name=method, guarantee=guarantee), options=options
    )
    metrics = replace(trace.metrics, seconds=trace.metrics.seconds * slower)
    trace = replace(trace, header=header, metrics=metrics)
    return BenchRun(name, turn, 0, len(trace.tokens), 1.0, 7 * log(perplexity), trace)


def _changed(trace: Trace, calls: int = 3, read: int = 4, accepted: int | None = None, steps: int | None = None):
    turns = []
    for index, turn in enumerate(trace.iterations):
        target = replace(turn.calls[-1], tokens=read)
        kept = turn.accepted if accepted is None else accepted
        made = replace(turn, calls=(target,) if index < calls else (), accepted=kept, steps=steps)
        turns.append(made)
    return replace(trace, iterations=tuple(turns))


def verdict(runs, name: str) -> bool:
    (claim,) = [claim for claim in claims(runs) if claim.text.startswith(name)]
    return claim.holds


@pytest.mark.parametrize(
    ("slower", "perplexity", "holds"),
    [(1 / 1.6, 5.0, True), (1 / 1.4, 5.0, False), (1 / 1.6, 5.1, False), (1 / 1.5, 4.9, True)],
)
def test_speculative_beams_must_be_faster_at_no_worse_text(slower, perplexity, holds):
    runs = [run("beam beams=2", guarantee="beam", steps=1)]
    runs.append(run("dsbd", guarantee="beam", steps=2, slower=slower * 0.999, perplexity=perplexity))
    assert verdict(runs, "dsbd") is holds


def test_every_width_of_beam_sampling_is_a_promise_of_its_own():
    runs = [run(name, guarantee="beam") for name in ("beam beams=2", "beam beams=3", "dsbd")]
    assert [claim.text[-15:] for claim in claims(runs)] == [" (beam beams=2)", " (beam beams=3)"]


@pytest.mark.parametrize(("read", "calls", "holds"), [(1, 3, True), (3, 3, False), (1, 4, True)])
def test_slim_must_save_arithmetic(read, calls, holds):
    runs = [run("medusa nodes=64", guarantee="greedy"), run("slim keep=20", guarantee="greedy", read=read, calls=calls)]
    assert verdict(runs, "slim keep=20") is holds


def test_slim_must_not_need_more_target_calls():
    runs = [
        run("medusa nodes=64", guarantee="greedy", calls=2),
        run("slim keep=20", guarantee="greedy", read=1, calls=3),
    ]
    assert verdict(runs, "slim keep=20") is False


def test_other_sizes_of_slim_and_medusa_promise_nothing():
    assert claims([run("medusa nodes=32"), run("slim keep=20"), run("slim keep=40")]) == []


def mtad_among(*others: BenchRun, perplexity: float = 3.0, slower: float = 1.0):
    runs = [
        run("speculative", perplexity=5.0),
        run("mtad", guarantee="lossy", perplexity=perplexity, slower=slower),
        *others,
    ]
    (claim,) = [claim for claim in claims(runs) if claim.text.startswith("mtad")]
    return claim


def test_mtad_must_write_the_likeliest_text_and_no_slower():
    assert mtad_among().holds
    assert not mtad_among(slower=1.1).holds
    assert not mtad_among(perplexity=5.1).holds
    assert not mtad_among(run("bild", guarantee="lossy", perplexity=2.9)).holds


def test_mtad_is_held_against_samplers_of_one_text_only():
    greedy, beams = (
        run("medusa nodes=64", guarantee="greedy", perplexity=1.5),
        run("mtjd", guarantee="lossy", perplexity=2, steps=1),
    )
    recorded = run("bild (recorded)", guarantee="lossy", perplexity=1.0)
    claim = mtad_among(greedy, beams, recorded)
    assert claim.holds
    assert [check.ratio.name for check in claim.checks] == ["mtad / speculative"] * 2


def test_mtad_shows_whom_it_does_not_beat_else_the_best():
    bild, typical = run("bild", guarantee="lossy", perplexity=2.5), run("typical", guarantee="lossy", perplexity=2.0)
    names = [check.ratio.name for check in mtad_among(bild, typical).checks]
    assert names == ["mtad / typical", "mtad / bild", "mtad / speculative"]
    assert [check.ratio.name for check in mtad_among(bild, typical, perplexity=1.0).checks][0] == "mtad / typical"


@pytest.mark.parametrize("name", ["specinfer drafts=1", "specinfer drafts=2", "mcsd", "spectr"])
def test_trees_must_give_more_tokens_for_a_target_call(name):
    assert verdict([run("speculative"), run(name, calls=2)], name) is True
    assert verdict([run("speculative"), run(name)], name) is False  # as many are not more


def test_forks_must_accept_longer_drafts():
    name = "improved-mcsd decision=hidden"
    assert verdict([run("mcsd"), run(name, guarantee="lossy", accepted=2)], name) is True
    assert verdict([run("mcsd"), run(name, guarantee="lossy")], name) is False  # as long is not longer
    assert verdict([run("mcsd"), run(name, guarantee="lossy", accepted=1)], name) is False


def test_a_verdict_is_clear_when_the_whole_interval_agrees():
    def check(*slower: float):
        plain = [run("beam beams=2", turn, guarantee="beam") for turn in range(3)]
        fast = [run("dsbd", turn, guarantee="beam", slower=1 / each) for turn, each in enumerate(slower)]
        (claim,) = claims(plain + fast)
        return claim.checks[0].holds, claim.checks[0].clear

    assert check(1.6, 1.7, 1.8) == (True, True)
    assert check(1.4, 1.7, 1.8) == (True, False)
    assert check(1.2, 1.3, 1.4) == (False, True)
    assert check(1.2, 1.3, 1.8) == (False, False)


def test_impossible_text_makes_no_promise_hold():
    runs = [run("beam beams=2", guarantee="beam"), run("dsbd", guarantee="beam", slower=0.5, perplexity=float("inf"))]
    assert claims(runs) == []
