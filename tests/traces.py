"""Small hand-made traces that stand in for real runs wherever only the shape of the record matters.

Each obeys the rules of ``specviz/trace/record.py``: coins, ratios, residuals, draws, rows and metrics agree with each
other. The vocabulary is nasty on purpose: white space, markup, a script, an emoji, right-to-left letters, half a
character.
"""

from math import exp, log

from specviz.trace.record import (
    Call,
    CoinDecision,
    Distribution,
    DrawDecision,
    Emitted,
    ForestRecord,
    Header,
    Iteration,
    JointDecision,
    MethodRecord,
    Metrics,
    ModelRecord,
    Node,
    Proposal,
    Segment,
    Trace,
)

VOCABULARY = {
    0: "<s>",
    1: "\n",
    2: " SELECT",
    3: " name",
    4: "<img src=x onerror=alert(1)>",
    5: "🙂",
    6: "שלום",
    7: " FROM",
    8: ",",
    9: "</s>",
    10: "\ufffd",
    11: " the",
    12: "names",
    13: " pets",
}
PROMPT = (0, 12, 11, 1)  # <s>names the\n
KEPT_MASS = 0.9  # what top-p leaves of the unwarped distribution
MODELS = {
    "target": ModelRecord("target-16", "aaaa1111", 13_900_000, 1_000_000, 16, 256, 14, "float32"),
    "draft": ModelRecord("draft-2", "bbbb2222", 900_000, 250_000, 2, 128, 14, "float32"),
}


def distribution(**probs: float) -> Distribution:
    """``distribution(t2=0.6, t3=0.4)``: token 2 with 0.6 and so on; what is missing to one is the rest."""
    items = sorted(((int(name[1:]), prob) for name, prob in probs.items()), key=lambda item: (-item[1], item[0]))
    return Distribution(
        tokens=tuple(token for token, _ in items),
        probs=tuple(prob for _, prob in items),
        logprobs=tuple(logprob(prob) for _, prob in items),
        rest=max(0.0, round(1.0 - sum(prob for _, prob in items), 12)),
    )


def logprob(prob: float) -> float:
    """The unwarped log-probability behind a warped one (-9 for a token that the warp cut)."""
    return log(KEPT_MASS * prob) if prob > 0 else -9.0


def prob_of(dist: Distribution, token: int) -> float:
    """The warped probability of a token, 0 when it is not listed."""
    return dict(zip(dist.tokens, dist.probs, strict=True)).get(token, 0.0)


def residual(target: Distribution, draft: Distribution) -> Distribution:
    """norm((target - draft)+) over the listed tokens."""
    excess = {token: prob_of(target, token) - prob_of(draft, token) for token in target.tokens}
    excess = {token: value for token, value in excess.items() if value > 0}
    return distribution(**{f"t{token}": value / sum(excess.values()) for token, value in excess.items()})


def _node(token: int, parent: int, depth: int, draft: Distribution, outcome: str, submitted: bool = True) -> Node:
    prob = prob_of(draft, token)
    return Node(token, parent, depth, prob, logprob(prob), submitted, outcome)


def _emit(target: Distribution, token: int, origin: str, node: int | None = None) -> Emitted:
    return Emitted(token, origin, node, logprob(prob_of(target, token)), VOCABULARY[token])


def _coin(node: int, depth: int, token: int, target: Distribution, draft: Distribution, draw: float) -> CoinDecision:
    target_prob, draft_prob = prob_of(target, token), prob_of(draft, token)
    chance = min(1.0, target_prob / draft_prob)
    return CoinDecision(node, depth, token, target_prob, draft_prob, chance, draw, draw < chance, target, draft)


def _joint(path: list[tuple[int, int, Distribution, Distribution]], tau: float, kept: int) -> tuple[JointDecision, ...]:
    """The joint tests along a path of (node, token, target, draft), of which the first ``kept`` prefixes are kept."""
    decisions, running = [], 0.0
    for depth, (node, token, target, draft) in enumerate(path, start=1):
        p, q = prob_of(target, token), prob_of(draft, token)
        step = log(p / q) if p > 0 else None
        running = None if step is None or running is None else running + step
        passes = running is not None and min(0.0, running) > log(tau)
        test = (p, q, step, running, log(tau), passes, depth <= kept)
        decisions.append(JointDecision(node, depth, token, *test, target, draft))
    return tuple(decisions)


def _chain(tokens: list[int], drafts: list[Distribution], outcomes: list[str]) -> ForestRecord:
    """One drafted chain, token by token."""
    links = enumerate(zip(tokens, drafts, outcomes, strict=True))
    nodes = tuple(_node(token, i - 1, i + 1, draft, outcome) for i, (token, draft, outcome) in links)
    proposals = tuple(Proposal((i - 1,), (1.0,), (q,), (i,), True) for i, q in enumerate(drafts))
    return ForestRecord(nodes, proposals)


def _iteration(
    index: int,
    context: tuple[int, ...],
    start: float,
    forest: ForestRecord | None,
    decisions: tuple,
    emitted: tuple[Emitted, ...],
    draft_widths: tuple[int, ...],
    **counts: int,
) -> Iteration:
    """Fill in calls, segments and rows: 1 ms a draft call, 10 ms a target call, 0.5 ms to verify."""
    rows = len(context) - 1
    submitted = sum(node.submitted for node in forest.nodes) if forest else 0
    drafting = 0.001 * len(draft_widths)
    draft_rows = [rows + sum(draft_widths[:i]) for i in range(len(draft_widths))]
    calls = tuple(Call("draft", n, before, 0.001) for n, before in zip(draft_widths, draft_rows, strict=True))
    marks = [start, start + drafting, start + drafting + 0.01, start + drafting + 0.0105]
    phases = ("draft", "target", "verify") if draft_widths else ("target", "verify")
    marks = marks if draft_widths else marks[1:]
    return Iteration(
        index=index,
        context_length=len(context),
        context_tail=context[-8:],
        forest=forest,
        decisions=decisions,
        emitted=emitted,
        offered=counts.get("offered", 0),
        accepted=counts.get("accepted", 0),
        depth=counts.get("offered", 0),
        calls=(*calls, Call("target", 1 + submitted, rows, 0.01)),
        segments=tuple(Segment(p, a, b) for p, a, b in zip(phases, marks, marks[1:], strict=False)),
        rows=rows + len(emitted),
        rows_peak=rows + 1 + submitted + (rows + sum(draft_widths) if draft_widths else 0),
        seconds=drafting + 0.0105,
        record_seconds=0.0002,
        notes={},
    )


def _trace(method: MethodRecord, options: dict, iterations: list[Iteration], draft: bool) -> Trace:
    emitted = [e for iteration in iterations for e in iteration.emitted]
    seconds = sum(iteration.seconds for iteration in iterations)
    target_calls = len(iterations)
    offered = sum(iteration.offered for iteration in iterations)
    accepted = sum(iteration.accepted for iteration in iterations)
    header = Header(
        method=method,
        options={"temperature": 1.0, "top_k": 20, "top_p": 0.9, "max_new_tokens": len(emitted), **options},
        target=MODELS["target"],
        draft=MODELS["draft"] if draft else None,
        prompt_text="".join(VOCABULARY[t] for t in PROMPT),
        prompt_tokens=PROMPT,
        seed=0,
        device="cpu",
        versions={"specviz": "0.1.0"},
        end_token=9,
        probability_floor=1e-4,
        cost_ratio=0.1 if draft else None,
        recorded=True,
    )
    metrics = Metrics(
        tokens=len(emitted),
        seconds=seconds,
        tokens_per_second=len(emitted) / seconds,
        seconds_to_first_token=0.02 + iterations[0].seconds,
        tokens_per_target_call=len(emitted) / target_calls,
        acceptance_rate=accepted / offered if offered else None,
        longest_accepted=accepted / len(iterations) if offered else None,
        perplexity=exp(-sum(e.logprob for e in emitted) / len(emitted)),
        flops_per_token=2.6e7,
        kv_rows_peak=max(iteration.rows_peak for iteration in iterations),
        target_calls=target_calls,
        draft_calls=sum(call.role == "draft" for iteration in iterations for call in iteration.calls),
        joules_per_token=None,
        record_seconds=sum(iteration.record_seconds for iteration in iterations),
    )
    stop = "end" if emitted[-1].token == 9 else "length"
    return Trace(header, tuple(iterations), metrics, dict(VOCABULARY), 0.02, stop)


def autoregressive_trace() -> Trace:
    """Three tokens, one target call each; the last is the end token. The first distribution has a rest."""
    method = MethodRecord(
        name="autoregressive",
        title="Autoregressive",
        paper="",
        law="target",
        summary="One target call for every token.",
        texts={"rule": "Draw each token from the target.", "finish": "The token is drawn from the target."},
    )
    picks = [  # tokens are picked by running total in the order of their ids
        (distribution(t2=0.6, t3=0.2, t4=0.1, t6=0.05), 2, 0.31),
        (distribution(t3=0.5, t4=0.3, t5=0.2), 3, 0.44),
        (distribution(t7=0.3, t9=0.7), 9, 0.62),
    ]
    context, iterations, start = PROMPT, [], 0.0
    for index, (target, token, draw) in enumerate(picks):
        decision = DrawDecision(1, token, "target", draw, target, target)
        emitted = (_emit(target, token, "target"),)
        iterations.append(_iteration(index, context, start, ForestRecord((), ()), (decision,), emitted, ()))
        context, start = (*context, token), start + iterations[-1].seconds
    return _trace(method, {}, iterations, draft=False)


def speculative_trace() -> Trace:
    """Gamma 3: accept, reject, residual draw; then all accepted and a bonus; then rejected at once."""
    method = MethodRecord(
        name="speculative",
        title="Speculative decoding",
        paper="Leviathan et al. 2023",
        law="target",
        summary="The draft proposes a chain; coins decide how much of it stays.",
        texts={
            "rule": "Accept a drafted token with probability min(1, target / draft).",
            "draft": "The draft model draws one token after another.",
            "verify": "One target call scores the whole chain.",
            "accept": "The coin fell under the chance: the token stays.",
            "reject": "The coin fell over the chance: the token and all after it go.",
            "finish": "One more token comes from the target or the residual.",
        },
    )
    q = [distribution(t2=0.5, t3=0.3, t5=0.2), distribution(t4=0.6, t3=0.25, t10=0.15), distribution(t7=0.8, t1=0.2)]
    p = [distribution(t2=0.7, t3=0.2, t6=0.1), distribution(t4=0.15, t3=0.55, t6=0.2, t10=0.1)]
    rest = residual(p[1], q[1])  # 3: 0.3, 6: 0.2 -> 0.6, 0.4
    first = _iteration(
        0,
        PROMPT,
        0.0,
        _chain([2, 4, 7], q, ["accepted", "rejected", "unjudged"]),
        (
            _coin(0, 1, 2, p[0], q[0], 0.83),
            _coin(1, 2, 4, p[1], q[1], 0.44),
            DrawDecision(2, 3, "resampled", 0.52, p[1], rest),
        ),
        (_emit(p[0], 2, "accepted", 0), _emit(p[1], 3, "resampled")),
        (1, 1, 1),
        offered=3,
        accepted=1,
    )
    context = (*PROMPT, 2, 3)
    q = [distribution(t8=0.5, t7=0.5), distribution(t5=0.4, t6=0.35, t4=0.25), distribution(t7=0.9, t8=0.1)]
    p = [distribution(t8=0.35, t7=0.6, t9=0.05), distribution(t5=0.3, t6=0.6, t1=0.1), distribution(t7=0.95, t9=0.05)]
    bonus = distribution(t13=0.75, t4=0.15, t11=0.1)
    second = _iteration(
        1,
        context,
        first.segments[-1].end,
        _chain([8, 6, 7], q, ["accepted"] * 3),
        (
            _coin(0, 1, 8, p[0], q[0], 0.12),
            _coin(1, 2, 6, p[1], q[1], 0.97),
            _coin(2, 3, 7, p[2], q[2], 0.05),
            DrawDecision(4, 13, "bonus", 0.66, bonus, bonus),
        ),
        (*(_emit(p[i], token, "accepted", i) for i, token in enumerate((8, 6, 7))), _emit(bonus, 13, "bonus")),
        (1, 1, 1),
        offered=3,
        accepted=3,
    )
    context = (*context, 8, 6, 7, 13)
    q = [distribution(t5=0.7, t1=0.3), distribution(t10=0.5, t4=0.5), distribution(t8=1.0)]
    p = [distribution(t5=0.0, t1=0.1, t9=0.9)]
    third = _iteration(
        2,
        context,
        second.segments[-1].end,
        _chain([5, 4, 8], q, ["rejected", "unjudged", "unjudged"]),
        (_coin(0, 1, 5, p[0], q[0], 0.3), DrawDecision(1, 9, "resampled", 0.5, p[0], residual(p[0], q[0]))),
        (_emit(p[0], 9, "resampled"),),
        (2, 1, 1),
        offered=3,
        accepted=0,
    )
    return _trace(method, {"gamma": 3, "lenience": 1.0, "draft": "model"}, [first, second, third], draft=True)


def _mtad_forest(path_outcomes: tuple[str, str, str], q: dict[int, Distribution]) -> ForestRecord:
    """Three beams by three layers; nodes 0, 3 and 6 are the most likely beam. ``q`` by parent."""
    shape = [(2, -1), (5, -1), (4, -1), (3, 0), (6, 0), (1, 1), (7, 3), (8, 5), (10, 4)]  # (token, parent)
    nodes: list[Node] = []
    for number, (token, parent) in enumerate(shape):
        outcome = path_outcomes[number // 3] if number % 3 == 0 else "pruned"
        depth = number // 3 + 1
        nodes.append(_node(token, parent, depth, q[parent], outcome, submitted=number % 3 == 0))

    def weight(number: int) -> float:
        return 1.0 if number < 0 else nodes[number].draft_prob * weight(nodes[number].parent)

    layers = ((-1,), (0, 1, 2), (3, 4, 5))
    proposals = tuple(
        Proposal(
            parents,
            tuple(weight(parent) for parent in parents),
            tuple(q[parent] for parent in parents),
            tuple(range(3 * layer, 3 * layer + 3)),
            False,
        )
        for layer, parents in enumerate(layers)
    )
    return ForestRecord(tuple(nodes), proposals)


def mtad_trace() -> Trace:
    """3 beams by gamma 3, tau 0.1: prefix 2 fails but prefix 3 passes, so all are kept; then only one is kept."""
    method = MethodRecord(
        name="mtad",
        title="MTAD",
        paper="Qin et al. 2024",
        law="lossy",
        summary="Beam drafting, and a joint test of every prefix.",
        texts={
            "rule": "Keep the longest prefix whose joint ratio min(1, target / draft) is over tau.",
            "draft": "The draft model grows beams and offers the most likely one.",
            "verify": "One target call scores the offered beam.",
            "accept": "The prefix passes.",
            "reject": "The prefix fails.",
            "finish": "One more token is drawn from the target.",
        },
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
    first = _iteration(
        0,
        PROMPT,
        0.0,
        _mtad_forest(("accepted", "accepted", "accepted"), q),
        (*_joint(path, 0.1, kept=3), DrawDecision(4, 13, "bonus", 0.71, bonus, bonus)),
        (*(_emit(d, t, "accepted", n) for n, t, d, _ in path), _emit(bonus, 13, "bonus")),
        (1, 3, 3),
        offered=3,
        accepted=3,
    )
    context = (*PROMPT, 2, 3, 7, 13)
    p = [distribution(t2=0.3, t5=0.3, t4=0.4), distribution(t3=0.01, t6=0.99), distribution(t7=0.0, t9=1.0)]
    path = [(0, 2, p[0], q[-1]), (3, 3, p[1], q[0]), (6, 7, p[2], q[3])]
    second = _iteration(
        1,
        context,
        first.segments[-1].end,
        _mtad_forest(("accepted", "rejected", "rejected"), q),
        (*_joint(path, 0.1, kept=1), DrawDecision(2, 6, "target", 0.4, p[1], p[1])),
        (_emit(p[0], 2, "accepted", 0), _emit(p[1], 6, "target")),
        (2, 3, 3),
        offered=3,
        accepted=1,
    )
    return _trace(method, {"gamma": 3, "beams": 3, "tau": 0.1}, [first, second], draft=True)
