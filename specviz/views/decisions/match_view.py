"""Two lists side by side, what agrees joined: candidates against the target's choice, the draft's beams against the
target's best."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import exp

import plotly.graph_objects as go

from specviz.trace.decisions import GreedyMatch, SearchStep
from specviz.trace.record import Iteration, Trace
from specviz.views.facts.iteration_facts import nodes_of, siblings
from specviz.views.facts.prefix_names import log_number, next_name
from specviz.views.facts.scene_parts import Drawing, Moment, Shown, Telling, join
from specviz.views.facts.tokens import label, markup, number, quoted
from specviz.views.plot import palette
from specviz.views.plot.bars import Bar, bars_figure, bars_text, linked

_RIGHT = 0.6  # where the right list stands; the left one stands at 0
_CHOICE = palette.MarkStyle("the target's choice", palette.ACCEPTED, "◆", "", "", 0.0)


@dataclass(frozen=True)
class Entry:
    """One entry of a list: its text, and whether the other list has it."""

    text: str
    found: bool


def lists_figure(
    left: Sequence[Entry], right: Sequence[Entry], joins: Sequence[tuple[int, int]], titles: tuple[str, str], dark: bool
) -> go.Figure:
    """The lists from top to bottom; ``joins`` are pairs of entries that are the same."""
    colors, rows = palette.theme(dark), max(len(left), len(right), 1)
    above = {"yref": "y", "y": -0.75, "showarrow": False, "font": {"size": 12}}
    notes = [
        above | {"x": 0.06, "xanchor": "right", "text": f"<b>{titles[0]}</b>"},
        above | {"x": _RIGHT - 0.06, "xanchor": "left", "text": f"<b>{titles[1]}</b>"},
    ]
    figure = palette.canvas(
        dark,
        min(560, 50 + 30 * rows),
        palette.Key(((palette.ACCEPTED, "✓", "in both lists, joined"), (palette.REJECTED, "✗", "in one alone"))),
        notes=notes,
        margin={"t": 12},
        xaxis={"visible": False, "range": [-1.4, _RIGHT + 1.4]},
        yaxis={"visible": False, "range": [rows - 0.5, -1.1]},
    )
    lines = [value for a, b in joins for value in ((0.04, a), (_RIGHT - 0.04, b), (None, None))]
    figure.add_scatter(
        x=[x for x, _ in lines],
        y=[y for _, y in lines],
        mode="lines",
        line={"color": palette.ACCEPTED, "width": 3},
        hoverinfo="skip",
        name="the same",
    )
    for x, entries, side in ((0, left, "middle left"), (_RIGHT, right, "middle right")):
        marks = [palette.OUTCOMES["accepted" if entry.found else "rejected"] for entry in entries]
        figure.add_scatter(
            x=[x] * len(entries),
            y=list(range(len(entries))),
            mode="markers+text",
            text=["\u00a0\u00a0" + markup(entry.text) + "\u00a0\u00a0" for entry in entries],
            textposition=side,
            textfont={"color": colors.ink, "size": 12},
            marker={
                "symbol": [mark.symbol for mark in marks],
                "size": 15,
                "color": [
                    mark.color if entry.found else palette.CLEAR for mark, entry in zip(marks, entries, strict=True)
                ],
                "line": {"color": [mark.outline or colors.ink for mark in marks], "width": 1.5},
            },
            hoverinfo="skip",
            cliponaxis=False,
        )
    return figure


def show_match(moment: Moment) -> Shown:
    """One candidate against the target's most likely token."""
    decision, trace = moment.decision, moment.trace
    judged = [
        d for d in siblings(moment.iteration, nodes_of(moment.iteration)[decision.node].parent) if d.rule == "match"
    ]
    judged = [d for d in judged if d.candidate <= decision.candidate]
    token, best = quoted(trace.vocabulary, decision.token), quoted(trace.vocabulary, decision.best)
    of = f", candidate {decision.candidate + 1} of {decision.candidates}" if decision.candidates > 1 else ""
    verdict = "accepted" if decision.accepted else "rejected"
    what, formula = _argmax(moment, token, best)
    telling = Telling(
        f"Token {decision.depth}{of}, {token}: {verdict}",
        join(what, moment.said.get("accept" if decision.accepted else "reject", "")),
        f"{formula}: {'accept' if decision.accepted else 'reject'} (no coin is flipped)",
    )
    distribution = Drawing(
        partial(match_target_figure, trace, decision, moment.iteration), partial(match_target_text, trace, decision)
    )
    match = Drawing(partial(match_figure, trace, judged), partial(match_text, trace, judged))
    panels = {
        "probabilities": (f"probabilities-{moment.decision_index}", distribution),
        "decision": (f"match-{moment.decision_index}", match),
    }
    return Shown(telling, panels)


def _argmax(moment: Moment, token: str, best: str) -> tuple[str, str]:
    """The candidate beside the target's choice, in a sentence and as a formula; of a rule that goes by something else,
    what that says of itself."""
    decision = moment.decision
    if decision.accepted != (decision.token == decision.best) or not is_likeliest(decision):
        return moment.said.get("rule", ""), "by the method’s own rule"
    if decision.accepted:
        return f"The target's most likely token here is {best}, and so is this candidate.", f"{token} = argmax target"
    return (
        f"The target's most likely token here is {best}; this candidate is {token}{_likelihood(decision)}.",
        f"{token} ≠ argmax target = {best}",
    )


def is_likeliest(decision: GreedyMatch) -> bool:
    """Whether what the decision calls the target's best is likelier than all else there."""
    return bool(decision.target.prob(decision.best) >= decision.target.probs.max(initial=0.0))


def _likelihood(decision: GreedyMatch) -> str:
    """How likely the target finds the candidate, before temperature, top-k and top-p."""
    value = decision.target.raw_logprobs().get(decision.token)
    return "" if value is None else f", with probability {number(exp(value))}"


def _target_bars(trace: Trace, decision: GreedyMatch) -> tuple[Bar, ...]:
    """The model's own probabilities: the warped distribution of greedy decoding is one-hot and says nothing more."""
    probs = {token: exp(value) for token, value in decision.target.raw_logprobs().items()}
    return tuple(Bar(label(trace.vocabulary, t, 20), p, t == decision.best, t) for t, p in probs.items())


def match_target_text(trace: Trace, decision: GreedyMatch) -> str:
    """The target's distribution at the position in a sentence."""
    return bars_text("Target, raw probabilities", _target_bars(trace, decision), "its choice")


def match_target_figure(
    trace: Trace, decision: GreedyMatch, iteration: Iteration | None = None, *, dark: bool = False
) -> go.Figure:
    """The target's distribution at the position, its choice marked; ``iteration`` links bars to nodes."""
    bars = _target_bars(trace, decision)
    if iteration is not None:
        bars = linked(bars, iteration, nodes_of(iteration)[decision.node].parent)
    return bars_figure(bars, _CHOICE, palette.TARGET, "target, raw probabilities", dark)


def match_text(trace: Trace, decisions: Sequence[GreedyMatch]) -> str:
    """The candidates for a position judged so far."""
    best = quoted(trace.vocabulary, decisions[0].best)
    parts = [f"{quoted(trace.vocabulary, d.token)} {'matches' if d.accepted else 'does not'}" for d in decisions]
    return f"The target's choice is {best}. Candidates so far: {', '.join(parts)}."


def match_figure(trace: Trace, decisions: Sequence[GreedyMatch], *, dark: bool = False) -> go.Figure:
    """Candidates for a position judged so far on the left, the target's choice on the right, joined where they
    match."""
    left = [Entry(label(trace.vocabulary, d.token, 16), d.accepted) for d in decisions]
    right = [Entry(label(trace.vocabulary, decisions[0].best, 16), any(d.accepted for d in decisions))]
    joins = [(at, 0) for at, decision in enumerate(decisions) if decision.accepted]
    return lists_figure(left, right, joins, ("candidates", "target’s choice"), dark)


def show_search(moment: Moment) -> Shown:
    """One step of beam search on the target, against the draft's beams of that layer."""
    decision, iteration, trace = moment.decision, moment.iteration, moment.trace
    found = sum(node is not None for node in decision.nodes)
    many = len(decision.tokens)
    if decision.accepted:
        best = "The target's best beam is" if many == 1 else f"All of the target's {many} best beams are"
        what = f"{best} among the draft's {len(decision.drafted)}: the search goes on."
    elif decision.drafted:
        missing = many - found
        what = (
            f"{missing} of the target's {many} best beams {'is' if missing == 1 else 'are'} not among the draft's "
            f"{len(decision.drafted)}: the target's own are kept and the iteration ends."
        )
    else:
        what = f"Nothing is drafted at this depth: the target's own {many} best beams are kept."
    short = "the draft falls short" if decision.drafted else "the target alone"
    outcome = "all drafted" if decision.accepted else short
    best = next_name(trace, iteration, decision.parents[0], decision.tokens[0], 16) if many else ""
    telling = Telling(
        f"Search, depth {decision.depth}: {outcome}",
        join(what, moment.said.get("accept" if decision.accepted else "reject", "") if decision.drafted else ""),
        f"best: “{best}”, log joint = {log_number(decision.logprobs[0])}" if many else "",
    )
    drawing = Drawing(
        partial(search_figure, trace, iteration, decision), partial(search_text, trace, iteration, decision)
    )
    return Shown(telling, {"decision": (f"search-{moment.decision_index}", drawing)})


def _drafted_names(trace: Trace, iteration: Iteration, decision: SearchStep) -> list[str]:
    nodes = nodes_of(iteration)
    return [next_name(trace, iteration, nodes[node].parent, nodes[node].token) for node in decision.drafted]


def search_text(trace: Trace, iteration: Iteration, decision: SearchStep) -> str:
    """Both lists in sentences."""
    best = [
        f"“{next_name(trace, iteration, prefix, token, 16)}” {log_number(value)}"
        + (" (drafted)" if node is not None else "")
        for prefix, token, value, node in zip(
            decision.parents, decision.tokens, decision.logprobs, decision.nodes, strict=True
        )
    ]
    drafted = [f"“{name}”" for name in _drafted_names(trace, iteration, decision)]
    lines = [f"The target's best beams at depth {decision.depth}, with their joint log-probability: {', '.join(best)}."]
    lines.append(f"The draft's beams: {', '.join(drafted)}." if drafted else "The draft has no beams there.")
    return "\n".join(lines)


def search_figure(trace: Trace, iteration: Iteration, decision: SearchStep, *, dark: bool = False) -> go.Figure:
    """The target's best beams on the left with their joint log-probabilities, the draft's on the right, the same ones
    joined."""
    names = [
        f"{next_name(trace, iteration, prefix, token, 8)}  {log_number(value)}"
        for prefix, token, value in zip(decision.parents, decision.tokens, decision.logprobs, strict=True)
    ]
    left = [Entry(name, node is not None) for name, node in zip(names, decision.nodes, strict=True)]
    right = [
        Entry(name, node in decision.nodes)
        for name, node in zip(_drafted_names(trace, iteration, decision), decision.drafted, strict=True)
    ]
    joins = [(at, decision.drafted.index(n)) for at, n in enumerate(decision.nodes) if n in decision.drafted]
    return lists_figure(left, right, joins, ("target’s best", "draft’s beams"), dark)
