"""Built-in questions with answers, and prompt files made from a corpus folder."""

import json
import re
from itertools import pairwise

import pytest

from specviz.errors import SpecvizError
from specviz.lab.quality.reference import Reference, score
from specviz.lab.quality.sets import CONTINUATION, OPENING, SETS, _tales, held_out, unseen_queries, worked_sums
from specviz.lab.quality.sums import STORIES, word_problems
from specviz.lab.sweep.prompts import as_prompts, built_in, read_prompts
from specviz.zoo.corpus import CorpusError, load_corpus
from specviz.zoo.sql.task import QUESTION_SEED, examples
from tests.test_command_line import run  # noqa: F401
from tests.zoo.conftest import corpus_directory  # noqa: F401


def test_unseen_queries_are_the_report_s_and_answer_themselves():
    prompts = built_in("unseen-queries")
    asked = list(examples(QUESTION_SEED, 24, "held_out"))
    assert [prompt.prompt for prompt in prompts] == [example.prompt for example in asked]
    assert {(prompt.id, prompt.category) for prompt in prompts} == {
        (f"unseen-queries-{i}", "queries") for i in range(1, 25)
    }
    answers = [prompt.reference.answer for prompt in prompts]
    for prompt, example in zip(prompts, asked, strict=True):
        assert prompt.reference.answer == example.sql and len(prompt.reference.databases) == 3
        assert score(prompt.reference, f" {example.sql}\n") == 1
        assert sum(score(prompt.reference, other) for other in set(answers)) == 1


def baker(trays, rolls, sold):
    return sum(rolls for _ in range(trays)) - sold


def reader(daily, saturday, weeks):
    return sum(saturday if day % 7 == 5 else daily for day in range(7 * weeks) if day % 7 != 6)


def change(child, adult, children, adults, bill):
    return bill - sum([child] * children + [adult] * adults)


def marbles(more, lucy):
    ben = lucy + more
    return lucy + ben + (ben + ben)


def shared(plums, kept, friends):
    each = 0
    while plums - kept >= friends:
        plums, each = plums - friends, each + 1
    assert plums == kept
    return each


def saved(price, has, weekly):
    weeks = 0
    while has < price:
        has, weeks = has + weekly, weeks + 1
    assert has == price
    return weeks


def shelves(count, books, lent):
    return sum(books for _ in range(count)) - sum(lent for _ in range(count))


def hens(count, eaten, days):
    return sum(count for _ in range(days)) - sum(eaten for _ in range(days))


def train(passengers, off, on):
    left = passengers - off + on
    assert left % 2 == 0 and off < passengers
    return left - left // 2


def fence(length, width, gate):
    return length + width + length + width - gate


def candles(boxes, cost, each, price):
    return sum(price for _ in range(boxes * each)) - sum(cost for _ in range(boxes))


def walk(minutes, times, rest):
    return sum([minutes] + [rest + minutes] * (times - 1))


BY_HAND = (baker, reader, change, marbles, shared, saved, shelves, hens, train, fence, candles, walk)


def test_every_word_problem_has_the_answer_that_counting_gives():
    for number, (question, answer) in enumerate(word_problems(7, 50 * len(STORIES))):
        numbers = [int(found) for found in re.findall(r"\d+", question)]
        assert BY_HAND[number % len(STORIES)](*numbers) == answer > 0, question
    assert len(BY_HAND) == len(STORIES) == 12


def test_worked_sums_differ_and_are_the_same_every_time():
    prompts = as_prompts("worked-sums")
    assert prompts == built_in("worked-sums") and len({prompt.prompt for prompt in prompts}) == 24
    assert all(prompt.prompt.endswith("?\nAnswer:") and prompt.category == "sums" for prompt in prompts)
    assert [prompt.reference.kind for prompt in prompts] == ["exact"] * 24
    assert [one.reference.answer for one in worked_sums(3)] == [p.reference.answer for p in prompts[:3]]


def test_small_sums_are_of_two_numbers_below_ten():
    prompts = built_in("small-sums")
    for prompt in prompts:
        first, more = map(int, re.findall(r"\d+", prompt.prompt))
        assert 2 <= first <= 9 and 2 <= more <= 9 and prompt.reference == Reference("exact", str(first + more))
    assert len({prompt.prompt for prompt in prompts}) == 24 and {prompt.category for prompt in prompts} == {"sums"}


def test_summaries_say_less_than_their_texts_in_words_of_their_own():
    for prompt in built_in("summaries"):
        text, summary = prompt.prompt.split("\n\n")[1], prompt.reference.answer
        assert 40 <= len(text.split()) <= 80 and len(summary.split()) <= 25
        assert (
            score(prompt.reference, summary) == 1 and summary not in text and 0.05 < score(prompt.reference, text) < 0.5
        )


@pytest.mark.parametrize("name", SETS)
def test_a_set_has_as_many_questions_as_it_says(name):
    assert len(built_in(name)) == SETS[name].count


def test_held_out_questions_are_of_held_out_text(corpus_directory):  # noqa: F811
    texts = load_corpus(corpus_directory, query_count=0)
    found = list(held_out(corpus_directory, count=2))
    assert [one.domain for one in found] == ["tales"] * 2 + ["sums"] * 2 + ["queries"] * 2
    for _, opening, reference in found[:2]:
        assert reference.kind == "rouge_l" and len(opening.split()) == OPENING
        assert len(reference.answer.split()) == CONTINUATION
        (book,) = (book for book in texts.held_out["tales"] if opening in book)
        rest = book[book.index(opening) + len(opening) :]
        assert rest[0].isspace() and rest.strip().startswith(reference.answer)
        assert not any(opening in book for book in texts.training["tales"])
    for _, prompt, reference in found[2:4]:
        (problem,) = {text for text in texts.held_out["sums"] if text.startswith(prompt)}
        assert reference.kind == "exact" and score(reference, problem[len(prompt) :]) == 1
    assert found[4:] == list(unseen_queries(2)) and list(held_out(corpus_directory, count=2)) == found


def test_passages_do_not_overlap(corpus_directory):  # noqa: F811
    book = load_corpus(corpus_directory, query_count=0).held_out["tales"][0]
    starts = sorted(book.index(opening) for _, opening, _ in _tales([book]))
    assert len(starts) > 2 and all(start == 0 or book[start - 1] == "\n" for start in starts)
    assert all(len(book[a:b].split()) >= OPENING + CONTINUATION for a, b in pairwise(starts))


def test_a_prompt_file_is_made_and_read(run, corpus_directory, tmp_path):  # noqa: F811
    out = tmp_path / f"{'long ' * 20}held-out.jsonl"  # one line, however wide the terminal is
    code, said, _ = run("heldout", "--corpus", str(corpus_directory), "--out", str(out), "--count", "3")
    assert code == 0 and said == f"{out} is written: 9 prompts with answers\n"
    prompts = read_prompts(out)
    assert [(p.category, p.prompt, p.reference) for p in prompts] == list(held_out(corpus_directory, count=3))
    assert json.loads(out.read_text("utf-8").splitlines()[3])["question_id"] == "sums-4"
    code, _, _ = run(
        "heldout", "--corpus", str(corpus_directory), "--out", str(out), "--domains", "sums", "--count", "3"
    )
    assert code == 0 and [prompt.reference for prompt in read_prompts(out)] == [p.reference for p in prompts[3:6]]


def test_what_cannot_be_made_is_named(run, corpus_directory, tmp_path):  # noqa: F811
    words = ["heldout", "--out", str(tmp_path / "out.jsonl"), "--corpus"]
    code, _, err = run(*words, str(tmp_path))
    assert code == 2 and "has no tales" in err and not (tmp_path / "out.jsonl").exists()
    code, _, err = run(*words, str(corpus_directory), "--domains", "sums", "--count", "31")
    assert code == 2 and "count must be at most 30, the held-out sums, got 31" in err
    code, _, err = run(*words, str(corpus_directory), "--count", "0")
    assert code == 2 and "count must be 1 or more, got 0" in err
    with pytest.raises(SpecvizError, match="domains must be among tales, sums, queries, got 'poems'"):
        list(held_out(corpus_directory, ["poems"]))
    with pytest.raises(CorpusError):
        list(held_out(tmp_path))
    assert isinstance(next(worked_sums()).reference, Reference)
