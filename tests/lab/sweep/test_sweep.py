"""Sweeps on tables: the plan, the rows, and going on after whatever happened."""

import json
import resource
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import specviz
from specviz.errors import ModelError, OptionError, PromptError, SpecvizError
from specviz.lab.sweep.grid import as_grid
from specviz.lab.sweep.log import ROWS, RowLog, read_rows
from specviz.lab.sweep.plan import Plan
from specviz.lab.sweep.prompts import SweepPrompt, as_prompts
from specviz.lab.sweep.running import plan_of
from specviz.measure import calibration
from specviz.measure.disturbance import disturbed_by
from specviz.trace.store import load_trace
from tests.decoding.registry.own_parts import STRANGER

GRID = {"method": [{"name": "autoregressive"}, {"name": "speculative", "gamma": [2, 4]}], "max_new_tokens": 6}
PROMPTS, SEEDS = [[0], [1, 2], [3]], 3


def tables(**more) -> specviz.ModelPair:
    return specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2), **more)


@pytest.fixture(scope="module")
def whole():
    """The rows of a sweep that nothing happens to."""
    return list(specviz.sweep(tables(), GRID, PROMPTS, SEEDS))


def written(rows) -> dict[str, tuple[int, ...]]:
    """The tokens of every run by its key, each of which must be there once."""
    rows = list(rows)
    assert len({row.key for row in rows}) == len(rows)
    return {row.key: row.token_ids for row in rows}


@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 4))
def test_in_a_round_every_setting_runs_on_every_prompt_in_turns(gammas, prompts, rounds):
    grid = as_grid({"method": [{"name": "speculative", "gamma": list(range(1, gammas + 1))}], "seeds": rounds})
    plan = Plan(tables(), grid, tuple(as_prompts([[0] * (i + 1) for i in range(prompts)])))
    tasks = list(plan)
    assert len(tasks) == len(plan) == len({task.key for task in tasks}) == gammas * prompts * rounds
    assert [task.round for task in tasks] == sorted(task.round for task in tasks)
    assert all(task.seed == grid.seeds[task.round] for task in tasks)
    turns = [tasks[start : start + gammas] for start in range(0, len(tasks), gammas)]
    assert all(len({(task.round, task.prompt.id) for task in turn}) == 1 for turn in turns)
    assert all({task.setting.name for task in turn} == {s.name for s in grid.settings} for turn in turns)
    first = Counter(turn[0].setting.name for turn in turns)
    assert max(first.values()) - min(first[s.name] for s in grid.settings) <= 1


def keys(pair=None, grid=GRID, prompts=PROMPTS, seeds=SEEDS, **more) -> set[str]:
    return {task.key for task in plan_of(pair or tables(), grid, prompts, seeds, **more)}


def test_a_key_says_what_is_run_and_nothing_else():
    usual = keys()
    assert keys(seeds=[2, 0, 1]) == keys(prompts=as_prompts(PROMPTS)[::-1]) == keys(grid={**GRID, "seeds": 9}) == usual
    assert len(keys(prompts=[[0], [0]])) == 2 * len(keys(prompts=[[0]]))
    assert keys(grid={**GRID, "method": GRID["method"][::-1]}) == usual
    assert keys(seeds=4) > usual and keys(prompts=[*PROMPTS, [4]]) > usual
    others = [
        keys(max_new_tokens=7),
        keys(prompts=[[4], [0, 0], [2, 2]]),
        keys(seeds=[7, 8, 9]),
        keys(grid=GRID | {"shared": {"temperature": 0.5}}),
        keys(tables(end_tokens=frozenset({1}))),
        keys(specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=3))),
        keys(specviz.ModelPair(specviz.TableLM.random(5, seed=4), specviz.TableLM.random(5, seed=2))),
    ]
    assert all(usual.isdisjoint(other) for other in others)


def test_rows_say_what_decode_says(whole):
    assert len(whole) == 3 * 3 * 3 and Counter(row.round for row in whole) == {0: 9, 1: 9, 2: 9}
    for row in whole[::4]:
        prompt = PROMPTS[int(row.prompt) - 1]
        trace = specviz.decode(tables(), row.method, prompt, max_new_tokens=6, seed=row.seed, **row.options)
        assert (row.token_ids, row.text, row.stop) == (trace.tokens, trace.text, trace.stop)
        assert row.metrics.perplexity == trace.metrics.perplexity
        assert row.metrics.target_calls == trace.metrics.target_calls
        assert row.accepted == sum(iteration.accepted for iteration in trace.iterations)
        assert row.models["draft"]["fingerprint"] == "table:5:2" and row.disturbed == disturbed_by(row.metrics)
        assert row.guarantee == "target" and row.wall_seconds >= row.metrics.seconds


def test_rows_on_disk_are_those_that_were_yielded(tmp_path, whole):
    made = list(specviz.sweep(tables(), GRID, PROMPTS, SEEDS, out=tmp_path))
    assert list(read_rows(tmp_path)) == made and written(made) == written(whole)
    assert list(specviz.sweep(tables(), GRID, PROMPTS, SEEDS, out=tmp_path)) == []


def test_a_sweep_that_grows_runs_what_is_new(tmp_path, whole):
    smaller = {**GRID, "method": GRID["method"][:1]}
    before = list(specviz.sweep(tables(), smaller, PROMPTS[:2], 2, out=tmp_path))
    after = list(specviz.sweep(tables(), GRID, PROMPTS, SEEDS, out=tmp_path))
    assert (len(before), len(after)) == (4, 23) and written(read_rows(tmp_path)) == written(whole)


@pytest.mark.full
@settings(max_examples=12)
@given(share=st.floats(0, 1))
def test_a_file_cut_off_anywhere_is_completed(tmp_path_factory, whole, share):
    out = tmp_path_factory.mktemp("cut")
    data = "".join(json.dumps(row.flat()) + "\n" for row in whole).encode()
    kept = data[: round(share * len(data))]
    (out / ROWS).write_bytes(kept)
    made = list(specviz.sweep(tables(), GRID, PROMPTS, SEEDS, out=out))
    assert len(made) == len(whole) - kept.count(b"\n")
    assert written(read_rows(out)) == written(whole)


@contextmanager
def files_of_at_most(size: int):
    """A full disk: no file of this process grows beyond ``size`` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_on_a_full_disk_the_rows_before_are_safe(tmp_path, whole):
    rows = specviz.sweep(tables(), GRID, PROMPTS, SEEDS, out=tmp_path)
    told: list[str] = []
    with files_of_at_most(10_000):
        made = []
        try:
            made.extend(iter(lambda: next(rows), None))
        except SpecvizError as error:
            told.append(str(error))
    assert 3 < len(made) < 20 and told == [
        f"{tmp_path / ROWS}: a row cannot be written (File too large); the {len(made)} rows before it are safe, "
        "and the same sweep goes on from there"
    ]
    data = (tmp_path / ROWS).read_bytes()
    assert data.endswith(b"\n") and list(read_rows(tmp_path)) == made
    assert len(list(specviz.sweep(tables(), GRID, PROMPTS, SEEDS, out=tmp_path))) == len(whole) - len(made)
    assert written(read_rows(tmp_path)) == written(whole)


def test_where_a_trace_cannot_be_written_the_rows_before_are_safe_too(tmp_path):
    rows = specviz.sweep(tables(), GRID, PROMPTS[:2], 1, out=tmp_path, traces=True)
    made = [next(rows), next(rows)]
    with files_of_at_most(100), pytest.raises(SpecvizError) as refused:
        next(rows)
    said = "cannot be written (File too large); the 2 rows before it are safe, and the same sweep goes on from there"
    assert said in str(refused.value) and str(tmp_path / "traces") in str(refused.value)
    assert list(read_rows(tmp_path)) == made and len(list((tmp_path / "traces").iterdir())) == 2


def lines(rows) -> list[bytes]:
    return [json.dumps(row.flat()).encode() for row in rows]


def with_value(line: bytes, value: str) -> bytes:
    """The row with this for its seconds."""
    return json.dumps(json.loads(line) | {"wall_seconds": "@"}).replace('"@"', value).encode()


DAMAGED = {
    "line 2 is damaged: it is no row of a sweep": lambda line: line[:50],
    "line 2 is a run that is there already": None,
    "line 2 has no token_ids": lambda line: line.replace(b'"token_ids"', b'"tokens_ids"'),
    "line 2 has 'more', which this version": lambda line: line.replace(b'{"key"', b'{"more": 1, "key"'),
    "line 2 has the key 'ab'": lambda line: json.dumps(json.loads(line) | {"key": "ab"}).encode(),
    "line 2 is no row of a sweep": lambda line: b"[]",
    "line 2 is damaged: wall_seconds: is 1.7e+308, numbers lie": lambda line: with_value(line, "1.7e308"),
    "line 2 is damaged: wall_seconds: is inf, numbers lie": lambda line: with_value(line, "1e999"),
    "line 2 is damaged: wall_seconds: is nan, numbers lie": lambda line: with_value(line, "NaN"),
    "line 2 is damaged: wall_seconds: is 100": lambda line: with_value(line, "1" + "0" * 400),
    "line 2 is damaged: wall_seconds: holds half a character": lambda line: with_value(line, '"\\ud800"'),
}


@pytest.mark.parametrize("message", DAMAGED)
def test_a_damaged_file_is_named_by_line_and_left_alone(tmp_path, whole, message):
    first, second, third, *_ = lines(whole)
    damage = DAMAGED[message]
    data = b"\n".join([first, damage(second) if damage else first, third, third[:40]])
    (tmp_path / ROWS).write_bytes(data)
    with pytest.raises(SpecvizError) as refused:
        list(specviz.sweep(tables(), GRID, PROMPTS, SEEDS, out=tmp_path))
    assert f"{tmp_path / ROWS}: {message}" in str(refused.value)
    assert (tmp_path / ROWS).read_bytes() == data


def test_two_sweeps_do_not_write_to_one_folder(tmp_path):
    with (
        RowLog(tmp_path),
        pytest.raises(SpecvizError, match="rows.jsonl: another sweep is writing to this file"),
        RowLog(tmp_path),
    ):
        pass
    assert list(specviz.sweep(tables(), GRID, PROMPTS[:1], 1, out=tmp_path))  # free again


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SpecvizError, match="rows.jsonl cannot be opened"):
        next(specviz.sweep(tables(), GRID, PROMPTS, SEEDS, out=tmp_path / "file"))
    with pytest.raises(SpecvizError, match="rows.jsonl cannot be read"):
        list(read_rows(tmp_path / "none"))
    with pytest.raises(SpecvizError, match="traces need a folder"):
        specviz.sweep(tables(), GRID, PROMPTS, SEEDS, traces=True)


def test_a_recorded_sweep_has_alpha():
    plain, recorded = (list(specviz.sweep(tables(), GRID, PROMPTS[:1], 1, record=record)) for record in (False, True))
    assert {row.metrics.alpha for row in plain} == {None} and any(row.metrics.alpha for row in recorded)
    assert [row.recorded for row in plain + recorded] == [False] * len(plain) + [True] * len(plain)
    assert [row.token_ids for row in plain] == [row.token_ids for row in recorded]


def test_traces_are_kept_under_their_keys(tmp_path):
    rows = list(specviz.sweep(tables(), GRID, PROMPTS[:1], 2, out=tmp_path, traces=True))
    assert {file.stem for file in (tmp_path / "traces").iterdir()} == {row.key for row in rows}
    for row in rows:
        trace = load_trace(tmp_path / "traces" / f"{row.key}.json")
        assert trace.tokens == row.token_ids and trace.header.recorded and row.recorded


def test_rows_are_made_one_at_a_time():
    endless = specviz.sweep(tables(), GRID, [[i % 5] * (i + 1) for i in range(30)], 10_000)
    assert len(list(islice(endless, 5))) == 5


AUTO = {"method": [{"name": "speculative", "gamma": "auto", "draft": ["model", "2"]}], "max_new_tokens": 8}


def test_the_cost_ratio_of_each_draft_is_measured_once_for_a_sweep(tmp_path, monkeypatch):
    """What gamma="auto" drafts depends on it, so a resumed sweep would otherwise write other tokens."""
    pair = tables(drafts=(specviz.TableLM.random(5, seed=3),))
    rows = specviz.sweep(pair, AUTO, PROMPTS, SEEDS, out=tmp_path)
    begun = [next(rows), next(rows)]
    rows.close()
    known = dict(zip(("model", "2"), (0.125, 7.5), strict=True))
    begun = [replace(row, cost_ratio=known[row.options["draft"]]) for row in begun if row.cost_ratio]
    (tmp_path / ROWS).write_bytes(b"".join(line + b"\n" for line in lines(begun)))
    monkeypatch.setattr(calibration, "median", lambda _: pytest.fail("measured again"))
    rest = list(specviz.sweep(pair, AUTO, PROMPTS, SEEDS, out=tmp_path))
    assert {(row.options["draft"], row.cost_ratio) for row in rest} == set(known.items())


def test_a_check_measures_nothing(monkeypatch):
    """The page checks beside a race."""
    monkeypatch.setattr(calibration, "_measured", lambda *_: pytest.fail("the models ran"))
    pair = tables(drafts=(specviz.TableLM.random(5, seed=3),))
    plan_of(pair, AUTO, PROMPTS)
    assert pair.cost_ratio is None and not pair.further_cost_ratios


@pytest.mark.parametrize("number", [4.0, np.int64(4)])
def test_the_same_number_is_the_same_sweep(number):
    keys = [[task.key for task in plan_of(tables(), GRID, PROMPTS, SEEDS, given)] for given in (4, number)]
    assert keys[0] == keys[1]


class Short(specviz.TableLM):
    """A table that reads 12 tokens at most."""

    context = 12


def test_what_cannot_be_run_is_told_before_the_first_run():
    slim = {"method": [{"name": "autoregressive"}, {"name": "slim"}]}
    with pytest.raises(ModelError, match="^slim: slim needs a pair with prediction heads"):
        specviz.sweep(tables(), slim, PROMPTS)
    clash = {"method": [{"name": "custom", "drafter": "tree", "verifier": "token"}]}
    with pytest.raises(OptionError, match="^custom drafter=tree verifier=token: "):
        specviz.sweep(tables(), clash, PROMPTS)
    with pytest.raises(PromptError, match="^prompt 2: prompt token 5 is outside .*; prompt 3: prompt is empty"):
        specviz.sweep(tables(), GRID, [[0], [5], []])
    with pytest.raises(OptionError, match="3 settings, 40 prompts and 10000 seeds are 1200000 runs"):
        specviz.sweep(tables(), GRID, [[0] * (i + 1) for i in range(40)], 10_000)
    with pytest.raises(OptionError, match="max_new_tokens must be"):
        specviz.sweep(tables(), GRID, PROMPTS, max_new_tokens=0)


def test_prompts_that_are_too_long_are_all_named():
    short = Short.random(5, seed=1)
    pair = specviz.ModelPair(short, specviz.TableLM.random(5, seed=2))
    with pytest.raises(PromptError) as refused:
        specviz.sweep(pair, {**GRID, "method": GRID["method"][1:]}, [[0], [0] * 5, [0], [0] * 6])
    said = str(refused.value)
    assert said.startswith("prompt 2: speculative gamma=2: prompt of 5 tokens is too long: with 6 new tokens")
    assert "; prompt 4: speculative gamma=2: prompt of 6 tokens" in said and "prompt 1" not in said
    with pytest.raises(PromptError, match="^few.jsonl, line 3: prompt 9: speculative: prompt of 6 tokens is too long"):
        one = {"method": [{"name": "speculative"}], "max_new_tokens": 6}
        specviz.sweep(pair, one, [SweepPrompt("9", "", [0] * 6, where="few.jsonl, line 3")])


def test_a_run_that_fails_is_named(tmp_path, monkeypatch):
    from specviz.lab.sweep import running

    run, made = running.Run, []

    def failing(*given, **options):
        made.append(1)
        if len(made) == 9:
            raise ModelError("out of memory on cpu", code="out_of_memory")
        return run(*given, **options)

    monkeypatch.setattr(running, "Run", failing)
    with pytest.raises(ModelError, match=r"^autoregressive, prompt 2, seed 0: out of memory on cpu"):
        list(specviz.sweep(tables(), GRID, PROMPTS, SEEDS, out=tmp_path))
    assert len(list(read_rows(tmp_path))) == 5  # three settings were warmed up


def test_methods_of_ones_own_are_swept_and_resumed(tmp_path):
    grid = {"method": [{"name": STRANGER, "patience": [0.3, 1.0]}, {"name": specviz.methods()["speculative"]}]}
    rows = list(specviz.sweep(tables(), grid, PROMPTS, SEEDS, max_new_tokens=6, out=tmp_path))
    assert list(read_rows(tmp_path)) == rows and len(rows) == 3 * len(PROMPTS) * SEEDS
    assert {row.method for row in rows} == {"stranger", "speculative"}
    for row in rows:
        method = STRANGER if row.method == "stranger" else row.method
        prompt = next(one.prompt for one in as_prompts(PROMPTS) if one.id == row.prompt)
        trace = specviz.decode(tables(), method, prompt, max_new_tokens=6, seed=row.seed, **row.options)
        assert trace.tokens == row.token_ids
    assert list(specviz.sweep(tables(), grid, PROMPTS, SEEDS, max_new_tokens=6, out=tmp_path)) == []
