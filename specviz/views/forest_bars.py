"""Two verifiers on one frozen forest, side by side: how many guesses each keeps, and which token each writes first."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from specviz.views import palette
from specviz.views.bars import REST
from specviz.views.forests import Verdict, percent
from specviz.views.tokens import label, markup, number, quoted

SHOWN = 7  # tokens beside the rest


def counts_figure(verdicts: Sequence[Verdict], *, dark: bool = False) -> go.Figure:
    """How often each of one or two verifiers keeps 0, 1, 2 ... guesses, over all coins."""
    places = list(range(max(len(verdict.lengths) for verdict in verdicts)))
    entries = tuple((c, "▨" * bool(p), v.title) for v, (c, p) in zip(verdicts, _styles(dark), strict=False))
    figure = palette.canvas(
        dark,
        210,
        palette.Key(entries),
        margin={"t": 22},
        xaxis={"tickvals": places, "ticktext": _kept_ticks(len(places)), "showgrid": False},
        yaxis={"range": [0, 1.12], "tickformat": ".0%", "tickvals": [0, 0.5, 1]},
        bargap=0.3,
        bargroupgap=0.08,
    )
    for verdict, (color, pattern) in zip(verdicts, _styles(dark), strict=False):
        chances = [*verdict.lengths, *[0.0] * (len(places) - len(verdict.lengths))]
        figure.add_bar(
            x=places,
            y=chances,
            marker=_marker(color, pattern),
            text=[percent(chance).replace("<", "&lt;") if chance > 1e-7 else "" for chance in chances],
            textposition="outside",
            textfont={"size": 11},
            textangle=0,
            cliponaxis=False,
            name=markup(verdict.title),
            hovertext=[f"keeps {place}: {percent(chance)}" for place, chance in zip(places, chances, strict=True)],
            hoverinfo="text",
        )
    return figure


def _kept_ticks(amount: int) -> list[str]:
    return ["keeps none", *(str(number_) for number_ in range(1, amount))]


def counts_text(verdicts: Sequence[Verdict]) -> str:
    """The same in sentences."""
    lines = []
    for verdict in verdicts:
        parts = [f"{place} in {percent(chance)}" for place, chance in enumerate(verdict.lengths) if chance > 1e-7]
        mean = sum(place * chance for place, chance in enumerate(verdict.lengths))
        lines.append(f"{verdict.title}: guesses kept, over all coins: {', '.join(parts)}; {number(mean)} on average.")
    return "\n".join(lines)


def first_figure(
    vocabulary: Mapping[int, str],
    target: Mapping[int, float],
    laws: Sequence[tuple[str, Mapping[int, float]]],
    *,
    dark: bool = False,
) -> go.Figure:
    """The law of the first token: the target's own, and that of one or two verifiers by title. Bars carry
    ``customdata``: token ids (null for the rest)."""
    tokens, with_rest = _shortlist(target, [law for _, law in laws])
    series = [("the target alone", target, (palette.TARGET, "")), *((t, law, s) for (t, law), s in _styled(laws, dark))]
    rows: list[int | None] = [*tokens, *([None] if with_rest else [])]
    entries = tuple((color, "▨" * bool(pattern), title) for title, _, (color, pattern) in series)
    most = max((law.get(token, 0.0) for _, law, _ in series for token in tokens), default=1.0)
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
    for place, (title, law, (color, pattern)) in enumerate(series):
        values = [_value(law, token, tokens) for token in rows]
        figure.add_bar(
            orientation="h",
            x=values,
            y=list(range(len(rows))),
            offsetgroup=str(place),
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
    laws: Sequence[tuple[str, Mapping[int, float]]],
) -> str:
    """The same in sentences, with the distance of each from the target's law."""
    tokens, with_rest = _shortlist(target, [law for _, law in laws])
    lines = []
    for title, law in [("The target alone", target), *laws]:
        parts = [f"{quoted(vocabulary, token)} {number(law.get(token, 0.0))}" for token in tokens]
        parts += [f"{REST} {number(_value(law, None, tokens))}"] if with_rest else []
        lines.append(f"{title}: {', '.join(parts)}.")
    lines += [f"{title} follows {distance_words(distance(law, target))}." for title, law in laws]
    return "\n".join(lines)


def distance(law: Mapping[int, float], target: Mapping[int, float]) -> float:
    """Total variation between two laws of a token, 0 to 1."""
    return sum(abs(law.get(token, 0.0) - target.get(token, 0.0)) for token in law.keys() | target.keys()) / 2


def distance_words(value: float) -> str:
    """A total variation for a sentence; below 1e-6 there is nothing left but the rounding of the models."""
    return "exactly the target's law" if value < 1e-6 else f"a law {number(value)} away from the target's"


def _shortlist(target: Mapping[int, float], laws: Sequence[Mapping[int, float]]) -> tuple[list[int], bool]:
    """The tokens that get bars, likeliest under the target first, and whether anything is left over."""
    most = {token: max(law.get(token, 0.0) for law in (target, *laws)) for law in (target, *laws) for token in law}
    likely = sorted((token for token, chance in most.items() if chance > 1e-6), key=lambda token: -most[token])
    tokens = sorted(likely[:SHOWN], key=lambda token: (-target.get(token, 0.0), -most[token]))
    return tokens, len(likely) > SHOWN


def _value(law: Mapping[int, float], token: int | None, tokens: Sequence[int]) -> float:
    if token is None:
        return max(0.0, 1.0 - sum(law.get(other, 0.0) for other in tokens))
    return law.get(token, 0.0)


def _styles(dark: bool) -> tuple[tuple[str, str], tuple[str, str]]:
    """Colour and pattern of the first and the second verifier."""
    colors = palette.theme(dark)
    return (colors.muted, ""), (colors.ink, "/")


def _styled(laws: Sequence[tuple[str, Mapping[int, float]]], dark: bool) -> list:
    return list(zip(laws, _styles(dark), strict=False))


def _marker(color: str, pattern: str) -> dict:
    if not pattern:
        return {"color": color}
    hatch = {"shape": pattern, "fgcolor": color, "bgcolor": palette.CLEAR, "solidity": 0.35, "size": 7}
    return {"color": color, "pattern": hatch, "line": {"color": color, "width": 1}}
