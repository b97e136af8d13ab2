"""Drafts from prediction heads: guesses of the next tokens, all read off one hidden state of the target.

The last token of the text, drawn by the target itself, is x_1 of slim.txt, section 3.1: the root that every hypothesis
starts with. It is text already, so it is no node and is not counted; head g_(i+1) guesses the nodes at depth i.
"""

import math
from collections.abc import Sequence

import numpy as np
import torch

from specviz.dice import Dice
from specviz.drafting.drafter import AcceptedBeam, Beam, Drafter, PromptReading, Remainder, ScoredForest
from specviz.drafting.posterior import CandidateRanks, Candidates, best, candidates
from specviz.lm.language_model import Scores
from specviz.lm.parts.correlation import Correlation, DenseCorrelation
from specviz.lm.parts.heads import Heads, Paths
from specviz.lm.scoring import distributions
from specviz.lm.source import ScoreSource
from specviz.lm.warp import Warp
from specviz.trace.distribution import Distribution, one_hot
from specviz.trace.forest import Forest, Hypothesis

SHOWN = 60  # candidates kept for the record, and nodes up to which pruned ones are added


class HeadsDrafter(Drafter):
    """Reads the heads at the last token but one, whose hidden state the target has computed before; drafts nothing
    where there is no such token. A branch ends at an end token; a token that its head rules out is not drafted.
    ``entries`` best tokens of every head are looked at."""

    wants_hidden = True

    def __init__(self, heads: Heads, entries: int, end_tokens: frozenset[int] = frozenset()):
        self._heads, self._entries, self._end_tokens = heads, entries, end_tokens
        self.depth = heads.count
        self._hidden: torch.Tensor | None = None
        self._root_logprob = 0.0  # log p(x_1) under the target; a prompt is given

    def start(self, prompt: PromptReading) -> None:
        self._hidden = prompt.hidden

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        text, forest = beams[0].tokens, Forest(drawing="deterministic")
        if len(text) > 1:
            logits = self._heads.logits(text[:-1], self._hidden)
            dtype = logits.dtype if self._hidden is None else self._hidden.dtype
            source = ScoreSource("heads", self._heads.name, dtype, [len(text) - 2] * len(logits))
            warp = Warp(top_k=min(self._entries, logits.shape[-1]))  # of which the raw logits alone matter
            self._grow(forest, distributions(Scores(logits, source=source), warp), text[-1])
        return forest

    def commit(self, accepted: Sequence[AcceptedBeam], scored: ScoredForest, verdict: Remainder) -> None:
        beam, nodes = accepted[0], scored.forest.nodes
        prefixes = [-1, *beam.path]
        if beam.drawn is None:  # the last token of the path is the text's last
            prefixes.pop()
        last = nodes[beam.path[-1]].token if beam.drawn is None else beam.drawn
        self._hidden = scored.hidden.get(prefixes[-1])
        self._root_logprob = scored.target_at(prefixes[-1]).logprob(last)

    def _grow(self, forest: Forest, guesses: list[Distribution], root: int) -> None:
        """Fill ``forest`` with hypotheses that follow ``root``, the text's last token; ``guesses`` are the heads'."""
        raise NotImplementedError

    def _ended(self, forest: Forest, prefix: int) -> bool:
        return prefix >= 0 and forest.nodes[prefix].token in self._end_tokens


class TreeDrafter(HeadsDrafter):
    """Medusa: always the same tree of head ranks; its first ``nodes`` entries, ancestors first. A chain of best tokens,
    (0,), (0, 0), .., is blockwise parallel decoding."""

    def __init__(self, heads: Heads, tree: Paths, nodes: int, end_tokens: frozenset[int] = frozenset()):
        closed = dict.fromkeys(path[:length] for path in tree for length in range(1, len(path) + 1))
        self._tree = list(closed)[:nodes]
        self._most = [1 + max((p[i] for p in self._tree if len(p) > i), default=-1) for i in range(heads.count)]
        super().__init__(heads, max(self._most, default=1), end_tokens)

    @property
    def size(self) -> int:
        return len(self._tree)

    def _grow(self, forest: Forest, guesses: list[Distribution], root: int) -> None:
        ranked = [guess.ranked(most).tolist() for guess, most in zip(guesses, self._most, strict=True)]
        drafts: dict[tuple[int, int], Distribution] = {}  # a token of a head is the same draft wherever it stands
        prefix_of: dict[tuple[int, ...], int] = {(): -1}
        for path in self._tree:
            head, rank, parent = len(path) - 1, path[-1], prefix_of.get(path[:-1])
            if parent is None or self._ended(forest, parent) or rank >= len(ranked[head]):
                continue
            token = ranked[head][rank]
            if (head, token) not in drafts:
                drafts[head, token] = one_hot(guesses[head], token)
            score = math.exp(guesses[head].logprob(token))
            prefix_of[path] = forest.add(token, parent, drafts[head, token], score=score)
        forest.submit()


class PosteriorDrafter(HeadsDrafter):
    """SLiM: of all candidates of the heads' ``top`` best tokens the ``keep`` of largest posterior, with their ancestors
    (slim.txt, Algorithm 1; equals: shorter ones first, then better ranks).

    A node's score is its candidate's share of the posterior of all candidates, of any length. ``hypotheses`` are the
    best ``SHOWN`` candidates; the best of the pruned ones are added as nodes that are not submitted, up to ``SHOWN``
    nodes, so that the reduction can be seen. ``correlation=None``: r is one.
    """

    def __init__(
        self,
        heads: Heads,
        top: int,
        keep: int,
        correlation: Correlation | DenseCorrelation | None,
        end_tokens: frozenset[int] = frozenset(),
    ):
        super().__init__(heads, top, end_tokens)
        self._top, self._keep, self._correlation = top, keep, correlation
        self._last: _RankedCandidates | None = None

    @property
    def size(self) -> int:
        return sum(min(self._top**depth, self._keep) for depth in range(1, self.depth + 1))

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        self._last = None
        return super().draft(beams, dice)

    def _grow(self, forest: Forest, guesses: list[Distribution], root: int) -> None:
        tokens = [guess.ranked(self._top) for guess in guesses]
        logprobs = [np.array([g.logprob(t) for t in row.tolist()]) for g, row in zip(guesses, tokens, strict=True)]
        proposed = candidates(tokens, logprobs, root, self._correlation, self._end_tokens, self._root_logprob)
        ordered = [proposed.ranks(index) for index in best(proposed.log_posteriors, max(self._keep, SHOWN))]
        self._last = _RankedCandidates(forest, guesses, proposed, ordered)
        for ranks in ordered[: self._keep]:
            self._last.place(ranks)
        forest.submit()

    def annotate(self, forest: Forest) -> None:
        """The pruned, and how all were ranked."""
        if self._last is None or self._last.forest is not forest:
            return
        ranked, self._last = self._last, None
        proposed, submitted = ranked.proposed, len(forest)
        for ranks in ranked.ordered[self._keep :]:
            if len(forest) + len(ranked.missing(ranks)) <= SHOWN:
                ranked.place(ranks)
        log_posteriors = proposed.log_posteriors
        forest.considered = int(np.count_nonzero(log_posteriors > -np.inf))
        log_total = _log_sum(log_posteriors)
        for ranks, node in ranked.node_of.items():
            if ranks:
                forest.nodes[node].score = math.exp(proposed.log_posterior(ranks) - log_total)
        forest.hypotheses = [ranked.hypothesis(ranks, submitted) for ranks in ranked.ordered[:SHOWN]]


class _RankedCandidates:
    """The candidates of one iteration, best first, and the nodes that stand for them."""

    def __init__(
        self, forest: Forest, guesses: list[Distribution], proposed: Candidates, ordered: list[CandidateRanks]
    ):
        self.forest, self.proposed, self.ordered, self._guesses = forest, proposed, ordered, guesses
        self.node_of: dict[CandidateRanks, int] = {(): -1}
        self._drafts: dict[tuple[int, int], Distribution] = {}

    def missing(self, ranks: CandidateRanks) -> list[CandidateRanks]:
        """The candidate and its ancestors that have no node yet, ancestors first."""
        return [ranks[:length] for length in range(1, len(ranks) + 1) if ranks[:length] not in self.node_of]

    def place(self, ranks: CandidateRanks) -> None:
        """Add the candidate's node, after those of its ancestors."""
        for path in self.missing(ranks):
            head, token = len(path) - 1, self.proposed.text(path)[-1]
            if (head, token) not in self._drafts:
                self._drafts[head, token] = one_hot(self._guesses[head], token)
            self.node_of[path] = self.forest.add(token, self.node_of[path[:-1]], self._drafts[head, token])

    def hypothesis(self, ranks: CandidateRanks, submitted: int) -> Hypothesis:
        """A candidate as the record has it; of ``submitted`` nodes."""
        node = self.node_of.get(ranks)
        submitted_node = node is not None and node < submitted
        return Hypothesis(
            tokens=self.proposed.text(ranks),
            posterior=math.exp(self.proposed.log_posterior(ranks)),
            independent=math.exp(self.proposed.log_independent(ranks)),
            kept=submitted_node,
            node=node if submitted_node else None,
        )


def _log_sum(logs: np.ndarray) -> float:
    """log of the sum of exponentials; minus infinity for none."""
    top = logs.max(initial=-np.inf)
    return float(top + np.log(np.exp(logs - top).sum())) if top > -np.inf else -math.inf
