"""What the papers promise, as a page of Markdown: by verdict, with the paper's number and that of the recorded rows."""

from collections.abc import Sequence
from pathlib import Path

from specviz.lab.cards.card import FOLDER, Card
from specviz.lab.cards.promises import Judged, judged, numbers_needed
from specviz.lab.cards.recorded import recorded_rows
from specviz.lab.cards.words import check_words, made
from specviz.lab.sweep.summary import grouped
from specviz.zoo.report.markdown import table

PAGE = "promises.md"
SURE, OPEN = ("holds", "does not hold here"), "cannot be tested here"
SAID = (*(said for one in SURE for said in (one, f"{one}, not sure")), OPEN)
"""The verdicts, as ``Judged.said`` has them, in the order of the page."""


def judged_card(card: Card, folder: Path = FOLDER) -> list[Judged]:
    """The promises of a card against its recorded rows in ``folder``."""
    return judged(card, grouped(recorded_rows(card, folder), numbers_needed(card)))


def promises_page(cards: Sequence[Card], folder: Path = FOLDER) -> str:
    """The page about these cards and their rows in ``folder``. Raises SpecvizError for rows that are damaged."""
    found: dict[str, list[list[str]]] = {said: [] for said in SAID}
    for card in cards:
        for one in judged_card(card, folder):
            here = "<br>".join(map(check_words, one.checks)) or one.because
            line = [card.name, one.promise.says, one.promise.number, here]
            found[one.said].append([text.replace("|", "\\|") for text in line])
    parts = [
        "# What the papers promise, and whether it holds here",
        "Written by `python -m specviz lab --recorded --out DIR`. Medians with 95 % intervals over prompts and seeds "
        "together; *not sure*: the interval reaches the other side of the limit. "
        + made(row for card in cards for row in recorded_rows(card, folder)),
    ]
    for said, lines in found.items():
        if lines:
            parts += [
                f"## {said[0].upper()}{said[1:]}: {len(lines)}",
                table(["card", "promise", "paper", "here"], lines),
            ]
    return "\n\n".join(parts)
