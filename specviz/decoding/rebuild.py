"""A recorded step brought to life again: the scored forest that its verifier saw, from the record alone."""

import math
from functools import cached_property

import numpy as np
import torch

from specviz.decoding.method import asked_warp
from specviz.decoding.recorded import Listing, RecordedLaw, known_token, listing_of
from specviz.decoding.recorder import listed_entries
from specviz.decoding.step import Step, first_of_text, impossible
from specviz.decoding.unwarped import SMALLEST
from specviz.dice import Pick
from specviz.drafting.forest import Beam, Forest, Law, LayerLaw, LiveBeam, Proposal, ScoredForest
from specviz.drafting.joint_law import joint_law
from specviz.drafting.layers import conditional
from specviz.drafting.tree import likeliest, without_replacement
from specviz.errors import ReplayError
from specviz.trace import record
from specviz.trace.decisions import Distribution
from specviz.trace.laws import UnwarpedLaw


def rebuild(step: Step) -> ScoredForest:
    """The scored forest of a step, its laws warped by the new options. Raises ReplayError where the record lacks what
    every verdict needs; laws that lack something raise it when they are asked for it."""
    return _Builder(step).scored()


class _Drawn:
    """Dice that pick the tokens that were drawn."""

    def __init__(self, tokens: list[int]):
        self._tokens = iter(tokens)

    def pick(self, weights: np.ndarray) -> Pick:
        return Pick(next(self._tokens), None)


class _Builder:
    def __init__(self, step: Step):
        header = step.trace.header
        self._step, self._record = step, step.forest
        self._dtype = _dtype(header.target)
        drafts = [header.draft or header.heads, *header.drafts]
        self._draft_dtypes = [_dtype(model) if model else torch.float32 for model in drafts]
        self._entries = listed_entries(step.size, step.before["top_k"])
        self._first = first_of_text(step.iteration)
        self._kept = step.forest.draft_laws.rows
        self._draft_warp = asked_warp(step.options)
        self._as_drafted = self._draft_warp == asked_warp(step.before)

    def scored(self) -> ScoredForest:
        step, inputs = self._step, self._step.iteration.inputs
        laws = {law.after: self._target(law) for law in self._record.target_laws.rows}
        beams = [
            Beam([*step.context, *beam.tokens], -math.inf if beam.logprob is None else beam.logprob, beam.finished)
            for beam in inputs
        ] or [Beam(list(step.context))]

        def law_at(place: int) -> Law:
            if self._first[place] not in laws:
                raise ReplayError(f"the record lacks the target's law {step.name(place)}")
            return laws[self._first[place]]

        roots = tuple(None if beam.finished else law_at(-1 - i) for i, beam in enumerate(beams))
        forest = self._forest()
        return ScoredForest(forest, roots, {node: law_at(node) for node in forest.submitted}, tuple(beams))

    def _target(self, law: UnwarpedLaw) -> RecordedLaw:
        step = self._step
        softened = None
        if law.entropy is not None:
            softened = float(step.before["temperature"]), law.soft_total, law.entropy
        name = f"the target's law {step.name(law.after)}"
        return RecordedLaw(listing_of(law, name, step.size, self._dtype, softened), step.warp)

    def _forest(self) -> Forest:
        nodes, step = self._record.nodes, self._step
        draft_laws, proposals = self._draft_laws()
        emitted = [one for one in step.iteration.emitted if one.node is not None and nodes[one.node].root]
        origin = emitted[0].origin if emitted else "target"
        return Forest(
            tokens=[node.token for node in nodes],
            parents=[node.parent for node in nodes],
            depths=[node.depth for node in nodes],
            draft_laws=draft_laws,
            proposals=proposals,
            submitted=[number for number, node in enumerate(nodes) if node.submitted],
            notes=dict(step.iteration.notes),
            models={number: node.draft for number, node in enumerate(nodes) if node.draft},
            scores={number: node.score for number, node in enumerate(nodes) if node.score is not None},
            estimates={number: node.estimate for number, node in enumerate(nodes) if node.estimate is not None},
            roots={number: origin for number, node in enumerate(nodes) if node.root},
            considered=self._record.considered,
            planned_depth=self._record.planned_depth,
            drawing=self._drawing,
        )

    @cached_property
    def _takes_best(self) -> bool:
        """Whether the draft, at the new temperature of 0, takes a place's likeliest tokens, as trees do."""
        sequences = self._step.method.name == "spectr" or self._step.options.get("drafter") == "sequences"
        parents = [node.parent for node in self._record.nodes if node.submitted and not node.root]
        branches = len(set(parents)) < len(parents)
        drawn = self._record.drawing in ("independent", "distinct") and branches and not sequences
        return drawn and self._draft_warp.greedy and not self._as_drafted

    @property
    def _drawing(self) -> str:
        return "certain" if self._takes_best else self._record.drawing

    # The laws that drafted tokens were drawn from.

    def _draft_laws(self) -> tuple[list[Law], list[Proposal]]:
        nodes = self._record.nodes
        laws: dict[int, Law] = {}
        proposals = []
        layer = [LiveBeam(self._first[-1 - i], 0.0, None) for i in range(len(self._step.iteration.inputs))]
        for proposal in self._record.proposals:
            if proposal.joint is not None:
                live, layer = self._joint_proposal(proposal, layer, laws)
            else:
                live = self._proposal(proposal, laws)
            proposals.append(live)
        for number in range(len(nodes)):
            if number not in laws:
                laws[number] = self._unproposed(number)
        return [laws[number] for number in range(len(nodes))], proposals

    def _proposal(self, proposal: record.Proposal, laws: dict[int, Law]) -> Proposal:
        nodes = self._record.nodes
        draft = nodes[proposal.draws[0]].draft if proposal.draws else 0
        rooted = any(nodes[number].root for number in proposal.draws)
        places = dict(zip(proposal.parents, proposal.conditionals, strict=True))
        shown = {place: self._shown(place, draft, given, rooted) for place, given in places.items()}
        drawn = {place: [n for n in proposal.draws if nodes[n].parent == place] for place in places}
        for place, numbers in drawn.items():
            laws.update(zip(numbers, self._drawn_from(shown[place], numbers, rooted), strict=True))
        weights = proposal.parent_weights
        if not self._as_drafted and len(places) > 1:
            weights = self._weights(tuple(places), laws)
        return Proposal(tuple(places), weights, tuple(shown.values()), proposal.draws, proposal.replacement)

    def _drawn_from(self, law: Law, numbers: list[int], rooted: bool) -> list[Law]:
        """The law that each of some siblings was drawn from, given that of the first."""
        tokens = [self._record.nodes[number].token for number in numbers]
        if self._takes_best and not rooted:
            best = dict(likeliest(law, len(tokens)))
            for number, token in zip(numbers, tokens, strict=True):
                if token not in best or tokens.count(token) > 1:
                    raise impossible(self._step, number)
            return [best[token] for token in tokens]
        if self._record.drawing != "distinct" or rooted:
            return [law] * len(tokens)
        found = []
        for number, (_, left) in zip(numbers, without_replacement(law, _Drawn(tokens)), strict=False):
            found.append(left)
            if not left.probs[self._record.nodes[number].token] > 0.0:
                break
        return found + [law.with_probs(np.zeros_like(law.probs))] * (len(tokens) - len(found))

    def _weights(self, places: tuple[int, ...], laws: dict[int, Law]) -> tuple[float, ...]:
        """The share of each parent's beam in its layer."""

        def weight(number: int) -> float:
            if number < 0:
                return 1.0
            node = self._record.nodes[number]
            return float(laws[number].probs[node.token]) * weight(node.parent)

        found = [weight(place) for place in places]
        return tuple(one / sum(found) for one in found) if sum(found) else tuple(found)

    def _shown(self, place: int, draft: int, given: Distribution, rooted: bool) -> RecordedLaw:
        """A law that a proposal shows; roots were drawn from what an earlier step left, which no warp changes."""
        listing = self._listing_of(given, f"the draft's law {self._step.name(place)}", draft)
        return RecordedLaw(listing, self._draft_warp, self._as_drafted or rooted)

    def _listing_of(self, given: Distribution, name: str, draft: int) -> Listing:
        """What a distribution knows: the likeliest tokens, or, where it has a rest, those that are not rare."""
        size = self._step.size
        logprobs = np.array([-math.inf if value is None else value for value in given.logprobs], dtype=np.float64)
        probs, tokens = np.array(given.probs, dtype=np.float64), np.array(given.tokens, dtype=np.int64)
        common = int((probs >= SMALLEST).sum()) if given.rest else min(self._entries, len(tokens))
        possible = sum(value is not None for value in given.logprobs)
        likeliest = size if not given.rest and possible < self._entries else common
        dtype = self._draft_dtype(draft)
        return Listing(name, tokens, logprobs, 0.0, likeliest, size, dtype, False, None, None if given.rest else probs)

    def _unproposed(self, number: int) -> Law:
        """The law of a node that no proposal shows: one that the warp had left a single token, or a certain one."""
        node = self._record.nodes[number]
        for law in self._kept:
            if (law.after, law.draft) == (self._first[node.parent], node.draft):
                found = RecordedLaw(self._unwarped(law), self._draft_warp)
                return self._drawn_from(found, [number], False)[0]
        dtype = self._draft_dtype(node.draft)
        if self._record.drawing == "certain" and node.score is None and not self._draft_warp.greedy:
            raise ReplayError(
                "at temperature 0 the draft took its likeliest tokens without drawing: the record lacks the law "
                f"{self._step.name(node.parent)} that it would have drawn from at "
                f"temperature={self._step.options['temperature']:g}"
            )
        name = f"the draft's law {self._step.name(node.parent)}"
        shown = self._judged_draft(number)
        if shown is not None:
            return RecordedLaw(self._listing_of(shown, name, node.draft), self._draft_warp, True)
        return known_token(node.token, node.draft_logprob, self._step.size, name, dtype)

    def _judged_draft(self, number: int) -> Distribution | None:
        """The draft's law as a decision about the node shows it."""
        for decision in self._step.iteration.decisions:
            if getattr(decision, "node", None) == number:
                shown = getattr(decision, "draft", None)
                return shown if isinstance(shown, Distribution) else None
        return None

    def _unwarped(self, law: UnwarpedLaw) -> Listing:
        name = f"the draft's law {self._step.name(law.after)}"
        return listing_of(law, name, self._step.size, self._draft_dtype(law.draft))

    def _draft_dtype(self, draft: int) -> torch.dtype:
        return self._draft_dtypes[min(draft, len(self._draft_dtypes) - 1)]

    # Layers of beams, drawn from one joint law.

    def _joint_proposal(
        self, proposal: record.Proposal, layer: list[LiveBeam], laws: dict[int, Law]
    ) -> tuple[Proposal, list[LiveBeam]]:
        """The proposal, and the layer of beams that its draws make; ``layer`` is the one before it."""
        nodes = self._record.nodes
        layer = [self._live(beam.place) for beam in layer]
        copies = len({beam.place for beam in layer}) < len(layer)
        joint = layer_law(proposal, copies) if self._as_drafted else joint_law(layer, self._draft_warp)
        by_place = {}
        for number in proposal.draws:
            place = nodes[number].parent
            if place not in by_place:
                inside = float(joint.probs[joint.places == place].sum())
                probs = conditional(joint, place, self._step.size) if inside > 0.0 else np.zeros(self._step.size)
                by_place[place] = self._beam_law(place).with_probs(probs)
            laws[number] = by_place[place]
        weights = tuple(float(joint.probs[joint.places == place].sum()) for place in proposal.parents)
        live = Proposal(proposal.parents, weights, (), proposal.order, True, joint=joint)
        return live, [LiveBeam(self._first[place], 0.0, None) for place in proposal.order]

    def _draft_law(self, place: int) -> UnwarpedLaw:
        for law in self._kept:
            if law.after == self._first[place]:
                return law
        raise ReplayError(f"the record lacks the draft's law {self._step.name(place)}")

    def _beam_law(self, place: int) -> RecordedLaw:
        return RecordedLaw(self._unwarped(self._draft_law(place)), self._draft_warp)

    def _live(self, place: int) -> LiveBeam:
        law = self._draft_law(place)
        logprob = -math.inf if law.logprob is None else law.logprob
        return LiveBeam(place, logprob, self._beam_law(place) if law.tokens else None)


def layer_law(proposal: record.Proposal, copies: bool) -> LayerLaw:
    """A joint law of a record, alive, its pairs in the order in which they were made: beam after beam, of a layer with
    ``copies`` by the places' numbers. Raises ReplayError where a part was left out."""
    shown, parents = proposal.joint, proposal.parents
    if shown.rest:
        raise ReplayError(
            f"the record leaves out {shown.rest:.3g} of the draft's joint law: lower top_k, and decode again"
        )
    rank = {place: place if copies else number for number, place in enumerate(parents)}
    order = sorted(range(len(shown.tokens)), key=lambda i: (rank.get(shown.places[i], 0), shown.tokens[i]))
    logprobs = [-math.inf if shown.logprobs[i] is None else shown.logprobs[i] for i in order]
    places, tokens = ([column[i] for i in order] for column in (shown.places, shown.tokens))
    probs = np.array([shown.probs[i] for i in order], dtype=np.float64)
    return LayerLaw(np.array(places, dtype=np.int64), np.array(tokens, dtype=np.int64), probs, np.array(logprobs))


def _dtype(model: record.ModelRecord) -> torch.dtype:
    return torch.float64 if model.dtype == "float64" else torch.float32
