"""Questions with answers: two built-in sets, and those of a corpus folder, none of which was trained on."""

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from specviz.errors import SpecvizError, as_given
from specviz.lab.prompts import sum_text
from specviz.lab.quality.fields import fields_of
from specviz.lab.quality.reference import DatabaseTable, Reference
from specviz.lab.quality.summaries import TEXTS
from specviz.lab.quality.sums import small_sums, word_problems
from specviz.zoo.corpus import DOMAINS, load_corpus, problem_prompt, stated_result
from specviz.zoo.sql.judge import judging_databases
from specviz.zoo.sql.task import QUESTION_SEED, examples

COUNT = 24
"""The default number of questions."""
OPENING, CONTINUATION = 60, 48  # words of a passage
WORD = re.compile(r"\S+")


class ScoredQuestion(NamedTuple):
    """A prompt of a domain, and what texts are scored against."""

    domain: str
    prompt: str
    reference: Reference


def unseen_queries(count: int = COUNT) -> Iterator[ScoredQuestion]:
    """Text-to-SQL questions about schemas that the embedded models never saw, with the databases that
    ``execution_match`` judges by; the first of those that their report asks."""
    for example in examples(QUESTION_SEED, count, "held_out"):
        databases = tuple(tuple(DatabaseTable(*table) for table in tables) for tables in judging_databases(example))
        yield ScoredQuestion("queries", example.prompt, Reference("execution", example.sql, databases))


def worked_sums(count: int = COUNT) -> Iterator[ScoredQuestion]:
    """Word problems of the project's own, each with a whole number as its answer."""
    for question, answer in word_problems(QUESTION_SEED, count):
        yield ScoredQuestion("sums", sum_text(question), Reference("exact", str(answer)))


def small_questions(count: int = COUNT) -> Iterator[ScoredQuestion]:
    """Sums of two numbers below ten, put as a question to a chat model."""
    for question, answer in small_sums(QUESTION_SEED, count):
        yield ScoredQuestion("sums", question, Reference("exact", str(answer)))


def summaries() -> Iterator[ScoredQuestion]:
    """Short texts of the project's own, to be summarised in one sentence; scored by ``rouge_l`` against our
    summaries."""
    for text, summary in TEXTS:
        yield ScoredQuestion("summaries", f"Give this text in one sentence:\n\n{text}", Reference("rouge_l", summary))


class QuestionSet(NamedTuple):
    """A built-in set: the function that makes it, and its number of questions."""

    make: Callable[[], Iterator[ScoredQuestion]]
    count: int = COUNT


SETS = {
    "unseen-queries": QuestionSet(unseen_queries),
    "worked-sums": QuestionSet(worked_sums),
    "small-sums": QuestionSet(small_questions),
    "summaries": QuestionSet(summaries, len(TEXTS)),
}
"""The built-in sets by name; the first two are for the embedded pair, the others for chat models."""


def held_out(corpus: str | Path, domains: Sequence[str] = DOMAINS, count: int = COUNT) -> Iterator[ScoredQuestion]:
    """``count`` questions of each domain from the held-out part of a corpus folder: openings of passages with how they
    go on (``rouge_l``), word problems with their results (``exact``), queries as in ``unseen_queries``.

    The same ones every time. Raises CorpusError for a folder that lacks a part, and SpecvizError for a domain that
    there is not, or one that has fewer questions than ``count``, 1 or more.
    """
    for domain in domains:
        if domain not in DOMAINS:
            raise SpecvizError(
                f"domains must be among {', '.join(DOMAINS)}, got {as_given(domain)}", argument="domains"
            )
    if count < 1:
        raise SpecvizError(f"count must be 1 or more, got {count}", argument="count")
    texts = load_corpus(corpus, query_count=0).held_out
    made = {"tales": lambda: _tales(texts["tales"]), "sums": lambda: _sums(texts["sums"])}
    for domain in domains:
        if domain == "queries":
            yield from unseen_queries(count)
            continue
        questions = made[domain]()
        if len(questions) < count:
            raise SpecvizError(
                f"count must be at most {len(questions)}, the held-out {domain}, got {count}", argument="count"
            )
        yield from random.Random(QUESTION_SEED).sample(questions, count)


def prompt_lines(questions: Iterator[ScoredQuestion]) -> Iterator[str]:
    """Each question as a line of a prompt file, in the form of Spec-Bench, with its answer."""
    for number, (domain, prompt, reference) in enumerate(questions, 1):
        line = {"question_id": f"{domain}-{number}", "category": domain, "turns": [prompt], **fields_of(reference)}
        yield json.dumps(line, ensure_ascii=False)


def _sums(problems: Sequence[str]) -> list[ScoredQuestion]:
    results = ((problem, stated_result(problem)) for problem in problems)
    return [
        ScoredQuestion("sums", problem_prompt(problem), Reference("exact", result))
        for problem, result in results
        if result
    ]


def _tales(books: Sequence[str]) -> list[ScoredQuestion]:
    """Passages that do not overlap, each from the beginning of a paragraph on."""
    passages = []
    for book in books:
        end = 0
        for paragraph in re.finditer(r"^\S", book, re.MULTILINE):
            if paragraph.start() < end:
                continue
            words = list(islice(WORD.finditer(book, paragraph.start()), OPENING + CONTINUATION))
            if len(words) < OPENING + CONTINUATION:
                break
            start, cut, end = paragraph.start(), words[OPENING - 1].end(), words[-1].end()
            passages.append(ScoredQuestion("tales", book[start:cut], Reference("rouge_l", book[cut:end].strip())))
    return passages
