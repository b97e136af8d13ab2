"""Rules with one thing wrong in one place, inside real decoders: what a proof of correctness must refuse.

Each changes the rule it is named after at a depth of the draft, at the token after a full draft, at an end token, or
after the first iteration, and leaves the rest right. ``WRONG`` are methods that claim what the right rule has.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from specviz.decoding.registry.method import Method
from specviz.dice import Pick
from specviz.drafting.chain import ChainDrafter
from specviz.rules import block, rejection
from specviz.rules.beams.layered import LayeredVerifier
from specviz.rules.beams.search import SpeculativeBeamVerifier
from specviz.rules.block import BlockVerifier
from specviz.rules.blocks import best_path, traversal
from specviz.rules.greedy import GreedyVerifier
from specviz.rules.kseq import SequenceVerifier, leftover, solve_rho
from specviz.rules.verdict import Verdict, Verifier, sample_after
from specviz.trace.distribution import normalised, residual
from tests.decoding.methods.test_candidates_pitfalls import Relabelled
from tests.decoding.registry.variants import variant


class Candidates(Verifier):
    """Candidate after candidate, right as it stands; each step is a method of its own, for others to get wrong."""

    def __init__(self, end_tokens=frozenset()):
        self.end_tokens, self.calls = end_tokens, 0

    def verify(self, scored, dice):
        forest, children = scored.forest, scored.forest.children()
        verdict, prefix = Verdict(offered=forest.submitted_depth), -1
        self.calls += 1
        while candidates := children.get(prefix):
            target = left = scored.target_at(prefix)
            for number in candidates:
                node = forest.nodes[number]
                if dice.flip(self.acceptance(node, left, target)):
                    break
                left = self.leftover(node, left, target)
            else:
                verdict.sample_next(dice, scored, prefix, "resampled", left)
                return verdict
            verdict.path.append(number)
            prefix = number
        return self.end(verdict, scored, dice)

    def acceptance(self, node, left, target):
        return min(1.0, left.prob(node.token) / node.draft_prob)

    def leftover(self, node, left, target):
        return residual(left, node.draft)

    def end(self, verdict, scored, dice):
        return sample_after(verdict, scored, dice, self.end_tokens)


class Deep(Candidates):
    """Wrong at ``depth`` and below, right above."""

    depth = 1

    def acceptance(self, node, left, target):
        wrong = node.depth >= self.depth
        return self.wrong_acceptance(node, left, target) if wrong else super().acceptance(node, left, target)

    def leftover(self, node, left, target):
        wrong = node.depth >= self.depth
        return self.wrong_leftover(node, left, target) if wrong else super().leftover(node, left, target)

    def wrong_acceptance(self, node, left, target):
        return Candidates.acceptance(self, node, left, target)

    def wrong_leftover(self, node, left, target):
        return Candidates.leftover(self, node, left, target)


class FreshSample(Deep):
    """A rejected token is replaced from p."""

    def wrong_leftover(self, node, left, target):
        return target


class OnlyTheToken(Deep):
    """A rejection takes nothing but the drafted token out of p."""

    def wrong_leftover(self, node, left, target):
        return normalised(left, np.where(left.tokens == node.token, 0.0, left.probs))


class FromTheDraft(Deep):
    """A rejected token is replaced by another draw from q."""

    def wrong_leftover(self, node, left, target):
        return node.draft


class AllAccepted(Deep):
    """Every guess stays."""

    def wrong_acceptance(self, node, left, target):
        return 1.0


class UpsideDown(Deep):
    """min(1, q / p), as some papers print it."""

    def wrong_acceptance(self, node, left, target):
        p = left.prob(node.token)
        return min(1.0, node.draft_prob / p) if p else 0.0


class TooKind(Deep):
    """Lenience that nobody asked for."""

    def wrong_acceptance(self, node, left, target):
        return min(1.0, 1.25 * left.prob(node.token) / node.draft_prob)


class TooStrict(Deep):
    """The ratio squared, with the residual of the plain one."""

    def wrong_acceptance(self, node, left, target):
        return min(1.0, left.prob(node.token) / node.draft_prob) ** 2


class ByTheOriginal(Deep):
    """Every candidate is judged by p instead of what the rejections before it left."""

    def wrong_acceptance(self, node, left, target):
        return min(1.0, target.prob(node.token) / node.draft_prob)


class BonusOfTheDraft(Candidates):
    """The token after a full draft is drawn once more from q."""

    def end(self, verdict, scored, dice):
        if verdict.path and scored.forest.nodes[verdict.path[-1]].token not in self.end_tokens:
            last = verdict.path[-1]
            verdict.sample_next(dice, scored, last, "bonus", scored.forest.nodes[last].draft)
            return verdict
        return super().end(verdict, scored, dice)


class CertainBonus(Candidates):
    """The token after a full draft is the target's likeliest, not drawn."""

    def end(self, verdict, scored, dice):
        if verdict.path and scored.forest.nodes[verdict.path[-1]].token not in self.end_tokens:
            last, target = verdict.path[-1], scored.target_at(verdict.path[-1])
            sure = normalised(target, np.where(target.probs == target.probs.max(), target.probs, 0.0))
            verdict.sample_next(dice, scored, last, "bonus", sure)
            return verdict
        return super().end(verdict, scored, dice)


class EndsGladly(Candidates):
    """A drafted end token always stays."""

    def acceptance(self, node, left, target):
        return 1.0 if node.token in self.end_tokens else super().acceptance(node, left, target)


class NeverEnds(Candidates):
    """A drafted end token never stays."""

    def acceptance(self, node, left, target):
        return 0.0 if node.token in self.end_tokens else super().acceptance(node, left, target)


class Careless(Candidates):
    """Right in its first iteration; after that every guess stays."""

    def acceptance(self, node, left, target):
        return super().acceptance(node, left, target) if self.calls == 1 else 1.0


class KSeq(SequenceVerifier):
    """K-SEQ, right as it stands, with the number of candidates that rho is solved for and the test as methods."""

    def verify(self, scored, dice):
        forest, children = scored.forest, scored.forest.children()
        verdict, prefix, depth = Verdict(offered=forest.submitted_depth), -1, 0
        while candidates := children.get(prefix):
            depth += 1
            target, draft = scored.target_at(prefix), forest.nodes[candidates[0]].draft
            tested, k = self.tested(candidates, children, depth)
            rho = solve_rho(target.probs, draft.probs_of(target.tokens), k)
            for number in tested:
                token = forest.nodes[number].token
                if dice.flip(min(1.0, target.prob(token) / (self.scale(rho, depth) * draft.prob(token)))):
                    break
            else:
                verdict.sample_next(dice, scored, prefix, "resampled", leftover(target, draft, rho, k))
                return verdict
            verdict.path = forest.path(number)
            prefix = next(other for other in candidates if forest.nodes[other].token == token)
        return sample_after(verdict, scored, dice, self._end_tokens)

    def tested(self, candidates, children, depth):
        return candidates, len(candidates)

    def scale(self, rho, depth):
        return rho


class CountsAll(KSeq):
    """Solves for all sequences, those included that no longer match."""

    def tested(self, candidates, children, depth):
        return candidates, len(children[-1])


class NoDiscount(KSeq):
    """rho is 1 below the first layer."""

    def scale(self, rho, depth):
        return rho if depth == 1 else 1.0


class FirstFailure(BlockVerifier):
    """Block verification that stops at the first prefix whose coin fails."""

    def verify(self, scored, dice):
        return _with(block, "kept_length", lambda passes: [*passes, False].index(False), super().verify, scored, dice)


class PlainResidual(BlockVerifier):
    """Block verification with the residual of the token rule, norm((P - Q)+)."""

    def verify(self, scored, dice):
        plain = lambda target, draft, weight: residual(target, draft)  # noqa: E731
        return _with(block, "residual", plain, super().verify, scored, dice)


class WholeBlock(BlockVerifier):
    """Block verification whose last token always passes."""

    def verify(self, scored, dice):
        keeping = block.keeping_probability
        passing = lambda weight, left: 1.0 if left is None else keeping(weight, left)  # noqa: E731
        return _with(block, "keeping_probability", passing, super().verify, scored, dice)


class Unclipped(BlockVerifier):
    """Block verification that multiplies ratios without cutting them at 1."""

    def verify(self, scored, dice):
        def weights(scored):
            found = [1.0]
            for node in (scored.forest.nodes[number] for number in scored.forest.submitted):
                found.append(found[-1] * scored.target_at(node.parent).prob(node.token) / node.draft_prob)
            return [min(weight, 1.0) for weight in found]

        return _with(block, "prefix_weights", weights, super().verify, scored, dice)


class ResidualToo(rejection.RejectionVerifier):
    """Rejection sampling, strict coins and all, that then draws from the residual."""

    def verify(self, scored, dice):
        verdict = super().verify(scored, _Undrawn(dice))
        if verdict.sampled is None or verdict.sampled.origin == "bonus" or not verdict.decisions[:-1]:
            end = verdict.sampled and (verdict.sampled.after, verdict.sampled.origin, verdict.sampled.source)
        else:
            coin = verdict.decisions[-2]
            end = verdict.sampled.after, "resampled", residual(coin.target, coin.draft)
        if end:
            verdict.decisions.pop()
            verdict.sample_next(dice, scored, *end)
        return verdict


class _Undrawn:
    """Dice whose picks are taken back."""

    def __init__(self, dice):
        self.flip = dice.flip

    def pick(self, weights):
        return Pick(int(np.flatnonzero(weights)[0]), None)


class PlainCoin(rejection.RejectionVerifier):
    """Rejection sampling with the coin of the residual's rule: M is left out."""

    def verify(self, scored, dice):
        return _with(rejection, "least_ratio", lambda target, draft: 1.0, super().verify, scored, dice)


class LikeliestM(rejection.RejectionVerifier):
    """Rejection sampling whose M is the greatest p / q of the tokens that are both likely."""

    def verify(self, scored, dice):
        def ratio(target, draft):
            p, q = target.probs, draft.probs_of(target.tokens)
            return min(1.0, (q / np.maximum(p, 1e-300))[np.minimum(p, q) > 0.1].min(initial=1.0))

        return _with(rejection, "least_ratio", ratio, super().verify, scored, dice)


class WeightStays(traversal.TraversalVerifier):
    """From the leaves up, where a prefix keeps its weight when a child is rejected."""

    def verify(self, scored, dice):
        return _with(traversal, "keeping_probability", lambda weight, over: weight, super().verify, scored, dice)


class UnweighedResidual(traversal.TraversalVerifier):
    """From the leaves up, with the residual of the token rule, norm((p' - q)+)."""

    def verify(self, scored, dice):
        plain = lambda target, draft, weight: residual(target, draft)  # noqa: E731
        return _with(traversal, "residual", plain, super().verify, scored, dice)


class UnweighedExcess(traversal.TraversalVerifier):
    """From the leaves up, where S sums (p' - q)+ without the weight."""

    def verify(self, scored, dice):
        usual = traversal.excess
        plain = lambda weight, target, draft: usual(1.0, target, draft)  # noqa: E731
        return _with(traversal, "excess", plain, super().verify, scored, dice)


class EndsFromTheTarget(traversal.TraversalVerifier):
    """From the leaves up, with p after the kept path in place of what the judging left."""

    def _end(self, verdict, scored, dice, kept, left):
        super()._end(verdict, scored, dice, kept, scored.target_at(kept))


class ForgetsTheChoice(best_path.BestPathVerifier):
    """The chosen path judged by q, as if nothing had been chosen."""

    def verify(self, scored, dice):
        return _with(best_path, "of_chosen", lambda q, preferred, count: q, super().verify, scored, dice)


class ChoosesAmongFewer(best_path.BestPathVerifier):
    """The chosen path judged as the best of one sequence less."""

    def verify(self, scored, dice):
        usual = best_path.of_chosen
        fewer = lambda q, preferred, count: usual(q, preferred, max(1, count - 1))  # noqa: E731
        return _with(best_path, "of_chosen", fewer, super().verify, scored, dice)


class GreedyBelow(GreedyVerifier):
    """Greedy match that takes the first candidate below the first layer unseen."""

    def verify(self, scored, dice):
        verdict = super().verify(scored, dice)
        children = scored.forest.children()
        if verdict.path and (below := children.get(verdict.path[-1])):
            verdict.path.append(below[0])
            verdict.sampled = None
            verdict.decisions.pop()
            return sample_after(verdict, scored, dice, self._end_tokens)
        return verdict


class GreedySecond(GreedyVerifier):
    """Greedy match that writes the target's second choice after a full draft."""

    def verify(self, scored, dice):
        verdict = super().verify(scored, dice)
        if verdict.sampled is not None and verdict.sampled.origin == "bonus":
            raw = verdict.sampled.target
            second = int(raw.tokens[np.argsort(-raw.logits, kind="stable")[1 % len(raw)]])
            verdict.sampled = replace(verdict.sampled, token=second)
        return verdict


class LayersUpsideDown(LayeredVerifier):
    """DSBD's ratio the wrong way round from ``depth`` on."""

    depth = 1

    def _flip(self, draft, depth, left, draft_joint, dice):
        wrong = depth >= self.depth and left.prob(draft.parent, draft.token)
        return super()._flip(draft, depth, *((draft_joint, left) if wrong else (left, draft_joint)), dice)


class LayersKept(LayeredVerifier):
    """DSBD that keeps every drafted beam that is possible at all, from ``depth`` on."""

    depth = 1

    def _flip(self, draft, depth, left, draft_joint, dice):
        coin = super()._flip(draft, depth, left, draft_joint, dice)
        possible = left.prob(draft.parent, draft.token) > 0.0
        return replace(coin, accepted=True) if depth >= self.depth and possible else coin


class LastLayerTwice(LayeredVerifier):
    """DSBD whose layer after the drafted ones has one beam, drawn, and copies of it."""

    def _one_more(self, layer, dice, verdict):
        super()._one_more(layer, dice, verdict)
        verdict.layers[-1] = [verdict.layers[-1][0]] * len(verdict.layers[-1])


class SearchesTooFar(SpeculativeBeamVerifier):
    """Speculative beam search that keeps one more layer as if the draft had found the best."""

    def verify(self, scored, dice):
        verdict = super().verify(scored, dice)
        last = verdict.layers[-1]
        verdict.layers[-1] = [last[-1]] * len(last) if len(verdict.layers) > 1 else last
        return verdict


class WarpedTwice(ChainDrafter):
    """Draws from q squared, and says that it drew from q."""

    def choose(self, draft, text, dice):
        chosen = super().choose(draft.with_probs(draft.probs**2), text, dice)
        return chosen and (chosen[0], draft)


def _with(module: Any, name: str, value: Any, run: Callable, *arguments: Any) -> Any:
    """The result of ``run`` while ``module`` has another ``name``."""
    usual = getattr(module, name)
    setattr(module, name, value)
    try:
        return run(*arguments)
    finally:
        setattr(module, name, usual)


def judged(method: str, kind: type, depth: int | None = None) -> Method:
    """``method`` with a verifier of ``kind`` at temperatures above 0, wrong from ``depth`` on."""
    _, spec = variant(method).pair({})

    def build(context, options):
        if context.warp.greedy and issubclass(kind, Candidates):
            return spec.build(context, options)
        verifier = kind(context.end_tokens)
        verifier.depth = depth or 0
        return verifier

    return replace(variant(method), verifier=replace(spec, build=build))


def beams(method: str, kind: type, depth: int = 1) -> Method:
    """``method`` with the verifier that it builds made one of ``kind``."""

    def change(built):
        built.__class__ = kind
        built.depth = depth
        return built

    return variant(method, verifier=change)


def relabelled(method: str, distributions_of: Callable) -> Method:
    return variant(method, drafter=lambda drafter: Relabelled(drafter, distributions_of))


def _stale(tokens, drafts):
    return [drafts[0]] * len(drafts)


def _drawn_of_all(tokens, drafts):
    """As if the token that was drawn from the rest had been drawn from all: the rest is put beside the hub."""
    hub = tokens[-1]
    whole = drafts[0].with_probs(np.where(drafts[0].tokens == hub, 0.5, drafts[0].probs / 2))
    return [drafts[0] if drafts[0].certain else whole, *drafts[1:]]


def _all_drawn(tokens, drafts):
    """As if the candidates that are taken for certain had been drawn, too."""
    if drafts[0].certain:
        return drafts
    taken = np.isin(drafts[0].tokens, tokens[1:])
    whole = drafts[0].with_probs((drafts[0].probs + taken) / (1 + taken.sum()))
    return [drafts[0], *([whole] * (len(drafts) - 1))]


def _as_without_replacement(tokens, drafts):
    found = []
    for number, draft in enumerate(drafts):
        probs = np.where(np.isin(draft.tokens, tokens[:number]), 0.0, draft.probs)
        found.append(draft.with_probs(probs / probs.sum()) if probs.sum() > 0 else draft)
    return found


def _drawn_squared(built):
    built.__class__ = WarpedTwice
    return built


CHAIN = {
    f"{kind.__name__} from depth {depth}": judged("speculative", kind, depth)
    for kind in (FreshSample, OnlyTheToken, FromTheDraft, AllAccepted, UpsideDown, TooKind, TooStrict)
    for depth in (1, 2, 3)
}
TREES = {
    f"{kind.__name__} in a tree of {method} from depth {depth}": judged(method, kind, depth)
    for method, kind, depth in (
        *(("specinfer", FreshSample, depth) for depth in (2, 3)),
        *(("specinfer", AllAccepted, depth) for depth in (2, 3)),
        *(("specinfer", ByTheOriginal, depth) for depth in (1, 2)),
        *(("mcsd", ByTheOriginal, depth) for depth in (1, 2)),
        ("mcsd", OnlyTheToken, 2),
        ("dynamic-tree", ByTheOriginal, 1),
        ("dynamic-tree", AllAccepted, 2),
    )
}
PLACES = {
    f"{kind.__name__} in {method}": judged(method, kind)
    for method in ("speculative", "specinfer")
    for kind in (BonusOfTheDraft, CertainBonus, EndsGladly, NeverEnds, Careless)
}
OTHERS = {
    "drafts without replacement judged as independent": relabelled("mcsd", _stale),
    "independent drafts judged as without replacement": relabelled("specinfer", _as_without_replacement),
    "a chain that draws from another distribution than it says": variant("speculative", drafter=_drawn_squared),
    "K-SEQ for all sequences": judged("spectr", CountsAll),
    "K-SEQ without rho below the first layer": judged("spectr", NoDiscount),
    "block stops at the first failure": judged("block", FirstFailure),
    "block with the token rule's residual": judged("block", PlainResidual),
    "block whose last token always passes": judged("block", WholeBlock),
    "block without the cut at 1": judged("block", Unclipped),
    "rejection sampling with a residual": judged("rejection", ResidualToo),
    "rejection sampling without M": judged("rejection", PlainCoin),
    "rejection sampling with M of likely tokens": judged("rejection", LikeliestM),
    "traversal whose weights stay": judged("traversal", WeightStays),
    "traversal with the token rule's residual": judged("traversal", UnweighedResidual),
    "traversal with an excess without weight": judged("traversal", UnweighedExcess),
    "traversal that ends with the target": judged("traversal", EndsFromTheTarget),
    "the best path judged by q": judged("best-path", ForgetsTheChoice),
    "the best path as of fewer": judged("best-path", ChoosesAmongFewer),
    "SpecHub judged as drawn from all of q": relabelled("spechub", _drawn_of_all),
    "greedy drafts judged as if all were drawn": relabelled("greedy-drafts", _all_drawn),
    "greedy takes what is below unseen": beams("medusa", GreedyBelow),
    "greedy writes its second choice": beams("bpd", GreedySecond),
    "DSBD upside down": beams("dsbd", LayersUpsideDown),
    "DSBD upside down from layer 2": beams("dsbd", LayersUpsideDown, 2),
    "DSBD keeps all from layer 2": beams("dsbd", LayersKept, 2),
    "DSBD copies its last layer": beams("dsbd", LastLayerTwice),
    "beam search goes on with copies": beams("speculative-beam", SearchesTooFar),
}
WRONG: dict[str, Method] = {**CHAIN, **TREES, **PLACES, **OTHERS}
RIGHT: dict[str, Method] = {
    "candidates": judged("speculative", Candidates),
    "candidates in a tree": judged("specinfer", Candidates),
    "K-SEQ": judged("spectr", KSeq),
}
"""The same machinery with nothing wrong."""
