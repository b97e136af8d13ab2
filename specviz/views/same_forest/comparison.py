"""Two verifiers on one frozen forest, side by side: how many guesses each keeps, and which token each writes first."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from specviz.trace.distribution import total_variation
from specviz.views.facts.tokens import label, markup, number, quoted
from specviz.views.pictures.bars import REST
from specviz.views.plot import palette
from specviz.views.same_forest.frozen import VerdictRow, percent

SHOWN = 7  # tokens beside the rest


def counts_figure(verdicts: Sequence[VerdictRow], *, dark: bool = False) -> go.Figure:
    """How often each of one or two verifiers keeps 0, 1, 2 ... guesses, over all coins."""
    counts = list(range(max(len(verdict.lengths) for verdict in verdicts)))
    entries = tuple((c, "▨" * bool(p), v.title) for v, (c, p) in zip(verdicts, _styles(dark), strict=False))
    figure = palette.canvas(
        dark,
        210,
        palette.Key(entries),
        margin={"t": 22},
        xaxis={"tickvals": counts, "ticktext": _kept_ticks(len(counts)), "showgrid": False},
        yaxis={"range": [0, 1.12], "tickformat": ".0%", "tickvals": [0, 0.5, 1]},
        bargap=0.3,
        bargroupgap=0.08,
    )
    for verdict, (color, pattern) in zip(verdicts, _styles(dark), strict=False):
        probs = [*verdict.lengths, *[0.0] * (len(counts) - len(verdict.lengths))]
        figure.add_bar(
            x=counts,
            y=probs,
            marker=_marker(color, pattern),
            text=[percent(prob).replace("<", "&lt;") if prob > 1e-7 else "" for prob in probs],
            textposition="outside",
            textfont={"size": 11},
            textangle=0,
            cliponaxis=False,
            name=markup(verdict.title),
            hovertext=[f"keeps {kept}: {percent(prob)}" for kept, prob in zip(counts, probs, strict=True)],
            hoverinfo="text",
        )
    return figure


def _kept_ticks(amount: int) -> list[str]:
    return ["keeps none", *(str(number_) for number_ in range(1, amount))]


def counts_text(verdicts: Sequence[VerdictRow]) -> str:
    """The same in sentences."""
    lines = []
    for verdict in verdicts:
        parts = [f"{kept} in {percent(prob)}" for kept, prob in enumerate(verdict.lengths) if prob > 1e-7]
        mean = sum(kept * prob for kept, prob in enumerate(verdict.lengths))
        lines.append(f"{verdict.title}: guesses kept, over all coins: {', '.join(parts)}; {number(mean)} on average.")
    return "\n".join(lines)


def first_figure(
    vocabulary: Mapping[int, str],
    target: Mapping[int, float],
    distributions: Sequence[tuple[str, Mapping[int, float]]],
    *,
    dark: bool = False,
) -> go.Figure:
    """The distribution of the first token: the target's own, and that of one or two verifiers by title. Bars carry
    ``customdata``: token ids (null for the rest)."""
    tokens, with_rest = _shortlist(target, [distribution for _, distribution in distributions])
    series = [
        ("the target alone", target, (palette.TARGET, "")),
        *((t, distribution, s) for (t, distribution), s in _styled(distributions, dark)),
    ]
    rows: list[int | None] = [*tokens, *([None] if with_rest else [])]
    entries = tuple((color, "▨" * bool(pattern), title) for title, _, (color, pattern) in series)
    most = max((distribution.get(token, 0.0) for _, distribution, _ in series for token in tokens), default=1.0)
    figure = palette.canvas(
        dark,
        24 + (12 * len(series) + 8) * len(rows),
        palette.Key(entries),
        margin={"r": 48},
        xaxis={"range": [0, min(1.0, 1.18 * most)], "tickformat": ".0%", "nticks": 5},
        yaxis={
            "tickvals": list(range(len(rows))),
            "ticktext": [REST if token is None else markup(label(vocabulary, token, 16)) for token in rows],
            "range": [len(rows) - 0.4, -0.6],
            "showgrid": False,
        },
        bargap=0.25,
    )
    for index, (title, distribution, (color, pattern)) in enumerate(series):
        values = [_value(distribution, token, tokens) for token in rows]
        figure.add_bar(
            orientation="h",
            x=values,
            y=list(range(len(rows))),
            offsetgroup=str(index),
            marker=_marker(color, pattern),
            text=[percent(value).replace("<", "&lt;") if value > 1e-7 else "" for value in values],
            textposition="outside",
            textfont={"size": 10},
            cliponaxis=False,
            customdata=rows,
            name=markup(title),
            hovertext=[f"{markup(title)}: {number(value)}" for value in values],
            hoverinfo="text",
        )
    return figure


def first_text(
    vocabulary: Mapping[int, str],
    target: Mapping[int, float],
    distributions: Sequence[tuple[str, Mapping[int, float]]],
) -> str:
    """The same in sentences, with the distance of each from the target's distribution."""
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


def _styles(dark: bool) -> tuple[tuple[str, str], tuple[str, str]]:
    """Colour and pattern of the first and the second verifier."""
    colors = palette.theme(dark)
    return (colors.muted, ""), (colors.ink, "/")


def _styled(distributions: Sequence[tuple[str, Mapping[int, float]]], dark: bool) -> list:
    return list(zip(distributions, _styles(dark), strict=False))


def _marker(color: str, pattern: str) -> dict:
    if not pattern:
        return {"color": color}
    hatch = {"shape": pattern, "fgcolor": color, "bgcolor": palette.CLEAR, "solidity": 0.35, "size": 7}
    return {"color": color, "pattern": hatch, "line": {"color": color, "width": 1}}
