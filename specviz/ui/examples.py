"""Prompts to start from: the three domains that the embedded models know, one that is easy to guess, one that is not.

The numbers were measured with the embedded pair as the page runs it (bfloat16), one thread of an AMD EPYC (Zen 5), on
2026-11-24: medians of speculative decoding at its usual options beside the target alone, 64 tokens, seeds 0 to 9."""

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
        "Many words could follow, so some guesses are rejected. Measured: 2.9 tokens a target call with speculative "
        "decoding, 1.6 times as fast as the target alone",
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
        "decoding, 2.9 times as fast as the target alone",
    ),
    Example(
        "Hard to guess",
        "Der König hatte drei Söhne, und",
        "German, which neither model knows: most guesses are rejected. Measured: 2.3 tokens a target call with "
        "speculative decoding, 1.3 times as fast as the target alone, and slower in 1 race of 10",
    ),
)
