"""Small hand-made traces that stand in for real runs wherever only the shape of the record matters.

Each obeys the rules of ``specviz/trace/record.py``: coins, ratios, residuals, draws, rows and metrics agree with each
other. The vocabulary is nasty on purpose: white space, markup, a script, an emoji, right-to-left letters, half a
character. These are the plain methods; one trace for every other rule is in ``tests/rule_traces.py``.
"""

from specviz.rules.draw import SampledToken
from specviz.trace.distribution import Distribution
from specviz.trace.forest import Forest, Node, Proposal
from specviz.trace.record import Iteration, MethodRecord, Trace
from tests.trace_parts import (  # VOCABULARY, prob_of: also for the tests that read these traces
    PROMPT,
    VOCABULARY,
    chain,
    coin,
    distribution,
    drafted,
    emit,
    forest,
    joint,
    prob_of,
    residual,
    turn,
    whole,
)

__all__ = [
    "VOCABULARY",
    "autoregressive_trace",
    "distribution",
    "mtad_trace",
    "prob_of",
    "residual",
    "speculative_trace",
]


def autoregressive_trace() -> Trace:
    """Three tokens, one target call each; the last is the end token. The first distribution has a rest."""
    method = MethodRecord(
        name="autoregressive",
        title="Autoregressive",
        paper="",
        guarantee="target",
        summary="One target call for every token.",
        texts={"rule": "Draw each token from the target.", "finish": "The token is drawn from the target."},
        drafter="none",
        verifier="token",
    )
    picks = [  # tokens are picked by running total in the order of their ids
        (distribution(t2=0.6, t3=0.2, t4=0.1, t6=0.05), 2, 0.31),
        (distribution(t3=0.5, t4=0.3, t5=0.2), 3, 0.44),
        (distribution(t7=0.3, t9=0.7), 9, 0.62),
    ]
    context, iterations, start = PROMPT, [], 0.0
    for index, (target, token, draw) in enumerate(picks):
        decision = SampledToken(-1, 1, token, "target", draw, target, target)
        emitted = (emit(target, token, "target"),)
        iterations.append(turn(index, context, start, forest(), (decision,), emitted, ()))
        context, start = (*context, token), start + iterations[-1].seconds
    return whole(method, {}, iterations, draft=False)


def speculative_trace() -> Trace:
    """Gamma 3: accept, reject, residual draw; then all accepted and a bonus; then rejected at once."""
    method = MethodRecord(
        name="speculative",
        title="Speculative decoding",
        paper="Leviathan et al. 2023",
        guarantee="target",
        summary="The draft proposes a chain; coins decide how much of it is kept.",
        texts={
            "rule": "Accept a drafted token with probability min(1, target / draft).",
            "draft": "The draft model draws one token after another.",
            "verify": "One target call scores the whole chain.",
            "accept": "The coin fell below that: the token is kept.",
            "reject": "The coin fell above that: the token and all after it are dropped.",
            "finish": "One more token comes from the target or the residual.",
        },
        drafter="chain",
        verifier="token",
    )
    first = _one_accepted()
    second = _all_accepted(first.segments[-1].end)
    third = _none_accepted(second.segments[-1].end)
    return whole(method, {"gamma": 3, "lenience": 1.0, "draft": "model"}, [first, second, third], draft=True)


def _one_accepted() -> Iteration:
    """Accepted, rejected, drawn from the residual."""
    q = [distribution(t2=0.5, t3=0.3, t5=0.2), distribution(t4=0.6, t3=0.25, t10=0.15), distribution(t7=0.8, t1=0.2)]
    p = [distribution(t2=0.7, t3=0.2, t6=0.1), distribution(t4=0.15, t3=0.55, t6=0.2, t10=0.1)]
    rest = residual(p[1], q[1])  # 3: 0.3, 6: 0.2 -> 0.6, 0.4
    return turn(
        0,
        PROMPT,
        0.0,
        chain([2, 4, 7], q, ["accepted", "rejected", "unjudged"]),
        (
            coin(0, 1, 2, p[0], q[0], 0.83),
            coin(1, 2, 4, p[1], q[1], 0.44),
            SampledToken(0, 2, 3, "resampled", 0.52, p[1], rest),
        ),
        (emit(p[0], 2, "accepted", 0), emit(p[1], 3, "resampled")),
        (1, 1, 1),
        offered=3,
        accepted=1,
    )


def _all_accepted(start: float) -> Iteration:
    """After ``_one_accepted``: three tokens and a bonus."""
    q = [distribution(t8=0.5, t7=0.5), distribution(t5=0.4, t6=0.35, t4=0.25), distribution(t7=0.9, t8=0.1)]
    p = [distribution(t8=0.35, t7=0.6, t9=0.05), distribution(t5=0.3, t6=0.6, t1=0.1), distribution(t7=0.95, t9=0.05)]
    bonus = distribution(t13=0.75, t4=0.15, t11=0.1)
    return turn(
        1,
        (*PROMPT, 2, 3),
        start,
        chain([8, 6, 7], q, ["accepted"] * 3),
        (
            coin(0, 1, 8, p[0], q[0], 0.12),
            coin(1, 2, 6, p[1], q[1], 0.97),
            coin(2, 3, 7, p[2], q[2], 0.05),
            SampledToken(2, 4, 13, "bonus", 0.66, bonus, bonus),
        ),
        (*(emit(p[i], token, "accepted", i) for i, token in enumerate((8, 6, 7))), emit(bonus, 13, "bonus")),
        (1, 1, 1),
        offered=3,
        accepted=3,
    )


def _none_accepted(start: float) -> Iteration:
    """After ``_all_accepted``: the first coin rejects."""
    q = [distribution(t5=0.7, t1=0.3), distribution(t10=0.5, t4=0.5), distribution(t8=1.0)]
    p = [distribution(t5=0.0, t1=0.1, t9=0.9)]
    return turn(
        2,
        (*PROMPT, 2, 3, 8, 6, 7, 13),
        start,
        chain([5, 4, 8], q, ["rejected", "unjudged", "unjudged"]),
        (coin(0, 1, 5, p[0], q[0], 0.3), SampledToken(-1, 1, 9, "resampled", 0.5, p[0], residual(p[0], q[0]))),
        (emit(p[0], 9, "resampled"),),
        (2, 1, 1),
        offered=3,
        accepted=0,
    )


def _mtad_forest(path_outcomes: tuple[str, str, str], q: dict[int, Distribution]) -> Forest:
    """Three beams by three layers; nodes 0, 3 and 6 are the most likely beam. ``q`` by parent."""
    shape = [(2, -1), (5, -1), (4, -1), (3, 0), (6, 0), (1, 1), (7, 3), (8, 5), (10, 4)]  # (token, parent)
    nodes: list[Node] = []
    for number, (token, parent) in enumerate(shape):
        outcome = path_outcomes[number // 3] if number % 3 == 0 else "pruned"
        depth = number // 3 + 1
        nodes.append(drafted(token, parent, depth, q[parent], outcome, submitted=number % 3 == 0))

    def weight(number: int) -> float:
        return 1.0 if number < 0 else nodes[number].draft_prob * weight(nodes[number].parent)

    layers = ((-1,), (0, 1, 2), (3, 4, 5))
    proposals = (
        Proposal(
            parents,
            tuple(weight(parent) for parent in parents),
            tuple(q[parent] for parent in parents),
            tuple(range(3 * layer, 3 * layer + 3)),
            False,
        )
        for layer, parents in enumerate(layers)
    )
    return forest(nodes, proposals, drawing="search")


def mtad_trace() -> Trace:
    """3 beams by gamma 3, tau 0.1: prefix 2 fails but prefix 3 passes, so all are kept; then only one is kept."""
    method = MethodRecord(
        name="mtad",
        title="MTAD",
        paper="Qin et al. 2024",
        guarantee="lossy",
        summary="Beam drafting, and a joint test of every prefix.",
        texts={
            "rule": "Keep the longest prefix whose joint ratio min(1, target / draft) is over tau.",
            "draft": "The draft model grows beams and offers the most likely one.",
            "verify": "One target call scores the offered beam.",
            "accept": "The prefix passes.",
            "reject": "The prefix fails.",
            "finish": "One more token is drawn from the target.",
        },
        drafter="beam",
        verifier="joint",
    )
    q = {
        -1: distribution(t2=0.4, t5=0.35, t4=0.25),
        0: distribution(t3=0.6, t6=0.3, t1=0.1),
        1: distribution(t1=0.5, t8=0.5),
        2: distribution(t9=1.0),
        3: distribution(t7=0.3, t8=0.25, t9=0.25, t1=0.2),
        4: distribution(t10=0.3, t7=0.7),
        5: distribution(t8=0.3, t2=0.3, t6=0.4),
    }
    p = [distribution(t2=0.5, t5=0.3, t4=0.2), distribution(t3=0.02, t6=0.9, t1=0.08), distribution(t7=0.9, t9=0.1)]
    path = [(0, 2, p[0], q[-1]), (3, 3, p[1], q[0]), (6, 7, p[2], q[3])]
    bonus = distribution(t13=0.6, t12=0.4)
    first = turn(
        0,
        PROMPT,
        0.0,
        _mtad_forest(("accepted", "accepted", "accepted"), q),
        (*joint(path, 0.1, kept=3), SampledToken(6, 4, 13, "bonus", 0.71, bonus, bonus)),
        (*(emit(d, t, "accepted", n) for n, t, d, _ in path), emit(bonus, 13, "bonus")),
        (1, 3, 3),
        offered=3,
        accepted=3,
    )
    context = (*PROMPT, 2, 3, 7, 13)
    p = [distribution(t2=0.3, t5=0.3, t4=0.4), distribution(t3=0.01, t6=0.99), distribution(t7=0.0, t9=1.0)]
    path = [(0, 2, p[0], q[-1]), (3, 3, p[1], q[0]), (6, 7, p[2], q[3])]
    second = turn(
        1,
        context,
        first.segments[-1].end,
        _mtad_forest(("accepted", "rejected", "rejected"), q),
        (*joint(path, 0.1, kept=1), SampledToken(0, 2, 6, "target", 0.4, p[1], p[1])),
        (emit(p[0], 2, "accepted", 0), emit(p[1], 6, "target")),
        (2, 3, 3),
        offered=3,
        accepted=1,
    )
    return whole(method, {"gamma": 3, "beams": 3, "tau": 0.1}, [first, second], draft=True)
