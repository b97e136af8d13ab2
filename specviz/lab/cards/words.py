"""Sentences of a card: the numbers, the verdict on a promise, and where the rows are from."""

from collections.abc import Iterable

from specviz.facts.tokens import number
from specviz.lab.cards.promises import Checked, Judged
from specviz.lab.sweep.numbers import NUMBERS
from specviz.lab.sweep.row import Row
from specviz.lab.sweep.summary import Estimate
from specviz.views.race.dials import reading


def shown(name: str, estimate: Estimate) -> tuple[str, str]:
    """A number as a person reads it, and its interval: ``("2.44", "2.16 to 2.68")``; an en dash where there is none."""
    if estimate.median is None:
        return "–", ""
    unit = NUMBERS[name].unit
    value, *ends = (
        reading(name, number, unit) for number in (estimate.median, estimate.low, estimate.high) if number is not None
    )
    same = {last for _, last in (value, *ends)} == {value[1]}
    texts = [text if same else f"{text} {last}" for text, last in ends]
    return " ".join(value).strip(), " to ".join(texts)


def check_words(checked: Checked) -> str:
    """``✓ 1.20 (1.10 to 1.31), at least 1 was said: tokens per target call of spectr over that of speculative``."""
    check, estimate = checked.check, checked.found
    if check.others or check.ranks:
        value, *ends = (number(v) for v in (estimate.median, estimate.low, estimate.high) if v is not None)
        about, interval = f"{check.of} over that of {', '.join(check.others)}", " to ".join(ends)
        if check.at:
            about += f", on the line between them where their {NUMBERS[check.at].label} is the same"
        if check.ranks:
            rank, other = check.ranks
            about = f"{check.of}, rank {rank} by perplexity minus rank {other}"
    else:
        about, (value, interval) = check.of, shown(check.metric, estimate)
    said = f"{check.sense} {number(check.limit)} was said"
    mark = "✓" if checked.holds else "✗"
    return f"{mark} {value}{f' ({interval})' if interval else ''}, {said}: {NUMBERS[check.metric].label} of {about}"


def verdict_words(judged: Judged) -> str:
    """The verdict, how sure it is, and why where there is none."""
    if judged.because:
        return f"Cannot be tested here: {judged.because}."
    said = "It holds here" if judged.verdict == "holds" else "It does not hold here"
    if all(check.clear is None for check in judged.checks):
        return f"{said}; there are too few undisturbed runs to say how sure that is."
    return f"{said}." if judged.clear else f"{said}, but other prompts and seeds might say otherwise."


def made(rows: Iterable[Row]) -> str:
    """When and where rows were made, in a sentence; empty if there are none."""
    dates, machines, models = set[str](), set[str](), set[str]()
    count = disturbed = 0
    for row in rows:
        count += 1
        disturbed += row.disturbed is not None
        dates.add(row.date[:10])
        machines.add(", ".join(f"{name} {value}" for name, value in row.machine.items()))
        models.add(row.models["target"]["name"])
    if not count:
        return ""
    days = min(dates) if len(dates) == 1 else f"{min(dates)} to {max(dates)}"
    waits = f"; {disturbed} of them beside other programs, which speeds leave out" if disturbed else ""
    return f"{count:,} runs of {', '.join(sorted(models))} on {days}; {'; '.join(sorted(machines))}{waits}."
