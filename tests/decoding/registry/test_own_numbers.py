"""Numbers that a drafter or verifier of one's own hands over: numpy's and torch's become Python's, what is no number is
named."""

import numpy as np
import pytest
import torch

import specviz
from specviz.decoding.registry.specs import DrafterSpec
from specviz.drafting.drafter import Drafter
from specviz.drafting.tree import TreeReader
from specviz.errors import SpecvizError, TraceError
from specviz.rules.joint import JointRatioTest
from specviz.rules.spec import VerifierSpec
from specviz.rules.token import Coin, TokenVerifier
from specviz.rules.verdict import Verdict, sample_after
from specviz.trace.forest import Forest, Proposal
from specviz.trace.plain import plain
from specviz.trace.store import trace_from_json, trace_to_json
from tests.decoding.methods.models import random_pair

PAIR = random_pair(4, 8)
KINDS = {
    "numpy64": (np.float64, np.int64, np.bool_),
    "numpy32": (np.float32, np.int32, np.bool_),
    "arrays": (np.array, np.array, np.array),
    "torch": (torch.tensor, torch.tensor, torch.tensor),
}


class Typed(TokenVerifier):
    """The token rule, which hands over every number as ``kinds`` have it."""

    def __init__(self, kinds):
        super().__init__()
        self._real, self._whole, self._truth = kinds

    def verify(self, scored, dice):
        verdict = Verdict(offered=self._whole(len(scored.forest.submitted)))
        for number in scored.forest.submitted:
            node = scored.forest.nodes[number]
            target = scored.target_at(node.parent)
            probability = self._real(min(1.0, target.prob(node.token) / node.draft_prob))
            flip = dice.flip(probability)
            assert type(flip.heads) is bool
            where = (self._whole(number), self._whole(node.depth), self._whole(node.token))
            chance = (probability, self._real(flip.uniform), self._truth(flip.heads))
            verdict.decisions.append(Coin(*where, *chance, target, node.draft))
            if not flip.heads:
                verdict.accepted = self._whole(len(verdict.path))
                verdict.sample_next(dice, scored, number - 1, "resampled", self._replacement(target, node.draft))
                break
            verdict.path.append(number)
        else:
            sample_after(verdict, scored, dice, frozenset())
        verdict.path = [self._whole(number) for number in verdict.path]
        return verdict


class TypedDrafter(Drafter):
    """A chain, which hands over every number as ``kinds`` have it."""

    depth = 2

    def __init__(self, session, warp, kinds):
        self._reader, (self._real, self._whole, _) = TreeReader(session, warp), kinds

    def draft(self, beams, dice):
        forest, tip = Forest(), -1
        draft = self._reader.begin(beams[0].tokens)
        for _ in range(self.depth):
            token = draft.tokens[dice.pick(draft.probs).index]
            tip = forest.add(self._whole(token), self._whole(tip), draft, score=self._real(0.5))
            (draft,) = self._reader.read(forest, [tip])
        forest.submit()
        forest.planned_depth = self._whole(self.depth)
        return forest

    def commit(self, accepted, scored, verdict):
        self._reader.keep(accepted[0].path)

    def notes(self):
        return {"certainty": self._real(0.25)}


def typed(kinds):
    drafter = DrafterSpec(
        "typed", "a chain", lambda context, _: TypedDrafter(context.open_draft(2), context.warp, kinds)
    )
    verifier = VerifierSpec("typed", "the token rule", lambda context, _: Typed(kinds), judges=("chain",))
    return specviz.Method(name="typed", drafter=drafter, verifier=verifier)


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)
def test_they_become_pythons_and_the_trace_is_saved(kinds):
    method, expected = typed(kinds), typed((float, int, bool))
    options = {"max_new_tokens": 12, "seed": 3}
    trace, same = (specviz.decode(PAIR, one, [0, 1], **options) for one in (method, expected))
    assert trace_from_json(trace_to_json(trace)) == trace and trace.tokens == same.tokens
    for ours, theirs in zip(trace.iterations, same.iterations, strict=True):
        assert repr(ours.decisions) == repr(theirs.decisions) or kinds[0] is not np.float64  # float32 is coarser
        assert (ours.offered, ours.accepted, ours.notes) == (theirs.offered, theirs.accepted, theirs.notes)
    light = specviz.decode(PAIR, method, [0, 1], record=False, **options)
    assert light.tokens == trace.tokens and {type(token) for token in light.tokens} == {int}
    for index in range(len(trace.iterations)):
        again = specviz.replay(trace, index, method=method)
        assert again.iterations[index].decisions == trace.iterations[index].decisions
        assert trace_from_json(trace_to_json(again)) == again


WRONG = {
    "a coin's probability must be a number, got nan": (lambda one: float("nan"), int, bool),
    "a coin's probability must be a number, got None": (lambda one: None, int, bool),
    "a coin's probability must be a number, got '0.5'": (lambda one: "0.5", int, bool),
    r"Verdict.path\[0\] must be a whole number, got 0.0": (float, float, bool),
    r"Coin.accepted must be true or false, got 0.5": (float, int, lambda one: 0.5),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_is_no_number_is_named(message):
    verifier = typed(WRONG[message]).verifier
    with pytest.raises(SpecvizError, match=message):
        specviz.decode(PAIR, specviz.Method(name="own", drafter="chain", verifier=verifier), [0, 1], max_new_tokens=12)


@pytest.mark.parametrize("token", [1.5, "a", None, np.array([1, 2])], ids=str)
def test_a_drafted_token_that_is_none_is_named(token):
    with pytest.raises(SpecvizError, match="a drafted token must be a whole number, got"):
        Forest().add(token, -1, None)


def test_fields_that_hold_several_or_nothing():
    proposal = Proposal([np.int64(-1)], np.array([1.0]), (), [np.int64(0), 1], np.bool_(True))
    made = plain(proposal)
    assert repr(made) == repr(Proposal((-1,), (1.0,), (), (0, 1), True))
    test = JointRatioTest(0, 1, 2, None, np.float32(-0.5), None, np.bool_(False), False, None, None)
    assert plain(test).log_ratio == -0.5 and plain(test).passes is False and plain(test).step_log_ratio is None
    assert plain(made) is made
    with pytest.raises(SpecvizError, match=r"Proposal.weights must be a number, got 'x'"):
        plain(Proposal((-1,), (1.0, "x"), (), (0,), True))


def test_what_no_file_can_hold_is_named_with_its_field():
    from dataclasses import replace

    trace = specviz.decode(PAIR, "speculative", [0, 1], max_new_tokens=6)
    step = trace.iterations[0]
    coin = replace(step.decisions[0], acceptance_probability=np.float32(0.5))
    wrong = replace(trace, iterations=(replace(step, decisions=(coin, *step.decisions[1:])), *trace.iterations[1:]))
    with pytest.raises(
        TraceError, match=r"iterations\[0\].decisions\[0\].acceptance_probability is .*0.5.*, a float32"
    ):
        trace_to_json(wrong)
    wrong = replace(trace, iterations=(replace(step, offered=1.5), *trace.iterations[1:]))
    with pytest.raises(TraceError, match=r"Expected `int`.*field_name='offered', input_value=1.5"):
        trace_to_json(wrong)
