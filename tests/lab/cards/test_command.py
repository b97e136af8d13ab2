"""``python -m specviz lab``: which rows it packs, and what its table says."""

from argparse import Namespace
from dataclasses import replace

import pytest

import specviz
from specviz.__main__ import main
from specviz.commands import lab
from specviz.commands.lab import made_rows, promises_table
from specviz.lab.cards.card import FOLDER, Card, load_card, load_cards
from specviz.lab.cards.page import PAGE, SAID, judged_card, promises_page
from specviz.lab.cards.promises import Checked, Judged
from specviz.lab.cards.recorded import packed
from specviz.lab.sweep.summary import Estimate
from tests.lab.cards.test_cards import TEXT
from tests.printing import printed
from tests.tiny_pair import write_pair


@pytest.fixture
def card(tmp_path) -> Card:
    (tmp_path / "card.toml").write_text(TEXT, encoding="utf-8")
    return replace(load_card(tmp_path / "card.toml"), prompts=("tales",))


@pytest.mark.full
def test_what_is_packed_is_of_todays_models_and_grid(card, tmp_path):
    """A work folder may hold rows of models trained since, and of a grid that has changed since."""
    target, draft = map(str, write_pair(tmp_path))
    older, pair = specviz.load_pair(target, target), specviz.load_pair(target, draft)
    assert len(made_rows(card, older, tmp_path / "work")) == 48
    before = made_rows(card, pair, tmp_path / "work")
    assert len(before) == 48 and {row.models["draft"]["fingerprint"] for row in before} == {pair.draft.fingerprint}
    # gamma=4 stays, with a name that says the temperature; gamma=2 goes, gamma=4 temperature=0 comes
    changed = {"method": [{"name": "speculative", "gamma": 4}], "shared": {"temperature": [1, 0]}, "max_new_tokens": 8}
    after = made_rows(replace(card, grid=changed), pair, tmp_path / "work")
    names = {row.key: row.setting for row in after}
    assert len(after) == 48 and set(names.values()) == {f"speculative gamma=4 temperature={t}" for t in (0, 1)}
    kept = [row for row in before if row.setting == "speculative gamma=4"]
    assert len(kept) == 24 and {names[row.key] for row in kept} == {"speculative gamma=4 temperature=1"}
    assert len(list((tmp_path / "work/rows.jsonl").read_bytes().splitlines())) == 48 + 48 + 24
    (tmp_path / "card.jsonl.gz").write_bytes(packed(before))
    (one,) = judged_card(card, tmp_path)
    assert one.verdict == "holds" and one.checks[0].found.rounds == 6


def test_what_a_pair_lacks_the_parts_for_is_left_out_and_said(card, tmp_path, capsys):
    grid = {"method": [{"name": "speculative", "gamma": 4, "draft": ["model", "2"]}, {"name": "bpd"}]}
    lacking = replace(card, grid=grid | {"max_new_tokens": 4})
    pair = specviz.load_pair(*map(str, write_pair(tmp_path)))
    rows = made_rows(lacking, pair, tmp_path / "work")
    assert {row.setting for row in rows} == {"speculative gamma=4 draft=model"}
    said = capsys.readouterr().err
    assert "speculative gamma=4 draft=2 is not run: " in said and "bpd is not run: " in said
    alone = replace(card, grid={"method": [{"name": "bpd"}], "max_new_tokens": 4})
    assert made_rows(alone, pair, tmp_path / "none") == []


def test_cards_of_a_model_that_is_not_here_are_not_run_and_said(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SPECVIZ_HOME", str(tmp_path))
    assert main(["lab", "assistant", "summaries", "--work", str(tmp_path / "work")]) == 0
    said = capsys.readouterr()
    assert "assistant, summaries: not run: smollm2 is not here: specviz models get smollm2" in said.err
    assert "summaries" in said.out and not (tmp_path / "work").exists()


def test_each_card_is_run_with_its_own_pair(card, tmp_path, monkeypatch):
    loaded = []
    monkeypatch.setattr(lab, "pair_of", lambda given: loaded.append(given.target) or given.target)
    monkeypatch.setattr(lab, "is_whole", lambda *_: True)
    cards = [card, replace(card, name="chat", pair="smollm2"), replace(card, name="more")]
    alone = Namespace(target=None, draft=None, dtype="auto")
    own = [(one.name, pair) for one, pair in lab._with_pairs(cards, alone)]
    assert own == [("card", None), ("more", None), ("chat", "smollm2")] and loaded == [None, "smollm2"]
    named = [(one.name, pair) for one, pair in lab._with_pairs(cards, Namespace(target="mine", draft=None))]
    assert named == [("card", "mine"), ("chat", "mine"), ("more", "mine")]


def test_the_table_says_where_a_verdict_is_not_sure(card):
    (promise,) = card.promises
    (check,) = promise.checks
    clear, unsure = (Checked(check, Estimate(1.5, low, 2.0, 6, 2), True, low >= 1) for low in (1.2, 0.9))
    for checked, said in ((clear, "holds"), (unsure, "holds, not sure")):
        table = promises_table([(card, [Judged(promise, "holds", "", (checked,))])])
        assert f"\u2502 {said} " in printed(table)


def test_the_page_of_promises_is_that_of_the_rows_that_ship():
    page = (FOLDER / PAGE).read_text(encoding="utf-8")
    assert page == promises_page(load_cards()) + "\n"
    promises = [(card.name, promise.says) for card in load_cards() for promise in card.promises]
    assert all(f"| {card} | {says} |" in page.replace("\\|", "|") for card, says in promises)
    counts = [int(line.rpartition(" ")[2]) for line in page.splitlines() if line.startswith("## ")]
    assert sum(counts) == len(promises) and len(counts) <= len(SAID)
