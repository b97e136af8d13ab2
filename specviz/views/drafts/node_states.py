"""The stages of a draft tree: the state of every node after each step.

States are the outcomes of ``trace/record.py``, ``pending``, and two of nodes that the target gave: ``root`` (text if
its chain is kept) and ``spare`` (its chain was not).
"""

from collections.abc import Sequence
from typing import TypeGuard

from specviz.facts.iteration_facts import ancestors, best_prefix, drawn_tokens, nodes_of, once, prominent
from specviz.trace.decisions import Decision, GuessTest, PrefixTest
from specviz.trace.forest import Node
from specviz.trace.record import Iteration, Trace


def final_states(iteration: Iteration) -> dict[int, str]:
    """Every node with its outcome; those that a search weighed and did not take were judged."""
    states = {number: _final(node) for number, node in enumerate(nodes_of(iteration))}
    weighed = {n for decision in iteration.decisions for n in decision.weighed}
    return states | {n: "rejected" for n in weighed if states[n] == "unjudged"}


def _final(node: Node) -> str:
    if node.root:
        return "root" if node.outcome == "accepted" else "spare"
    return node.outcome


def drafting_states(iteration: Iteration, depth: int) -> dict[int, str]:
    """The nodes drawn up to ``depth``: pending, or pruned where a beam was left behind before ``depth``."""
    nodes = nodes_of(iteration)
    shown = [number for number, node in enumerate(nodes) if node.depth <= depth]
    alive = {number for number in shown if nodes[number].depth == depth or nodes[number].outcome != "pruned"}
    for number in reversed(shown):
        if number in alive:
            alive.add(nodes[number].parent)
    states = {number: "pending" if number in alive else "pruned" for number in shown}
    return states | {number: "root" for number in shown if nodes[number].root}


def judged_states(iteration: Iteration, judged: int) -> dict[int, str]:
    """The states of all nodes after the first ``judged`` decisions: unsubmitted ones pruned, others pending or judged.

    A test of prefixes keeps the longest that passed so far, failing ones inside it included; one that passes without
    being the longest is accepted, but not in the text. What stands below a rejected token is never judged, and neither
    are the candidates beside one that a coin accepted."""
    nodes = nodes_of(iteration)
    states = {n: "root" if node.root else "pending" if node.submitted else "pruned" for n, node in enumerate(nodes)}
    decisions = iteration.decisions[:judged]
    for decision in decisions:
        if isinstance(decision, GuessTest):
            states[decision.node] = "accepted" if decision.accepted else "rejected"
        elif isinstance(decision, PrefixTest) and not decision.jumps:
            parent = nodes[decision.node].parent
            holds = decision.passes and (parent < 0 or states[parent] == "accepted")
            states[decision.node] = "accepted" if holds else "rejected"
        states |= {n: "accepted" if taken else "rejected" for n, taken in decision.weighed.items()}
    states |= _prefix_states(nodes, [d for d in decisions if isinstance(d, PrefixTest) and d.jumps])
    return states | dict.fromkeys(_never_judged(nodes, states, decisions), "unjudged")


def possible_marks(trace: Trace, iteration: Iteration) -> tuple[set[str], set[str]]:
    """The states that the nodes of an iteration may reach, and the origins of what it may draw. For an iteration with
    nodes they are those of the whole run, so that they do not reveal how it ends."""
    return _marks_of_run(trace) if nodes_of(iteration) else (set(), {token.origin for token in drawn_tokens(iteration)})


@once
def _marks_of_run(trace: Trace) -> tuple[set[str], set[str]]:
    """The marks of every iteration, and both outcomes of the run's tests."""
    states, origins = {"pending"}, set[str]()
    for iteration in trace.iterations:
        final, nodes = final_states(iteration), nodes_of(iteration)
        shown = prominent(nodes)
        states |= {final[n] for n in shown} | {"pruned" for n in shown if not nodes[n].submitted}
        origins |= {drawn.origin for drawn in drawn_tokens(iteration)}
    decisions = [decision for iteration in trace.iterations for decision in iteration.decisions]
    if any(isinstance(decision, GuessTest | PrefixTest) for decision in decisions):
        states |= {"accepted", "rejected"}
        origins |= {"resampled", "bonus"} if origins & {"resampled", "bonus"} else set()
    deep = any(node.depth > 1 for iteration in trace.iterations for node in nodes_of(iteration))
    ending = any(isinstance(decision, GuessTest) or _ends(decision) for decision in decisions)
    return states | ({"unjudged"} if ending and deep else set()), origins


def without_effect(iteration: Iteration) -> tuple[int, ...]:
    """The numbers, counted from 1, of tests that could keep nothing: a token further up their path fails its own."""
    nodes = nodes_of(iteration)
    tests = {at: d for at, d in enumerate(iteration.decisions, start=1) if isinstance(d, PrefixTest) and not d.jumps}
    failed = {d.node for d in tests.values() if not d.passes}
    return tuple(at for at, test in tests.items() if not failed.isdisjoint(ancestors(nodes, test.node)))


def _prefix_states(nodes: Sequence[Node], decisions: Sequence[PrefixTest]) -> dict[int, str]:
    best = best_prefix(nodes, decisions)
    accepted = set() if best is None else {best, *ancestors(nodes, best)}
    judged = {d.node: "dropped" if d.passes else "rejected" for d in decisions}
    return judged | dict.fromkeys(accepted - {-1}, "accepted")  # from the leaves up, nothing above was judged


def _never_judged(nodes: Sequence[Node], states: dict[int, str], decisions: Sequence[Decision]) -> set[int]:
    """Pending nodes below a rejected token, and those that an accepted candidate has beaten, with all below them."""
    lost = {d.node for d in decisions if _ends(d) and states[d.node] == "rejected"}
    taken = {nodes[d.node].parent: d.node for d in decisions if isinstance(d, GuessTest) and d.beats and d.accepted}
    for number, node in enumerate(nodes):
        if states[number] == "pending" and node.parent in taken and number != taken[node.parent]:
            lost.add(number)
        elif node.parent in lost:
            lost.add(number)  # parents come before their children
    return {number for number in lost if states[number] == "pending"}


def _ends(decision: Decision) -> TypeGuard[GuessTest | PrefixTest]:
    """Whether nothing below its node is judged, or counts, if it fails."""
    if isinstance(decision, GuessTest):
        return decision.closes
    return isinstance(decision, PrefixTest) and not decision.jumps
