"""The benchmark as a whole, small: who runs when, for how long, and what is kept of it."""

import json
from dataclasses import replace
from math import exp
from types import SimpleNamespace

import pytest

from specviz.decoding.run.loop import decode
from specviz.errors import OptionError, SpecvizError
from specviz.lab.bench import rivals
from specviz.lab.bench import runs as bench_runs
from specviz.lab.bench.comparison import ratios, rows
from specviz.lab.bench.report import bench_report
from specviz.lab.bench.runs import ASSISTED, GENERATE, RUNS, contenders, run_bench, whole_rounds
from specviz.lab.prompts import PROMPTS
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.measure.disturbance import disturbed_by

METHODS = ["autoregressive", ("speculative", {"gamma": 3}), "mtad"]
NAMES = [
    "autoregressive",
    "speculative gamma=3",
    "speculative gamma=3 (recorded)",
    "mtad",
    "mtad (recorded)",
    GENERATE,
    ASSISTED,
]
TWO = PROMPTS[3::6]


@pytest.fixture(scope="module")
def measured(pair):
    entered = contenders(pair, METHODS, 6)
    return entered, list(run_bench(pair, entered, prompts=TWO, rounds=2, seed=7))


def test_everyone_runs_every_prompt_in_every_round_at_full_length(measured):
    entered, runs = measured
    assert [contender.name for contender in entered] == NAMES
    assert len(runs) == len(NAMES) * 2 * 2
    assert {(run.round, run.prompt) for run in runs if run.contender == GENERATE} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert {run.tokens for run in runs} == {6}
    assert all(run.wall > 0 for run in runs)


def test_turns_rotate_within_a_round(measured):
    _, runs = measured
    blocks = [[run.contender for run in runs[i : i + len(NAMES)]] for i in range(0, len(runs), len(NAMES))]
    assert all(sorted(block) == sorted(NAMES) for block in blocks)
    assert [block[0] for block in blocks] == NAMES[:4]


def test_end_tokens_do_not_end_a_run(pair, measured):
    assert pair.end_tokens == {0}
    everything = ModelPair(pair.target, pair.draft, pair.tokenizer, end_tokens=frozenset(range(pair.target.vocab_size)))
    assert len(decode(everything, "autoregressive", "Once", max_new_tokens=6).tokens) == 1
    runs = list(run_bench(everything, contenders(everything, METHODS, 6), prompts=TWO[:1], rounds=1))
    assert {run.tokens for run in runs} == {6}


def test_recording_changes_nothing_but_the_record(measured):
    _, runs = measured
    for name in ("speculative gamma=3", "mtad"):
        bare = [run for run in runs if run.contender == name]
        recorded = [run for run in runs if run.contender == f"{name} (recorded)"]
        for one, other in zip(bare, recorded, strict=True):
            assert (one.round, one.prompt, one.nll) == (other.round, other.prompt, other.nll)
            assert (one.offered, one.accepted, one.judged) == (other.offered, other.accepted, other.judged)
            assert (one.metrics.alpha, other.metrics.alpha is None) == (None, False)  # needs the record


def test_rounds_have_seeds_of_their_own(pair, measured):
    _, runs = measured
    wide = replace(pair, end_tokens=frozenset())
    for run in runs:
        if run.contender == "mtad":
            again = decode(wide, "mtad", TWO[run.prompt].text, max_new_tokens=6, seed=7 + run.round, record=False)
            assert again.metrics.perplexity == pytest.approx(exp(run.nll / 6))


@pytest.mark.full
def test_perplexity_counts_up_to_the_first_end_token(pair):
    ending = replace(pair, end_tokens=frozenset(range(0, pair.target.vocab_size, 8)))
    entered = contenders(ending, ["autoregressive", "speculative"], 12)
    runs = list(run_bench(ending, entered, prompts=TWO, rounds=2, seed=7))
    made = {one.name: one.run for one in entered}
    for run in runs:
        text = pair.encode(TWO[run.prompt].text)
        tokens = made[run.contender](text, 7 + run.round).tokens
        scored = rivals.logprobs(pair, text, tokens)[: run.scored]
        assert [*(token in ending.end_tokens for token in tokens[:-1]), True].index(True) == run.scored - 1
        assert (run.tokens, run.nll) == (12, pytest.approx(-sum(scored), abs=1e-3))
        if run.contender == "autoregressive":  # a draft with an end token in it draws other coins
            stopped = decode(ending, run.contender, text, max_new_tokens=12, seed=7 + run.round, record=False)
            assert stopped.metrics.perplexity == pytest.approx(exp(run.nll / run.scored))
    assert min(run.scored for run in runs) < 12
    for row in rows(runs):
        own = [run for run in runs if run.contender == row.contender]
        assert row.perplexity == pytest.approx(exp(sum(run.nll for run in own) / sum(run.scored for run in own)))


def test_a_rival_that_was_kept_waiting_is_disturbed_as_well(pair, monkeypatch):
    monkeypatch.setattr(bench_runs, "thread_time", lambda: 0.0)
    runs = list(run_bench(pair, contenders(pair, METHODS[:2], 6), prompts=TWO[:1], rounds=1))
    assert {run.contender: run.disturbed for run in runs if not run.metrics} == {
        GENERATE: "processor_share",
        ASSISTED: "processor_share",
    }
    metrics = [run.metrics for run in runs if run.metrics]
    assert [run.disturbed for run in runs if run.metrics] == [disturbed_by(one) for one in metrics]


def test_the_report_is_plain_json(pair, measured):
    entered, runs = measured
    report = bench_report(pair, entered, runs, TWO, tokens=6, rounds=2, seed=7)
    again = json.loads(json.dumps(report, allow_nan=False))
    assert [row["contender"] for row in again["rows"]] == [row.contender for row in rows(runs)]
    assert len(again["ratios"]) == len(ratios(runs))
    assert len(again["runs"]) == len(runs)
    assert again["contenders"]["speculative gamma=3"]["gamma"] == 3
    assert again["contenders"][ASSISTED] == {"temperature": 1.0, "top_k": 20, "top_p": 0.9, "gamma": 3}
    assert again["machine"]["cores"] != "0"
    assert again["versions"]["torch"]
    assert again["settings"] == {"device": "cpu", "tokens": 6, "rounds": 2, "seed": 7, "prompts": 2}


def test_wrong_arguments_are_refused(pair):
    with pytest.raises(OptionError, match="methods must differ"):
        contenders(pair, ["mtad", "mtad"], 6)
    with pytest.raises(OptionError, match="gamma must be"):
        contenders(pair, [("mtad", {"gamma": 0})], 6)
    with pytest.raises(OptionError, match="rounds is 0"):
        next(run_bench(pair, contenders(pair, ["mtad"], 6), rounds=0))


def test_a_table_pair_is_measured_without_rivals():
    table = TableLM.random(4, 0)
    assert [c.name for c in contenders(ModelPair(table, table), ["autoregressive"], 6)] == ["autoregressive"]


@pytest.mark.parametrize(("measured", "kept"), [(7, 6), (6, 3), (9, 9)])
def test_rounds_that_were_whole_are_kept_when_it_is_broken_off(measured, kept):
    def runs():
        for number in range(measured):
            yield SimpleNamespace(round=number // 3)
        if measured < 9:
            raise KeyboardInterrupt

    seen = []
    found = whole_rounds(runs(), lambda: seen.append(1))
    assert len(found) == kept and len(seen) == measured


def test_broken_off_in_its_first_round_it_has_nothing_to_keep():
    def runs():
        yield SimpleNamespace(round=0)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        whole_rounds(runs(), lambda: None)


@pytest.mark.full
def test_every_run_is_kept_as_it_ends_and_none_is_made_twice(pair, tmp_path):
    entered = contenders(pair, METHODS, 6)
    settings = {"prompts": TWO, "rounds": 2, "seed": 7, "work": tmp_path}
    begun = run_bench(pair, entered, **settings)
    first = [next(begun) for _ in range(5)]
    begun.close()
    file = tmp_path / RUNS
    file.write_bytes(file.read_bytes() + b'{"contender": "mt')  # killed while it wrote
    made = []
    counted = [replace(one, run=lambda *given, one=one: made.append(one.name) or one.run(*given)) for one in entered]
    runs = list(run_bench(pair, counted, **settings))
    assert runs[:5] == first and len(runs) == len(NAMES) * 4
    assert len(made) == len(runs) - 5 + len(NAMES)  # and one of each that warms up
    made.clear()
    assert list(run_bench(pair, counted, **settings)) == runs and not made
    assert len({run.key for run in runs}) == len(runs) == len(file.read_bytes().splitlines())
    other = list(run_bench(pair, entered[:1], **settings | {"seed": 9}))
    assert not {run.key for run in other} & {run.key for run in runs}


def test_a_file_that_holds_no_runs_is_named(pair, tmp_path):
    (tmp_path / RUNS).write_text('{"contender": "mtad"}\n')
    with pytest.raises(SpecvizError, match=f"{RUNS}: line 1 is damaged"):
        next(run_bench(pair, contenders(pair, ["mtad"], 6), prompts=TWO, work=tmp_path))
    (tmp_path / "file").write_text("")
    with pytest.raises(SpecvizError, match="cannot be opened"):
        next(run_bench(pair, contenders(pair, ["mtad"], 6), prompts=TWO, work=tmp_path / "file"))
