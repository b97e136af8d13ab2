"""Small hand-made traces of the rules that judge one text: several candidates, K-SEQ, blocks, thresholds, heads, forks.

As in ``tests/traces.py`` every number follows from the others. Traces with several beams are in
``tests/beam_traces.py``.
"""

from dataclasses import replace
from math import exp, log

import numpy as np

from specviz.rules.block import BlockTest
from specviz.rules.draw import SampledToken
from specviz.rules.greedy import GreedyMatch
from specviz.rules.kseq import SequenceTest
from specviz.rules.rollback import RollbackTest
from specviz.rules.typical import TypicalTest
from specviz.trace.distribution import Distribution
from specviz.trace.forest import Hypothesis, Proposal
from specviz.trace.record import Iteration, MethodRecord, Trace
from tests.trace_parts import (
    MODELS,
    PROMPT,
    certain,
    chain,
    coin,
    distribution,
    drafted,
    emit,
    forest,
    joint,
    logprob,
    over,
    prob_of,
    residual,
    turn,
    whole,
)

TEXTS = {name: f"The {name} text." for name in ("rule", "draft", "verify", "accept", "reject", "finish")}


def method(name: str, guarantee: str = "target", **more) -> MethodRecord:
    return MethodRecord(name, name.title(), "a paper", guarantee, "A summary.", TEXTS, "tree", "recursive", **more)


def without(draft: Distribution, token: int) -> Distribution:
    """What is left of a draft's distribution when a token is taken out."""
    left = [0.0 if t == token else p for t, p in zip(draft.tokens, draft.probs, strict=True)]
    return draft.with_probs(np.array([p / sum(left) for p in left]))


def cascade_trace() -> Trace:
    """Three candidates at the root, drawn without replacement, all rejected; then a tree whose first child and leaf are
    accepted, with a bonus. The second candidates come from another draft model."""
    p, q = distribution(t2=0.2, t3=0.4, t5=0.3, t6=0.1), distribution(t2=0.6, t3=0.3, t4=0.1)
    decisions, nodes = [], []
    for candidate, (token, draw) in enumerate(((2, 0.7), (3, 0.5), (4, 0.1))):
        nodes.append(replace(drafted(token, -1, 1, q, "rejected"), model=candidate % 2))
        decisions.append(replace(coin(candidate, 1, token, p, q, draw), candidate=candidate, candidates=3))
        p, q = residual(p, q), (without(q, token) if candidate < 2 else q)
    target = decisions[0].target
    draw = SampledToken(-1, 1, 5, "resampled", 0.4, target, p)
    tree = forest(nodes, drawing="without_replacement")
    first = turn(0, PROMPT, 0.0, tree, (*decisions, draw), (emit(target, 5, "resampled"),), (1,), offered=1)
    q, p = distribution(t8=0.5, t7=0.5), distribution(t8=0.8, t7=0.2)
    q2, p2, bonus = distribution(t7=0.9, t6=0.1), distribution(t7=0.6, t9=0.4), distribution(t13=0.7, t12=0.3)
    nodes = (drafted(8, -1, 1, q, "accepted"), drafted(7, -1, 1, q, "unjudged"), drafted(7, 0, 2, q2, "accepted"))
    second = turn(
        1,
        (*PROMPT, 5),
        first.segments[-1].end,
        forest(nodes),
        (
            replace(coin(0, 1, 8, p, q, 0.9), candidates=2),
            coin(2, 2, 7, p2, q2, 0.2),
            SampledToken(2, 3, 13, "bonus", 0.3, bonus, bonus),
        ),
        (emit(p, 8, "accepted", 0), emit(p2, 7, "accepted", 2), emit(bonus, 13, "bonus")),
        (1, 1),
        offered=2,
        accepted=2,
    )
    trace = whole(method("cascade"), {"k_config": (3,)}, [first, second], draft=True)
    return replace(trace, header=replace(trace.header, drafts=(replace(MODELS["draft"], name="draft-1"),)))


def _sequence(node: int, depth: int, target, draft, draw: float, candidate: int, many: int, token: int):
    low, high = 1.0, float(many)

    def beta(rho: float) -> float:
        return sum(min(prob_of(draft, t), prob_of(target, t) / rho) for t in draft.tokens)

    for _ in range(60):
        rho = (low + high) / 2
        low, high = (rho, high) if 1 - (1 - beta(rho)) ** many > rho * beta(rho) else (low, rho)
    chance = min(1.0, prob_of(target, token) / (high * prob_of(draft, token)))
    found = beta(high)
    distributions = target, draft, candidate, many, high, found, 1 - (1 - found) ** many
    return SequenceTest(node, depth, token, chance, draw, draw < chance, *distributions)


def kseq_trace() -> Trace:
    """Two i.i.d. sequences of two tokens: the second is accepted, then its next token is not."""
    q, p = distribution(t2=0.6, t3=0.4), distribution(t2=0.3, t3=0.3, t5=0.4)
    q2, p2 = distribution(t7=0.8, t8=0.2), distribution(t7=0.2, t8=0.3, t9=0.5)
    nodes = (
        drafted(2, -1, 1, q, "rejected"),
        drafted(3, -1, 1, q, "accepted"),
        drafted(8, 0, 2, q2, "unjudged"),
        drafted(7, 1, 2, q2, "rejected"),
    )
    tests = (
        _sequence(0, 1, p, q, 0.8, 0, 2, 2),
        _sequence(1, 1, p, q, 0.2, 1, 2, 3),
        _sequence(3, 2, p2, q2, 0.6, 0, 1, 7),
    )
    left = residual(p2, q2)  # with one candidate rho is 1 and the rest is the ordinary residual
    made = turn(
        0,
        PROMPT,
        0.0,
        forest(nodes),
        (*tests, SampledToken(1, 2, 9, "resampled", 0.7, p2, left)),
        (emit(p, 3, "accepted", 1), emit(p2, 9, "resampled")),
        (1, 2),
        offered=2,
        accepted=1,
    )
    return whole(method("kseq"), {"drafts": 2, "gamma": 2}, [made], draft=True)


def block_trace() -> Trace:
    """A chain of three: the first prefix fails, the second passes and is kept with it, the third fails."""
    q = [distribution(t2=0.5, t3=0.5), distribution(t4=0.25, t3=0.75), distribution(t7=0.8, t1=0.2)]
    p = [distribution(t2=0.25, t3=0.75), distribution(t4=0.5, t3=0.5), distribution(t7=0.2, t8=0.8)]
    tokens, draws, weight, tests = (2, 4, 7), (0.9, 0.3, 0.6), 1.0, []
    for i, (token, draw) in enumerate(zip(tokens, draws, strict=True)):
        pair = prob_of(p[i], token), prob_of(q[i], token)
        weight = min(weight * pair[0] / pair[1], 1.0)
        excess = None
        if i < 2:
            excess = sum(max(0.0, weight * prob_of(p[i + 1], t) - prob_of(q[i + 1], t)) for t in p[i + 1].tokens)
        chance = weight if excess is None else 1.0 if weight == 1.0 else excess / (excess + 1 - weight)
        tests.append((i, i + 1, token, weight, excess, chance, draw, draw < chance, i < 2, p[i], q[i]))
    decisions = tuple(BlockTest(*test) for test in tests)
    left = residual(p[2], q[2])  # the kept prefix has weight 1
    made = turn(
        0,
        PROMPT,
        0.0,
        chain(list(tokens), q, ["accepted", "accepted", "rejected"]),
        (*decisions, SampledToken(1, 3, 8, "resampled", 0.4, p[2], left)),
        (emit(p[0], 2, "accepted", 0), emit(p[1], 4, "accepted", 1), emit(p[2], 8, "resampled")),
        (1, 1, 1),
        offered=3,
        accepted=2,
    )
    return whole(method("block"), {"gamma": 3}, [made], draft=True)


def typical_trace() -> Trace:
    """A chain of two: the first is likely enough, the second is not."""
    q = [distribution(t2=1.0), distribution(t4=0.6, t3=0.4)]
    p = [distribution(t2=0.5, t3=0.3, t6=0.2), distribution(t4=0.04, t3=0.96)]
    tests = []
    for i, token in enumerate((2, 4)):
        entropy = -sum(value * log(value) for value in p[i].probs.tolist())
        threshold, prob = min(0.09, 0.3 * exp(-entropy)), prob_of(p[i], token)
        tests.append(TypicalTest(i, i + 1, token, prob, entropy, threshold, prob > threshold, i == 0, p[i]))
    made = turn(
        0,
        PROMPT,
        0.0,
        chain([2, 4], q, ["accepted", "rejected"]),
        (*tests, SampledToken(0, 2, 3, "target", 0.5, p[1], p[1])),
        (emit(p[0], 2, "accepted", 0), emit(p[1], 3, "target")),
        (1, 1),
        offered=2,
        accepted=1,
    )
    return whole(method("typical", "lossy", distance=0.3), {"epsilon": 0.09, "delta": 0.3}, [made], draft=True)


def rollback_trace() -> Trace:
    """A chain of three: the second token surprises without end, so the third is never part of the text."""
    q = [distribution(t2=0.95, t3=0.05), distribution(t4=0.9, t3=0.1), distribution(t7=1.0)]
    p = [distribution(t2=0.6, t3=0.4), distribution(t3=0.7, t6=0.3), distribution(t7=1.0)]
    tests = []
    for i, (token, surprise) in enumerate(((2, -logprob(0.6)), (4, None), (7, -logprob(1.0)))):
        passes = surprise is not None and surprise <= 2.0
        test = float(q[i].probs.max()), surprise, 2.0, passes, i == 0, p[i], q[i]
        tests.append(RollbackTest(i, i + 1, token, *test))
    made = turn(
        0,
        PROMPT,
        0.0,
        chain([2, 4, 7], q, ["accepted", "rejected", "dropped"]),
        (*tests, SampledToken(0, 2, 3, "resampled", 0.5, p[1], p[1])),
        (emit(p[0], 2, "accepted", 0), emit(p[1], 3, "resampled")),
        (1, 1, 1),
        offered=3,
        accepted=1,
    )
    return whole(method("rollback", "lossy", distance=0.2), {"fallback": 0.9, "rollback": 2.0}, [made], draft=True)


def greedy(sampled: Distribution) -> Distribution:
    """The distribution at temperature 0: all on the likeliest token, the raw log-probabilities as they were."""
    raw = dict(zip(sampled.tokens.tolist(), sampled.logprobs.tolist(), strict=True))
    return over({token: float(token == sampled.best) for token in raw}, raw)


def heads_trace() -> Trace:
    """Candidates ranked by their posterior, three kept of five; the second child matches, its own child does not."""
    sure, after = greedy(distribution(t2=0.1, t3=0.6, t6=0.3)), greedy(distribution(t7=0.3, t8=0.7))
    shape = ((2, -1, 1, "rejected", True, 0.5), (3, -1, 1, "accepted", True, 0.3), (7, 1, 2, "rejected", True, 0.15))
    shape += ((8, 1, 2, "pruned", False, 0.04), (6, -1, 1, "pruned", False, 0.01))
    nodes = tuple(replace(drafted(t, up, d, certain(t), state, sent), score=s) for t, up, d, state, sent, s in shape)
    listed = (((2,), 0.5, 0.2, True, 0), ((3,), 0.3, 0.3, True, 1), ((3, 7), 0.15, 0.03, True, 2))
    listed += (((3, 8), 0.04, 0.05, False, None), ((6,), 0.01, 0.1, False, None))
    matches = (
        GreedyMatch(0, 1, 2, 3, False, sure, 0, 2),
        GreedyMatch(1, 1, 3, 3, True, sure, 1, 2),
        GreedyMatch(2, 2, 7, 8, False, after),
    )
    ranked = tuple(Hypothesis(*item) for item in listed)
    made = turn(
        0,
        PROMPT,
        0.0,
        forest(nodes, hypotheses=ranked, considered=110, drawing="deterministic"),
        (*matches, SampledToken(1, 2, 8, "target", None, after, after)),
        (emit(sure, 3, "accepted", 1), emit(after, 8, "target")),
        (),
        offered=2,
        accepted=1,
    )
    return whole(method("heads", "greedy", greedy=True), {"keep": 3}, [made], draft=False)


def fork_trace() -> Trace:
    """Two first tokens from the target with a chain each; drafting stops after one of two planned tokens. The second
    chain goes further and becomes text."""
    first, q = distribution(t2=0.6, t3=0.4), [distribution(t7=0.9, t8=0.1), distribution(t6=0.5, t5=0.5)]
    p = [distribution(t7=0.3, t9=0.7), distribution(t6=0.8, t1=0.2)]
    nodes = (
        replace(drafted(2, -1, 1, first, "dropped"), root="target"),
        replace(drafted(3, -1, 1, first, "accepted"), root="target"),
        replace(drafted(7, 0, 2, q[0], "rejected"), estimate=0.3),
        replace(drafted(6, 1, 2, q[1], "accepted"), estimate=0.35),
    )
    made = turn(
        0,
        PROMPT,
        0.0,
        forest(nodes, planned_depth=2),
        (coin(2, 2, 7, p[0], q[0], 0.9), coin(3, 2, 6, p[1], q[1], 0.4)),
        (emit(first, 3, "target", 1), emit(p[1], 6, "accepted", 3)),
        (1, 2),
        offered=1,
        accepted=1,
    )
    return whole(method("fork", "lossy", distance=0.18), {"width": 2, "depth": 2}, [made], draft=True)


def joint_tree_trace() -> Trace:
    """Two beams of two tokens, every node tested: both second prefixes pass, the likelier under the target is kept."""
    q = {-1: distribution(t2=0.6, t3=0.4), 0: distribution(t7=1.0), 1: distribution(t8=0.5, t6=0.5)}
    p = {-1: distribution(t2=0.3, t3=0.7), 0: distribution(t7=0.4, t9=0.6), 1: distribution(t8=0.9, t6=0.1)}
    states = ("dropped", "accepted", "dropped", "accepted")
    shape = ((2, -1, 1), (3, -1, 1), (7, 0, 2), (8, 1, 2))
    nodes = tuple(drafted(t, up, d, q[up], state) for (t, up, d), state in zip(shape, states, strict=True))
    left = joint([(0, 2, p[-1], q[-1]), (2, 7, p[0], q[0])], 0.1, kept=0)
    right = joint([(1, 3, p[-1], q[-1]), (3, 8, p[1], q[1])], 0.1, kept=2)
    bonus = distribution(t13=1.0)
    made: Iteration = turn(
        0,
        PROMPT,
        0.0,
        forest(nodes, (Proposal((-1,), (1.0,), (q[-1],), (0, 1), False),), drawing="search"),
        (left[0], right[0], left[1], right[1], SampledToken(3, 3, 13, "bonus", None, bonus, bonus)),
        (emit(p[-1], 3, "accepted", 1), emit(p[1], 8, "accepted", 3), emit(bonus, 13, "bonus")),
        (1, 2),
        offered=2,
        accepted=2,
    )
    return whole(method("joint-tree", "lossy", distance=0.34), {"tau": 0.1}, [made], draft=True)


RULE_TRACES = {
    "cascade": cascade_trace,
    "kseq": kseq_trace,
    "block": block_trace,
    "typical": typical_trace,
    "rollback": rollback_trace,
    "heads": heads_trace,
    "fork": fork_trace,
    "joint-tree": joint_tree_trace,
}
