"""What a layer of the draft was drawn from: one distribution for each place (chains, trees), or all continuations of
all beams together."""

import plotly.graph_objects as go

from specviz.trace.record import Iteration, Proposal, Trace
from specviz.views import palette, reading
from specviz.views.bars import OTHERS, REST, Bar, bars_figure, bars_text
from specviz.views.names import after_name, next_name
from specviz.views.tokens import label

_DRAWN = palette.Mark("drawn by the draft model", palette.ACCEPTED, "▸", "", "", 0.0)
_ROOTS = palette.Mark("drawn as a first token", palette.BONUS, "▸", "", "", 0.0)
_LABEL = 24


def proposals_at(iteration: Iteration, depth: int) -> tuple[Proposal, ...]:
    """The proposals that nodes of a depth were drawn from; empty for a deterministic draft."""
    nodes = reading.nodes_of(iteration)
    proposals = iteration.forest.proposals if iteration.forest else ()
    return tuple(p for p in proposals if p.draws and nodes[p.draws[0]].depth == depth)


def proposal_bars(trace: Trace, iteration: Iteration, proposal: Proposal) -> tuple[Bar, ...]:
    """A bar for each token, or pair of beam and token, with the probability it is drawn with: of a layer of beams that
    is the joint's, or the beam's weight times the token's."""
    nodes, first = reading.nodes_of(iteration), reading.first_of_text(iteration)
    drawn = {(first[nodes[number].parent], nodes[number].token) for number in proposal.draws}
    if proposal.joint is not None:
        pairs = list(reading.table_of(proposal.joint).items())
    else:
        total = sum(proposal.parent_weights)
        pairs = [
            ((parent, token), weight / total * prob)
            for parent, weight, law in zip(
                proposal.parents, proposal.parent_weights, proposal.conditionals, strict=True
            )
            for token, prob in reading.table_of(law).items()
        ]
    several = len(proposal.parents) > 1 or proposal.joint is not None
    bars, node_of = [], reading.nodes_of_pairs(iteration)
    for (place, token), prob in pairs:
        name = next_name(trace, iteration, place, token, 12) if several else label(trace.vocabulary, token, _LABEL)
        bars.append(Bar(name, prob, (first[place], token) in drawn, token, node_of(place, token)))
    return tuple(bars)


def _others(proposal: Proposal) -> str:
    return OTHERS if len(proposal.parents) > 1 or proposal.joint is not None else REST


def _title(iteration: Iteration, proposal: Proposal, places: int) -> str:
    if reading.nodes_of(iteration)[proposal.draws[0]].root:
        return "target: probability of the first token"
    if len(proposal.parents) > 1 or proposal.joint is not None:
        return "draft: probability of beam and next token"
    if places > 1:
        return f"draft: next token after {after_name(iteration, proposal.parents[0])} (one of {places} places)"
    return "draft: probability of the next token"


def proposal_text(trace: Trace, index: int, depth: int) -> str:
    """The distributions of a layer in sentences; "" where nothing was drawn by chance."""
    iteration = reading.iteration_of(trace, index)
    found = proposals_at(iteration, depth)
    return "\n".join(
        bars_text(
            f"Depth {depth}, {_title(iteration, proposal, len(found))}",
            proposal_bars(trace, iteration, proposal),
            "drawn",
            _others(proposal),
        )
        for proposal in found
    )


def proposal_figure(trace: Trace, index: int, depth: int, *, dark: bool = False) -> go.Figure:
    """Bars of the first proposal at a depth, the drawn continuations marked. Needs one: see ``proposals_at``."""
    iteration = reading.iteration_of(trace, index)
    found = proposals_at(iteration, depth)
    root = reading.nodes_of(iteration)[found[0].draws[0]].root
    mark, plain = (_ROOTS, palette.TARGET) if root else (_DRAWN, palette.DRAFT)
    bars = proposal_bars(trace, iteration, found[0])
    return bars_figure(bars, mark, plain, _title(iteration, found[0], len(found)), dark, _others(found[0]))
