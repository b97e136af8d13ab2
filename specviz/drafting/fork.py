"""Forks: several first tokens from the target's own law, each extended by the draft model as a chain of its own.

improved-mcsd.txt, sections 3.1 (roots from the target), 3.2 (a fork, no further branching) and 3.3 (early stop).
"""

from collections.abc import Sequence

import torch

from specviz.dice import Dice
from specviz.drafting.beam import draw_without_replacement
from specviz.drafting.forest import Beam, Drafter, Forest, PromptReading, Proposal, ScoredForest, Survivor, laws
from specviz.lm.deciding import Decider
from specviz.lm.language_model import Scores, Session
from specviz.lm.warp import Warp


class ForkDrafter(Drafter):
    """Up to ``width`` roots and below each a chain of up to ``depth`` drafted tokens, the root not counted.

    Roots are drawn without replacement from a law of the target that is known already: after the prompt at first, then
    what the last verdict left (``Verdict.next_law``); at temperature 0 they are its most probable tokens before the
    warp, lower numbers first among equals. All chains grow by one token with every call of the draft model; one that
    reaches an end token, or a place where the draft model proposes nothing, grows no further.

    With a ``decider``, drafting stops early after a token for which every chain that could go on is estimated below
    ``beta``: as in the paper's Figure 1, the tokens just drafted are still submitted, and none after them.
    ``Forest.planned_depth`` stays ``depth``, the depth the mask is built for; what is left is a slice of it.
    """

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
        self.depth = 1 + depth
        self._node_rows: dict[int, int] = {}

    @property
    def size(self) -> int:
        return self._width * self.depth

    def start(self, prompt: PromptReading) -> None:
        self._root_law, self._root_origin = prompt.law, "target"

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        forest = Forest(planned_depth=self._drafts)
        self._node_rows, unread = {}, beams[0].tokens[len(self._session.trie) :]
        tips = self._plant(forest, dice)
        for _ in range(self._drafts):
            tips = [tip for tip in tips if forest.tokens[tip] not in self._end_tokens]
            if not tips:
                break
            scores, unread = self._read(forest, unread, tips), ()
            tips = self._grow(forest, tips, scores, dice)
            if self._decider is not None and self._stops(forest, tips):
                break
        forest.submitted = list(range(len(forest)))
        return forest

    def _plant(self, forest: Forest, dice: Dice) -> list[int]:
        """The roots, from the law that is carried."""
        law = self._root_law
        if self._warp.greedy:
            likeliest = law.logits.sort(descending=True, stable=True).indices[: self._width].tolist()
            roots = [forest.add(token, -1, law.certain(token)) for token in likeliest if law.logits[token].isfinite()]
        else:
            roots = [forest.add(token, -1, law) for token in draw_without_replacement(law.probs, self._width, dice)]
            forest.proposals.append(Proposal((-1,), (1.0,), (law,), tuple(roots), replacement=False))
        forest.roots = dict.fromkeys(roots, self._root_origin)
        return roots

    def _read(self, forest: Forest, unread: Sequence[int], tips: list[int]) -> Scores:
        """Let the draft model read what it lacks of the text, then the last token of every chain; their scores."""
        start = len(self._session.trie)
        last = start + len(unread) - 1
        above = [self._node_rows.get(forest.parents[tip], last) for tip in tips]
        tokens = [*unread, *(forest.tokens[tip] for tip in tips)]
        scores = self._session.extend(tokens, [*range(start - 1, last), *above])
        self._node_rows.update(zip(tips, range(last + 1, last + 1 + len(tips)), strict=True))
        hidden = None if scores.hidden is None else scores.hidden[len(unread) :]
        return Scores(scores.logits[len(unread) :], hidden)

    def _grow(self, forest: Forest, tips: list[int], scores: Scores, dice: Dice) -> list[int]:
        """Draw the next token of every chain; returns the new tips."""
        places, grown = [], []
        for place, (tip, law) in enumerate(zip(tips, laws(scores, self._warp), strict=True)):
            if not law.probs.any():
                continue
            token = dice.pick(law.probs).index
            node = forest.add(token, tip, law)
            if law.probs[token] < 1.0:  # a certain token is no draw
                forest.proposals.append(Proposal((tip,), (1.0,), (law,), (node,), replacement=True))
            places.append(place)
            grown.append(node)
        if self._decider is not None and grown:
            rows = torch.tensor(places, device=scores.logits.device)
            hidden = None if scores.hidden is None else scores.hidden[rows]
            tokens = [forest.tokens[node] for node in grown]
            estimates = self._decider.estimate(scores.logits[rows], hidden, tokens)
            forest.estimates.update(zip(grown, estimates, strict=True))
        return grown

    def _stops(self, forest: Forest, tips: list[int]) -> bool:
        """Whether no chain that could go on is worth it."""
        open_tips = [tip for tip in tips if forest.tokens[tip] not in self._end_tokens]
        return all(forest.estimates[tip] < self._beta for tip in open_tips)

    def commit(self, survivors: Sequence[Survivor], scored: ScoredForest, verdict) -> None:
        context_rows = len(self._session.trie) - len(self._node_rows)
        read = [self._node_rows[node] for node in survivors[0].path if node in self._node_rows]
        self._session.keep([*range(context_rows), *read])
        self._root_law, self._root_origin = verdict.next_law, verdict.next_origin
