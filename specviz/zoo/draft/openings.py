"""Prompts for a target that goes on with a text instead of answering, as the embedded one does: how its texts begin."""

import random

from specviz.zoo.corpus import DOMAINS, Corpus
from specviz.zoo.draft.answers import DraftQuestion
from specviz.zoo.draft.prompts import MADE, passages_of

ENDS = {"sums": "\nAnswer:", "queries": "\nSQL:"}  # of what is given, in each text of these domains


def openings(corpus: Corpus, count: int = MADE) -> list[DraftQuestion]:
    """``count`` openings, each different, or as many as there are: tales cut off at a word, sums and queries after the
    question, in turn. The first n of a longer list are the list of n."""
    parts = {domain: corpus.training[domain] for domain in DOMAINS}
    parts["tales"] = [passage for tale in parts["tales"] for passage in passages_of(tale)]
    found: dict[str, DraftQuestion] = {}
    number = 0
    while len(found) < count and number < 20 * count:
        draw, domain = random.Random(f"specviz opening {number}"), DOMAINS[number % len(DOMAINS)]
        number += 1
        text = _beginning(draw, domain, draw.choice(parts[domain]))
        found.setdefault(text, DraftQuestion(f"opening-{number}", domain, text))
    return list(found.values())


def _beginning(draw: random.Random, domain: str, text: str) -> str:
    if domain in ENDS:
        given, end, _ = text.partition(ENDS[domain])
        return given + end
    words = text.split(" ")
    return " ".join(words[: draw.randint(len(words) // 8, len(words))])
