"""The tokenizer: any text survives it, digits stand alone, and the files load anywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer

from specviz.zoo.vocabulary import CONTEXT, END_ID, END_OF_TEXT

TEXTS = {
    "emoji": "a fox 🦊 and a family 👨‍👩‍👧‍👦, thumbs 👍🏽",
    "right to left": "שלום עולם, مرحبا بالعالم",
    "code": "def f(x):\n\treturn {'a': [x ** 2, 0x1F]}  # 100%\n",
    "white space": "  two\n\n\n   three \t\r\n ",
    "combining": "é ≠ é, Zürich, Ångström, 漢字",
    "markup": "<img onerror=alert(1)> ${alert(1)} <s>",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_text_survives_the_round_trip(tokenizer, text):
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


@given(text=st.text())
def test_any_text_survives_the_round_trip(tokenizer, text):
    if END_OF_TEXT not in text:
        assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


def test_digits_are_tokens_of_their_own(tokenizer):
    """Even those of 1871, which the corpus has often enough to make it one token."""
    ids = tokenizer("In the year 1871, 2026 and 314159")["input_ids"]
    pieces = [tokenizer.decode([token]).strip() for token in ids]
    assert [piece for piece in pieces if any(c.isdigit() for c in piece)] == list("18712026314159")


def test_special_token_and_size(tokenizer):
    assert tokenizer.convert_tokens_to_ids(END_OF_TEXT) == END_ID == tokenizer.eos_token_id == tokenizer.pad_token_id
    assert len(tokenizer) == 600 and tokenizer.model_max_length == CONTEXT
    assert END_ID not in tokenizer("plain text")["input_ids"], "no start token is added to what a user types"


def test_the_saved_tokenizer_is_the_same(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    again = AutoTokenizer.from_pretrained(tmp_path)
    for text in TEXTS.values():
        assert again(text)["input_ids"] == tokenizer(text)["input_ids"]
