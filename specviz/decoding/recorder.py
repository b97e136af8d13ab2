"""From live data to frozen records: what one iteration drafted and decided, as plain numbers."""

import math
from collections.abc import Iterable

import numpy as np
import torch

from specviz.drafting.forest import Forest, Law, ScoredForest
from specviz.trace import record
from specviz.verifying.verdict import Coin, Draw, JointTest, Verdict

MOST_ENTRIES = 256  # laws with this many possible tokens or fewer are kept whole
SMALLEST = 1e-4  # of larger ones, nothing rarer than this is listed


class Recorder:
    """Converts iterations. ``floor`` is the largest probability that any distribution so far left out.

    A law of 256 possible tokens or fewer is listed whole, with the tokens that top-p cut at probability 0, each with
    its unwarped log-probability: with top-k of 256 or less a record is complete and its floor 0. Of a larger law the
    256 most probable tokens are listed, as far as they have a probability of 1e-4 or more.
    """

    def __init__(self, vocab_size: int, top_k: int | None):
        self.floor = 0.0
        self._entries = min(top_k or vocab_size, vocab_size, MOST_ENTRIES)

    def iteration(self, scored: ScoredForest, verdict: Verdict, kept: int) -> tuple[record.ForestRecord, tuple]:
        """The forest and the decisions; ``kept`` path nodes became text."""
        forest = scored.forest
        distributions = self._distributions(_wanted(scored, verdict))
        nodes = tuple(_nodes(forest, verdict, kept, distributions))
        proposals = tuple(
            record.Proposal(
                parents=proposal.parents,
                parent_weights=proposal.weights,
                conditionals=tuple(distributions[id(law)] for law in proposal.laws),
                draws=proposal.draws,
                replacement=proposal.replacement,
            )
            for proposal in forest.proposals
        )
        decisions = tuple(_decision(decision, forest, distributions) for decision in verdict.decisions)
        return record.ForestRecord(nodes, proposals), decisions

    def _distributions(self, wanted: dict[int, tuple[Law, set[int]]]) -> dict[int, record.Distribution]:
        """Sparse distributions of many laws at once, by the identity of the law."""
        if not wanted:
            return {}
        kinds = {law.logits.dtype for law, _ in wanted.values()}
        if len(kinds) > 1:  # a float64 draft beside a float32 target
            groups = [{k: v for k, v in wanted.items() if v[0].logits.dtype == kind} for kind in kinds]
            return {key: found for group in groups for key, found in self._distributions(group).items()}
        rows = list(wanted.values())
        logprobs = torch.stack([law.logits for law, _ in rows]).log_softmax(-1)
        top = logprobs.topk(self._entries, dim=-1)
        listed = zip(rows, top.indices.tolist(), top.values.tolist(), logprobs, strict=True)
        return {
            id(law): self._distribution(law, tokens, values, required, row)
            for (law, required), tokens, values, row in listed
        }

    def _distribution(
        self, law: Law, tokens: list[int], logprobs: list[float], required: set[int], row: torch.Tensor
    ) -> record.Distribution:
        """``tokens`` and ``logprobs`` are the law's top entries, likeliest first; ``row`` all its log-probabilities."""
        must, possible = required, np.flatnonzero(law.probs)
        if len(possible) > self._entries:  # equals at the cut, a residual's or a counted draft's own support
            likeliest = possible[np.argsort(-law.probs[possible], kind="stable")[:MOST_ENTRIES]]
            required = required.union(likeliest.tolist())
        for token in required.difference(tokens):
            tokens.append(token)
            logprobs.append(float(row[token]))
        probs = law.probs[tokens].astype(np.float64)
        order = range(len(tokens))
        if (np.diff(probs) > 0).any():
            order = np.lexsort((tokens, [-value for value in logprobs], -probs)).tolist()
        rest = 0.0
        if len(possible) > np.count_nonzero(probs):
            order = [i for i in order if probs[i] >= SMALLEST or tokens[i] in must]
            left_out = law.probs.copy()
            left_out[[tokens[i] for i in order]] = 0.0
            self.floor, rest = max(self.floor, float(left_out.max())), float(left_out.sum(dtype=np.float64))
        values = probs.tolist()
        return record.Distribution(
            tokens=tuple(tokens[i] for i in order),
            probs=tuple(values[i] for i in order),
            logprobs=tuple(logprobs[i] if logprobs[i] > -math.inf else None for i in order),
            rest=rest,
        )


def _wanted(scored: ScoredForest, verdict: Verdict) -> dict[int, tuple[Law, set[int]]]:
    """Every law that the record shows, with the tokens that its distribution must list."""
    wanted: dict[int, tuple[Law, set[int]]] = {}

    def want(law: Law, tokens: Iterable[int]) -> None:
        wanted.setdefault(id(law), (law, set()))[1].update(tokens)

    forest = scored.forest
    for proposal in forest.proposals:
        for law in proposal.laws:
            want(law, ())
    for node, law in enumerate(forest.draft_laws):
        want(law, (forest.tokens[node],))
    for decision in verdict.decisions:
        if isinstance(decision, Draw):
            want(decision.target, (decision.token,))
            want(decision.source, (decision.token,))
        else:
            want(decision.target, (forest.tokens[decision.node],))
    return wanted


def _nodes(forest: Forest, verdict: Verdict, kept: int, distributions) -> Iterable[record.Node]:
    accepted, submitted = set(verdict.path[:kept]), set(forest.submitted)
    judged = {d.node: d for d in verdict.decisions if not isinstance(d, Draw)}
    for node, token in enumerate(forest.tokens):
        distribution = distributions[id(forest.draft_laws[node])]
        place = distribution.tokens.index(token)
        if node in accepted:
            outcome = "accepted"
        elif node in verdict.path:
            outcome = "dropped"
        elif node in judged:
            outcome = "rejected"
        else:
            outcome = "unjudged" if node in submitted else "pruned"
        yield record.Node(
            token=token,
            parent=forest.parents[node],
            depth=forest.depths[node],
            draft_prob=distribution.probs[place],
            draft_logprob=distribution.logprobs[place],
            submitted=node in submitted,
            outcome=outcome,
        )


def _decision(decision: Coin | JointTest | Draw, forest: Forest, distributions) -> record.Decision:
    target = distributions[id(decision.target)]
    if isinstance(decision, Draw):
        depth = forest.depths[decision.node] + 1 if decision.node >= 0 else 1
        source = distributions[id(decision.source)]
        return record.DrawDecision(depth, decision.token, decision.origin, decision.draw, target, source)
    place = {
        "node": decision.node,
        "depth": forest.depths[decision.node],
        "token": forest.tokens[decision.node],
        "target_prob": decision.target_prob,
        "draft_prob": decision.draft_prob,
        "target": target,
        "draft": distributions[id(decision.draft)],
    }
    if isinstance(decision, Coin):
        return record.CoinDecision(**place, chance=decision.chance, draw=decision.draw, accepted=decision.accepted)
    return record.JointDecision(
        **place,
        step_log_ratio=_finite(decision.step_log_ratio),
        log_ratio=_finite(decision.log_ratio),
        log_threshold=_finite(decision.log_threshold),
        passes=decision.passes,
        kept=decision.kept,
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
