"""Prompts to start from. For the embedded pair: its three domains, something easy to guess and something hard; for
other pairs, assumed to be assistants: a question, a poem, a program, a text to shorten and one to copy.

The numbers of the embedded pair were measured as the page runs it (bfloat16), one thread of an AMD EPYC (Zen 5), on
2026-11-24: medians of speculative decoding at its usual options beside the target alone, 64 tokens, seeds 0 to 9."""

from typing import NamedTuple

from specviz.ui.serving.models import EMBEDDED_NAME


class Example(NamedTuple):
    """A button of the page: its label, the prompt it types, what it shows, and which pair it is for (None: any that has
    no examples of its own)."""

    label: str
    prompt: str
    about: str
    pair: str | None = EMBEDDED_NAME


_TEXT = (
    "The old bridge over the river was built in 1872 by farmers who were tired of waiting for the ferry. It has three "
    "arches of grey stone, and carts crossed it every morning on their way to the market. In the flood of 1954 the "
    "middle arch fell, and for two years people walked over planks. Today the bridge is closed to cars, and on summer "
    "evenings musicians play on it."
)
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
    Example("Question", "What is the capital of France, and what is it known for?", "A fact and what follows", None),
    Example("Poem", "Write a short poem about the sea at night.", "Many words could follow", None),
    Example(
        "Program",
        "Write a Python function that returns the first n Fibonacci numbers.",
        "Programs repeat their names and their form",
        None,
    ),
    Example("Summary", f"Summarize this text in two sentences:\n\n{_TEXT}", "What is said is in the prompt", None),
    Example(
        "Rewrite",
        f"Write this text again, with every “bridge” changed to “tunnel”:\n\n{_TEXT}",
        "Much of the answer is in the prompt: a lane whose draft is “prompt” looks its guesses up there",
        None,
    ),
)
