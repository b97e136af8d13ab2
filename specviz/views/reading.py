"""What an iteration of a trace says, once read closely: ancestors, positions, kept rows, and the stages of a tree.

The figures and the texts both take their facts from here, so they cannot disagree.
"""

from collections.abc import Sequence

from specviz.errors import SpecvizError
from specviz.trace.record import (
    CoinDecision,
    Decision,
    Distribution,
    DrawDecision,
    Iteration,
    JointDecision,
    Node,
    Trace,
)

ROOT = -1  # the last context token, where a parent is a node number


def iteration_of(trace: Trace, index: int) -> Iteration:
    """The iteration at ``index``; raises SpecvizError when there is none, or when the run was not recorded."""
    if not 0 <= index < len(trace.iterations):
        raise SpecvizError(f"iteration index must be 0 to {len(trace.iterations) - 1}, got {index}")
    if not trace.header.recorded:
        raise SpecvizError("this trace was made with record=False, so it holds no forests or decisions to show")
    return trace.iterations[index]


def nodes_of(iteration: Iteration) -> tuple[Node, ...]:
    """The drafted nodes, none where nothing was drafted."""
    return iteration.forest.nodes if iteration.forest else ()


def prob_of(distribution: Distribution, token: int) -> float:
    """The warped probability of a token, 0 where it is not listed."""
    return next((p for t, p in zip(distribution.tokens, distribution.probs, strict=True) if t == token), 0.0)


def table_of(distribution: Distribution) -> dict[int, float]:
    """Token to warped probability, most probable first."""
    return dict(zip(distribution.tokens, distribution.probs, strict=True))


def ancestors(nodes: Sequence[Node], number: int) -> tuple[int, ...]:
    """The numbers above a node, from its parent up to and including -1 (nothing is above -1 itself)."""
    path = []
    while number != ROOT:
        number = nodes[number].parent
        path.append(number)
    return tuple(path)


def submitted(nodes: Sequence[Node]) -> tuple[int, ...]:
    """The numbers of the nodes that the target scored, in order."""
    return tuple(number for number, node in enumerate(nodes) if node.submitted)


def position(iteration: Iteration, depth: int) -> int:
    """The position id of a token ``depth`` steps after the last context token (depth 0)."""
    return iteration.context_length - 1 + depth


def kept_nodes(iteration: Iteration) -> frozenset[int]:
    """The nodes whose target rows stay: those emitted, save a last emitted token, which is read by the next call."""
    return frozenset(emitted.node for emitted in iteration.emitted[:-1] if emitted.node is not None)


def draw_of(decisions: Sequence[Decision]) -> DrawDecision | None:
    """The draw of a new token, if there was one."""
    return next((decision for decision in decisions if decision.rule == "draw"), None)


def draw_parent(iteration: Iteration, draw: DrawDecision) -> int:
    """The kept node that a drawn token follows, -1 for the last context token."""
    for decision in iteration.decisions:
        if decision.rule != "draw" and stays(decision) and decision.depth == draw.depth - 1:
            return decision.node
    return ROOT


def stays(decision: CoinDecision | JointDecision) -> bool:
    """Whether the token was kept: by its coin, or inside the longest passing prefix."""
    return decision.accepted if decision.rule == "coin" else decision.kept


def draw_emitted(iteration: Iteration) -> bool:
    """Whether the drawn token became text (the length limit may have cut it)."""
    return bool(iteration.emitted) and iteration.emitted[-1].node is None


def final_states(iteration: Iteration) -> dict[int, str]:
    """Every node with its outcome."""
    return {number: node.outcome for number, node in enumerate(nodes_of(iteration))}


def prominent(nodes: Sequence[Node], most: int = 60) -> frozenset[int]:
    """The submitted nodes, then the likeliest of the others, up to ``most`` in all; their ancestors are among them.

    A path is never likelier than its beginning, so ancestors come before their descendants by themselves.
    """
    path_probs: list[float] = []
    for node in nodes:
        path_probs.append(node.draft_prob * (path_probs[node.parent] if node.parent != ROOT else 1.0))
    ranked = sorted(range(len(nodes)), key=lambda n: (not nodes[n].submitted, -path_probs[n], n))
    return frozenset(ranked[: max(most, len(submitted(nodes)))])


def drafting_states(iteration: Iteration, depth: int) -> dict[int, str]:
    """The nodes drawn up to ``depth``: pending, or pruned where a beam was left behind before ``depth``."""
    nodes = nodes_of(iteration)
    shown = [number for number, node in enumerate(nodes) if node.depth <= depth]
    alive = {number for number in shown if nodes[number].depth == depth or nodes[number].outcome != "pruned"}
    alive |= {above for number in tuple(alive) for above in ancestors(nodes, number)}
    return {number: "pending" if number in alive else "pruned" for number in shown}


def judged_states(iteration: Iteration, judged: int) -> dict[int, str]:
    """All nodes as they stand after the first ``judged`` decisions: unsubmitted ones pruned, others pending or judged.

    A joint test keeps the longest prefix that passed so far, failing ones inside it included. Whatever stands below a
    rejected coin is never judged.
    """
    nodes = nodes_of(iteration)
    states = {n: "pending" if node.submitted else "pruned" for n, node in enumerate(nodes)}
    decisions = iteration.decisions[:judged]
    longest = max((d.depth for d in decisions if d.rule == "joint" and d.passes), default=0)
    for decision in decisions:
        if decision.rule == "coin":
            states[decision.node] = "accepted" if decision.accepted else "rejected"
        elif decision.rule == "joint":
            states[decision.node] = "accepted" if decision.depth <= longest else "rejected"
    lost = {d.node for d in decisions if d.rule == "coin" and not d.accepted}
    below = {n for n, state in states.items() if state == "pending" and lost & set(ancestors(nodes, n))}
    return states | dict.fromkeys(below, "unjudged")
