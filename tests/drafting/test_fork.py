"""Forks: roots without replacement, chains side by side in one session, rows kept, early stop."""

import pytest

from specviz.dice import SeededDice
from specviz.drafting.drafter import AcceptedBeam, Beam, PromptReading, ScoredForest
from specviz.drafting.fork import ForkDrafter
from specviz.lm.parts.deciding import FunctionDecider
from specviz.lm.scoring import distributions
from specviz.lm.table import TableLM
from specviz.lm.warp import Warp
from specviz.rules.verdict import Verdict
from tests.decoding.methods.models import random_pair

CONTEXT = [0, 1, 2]


class Counted:
    """A session that notes how many rows every call adds."""

    def __init__(self, session):
        self._session, self.trie, self.keep, self.calls = session, session.trie, session.keep, []

    def extend(self, tokens, parents, **options):
        self.calls.append(len(tokens))
        return self._session.extend(tokens, parents, **options)


def drafter_of(pair, *options, warp=None):
    """A fork drafter that has read all of the context but its last token, and the session it uses."""
    warp, session = warp or Warp(), Counted(pair.draft.open(99))
    session.extend(CONTEXT[:-1], [-1, 0], last_only=True)
    target = pair.target.open(9)
    (distribution,) = distributions(target.extend(CONTEXT, [-1, 0, 1], last_only=True), warp)
    drafter = ForkDrafter(session, warp, *options)
    drafter.start(PromptReading(CONTEXT, None, distribution))
    session.calls.clear()
    return drafter, session


def test_one_call_of_the_draft_model_per_depth():
    pair = random_pair(6, 3)
    drafter, session = drafter_of(pair, 4, 3)
    forest = drafter.draft([Beam(CONTEXT)], SeededDice(2))
    assert session.calls == [5, 4, 4]  # the missing context token with the roots, then the newest tokens
    assert [node.depth for node in forest.nodes] == [1] * 4 + [2] * 4 + [3] * 4 + [4] * 4
    assert forest.planned_depth == 3 and drafter.depth == 4 and drafter.size == 16 == len(forest.submitted)
    assert len({node.token for node in forest.nodes[:4]}) == 4
    assert [node.root for node in forest.nodes] == ["target"] * 4 + [None] * 12
    assert not forest.proposals[0].replacement and forest.proposals[0].draws == (0, 1, 2, 3)
    for node in forest.nodes[4:]:  # every drafted token comes from the draft's distribution of its own chain
        tokens = (*CONTEXT, *(forest.nodes[i].token for i in forest.path(node.parent)))
        assert node.draft.probs == pytest.approx(pair.draft.probabilities(tokens))


def test_the_kept_chain_alone_stays_in_the_cache():
    pair = random_pair(6, 3)
    drafter, session = drafter_of(pair, 4, 3)
    forest = drafter.draft([Beam(CONTEXT)], SeededDice(2))
    path = forest.path(13)
    distribution = forest.nodes[13].draft
    scored, verdict = ScoredForest(forest, ()), Verdict(next_distribution=distribution, next_origin="bonus")
    drafter.commit([AcceptedBeam(0, tuple(path))], scored, verdict)
    text = [*CONTEXT, *(forest.nodes[node].token for node in path)]
    assert session.trie.tokens == text[:-1] and session.trie.path(len(text) - 2) == tuple(text[:-1])
    session.calls.clear()
    again = drafter.draft([Beam(text)], SeededDice(3))
    assert session.calls[0] == 5 and again.nodes[0].draft is distribution
    assert [node.root for node in again.nodes if node.parent < 0] == ["bonus"] * 4
    drafter.commit([AcceptedBeam(0, tuple(again.path(4)))], scored, verdict)  # root and one draft, both read
    text += [again.nodes[node].token for node in again.path(4)]
    assert session.trie.tokens == text
    session.calls.clear()
    drafter.draft([Beam(text)], SeededDice(4))
    assert session.calls[0] == 4


def test_no_more_roots_than_the_distribution_has_tokens():
    target = TableLM(lambda context: [0.5, 0.0, 0.5, 0.0], 4)
    pair = random_pair(4, 1)
    pair.target = target
    for warp in (Warp(), Warp(temperature=0.0)):
        drafter, _ = drafter_of(pair, 9, 1, warp=warp)
        forest = drafter.draft([Beam(CONTEXT)], SeededDice(1))
        roots = [node for node in forest.nodes if node.root]
        assert sorted(node.token for node in roots) == [0, 2]
    assert [node.draft_prob for node in roots] == [1.0, 1.0] and not forest.proposals


def test_nothing_grows_below_an_end_token():
    pair = random_pair(3, 5)
    drafter, session = drafter_of(pair, 3, 4, frozenset({1}))
    forest = drafter.draft([Beam(CONTEXT)], SeededDice(0))
    ended = {number for number, node in enumerate(forest.nodes) if node.token == 1}
    assert any(forest.nodes[node].root for node in ended) and not ended & {node.parent for node in forest.nodes}
    certain_end, ended_session = drafter_of(pair, 3, 4, frozenset({0, 1, 2}))
    forest = certain_end.draft([Beam(CONTEXT)], SeededDice(0))
    assert len(forest) == 3 and ended_session.calls == []
    certain_end.commit([AcceptedBeam(0, (0,))], ScoredForest(forest, ()), Verdict())
    assert ended_session.trie.tokens == CONTEXT[:-1]


@pytest.mark.parametrize(("beta", "depth"), [(0.0, 3), (0.5, 3), (0.51, 1), (1.0, 1)])
def test_drafting_stops_once_every_chain_is_below_the_threshold(beta, depth):
    """Every estimate is .5; the layer that stopped the draft is submitted, none after it."""
    drafter, session = drafter_of(random_pair(6, 3), 4, 3, frozenset(), FunctionDecider(0.5), beta)
    forest = drafter.draft([Beam(CONTEXT)], SeededDice(2))
    assert forest.submitted_depth == 1 + depth and len(session.calls) == depth and forest.planned_depth == 3
    assert forest.submitted == list(range(4 + 4 * depth))
    assert [node.estimate for node in forest.nodes] == [None] * 4 + [0.5] * 4 * depth
    assert drafter.notes() == {"stopped": float(depth < 3)}


def test_a_full_draft_was_not_stopped_by_its_last_layer():
    drafter, _ = drafter_of(random_pair(6, 3), 4, 1, frozenset(), FunctionDecider(0.5), 1.0)
    assert drafter.draft([Beam(CONTEXT)], SeededDice(2)).submitted_depth == 2 and drafter.notes() == {"stopped": 0.0}
    plain, _ = drafter_of(random_pair(6, 3), 4, 1)
    assert plain.notes() == {}


def test_one_promising_chain_carries_the_others_unless_it_has_ended():
    draft = TableLM(lambda context: [0.0, 1.0, 0.0] if context[-1] == 0 else [0.0, 0.0, 1.0], 3)
    pair = random_pair(3, 5)
    pair.draft = draft
    decider = FunctionDecider(lambda token: 0.9 if token == 1 else 0.1)
    going, _ = drafter_of(pair, 3, 2, frozenset(), decider, 0.4)
    assert going.draft([Beam(CONTEXT)], SeededDice(2)).submitted_depth == 3
    ended, _ = drafter_of(pair, 3, 2, frozenset({1}), decider, 0.4)
    assert ended.draft([Beam(CONTEXT)], SeededDice(2)).submitted_depth == 2
