"""The stages of a step: which decisions have a scene of their own, and the state of the draft tree in each scene."""

from typing import NamedTuple

from specviz.errors import SpecvizError, as_given
from specviz.facts import iteration_facts as facts
from specviz.trace.decisions import Draw
from specviz.trace.record import Iteration
from specviz.views.drafts import node_states

MOST_TOLD = 100  # decisions that have a scene of their own
END = "tree-commit"
"""The stage of a tree once everything has been decided."""


def drawn_depths(iteration: Iteration) -> range:
    """The depths whose drafting has a scene."""
    return range(1, min(max((node.depth for node in facts.nodes_of(iteration)), default=0), facts.DEEPEST) + 1)


def scene_key(iteration: Iteration, decision_index: int) -> str:
    """The key of the scene that tells the decision at ``decision_index``, counted from 1."""
    group = told_together(iteration).of(decision_index)
    if group:
        return f"decision-{group[-1]}"
    decision = iteration.decisions[decision_index - 1]
    if isinstance(decision, Draw) and decision.last:
        return "draw"
    return f"{'draw' if isinstance(decision, Draw) else 'decision'}-{decision_index}"


class Together(NamedTuple):
    """Numbers of decisions that share one scene, that of the last: ``idle`` are tests without effect, if there are
    several, ``more`` those beyond MOST_TOLD scenes."""

    idle: tuple[int, ...]
    more: tuple[int, ...]

    def of(self, decision_index: int) -> tuple[int, ...]:
        """The numbers that share a scene with this one; empty if it has its own."""
        return next((group for group in self if decision_index in group), ())


@facts.once
def told_together(iteration: Iteration) -> Together:
    """Which decisions of an iteration do not have a scene of their own; the last one always has."""
    idle = node_states.without_effect(iteration)
    idle = idle if len(idle) > 1 else ()
    alone = sorted(set(range(1, len(iteration.decisions) + 1)) - set(idle))
    return Together(idle, tuple(alone[MOST_TOLD - 2 : -1]) if len(alone) > MOST_TOLD else ())


class TreeStage(NamedTuple):
    """A stage of a draft tree: the states of the nodes that are drawn, and how many decisions have been made."""

    states: dict[int, str]
    made: int


@facts.once
def tree_stages(iteration: Iteration) -> dict[str, TreeStage]:
    """Every stage of the draft tree that a scene shows, by the key of its figure."""
    together = told_together(iteration)
    stages = {
        "context": TreeStage({}, 0),
        "target": TreeStage(node_states.judged_states(iteration, 0), 0),
        "commit": TreeStage(node_states.final_states(iteration), facts.final_made(iteration)),
    }
    for depth in drawn_depths(iteration):
        stages[f"draft-{depth}"] = TreeStage(node_states.drafting_states(iteration, depth), 0)
    for made in range(1, len(iteration.decisions) + 1):
        group = together.of(made)
        if not group or made == group[-1]:
            stages[scene_key(iteration, made)] = TreeStage(node_states.judged_states(iteration, made), made)
    return {f"tree-{name}": stage for name, stage in stages.items()}


def known_stage(iteration: Iteration, stage: str) -> str:
    """The key of a stage of this iteration. Raises SpecvizError for any other."""
    if stage not in (known := tree_stages(iteration)):
        raise SpecvizError(f"stage must be one of {', '.join(known)}, got {as_given(stage, 40)}", argument="stage")
    return stage
