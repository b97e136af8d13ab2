"""Two verifiers on one frozen forest, side by side: how many guesses each keeps, and which token each writes first."""

from collections.abc import Callable, Mapping, Sequence

from specviz.facts.tokens import label, number, quoted
from specviz.pictures.bars import REST, reach
from specviz.pictures.shapes import Bar, BarRow, Bars, KeyEntry, Picture
from specviz.trace.distribution import total_variation
from specviz.views.same_forest.frozen import VerdictRow, percent

SHOWN = 7  # tokens beside the rest
_FILLED = (None, 0.0)  # of the bars of the first and of the second verifier: all, nothing


def counts_picture(verdicts: Sequence[VerdictRow]) -> Picture:
    """How often each of one or two verifiers keeps 0, 1, 2 ... guesses, over all coins."""
    counts = range(max(len(verdict.lengths) for verdict in verdicts))
    series = [[dict(enumerate(verdict.lengths)).get(length, 0.0) for length in counts] for verdict in verdicts]
    rows = [
        BarRow(f"keeps {length or 'none'}", tuple(_bar(at, probs[length], percent) for at, probs in enumerate(series)))
        for length in counts
    ]
    return Picture(
        (Bars(tuple(rows), 1.0),), _counts_words(verdicts), _entries([verdict.title for verdict in verdicts])
    )


def _counts_words(verdicts: Sequence[VerdictRow]) -> str:
    lines = []
    for verdict in verdicts:
        parts = [f"{length} in {percent(prob)}" for length, prob in enumerate(verdict.lengths) if prob > 1e-7]
        mean = sum(length * prob for length, prob in enumerate(verdict.lengths))
        lines.append(f"{verdict.title}: guesses kept, over all coins: {', '.join(parts)}; {number(mean)} on average.")
    return "\n".join(lines)


def first_picture(
    vocabulary: Mapping[int, str],
    target: Mapping[int, float],
    distributions: Sequence[tuple[str, Mapping[int, float]]],
) -> Picture:
    """The distribution of the first token: the target's own, and that of one or two verifiers by title."""
    tokens, with_rest = _shortlist(target, [distribution for _, distribution in distributions])
    rows = []
    for token in [*tokens, *([None] if with_rest else [])]:
        own = _value(target, token, tokens)
        bars = [_bar(at, _value(probs, token, tokens), number) for at, (_, probs) in enumerate(distributions)]
        name = REST if token is None else label(vocabulary, token, 16)
        rows.append(BarRow(name, (Bar("target", own, number(own)), *bars), rest=token is None))
    most = reach(bar.length for row in rows for bar in row.bars)
    key = (KeyEntry("target", "", "the target alone"), *_entries([title for title, _ in distributions]))
    return Picture((Bars(tuple(rows), most),), _first_words(vocabulary, target, distributions), key)


def _first_words(
    vocabulary: Mapping[int, str],
    target: Mapping[int, float],
    distributions: Sequence[tuple[str, Mapping[int, float]]],
) -> str:
    """The picture in sentences, with the distance of each from the target's distribution."""
    tokens, with_rest = _shortlist(target, [distribution for _, distribution in distributions])
    lines = []
    for title, distribution in [("The target alone", target), *distributions]:
        parts = [f"{quoted(vocabulary, token)} {number(distribution.get(token, 0.0))}" for token in tokens]
        parts += [f"{REST} {number(_value(distribution, None, tokens))}"] if with_rest else []
        lines.append(f"{title}: {', '.join(parts)}.")
    lines += [
        f"{title} follows {distance_words(total_variation(distribution, target))}."
        for title, distribution in distributions
    ]
    return "\n".join(lines)


def distance_words(value: float) -> str:
    """A total variation for a sentence; below 1e-6 only the rounding of the models is left."""
    return (
        "exactly the target's distribution"
        if value < 1e-6
        else f"a distribution {number(value)} away from the target's"
    )


def _shortlist(target: Mapping[int, float], distributions: Sequence[Mapping[int, float]]) -> tuple[list[int], bool]:
    """The tokens that get bars, likeliest under the target first, and whether anything is left over."""
    most = {
        token: max(distribution.get(token, 0.0) for distribution in (target, *distributions))
        for distribution in (target, *distributions)
        for token in distribution
    }
    likely = sorted((token for token, prob in most.items() if prob > 1e-6), key=lambda token: -most[token])
    tokens = sorted(likely[:SHOWN], key=lambda token: (-target.get(token, 0.0), -most[token]))
    return tokens, len(likely) > SHOWN


def _value(distribution: Mapping[int, float], token: int | None, tokens: Sequence[int]) -> float:
    if token is None:
        return max(0.0, 1.0 - sum(distribution.get(other, 0.0) for other in tokens))
    return distribution.get(token, 0.0)


def _bar(at: int, prob: float, words: Callable[[float], str]) -> Bar:
    """A bar of the first or the second verifier."""
    return Bar("muted", prob, words(prob), _FILLED[at])


def _entries(titles: Sequence[str]) -> tuple[KeyEntry, ...]:
    return tuple(KeyEntry("muted", glyph, title) for glyph, title in zip(("", "▨"), titles, strict=False))
