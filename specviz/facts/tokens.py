"""Tokens and numbers as a reader sees them.

White space and control characters become visible, half characters become a mark, right-to-left letters are kept from
turning the line around, and whatever goes into a plotly figure is escaped, since plotly reads its text as markup.
"""

import html
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from math import inf

from specviz.trace.record import Emitted, Trace

SPACE, NEWLINE, TAB, HALF, EMPTY, UNKNOWN = "·", "↵", "⇥", "▯", "∅", "#"
END = "\uffff"
"""Stands for an end token among the pieces of a text; the page writes "end of answer" there."""
LONGEST = 400
"""Characters of a word that are looked at where no limit is given: a file may hold words of millions."""
_JOINER = "\u200d"
_JOINERS = {_JOINER, "\u200c", "\ufe0f", "\ufe0e"}  # part of an emoji or a word when something stands before them
_SKINS = ("\U0001f3fb", "\U0001f3ff")  # of emoji, the first and the last


def visible(text: str, limit: int = LONGEST) -> str:
    """``text`` with white space and control characters made visible, cut to ``limit`` characters with an ellipsis.

    Every character shows as one or more, so those after the first ``limit`` + 1 are not even read."""
    return _shown(text[: limit + 1], limit)


@lru_cache(maxsize=4096)
def _shown(text: str, limit: int) -> str:
    if not text:
        return EMPTY
    shown = _marked(text)
    if len(shown) > limit:
        shown = shown[: _between(shown, limit - 1, -1)] + "…"
    return isolated(shown)


def _marked(text: str) -> str:
    shown = "".join(_visible(character, index) for index, character in enumerate(text))
    return "◌" + shown if shown and _extends(shown[0]) else shown


def _extends(character: str) -> bool:
    """Whether it is drawn with the character before it."""
    skin = _SKINS[0] <= character <= _SKINS[1]
    return unicodedata.category(character)[0] == "M" or character in _JOINERS or skin


def _between(text: str, at: int, step: int) -> int:
    """The next index from ``at`` on, or back, that is between what a reader sees as characters."""
    while 0 < at < len(text) and (_extends(text[at]) or text[at - 1] == _JOINER):
        at += step
    return at


def isolated(text: str) -> str:
    """``text``, to be read in its own direction whatever stands around it, where it is not from left to right alone."""
    turns = any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)
    return f"\u2068{text}\u2069" if turns else text


def _visible(character: str, index: int) -> str:
    if character == "\ufffd":
        return HALF
    named = {" ": SPACE, "\n": NEWLINE, "\r": "␍", "\t": TAB}
    if character in named:
        return named[character]
    if character in _JOINERS and index > 0:
        return character
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"):
        return f"⟨U+{ord(character):04X}⟩"
    return character


def label(vocabulary: Mapping[int, str], token: int, limit: int = LONGEST) -> str:
    """A token's visible text, as plain text; ``#17`` for an id that the vocabulary does not hold."""
    return visible(vocabulary[token], limit) if token in vocabulary else f"{UNKNOWN}{token}"


def piece(vocabulary: Mapping[int, str], token: int) -> str:
    """A token's share of a text, cut to LONGEST characters; ``#17`` for an id that the vocabulary does not hold."""
    return vocabulary[token][:LONGEST] if token in vocabulary else f"{UNKNOWN}{token}"


def emitted_piece(trace: Trace, emitted: Emitted) -> str:
    """The share of the text of a token that was emitted, cut to LONGEST characters; END for an end token, which has
    none."""
    ends = not emitted.piece and emitted.token in trace.header.end_tokens
    return END if ends else emitted.piece[:LONGEST]


def joined(vocabulary: Mapping[int, str], tokens: Sequence[int], limit: int) -> str:
    """The visible text of several tokens, as one text; a long one keeps its end. None is empty, so the last tokens will
    do."""
    text = _marked("".join(piece(vocabulary, token) or EMPTY for token in tokens[-limit - 1 :]))
    return isolated(text if len(text) <= limit else "…" + text[_between(text, len(text) + 1 - limit, 1) :])


def quoted(vocabulary: Mapping[int, str], token: int, limit: int = 40) -> str:
    """A token for a sentence: its visible text between quotation marks."""
    return f"“{label(vocabulary, token, limit)}”"


def markup(text: str) -> str:
    """Plain text made safe for plotly, whose text is markup."""
    return html.escape(text, quote=False)


def number(value: float, digits: int = 2) -> str:
    """A number for a sentence: ``digits`` decimals, more where they would hide it; whole numbers bare.

    >>> [number(x) for x in (0, 1, 0.5, 0.604, 0.0034, 0.9996, 1e-7, inf)]
    ['0', '1', '0.50', '0.60', '0.0034', '0.9996', '1.0e-07', '∞']
    """
    if value == inf:
        return "∞"
    if abs(value) < 1e6 and (value == 0 or (round(value) and abs(value - round(value)) < 5e-7)):
        return str(round(value))
    for decimals in range(digits, 7):
        text = f"{value:.{decimals}f}"
        near = abs(float(text) - value) <= 0.05 * abs(value) and float(text) != int(float(text))
        if near or abs(value) > 1:
            return text
    return f"{value:.1e}"


def pair(*values: float) -> tuple[str, ...]:
    """Numbers, two as a rule, with enough decimals to tell neighbours apart, for sentences that compare them."""
    for digits in range(2, 8):
        texts = tuple(number(value, digits) for value in values)
        if all(a != b or x == y for a, b, x, y in zip(texts, texts[1:], values, values[1:], strict=False)):
            return texts
    return tuple(f"{value:.12g}" for value in values)


def worked(result: str, work: Callable[..., float], *values: float, digits: int = 2) -> tuple[str, ...]:
    """Texts of the values, with as many decimals, ``digits`` at least, as it takes to find the written result again by
    doing ``work`` with them.

    >>> worked("0.59", lambda target, draft: target / draft, 0.0886, 0.15)
    ('0.089', '0.150')
    """
    return worked_together([(result, work)], *values, digits=digits)


def worked_together(
    steps: Sequence[tuple[str, Callable[..., float]]], *values: float, digits: int = 2
) -> tuple[str, ...]:
    """``worked`` for several results of the same values, each with its work."""
    texts: tuple[str, ...] = ()
    for decimals in range(digits, 7):
        texts = tuple(number(value, decimals) for value in values)
        if all(comes_out(result, work, *texts) for result, work in steps):
            break
    return texts


def comes_out(result: str, work: Callable[..., float], *texts: str) -> bool:
    """Whether doing ``work`` with written numbers gives the written result, to its last digit."""
    mantissa, _, power = result.partition("e")
    close = 0.501 * 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
    with suppress(ZeroDivisionError, ValueError):
        return abs(work(*map(float, texts)) - float(result)) <= close
    return False


def drafts_left(amount: int) -> str:
    """How many drafts extend the beams that are left, for a sentence."""
    if not amount:
        return "no draft extends a beam that is left"
    return f"{count(amount, 'draft')} {'extends' if amount == 1 else 'extend'} the beams that are left"


def count(amount: int, noun: str) -> str:
    """``1 token``, ``3 tokens``."""
    return f"{amount:,} {noun}" if amount == 1 else f"{amount:,} {noun}s"
