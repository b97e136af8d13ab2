"""Small hand-made traces of the rules that judge one text: several candidates, K-SEQ, blocks, thresholds, heads, forks.

As in ``tests/traces.py`` every number follows from the others. Traces with several beams are in
``tests/beam_traces.py``.
"""

from dataclasses import replace
from math import exp, log

from specviz.trace.decisions import (
    BlockDecision,
    Distribution,
    DrawDecision,
    MatchDecision,
    RollbackDecision,
    SequenceDecision,
    TypicalDecision,
)
from specviz.trace.record import ForestRecord, Hypothesis, Iteration, MethodRecord, Proposal, Trace
from tests.trace_parts import (
    MODELS,
    PROMPT,
    chain,
    coin,
    distribution,
    drafted,
    emit,
    joint,
    logprob,
    prob_of,
    residual,
    turn,
    whole,
)

TEXTS = {name: f"The {name} text." for name in ("rule", "draft", "verify", "accept", "reject", "finish")}


def method(name: str, law: str = "target", **more) -> MethodRecord:
    return MethodRecord(name, name.title(), "a paper", law, "A summary.", TEXTS, **more)


def without(draft: Distribution, token: int) -> Distribution:
    """What is left of a draft law when a token is taken out."""
    left = {t: p for t, p in zip(draft.tokens, draft.probs, strict=True) if t != token}
    return distribution(**{f"t{t}": p / sum(left.values()) for t, p in left.items()})


def cascade_trace() -> Trace:
    """Three candidates at the root, drawn without replacement, all rejected; then a tree whose first child and leaf are
    accepted, with a bonus. The second candidates come from another draft model."""
    p, q = distribution(t2=0.2, t3=0.4, t5=0.3, t6=0.1), distribution(t2=0.6, t3=0.3, t4=0.1)
    decisions, nodes = [], []
    for place, (token, draw) in enumerate(((2, 0.7), (3, 0.5), (4, 0.1))):
        nodes.append(replace(drafted(token, -1, 1, q, "rejected"), draft=place % 2))
        decisions.append(replace(coin(place, 1, token, p, q, draw), candidate=place, candidates=3))
        p, q = residual(p, q), (without(q, token) if place < 2 else q)
    target = decisions[0].target
    draw = DrawDecision(1, 5, "resampled", 0.4, target, p)
    forest = ForestRecord(tuple(nodes), (Proposal((-1,), (1.0,), (decisions[0].draft,), (0, 1, 2), False),))
    first = turn(0, PROMPT, 0.0, forest, (*decisions, draw), (emit(target, 5, "resampled"),), (1,), offered=1)
    q, p = distribution(t8=0.5, t7=0.5), distribution(t8=0.8, t7=0.2)
    q2, p2, bonus = distribution(t7=0.9, t6=0.1), distribution(t7=0.6, t9=0.4), distribution(t13=0.7, t12=0.3)
    nodes = (drafted(8, -1, 1, q, "accepted"), drafted(7, -1, 1, q, "unjudged"), drafted(7, 0, 2, q2, "accepted"))
    proposals = (Proposal((-1,), (1.0,), (q,), (0, 1), True), Proposal((0,), (1.0,), (q2,), (2,), True))
    second = turn(
        1,
        (*PROMPT, 5),
        first.segments[-1].end,
        ForestRecord(nodes, proposals),
        (
            replace(coin(0, 1, 8, p, q, 0.9), candidates=2),
            coin(2, 2, 7, p2, q2, 0.2),
            DrawDecision(3, 13, "bonus", 0.3, bonus, bonus, after=2),
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
    laws = target, draft, candidate, many, high, found, 1 - (1 - found) ** many
    pair = prob_of(target, token), prob_of(draft, token)
    return SequenceDecision(node, depth, token, *pair, chance, draw, draw < chance, *laws)


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
    proposals = tuple(
        Proposal((n.parent,), (1.0,), (q if n.depth == 1 else q2,), (i,), True) for i, n in enumerate(nodes)
    )
    made = turn(
        0,
        PROMPT,
        0.0,
        ForestRecord(nodes, proposals),
        (*tests, DrawDecision(2, 9, "resampled", 0.7, p2, left, after=1)),
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
        tests.append((i, i + 1, token, *pair, weight, excess, chance, draw, draw < chance, i < 2, p[i], q[i]))
    decisions = tuple(BlockDecision(*test) for test in tests)
    left = residual(p[2], q[2])  # the kept prefix has weight 1
    made = turn(
        0,
        PROMPT,
        0.0,
        chain(list(tokens), q, ["accepted", "accepted", "rejected"]),
        (*decisions, DrawDecision(3, 8, "resampled", 0.4, p[2], left, after=1)),
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
        entropy = -sum(value * log(value) for value in p[i].probs)
        threshold, prob = min(0.09, 0.3 * exp(-entropy)), prob_of(p[i], token)
        tests.append(TypicalDecision(i, i + 1, token, prob, entropy, threshold, prob > threshold, i == 0, p[i]))
    made = turn(
        0,
        PROMPT,
        0.0,
        chain([2, 4], q, ["accepted", "rejected"]),
        (*tests, DrawDecision(2, 3, "target", 0.5, p[1], p[1], after=0)),
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
        pair = prob_of(p[i], token), prob_of(q[i], token)
        passes = surprise is not None and surprise <= 2.0
        test = max(q[i].probs), surprise, 2.0, passes, i == 0, p[i], q[i]
        tests.append(RollbackDecision(i, i + 1, token, *pair, *test))
    made = turn(
        0,
        PROMPT,
        0.0,
        chain([2, 4, 7], q, ["accepted", "rejected", "dropped"]),
        (*tests, DrawDecision(2, 3, "resampled", 0.5, p[1], p[1], after=0)),
        (emit(p[0], 2, "accepted", 0), emit(p[1], 3, "resampled")),
        (1, 1, 1),
        offered=3,
        accepted=1,
    )
    return whole(method("rollback", "lossy", distance=0.2), {"fallback": 0.9, "rollback": 2.0}, [made], draft=True)


def greedy(law: Distribution) -> Distribution:
    """The law at temperature 0: all on the likeliest token, the unwarped log-probabilities as they were."""
    return replace(law, probs=(1.0,) + (0.0,) * (len(law.probs) - 1), rest=0.0)


def heads_trace() -> Trace:
    """Candidates ranked by their posterior, three kept of five; the second child matches, its own child does not."""
    one = lambda token: distribution(**{f"t{token}": 1.0})  # noqa: E731
    sure, after = greedy(distribution(t2=0.1, t3=0.6, t6=0.3)), greedy(distribution(t7=0.3, t8=0.7))
    shape = ((2, -1, 1, "rejected", True, 0.5), (3, -1, 1, "accepted", True, 0.3), (7, 1, 2, "rejected", True, 0.15))
    shape += ((8, 1, 2, "pruned", False, 0.04), (6, -1, 1, "pruned", False, 0.01))
    nodes = tuple(replace(drafted(t, up, d, one(t), state, sent), score=s) for t, up, d, state, sent, s in shape)
    listed = (((2,), 0.5, 0.2, True, 0), ((3,), 0.3, 0.3, True, 1), ((3, 7), 0.15, 0.03, True, 2))
    listed += (((3, 8), 0.04, 0.05, False, None), ((6,), 0.01, 0.1, False, None))
    matches = (
        MatchDecision(0, 1, 2, 3, 0.0, False, sure, 0, 2),
        MatchDecision(1, 1, 3, 3, 1.0, True, sure, 1, 2),
        MatchDecision(2, 2, 7, 8, 0.0, False, after),
    )
    forest = ForestRecord(nodes, (), tuple(Hypothesis(*item) for item in listed), considered=110)
    made = turn(
        0,
        PROMPT,
        0.0,
        forest,
        (*matches, DrawDecision(2, 8, "target", None, after, after, after=1)),
        (emit(sure, 3, "accepted", 1), emit(after, 8, "target")),
        (),
        offered=2,
        accepted=1,
    )
    return whole(method("heads", "greedy", greedy=True), {"keep": 3}, [made], draft=False)


def fork_trace() -> Trace:
    """Two first tokens from the target with a chain each; drafting stops after one of two planned tokens. The second
    chain goes further and becomes text."""
    law, q = distribution(t2=0.6, t3=0.4), [distribution(t7=0.9, t8=0.1), distribution(t6=0.5, t5=0.5)]
    p = [distribution(t7=0.3, t9=0.7), distribution(t6=0.8, t1=0.2)]
    nodes = (
        replace(drafted(2, -1, 1, law, "dropped"), root=True),
        replace(drafted(3, -1, 1, law, "accepted"), root=True),
        replace(drafted(7, 0, 2, q[0], "rejected"), estimate=0.3),
        replace(drafted(6, 1, 2, q[1], "accepted"), estimate=0.35),
    )
    proposals = (
        Proposal((-1,), (1.0,), (law,), (0, 1), False),
        Proposal((0,), (1.0,), (q[0],), (2,), True),
        Proposal((1,), (1.0,), (q[1],), (3,), True),
    )
    made = turn(
        0,
        PROMPT,
        0.0,
        ForestRecord(nodes, proposals, planned_depth=2),
        (coin(2, 2, 7, p[0], q[0], 0.9), coin(3, 2, 6, p[1], q[1], 0.4)),
        (emit(law, 3, "target", 1), emit(p[1], 6, "accepted", 3)),
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
        ForestRecord(nodes, (Proposal((-1,), (1.0,), (q[-1],), (0, 1), False),)),
        (left[0], right[0], left[1], right[1], DrawDecision(3, 13, "bonus", None, bonus, bonus, after=3)),
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
