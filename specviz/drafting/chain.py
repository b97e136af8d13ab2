"""Chains: gamma tokens drawn one after the other from the draft model (speculative-decoding.txt, section 2.2)."""

from collections.abc import Sequence

from specviz.dice import Dice
from specviz.drafting.drafter import AcceptedBeam, Beam, Drafter, Remainder, ScoredForest
from specviz.drafting.stopping import FixedGamma, Gamma
from specviz.lm.language_model import Session
from specviz.lm.scoring import distributions
from specviz.lm.warp import Warp
from specviz.trace.distribution import Distribution
from specviz.trace.forest import Forest


class NoDraft(Drafter):
    """Drafts nothing: the target speaks for itself."""

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        return Forest()


class ChainDrafter(Drafter):
    """Draws up to gamma tokens from the warped draft distribution, ending early at an end token or where the draft
    model has nothing to propose. The session holds rows for the text before the last token at least; missing ones are
    read first. Another way to choose tokens is another ``choose``."""

    def __init__(self, session: Session, warp: Warp, gamma: Gamma | int, end_tokens: frozenset[int] = frozenset()):
        self._session, self._warp, self._end_tokens = session, warp, end_tokens
        self._gamma = FixedGamma(gamma) if isinstance(gamma, int) else gamma
        self.depth = self._gamma.most
        self._context_rows = 0

    def draft(self, beams: Sequence[Beam], dice: Dice) -> Forest:
        forest, session, context = Forest(), self._session, beams[0].tokens
        gamma, text = self._gamma.choose(), list(context)
        known = len(session.trie)
        parent, node = known - 1, -1
        new, parents = list(context[known:]), range(known - 1, len(context) - 1)
        for step in range(gamma):
            (draft,) = distributions(session.extend(new, parents, last_only=True), self._warp)
            self._context_rows = len(context)
            choice = self.choose(draft, text, dice)
            if choice is None:
                break
            token, source = choice
            parent = len(session.trie) - 1
            node = forest.add(token, node, source)
            text.append(token)
            if token in self._end_tokens or step == gamma - 1:
                break
            new, parents = [token], [parent]
        forest.submit()
        return forest

    def choose(self, draft: Distribution, text: Sequence[int], dice: Dice) -> tuple[int, Distribution] | None:
        """The token to draft after ``text`` (prompt, output and what is drafted so far), where the draft model says
        ``draft``, and the distribution that it was really drawn from, by which it is judged: ``draft``, or ``one_hot``
        of what was taken without drawing. None ends the chain."""
        return (int(draft.tokens[dice.pick(draft.probs).index]), draft) if draft.possible else None

    def notes(self) -> dict[str, float]:
        return self._gamma.notes()

    def commit(self, accepted: Sequence[AcceptedBeam], scored: ScoredForest, verdict: Remainder) -> None:
        path = accepted[0].path
        rows = len(self._session.trie)  # the last drafted token may not have been read
        self._session.keep(range(min(self._context_rows + len(path), rows)))
        self._gamma.observe(scored, path)
