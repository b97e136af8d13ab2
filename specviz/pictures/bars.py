"""Ranked bars: one distribution, most probable first, with the drawn tokens marked and the rest of the vocabulary."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from specviz.facts.iteration_facts import nodes_of, nodes_of_pairs
from specviz.facts.tokens import label, number
from specviz.facts.words import ORIGINS
from specviz.pictures.shapes import Bar, BarRow, Bars, KeyEntry, Level, Picture, Strip, Tone
from specviz.pictures.shown import Moment, join
from specviz.trace.forest import Origin
from specviz.trace.record import Iteration, Trace

REST, OTHERS = "rest of vocabulary", "all others"
SHOWN = 12  # bars beside the rest
DRAFTED = KeyEntry("target", "▸", "drafted")


class TokenChoice(NamedTuple):
    """A token, or a pair of beam and token, that may be drawn: its plain label, its probability, whether it was drawn,
    and the drafted node that it is, if there is one."""

    label: str
    prob: float
    drawn: bool
    node: int | None = None


def token_choices(
    trace: Trace, iteration: Iteration, prefix: int, table: Mapping[int, float], drawn: int, limit: int = 20
) -> tuple[TokenChoice, ...]:
    """The tokens that may follow a prefix, one of them drawn; labels have up to ``limit`` characters."""
    node_of = nodes_of_pairs(iteration)
    return tuple(
        TokenChoice(label(trace.vocabulary, token, limit), prob, token == drawn, node_of(prefix, token))
        for token, prob in table.items()
    )


def shortlist(choices: Sequence[TokenChoice], shown: int = SHOWN) -> tuple[tuple[TokenChoice, ...], float | None]:
    """The ``shown`` most probable and every drawn one, most probable first, and the probability of the rest; None where
    nothing is left out."""
    ranked = sorted((choice for choice in choices if choice.prob > 0 or choice.drawn), key=lambda choice: -choice.prob)
    listed = tuple(choice for rank, choice in enumerate(ranked) if rank < shown or choice.drawn)
    rest = max(0.0, 1.0 - sum(choice.prob for choice in listed))
    return listed, rest if len(listed) < len(ranked) or rest > 1e-6 else None


def reach(probs: Iterable[float]) -> float:
    """Where an axis of probabilities ends: a little past the largest, never past 1."""
    return min(1.0, 1.2 * max(probs, default=1.0))


def origin_entry(origin: Origin) -> KeyEntry:
    """The mark of a token that was drawn."""
    return KeyEntry(origin, ORIGINS[origin].glyph, ORIGINS[origin].mark)


def bars_text(title: str, choices: Sequence[TokenChoice], drawn_word: str, others: str = REST) -> str:
    """The probabilities in a sentence; ``others`` names the rest."""
    listed, rest = shortlist(choices)
    parts = [
        f"“{choice.label}” {number(choice.prob)}" + (f" ({drawn_word})" if choice.drawn else "") for choice in listed
    ]
    parts += [] if rest is None else [f"{others} {number(rest)}"]
    return f"{title}: " + ", ".join(parts) + "."


def bars_picture(
    title: str,
    choices: Sequence[TokenChoice],
    drawn: KeyEntry,
    plain: Tone,
    words: str,
    *,
    others: str = REST,
    shown: int = SHOWN,
    level: Level | None = None,
    above: tuple[Strip, ...] = (),
) -> Picture:
    """A bar for each of a ``shortlist`` and for the rest; drawn ones with the mark ``drawn``, others ``plain``, which
    the key calls ``title``; strips may stand ``above``."""
    listed, rest = shortlist(choices, shown)
    rows = [
        BarRow(choice.label, (_bar(drawn.tone, choice.prob),), drawn.glyph, choice.node)
        if choice.drawn
        else BarRow(choice.label, (_bar(plain, choice.prob),), node=choice.node)
        for choice in listed
    ]
    rows += [] if rest is None else [BarRow(others, (_bar(plain, rest),), rest=True)]
    most = reach([row.bars[0].length for row in rows] + ([level.at] if level else []))
    return Picture((*above, Bars(tuple(rows), most, level=level)), words, (KeyEntry(plain, "", title), drawn))


def target_bars(
    moment: Moment,
    title: str = "target",
    table: Mapping[int, float] | None = None,
    *,
    marked: int | None = None,
    mark: KeyEntry = DRAFTED,
    level: Level | None = None,
    note: str = "",
) -> Picture:
    """The target's bars at the place of a decision's guess: the distribution that it was judged by, or a ``table`` of
    other probabilities, 0 to 1, by token, called ``title``. The guess has the ``mark``, or else the token ``marked``;
    ``note`` is a sentence more."""
    decision = moment.decision
    probs = decision.target.table() if table is None else table
    parent = nodes_of(moment.iteration)[decision.node].parent
    choices = token_choices(moment.trace, moment.iteration, parent, probs, decision.token if marked is None else marked)
    words = join(bars_text(title[:1].upper() + title[1:], choices, mark.word), note)
    return bars_picture(title, choices, mark, "target", words, level=level)


def _bar(tone: Tone, prob: float) -> Bar:
    return Bar(tone, prob, number(prob))
