"""From live data to frozen records: what one iteration drafted and decided, as plain numbers."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import torch

from specviz.decoding.texts import Line, Mark
from specviz.decoding.unwarped import DECIMALS, SMALLEST, draft_laws, likeliest, shortest, target_laws
from specviz.drafting.forest import Beam, Forest, Law, LayerLaw, ScoredForest
from specviz.trace import decisions as records
from specviz.trace import record
from specviz.verifying import verdict as live
from specviz.verifying.verdict import Verdict

MOST_ENTRIES = 256  # laws with this many possible tokens or fewer are kept whole

RECORDS: dict[type, type] = {
    live.Coin: records.CoinDecision,
    live.JointTest: records.JointDecision,
    live.Draw: records.DrawDecision,
    live.SequenceTest: records.SequenceDecision,
    live.BlockTest: records.BlockDecision,
    live.TypicalTest: records.TypicalDecision,
    live.RollbackTest: records.RollbackDecision,
    live.Match: records.MatchDecision,
    live.LayerWidth: records.LayerDecision,
    live.BeamCoin: records.BeamCoinDecision,
    live.BeamDraw: records.BeamDrawDecision,
    live.SearchStep: records.SearchDecision,
}


class Recorder:
    """Converts iterations. ``floor`` is the largest probability that any distribution so far left out.

    A law of 256 possible tokens or fewer is listed whole, with the tokens that top-p cut at probability 0, each with
    its unwarped log-probability: with top-k of 256 or less a record is complete and its floor 0. Of a larger law the
    256 most probable tokens are listed, as far as they have a probability of 1e-4 or more. Impossible tokens are not
    listed, unless they were drafted. The same holds for the
    unwarped laws that are kept for judging a step anew. Numbers of float32 models have as many digits as float32.
    ``temperature`` is the run's.
    """

    def __init__(self, vocab_size: int, top_k: int | None, temperature: float = 1.0):
        self.floor = 0.0
        self._entries = listed_entries(vocab_size, top_k)
        self._cut = (top_k or vocab_size) > self._entries
        self._temperature = temperature

    def iteration(
        self, scored: ScoredForest, verdict: Verdict, lines: Sequence[Line]
    ) -> tuple[record.ForestRecord, tuple]:
        """The forest and the decisions; ``lines`` are the beams that went on, with the nodes that became text."""
        forest = scored.forest
        forest.show()
        known: dict[int, Any] = self._distributions(_wanted(scored, verdict))
        known |= {id(law): self._layer(law) for law in _layer_laws(forest, verdict)}
        proposals = tuple(
            record.Proposal(
                parents=proposal.parents,
                parent_weights=proposal.weights,
                conditionals=tuple(known[id(law)] for law in proposal.laws),
                draws=tuple(draw for draw in proposal.draws if draw not in proposal.parents),  # none that stay
                replacement=proposal.replacement,
                joint=None if proposal.joint is None else known[id(proposal.joint)],
                order=() if proposal.joint is None else proposal.draws,
            )
            for proposal in forest.proposals
        )
        forest_record = record.ForestRecord(
            nodes=tuple(_nodes(forest, verdict, lines)),
            proposals=proposals,
            hypotheses=tuple(record.Hypothesis(**vars(hypothesis)) for hypothesis in forest.hypotheses),
            considered=forest.considered,
            planned_depth=forest.planned_depth,
            target_laws=target_laws(scored, self._entries, self._cut, self._temperature),
            draft_laws=draft_laws(forest, self._entries, self._cut),
            drawing=forest.drawing,
        )
        return forest_record, tuple(_decision(decision, forest, known) for decision in verdict.decisions)

    def _layer(self, law: LayerLaw) -> record.LayerDistribution:
        order = np.lexsort((law.tokens, -law.places, -law.probs))
        order = order[law.probs[order] > 0.0]
        kept = order[:MOST_ENTRIES]
        rest = 0.0
        if len(order) > len(kept):
            left_out = law.probs[order[len(kept) :]].astype(np.float64)
            self.floor, rest = max(self.floor, float(left_out.max())), float(left_out.sum())
        return record.LayerDistribution(
            places=tuple(law.places[kept].tolist()),
            tokens=tuple(law.tokens[kept].tolist()),
            probs=tuple(law.probs[kept].astype(np.float64).tolist()),
            logprobs=tuple(map(_finite, law.logprobs[kept].tolist())),
            rest=rest,
        )

    def _distributions(self, wanted: dict[int, tuple[Law, set[int]]]) -> dict[int, record.Distribution]:
        """Sparse distributions of many laws at once, by the identity of the law."""
        whole = [law for law, _ in wanted.values() if law.known is None]
        top = dict(zip(map(id, whole), likeliest(whole, self._entries), strict=True))
        top |= {key: (list(law.known[: self._entries]),) for key, (law, _) in wanted.items() if law.known is not None}
        return {key: self._distribution(law, top[key][0], required) for key, (law, required) in wanted.items()}

    def _distribution(self, law: Law, tokens: list[int], required: set[int]) -> record.Distribution:
        """``tokens`` are the law's likeliest, best first."""
        must, possible = required, np.flatnonzero(law.probs)
        if len(possible) > len(tokens):  # a residual's or a counted draft's own support
            common = possible[np.argsort(-law.probs[possible], kind="stable")[:MOST_ENTRIES]]
            required = required.union(common.tolist())
        best = zip(tokens, law.logprobs_of(tokens), strict=True)
        tokens = [token for token, logprob in best if logprob > -math.inf]
        tokens += sorted(required.difference(tokens))
        logprobs = law.logprobs_of(tokens)
        probs = law.probs[tokens]
        order = range(len(tokens))
        if (np.diff(probs) > 0).any():
            order = np.lexsort((tokens, [-value for value in logprobs], -probs)).tolist()
        rest = 0.0
        if len(possible) > np.count_nonzero(probs):
            order = [i for i in order if probs[i] >= SMALLEST or tokens[i] in must]
            left_out = law.probs.copy()
            left_out[[tokens[i] for i in order]] = 0.0
            self.floor, rest = max(self.floor, float(left_out.max())), float(left_out.sum(dtype=np.float64))
        values = shortest(probs)
        logprobs = [rounded(value, law) for value in logprobs]
        return record.Distribution(
            tokens=tuple(tokens[i] for i in order),
            probs=tuple(values[i] for i in order),
            logprobs=tuple(_finite(logprobs[i]) for i in order),
            rest=rest,
        )


def _share(score: float | None, law: Law) -> float | None:
    return score if score is None or law.logits.dtype == torch.float64 else shortest(np.float32([score]))[0]


def rounded(logprob: float, law: Law) -> float:
    """A log-probability with no digits that the model's numbers do not have."""
    return round(logprob, DECIMALS) if law.logits.dtype == torch.float32 else logprob


def listed_entries(vocab_size: int, top_k: int | None) -> int:
    """How many of a law's likeliest tokens are listed whatever their probability, unless it is too large."""
    return min(top_k or vocab_size, vocab_size, MOST_ENTRIES)


def beam_record(beam: Beam, marks: Sequence[Mark]) -> record.BeamRecord:
    """What a trace keeps of a beam; ``marks`` are its tokens that are not output."""
    return record.BeamRecord(
        tokens=tuple(mark.token for mark in marks),
        last=beam.tokens[-1],
        logprob=_finite(beam.logprob),
        finished=beam.finished,
        origins=tuple(mark.origin for mark in marks),
        logprobs=tuple(_finite(mark.logprob) for mark in marks),
    )


def _laws_in(decision: Any) -> Iterable[Law]:
    return (value for value in vars(decision).values() if isinstance(value, Law))


def _wanted(scored: ScoredForest, verdict: Verdict) -> dict[int, tuple[Law, set[int]]]:
    """Every law that the record shows, with the tokens that its distribution must list."""
    wanted: dict[int, tuple[Law, set[int]]] = {}

    def want(law: Law, tokens: Iterable[int]) -> None:
        wanted.setdefault(id(law), (law, set()))[1].update(tokens)

    forest = scored.forest
    for proposal in forest.proposals:
        for law in proposal.laws:
            want(law, ())
        for node in proposal.draws if proposal.laws else ():
            law = forest.draft_laws[node]
            if id(law) in wanted:
                want(law, (forest.tokens[node],))
    for decision in verdict.decisions:
        for law in _laws_in(decision):
            want(law, (decision.token if hasattr(decision, "token") else forest.tokens[decision.node],))
    return wanted


def _layer_laws(forest: Forest, verdict: Verdict) -> Iterable[LayerLaw]:
    found = [proposal.joint for proposal in forest.proposals if proposal.joint is not None]
    for decision in verdict.decisions:
        found += [value for value in vars(decision).values() if isinstance(value, LayerLaw)]
    return {id(law): law for law in found}.values()


def _nodes(forest: Forest, verdict: Verdict, lines: Sequence[Line]) -> Iterable[record.Node]:
    outcomes = _outcomes(forest, verdict, lines)
    submitted = set(forest.submitted)
    for node, token in enumerate(forest.tokens):
        law = forest.draft_laws[node]
        yield record.Node(
            token=token,
            parent=forest.parents[node],
            depth=forest.depths[node],
            draft_prob=shortest(law.probs[[token]])[0],
            draft_logprob=_finite(rounded(law.logprob(token), law)),
            submitted=node in submitted,
            outcome=outcomes.get(node, "unjudged" if node in submitted else "pruned"),
            draft=forest.models.get(node, 0),
            score=_share(forest.scores.get(node), law),
            estimate=forest.estimates.get(node),
            root=node in forest.roots,
        )


def _outcomes(forest: Forest, verdict: Verdict, lines: Sequence[Line]) -> dict[int, record.Outcome]:
    """Nodes that were judged or became text: ``accepted`` on the text's way or in a layer of beams, ``dropped`` when
    accepted in vain (past the end, or on a way that was not taken), ``rejected``."""
    grown = max((len(line.steps) for line in lines), default=0)
    taken = {step.node for line in lines for step in line.steps if step.node is not None}
    taken |= {step.node for layer in verdict.layers[:grown] for step in layer if step.node is not None}
    outcomes: dict[int, record.Outcome] = {}
    for decision in verdict.decisions:
        if hasattr(decision, "node"):
            passed = decision.passes if hasattr(decision, "passes") else decision.accepted
            if outcomes.get(decision.node) != "dropped":
                outcomes[decision.node] = "dropped" if passed else "rejected"
    outcomes |= dict.fromkeys(forest.roots, "dropped")
    outcomes |= dict.fromkeys(verdict.path, "dropped")
    outcomes |= {step.node: "dropped" for layer in verdict.layers for step in layer if step.node is not None}
    return outcomes | dict.fromkeys(taken, "accepted")


def _decision(decision: Any, forest: Forest, known: dict[int, Any]) -> records.Decision:
    """The record of the same fields; laws become distributions, infinities None, and a node brings its place."""
    values = {}
    for field in fields(decision):
        value = getattr(decision, field.name)
        if isinstance(value, Law | LayerLaw):
            value = known[id(value)]
        elif isinstance(value, float):
            value = _finite(value)
        elif isinstance(value, tuple):
            value = tuple(_finite(item) if isinstance(item, float) else item for item in value)
        values[field.name] = value
    if isinstance(decision, live.Draw):
        values["depth"] = forest.depths[decision.after] + 1 if decision.after >= 0 else 1
    elif hasattr(decision, "node") and "token" not in values:
        values |= {"depth": forest.depths[decision.node], "token": forest.tokens[decision.node]}
    return RECORDS[type(decision)](**values)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def tokens_in(header: record.Header, iterations: Iterable[record.Iteration]) -> set[int]:
    """Every token id that a trace mentions, so that its vocabulary can spell it."""
    found = set(header.prompt_tokens)
    for iteration in iterations:
        found.update(emitted.token for emitted in iteration.emitted)
        for beam in (*iteration.inputs, *iteration.beams):
            found.update((*beam.tokens, beam.last))
        for decision in iteration.decisions:
            found.update(_named(decision))
        if iteration.forest is not None:
            found.update(node.token for node in iteration.forest.nodes)
            found.update(token for hypothesis in iteration.forest.hypotheses for token in hypothesis.tokens)
            for proposal in iteration.forest.proposals:
                for distribution in proposal.conditionals:
                    found.update(distribution.tokens)
                found.update(proposal.joint.tokens if proposal.joint else ())
            for tokens in (*iteration.forest.target_laws.tokens, *iteration.forest.draft_laws.tokens):
                found.update(tokens)
    return found - {-1}


def _named(decision: records.Decision) -> Iterable[int]:
    for name, value in vars(decision).items():
        if isinstance(value, records.Distribution | records.LayerDistribution):
            yield from value.tokens
        elif name in ("token", "best"):
            yield value
        elif name == "tokens":
            yield from value
