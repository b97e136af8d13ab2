"""A recorded iteration as its verifier saw it, and the same under another warp."""

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from specviz.decoding.registry.method import Method
from specviz.decoding.registry.registry import find_method, methods
from specviz.drafting.drafter import Beam, ScoredForest
from specviz.drafting.joint import joint_distribution
from specviz.errors import OptionError, ReplayError, SpecvizError, as_given
from specviz.facts.iteration_facts import is_by_hand
from specviz.lm.warp import Warp
from specviz.options import Options, is_whole
from specviz.rules.spec import DRAWINGS, WARPS, VerifyContext, asked_warp
from specviz.trace import record
from specviz.trace.distribution import Distribution, conditional, one_hot, warped_anew, without
from specviz.trace.forest import Forest, LayerBeam, Node, Proposal, first_prefixes

SPELT = 100  # characters of a token in a message
ROUNDING = 1e-4  # of probabilities
CONTRADICTIONS = (ArithmeticError, AttributeError, LookupError, RuntimeError, StopIteration, TypeError, ValueError)


@dataclass(frozen=True)
class RecordedIteration:
    """One iteration of a trace, its method, the options it was decoded with (``before``), and those to judge it by."""

    trace: record.Trace
    index: int
    method: Method
    before: Options
    options: Options

    @property
    def iteration(self) -> record.Iteration:
        return self.trace.iterations[self.index]

    @property
    def forest(self) -> Forest:
        forest = self.iteration.forest
        assert forest is not None  # open_iteration refuses a step without a record
        return forest

    @cached_property
    def end_tokens(self) -> frozenset[int]:
        return frozenset(self.trace.header.end_tokens)

    @cached_property
    def context(self) -> tuple[int, ...]:
        """Prompt and output before this iteration; of several beams what they share."""
        emitted = (token.token for iteration in self.trace.iterations[: self.index] for token in iteration.emitted)
        return (*self.trace.header.prompt_tokens, *emitted)

    @property
    def max_new_tokens(self) -> int:
        """Tokens that the run was to write at most."""
        most = self.trace.header.options.get("max_new_tokens")
        return int(most) if isinstance(most, int | float) else 2**31

    @property
    def warped(self) -> bool:
        """Whether the warp is another one than the run's."""
        return any(self.options[name] != self.before[name] for name in WARPS)

    def verify_context(self) -> VerifyContext:
        """What the verifier is made for."""
        header = self.trace.header
        warp = self.method.target_warp(self.options)
        length, size = len(header.prompt_tokens), header.target.vocab_size
        return VerifyContext(warp, self.end_tokens, length, self.max_new_tokens, size)

    def spelt(self, token: int) -> str:
        """A token's text for a message: the beginning of a long one."""
        return self.trace.vocabulary[token][:SPELT]

    def name(self, prefix: int) -> str:
        """A prefix in words, for messages: ``after token 2 (" the")``."""
        if prefix < 0:
            return "after the text" if len(self.iteration.inputs) < 2 else f"after beam {-prefix}"
        node = self.forest.nodes[prefix]
        return f"after token {node.depth} ({self.spelt(node.token)!r})"

    def impossible(self, number: int) -> ReplayError:
        """What is said of a drafted token that the draft would not have proposed at the new options."""
        node = self.forest.nodes[number]
        changed = (f"{name}={self.options[name]!r}" for name in WARPS if self.options[name] != self.before[name])
        token = self.spelt(node.token)
        return ReplayError(
            f"the draft could not have proposed token {node.depth} ({token!r}) at "
            f"{', '.join(changed) or 'these options'}: its probability q is 0"
        )


@contextmanager
def sound_record() -> Generator[None, None, None]:
    """Whatever goes wrong inside with a record that no run wrote is a ReplayError."""
    try:
        yield
    except SpecvizError:
        raise
    except CONTRADICTIONS as error:
        raise ReplayError(f"the record contradicts itself ({type(error).__name__}: {error})") from error


def open_iteration(
    trace: record.Trace, index: int, changed: Mapping[str, Any], method: str | Method | None = None
) -> RecordedIteration:
    """The iteration, its options changed; ``method`` is that of the trace where it is not registered. Raises
    ReplayError for one that is not there, was not recorded or is not complete, OptionError for an option that the
    verdict does not depend on, or out of range."""
    if not trace.iterations:
        raise ReplayError("the trace has no iterations")
    if not is_whole(index) or not 0 <= index < len(trace.iterations):
        raise ReplayError(f"index must be 0 to {len(trace.iterations) - 1}, got {as_given(index)}", argument="index")
    index, method = int(index), method_of(trace, method)
    forest = trace.iterations[index].forest
    if forest is None:
        raise ReplayError("the run was not recorded: decode with record=True")
    if is_by_hand(trace.iterations[index]):
        raise ReplayError("the token of this step was put by hand: nothing was drafted or judged")
    before = method.resolve(**recorded_options(trace, index))
    options = method.resolve(**{**before, **changed})
    allowed = {*method.changeable(before), *method.changeable(options)}
    for option in options:
        if options[option] != before[option] and option not in allowed:
            raise OptionError(
                f"{option} does not rule this iteration's verdict, the draft stays as it was recorded; "
                f"what can be changed is {', '.join(sorted(allowed)) or 'nothing'}, got {option}={options[option]!r}",
                argument=option,
            )
    recorded = RecordedIteration(trace, index, method, before, options)
    _check_complete(recorded)
    return recorded


def method_of(trace: record.Trace, replacement: str | Method | None) -> Method:
    """The trace's method, or the one that is given for it. Raises ReplayError for one that is not known, or that has
    other options."""
    name = trace.header.method.name
    if replacement is None and name not in methods():
        raise ReplayError(
            f"method {name!r:.80} is not registered, so its rule is not known here: give method=", argument="method"
        )
    method = find_method(name if replacement is None else replacement)
    foreign = [option for option in recorded_options(trace) if option not in method.options]
    if replacement is not None and foreign:
        raise ReplayError(
            f"method {method.name!r} has no option {foreign[0]!r}, which the trace of method {name!r:.80} was decoded "
            "with: judge its drafts (recorded_forest) by another verifier instead",
            argument="method",
        )
    return method


def recorded_options(trace: record.Trace, index: int | None = None) -> dict[str, Any]:
    """The method's options, those that iteration ``index`` was made with (default: the last)."""
    options = {name: value for name, value in trace.header.options.items() if name != "max_new_tokens"}
    for branch in reversed(trace.header.branches):
        if index is not None and index < branch.iteration:
            options |= branch.before
    return options


def _check_complete(recorded: RecordedIteration) -> None:
    trace, forest = recorded.trace, recorded.forest
    size, known = trace.header.target.vocab_size, trace.vocabulary.keys()
    if min(known, default=0) < 0 or max(known, default=0) >= size:
        raise ReplayError(f"the record names tokens outside of the target's vocabulary of {size}")
    beams = recorded.iteration.inputs
    prefixes = [-1 - i for i, beam in enumerate(beams) if not beam.finished] if beams else [-1]
    for prefix in (*prefixes, *forest.submitted):
        if prefix not in forest.target:
            raise ReplayError(f"the record lacks the target's distribution {recorded.name(prefix)}")


def scored_again(recorded: RecordedIteration) -> ScoredForest:
    """The scored forest of the iteration at the new options: as it was recorded, where the warp is the run's. Raises
    ReplayError where the record lists too little for another one."""
    inputs = recorded.iteration.inputs
    beams = tuple(
        Beam([*recorded.context, *beam.tokens], -math.inf if beam.logprob is None else beam.logprob, beam.finished)
        for beam in inputs
    ) or (Beam(list(recorded.context)),)
    forest = replace(recorded.forest, nodes=list(recorded.forest.nodes))
    before, after = (recorded.method.target_warp(options) for options in (recorded.before, recorded.options))
    if before != after:
        forest.target = _Rewarped(recorded, after).targets()
    elif not inputs:  # a rule for several beams asks for what it needs
        for prefix, distribution in forest.target.items():
            need_whole(recorded, distribution, prefix, "target")
    if recorded.warped:
        _Drafts(recorded).put_into(forest)
    return ScoredForest(forest, beams)


def need_whole(recorded: RecordedIteration, distribution: Distribution, prefix: int, model: str) -> None:
    """Raises ReplayError where the record leaves out some of the probability: a rule would fall otherwise."""
    if distribution.rest > 0.0:
        at_most = f": top_k can be {distribution.likeliest} at most" if distribution.likeliest else ""
        raise ReplayError(
            f"the {model}'s distribution {recorded.name(prefix)}: without top_k all tokens are needed, and the record "
            f"lists {len(distribution)}{at_most}"
        )


class _Rewarped:
    """Distributions of the record under another warp, each once; what is missing is said by name."""

    def __init__(self, recorded: RecordedIteration, warp: Warp):
        self._recorded, self._warp = recorded, (warp.temperature, warp.top_k, warp.top_p)
        self._known: dict[int, Distribution] = {}

    def targets(self) -> dict[int, Distribution]:
        return {
            prefix: self.of(distribution, prefix, "target")
            for prefix, distribution in self._recorded.forest.target.items()
        }

    def of(self, distribution: Distribution, prefix: int, model: str) -> Distribution:
        base = distribution.base or distribution
        if id(base) not in self._known:
            try:
                self._known[id(base)] = warped_anew(base, *self._warp)
            except ReplayError as error:
                raise error.within(f"the {model}'s distribution {self._recorded.name(prefix)}: ") from error
        return self._known[id(base)]


class _Drafts:
    """What the drafted tokens would have been drawn from under the new warp, by the drafter's way of drawing. Roots
    were drawn from what an earlier iteration left, which no warp changes."""

    def __init__(self, recorded: RecordedIteration):
        self._recorded, self._nodes = recorded, recorded.forest.nodes
        self._warp = asked_warp(recorded.options)
        self._rewarped, self._as_it_was = (
            _Rewarped(recorded, self._warp),
            _Rewarped(recorded, asked_warp(recorded.before)),
        )
        self._drafter, _ = recorded.method.pair(recorded.options)
        self._before = recorded.forest.drawing
        self._after = self._drafter.drawing(recorded.method.full(recorded.options))
        for drawing in (self._before, self._after):
            if drawing not in DRAWINGS:
                raise self._own_way(drawing)

    def _own_way(self, drawing: str) -> ReplayError:
        return ReplayError(
            f"drafter {self._drafter.name!r} draws in a way of its own ({drawing}): what it would have drawn from "
            "at another temperature, top_k or top_p is not known"
        )

    def put_into(self, forest: Forest) -> None:
        """Put the new distributions into the forest's nodes and proposals."""
        forest.drawing = self._after
        if any(layer.joint is not None for layer in forest.layers):
            self._joint_layers(forest)
            return
        for numbers in self._siblings():
            for number, draft in zip(numbers, self._drawn_from(numbers), strict=True):
                forest.replace_node(number, replace(self._nodes[number], draft=draft))
        forest.layers = [self._layer(layer, forest.nodes) for layer in forest.layers]

    def _siblings(self) -> Iterator[list[int]]:
        """The nodes that one draft model drew after one prefix, in order."""
        groups: dict[tuple[int, int], list[int]] = {}
        for number, node in enumerate(self._nodes):
            if not node.root:
                groups.setdefault((node.parent, node.model), []).append(number)
        return iter(groups.values())

    def _drawn_from(self, numbers: list[int]) -> list[Distribution]:
        first = self._nodes[numbers[0]]
        drawn = [self._nodes[number] for number in numbers]
        if self._before == "deterministic" and self._after == "deterministic":
            return [node.draft for node in drawn]
        if self._before == "deterministic":
            raise ReplayError(
                "at temperature 0 the draft took its likeliest tokens without drawing: the record lacks the "
                f"distribution {self._recorded.name(first.parent)} that it would have drawn from at "
                f"temperature={self._warp.temperature:g}"
            )
        self._check_drawn(drawn)
        if self._after == "deterministic":
            return self._taken(numbers)
        return self._in_turn(self._rewarped.of(first.draft, first.parent, "draft"), drawn)

    def _in_turn(self, draft: Distribution, drawn: list[Node]) -> list[Distribution]:
        """What each of the siblings is drawn from when the first is drawn from ``draft``."""
        if self._before != "without_replacement":
            return [draft] * len(drawn)
        distributions = []
        for node in drawn:
            distributions.append(draft)
            draft = without(draft, node.token) if draft.prob(node.token) > 0.0 else _nothing(draft)
        return distributions

    def _check_drawn(self, drawn: list[Node]) -> None:
        """Raises ReplayError where the siblings were drawn from anything but the draft model's warped distribution."""
        first = drawn[0]
        try:
            draft = self._as_it_was.of(first.draft, first.parent, "draft")
        except ReplayError:  # the record lists too little to warp anew
            plain = _follows_temperature(first.draft, self._recorded.before["temperature"])
        else:
            pairs = zip(drawn, self._in_turn(draft, drawn), strict=True)
            plain = all(_close(node.draft, expected) for node, expected in pairs)
        if not plain:
            raise self._own_way("not from the draft model's distribution alone")

    def _taken(self, numbers: list[int]) -> list[Distribution]:
        """At the new temperature of 0 a tree takes the likeliest tokens after a prefix."""
        draft = self._nodes[numbers[0]].draft
        draft = draft.base or draft
        tokens = [self._nodes[number].token for number in numbers]
        best = draft.ranked(len(tokens)).tolist()
        for number, token in zip(numbers, tokens, strict=True):
            if token not in best or tokens.count(token) > 1:
                raise self._recorded.impossible(number)
        return [one_hot(draft, token) for token in tokens]

    def _layer(self, proposal: Proposal, nodes: Sequence[Node]) -> Proposal:
        shown = tuple(
            self._rewarped.of(distribution, parent, "draft")
            for parent, distribution in zip(proposal.parents, proposal.distributions, strict=True)
        )
        weights = proposal.weights
        if len(proposal.parents) > 1:
            sums = [self._weight(parent, nodes) for parent in proposal.parents]
            weights = tuple(weight / sum(sums) for weight in sums) if sum(sums) else tuple(sums)
        return replace(proposal, distributions=shown, weights=weights)

    def _weight(self, prefix: int, nodes: Sequence[Node]) -> float:
        """The product of warped probabilities along a drafted sequence."""
        return 1.0 if prefix < 0 else nodes[prefix].draft_prob * self._weight(nodes[prefix].parent, nodes)

    def _joint_layers(self, forest: Forest) -> None:
        """Layers of beams, drawn from one joint distribution each."""
        inputs = self._recorded.iteration.inputs
        first = first_prefixes(self._nodes, [beam.tokens for beam in inputs])
        layer = [first[-1 - i] for i in range(len(inputs))] or [-1]
        changed = []
        for proposal in forest.layers:
            known = {beam.prefix: beam for beam in proposal.beams}
            if any(prefix not in known for prefix in layer):
                raise ReplayError(f"the record lacks the draft's distribution {self._recorded.name(layer[0])}")
            beams = tuple(self._beam(known[prefix]) for prefix in layer)
            joint = joint_distribution(beams, self._warp)
            following = {beam.prefix: beam.next for beam in beams}
            for number in proposal.nodes:
                parent = self._nodes[number].parent
                inside = joint.of_prefix(parent) > 0.0
                after = following[parent]
                if after is None:
                    raise ReplayError(
                        f"the record says that the beam {self._recorded.name(parent)} has ended, and extends it"
                    )
                draft = conditional(joint, parent, after) if inside else _nothing(after)
                forest.replace_node(number, replace(self._nodes[number], draft=draft))
            weights = tuple(joint.of_prefix(prefix) for prefix in proposal.parents)
            changed.append(replace(proposal, joint=joint, weights=weights, beams=beams))
            layer = [first[prefix] for prefix in proposal.draws]
        forest.layers = changed

    def _beam(self, beam: LayerBeam) -> LayerBeam:
        following = None if beam.next is None else self._rewarped.of(beam.next, beam.prefix, "draft")
        return replace(beam, next=following)


def _close(distribution: Distribution, other: Distribution) -> bool:
    """Whether two distributions are the same, but for rounding."""
    return bool(np.abs(distribution.probs - other.probs_of(distribution.tokens)).max(initial=0.0) < ROUNDING)


def _follows_temperature(distribution: Distribution, temperature: float) -> bool:
    """Whether the listed tokens have probabilities in the proportion that the temperature gives them."""
    possible = distribution.probs > ROUNDING
    probs, logits = (values[possible].astype(np.float64) for values in (distribution.probs, distribution.logits))
    shares = np.log(probs) - logits / (temperature or 1.0)
    return bool(np.ptp(shares) < 10 * ROUNDING) if len(shares) else True


def _nothing(distribution: Distribution) -> Distribution:
    """No token has any probability."""
    return distribution.with_probs(distribution.probs * 0)
