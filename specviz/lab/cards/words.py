"""Sentences of a card: what was found, and what became of a promise."""

from specviz.lab.cards.promises import Checked, Judged
from specviz.lab.sweep.numbers import NUMBERS
from specviz.lab.sweep.summary import Estimate
from specviz.views.facts.tokens import number
from specviz.views.race.dials import reading


def shown(name: str, found: Estimate) -> tuple[str, str]:
    """A number as a person reads it, and its interval: ``("2.44", "2.16 to 2.68")``; an en dash where there is none."""
    about = NUMBERS[name]
    value = " ".join(reading(name, found.median, about.unit)).strip()
    if found.low is None or found.high is None:
        return value, ""
    low, high = (" ".join(reading(name, end, about.unit)).strip() for end in (found.low, found.high))
    return value, f"{low} to {high}"


def check_words(one: Checked) -> str:
    """``tokens per target call, spectr over speculative: 1.20 (1.10 to 1.31), at least 1 was said``."""
    check, found = one.check, one.found
    if check.to:
        about, texts = f"{check.of} over {check.to}", [number(v) for v in (found.median, found.low, found.high) if v]
        value, interval = texts[0], " to ".join(texts[1:])
    else:
        about, (value, interval) = check.of, shown(check.metric, found)
    said = f"{check.sense} {number(check.limit)} was said"
    return f"{NUMBERS[check.metric].label}, {about}: {value}{f' ({interval})' if interval else ''}; {said}"


def verdict_words(one: Judged) -> str:
    """The verdict, how sure it is, and why where there is none."""
    if one.because:
        return f"Cannot be tested here: {one.because}."
    doubt = "" if one.clear else ", but by less than chance explains"
    return ("It holds here" if one.verdict == "holds" else "It does not hold here") + f"{doubt}."
