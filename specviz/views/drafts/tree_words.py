"""The draft tree in sentences, and a sentence for every node."""

from collections.abc import Mapping

from specviz.facts import iteration_facts as facts
from specviz.facts.prefix_names import after_name, prefix_name, quoted_next
from specviz.facts.tokens import count, drafts_left, number, quoted
from specviz.trace.decisions import WidthTest
from specviz.trace.forest import Node
from specviz.trace.record import Iteration, Trace
from specviz.views.drafts import node_states
from specviz.views.drafts.stages import END, known_stage, tree_stages
from specviz.views.plot import palette


def node_text(trace: Trace, iteration: Iteration, name: int, state: str | None = None) -> str:
    """One sentence about a drafted node (or a root); ``state`` stands for its outcome at an earlier stage, "" for no
    word about it."""
    if name < 0:
        token = quoted(trace.vocabulary, facts.token_at(iteration, name))
        return f"{prefix_name(iteration, name)} {token}, position {facts.position(iteration, name)}"
    node = facts.nodes_of(iteration)[name]
    parts = [
        f"node {name}: {quoted(trace.vocabulary, node.token)} after {after_name(iteration, node.parent)}",
        f"depth {node.depth}",
        f"position {facts.position(iteration, name)}",
        _offer(node),
    ]
    parts += [f"from draft model {node.model + 1}"] if facts.several_drafts(facts.nodes_of(iteration)) else []
    parts += [f"ranked by {number(node.score)}"] if node.score is not None else []
    parts += [f"estimated acceptance {number(node.estimate)}"] if node.estimate is not None else []
    outcome = node_states.final_states(iteration)[name] if state is None else state
    return ", ".join([*parts, palette.OUTCOMES[outcome].word] if outcome else parts)


def _offer(node: Node) -> str:
    """How a node was offered: with a draft probability, chosen without a draw, or by the target."""
    if node.root:
        return "from the target"
    chosen = node.draft_prob == 1.0 and node.score is not None
    return "chosen, not drawn" if chosen else f"draft probability {number(node.draft_prob)}"


def tree_text(trace: Trace, index: int, stage: str = END) -> str:
    """The tree in sentences, one line per depth, nodes grouped by outcome. Arguments as for ``tree_figure``.

    Pruned nodes are only counted: the texts of the drafting stages, where they appear, give their numbers.
    """
    iteration = facts.iteration_of(trace, index)
    nodes = facts.nodes_of(iteration)
    every, made = tree_stages(iteration)[known_stage(iteration, stage)]
    shown = facts.prominent(nodes)
    states = {name: state for name, state in every.items() if name in shown}
    first = facts.first_of_text(iteration)
    roots = [root for root in facts.roots_of(iteration) if first[root] == root]
    begin = ", ".join(node_text(trace, iteration, root) for root in roots)
    lines = [f"Draft tree of iteration {index + 1}: {count(len(every), 'node')} after {begin}."]
    for depth in sorted({nodes[name].depth for name in states}):
        lines += _layer(trace, iteration, [name for name in sorted(states) if nodes[name].depth == depth], states)
    if len(states) < len(every):
        lines.append(f"{count(len(every) - len(states), 'less likely node')} not shown.")
    for drawn in facts.drawn_tokens(iteration, made):
        depth = (nodes[drawn.parent].depth if drawn.parent >= 0 else 0) + 1
        several = f" {drawn.count} times" if drawn.count > 1 else ""
        where = f" after {after_name(iteration, drawn.parent)}" if iteration.inputs else ""
        word = palette.ORIGINS[drawn.origin].word
        lines.append(f"Then, at depth {depth}: {quoted_next(trace, drawn.token)}{several}{where}, {word}.")
    for decision in iteration.decisions[:made]:
        if isinstance(decision, WidthTest):
            lines.append(f"Layer {decision.depth} is to be {decision.width} wide; {drafts_left(decision.offered)}.")
    if stage == END and facts.ends(iteration):
        lines.append(_surviving(iteration))
    return "\n".join(lines)


def _layer(trace: Trace, iteration: Iteration, names: list[int], states: Mapping[int, str]) -> list[str]:
    """The nodes of one depth, by state."""
    nodes = facts.nodes_of(iteration)
    scored = any(nodes[name].score is not None for name in names)
    groups: dict[str, list[str]] = {}
    for name in names:
        token = quoted(trace.vocabulary, nodes[name].token)
        value = number(facts.ranking(nodes[name], scored))
        groups.setdefault(states[name], []).append(
            f"node {name} {token} {value} after {after_name(iteration, nodes[name].parent)}"
        )
    ghosts = groups.pop("pruned", [])
    parts = [f"{palette.OUTCOMES[state].word}: {', '.join(layer)}" for state, layer in groups.items()]
    parts += [f"{palette.OUTCOMES['pruned'].word}: {count(len(ghosts), 'node')}"] if ghosts else []
    what = "what the draft ranked it by" if scored else "draft probability"
    return [f"Depth {nodes[names[0]].depth} ({what} after each token). {'; '.join(parts)}."]


def _surviving(iteration: Iteration) -> str:
    """Where the beams that go on end."""
    names = {
        drawn.name: f"the drawn token after {after_name(iteration, drawn.parent)}"
        for drawn in facts.drawn_tokens(iteration)
    }
    words = [
        (names[end] if isinstance(end, str) else prefix_name(iteration, end)) + (f" ({n} copies)" if n > 1 else "")
        for end, n in facts.ends(iteration).items()
    ]
    return f"Beams that go on end in: {', '.join(words)}."
