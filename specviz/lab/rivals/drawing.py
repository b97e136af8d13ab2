"""Where an iteration's time goes, drawn: a bar for each contender, ours and transformers'."""

from collections.abc import Sequence

import plotly.graph_objects as go

from specviz.lab.rivals.costs import Account
from specviz.views.plot import palette

REST = "#cfd6de"
PARTS = {
    "drafting": ("calls of the draft", palette.DRAFT),
    "target": ("the target call", palette.TARGET),
    "verifying": ("verifying", palette.VERIFY),
    "rest": ("the rest", REST),
}


def accounts_figure(accounts: Sequence[Account], *, dark: bool = False) -> go.Figure:
    """One bar for each contender, milliseconds of an average iteration to the right, shared out as ``PARTS`` says; at
    its end what it emits. Transformers' verifying is in the rest."""
    key = palette.Key(tuple((color, "", words) for words, color in PARTS.values()))
    names = [account.contender for account in accounts]
    figure = palette.canvas(
        dark,
        max(100, 40 + 30 * len(names)),
        key,
        margin={"r": 110},
        barmode="stack",
        xaxis={"ticksuffix": " ms", "rangemode": "tozero"},
        yaxis={"tickvals": list(range(len(names))), "ticktext": names, "autorange": "reversed", "showgrid": False},
    )
    for part, (words, color) in PARTS.items():
        figure.add_bar(
            name=words,
            orientation="h",
            y=list(range(len(names))),
            x=[1e3 * getattr(account, part) for account in accounts],
            marker={"color": color, "line": {"width": 0}},
        )
    for number, account in enumerate(accounts):
        figure.add_annotation(
            x=1e3 * account.seconds,
            y=number,
            text=f"{account.tokens:.2f} tokens",
            xanchor="left",
            xshift=6,
            showarrow=False,
        )
    return figure
