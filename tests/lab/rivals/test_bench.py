"""The benchmark as a whole, small: a sweep with rivals, who runs when, for how long, and what is kept of it."""

import json
from dataclasses import replace
from itertools import chain

import pytest

from specviz.decoding.run.loop import decode
from specviz.errors import OptionError, SpecvizError
from specviz.lab.rivals import entered
from specviz.lab.rivals.entered import ASSISTED, GENERATE, bench_plan, bench_rows, ours, rivals
from specviz.lab.rivals.report import bench_report, ratios
from specviz.lab.sweep import running
from specviz.lab.sweep.log import ROWS
from specviz.lab.sweep.prompts import built_in
from specviz.lab.sweep.written import logprobs_of
from specviz.lm.pair import ModelPair
from specviz.lm.table import TableLM
from specviz.measure.disturbance import disturbed_by
from specviz.measure.quality import perplexity

METHODS = [("autoregressive", {}), ("speculative", {"gamma": 3}), ("mtad", {})]
NAMES = [
    "autoregressive",
    "speculative gamma=3",
    "speculative gamma=3 (recorded)",
    "mtad",
    "mtad (recorded)",
    GENERATE,
    ASSISTED,
]
TWO = built_in()[3::6]


def planned(pair, methods=METHODS, prompts=TWO, tokens=6, rounds=2, seed=7):
    settings = ours(pair, methods)
    return bench_plan(pair, [*settings, *rivals(pair, settings)], prompts, tokens=tokens, rounds=rounds, seed=seed)


@pytest.fixture(scope="module")
def plan(pair):
    return planned(pair)


@pytest.fixture(scope="module")
def rows(plan):
    return bench_rows(plan)


def test_everyone_runs_every_prompt_in_every_round_at_full_length(plan, rows):
    assert [setting.name for setting in plan.grid.settings] == NAMES
    assert len(rows) == len(NAMES) * 2 * 2 == len({row.key for row in rows})
    theirs = {(row.round, row.seed, row.prompt) for row in rows if row.setting == GENERATE}
    assert theirs == {(turn, 7 + turn, prompt.id) for turn in range(2) for prompt in TWO}
    assert {row.metrics.tokens for row in rows} == {6} and all(row.wall_seconds > 0 for row in rows)
    blocks = [[row.setting for row in rows[i : i + len(NAMES)]] for i in range(0, len(rows), len(NAMES))]
    assert all(sorted(block) == sorted(NAMES) for block in blocks) and [block[0] for block in blocks] == NAMES[:4]


def test_end_tokens_do_not_end_a_run(pair):
    everything = ModelPair(pair.target, pair.draft, pair.tokenizer, end_tokens=frozenset(range(pair.target.vocab_size)))
    assert len(decode(everything, "autoregressive", "Once", max_new_tokens=6).tokens) == 1
    made = bench_rows(planned(everything, prompts=TWO[:1], rounds=1))
    assert {row.metrics.tokens for row in made} == {6} and {row.parts["scored"] for row in made} == {1}


def test_recording_changes_nothing_but_the_record(rows):
    for name in ("speculative gamma=3", "mtad"):
        bare, recorded = ([row for row in rows if row.setting == name + mark] for mark in ("", " (recorded)"))
        for one, other in zip(bare, recorded, strict=True):
            assert (one.round, one.prompt, one.token_ids) == (other.round, other.prompt, other.token_ids)
            assert (one.offered, one.accepted, one.parts["judged"]) == (
                other.offered,
                other.accepted,
                other.parts["judged"],
            )
            assert (one.metrics.alpha, other.metrics.alpha is None) == (None, False)  # needs the record


@pytest.mark.full
def test_perplexity_counts_up_to_the_first_end_token(pair):
    ending = replace(pair, end_tokens=frozenset(range(0, pair.target.vocab_size, 8)))
    made = bench_rows(planned(ending, METHODS[:2], tokens=12))
    for row in made:
        (prompt,) = (prompt.prompt for prompt in TWO if prompt.id == row.prompt)
        scored = row.parts["scored"]
        logprobs = logprobs_of(pair.target, pair.encode(prompt), row.token_ids[:scored])
        assert [*(token in ending.end_tokens for token in row.token_ids[:-1]), True].index(True) == scored - 1
        assert row.metrics.perplexity == pytest.approx(perplexity(logprobs), rel=1e-3)
        if row.setting == "autoregressive":  # a draft with an end token in it draws other coins
            stopped = decode(ending, "autoregressive", prompt, max_new_tokens=12, seed=row.seed, record=False)
            assert stopped.metrics.perplexity == pytest.approx(row.metrics.perplexity)
    assert min(row.parts["scored"] for row in made) < 12


def test_a_rival_that_was_kept_waiting_is_disturbed_as_well(pair, monkeypatch):
    monkeypatch.setattr(running, "thread_time", lambda: 0.0)
    made = bench_rows(planned(pair, METHODS[:2], TWO[:1], rounds=1))
    waited = {row.setting: row.disturbed for row in made if not row.guarantee}
    assert waited == {GENERATE: "processor_share", ASSISTED: "processor_share"}
    assert all(row.disturbed == disturbed_by(row.metrics) for row in made)


def test_calls_of_a_rival_are_noted(rows):
    plain, assisted = ([row for row in rows if row.setting == name] for name in (GENERATE, ASSISTED))
    assert {(row.metrics.target_calls, row.parts["calls"], row.parts["iterations"]) for row in plain} == {(6, 5, 6)}
    for row in chain(plain, assisted):
        inside = row.parts["target"] + row.parts["drafting"]
        assert 0 < inside <= row.metrics.seconds < row.wall_seconds
        assert row.metrics.tokens_per_second is None and row.metrics.seconds_to_first_token > 0
    assert sum(row.metrics.draft_calls for row in assisted) > 0 == sum(row.metrics.draft_calls for row in plain)


def test_the_report_is_plain_json(plan, rows):
    report = json.loads(json.dumps(bench_report(plan, rows), allow_nan=False))
    assert [row["contender"] for row in report["rows"]] == NAMES
    assert len(report["ratios"]) == len(ratios(rows)) and len(report["runs"]) == len(rows)
    assert report["contenders"]["speculative gamma=3"]["gamma"] == 3
    assert report["contenders"][ASSISTED] == {"temperature": 1.0, "top_k": 20, "top_p": 0.9, "gamma": 3}
    assert report["machine"]["cores"] != "0" and report["versions"]["torch"]
    assert report["settings"] == {"device": "cpu", "tokens": 6, "rounds": 2, "seed": 7, "prompts": 2}


def test_wrong_arguments_are_refused(pair):
    with pytest.raises(OptionError, match="methods must differ"):
        ours(pair, [("mtad", {}), ("mtad", {})])
    with pytest.raises(OptionError, match="gamma must be"):
        ours(pair, [("mtad", {"gamma": 0})])
    with pytest.raises(OptionError, match="rounds is 0"):
        planned(pair, rounds=0)


def test_a_table_pair_is_measured_without_rivals():
    table = TableLM.random(4, 0)
    pair = ModelPair(table, table)
    assert rivals(pair, ours(pair, METHODS[:1])) == []


@pytest.mark.parametrize("rounds", [0, 1])
def test_rounds_that_were_whole_are_kept_when_it_is_broken_off(plan, rounds, tmp_path):
    made = []

    def advance(_):
        made.append(1)
        if len(made) == len(NAMES) * 2 * rounds + 3:
            raise KeyboardInterrupt

    if not rounds:
        with pytest.raises(KeyboardInterrupt):
            bench_rows(plan, tmp_path, advance)
    else:
        kept = bench_rows(plan, tmp_path, advance)
        assert {row.round for row in kept} == {0} and len(kept) == len(NAMES) * 2
        assert bench_report(plan, kept)["settings"]["rounds"] == 1


@pytest.mark.full
def test_every_run_is_kept_as_it_ends_and_none_is_made_twice(pair, plan, tmp_path, monkeypatch):
    begun = running.run_plan(plan, tmp_path)
    first = [next(begun) for _ in range(5)]
    begun.close()
    file = tmp_path / ROWS
    file.write_bytes(file.read_bytes() + b'{"key": "mt')  # killed while it wrote
    made, run = [], running.Runner.run
    monkeypatch.setattr(running.Runner, "run", lambda *given: made.append(1) or run(*given))
    rows = bench_rows(plan, tmp_path)
    assert rows[:5] == first and len(rows) == len(NAMES) * 4 and len(made) == len(rows) - 5
    made.clear()
    assert bench_rows(plan, tmp_path) == rows and not made
    assert len(rows) == len(file.read_bytes().splitlines())
    keys = {row.key for row in rows}
    assert not keys & {task.key for task in planned(pair, seed=9)}
    monkeypatch.setattr(entered, "versions", lambda: {"torch": "another"})
    assert not keys & {task.key for task in planned(pair)}


def test_a_file_that_holds_no_rows_is_named(plan, tmp_path):
    (tmp_path / ROWS).write_text('{"setting": "mtad"}\n')
    with pytest.raises(SpecvizError, match=f"{ROWS}: line 1 has no acceptance_by_depth"):
        bench_rows(plan, tmp_path)
