"""MTAD's rule on given distributions: every prefix, the edges of tau, and a failing prefix before a passing one."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from specviz.dice import SeededDice
from specviz.rules.joint import JointVerifier
from tests.by_hand import scored_chain

rows = st.lists(st.floats(0.01, 1.0), min_size=3, max_size=3)


@settings(max_examples=200)
@given(data=st.data(), tau=st.sampled_from([0.0, 0.01, 0.1, 0.5, 0.9, 1.0]), gamma=st.integers(1, 5))
def test_the_rule_on_every_prefix(data, tau, gamma):
    target = [data.draw(rows) for _ in range(gamma + 1)]
    draft = [data.draw(rows) for _ in range(gamma)]
    tokens = [data.draw(st.integers(0, 2)) for _ in range(gamma)]
    scored = scored_chain(target, draft, tokens)
    verdict = JointVerifier(tau).verify(scored, SeededDice(0))
    passing = []
    for i in range(1, gamma + 1):
        p = math.prod(target[j][tokens[j]] / sum(target[j]) for j in range(i))
        q = math.prod(draft[j][tokens[j]] / sum(draft[j]) for j in range(i))
        if min(1.0, p / q) > tau and not math.isclose(min(1.0, p / q), tau, rel_tol=1e-9):
            passing.append(i)
    assert len(verdict.path) == max(passing, default=0)
    assert [decision.passes for decision in verdict.decisions[:-1]] == [i in passing for i in range(1, gamma + 1)]
    assert verdict.sampled.after == (verdict.path[-1] if verdict.path else -1)
    assert verdict.sampled.source is verdict.sampled.target


def test_a_failing_prefix_may_be_followed_by_a_passing_one():
    """Ratios .05 then 1: the first prefix fails at tau .1, the second passes, both tokens are kept."""
    scored = scored_chain([[0.05, 0.95], [0.9, 0.1], [0.5, 0.5]], [[1.0, 0.0], [0.1, 0.9]], [0, 0])
    verdict = JointVerifier(0.1).verify(scored, SeededDice(0))
    assert [d.passes for d in verdict.decisions[:-1]] == [False, True]
    assert verdict.path == [0, 1] and verdict.sampled.origin == "bonus"


def test_tau_zero_keeps_what_the_target_allows_and_tau_one_keeps_nothing():
    possible = scored_chain([[0.5, 0.5], [0.0, 1.0], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]], [0, 0])
    assert JointVerifier(0.0).verify(possible, SeededDice(0)).path == [0]
    likelier = scored_chain([[0.9, 0.1], [0.9, 0.1], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]], [0, 0])
    assert JointVerifier(0.0).verify(likelier, SeededDice(0)).path == [0, 1]
    assert JointVerifier(1.0).verify(likelier, SeededDice(0)).path == []
