"""Scores: what each kind counts as right, and that nothing after an end token is scored."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import specviz
from specviz.errors import SpecvizError
from specviz.lab.quality.reference import DatabaseTable, Reference, score
from specviz.lab.quality.sets import unseen_queries
from specviz.lab.sweep.prompts import SweepPrompt
from specviz.zoo.sql.task import examples, execution_match
from tests.tiny_pair import byte_tokenizer

BOOKS = DatabaseTable("books", ("title", "pages"), (("Emma", 400), ("Heidi", 300), ("Kim", 300), ("Dune", None)))
SHORT = replace(BOOKS, rows=(("Emma", 400), ("Zoo", 20)))
THICK = Reference("execution", "SELECT title FROM books WHERE pages > 100;", ((BOOKS,), (SHORT,)))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (" SELECT title FROM books WHERE pages > 100;", 1),
        ("\n\n SELECT title FROM books WHERE 100 < pages\nTable x: y", 1),  # the first line alone
        ("SELECT title FROM books WHERE pages >= 21 ORDER BY pages", 1),  # in any order, where the answer has none
        ("SELECT title FROM books WHERE pages > 10", 0),  # the second database tells them apart
        ("SELECT title FROM books WHERE pages > 100; SELECT 1", 0),
        ("SELECT title, pages FROM books WHERE pages > 100", 0),
        ("The query is SELECT title FROM books WHERE pages > 100", 0),
        ("SELECT titel FROM books", 0),
        ("DELETE FROM books", 0),
        ("SELECT load_extension('x')", 0),
        ("", 0),
        ("SELECT '\ud800'", 0),
    ],
)
def test_execution_compares_rows_on_every_database(text, right):
    assert score(THICK, text) == right


def test_the_order_counts_where_the_answer_says_one():
    ordered = replace(THICK, answer="SELECT title FROM books order  by title")
    assert score(ordered, "SELECT title FROM books ORDER BY 1") == 1
    assert score(ordered, "SELECT title FROM books ORDER BY 1 DESC") == 0


def test_a_column_has_the_type_of_its_values():
    years = DatabaseTable("b", ("year", "price", "mixed"), ((1999, 1.5, 1), (None, 2.0, "1")))
    answer = Reference("execution", "SELECT 1 FROM b WHERE year = '1999' AND price = '1.5'", ((years,),))
    assert score(answer, "SELECT 1") == 1
    kinds = Reference("execution", "SELECT typeof(mixed) FROM b", ((years,),))
    assert score(kinds, "SELECT CASE price WHEN 1.5 THEN 'integer' ELSE 'text' END FROM b") == 1


def test_execution_says_what_the_report_says():
    asked = list(unseen_queries(12))
    for question, example in zip(asked, examples(20_260, 12, "held_out"), strict=True):
        for other in asked:
            said = other.reference.answer
            assert score(question.reference, said) == execution_match(example, said)


@pytest.mark.parametrize(
    ("answer", "text", "right"),
    [
        ("18", " 9 * 2 = 18.\nThe answer is 18.\n", 1),
        ("18", "The answer is $18.00", 1),
        ("18", "The answer is 18 eggs. The answer is 7.", 0),  # two numbers on its line: no number
        ("18", "The answer is 18 eggs.\nThe answer is 7.", 1),  # the first
        ("18", "The answer is 7.\n18", 0),
        ("18", "The answer is 6 * 3", 0),
        ("18", "9 eggs and 9 more make 18.", 1),  # the last number, where none is stated
        ("18", "18 eggs, or 3 boxes", 0),
        ("1200", "The answer is 1,200.", 1),
        ("1,200", "so it is $1200", 1),
        ("-5", "The answer is -5.", 1),
        ("5", "The answer is -5.", 0),
        ("5", "that is 10-5", 1),
        ("0.5", "The answer is .5", 1),
        ("18", "The answer is eighteen.", 0),
        ("18", "", 0),
        ("blue", "The answer is blue.", 1),
        ("blue", "The answer is Blue.", 0),
        ("12 eggs", "The answer is 12 hens.", 0),
    ],
)
def test_exact_compares_results(answer, text, right):
    assert score(Reference("exact", answer), text) == right


def test_rouge_l_is_the_f_measure_of_the_longest_common_words():
    fox = Reference("rouge_l", "The quick fox, jumping over dogs!")
    # in common, in order: the, fox, over, dogs; of 6 words there and 5 here
    assert score(fox, "the FOX jumped over-dogs") == pytest.approx(2 * (4 / 6) * (4 / 5) / (4 / 6 + 4 / 5))
    assert score(fox, "") == score(fox, "\u00e4") == 0 and score(fox, fox.answer) == 1


def test_databases_are_for_execution_alone():
    for wrong in ({"kind": "execution"}, {"kind": "exact", "databases": ((BOOKS,),)}):
        with pytest.raises(SpecvizError, match="databases are for the score 'execution'"):
            Reference(answer="1", **wrong)


def test_a_reference_travels_and_is_told_apart():
    assert pickle.loads(pickle.dumps(THICK)) == THICK and THICK.fingerprint == replace(THICK).fingerprint
    others = [replace(THICK, answer="SELECT 1"), replace(THICK, databases=((SHORT,),)), Reference("exact", "18")]
    assert len({one.fingerprint for one in (THICK, *others)}) == 4


@pytest.mark.full
@pytest.mark.parametrize("method", ["autoregressive", "speculative", "mtad"])
def test_what_is_scored_ends_at_the_end_token(method):
    """The models are sure of 2 after 1, then the end token, and of 3 whenever they are asked again."""
    tokenizer = byte_tokenizer()
    one, two, three = (tokenizer.convert_tokens_to_ids(digit) for digit in "123")
    following = {one: two, two: 0, 0: three, three: three}

    def next_token(context):
        return np.eye(len(tokenizer))[following[context[-1]]]

    models = [specviz.TableLM(next_token, len(tokenizer), fingerprint=name) for name in ("a", "b")]
    pair = specviz.ModelPair(*models, tokenizer=tokenizer, end_tokens=frozenset({0}))
    prompts = [SweepPrompt("1", "", "1", reference=Reference("exact", "2"))]
    (row,) = specviz.sweep(pair, {"method": [{"name": method}]}, prompts, 1, max_new_tokens=8)
    assert (row.text, row.token_ids, row.stop, row.score, row.score_kind) == ("2", (two, 0), "end", 1.0, "exact")
    (row,) = specviz.sweep(replace(pair, end_tokens=frozenset()), {"method": [{"name": method}]}, prompts, 1)
    assert row.stop == "length" and row.score == 0.0
