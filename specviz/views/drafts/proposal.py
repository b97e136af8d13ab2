"""What a layer of the draft was drawn from: one distribution for each prefix (chains, trees), or all continuations of
all beams together."""

from specviz.facts import iteration_facts as facts
from specviz.facts.prefix_names import after_name, next_name
from specviz.facts.tokens import label
from specviz.pictures.bars import OTHERS, REST, TokenChoice, bars_picture, bars_text
from specviz.pictures.shapes import KeyEntry, Picture
from specviz.trace.forest import Proposal
from specviz.trace.record import Iteration, Trace

_DRAWN = KeyEntry("accepted", "▸", "drawn by the draft model")
_ROOTS = KeyEntry("bonus", "▸", "drawn as a first token")
_LABEL = 24


def proposals_at(iteration: Iteration, depth: int) -> tuple[Proposal, ...]:
    """The proposals that nodes of a depth were drawn from; empty for a deterministic draft."""
    nodes = facts.nodes_of(iteration)
    proposals = iteration.forest.proposals if iteration.forest else ()
    return tuple(p for p in proposals if p.nodes and nodes[p.nodes[0]].depth == depth)


def proposal_choices(trace: Trace, iteration: Iteration, proposal: Proposal) -> tuple[TokenChoice, ...]:
    """Each token, or pair of beam and token, with the probability it is drawn with: of a layer of beams that
    is the joint's, or the beam's weight times the token's."""
    nodes, first = facts.nodes_of(iteration), facts.first_of_text(iteration)
    drawn = {(first[nodes[number].parent], nodes[number].token) for number in proposal.nodes}
    if proposal.joint is not None:
        pairs = list(proposal.joint.table().items())
    else:
        total = sum(proposal.weights)
        pairs = [
            ((parent, token), weight / total * prob)
            for parent, weight, distribution in zip(
                proposal.parents, proposal.weights, proposal.distributions, strict=True
            )
            for token, prob in distribution.table().items()
        ]
    several = _is_layer(proposal)
    choices, node_of = [], facts.nodes_of_pairs(iteration)
    for (prefix, token), prob in pairs:
        name = next_name(trace, iteration, prefix, token, 12) if several else label(trace.vocabulary, token, _LABEL)
        choices.append(TokenChoice(name, prob, (first[prefix], token) in drawn, node_of(prefix, token)))
    return tuple(choices)


def _others(proposal: Proposal) -> str:
    return OTHERS if _is_layer(proposal) else REST


def _is_layer(proposal: Proposal) -> bool:
    """Whether it is of a layer of beams, not of one prefix."""
    return len(proposal.parents) > 1 or proposal.joint is not None


def _title(iteration: Iteration, proposal: Proposal, total: int) -> str:
    if facts.nodes_of(iteration)[proposal.nodes[0]].root:
        return "target: probability of the first token"
    if _is_layer(proposal):
        return "draft: probability of beam and next token"
    if total > 1:
        return f"draft: next token after {after_name(iteration, proposal.parents[0])} (one of {total} prefixes)"
    return "draft: probability of the next token"


def proposal_text(trace: Trace, index: int, depth: int) -> str:
    """The distributions of a layer in sentences; "" where nothing was drawn at random."""
    iteration = facts.iteration_of(trace, index)
    proposals = proposals_at(iteration, depth)
    return "\n".join(
        bars_text(
            f"Depth {depth}, {_title(iteration, proposal, len(proposals))}",
            proposal_choices(trace, iteration, proposal),
            "drawn",
            _others(proposal),
        )
        for proposal in proposals
    )


def proposal_picture(trace: Trace, index: int, depth: int) -> Picture:
    """Bars of the first proposal at a depth, the drawn continuations marked. Needs one: see ``proposals_at``."""
    iteration = facts.iteration_of(trace, index)
    first, *more = proposals_at(iteration, depth)
    root = facts.nodes_of(iteration)[first.nodes[0]].root
    title, choices = _title(iteration, first, 1 + len(more)), proposal_choices(trace, iteration, first)
    words = proposal_text(trace, index, depth)
    return bars_picture(
        title, choices, _ROOTS if root else _DRAWN, "target" if root else "draft", words, others=_others(first)
    )
