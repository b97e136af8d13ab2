"""A stranger's drafters and verifier, written against the public interface alone: what must work everywhere.

``TWINS`` drafts several chains side by side, ``PAIRS`` candidates whose second depends on the first in a way of its
own, ``BLEND`` a chain that is drawn from the draft model's distribution mixed with an even one, and says nothing of it.
``PATIENT`` judges chains and trees by an acceptance rule of its own, which keeps the target's distribution; ``HASTY``
leaves out coins that could fall one way only.
"""

import numpy as np

from specviz import (
    ChainDrafter,
    Coin,
    Drafter,
    DrafterSpec,
    Forest,
    Method,
    Option,
    Verdict,
    Verifier,
    VerifierSpec,
    sample_after,
    without,
)
from specviz.drafting.tree import TreeReader
from specviz.options import GAMMA
from specviz.rules.token import TokenVerifier
from specviz.trace.distribution import normalised


class TwinsDrafter(Drafter):
    """``count`` chains of gamma tokens, each drawn by itself; a chain that begins like an earlier one is its first
    token alone."""

    def __init__(self, session, warp, count, gamma, end_tokens):
        self._reader, self._count, self._end_tokens = TreeReader(session, warp), count, end_tokens
        self.depth = gamma

    @property
    def size(self):
        return self._count * self.depth

    def draft(self, beams, dice):
        forest = Forest()
        first = self._reader.begin(beams[0].tokens)
        tips = [self._draw(forest, -1, first, dice) for _ in range(self._count)]
        tokens = [None if tip is None else forest.nodes[tip].token for tip in tips]
        tips = [tip for number, tip in enumerate(tips) if tokens.index(tokens[number]) == number]
        for _ in range(self.depth - 1):
            tips = [tip for tip in tips if tip is not None and forest.nodes[tip].token not in self._end_tokens]
            if not tips:
                break
            following = self._reader.read(forest, tips)
            tips = [self._draw(forest, tip, draft, dice) for tip, draft in zip(tips, following, strict=True)]
        forest.submit()
        return forest

    def _draw(self, forest, parent, draft, dice):
        if not draft.possible:
            return None
        return forest.add(int(draft.tokens[dice.pick(draft.probs).index]), parent, draft)

    def commit(self, accepted, scored, verdict):
        self._reader.keep(accepted[0].path)


class PairsDrafter(TwinsDrafter):
    """Two candidates for the next token: the second is drawn from the square roots of what the first left."""

    def draft(self, beams, dice):
        forest = Forest()
        draft = self._reader.begin(beams[0].tokens)
        first = self._draw(forest, -1, draft, dice)
        if first is not None:
            left = without(draft, forest.nodes[first].token)
            if left.probs.any():
                self._draw(forest, -1, normalised(left, np.sqrt(left.probs)), dice)
        forest.submit()
        return forest


class BlendDrafter(ChainDrafter):
    """One chain; of every token's distribution the share ``evenness`` is even among the tokens that are possible."""

    def __init__(self, session, warp, gamma, evenness, end_tokens):
        super().__init__(session, warp, gamma, end_tokens)
        self._evenness = evenness

    def choose(self, draft, text, dice):
        possible = draft.probs > 0
        even = (possible / max(possible.sum(), 1)).astype(draft.probs.dtype)
        blended = normalised(draft, (1 - self._evenness) * draft.probs + self._evenness * even)
        return super().choose(blended, text, dice)


class PatientVerifier(Verifier):
    """Candidate after candidate, each accepted with ``patience`` min(1, p / q); a rejection leaves what this coin did
    not give, norm(p - patience min(p, q)). So the text follows the target's distribution."""

    reads = "judged"

    def __init__(self, patience, end_tokens):
        self._patience, self._end_tokens = patience, end_tokens

    def verify(self, scored, dice):
        forest, children = scored.forest, scored.forest.children()
        verdict, prefix = Verdict(offered=forest.submitted_depth), -1
        while candidates := children.get(prefix):
            left = scored.target_at(prefix)
            for candidate, number in enumerate(candidates):
                node = forest.nodes[number]
                probability = self._patience * min(1.0, left.prob(node.token) / node.draft_prob)
                flip = dice.flip(probability)
                coin = (number, node.depth, node.token, probability, flip.uniform, flip.heads, left, node.draft)
                verdict.decisions.append(Coin(*coin, candidate, len(candidates)))
                if flip.heads:
                    break
                left = self.leftover(left, node.draft)
            else:
                verdict.sample_next(dice, scored, prefix, "resampled", left)
                return verdict
            verdict.path.append(number)
            prefix = number
        return sample_after(verdict, scored, dice, self._end_tokens)

    def leftover(self, target, draft):
        """What a token is drawn from after a rejection."""
        return normalised(
            target, target.probs - self._patience * np.minimum(target.probs, draft.probs_of(target.tokens))
        )


class HastyVerifier(TokenVerifier):
    """The token rule without a coin where nothing is left to chance: the dice are not even asked."""

    def _flip(self, number, node, target, dice):
        if target.prob(node.token) < node.draft_prob:
            return super()._flip(number, node, target, dice)
        return Coin(number, node.depth, node.token, 1.0, None, True, target, node.draft)


class ForgetfulVerifier(PatientVerifier):
    """The pitfall: the residual of another rule, as if every coin had been as fair as can be."""

    def leftover(self, target, draft):
        return normalised(target, np.maximum(target.probs - draft.probs_of(target.tokens), 0.0))


def _twins(context, options):
    session = context.open_draft(options["twins"] * options["gamma"])
    return TwinsDrafter(session, context.warp, options["twins"], options["gamma"], context.end_tokens)


def _blend(context, options):
    session = context.open_draft(options["gamma"])
    return BlendDrafter(session, context.warp, options["gamma"], options["evenness"], context.end_tokens)


TWINS = DrafterSpec(
    "twins",
    "chains side by side",
    _twins,
    (GAMMA, Option("twins", "integer", 2, "Chains drafted side by side.", 1, 4)),
    shape="tree",
)
PAIRS = DrafterSpec(
    "pairs",
    "two candidates drawn together",
    lambda context, options: PairsDrafter(context.open_draft(2), context.warp, 2, 1, context.end_tokens),
    shape="tree",
    drawing=lambda options: "in pairs",
)
BLEND = DrafterSpec(
    "blend",
    "a chain from a blend of distributions",
    _blend,
    (GAMMA, Option("evenness", "number", 0.3, "Share that is even.", 0.0, 1.0)),
)
PATIENT = VerifierSpec(
    "patient",
    "coins that wait",
    lambda context, options: PatientVerifier(options["patience"], context.end_tokens),
    (Option("patience", "number", 0.8, "A drafted token is accepted at most this often.", 0.0, 1.0, above_low=True),),
    exact=("independent", "without_replacement", "deterministic", "in pairs"),
)
FORGETFUL = VerifierSpec(
    "forgetful",
    "coins that wait, and another rule's residual",
    lambda context, options: ForgetfulVerifier(options["patience"], context.end_tokens),
    PATIENT.options,
)
HASTY = VerifierSpec(
    "hasty",
    "token by token, coins only where they matter",
    lambda context, options: HastyVerifier(1.0, context.end_tokens),
    judges=("chain",),
    exact=("independent",),
)
STRANGER = Method(
    name="stranger",
    drafter=TWINS,
    verifier=PATIENT,
    title="A stranger's method",
    paper="nobody's",
    summary="Chains side by side, judged by coins that wait.",
    texts={"rule": "Accept with patience min(1, p / q).", "finish": "One more token comes from the target."},
)
IN_PAIRS = Method(name="in-pairs", drafter=PAIRS, verifier=PATIENT)
BLENDED = Method(name="blended", drafter=BLEND, verifier=PATIENT)
IN_HASTE = Method(name="in-haste", drafter="chain", verifier=HASTY)
METHODS = (STRANGER, IN_PAIRS, BLENDED, IN_HASTE)
