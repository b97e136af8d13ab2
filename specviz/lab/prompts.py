"""Two dozen prompts of the project's own: four of each domain that the embedded models were trained on, and four of
each kind of things that an assistant is asked for."""

from dataclasses import dataclass
from typing import Literal

Domain = Literal["tales", "sums", "queries"]
Asked = Literal["questions", "writing", "programs"]


@dataclass(frozen=True)
class DomainPrompt:
    """A text to go on from or to answer, and the domain it belongs to."""

    domain: Domain | Asked
    text: str


_TALES = (
    "Once upon a time a miller had three daughters, and the youngest of them could speak with the geese. One evening",
    "The old clockmaker lived at the end of the lane, and nobody had ever seen him without his lantern. "
    '"Come in," said he,',
    "When the snow had melted from the hills, the fox went down to the river to look for his brother. He had not gone",
    "There was once a king who owned a garden in which no bird would sing. He sent for all his wise men, and",
)

_SUMS = (
    "A baker makes 12 trays of rolls with 8 rolls on each tray. She sells 75 rolls in the morning. How many rolls does "
    "she have left?",
    "Tom reads 15 pages every day from Monday to Friday and 30 pages on Saturday. How many pages is that in 4 weeks?",
    "A ticket for the boat costs $6 for a child and $10 for an adult. A group of 5 children and 3 adults pays with a "
    "$100 bill. How much change do they get?",
    "Nora has twice as many marbles as Ben, and Ben has 7 more than Lucy. Lucy has 9 marbles. How many marbles do the "
    "three have together?",
)

_QUERIES = (
    (("gardens: name, town, area, year",), "How many gardens have an area of more than 40?"),
    (("boats: name, harbor, length, price",), "List the names of all boats, the most expensive first."),
    (
        ("painters: name, country, age", "paintings: title, painter_name, year, price"),
        "What are the titles of the paintings by painters from Norway?",
    ),
    (("races: runner, city, distance, minutes",), "What is the average number of minutes for each city?"),
)


def sum_text(question: str) -> str:
    """A word problem as a prompt."""
    return f"Question: {question}\nAnswer:"


def query_text(tables: tuple[str, ...], question: str) -> str:
    """A text-to-SQL question as a prompt; each table is written ``name: column, column``."""
    return "\n".join((*(f"Table {table}" for table in tables), f"Question: {question}", "SQL:"))


PROMPTS: tuple[DomainPrompt, ...] = (
    *(DomainPrompt("tales", text) for text in _TALES),
    *(DomainPrompt("sums", sum_text(question)) for question in _SUMS),
    *(DomainPrompt("queries", query_text(*query)) for query in _QUERIES),
)

_QUESTIONS = (
    "Why is the sky blue, and why is it red at sunset?",
    "What should I look at when I buy a used bicycle?",
    "Explain to a child of ten how a vaccine works.",
    "A train leaves at 9:40 and takes 2 hours and 35 minutes. When does it arrive?",
)
_WRITING = (
    "Write a letter to a landlord about a heating that has not worked for a week.",
    "Write a short story about a lighthouse keeper who finds a bottle with a map in it.",
    "Correct the mistakes in this text and write it out again:\n\nThe childs was playing in the garden when it begun "
    "to rain, so they runned inside and there mother gived them hot chocolate.",
    "Give this text in one sentence:\n\nThe market of our town has been held every Saturday since 1803. Farmers bring "
    "cheese, apples and honey, and in autumn mushrooms. Last year the square was paved anew, and for eight months the "
    "stalls stood in front of the station, where fewer people came. Since spring it is back, and larger than before.",
)
_PROGRAMS = (
    "Write a Python function that tells whether a word is a palindrome, with a docstring.",
    "Write a SQL query that lists the ten customers who spent most in 2023, from tables customers and orders.",
    "Write an HTML page with a heading, a list of three fruits and a link to the top.",
    "What does this function do, and what happens for an empty list?\n\ndef f(xs):\n    best = xs[0]\n"
    "    for x in xs[1:]:\n        if x > best:\n            best = x\n    return best",
)
CHAT_PROMPTS: tuple[DomainPrompt, ...] = (
    *(DomainPrompt("questions", text) for text in _QUESTIONS),
    *(DomainPrompt("writing", text) for text in _WRITING),
    *(DomainPrompt("programs", text) for text in _PROGRAMS),
)
