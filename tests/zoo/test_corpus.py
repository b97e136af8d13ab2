"""Reading the corpus: what becomes a document, what is held out, what is refused."""

import re
import shutil

import pytest

from specviz.zoo.corpus import DOMAINS, CorpusError, load_corpus, sum_text
from specviz.zoo.sql.renaming import words_for_names
from specviz.zoo.sql.schema_words import plural_of


def test_a_problem_becomes_a_plain_prompt_and_answer():
    text = sum_text(" How many? ", "Two and two is <<2+2=4>>4.\n#### 1,004 ")
    assert text == "Question: How many?\nAnswer: Two and two is 4.\nThe answer is 1,004.\n"
    assert text.startswith("Question: How many?\nAnswer:")


def test_books_schemas_and_problems_are_held_out(corpus, corpus_directory):
    held_out = (corpus_directory / "tales" / "ozma-of-oz.txt").read_text(encoding="utf-8")
    assert corpus.held_out["tales"] == [held_out] and held_out not in corpus.training["tales"]
    assert len(corpus.training["tales"]) == 2
    assert (len(corpus.training["sums"]), len(corpus.held_out["sums"])) == (60, 30)
    assert len(corpus.training["queries"]) == 200
    for domain in DOMAINS:
        assert not set(corpus.training[domain]) & set(corpus.held_out[domain]) or domain == "sums"


def test_a_third_of_the_queries_keeps_the_generators_names(corpus):
    told = set(words_for_names(corpus.training["tales"]))
    shares = []
    for part in (corpus.training["queries"][:66], corpus.training["queries"][66:]):
        tables = [name for text in part for name in re.findall(r"^Table (\w+):", text, re.MULTILINE)]
        shares.append(sum(any(plural_of(word) in name for word in told) for name in tables) / len(tables))
    assert shares[0] < 0.3 and shares[1] == 1


def test_the_same_seed_gives_the_same_queries(corpus_directory, corpus):
    assert load_corpus(corpus_directory, query_count=200).training == corpus.training
    assert load_corpus(corpus_directory, query_count=200, seed=1).training["queries"] != corpus.training["queries"]


@pytest.mark.parametrize("missing", ["tales", "gsm8k/train.jsonl", "gsm8k/test.jsonl"])
def test_a_missing_part_is_named(corpus_directory, tmp_path, missing):
    broken = tmp_path / "corpus"
    shutil.copytree(corpus_directory, broken)
    shutil.rmtree(broken / missing) if missing == "tales" else (broken / missing).unlink()
    with pytest.raises(CorpusError, match=missing) as error:
        load_corpus(broken)
    assert str(broken) in str(error.value)
