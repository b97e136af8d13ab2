"""The pitfalls of several candidates and of block verification, put into the real decoders on models of a fixed seed:
the check of the laws catches every one."""

from dataclasses import replace

import pytest

from specviz.decoding.methods.candidates import BLOCK, DYNAMIC_TREE, MCSD, SPECINFER, SPECTR
from specviz.drafting.forest import Drafter
from specviz.drafting.tree import SampledTreeDrafter
from specviz.verifying import block
from specviz.verifying.kseq import SequenceVerifier, leftover, solve_rho
from specviz.verifying.recursive import RecursiveVerifier
from specviz.verifying.token import finish, residual
from specviz.verifying.verdict import Verdict
from tests.decoding.models import random_pair
from tests.decoding.test_candidates import EXACT, error_of, expected_accepted


class Relabelled(Drafter):
    """Drafts as ever, but hands over other laws: ``laws_of(siblings' tokens, siblings' laws)``."""

    def __init__(self, drafter, laws_of):
        self._drafter, self._laws_of = drafter, laws_of
        self.depth, self.commit = drafter.depth, drafter.commit

    @property
    def size(self):
        return self._drafter.size

    def draft(self, beams, dice):
        forest = self._drafter.draft(beams, dice)
        for siblings in forest.children().values():
            tokens, handed = [forest.tokens[node] for node in siblings], [forest.draft_laws[node] for node in siblings]
            for node, law in zip(siblings, self._laws_of(tokens, handed), strict=True):
                forest.draft_laws[node] = law
        return forest


def _without(law, tokens):
    probs = law.probs.copy()
    probs[list(tokens)] = 0.0
    return law.with_probs(probs / probs.sum()) if probs.sum() > 0 else law


def relabelled(method, laws_of):
    def build(bench, options):
        decoder = method.build(bench, options)
        return replace(decoder, drafter=Relabelled(decoder.drafter, laws_of))

    return replace(method, build=build)


def judged_by(method, verifier):
    return replace(method, build=lambda bench, options: replace(method.build(bench, options), verifier=verifier))


def _not_independent(bench, options):
    session = bench.open_draft(bench.pair.draft, extra_rows=16)
    drafter = SampledTreeDrafter([session], bench.warp, (options["drafts"],), replacement=False)
    drafter = Relabelled(drafter, lambda tokens, laws: [laws[0]] * len(laws))
    return replace(SPECTR.build(bench, options), drafter=drafter)


class JudgesByTheOriginal(RecursiveVerifier):
    """Judges every candidate by p instead of what earlier rejections left of it."""

    def verify(self, scored, dice):
        forest, children = scored.forest, scored.forest.children()
        verdict, place = Verdict(), -1
        while candidates := children.get(place):
            left = target = scored.law_at(place)
            for node in candidates:
                if dice.flip(float(target.probs[forest.tokens[node]])):
                    break
                left = residual(left, forest.draft_laws[node])
            else:
                verdict.draw_next(dice, place, "resampled", target, left)
                return verdict
            verdict.path.append(node)
            place = node
        return finish(verdict, scored, dice, frozenset())


class Miscounts(SequenceVerifier):
    """K-SEQ that leaves the sequences whose own coin failed out of the next place (``tested`` of its children), and
    solves for ``counted`` of them: those tested, those that match, or all that were drafted."""

    def __init__(self, tested, counted):
        super().__init__()
        self._tested, self._counted = tested, counted

    def verify(self, scored, dice):
        forest, children = scored.forest, scored.forest.children()
        verdict, place, failed = Verdict(), -1, 0
        while candidates := children.get(place):
            tested = candidates[failed:] if self._tested == "own coin passed" else candidates
            k = {"tested": len(tested), "matching": len(candidates), "drafted": len(children[-1])}[self._counted]
            target, draft = scored.law_at(place), forest.draft_laws[candidates[0]]
            rho = solve_rho(target.probs, draft.probs, k)
            rejected = []
            for node in tested:
                token = forest.tokens[node]
                if dice.flip(target.probs[token] / (rho * draft.probs[token])):
                    break
                rejected.append(token)
            else:
                verdict.draw_next(dice, place, "resampled", target, leftover(target, draft, rho, k))
                return verdict
            failed, verdict.path = rejected.count(token), forest.path(node)
            place = next(other for other in candidates if forest.tokens[other] == token)
        return finish(verdict, scored, dice, frozenset())


SHARP = random_pair(3, 26, sharpness=2.0)
COINS = random_pair(2, 19)  # where a coin often fails before one passes for the same token
PITFALLS = {
    "i.i.d. drafts judged as without replacement": (
        relabelled(SPECINFER, lambda tokens, laws: [_without(law, tokens[:i]) for i, law in enumerate(laws)]),
        {"k_config": (3,)},
        SHARP,
    ),
    "drafts without replacement judged as i.i.d.": (
        relabelled(MCSD, lambda tokens, laws: [laws[0]] * len(laws)),
        {"k_config": (2,)},
        SHARP,
    ),
    "a law changed in place and then reused": (
        relabelled(MCSD, lambda tokens, laws: [laws[-1]] * len(laws)),
        {"k_config": (2,)},
        SHARP,
    ),
    "K-SEQ with drafts that are not i.i.d.": (
        replace(SPECTR, build=_not_independent),
        {"drafts": 2, "gamma": 1},
        SHARP,
    ),
    "K-SEQ counting matching sequences whose coin failed, but dropping them": (
        judged_by(SPECTR, Miscounts("own coin passed", "matching")),
        {"drafts": 2, "gamma": 2},
        COINS,
    ),
    "K-SEQ counting the sequences that no longer match": (
        judged_by(SPECTR, Miscounts("all", "drafted")),
        {"drafts": 2, "gamma": 2},
        random_pair(2, 9),
    ),
    "dynamic tree testing against the original p": (
        judged_by(DYNAMIC_TREE, JudgesByTheOriginal()),
        {"nodes": 2, "depth": 1},
        random_pair(3, 9),
    ),
}


@pytest.mark.parametrize("name", [*PITFALLS, "block verification that stops at the first failure"])
def test_every_pitfall_is_caught(name, monkeypatch, record_property):
    method, options, pair = PITFALLS.get(name, (BLOCK, {"gamma": 2}, random_pair(3, 6)))
    if name.startswith("block"):
        monkeypatch.setattr(block, "kept_length", lambda passes: [*passes, False].index(False))
    distance = error_of(pair, method, [0], 2, **options)
    record_property("total_variation", distance)
    print(f"{name}: total variation {distance:.3f}")
    assert distance > 0.02


def test_the_control_group_is_clean():
    """The machinery of the controls changes nothing by itself."""
    assert error_of(SHARP, relabelled(SPECINFER, lambda tokens, laws: laws), [0], 2, k_config=(3,)) < EXACT
    assert error_of(COINS, judged_by(SPECTR, Miscounts("all", "matching")), [0], 2, drafts=2, gamma=2) < EXACT


def test_leaving_out_sequences_whose_coin_failed_costs_tokens_not_the_law():
    """As long as k counts those that are tested: what follows the drafted tokens is i.i.d. whichever go on."""
    fewer = judged_by(SPECTR, Miscounts("own coin passed", "tested"))
    assert error_of(COINS, fewer, [0], 2, drafts=2, gamma=2) < EXACT
    ours, theirs = (expected_accepted(COINS, method, drafts=2, gamma=2) for method in (SPECTR, fewer))
    print(f"accepted per iteration: {ours:.4f} with them, {theirs:.4f} without")
    assert ours > theirs + 1e-3
