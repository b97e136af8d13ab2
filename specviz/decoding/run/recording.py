"""From a finished iteration to its record: what is kept of it, and the words for its tokens.

Recording keeps references: the forest, the decisions and the distributions are those of the run. Only what is large is
cut, and what hangs on the models' memory is let go.
"""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

from specviz.decoding.run.growing import GrowingBeam, PendingToken
from specviz.drafting.drafter import Beam, ScoredForest
from specviz.errors import SpecvizError, as_given
from specviz.lm.scoring import MOST_LISTED
from specviz.rules.verdict import Verdict
from specviz.trace import record
from specviz.trace.decisions import Decision, known_kinds
from specviz.trace.distribution import Distribution, JointDistribution, listed, listed_joint
from specviz.trace.forest import Forest, LayerBeam, Proposal, finite
from specviz.trace.plain import plain
from specviz.trace.ranges import numbers_of, values_of

SMALLEST = 1e-4  # of a distribution that is too large to be listed, nothing rarer than this is


class Recorder:
    """Records iterations. ``floor`` is the largest probability that any distribution so far left out.

    A distribution of 256 tokens or fewer is kept as it is, with the tokens that top-p cut: with top-k of 256 or less a
    record is complete and its floor 0. Of a larger one the 256 likeliest are kept, as far as they have a probability of
    1e-4 or more, and what was drafted. ``temperature`` is the run's: the target's entropy is kept at that. ``release``:
    what is recorded lets go of the models' scores, so that a long run does not keep them all.
    """

    def __init__(self, temperature: float = 1.0, *, release: bool = True):
        self.floor = 0.0
        self._temperature, self._release = temperature, release

    def iteration(
        self, scored: ScoredForest, verdict: Verdict, grown: Sequence[GrowingBeam]
    ) -> tuple[Forest, tuple[Decision, ...]]:
        """The forest and the decisions; ``grown`` are the beams that went on, with the nodes that became text."""
        verdict.decisions = [plain(_known(decision)) for decision in verdict.decisions]
        length = max((len(beam.steps) for beam in grown), default=0)
        became_text = {step.node for beam in grown for step in beam.steps if step.node is not None}
        became_text |= {step.node for layer in verdict.layers[:length] for step in layer if step.node is not None}
        forest = scored.forest.with_outcomes(verdict.outcomes(scored, became_text))
        if self._temperature > 0.0:
            for target in forest.target.values():
                target.at_temperature(self._temperature)
        return _KeptIteration(self, forest, verdict.decisions).kept()

    def keep(self, distribution: Distribution | JointDistribution, required: Iterable[int]) -> Any:
        """What is kept of a distribution, the ``required`` tokens among it."""
        if self._release and isinstance(distribution, Distribution):
            distribution.release()
        if len(distribution) <= MOST_LISTED:
            return distribution
        if isinstance(distribution, JointDistribution):
            shortened = listed_joint(distribution, MOST_LISTED)
        else:
            possible = int((distribution.logits > -float("inf")).sum())
            if possible <= MOST_LISTED:
                return distribution
            shortened = listed(distribution, MOST_LISTED, SMALLEST, tuple(required))
        if shortened.rest > 0.0:
            self.floor = max(self.floor, float(_left_out(distribution, shortened)))
        return shortened


def _known(decision: Decision) -> Decision:
    """The decision. Raises SpecvizError for one that no trace can hold."""
    if type(decision) in known_kinds():
        return decision
    raise SpecvizError(
        f"Verdict.decisions holds {as_given(decision, 60)}, and {type(decision).__name__} is no class of decisions: "
        "derive it from GuessTest, PrefixTest, LayerTest or ByChance (specviz/trace/decisions.py)"
    )


def _tokens(decision: Decision) -> list[int]:
    """The tokens that a decision names."""
    names = (name for name, number in numbers_of(type(decision)).items() if number.what == "token")
    return [token for name in names for _, token in values_of(decision, name)]


def _left_out(distribution: Any, shortened: Any) -> float:
    """The largest probability that was left out."""
    if isinstance(distribution, JointDistribution):
        return float(distribution.probs[distribution.order()[len(shortened)]])
    probs = distribution.probs.copy()
    probs[[distribution.index(token) for token in shortened.tokens.tolist()]] = 0.0
    return float(probs.max())


class _KeptIteration:
    """One iteration with every distribution as it is kept, each once."""

    def __init__(self, recorder: Recorder, forest: Forest, decisions: Sequence[Decision]):
        self._recorder, self._decisions = recorder, decisions
        self._forest = plain(
            replace(
                forest, **{name: tuple(map(plain, getattr(forest, name))) for name in ("nodes", "layers", "hypotheses")}
            )
        )
        self._required: dict[int, set[int]] = {}
        self._shortened: dict[int, Any] = {}
        self._alive: list[Any] = []  # so that no identity is given twice

    def kept(self) -> tuple[Forest, tuple[Decision, ...]]:
        forest = self._forest
        for node in forest.nodes:
            self._require(node.draft, node.token)
            self._require(forest.target.get(node.parent), node.token)
        for decision in self._decisions:
            for value in vars(decision).values():
                if isinstance(value, Distribution):
                    self._require(value, *_tokens(decision))
        for node in forest.nodes:
            node.draft = self._keep(node.draft)
        layers = tuple(self._proposal(proposal) for proposal in forest.layers)
        target = {prefix: self._keep(distribution) for prefix, distribution in forest.target.items()}
        forest = replace(forest, layers=layers, target=target)
        return forest, tuple(self._decision(decision) for decision in self._decisions)

    def _require(self, distribution: Distribution | None, *tokens: int) -> None:
        if distribution is not None and len(distribution) > MOST_LISTED:
            self._required.setdefault(id(distribution), set()).update(tokens)

    def _keep(self, distribution: Any) -> Any:
        if id(distribution) not in self._shortened:
            self._alive.append(distribution)
            self._shortened[id(distribution)] = self._recorder.keep(
                distribution, self._required.get(id(distribution), ())
            )
        return self._shortened[id(distribution)]

    def _proposal(self, proposal: Proposal) -> Proposal:
        beams = tuple(
            beam if beam.next is None else LayerBeam(beam.prefix, beam.logprob, self._keep(beam.next))
            for beam in proposal.beams
        )
        shown = tuple(self._keep(distribution) for distribution in proposal.distributions)
        joint = None if proposal.joint is None else self._keep(proposal.joint)
        return replace(proposal, distributions=shown, joint=joint, beams=beams)

    def _decision(self, decision: Any) -> Decision:
        changed = {}
        for field in fields(decision):
            value = getattr(decision, field.name)
            if isinstance(value, Distribution | JointDistribution) and (shortened := self._keep(value)) is not value:
                changed[field.name] = shortened
        return replace(decision, **changed) if changed else decision


def beam_record(beam: Beam, pending: Sequence[PendingToken]) -> record.BeamRecord:
    """What a trace keeps of a beam; ``pending`` are its tokens that are not output."""
    return record.BeamRecord(
        tokens=tuple(token.token for token in pending),
        last=beam.tokens[-1],
        logprob=finite(beam.logprob),
        finished=beam.finished,
        origins=tuple(token.origin for token in pending),
        logprobs=tuple(finite(token.logprob) for token in pending),
    )


def tokens_in(header: record.Header, iterations: Iterable[record.Iteration]) -> set[int]:
    """Every token id that a trace mentions, so that its vocabulary can spell it."""
    tokens, seen = set(header.prompt_tokens), set()

    def listed_in(distribution: Distribution | JointDistribution | None) -> None:
        if distribution is not None and id(distribution) not in seen:
            seen.add(id(distribution))
            tokens.update(distribution.tokens.tolist())

    for iteration in iterations:
        tokens.update(emitted.token for emitted in iteration.emitted)
        for beam in (*iteration.inputs, *iteration.beams):
            tokens.update((*beam.tokens, beam.last))
        for decision in iteration.decisions:
            tokens.update(_tokens(decision))
            for value in vars(decision).values():
                if isinstance(value, Distribution | JointDistribution):
                    listed_in(value)
        if iteration.forest is not None:
            for node in iteration.forest.nodes:
                tokens.add(node.token)
                listed_in(node.draft)
            tokens.update(token for hypothesis in iteration.forest.hypotheses for token in hypothesis.tokens)
            for proposal in iteration.forest.layers:
                for distribution in (*proposal.distributions, proposal.joint, *(beam.next for beam in proposal.beams)):
                    listed_in(distribution)
            for distribution in iteration.forest.target.values():
                listed_in(distribution)
    return tokens - {-1}
