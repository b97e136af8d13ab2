"""Prompts to start from: the three domains that the embedded models know, one that is easy to guess, one that is not.

The numbers were measured with the embedded pair in float32, one thread of an Intel Xeon with AMX, on 2026-11-24:
medians of speculative decoding at its usual options beside the target alone, 64 tokens, seeds 0 to 9."""

from typing import NamedTuple


class Example(NamedTuple):
    """A button of the page: its label, the prompt it types, and what it shows."""

    label: str
    prompt: str
    about: str


EXAMPLES = (
    Example(
        "Tale",
        "Once upon a time there was a king who had three sons, and the youngest of them",
        "Many words could follow, so some guesses are rejected. Measured: 2.7 tokens a target call with speculative "
        "decoding, 1.1 times as fast as the target alone",
    ),
    Example(
        "Word problem",
        "Question: Mia has 3 boxes with 12 pencils each. She gives 8 pencils to her brother. "
        "How many pencils does she have left?\nAnswer:",
        "A calculation in words",
    ),
    Example(
        "SQL",
        "Table dairies: canton, milk, name, cheesemakers\n"
        "Question: Show the name of all dairies whose canton is not 'Sofia'.\nSQL:",
        "A question to a table, in the language of databases",
    ),
    Example(
        "Easy to guess",
        "Table horses: name, rider, age, country\nQuestion: How many horses are there whose country is 'Spain'?\nSQL:",
        "Nearly every guess is right: speculation at its best. Measured: 5 tokens a target call with speculative "
        "decoding, 2.1 times as fast as the target alone",
    ),
    Example(
        "Guessing loses",
        "Der König hatte drei Söhne, und",
        "German, which neither model knows: most guesses are rejected. Measured: 2.2 tokens a target call with "
        "speculative decoding, slower than the target alone in 6 races of 10",
    ),
)
