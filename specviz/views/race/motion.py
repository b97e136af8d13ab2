"""The film of a race: the state of a lane's forest at any moment of the lane's own clock.

The moments come from the record. A phase begins and ends when its segment does. Guesses of one depth appear during the
draft calls that made them, by the calls' recorded seconds; verdicts fall in the order of the decisions, evenly spread
over the phase, since a record has no clock for each. The page (assets/player/src/stage) draws any moment from this
alone, forwards or backwards.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

import networkx as nx

from specviz.facts import iteration_facts as facts
from specviz.facts.prefix_names import next_token, root_label
from specviz.facts.tokens import label
from specviz.measure.summary import agreements, summarise
from specviz.trace.record import Emitted, Iteration, Trace
from specviz.views.drafts import node_states
from specviz.views.drafts.forest import edge_weights, look_of
from specviz.views.drafts.tree_layout import (
    Coordinates,
    extent,
    last_drawn,
    leaves_room,
    shown_roots,
    tidy_layout,
    tree_graph,
)
from specviz.views.race.dials import dials
from specviz.views.story.payload_types import GuessMotion, IterationMotion, LaneMotion

MOST_ROWS = 7  # leaves of a forest that are drawn; the others are counted
LONGEST_LABEL = 14
MOST_READ = 128  # rows of the target call that are drawn
PHASES = ("draft", "target", "verify")


def lane_motion(trace: Trace) -> LaneMotion:
    """The film of a lane. A run without a record has phases and dials, but no guesses."""
    slots = accumulate((len(iteration.emitted) for iteration in trace.iterations), initial=0)
    return {
        "look": look_of(trace.header.method.drafter),
        "iterations": [
            iteration_motion(trace, iteration.index, slot)
            for iteration, slot in zip(trace.iterations, slots, strict=False)
        ],
        "dials": [[(dial["text"], dial["unit"], dial["value"]) for dial in dials(part)] for part in _beginnings(trace)],
    }


def newest_motion(trace: Trace) -> LaneMotion | None:
    """The film of a lane's last iteration, for a lane that is still writing; None before the first."""
    if not trace.iterations:
        return None
    last = trace.iterations[-1]
    slot = sum(len(iteration.emitted) for iteration in trace.iterations[:-1])
    return {
        "look": look_of(trace.header.method.drafter),
        "iterations": [iteration_motion(trace, last.index, slot)],
        "dials": [],
    }


def _beginnings(trace: Trace) -> Iterable[Trace]:
    """The trace up to the end of each iteration, with its metrics. What is measured over the whole run stays."""
    whole, metrics = trace.iterations, trace.metrics
    agreed = list[float]()
    for end in range(1, len(whole) + 1):
        agreed += agreements(whole[end - 1])
        part = summarise(whole[:end], trace.header, trace.prefill_seconds, agreed=agreed)
        whole_run = {name: getattr(metrics, name) for name in ("joules_per_token", "processor_share", "call_slowdown")}
        yield replace(trace, iterations=whole[:end], metrics=replace(part, **whole_run))


def iteration_motion(trace: Trace, index: int, slot: int = 0) -> IterationMotion:
    """One iteration; ``slot`` is the number of tokens that were output before it."""
    iteration = trace.iterations[index]
    phases = _phases(iteration)
    graph = _folded(iteration)
    coordinates = tidy_layout(graph, last_drawn(iteration))
    depth, rows = extent(iteration, coordinates)
    coordinates = {name: (x, -y) for name, (x, y) in coordinates.items()}  # rows from the top
    guesses = _guesses(trace, iteration, coordinates, phases, slot)
    guesses += _draws(trace, iteration, coordinates, phases["verify"], slot)
    shown = sum(isinstance(name, int) and name >= 0 for name in graph)
    return {
        "phases": phases,
        "depth": depth,
        "rows": rows,
        "roots": [
            {"name": root, "label": root_label(trace, iteration, root, LONGEST_LABEL), "y": coordinates[root][1]}
            for root in shown_roots(iteration)
            if root in coordinates
        ],
        "guesses": guesses,
        "folded": len(facts.nodes_of(iteration)) - shown,
        "asked": len(facts.submitted(facts.nodes_of(iteration))),
        "offered": iteration.offered,
        "accepted": iteration.accepted,
        "reads": _reads(iteration),
        "decisions": len(iteration.decisions),
        "tokens": slot + len(iteration.emitted),
    }


def _reads(iteration: Iteration) -> list[tuple[str, int]]:
    """The rows of the target call: each prefix, and the row of the one it follows (-1: the context alone). A row sees
    that row and what it sees."""
    first, nodes = facts.first_of_text(iteration), facts.nodes_of(iteration)
    numbers = {prefix: row for row, prefix in enumerate(facts.read_prefixes(iteration)[:MOST_READ])}
    return [(str(p), numbers.get(first[nodes[p].parent], -1) if p >= 0 else -1) for p in numbers]


def _phases(iteration: Iteration) -> dict[str, tuple[float, float]]:
    """When each phase began and ended, on the lane's own clock; one that did not happen takes no time."""
    phases: dict[str, tuple[float, float]] = {}
    at = iteration.segments[0].start if iteration.segments else 0.0
    for phase in PHASES:
        own = [segment for segment in iteration.segments if segment.phase == phase]
        phases[phase] = (own[0].start, own[-1].end) if own else (at, at)
        at = phases[phase][1]
    return phases


def _folded(iteration: Iteration) -> nx.DiGraph:
    """The part of an iteration's forest that is drawn, with at most MOST_ROWS leaves: what became text, what was drawn,
    then judged guesses and the likeliest of the others, all with their ancestors."""
    graph, nodes = tree_graph(iteration), facts.nodes_of(iteration)
    states = node_states.final_states(iteration)
    likelihood: list[float] = []
    for node in nodes:
        likelihood.append(node.draft_prob * (likelihood[node.parent] if node.parent >= 0 else 1.0))

    def importance(name: int | str) -> tuple[float, ...]:
        if isinstance(name, str):
            return (1,)
        if name < 0:
            return (4, -name)
        taken, judged = states[name] in ("accepted", "root"), states[name] in ("rejected", "dropped")
        return (0 if taken else 2 if judged else 3, -likelihood[name], name)

    visible: set[int | str] = set()
    last, rows = last_drawn(iteration), int(leaves_room(iteration))
    for name in sorted(graph, key=importance):
        path = [name, *_above(graph, name)]
        new = [ancestor for ancestor in path if ancestor not in visible]
        joint = path[len(new)] if len(new) < len(path) else None
        lengthens = name == last or (joint is not None and visible.isdisjoint(graph.successors(joint)))
        if new and rows + (not lengthens) <= MOST_ROWS:
            visible.update(new)
            rows += not lengthens
    return graph.subgraph([name for name in graph if name in visible])


def _above(graph: nx.DiGraph, name: int | str) -> list[int | str]:
    """The ancestors of something in a forest, from its parent up."""
    ancestors = []
    while (above := next(iter(graph.predecessors(name)), None)) is not None:
        ancestors.append(above)
        name = above
    return ancestors


def _drafted_at(iteration: Iteration, phase: tuple[float, float]) -> list[float]:
    """The moments at which each depth of the forest began to appear, and the last one's end: [depth + 1]. What the
    target gave was there from the beginning."""
    start, end = phase
    nodes = facts.nodes_of(iteration)
    root_depth = max((node.depth for node in nodes if node.root), default=0)
    seconds = [call.seconds for call in iteration.calls if call.role in ("draft", "heads")] or [1.0]
    done = [*accumulate(seconds, initial=0.0)]
    deepest = max((node.depth for node in nodes), default=0)
    moments = []
    for depth in range(deepest + 1):
        call = max(0, depth - root_depth) * len(seconds) / max(deepest - root_depth, 1)
        at = min(int(call), len(seconds) - 1)
        share = (done[at] + (call - at) * seconds[at]) / (done[-1] or 1.0)
        moments.append(start + share * (end - start))
    return moments


def _decided_at(iteration: Iteration, phase: tuple[float, float], decision: int) -> float:
    """The moment of a decision, counted from 1; from 0, the phase's beginning."""
    start, end = phase
    return start + (end - start) * decision / (len(iteration.decisions) + 1)


def _settled(iteration: Iteration) -> dict[int, int]:
    """After how many decisions each node had its final state."""
    final, since = node_states.final_states(iteration), dict[int, int]()
    most = len(iteration.decisions)
    for made in range(most + 1):
        for name, state in node_states.judged_states(iteration, made).items():
            if state == final[name]:
                since.setdefault(name, made)
            else:
                since.pop(name, None)
    return {name: since.get(name, most) for name in final}


def _guesses(
    trace: Trace, iteration: Iteration, coordinates: Coordinates, phases: dict[str, tuple[float, float]], slot: int
) -> list[GuessMotion]:
    """What was drafted, as far as it is drawn."""
    nodes, states, settled = facts.nodes_of(iteration), node_states.final_states(iteration), _settled(iteration)
    moments, weights = _drafted_at(iteration, phases["draft"]), edge_weights(nodes)
    first, slots = facts.first_of_text(iteration), _slots(iteration.emitted, slot)
    layers: dict[int, list[int]] = {}
    for name in sorted(name for name in coordinates if isinstance(name, int) and name >= 0):
        layers.setdefault(nodes[name].depth, []).append(name)
    guesses: list[GuessMotion] = []
    for depth, names in layers.items():
        start, end = moments[depth - 1], moments[depth]
        for at, name in enumerate(names, start=1):
            parent = nodes[name].parent
            judged = _decided_at(iteration, phases["verify"], settled[name])
            x, y = coordinates[name]
            guesses.append(
                {
                    "name": str(name),
                    "label": label(trace.vocabulary, nodes[name].token, LONGEST_LABEL),
                    "parent": str(first[parent] if parent < 0 else parent),
                    "x": x,
                    "y": y,
                    "weight": weights[name],
                    "appears": start + (end - start) * at / len(names),
                    "settles": phases["draft"][1] if states[name] == "pruned" else judged,
                    "fate": states[name],
                    "slot": slots.get(name),
                }
            )
    return guesses


def _slots(emitted: Sequence[Emitted], slot: int) -> dict[int, int]:
    """Which output token each node became."""
    return {token.node: at for at, token in enumerate(emitted, start=slot) if token.node is not None}


def _draws(
    trace: Trace, iteration: Iteration, coordinates: Coordinates, phase: tuple[float, float], slot: int
) -> list[GuessMotion]:
    """What was drawn in place of a guess, or after the last one, or by the target alone."""
    draws: list[GuessMotion] = []
    last = slot + len(iteration.emitted) - 1 if facts.draw_emitted(iteration) and not iteration.beams else None
    counts = [len(facts.drawn_tokens(iteration, made)) for made in range(len(iteration.decisions) + 1)]
    for at, drawn in enumerate(facts.drawn_tokens(iteration)):
        if drawn.name not in coordinates:
            continue
        moment = _decided_at(iteration, phase, bisect_right(counts, at))
        x, y = coordinates[drawn.name]
        draws.append(
            {
                "name": drawn.name,
                "label": next_token(trace, drawn.token, LONGEST_LABEL),
                "parent": str(drawn.parent),
                "x": x,
                "y": y,
                "weight": 0.3,
                "appears": moment,
                "settles": moment,
                "fate": drawn.origin,
                "slot": last,
            }
        )
    return draws
