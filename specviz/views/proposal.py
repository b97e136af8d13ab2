"""What a layer of the draft was drawn from: one distribution (chains), or all continuations of all beams together."""

import plotly.graph_objects as go

from specviz.trace.record import Iteration, Proposal, Trace
from specviz.views import palette, reading
from specviz.views.bars import Bar, bars_figure, bars_text
from specviz.views.tokens import label

_DRAWN = palette.Mark("drawn by the draft model", palette.ACCEPTED, "▸", "", "", 0.0)
_LABEL = 24


def proposals_at(iteration: Iteration, depth: int) -> tuple[Proposal, ...]:
    """The proposals that nodes of a depth were drawn from; empty for a deterministic draft."""
    nodes = reading.nodes_of(iteration)
    proposals = iteration.forest.proposals if iteration.forest else ()
    return tuple(p for p in proposals if p.draws and nodes[p.draws[0]].depth == depth)


def proposal_bars(trace: Trace, iteration: Iteration, proposal: Proposal) -> tuple[Bar, ...]:
    """A bar for each (beam, token), its probability the beam's weight times the token's; labels tell beams apart."""
    nodes = reading.nodes_of(iteration)
    drawn = {(nodes[number].parent, nodes[number].token) for number in proposal.draws}
    total = sum(proposal.parent_weights)
    bars = []
    for parent, weight, conditional in zip(
        proposal.parents, proposal.parent_weights, proposal.conditionals, strict=True
    ):
        path = [number for number in (parent, *reading.ancestors(nodes, parent)) if number >= 0][::-1]
        before = "".join(label(trace.vocabulary, nodes[number].token) for number in path)
        for token, prob in reading.table_of(conditional).items():
            text = label(trace.vocabulary, token, _LABEL // 2)
            if len(proposal.parents) > 1:
                text = _tail(before) + " → " + text
            bars.append(Bar(text, weight / total * prob, (parent, token) in drawn, token))
    return tuple(bars)


def _tail(text: str, limit: int = 12) -> str:
    return text if len(text) <= limit else "…" + text[1 - limit :]


def _title(proposal: Proposal) -> str:
    if len(proposal.parents) > 1:
        return "draft: probability of beam and next token"
    return "draft: probability of the next token"


def proposal_text(trace: Trace, index: int, depth: int) -> str:
    """The distributions of a layer in sentences; "" where nothing was drawn by chance."""
    iteration = reading.iteration_of(trace, index)
    lines = [
        bars_text(f"Depth {depth}, {_title(proposal)}", proposal_bars(trace, iteration, proposal), "drawn")
        for proposal in proposals_at(iteration, depth)
    ]
    return "\n".join(lines)


def proposal_figure(trace: Trace, index: int, depth: int, *, dark: bool = False) -> go.Figure:
    """Bars of the first proposal at a depth, the drawn continuations marked. Needs one: see ``proposals_at``."""
    iteration = reading.iteration_of(trace, index)
    proposal = proposals_at(iteration, depth)[0]
    return bars_figure(proposal_bars(trace, iteration, proposal), _DRAWN, palette.DRAFT, _title(proposal), dark)
