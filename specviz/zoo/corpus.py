"""The training text: three domains of plain prompts, split into training and held-out documents.

Tales are whole books, sums are worked word problems (``Question:`` / ``Answer:``), queries are text-to-SQL pairs from
the project's own generator. Held out: whole books, the word problems' own test file, and whole database schemas.
"""

import json
import random
import re
from dataclasses import dataclass
from pathlib import Path

from specviz.errors import SpecvizError
from specviz.zoo.sql import task as sql
from specviz.zoo.sql.renaming import words_for_names

DOMAINS = ("tales", "sums", "queries")
HELD_OUT_BOOKS = ("ozma-of-oz", "the-orange-fairy-book", "the-railway-children")
_RESULT = re.compile(r"The answer is ([^\n]*)")
_CALCULATOR_NOTE = re.compile(r"<<[^>]*>>")


class CorpusError(SpecvizError):
    """The corpus directory lacks a part that training needs."""


@dataclass(frozen=True)
class Corpus:
    """Documents by domain; each document is one text that ends where the model should end."""

    training: dict[str, list[str]]
    held_out: dict[str, list[str]]
    renamed: int = 0
    """How many of the training queries are about tables and columns that are called by words of the tales."""


def sum_text(question: str, answer: str) -> str:
    """A word problem as a plain prompt: calculator notes dropped, the marked result turned into a sentence."""
    worked = _CALCULATOR_NOTE.sub("", answer)
    worked = re.sub(r"\n#### *(.*)$", r"\nThe answer is \1.", worked.strip())
    return f"Question: {question.strip()}\nAnswer: {worked}\n"


def problem_prompt(problem: str) -> str:
    """The prompt part of a worked problem: everything up to and including "Answer:"."""
    question, mark, _ = problem.partition("\nAnswer:")
    return question + mark


def stated_result(text: str) -> str:
    """What the first "The answer is" of a text states; empty when none is stated."""
    result = _RESULT.search(text)
    return plain_result(result[1]) if result else ""


def plain_result(text: str) -> str:
    """A result without thousands separators, currency and final full stop."""
    return text.strip().rstrip(".").replace(",", "").lstrip("$")


def _sums(path: Path) -> list[str]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [sum_text(row["question"], row["answer"]) for row in rows]


def load_corpus(directory: str | Path, query_count: int = 120_000, seed: int = 0) -> Corpus:
    """Read ``directory`` (``tales/*.txt``, ``gsm8k/train.jsonl``, ``gsm8k/test.jsonl``) and generate the queries: a
    third of them about the generator's own schemas, the rest about schemas that are named by words of the tales.

    Raises CorpusError, naming the missing part, when a folder or file is not there.
    """
    directory = Path(directory)
    books = sorted((directory / "tales").glob("*.txt"))
    if not books:
        raise CorpusError(f"corpus {str(directory)!r} has no tales/*.txt; give --corpus a folder with tales and gsm8k")
    for name in ("train.jsonl", "test.jsonl"):
        if not (directory / "gsm8k" / name).is_file():
            raise CorpusError(f"corpus {str(directory)!r} has no gsm8k/{name}")
    tales = {book.stem: book.read_text(encoding="utf-8") for book in books}
    stories = [text for name, text in tales.items() if name not in HELD_OUT_BOOKS]
    names, own = words_for_names(stories), query_count // 3
    rng, unseen_rng = random.Random(seed), random.Random(f"unseen {seed}")
    queries = [sql.sample(rng, split="train", names=() if i < own else names).text for i in range(query_count)]
    unseen = [sql.sample(unseen_rng, split="held_out").text for _ in range(600)]
    return Corpus(
        training={
            "tales": stories,
            "sums": _sums(directory / "gsm8k" / "train.jsonl"),
            "queries": queries,
        },
        held_out={
            "tales": [text for name, text in tales.items() if name in HELD_OUT_BOOKS],
            "sums": _sums(directory / "gsm8k" / "test.jsonl"),
            "queries": unseen,
        },
        renamed=query_count - own,
    )
