"""Drafts from prediction heads: guesses of the next tokens, all read off one hidden state of the target.

The last token of the text, drawn by the target itself, is x_1 of slim.txt, section 3.1: the root that every hypothesis
starts with. It is text already, so it is no node and is not counted; head g_(i+1) guesses the nodes at depth i.
"""

import math
from collections.abc import Sequence

import numpy as np
import torch

from specviz.dice import Dice
from specviz.drafting.forest import Beam, Drafter, Forest, Hypothesis, Law, PromptReading, ScoredForest, Survivor, laws
from specviz.drafting.posterior import Candidates, Ranks, best, candidates
from specviz.lm.correlation import Correlation, DenseCorrelation
from specviz.lm.heads import Heads, Paths
from specviz.lm.language_model import Scores
from specviz.lm.warp import Warp

SHOWN = 60  # candidates kept for the record, and nodes up to which pruned ones are added


class _Guesses:
    """What the heads say in one iteration: ``log_probs`` float64 [heads, vocab_size], unwarped."""

    def __init__(self, logits: torch.Tensor):
        self._laws = laws(Scores(logits), Warp())
        self._certain: dict[tuple[int, int], Law] = {}
        self.log_probs = np.stack([law.logprobs() for law in self._laws])

    def certain(self, head: int, token: int) -> Law:
        """The law of a token that was taken, not drawn."""
        if (head, token) not in self._certain:
            self._certain[head, token] = self._laws[head].certain(token)
        return self._certain[head, token]


class HeadsDrafter(Drafter):
    """Reads the heads at the last token but one, whose hidden state the target has computed before; drafts nothing
    where there is no such token. A branch ends at an end token; a token that its head rules out is not drafted."""

    def __init__(self, heads: Heads, end_tokens: frozenset[int] = frozenset()):
        self._heads, self._end_tokens = heads, end_tokens
        self.depth = heads.count
        self._hidden: torch.Tensor | None = None
        self._root_log_prob = 0.0  # log p(x_1) under the target; a prompt is given

    def start(self, prompt: PromptReading) -> None:
        self._hidden = prompt.hidden

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        text, forest = beams[0].tokens, Forest(drawing="certain")
        if len(text) > 1:
            self._grow(forest, _Guesses(self._heads.logits(text[:-1], self._hidden)), text[-1])
        return forest

    def commit(self, survivors: Sequence[Survivor], scored: ScoredForest, verdict) -> None:
        survivor = survivors[0]
        places = [-1, *survivor.path]
        if survivor.drawn is None:  # the last token of the path is the text's last
            places.pop()
        last = scored.forest.tokens[survivor.path[-1]] if survivor.drawn is None else survivor.drawn
        self._hidden = scored.hidden.get(places[-1])
        self._root_log_prob = scored.law_at(places[-1]).logprob(last)

    def _grow(self, forest: Forest, guesses: _Guesses, root: int) -> None:
        """Fill ``forest`` with hypotheses that follow ``root``, the text's last token."""
        raise NotImplementedError

    def _ended(self, forest: Forest, place: int) -> bool:
        return place >= 0 and forest.tokens[place] in self._end_tokens


class TreeDrafter(HeadsDrafter):
    """Medusa: always the same tree of head ranks; its first ``nodes`` entries, ancestors first. A chain of best tokens,
    (0,), (0, 0), .., is blockwise parallel decoding."""

    def __init__(self, heads: Heads, tree: Paths, nodes: int, end_tokens: frozenset[int] = frozenset()):
        super().__init__(heads, end_tokens)
        closed = dict.fromkeys(path[:length] for path in tree for length in range(1, len(path) + 1))
        self._tree = list(closed)[:nodes]
        self._most = [1 + max((p[i] for p in self._tree if len(p) > i), default=-1) for i in range(heads.count)]

    @property
    def size(self) -> int:
        return len(self._tree)

    def _grow(self, forest: Forest, guesses: _Guesses, root: int) -> None:
        ranked = [best(row, most) for row, most in zip(guesses.log_probs, self._most, strict=True)]
        place_of = {(): -1}
        for path in self._tree:
            head, rank, parent = len(path) - 1, path[-1], place_of.get(path[:-1])
            if parent is None or self._ended(forest, parent) or rank >= len(ranked[head]):
                continue
            token = int(ranked[head][rank])
            node = place_of[path] = forest.add(token, parent, guesses.certain(head, token))
            forest.scores[node] = math.exp(guesses.log_probs[head, token])
        forest.submitted = list(range(len(forest)))


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
        super().__init__(heads, end_tokens)
        self._top, self._keep, self._correlation = top, keep, correlation

    @property
    def size(self) -> int:
        return sum(min(self._top**depth, self._keep) for depth in range(1, self.depth + 1))

    def _grow(self, forest: Forest, guesses: _Guesses, root: int) -> None:
        found = candidates(guesses.log_probs, root, self._top, self._correlation, self._end_tokens, self._root_log_prob)
        log_posteriors = found.log_posteriors
        ordered = [found.ranks(index) for index in best(log_posteriors, max(self._keep, SHOWN))]
        place_of: dict[Ranks, int] = {(): -1}
        for ranks in ordered[: self._keep]:
            self._place(forest, guesses, found, place_of, ranks)
        forest.submitted = list(range(len(forest)))
        forest.later.append(lambda: self._show(forest, guesses, found, place_of, ordered))

    def _show(
        self, forest: Forest, guesses: _Guesses, found: Candidates, place_of: dict[Ranks, int], ordered: list[Ranks]
    ) -> None:
        """What nothing depends on: the pruned, and how all were ranked."""
        log_posteriors = found.log_posteriors
        for ranks in ordered[self._keep :]:
            if len(forest) + len(_missing(ranks, place_of)) <= SHOWN:
                self._place(forest, guesses, found, place_of, ranks)
        forest.considered = int(np.count_nonzero(log_posteriors > -np.inf))
        log_total = _log_sum(log_posteriors)
        for ranks, node in place_of.items():
            if ranks:
                forest.scores[node] = math.exp(found.log_posterior(ranks) - log_total)
        forest.hypotheses = [self._hypothesis(forest, found, place_of, ranks) for ranks in ordered[:SHOWN]]

    @staticmethod
    def _place(forest: Forest, guesses: _Guesses, found: Candidates, place_of: dict[Ranks, int], ranks: Ranks) -> None:
        """Add the candidate's node, after those of its ancestors."""
        for path in _missing(ranks, place_of):
            head, token = len(path) - 1, found.text(path)[-1]
            place_of[path] = forest.add(token, place_of[path[:-1]], guesses.certain(head, token))

    @staticmethod
    def _hypothesis(forest: Forest, found: Candidates, place_of: dict[Ranks, int], ranks: Ranks) -> Hypothesis:
        node = place_of.get(ranks)
        kept = node is not None and node < len(forest.submitted)
        return Hypothesis(
            tokens=found.text(ranks),
            posterior=math.exp(found.log_posterior(ranks)),
            independent=math.exp(found.log_independent(ranks)),
            kept=kept,
            node=node if kept else None,
        )


def _missing(ranks: Ranks, place_of: dict[Ranks, int]) -> list[Ranks]:
    """The candidate and its ancestors that have no node yet, ancestors first."""
    return [ranks[:length] for length in range(1, len(ranks) + 1) if ranks[:length] not in place_of]


def _log_sum(logs: np.ndarray) -> float:
    """log of the sum of exponentials; minus infinity for none."""
    top = logs.max(initial=-np.inf)
    return float(top + np.log(np.exp(logs - top).sum())) if top > -np.inf else -math.inf
