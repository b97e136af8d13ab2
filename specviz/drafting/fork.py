"""Forks: several first tokens from the target's own distribution, each extended by the draft model as a chain.

improved-mcsd.txt, sections 3.1 (roots from the target), 3.2 (a fork, no further branching) and 3.3 (early stop).
"""

from collections.abc import Sequence

import torch

from specviz.dice import Dice
from specviz.drafting.beam import draw_without_replacement
from specviz.drafting.drafter import AcceptedBeam, Beam, Drafter, PromptReading, Remainder, ScoredForest
from specviz.errors import ModelError
from specviz.lm.language_model import Scores, Session
from specviz.lm.parts.deciding import Decider
from specviz.lm.scoring import distributions
from specviz.lm.warp import Warp
from specviz.trace.distribution import Distribution, one_hot
from specviz.trace.forest import Forest, Origin


class ForkDrafter(Drafter):
    """Up to ``width`` roots and below each a chain of up to ``depth`` drafted tokens, the root not counted.

    Roots are drawn without replacement from a distribution of the target that is known already: after the prompt at
    first, then what the last verdict left (``Verdict.next_distribution``); at temperature 0 they are its most probable
    tokens before the warp, lower numbers first among equals. All chains grow by one token with every call of the draft
    model; one that reaches an end token, or a prefix after which the draft model proposes nothing, grows no further.

    With a ``decider``, drafting stops early after a token for which every chain that could go on is estimated below
    ``beta``: as in the paper's Figure 1, the tokens just drafted are still submitted, and none after them.
    ``Forest.planned_depth`` stays ``depth``, the depth the mask is built for; what is left is a slice of it. Whether it
    stopped is noted as ``stopped``, 1 or 0.
    """

    wants_prefill_distribution = True

    def __init__(
        self,
        session: Session,
        warp: Warp,
        width: int,
        depth: int,
        end_tokens: frozenset[int] = frozenset(),
        decider: Decider | None = None,
        beta: float = 0.0,
    ):
        self._session, self._warp, self._end_tokens = session, warp, end_tokens
        self._width, self._drafts, self._decider, self._beta = width, depth, decider, beta
        self.depth, self.target_entries = 1 + depth, width
        self._stopped = False
        self._node_rows: dict[int, int] = {}
        self._source: Distribution | None = None
        self._origin: Origin = "target"

    @property
    def size(self) -> int:
        return self._width * self.depth

    def start(self, prompt: PromptReading) -> None:
        self._source, self._origin = prompt.next, prompt.origin

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        forest = Forest(planned_depth=self._drafts)
        self._node_rows, unread = {}, beams[0].tokens[len(self._session.trie) :]
        tips, self._stopped = self._plant(forest, dice), False
        for left in reversed(range(self._drafts)):
            tips = [tip for tip in tips if forest.nodes[tip].token not in self._end_tokens]
            if not tips:
                break
            scores, unread = self._read(forest, unread, tips), ()
            tips = self._grow(forest, tips, scores, dice)
            if self._decider is not None and left and self._stops(forest, tips):
                self._stopped = True
                break
        forest.submit()
        return forest

    def _plant(self, forest: Forest, dice: Dice) -> list[int]:
        """The roots, from the distribution that is carried."""
        source = self._source
        assert source is not None  # known since the prompt was read
        if self._warp.greedy:
            roots = [forest.add(token, -1, one_hot(source, token)) for token in source.ranked(self._width).tolist()]
        else:
            drawn = draw_without_replacement(source.probs, self._width, dice)
            roots = [forest.add(int(source.tokens[index]), -1, source) for index in drawn]
        for root in roots:
            forest.nodes[root].root = self._origin
        return roots

    def _read(self, forest: Forest, unread: Sequence[int], tips: list[int]) -> Scores:
        """Let the draft model read what it lacks of the text, then the last token of every chain; their scores."""
        start = len(self._session.trie)
        last = start + len(unread) - 1
        above = [self._node_rows.get(forest.nodes[tip].parent, last) for tip in tips]
        tokens = [*unread, *(forest.nodes[tip].token for tip in tips)]
        scores = self._session.extend(tokens, [*range(start - 1, last), *above])
        self._node_rows.update(zip(tips, range(last + 1, last + 1 + len(tips)), strict=True))
        return scores.after(len(unread))

    def _grow(self, forest: Forest, tips: list[int], scores: Scores, dice: Dice) -> list[int]:
        """Draw the next token of every chain; returns the new tips."""
        rows, grown = [], []
        for row, (tip, draft) in enumerate(zip(tips, distributions(scores, self._warp), strict=True)):
            if not draft.possible:
                continue
            node = forest.add(int(draft.tokens[dice.pick(draft.probs).index]), tip, draft)
            rows.append(row)
            grown.append(node)
        if self._decider is not None and grown:
            self._estimate(forest, grown, scores, torch.tensor(rows, device=scores.logits.device))
        return grown

    def _estimate(self, forest: Forest, grown: list[int], scores: Scores, rows: torch.Tensor) -> None:
        """Let the decision model say how likely each new token is to be accepted."""
        hidden = None if scores.hidden is None else scores.hidden[rows]
        nodes = [forest.nodes[node] for node in grown]
        assert self._decider is not None
        estimates = self._decider.estimate(scores.logits[rows], hidden, [node.token for node in nodes])
        for node, row, estimate in zip(nodes, rows.tolist(), estimates, strict=True):
            if not 0.0 <= estimate <= 1.0:
                raise ModelError(
                    f"decider {self._decider.name!r} must give numbers from 0 to 1, got {estimate} at position "
                    f"{scores.source.positions[row]}; decision=None drafts without",
                    argument="deciders",
                )
            node.estimate = estimate

    def _stops(self, forest: Forest, tips: list[int]) -> bool:
        """Whether no chain that could go on is worth it."""
        growing = [forest.nodes[tip] for tip in tips if forest.nodes[tip].token not in self._end_tokens]
        return bool(growing) and all(tip.estimate is not None and tip.estimate < self._beta for tip in growing)

    def notes(self) -> dict[str, float]:
        return {} if self._decider is None else {"stopped": float(self._stopped)}

    def commit(self, accepted: Sequence[AcceptedBeam], scored: ScoredForest, verdict: Remainder) -> None:
        context_rows = len(self._session.trie) - len(self._node_rows)
        read = [self._node_rows[node] for node in accepted[0].path if node in self._node_rows]
        self._session.keep([*range(context_rows), *read])
        self._source, self._origin = verdict.next_distribution, verdict.next_origin
