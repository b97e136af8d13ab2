"""The Lab's answers: cards with their charts, promises, the runs behind a point, files; and refusals."""

import json
from base64 import b64decode
from collections import defaultdict
from dataclasses import replace
from io import BytesIO

import numpy as np
import pyarrow.parquet as pq
import pytest

import specviz
from specviz.lab.cards.card import FOLDER, CardChart, Check, Promise, find_card, load_card
from specviz.lab.cards.points import USUAL, measured
from specviz.lab.cards.recorded import packed, recorded_rows
from specviz.lab.cards.words import shown
from specviz.lab.sweep.prompts import built_in
from specviz.lab.sweep.summary import Estimate
from specviz.ui.island import answering
from specviz.ui.pages.lab import card_calls, load_lab
from specviz.ui.pages.lab_view import card_view, front, sweep_view, theory_points
from tests.lab.cards.test_cards import TEXT

EMPTY = load_lab()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """(rows, the calls of a folder with one card that has them)."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "01-mine.toml").write_text(TEXT, encoding="utf-8")
    card = load_card(folder / "01-mine.toml")
    pair = specviz.ModelPair(specviz.TableLM.random(300, seed=1), specviz.TableLM.random(300, seed=2))
    rows = [replace(row, disturbed=None) for row in specviz.sweep(pair, card.settings, [[0], [1]], 6)]
    rows = [replace(row, prompt=f"tales-{1 + int(row.prompt) % 2}", category="tales") for row in rows]
    (folder / "mine.jsonl.gz").write_bytes(packed(rows))
    return rows, calls_by_name({"mine": card}, folder)


def calls_by_name(*given):
    return {name: answering(call) for name, call in card_calls(*given).items()}


def asked(recorded, name: str, **request):
    return json.loads(recorded[1][name](request))


@pytest.mark.parametrize("dark", [False, True])
def test_a_card_shows_what_its_rows_say(recorded, dark):
    view = asked(recorded, "lab_card", card="mine", dark=dark)
    assert (view["title"], view["paper"], view["columns"]) == ("t", "p", ["perplexity"])
    assert [point["name"] for point in view["points"]] == ["speculative gamma=2", "speculative gamma=4"]
    assert {point["runs"] for point in view["points"]} == {12}
    (figure,) = view["figures"]
    (line,) = figure["figure"]["data"]
    assert (line["x"], line["customdata"]) == ([2, 4], [0, 1])
    value, interval = view["points"][1]["values"][0]
    assert float(value) == pytest.approx(line["y"][1], rel=5e-3) and " to " in interval
    assert f"speculative gamma=4 {value} ({interval})" in figure["words"]
    assert [(promise["verdict"], promise["clear"]) for promise in view["promises"]] == [("holds", True)]
    assert view["seconds"] == pytest.approx(sum(row.wall_seconds for row in recorded[0]))
    assert "24 runs of" in view["made"] and "gamma = [2, 4]" in view["grid"]


def test_a_doubt_of_a_verdict_is_told(recorded):
    rows, _ = recorded
    card = load_lab()["gamma"]
    limit = measured(rows, CardChart("gamma", ("perplexity",)))[1].numbers["perplexity"].median
    check = Check("perplexity", "speculative gamma=4", "at most", limit)
    view = card_view(replace(card, promises=(Promise("likely", "1", (check,)),)), rows, False)
    assert [(one["verdict"], one["clear"]) for one in view["promises"]] == [("holds", False)]


def test_all_promises_are_judged_and_those_without_runs_say_so(recorded):
    told = asked(recorded, "lab_promises")
    assert [(one["card"], one["verdict"]) for one in told["promises"]] == [("mine", "holds")]
    untested = json.loads(calls_by_name(EMPTY, FOLDER / "none")["lab_promises"](None))
    assert {one["verdict"] for one in untested["promises"]} == {"untested"} and untested["made"] == ""
    assert {one["card"] for one in untested["promises"]} == set(EMPTY)


def test_a_card_without_rows_shows_its_words(tmp_path):
    calls = calls_by_name(EMPTY, tmp_path)
    view = json.loads(calls["lab_card"]({"card": "mcsd" if "mcsd" in EMPTY else next(iter(EMPTY))}))
    assert view["points"] == [] and view["say"] and view["promises"]


def test_the_runs_behind_a_point_can_be_made_again(recorded):
    found = asked(recorded, "lab_runs", card="mine", setting="speculative gamma=4")
    assert len(found["rows"]) == 12 and found["columns"] == ["perplexity"] and found["left_out"] == 0
    row = found["rows"][0]
    assert row["text"] in [prompt.prompt for prompt in built_in("tales")] and row["values"][0] != "–"
    own, beside = row["form"]["lanes"]
    assert (own["method"], own["options"]["gamma"], beside["method"]) == ("speculative", 4, "autoregressive")
    assert set(row["form"]["shared"]) == {"temperature", "top_k", "top_p"} and row["form"]["seed"] == 0
    assert row["form"]["max_new_tokens"] == 8
    made = next(one for one in recorded[0] if one.setting == found["name"]).metrics
    assert row["made"] == {
        "tokens": made.tokens,
        "tokens_per_target_call": made.tokens_per_target_call,
        "perplexity": made.perplexity,
    }
    assert row["form"]["pair"] == "fable"
    assert asked(recorded, "lab_runs", card="mine", setting="mtad")["rows"] == []


def test_the_runs_of_a_chat_model_are_made_again_with_it():
    calls = calls_by_name(load_lab())
    for card in (card for card in load_lab().values() if card.pair):
        rows = json.loads(calls["lab_runs"]({"card": card.name, "setting": "autoregressive"}))["rows"]
        assert {(row["form"]["pair"], bool(row["text"])) for row in rows} == {(card.pair, True)}


def test_points_of_theory_have_the_costs_of_their_calls_and_plain_decoding_under_the_same_warp():
    pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
    others = [{"name": "speculative", "draft": "bigram"}, {"name": "mtad"}]
    methods = [{"name": "autoregressive"}, {"name": "speculative", "gamma": [2, 3]}, *others]
    grid = {"method": methods, "shared": {"temperature": [1, 0.5]}, "max_new_tokens": 12}
    card, rows = EMPTY["gamma"], []
    for row in specviz.sweep(pair, grid, [[0], [1]], 2, record=True):
        plain = row.method == "autoregressive"
        times = {"ms_per_target_call": 10.0 if plain else 12.0, "ms_per_draft_call": None if plain else 2.0}
        rows.append(replace(row, disturbed=None, metrics=replace(row.metrics, **times)))
    found = theory_points(card, rows)
    assert [point["name"] for point in found] == [
        f"speculative gamma={gamma} temperature={t}" for t in ("1", "0.5") for gamma in (2, 3)
    ]
    for point in found:
        assert (point["c"], point["v"]) == (pytest.approx(0.2), pytest.approx(1.2)) and point["speed"] > 0
    cold = [row for row in rows if row.method != "autoregressive" or row.options["temperature"] == 1]
    assert [point["name"][-2:] for point in theory_points(card, cold)] == ["=1", "=1"]


def test_rows_are_saved_as_tables(recorded):
    rows, _ = recorded
    saved = asked(recorded, "lab_file", card="mine", format="csv")
    lines = b64decode(saved["base64"]).decode().splitlines()
    assert saved["name"] == "specviz-lab-mine.csv" and len(lines) == 1 + len(rows)
    saved = asked(recorded, "lab_file", card="mine", format="parquet")
    assert pq.read_table(BytesIO(b64decode(saved["base64"]))).num_rows == len(rows)


@pytest.mark.parametrize(
    ("name", "request_", "said"),
    [
        ("lab_card", {"card": "none"}, "There is no card called 'none'."),
        ("lab_card", {"card": ["mine"]}, "There is no card called"),
        ("lab_card", None, "reload the page"),
        ("lab_card", {"card": "mine", "more": 1}, "reload the page"),
        ("lab_runs", {"card": "mine"}, "There is no such setting."),
        ("lab_runs", {"card": "mine", "setting": "x" * 401}, "There is no such setting."),
        ("lab_file", {"card": "mine", "format": "exe"}, "format must be one of csv, parquet"),
        ("lab_figure", {"card": "mine", "key": "beauty"}, "There is no such chart."),
        ("lab_figure", {"card": "none", "key": "perplexity"}, "There is no card called 'none'."),
    ],
)
def test_what_is_asked_wrongly_is_refused_in_a_sentence(recorded, name, request_, said):
    assert said in json.loads(recorded[1][name](request_))["error"]


def test_a_damaged_card_is_left_out_and_the_log_says_so(tmp_path, caplog):
    (tmp_path / "01-good.toml").write_text(TEXT, encoding="utf-8")
    (tmp_path / "02-bad.toml").write_text(TEXT.replace("gamma = [2, 4]", "gamma = 0"), encoding="utf-8")
    assert list(load_lab(tmp_path)) == ["good"]
    assert "02-bad.toml: method 1: gamma" in caplog.text


def test_the_front_is_what_nothing_beats_in_both(recorded):
    rows, _ = recorded
    made = [
        replace(
            row,
            setting=f"speculative gamma={gamma}",
            options=row.options | {"gamma": gamma},
            metrics=replace(row.metrics, tokens=10, seconds=10 / speed, tokens_per_second=speed, perplexity=perplexity),
        )
        for row in rows[:1]
        for gamma, speed, perplexity in ((1, 1.0, 2.0), (2, 2.0, 3.0), (3, 2.0, 3.5), (4, 0.5, 2.0), (5, 2.0, 3.0))
    ]
    chart = CardChart("tokens_per_second", ("perplexity",))
    assert front(measured(made, chart), chart) == {0, 1, 4}
    assert front(measured(made, CardChart("gamma", ("perplexity",))), CardChart("gamma", ("perplexity",))) == set()
    view = sweep_view(made, USUAL, False)
    assert [point["number"] for point in view["points"] if point["best"]] == [0, 1, 4]
    drawn = view["figures"][-1]
    assert (drawn["key"], drawn["label"]) == ("front", "perplexity against speed")
    assert drawn["words"].endswith("both: speculative gamma=1; speculative gamma=2; speculative gamma=5.")
    (marks,) = drawn["figure"]["data"]
    assert (marks["x"], marks["y"]) == ([1, 2, 2, 0.5, 2], pytest.approx([2, 3, 3.5, 2, 3]))
    assert [width > 0 for width in marks["marker"]["line"]["width"]] == [True, True, False, False, True]


@pytest.mark.parametrize(
    ("change", "of", "label"),
    [
        ({}, "", "perplexity against speed"),
        ({"score": 0.5, "score_kind": "exact"}, "", "score against speed"),
        ({"disturbed": "cpu"}, "", "perplexity against tokens per target call"),
        ({"disturbed": "cpu"}, "speculative gamma=4", "perplexity against tokens per target call"),
    ],
)
def test_quality_is_drawn_against_the_speed_that_is_known_of_every_setting(recorded, change, of, label):
    rows = [replace(row, **change) if of in ("", row.setting) else row for row in recorded[0]]
    view = sweep_view(rows, (*USUAL, "score"), False)
    assert view["figures"][-1]["label"] == label


@pytest.mark.full
def test_cards_have_a_front_where_methods_may_differ_in_quality():
    """Lossless ones differ by chance alone; some cards are about other numbers, and some are a front already."""
    fronts = [
        name
        for name, card in EMPTY.items()
        if "front" in {figure["key"] for figure in card_view(card, recorded_rows(card), dark=False)["figures"]}
    ]
    assert fronts == ["lenience", "methods", "tau", "beams", "single-cache", "assistant"]


def test_prompts_of_one_kind_are_looked_at_alone_and_promises_are_about_all():
    card = find_card([*EMPTY.values()], "methods")
    rows = recorded_rows(card)
    sums = [row for row in rows if row.category == "sums"]
    every, own, none = (card_view(card, rows, dark=False, category=name) for name in ("", "sums", "poems"))
    assert own["points"] == card_view(card, sums, dark=False)["points"] != every["points"]
    assert own["figures"] == card_view(card, sums, dark=False)["figures"]
    assert own["promises"] == every["promises"] and own["made"] == every["made"] and none == every
    assert own["categories"] == ["tales", "sums", "queries"] and (own["category"], every["category"]) == ("sums", "")
    calls = calls_by_name(EMPTY)
    asked = {"card": "methods", "category": "sums"}
    assert json.loads(calls["lab_card"](asked)) == json.loads(json.dumps(own))
    runs = json.loads(calls["lab_runs"]({**asked, "setting": "mtad"}))["rows"]
    assert {run["category"] for run in runs} == {"sums"} and len(runs) == own["points"][-1]["runs"]
    assert "no such prompts" in json.loads(calls["lab_card"]({"card": "methods", "category": 3}))["error"]


def test_a_sweep_of_ones_own_gets_a_chart(recorded):
    rows, _ = recorded
    view = sweep_view(rows, ("tokens_per_target_call", "perplexity"), False)
    assert view["columns"] == ["tokens per target call", "perplexity"] and view["promises"] == []
    assert view["figures"][0]["figure"]["data"][0]["type"] == "bar" and "24 runs" in view["made"]


def test_answers_by_rank_are_drawn_rank_by_rank():
    """The card that ships: the likeliest and the least likely of a question's ten answers, looked up row by row."""
    card = find_card([*EMPTY.values()], "ranks")
    rows, seeds = recorded_rows(card), len(card.settings.seeds)
    (figure,) = card_view(card, rows, dark=False)["figures"]
    drawn = [line for line in figure["figure"]["data"] if len(line.get("x", ())) == seeds]
    assert [list(line["x"]) for line in drawn] == [list(range(1, seeds + 1))]
    by_question = defaultdict(list)
    for row in rows:
        by_question[row.prompt].append((row.metrics.perplexity, row.score))
    for end in (0, -1):
        scores = [sorted(own)[end][1] for own in by_question.values()]
        assert drawn[0]["y"][end] == pytest.approx(np.mean(scores), abs=1e-5)  # five digits are drawn
        assert shown("score", Estimate(float(np.mean(scores)), None, None, 1, 1))[0] in figure["words"]
    assert f"rank {seeds}: score" in figure["words"] and set(drawn[0]["customdata"]) == {0}
