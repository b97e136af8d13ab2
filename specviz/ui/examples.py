"""Prompts to start from, in the three domains that the embedded models know."""

from typing import NamedTuple


class Example(NamedTuple):
    """A button of the page: its label and the prompt it types."""

    label: str
    prompt: str


EXAMPLES = (
    Example("Fairy tale", "Once upon a time there was a king who had three sons, and the youngest of them"),
    Example(
        "Word problem",
        "Question: Mia has 3 boxes with 12 pencils each. She gives 8 pencils to her brother. "
        "How many pencils does she have left?\nAnswer:",
    ),
    Example(
        "Question to SQL",
        "Table dairies: canton, milk, name, cheesemakers\n"
        "Question: Show the name of all dairies whose canton is not 'Sofia'.\nSQL:",
    ),
)
