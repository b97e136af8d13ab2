"""The fields of a prompt file that say what is scored: read, written, and refused by name."""

import io
import json

import pytest

from specviz.errors import PromptError
from specviz.lab.quality import fields
from specviz.lab.quality.fields import Answers, fields_of, reference_of
from specviz.lab.quality.reference import DatabaseTable, Reference
from specviz.lab.sweep.prompts import parse_prompts, read_prompts

TABLES = {"books": {"columns": ["title", "pages"], "rows": [["Emma", 400], ["Kim", None]]}}
BOOKS = DatabaseTable("books", ("title", "pages"), (("Emma", 400), ("Kim", None)))
QUERY = "SELECT title FROM books"


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({}, None),
        ({"answer": 18}, Reference("exact", "18")),
        ({"answer": 0.25}, Reference("exact", "0.25")),
        ({"answer": 1e21}, Reference("exact", "1" + "0" * 21)),
        ({"answer": "$1,200"}, Reference("exact", "$1,200")),
        ({"answer": "18 eggs"}, Reference("rouge_l", "18 eggs")),
        ({"answer": "B", "score": "exact"}, Reference("exact", "B")),
        ({"answer": 18, "score": "rouge_l"}, Reference("rouge_l", "18")),
        ({"answer": QUERY, "tables": TABLES}, Reference("execution", QUERY, ((BOOKS,),))),
        ({"answer": QUERY, "tables": [TABLES] * 2}, Reference("execution", QUERY, ((BOOKS,),) * 2)),
    ],
)
def test_the_kind_follows_from_the_fields(fields, wanted):
    assert reference_of(fields) == wanted
    if wanted is not None:
        assert reference_of(json.loads(json.dumps(fields_of(wanted)))) == wanted


def tables(columns=("a",), rows=((1,),), **more):
    return {
        "answer": "SELECT a FROM t",
        "tables": {"t": {"columns": list(columns), "rows": list(map(list, rows))}},
    } | more


BROKEN = {
    "has tables, but no answer": {"tables": TABLES},
    "has score, but no answer": {"score": "exact"},
    "answer must be a number, or text that is not empty, got ' '": {"answer": " "},
    "answer must be a number, or text that is not empty, got True": {"answer": True},
    "answer must be a number, or text that is not empty, got ['a']": {"answer": ["a"]},
    "answer must be a number, or text that is not empty, got inf": {"answer": float("inf")},
    "answer must have at most 10000 letters, got 10001": {"answer": "a" * 10_001},
    "answer has no word that Rouge-L counts: they are of a to z and 0 to 9": {"answer": "\u4f60\u597d"},
    "score must be among execution, exact, rouge_l, got 'bleu'": {"answer": "a", "score": "bleu"},
    "score must be among execution, exact, rouge_l, got []": {"answer": "a", "score": []},
    "score execution goes with tables": {"answer": QUERY, "score": "execution"},
    "score exact goes without tables": {"answer": QUERY, "tables": TABLES, "score": "exact"},
    "answer does not run: database 2: no such table: t": tables(
        tables=[tables()["tables"], {"u": {"columns": ["a"], "rows": []}}]
    ),
    "answer does not run: database 1: not a SELECT: 'DROP TABLE t'": tables(answer="DROP TABLE t"),
    "answer does not run: database 1: interrupted": tables(
        answer="SELECT COUNT(*) FROM t, t AS u, t AS v", rows=[[1]] * 60
    ),
    "tables must be an object of tables by name, or a list of up to 10, got 1": tables(tables=1),
    "tables must be an object of tables by name, or a list of up to 10, got []": tables(tables=[]),
    "tables must be 1 to 20 in each database": tables(tables={}),
    "tables must have at most 20000 cells, got 20001": tables(rows=[[1]] * 20_001),
    "tables: 't' must be an object with columns and rows, got ['a']": tables(tables={"t": ["a"]}),
    "tables: 't': columns must be a list of names, got [1]": tables(columns=[1]),
    "tables: 't': columns must be 1 to 64, got 0": tables(columns=[], rows=[]),
    "tables: 't': columns must be 1 to 64, got 65": tables(columns=map(str, range(65)), rows=[]),
    "tables: 't': rows must be a list, got 'abc'": tables(tables={"t": {"columns": ["a"], "rows": "abc"}}),
    "tables: 't': row 2 must have 1 numbers, nulls or texts of at most 1000 letters, got [1, 2]": tables(
        rows=[[1], [1, 2]]
    ),
    "tables: 't': row 1 must have 1 numbers, nulls or texts of at most 1000 letters, got [True]": tables(rows=[[True]]),
    "tables: database 1 cannot be made: duplicate column name: A": tables(columns=["a", "A"], rows=[]),
    "tables: database 1 cannot be made: Python int too large to convert to SQLite INTEGER": tables(rows=[[2**64]]),
}


@pytest.mark.parametrize("reason", BROKEN)
def test_a_broken_field_is_named_by_line(tmp_path, reason):
    file = tmp_path / "questions.jsonl"
    line = {"question_id": 1, "category": "a", "turns": ["b"]}
    file.write_text(f"{json.dumps(line)}\n{json.dumps(line | {'question_id': 2} | BROKEN[reason])}\n", "utf-8")
    with pytest.raises(PromptError) as refused:
        read_prompts(file)
    assert str(refused.value) == f"{file}: line 2: {reason}"


def test_names_of_tables_are_names_whatever_is_in_them():
    hostile = 'b"; DROP TABLE x; --'
    found = reference_of({"answer": "SELECT 1", "tables": {hostile: {"columns": ['a"b', "select"], "rows": [[1, 2]]}}})
    assert found is not None and found.databases[0][0].columns == ('a"b', "select")


def test_all_answers_of_a_file_have_so_much_of_the_processor_together():
    line = {"question_id": 1, "category": "a", "turns": ["b"], "answer": QUERY, "tables": TABLES}
    lines = [json.dumps(line | {"question_id": number}) for number in range(3)]
    assert len(parse_prompts(io.BytesIO("\n".join(lines).encode()), "f")) == 3
    answers = Answers(seconds=1e-9)
    with pytest.raises(ValueError, match="answer does not run: those before it took all the time of the processor"):
        for _ in range(2):
            reference_of(json.loads(lines[0]), answers)


def test_an_answer_that_takes_too_long_is_refused_by_line(monkeypatch):
    monkeypatch.setattr(fields, "MOST_STEPS", 10**15)
    monkeypatch.setattr(fields, "MOST_PROCESSOR", 0.01)
    line = {"question_id": 1, "category": "a", "turns": ["b"], "tables": {"t": {"columns": ["d"], "rows": [[1]] * 60}}}
    line["answer"] = "SELECT count(*) FROM t" + "".join(f", t AS t{i}" for i in range(12))
    with pytest.raises(PromptError, match=r"^f: line 1: answer does not run: more than 0.01 s of the processor$"):
        parse_prompts(io.BytesIO(json.dumps(line).encode()), "f")
