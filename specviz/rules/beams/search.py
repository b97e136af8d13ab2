"""Speculative decoding of beam search (speculative-decoding.txt, appendix A.4).

A step of the search is accepted while top_w(target) is inside top_u(draft): then the target has scored all it needs
for the next step. The result is that of beam search on the target alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from specviz.dice import Dice
from specviz.drafting.drafter import ScoredForest
from specviz.drafting.joint import most_likely
from specviz.errors import OptionError
from specviz.facts.iteration_facts import nodes_of
from specviz.facts.prefix_names import log_number, next_name
from specviz.options import Option, Options
from specviz.pictures.charts import JOINED
from specviz.pictures.shapes import ListEntry, Lists, Picture
from specviz.pictures.shown import Moment, Shown, Telling, join
from specviz.rules.beams.layer import drafted_layer, input_beams, step_of
from specviz.rules.spec import VerifierSpec, VerifyContext
from specviz.rules.verdict import Verdict, Verifier
from specviz.trace.decisions import LayerTest
from specviz.trace.distribution import STAYS
from specviz.trace.forest import finite
from specviz.trace.ranges import BeamToken, Depth, LogProb, NodeNumber, Prefix
from specviz.trace.record import Iteration, Trace


@dataclass(frozen=True)
class SearchStep(LayerTest):
    """One step of beam search on the target: its best continuations, best first.

    ``parents`` (prefixes) and ``tokens`` (-1: a finished beam stays) name them, ``logprobs`` are raw joint
    log-probabilities of the outputs (None for minus infinity), ``nodes`` the drafted nodes that are the same beams
    (None where not drafted). ``drafted`` are the draft's own beams of that layer. ``accepted``: all of the target's
    best were drafted, so the search goes on.
    """

    depth: Depth
    parents: tuple[Prefix, ...]
    tokens: tuple[BeamToken, ...]
    logprobs: tuple[LogProb | None, ...]
    nodes: tuple[NodeNumber | None, ...]
    drafted: tuple[NodeNumber, ...]
    accepted: bool
    rule: Literal["search"] = "search"

    def contradictions(self) -> Iterator[tuple[str, str]]:
        if not len(self.parents) == len(self.tokens) == len(self.logprobs) == len(self.nodes):
            yield "", "parents, tokens, logprobs and nodes have different lengths"

    @property
    def weighed(self) -> dict[int, bool]:
        return {node: node in self.nodes for node in self.drafted}

    def show(self, moment: Moment) -> Shown:
        """One step of beam search on the target, against the draft's beams of that layer."""
        iteration, trace = moment.iteration, moment.trace
        drafted = sum(node is not None for node in self.nodes)
        many = len(self.tokens)
        if self.accepted:
            best = "The target's best beam is" if many == 1 else f"All of the target's {many} best beams are"
            what = f"{best} among the draft's {len(self.drafted)}: the search goes on."
        elif self.drafted:
            missing = many - drafted
            what = (
                f"{missing} of the target's {many} best beams {'is' if missing == 1 else 'are'} not among the draft's "
                f"{len(self.drafted)}: the target's own are kept and the iteration ends."
            )
        else:
            what = f"Nothing is drafted at this depth: the target's own {many} best beams are kept."
        short = "the draft falls short" if self.drafted else "the target alone"
        outcome = "all drafted" if self.accepted else short
        best = next_name(trace, iteration, self.parents[0], self.tokens[0], 16) if many else ""
        telling = Telling(
            f"Search, depth {self.depth}: {outcome}",
            join(what, moment.said.get("accept" if self.accepted else "reject", "") if self.drafted else ""),
            f"best: “{best}”, log joint = {log_number(self.logprobs[0])}" if many else "",
        )
        picture = search_picture(trace, iteration, self)
        return Shown(telling, {"decision": (f"search-{moment.decision_index}", picture)})


class SpeculativeBeamVerifier(Verifier):
    """Beam search of ``width`` w among drafted beams, by raw joint probability under the target. At the step that was
    not drafted whole the target's own best are committed, and the iteration ends; a beam that has ended needs no draft.
    Ties as in ``beam.BeamSearch``: the beam that ranked higher, then the smaller token id."""

    reads = "nothing"

    def __init__(self, width: int, end_tokens: frozenset[int] = frozenset()):
        self._width = self.entries = width
        self._end_tokens = end_tokens

    def verify(self, scored: ScoredForest, dice: Dice) -> Verdict:
        nodes, layer = scored.forest.nodes, input_beams(scored)
        deepest = scored.forest.submitted_depth
        verdict = Verdict(offered=deepest, accepted=0)
        drafted = {(node.parent, node.token): number for number, node in enumerate(nodes)}
        inside = True
        while inside and any(beam.next is not None for beam in layer):
            depth = len(verdict.layers) + 1
            best = most_likely(layer, self._width)
            matches = [drafted.get((prefix, token)) for prefix, token, _ in best]
            inside = all(node is not None or token == STAYS for node, (_, token, _) in zip(matches, best, strict=True))
            there = [number for number, node in enumerate(nodes) if node.depth == depth]
            verdict.decisions.append(search_step(depth, best, matches, there, inside))
            verdict.accepted = verdict.accepted_count + inside
            undrafted = "bonus" if depth > deepest and depth > 1 else "target"
            steps = [
                step_of(layer, prefix, token, node, undrafted if node is None and token != STAYS else "accepted")
                for node, (prefix, token, _) in zip(matches, best, strict=True)
            ]
            verdict.layers.append(steps)
            layer = drafted_layer(scored, layer, steps, self._end_tokens) if inside else layer
        return verdict


def search_step(
    depth: int,
    best: Sequence[tuple[int, int, float]],
    nodes: Sequence[int | None],
    drafted: Sequence[int],
    accepted: bool,
) -> SearchStep:
    """The record of a search step whose continuations are ``best`` (``joint.most_likely``)."""
    prefixes, tokens, logprobs = zip(*best, strict=True)
    return SearchStep(depth, prefixes, tokens, tuple(map(finite, logprobs)), tuple(nodes), tuple(drafted), accepted)


def _build(context: VerifyContext, options: Options) -> Verifier:
    width, draft_width = options["beams"], options["draft_beams"]
    if draft_width < width:
        raise OptionError(f"draft_beams must be at least beams ({width}), got {draft_width}", argument="draft_beams")
    return SpeculativeBeamVerifier(width, context.end_tokens)


SPEC = VerifierSpec(
    "search",
    "steps of the target's beam search among the drafted beams",
    _build,
    (Option("beams", "integer", 2, "Beams of the search (w).", 1, 64),),
    judges=("layers",),
    guarantee=lambda options, drawing: "beam search",
    changeable=lambda options: ("beams",),
    beams=lambda context, options: (options["beams"], None),
    carries=True,
    free=False,
)


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


def search_picture(trace: Trace, iteration: Iteration, decision: SearchStep) -> Picture:
    """The target's best beams on the left with their joint log-probabilities, the draft's on the right, the same ones
    joined."""
    names = [
        f"{next_name(trace, iteration, prefix, token, 8)}  {log_number(value)}"
        for prefix, token, value in zip(decision.parents, decision.tokens, decision.logprobs, strict=True)
    ]
    left = tuple(ListEntry(name, node is not None, node) for name, node in zip(names, decision.nodes, strict=True))
    right = tuple(
        ListEntry(name, node in decision.nodes, node)
        for name, node in zip(_drafted_names(trace, iteration, decision), decision.drafted, strict=True)
    )
    joins = tuple((at, decision.drafted.index(n)) for at, n in enumerate(decision.nodes) if n in decision.drafted)
    lists = Lists(("target’s best", "draft’s beams"), left, right, joins)
    return Picture((lists,), search_text(trace, iteration, decision), JOINED)
