"""What readers are told about where a token came from and what a method promises: one table each, for the page, the
terminal and the guarantee meter."""

from typing import NamedTuple

from specviz.trace.forest import Origin
from specviz.trace.record import Guarantee


class OriginWords(NamedTuple):
    """``glyph`` marks a token; ``short`` stands after a count, ``caption`` in the legend of a text, ``mark`` in the key
    of a figure; ``meaning`` explains it in a terminal, ``help`` on the page."""

    glyph: str
    short: str
    caption: str
    mark: str
    meaning: str
    help: str


class GuaranteeWords(NamedTuple):
    """``name`` and ``help`` are the badge of a lane; ``one`` and ``many`` are what lanes do; ``meaning`` explains it in
    a terminal; ``meter`` stands beside the meter, which compares with ``against`` and, where no difference is left,
    says ``exact``."""

    name: str
    help: str
    one: str
    many: str
    meaning: str
    meter: str
    against: str
    exact: str


ORIGINS: dict[Origin, OriginWords] = {
    "accepted": OriginWords(
        "✓",
        "accepted",
        "accepted draft",
        "accepted",
        "drafted and accepted",
        "Guessed ahead, by a small model or by heads, and the target let it pass.",
    ),
    "resampled": OriginWords(
        "↻",
        "resampled",
        "resampled",
        "resampled",
        "drawn from the residual after a rejection",
        "A guess was rejected; this token, drawn from what the target had left over, replaces it.",
    ),
    "bonus": OriginWords(
        "+",
        "bonus",
        "bonus",
        "bonus, from the target",
        "from the target, after a draft that passed whole",
        "No guess was rejected on the way, so the same target call gave one more token.",
    ),
    "target": OriginWords(
        "◆",
        "from the target",
        "from the target",
        "from the target",
        "from the target, no guess involved",
        "The target's own, no guess involved.",
    ),
    "hand": OriginWords(
        "✎",
        "put by hand",
        "put by hand",
        "put by hand",
        "put by hand, neither guessed nor drawn",
        "Somebody put it there, to see how the text goes on.",
    ),
}
GUARANTEES: dict[Guarantee, GuaranteeWords] = {
    "target": GuaranteeWords(
        name="lossless",
        help="Its text has exactly the distribution of the target model.",
        one="follows the target's distribution exactly",
        many="follow the target's distribution exactly",
        meaning="exactly the target's distribution",
        meter="lossless",
        against="the target's distribution",
        exact="its distribution is the target's.",
    ),
    "greedy": GuaranteeWords(
        name="lossless, greedy",
        help="Its text is exactly the target's most likely token each time.",
        one="gives the target's own greedy text",
        many="give the target's own greedy text",
        meaning="the target's most probable tokens",
        meter="greedy, exact",
        against="the greedy text of the target",
        exact="its text is always the target's greedy text.",
    ),
    "beam": GuaranteeWords(
        name="beam sampling, lossless",
        help="Given the beams before and how many are to follow, the next ones are drawn as by beam sampling on the "
        "target alone, exactly.",
        one="has the distribution of beam sampling on the target",
        many="have the distribution of beam sampling on the target",
        meaning="each layer of beams is drawn as by beam sampling on the target, given its parents and width",
        meter="beams, exact",
        against="beam sampling on the target",
        exact="the next beams, given those before and how many are to follow, are drawn as by beam sampling on the "
        "target.",
    ),
    "beam search": GuaranteeWords(
        name="beam search, lossless",
        help="Its text is exactly that of beam search on the target alone.",
        one="gives the text of beam search on the target",
        many="give the text of beam search on the target",
        meaning="the text of beam search on the target",
        meter="beam search, exact",
        against="beam search on the target",
        exact="its beams are always those of beam search on the target.",
    ),
    "lossy": GuaranteeWords(
        name="lossy",
        help="Its text no longer has the target's distribution, in exchange for speed or likelier text.",
        one="no longer follows the target's distribution",
        many="no longer follow the target's distribution",
        meaning="another distribution, on purpose",
        meter="lossy",
        against="the target's distribution",
        exact="its distribution is the target's.",
    ),
}
WHATEVER = ", whatever the temperature"  # of a method that is always greedy


def of_guarantee(guarantee: str) -> GuaranteeWords:
    """The words of a guarantee, also of one that a file made elsewhere names and that is not known here."""
    said = f"Its guarantee: {guarantee}."
    plain = GuaranteeWords(
        guarantee, said, f"has the guarantee {guarantee}", f"have the guarantee {guarantee}", *[guarantee] * 4
    )
    return next((words for name, words in GUARANTEES.items() if name == guarantee), plain)
