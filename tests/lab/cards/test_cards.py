"""Cards: what ships is sound, what is damaged is named; promises judged on rows made by hand; rows packed and read."""

import gzip
import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

import specviz
from specviz.errors import SpecvizError
from specviz.lab.cards.card import FOLDER, Card, CardChart, Check, Promise, find_card, load_card, load_cards
from specviz.lab.cards.points import chart_of, measured
from specviz.lab.cards.promises import judged, numbers_needed
from specviz.lab.cards.recorded import packed, recorded_rows
from specviz.lab.cards.words import check_words, shown, verdict_words
from specviz.lab.sweep.grid import as_grid
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.summary import Estimate, grouped

CARDS = load_cards()
TEXT = """
title = "t"
paper = "p"
asks = "a"
say = "s"
[grid]
max_new_tokens = 8
[[grid.method]]
name = "speculative"
gamma = [2, 4]
[chart]
x = "gamma"
y = ["perplexity"]
[[promises]]
says = "more"
number = "2"
checks = [{ metric = "tokens_per_target_call", of = "speculative gamma=4", sense = "at least", limit = 1 }]
"""


TWO = '["speculative gamma=2", "speculative gamma=4"]'


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    pair = specviz.ModelPair(specviz.TableLM.random(5, seed=1), specviz.TableLM.random(5, seed=2))
    grid = {"method": [{"name": "autoregressive"}, {"name": "speculative", "gamma": [2, 4]}]}
    found = specviz.sweep(pair, grid, [[0], [1]], 6, max_new_tokens=8)
    return [replace(row, disturbed=None) for row in found]


def paced(rows: list[Row], **seconds: tuple[float, ...]) -> list[Row]:
    """The rows with tokens per second as wanted: for each method those of its seeds."""
    changed = []
    for row in rows:
        pace = seconds[row.method][row.seed]
        metrics = replace(row.metrics, tokens=8, seconds=8 / pace, tokens_per_second=pace)
        changed.append(replace(row, metrics=metrics))
    return changed


def card(*checks: Check, untestable: str = "") -> Card:
    promise = Promise("says", "number", checks, untestable)
    return Card(
        "name", "t", "p", "a", "s", {"method": [{"name": "autoregressive"}]}, CardChart("setting", ()), (promise,)
    )


def verdict(rows: list[Row], *checks: Check, untestable: str = ""):
    made = card(*checks, untestable=untestable)
    (found,) = judged(made, grouped(rows, numbers_needed(made)))
    return found


@pytest.mark.parametrize("one", CARDS, ids=lambda card: card.name)
def test_what_ships_is_sound_and_its_grid_is_what_is_run(one):
    assert as_grid(tomllib.loads(one.file)) == one.settings
    assert one.promises and all(promise.checks or promise.untestable for promise in one.promises)
    assert len(one.settings.seeds) >= 6 and find_card(CARDS, one.name) is one


CHECKS = [(one.says, check.limit) for card in CARDS for one in card.promises for check in one.checks]


@pytest.mark.parametrize(("says", "limit"), [(says, limit) for says, limit in dict.fromkeys(CHECKS) if limit != 1])
def test_a_limit_stands_in_the_words_of_its_promise(says, limit):
    """As it is, as "times less", as a difference in per cent, or in points."""
    less, points = f"{1 / limit:.2f} times less", f"{100 * limit:.3g} points"
    forms = [f"{limit:g}".removeprefix("0"), less, f"{abs(100 * (1 - limit)):.3g} %", points]
    assert any(form in says.replace("two", "2") for form in forms)


def test_the_tests_that_cards_name_are_there():
    said = "".join(one.says + one.untestable for card in CARDS for one in card.promises)
    named = set(re.findall(r"tests/\S+\.py", said))
    assert len(named) >= 4 and all((FOLDER.parents[1] / file).exists() for file in named)


def test_a_card_that_is_not_there_is_named():
    with pytest.raises(SpecvizError, match="card must be one of draft, .* got 'cart'"):
        find_card(CARDS, "cart")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "t"', "", "title: "),
        ('title = "t"', 'title = "t"\nextra = 1', "extra: "),
        ('title = "t"', 'title = "t"\npair = "gpt"', "pair must be one of smollm2, got 'gpt'"),
        ("gamma = [2, 4]", "gamma = [0]", "method 1: gamma must be"),
        ('"perplexity"', '"beauty"', "chart.y: 'beauty' is none of the numbers"),
        ('x = "gamma"', 'x = "beams"', "chart.x: 'beams' is none of"),
        ("gamma=4", "gamma=5", "promises.0: no setting is 'speculative gamma=5'; there are: speculative gamma=2; "),
        ("tokens_per_target_call", "beauty", "promises.0: 'beauty' is none"),
        ("checks = [", 'untestable = "why"\nchecks = [', "promises.0 must have either checks, or untestable"),
        ("at least", "about", "promises.0.checks.0.sense: "),
        ("[chart]", "[chart", "Expected"),
        ("limit = 1", 'limit = 1, at = "perplexity"', "promises.0: at goes with two settings or more in to"),
        ("limit = 1", f"limit = 1, to = {TWO}", "promises.0: at goes with two settings or more in to"),
        ("limit = 1", f'limit = 1, at = "beauty", to = {TWO}', "promises.0: 'beauty' is none of the numbers"),
        ("limit = 1", f'limit = 1, at = "tokens", to = {TWO}', "promises.0: at must be a number of which more or less"),
    ],
)
def test_a_damaged_card_is_refused_by_file_and_field(tmp_path, old, new, said):
    assert TEXT.count(old)
    file = tmp_path / "01-mine.toml"
    file.write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(SpecvizError) as refused:
        load_card(file)
    assert str(refused.value).startswith("01-mine.toml: ") and said in str(refused.value)
    file.write_text(TEXT, encoding="utf-8")
    assert load_card(file).name == "mine"


def test_names_and_sizes_of_files(tmp_path):
    for name, text, said in (("Mine.toml", TEXT, "no name of a card"), ("mine.toml", "#" * 64_001, "64000 bytes")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(SpecvizError, match=said):
            load_card(tmp_path / name)
    with pytest.raises(SpecvizError, match="cannot be read"):
        load_card(tmp_path / "none.toml")


def test_a_promise_holds_fails_or_cannot_be_tested(rows):
    quick = paced(rows, autoregressive=(1.0,) * 6, speculative=(2.0, 2.1, 2.2, 2.3, 2.4, 2.5))
    faster = Check("tokens_per_second", "speculative gamma=4", "at least", 2.0, to="autoregressive")
    found = verdict(quick, faster)
    assert (found.verdict, found.clear) == ("holds", True) and found.checks[0].found.median == pytest.approx(2.25)
    assert (found.said, verdict_words(found)) == ("holds", "It holds here.")
    found = verdict(quick, faster, replace(faster, limit=3.0))
    assert (found.said, found.clear) == ("does not hold here", True)
    found = verdict(quick, replace(faster, limit=2.3))
    assert (found.said, found.clear) == ("does not hold here, not sure", False)
    assert "other prompts and seeds might" in verdict_words(found)
    assert verdict(quick, replace(faster, limit=2.2)).said == "holds, not sure"
    slower = Check("tokens_per_second", "autoregressive", "at most", 0.5, to="speculative gamma=4")
    assert verdict(quick, slower).verdict == "holds"
    either = ("speculative gamma=2", "speculative gamma=4")
    equal = Check("tokens_per_second", "speculative gamma=4", "at least", 0.5, to=either, at="tokens_per_target_call")
    found = verdict(quick, equal)
    same = ", on the line between them where their tokens per target call is the same"
    words = f"speed of speculative gamma=4 over that of {', '.join(either)}{same}"
    assert found.checks[0].found.median == pytest.approx(1.0)  # it is one of those it is held against
    assert found.verdict == "holds" and check_words(found.checks[0]).endswith(words)
    assert verdict(quick, replace(equal, to=("speculative gamma=2", "beam"))).because == "there is no run of beam"
    assert verdict(quick, replace(slower, limit=0.4)).verdict == "does not hold here"
    assert verdict(quick, Check("tokens_per_second", "autoregressive", "at least", 1.0)).verdict == "holds"
    for found, why in (
        (verdict(quick, untestable="no machine"), "no machine"),
        (verdict(quick, replace(faster, to="mtad")), "there is no run of mtad"),
    ):
        assert found.said == "cannot be tested here" and why in found.because and why in verdict_words(found)


def test_a_promise_about_energy_says_whether_it_was_counted(rows):
    thrifty = Check("joules_per_token", "speculative gamma=4", "at most", 0.5, to="autoregressive")
    for joules, disturbed, why in (
        (None, None, "the machine that ran this has no energy counter that may be read"),
        (2.0, "call_slowdown", "there is no energy per token of undisturbed runs"),
    ):
        metrics = [replace(row.metrics, joules_per_token=joules) for row in rows]
        made = [replace(row, disturbed=disturbed, metrics=of) for row, of in zip(rows, metrics, strict=True)]
        found = verdict(made, thrifty)
        assert (found.verdict, found.because) == ("cannot be tested here", why)


def test_a_ratio_to_no_right_answer_cannot_be_tested(rows):
    def scored(plain: float, other: float):
        return [
            replace(row, score=plain if row.method == "autoregressive" else other, score_kind="exact") for row in rows
        ]

    better = Check("score", "speculative gamma=4", "at least", 1.0, to="autoregressive")
    for found in (verdict(scored(0.0, 1.0), better), verdict(scored(0.0, 0.0), better)):
        assert found.said == "cannot be tested here" and "the score of autoregressive is 0" in verdict_words(found)
    assert verdict(scored(1.0, 0.0), better).said == "does not hold here"


def test_runs_beside_other_programs_say_nothing_of_speed(rows):
    quick = paced(rows, autoregressive=(1.0,) * 6, speculative=(2.0,) * 6)
    late = [replace(row, disturbed="call_slowdown") if row.seed < 5 else row for row in quick]
    faster = Check("tokens_per_second", "speculative gamma=4", "at least", 2.0, to="autoregressive")
    found = verdict(late, faster)
    assert (found.verdict, found.clear, found.checks[0].found.rounds) == ("holds", False, 1)
    assert "too few undisturbed runs" in verdict_words(found)
    gone = verdict([replace(row, disturbed="call_slowdown") for row in quick], faster)
    assert gone.verdict == "cannot be tested here"


def test_words_have_the_numbers(rows):
    quick = paced(rows, autoregressive=(1.0,) * 6, speculative=(2.0,) * 6)
    (one,) = verdict(quick, Check("tokens_per_second", "speculative gamma=4", "at least", 2.5, "autoregressive")).checks
    said = "✗ 2 (2 to 2), at least 2.50 was said: speed of speculative gamma=4 over that of autoregressive"
    assert check_words(one) == said
    assert shown("flops_per_token", Estimate(2.5e6, 9e5, 3e6, 6, 2)) == ("2.50 MFLOP", "900 kFLOP to 3.00 MFLOP")
    assert shown("tokens_per_second", Estimate(50.0, 40.0, 60.0, 6, 2)) == ("50.0 tokens/s", "40.0 to 60.0")
    assert shown("perplexity", Estimate(None, None, None, 0, 0)) == ("–", "")
    assert shown("perplexity", Estimate(2.0, None, None, 1, 1)) == ("2.00", "")


def test_points_stand_along_the_chart_and_others_across(rows):
    found = measured(rows, CardChart("gamma", ("perplexity",)))
    assert [(one.setting, one.line, one.at) for one in found] == [
        ("autoregressive", "autoregressive", None),
        ("speculative gamma=2", "speculative", 2),
        ("speculative gamma=4", "speculative", 4),
    ]
    assert [one.line for one in measured(rows, CardChart("tokens_per_second", ("perplexity",)))] == [
        "autoregressive",
        "speculative",
        "speculative",
    ]
    assert chart_of(grouped(rows, [])).x == "setting"
    more = rows + [replace(rows[-1], options=rows[-1].options | {"gamma": 7})]
    assert chart_of(grouped(more, [])).x == "gamma"


def test_theory_of_a_run_is_that_of_equation_1():
    same = specviz.TableLM.random(5, seed=1)
    pair = specviz.ModelPair(same, same)
    from specviz.lab.sweep.numbers import NUMBERS
    from specviz.lab.sweep.running import plan_of, run_plan

    grid = {"method": [{"name": "speculative", "gamma": 3}, {"name": "autoregressive"}], "max_new_tokens": 40}
    rows = list(run_plan(plan_of(pair, grid, [[0]], 1), recorded=True))
    tokens, expected = NUMBERS["tokens_over_expected"].parts(rows[0])
    assert (tokens, expected) == (40, pytest.approx(4 * rows[0].metrics.target_calls))  # alpha is 1
    assert NUMBERS["tokens_over_expected"].parts(rows[1]) == (0.0, 0.0)
    assert rows[0].recorded
    # 10 iterations of 4 tokens, each 3 draft calls of 1 ms and a target call of 5: theory expects 4 tokens in 8 ms
    times = {"seconds": 0.1, "ms_per_target_call": 5.0, "ms_per_draft_call": 1.0, "target_calls": 10, "draft_calls": 30}
    timed = replace(rows[0], metrics=replace(rows[0].metrics, **times))
    speed, theory = NUMBERS["speed_over_expected"].parts(timed)
    assert speed / theory == pytest.approx((40 / 0.1) / (4 / 0.008)) and NUMBERS["speed_over_expected"].timed
    assert NUMBERS["speed_over_expected"].parts(rows[1]) == (0.0, 0.0)


def test_rows_are_packed_without_texts_and_read_again(rows, tmp_path):
    one = card()
    assert recorded_rows(one, tmp_path) == ()
    (tmp_path / "name.jsonl.gz").write_bytes(packed(rows))
    assert packed(rows) == packed(rows)
    found = recorded_rows(one, tmp_path)
    assert [row.key for row in found] == [row.key for row in rows]
    assert found == tuple(replace(row, token_ids=(), text="", parts={}) for row in rows)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no gzip", "cannot be read"),
        (gzip.compress(b"{}\n"), "line 1 has no "),
        (gzip.compress(b"[" * 100_000), "line 1 is damaged: it is no row"),
        (gzip.compress(b"nothing\n"), "line 1 is damaged: it is no row"),
        (gzip.compress(b"x" * 1000)[:-12], "cannot be read"),
    ],
    ids=["no gzip", "no fields", "nested", "no JSON", "cut off"],  # gzip writes the time into its bytes
)
def test_damaged_rows_are_named_by_file_and_line(tmp_path, content, said):
    Path(tmp_path / "name.jsonl.gz").write_bytes(content)
    with pytest.raises(SpecvizError, match=r"name\.jsonl\.gz") as refused:
        recorded_rows(card(), tmp_path)
    assert said in str(refused.value)


def test_a_row_with_a_field_of_another_kind_is_named(rows, tmp_path):
    flat = rows[0].flat() | {"options": []}
    (tmp_path / "name.jsonl.gz").write_bytes(gzip.compress(json.dumps(flat).encode()))
    with pytest.raises(SpecvizError, match="line 1 is damaged: it is no row of a sweep"):
        recorded_rows(card(), tmp_path)


def test_a_row_that_another_version_wrote_is_named(rows, tmp_path):
    flat = replace(rows[0], text="").flat() | {"later": 1}
    (tmp_path / "name.jsonl.gz").write_bytes(gzip.compress(json.dumps(flat).encode()))
    with pytest.raises(SpecvizError, match="line 1 has 'later'"):
        recorded_rows(card(), tmp_path)


def test_a_promise_about_ranks_is_judged_by_them(rows):
    check = Check("score", "autoregressive", "at least", 0.4, rank=1, to_rank=6)
    card = replace(CARDS[0], promises=(Promise("likelier is better", "2", (check,)),))
    assert numbers_needed(card) == ("score", "perplexity")

    def verdict(likely: float, unlikely: float):
        scored = [
            replace(
                row,
                score=likely if row.seed == 0 else unlikely,
                score_kind="exact",
                metrics=replace(row.metrics, perplexity=1.0 + row.seed),
            )
            for row in rows
            if row.method == "autoregressive"
        ]
        (found,) = judged(card, grouped(scored, numbers_needed(card)))
        return found

    assert verdict(1.0, 0.5).verdict == "holds" and verdict(0.5, 0.5).verdict == "does not hold here"
    assert check_words(verdict(1.0, 0.5).checks[0]) == (
        "✓ 0.50 (0.50 to 0.50), at least 0.40 was said: score of autoregressive, rank 1 by perplexity minus rank 6"
    )


def test_a_chart_by_rank_is_of_scores(tmp_path):
    (tmp_path / "card.toml").write_text(TEXT.replace('x = "gamma"', 'x = "rank"'))
    with pytest.raises(SpecvizError, match="chart.y must be score alone where x is rank"):
        load_card(tmp_path / "card.toml")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("rank = 1", "rank and to_rank go together"),
        ("rank = 1, to_rank = 7", "ranks are 1 to 6, the number of seeds, got 7"),
        ("rank = 0, to_rank = 2", "ranks are 1 to 6, the number of seeds, got 0"),
        ('rank = 1, to_rank = 2, to = "speculative gamma=2"', "rank and to_rank go together"),
    ],
)
def test_ranks_that_make_no_sense_are_named(tmp_path, more, said):
    checks = f'checks = [{{ metric = "score", of = "speculative gamma=4", sense = "at least", limit = 1, {more} }}]'
    (tmp_path / "card.toml").write_text(TEXT[: TEXT.index("checks")] + checks)
    with pytest.raises(SpecvizError, match=said):
        load_card(tmp_path / "card.toml")
