"""The built-in prompts look like the text that the embedded models learned."""

import re
from collections import Counter

from specviz.lab.prompts import PROMPTS
from specviz.zoo.corpus import sum_text
from specviz.zoo.sql import task as sql

QUERY = re.compile(r"(Table \w+: \w+(, \w+)*\n)+Question: [^\n]+\nSQL:")


def test_four_prompts_of_each_domain():
    assert Counter(prompt.domain for prompt in PROMPTS) == {"tales": 4, "sums": 4, "queries": 4}
    assert len({prompt.text for prompt in PROMPTS}) == 12


def test_sums_are_written_as_in_the_corpus():
    for prompt in (prompt for prompt in PROMPTS if prompt.domain == "sums"):
        question = prompt.text.removeprefix("Question: ").removesuffix("\nAnswer:")
        assert sum_text(question, "3").startswith(f"{prompt.text} ")


def test_queries_are_written_as_in_the_corpus():
    assert all(QUERY.fullmatch(example.prompt) for example in sql.examples(0, 50, "train"))
    assert all(QUERY.fullmatch(prompt.text) for prompt in PROMPTS if prompt.domain == "queries")
