"""Tokens are visible, whole and harmless; numbers never hide what a sentence compares."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specviz.facts.tokens import count, joined, label, markup, number, pair, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "∅"),
        (" a b\n", "·a·b↵"),
        ("\t\r", "⇥␍"),
        ("\ufffd", "▯"),
        ("\u202eabc", "⟨U+202E⟩abc"),
        ("\x00", "⟨U+0000⟩"),
        ("\u0301", "◌\u0301"),
        ("🙂", "🙂"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("\u200d", "⟨U+200D⟩"),
        ("שלום", "\u2068שלום\u2069"),
        ("می\u200cخواهم", "\u2068می\u200cخواهم\u2069"),  # a joiner that ordinary Persian is written with
        ("\u0e31", "◌\u0e31"),  # a vowel sign above a letter of Thai
        ("\ufe0f", "◌\ufe0f"),
    ],
)
def test_visible(text, shown):
    assert visible(text) == shown


def test_long_tokens_are_cut():
    assert visible("abcdefgh", 4) == "abc…"
    assert visible("שלום שלום", 4) == "\u2068שלו…\u2069"  # the isolate is closed all the same


@pytest.mark.parametrize(
    ("text", "shown"),
    [("ae\u0301bc", "a…"), ("a👩\u200d👧bc", "a…"), ("ab👍🏽c", "ab…")],
    ids=["mark", "joiner", "skin"],
)
def test_nothing_is_cut_within_what_a_reader_sees_as_a_character(text, shown):
    assert visible(text, 3 if shown == "a…" else 4) == shown


@pytest.mark.parametrize(
    ("pieces", "limit", "shown"),
    [
        (["של", "ום", " עולם"], 40, "\u2068שלום·עולם\u2069"),  # one text, which is read from right to left
        (["GPT", " של"], 40, "\u2068GPT·של\u2069"),
        (["e", "\u0301", "t"], 40, "e\u0301t"),
        (["👩", "\u200d", "👧"], 40, "👩\u200d👧"),
        (["ab", "e", "\u0301", "t"], 3, "…t"),
        (["a", "👩\u200d", "👧", "b"], 4, "…b"),
        (["שלום", " עולם"], 4, "\u2068…ולם\u2069"),
        (["", "a", None], 40, "∅a#2"),
        ([], 40, ""),
    ],
)
def test_several_tokens_are_one_text(pieces, limit, shown):
    vocabulary = {token: piece for token, piece in enumerate(pieces) if piece is not None}
    assert joined(vocabulary, range(len(pieces)), limit) == shown


@given(st.text(max_size=12))
def test_visible_text_has_no_white_space_or_control_character(text):
    assert visible(text).isprintable() or any(mark in visible(text) for mark in "\u200c\u200d\ufe0f\ufe0e\u2068\u2069")
    assert not any(character.isspace() for character in visible(text))


def test_label_of_an_unknown_id():
    assert label({}, 17) == "#17"


def test_markup_leaves_no_tag():
    assert markup('<s>&"') == '&lt;s&gt;&amp;"'


def test_numbers():
    values = (0, 1, 0.5, 0.604, 0.0034, 0.9996, 1e-7, -2.3026, 12.0)
    shown = ["0", "1", "0.50", "0.60", "0.0034", "0.9996", "1.0e-07", "-2.30", "12"]
    assert [number(value) for value in values] == shown


@given(st.floats(0, 1), st.floats(0, 1))
def test_compared_numbers_are_told_apart(first, second):
    one, other = pair(first, second)
    assert (one == other) == (first == second) or abs(first - second) < 1e-9


def test_count():
    assert count(1, "token") == "1 token"
    assert count(1200, "row") == "1,200 rows"
