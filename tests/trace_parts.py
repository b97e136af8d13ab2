"""Parts of small hand-made traces: distributions, nodes, decisions, iterations and headers that agree."""

from collections.abc import Mapping
from math import exp, log

import numpy as np

from specviz.rules.joint import JointRatioTest
from specviz.rules.token import Coin
from specviz.trace.distribution import Distribution
from specviz.trace.forest import Forest, Node
from specviz.trace.record import (
    Call,
    Emitted,
    Header,
    Iteration,
    MethodRecord,
    Metrics,
    ModelRecord,
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
KEPT_MASS = 0.9  # what top-p leaves of the raw distribution
MODELS = {
    "target": ModelRecord("target-16", "aaaa1111", 13_900_000, 1_000_000, 16, 256, 14, "float32"),
    "draft": ModelRecord("draft-2", "bbbb2222", 900_000, 250_000, 2, 128, 14, "float32"),
}


def distribution(**probs: float) -> Distribution:
    """``distribution(t2=0.6, t3=0.4)``: token 2 with 0.6 and so on; what is missing to one is the rest."""
    return over({int(name[1:]): prob for name, prob in probs.items()})


def over(probs: Mapping[int, float], logprobs: Mapping[int, float] | None = None) -> Distribution:
    """A distribution as a record keeps it: token to warped probability, what is missing to one is the rest. The raw
    log-probabilities are ``logprobs``, by default those of which top-p has left ``KEPT_MASS``."""
    tokens = sorted(probs)
    raw = {token: logprob(prob) for token, prob in probs.items()} if logprobs is None else logprobs
    return Distribution(
        np.array(tokens, dtype=np.int64),
        np.array([probs[token] for token in tokens], dtype=np.float64),
        np.array([raw[token] for token in tokens], dtype=np.float64),
        log_total=0.0,
        likeliest=len(tokens),
        complete=False,
        rest=max(0.0, round(1.0 - sum(probs.values()), 12)),
    )


def certain(token: int, logprob: float = log(KEPT_MASS)) -> Distribution:
    """What a deterministic draft drew a token from: all probability is on it."""
    return Distribution(np.array([token]), np.ones(1), np.array([logprob]), 0.0, 0, False)


def logprob(prob: float) -> float:
    """The raw log-probability behind a warped one (-9 for a token that the warp cut)."""
    return log(KEPT_MASS * prob) if prob > 0 else -9.0


def prob_of(dist: Distribution, token: int) -> float:
    """The warped probability of a token, 0 when it is not listed."""
    return dist.table().get(token, 0.0)


def residual(target: Distribution, draft: Distribution) -> Distribution:
    """norm((target - draft)+) over the listed tokens."""
    excess = [max(0.0, prob - prob_of(draft, token)) for token, prob in zip(target.tokens, target.probs, strict=True)]
    return target.with_probs(np.array([value / sum(excess) for value in excess]))


def drafted(token: int, parent: int, depth: int, draft: Distribution, outcome: str, submitted: bool = True) -> Node:
    return Node(token, parent, depth, draft, submitted, outcome)


def forest(nodes: tuple[Node, ...] = (), layers: tuple = (), **more) -> Forest:
    """A forest as a record keeps it."""
    return Forest(tuple(nodes), tuple(layers), **more)


def emit(target: Distribution, token: int, origin: str, node: int | None = None) -> Emitted:
    return Emitted(token, origin, node, target.logprob(token), VOCABULARY[token])


def coin(node: int, depth: int, token: int, target: Distribution, draft: Distribution, uniform: float) -> Coin:
    acceptance_probability = min(1.0, prob_of(target, token) / prob_of(draft, token))
    accepted = uniform < acceptance_probability
    return Coin(node, depth, token, acceptance_probability, uniform, accepted, target, draft)


def joint(path: list[tuple[int, int, Distribution, Distribution]], tau: float, kept: int) -> tuple[JointRatioTest, ...]:
    """The joint tests along a path of (node, token, target, draft), of which the first ``kept`` prefixes are kept."""
    decisions, running = [], 0.0
    for depth, (node, token, target, draft) in enumerate(path, start=1):
        p, q = prob_of(target, token), prob_of(draft, token)
        step = log(p / q) if p > 0 else None
        running = None if step is None or running is None else running + step
        passes = running is not None and min(0.0, running) > log(tau)
        test = (step, running, log(tau), passes, depth <= kept)
        decisions.append(JointRatioTest(node, depth, token, *test, target, draft))
    return tuple(decisions)


def chain(tokens: list[int], drafts: list[Distribution], outcomes: list[str]) -> Forest:
    """One drafted chain, token by token."""
    links = enumerate(zip(tokens, drafts, outcomes, strict=True))
    nodes = tuple(drafted(token, i - 1, i + 1, draft, outcome) for i, (token, draft, outcome) in links)
    return forest(nodes)


def turn(
    index: int,
    context: tuple[int, ...],
    start: float,
    forest: Forest | None,
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


def whole(method: MethodRecord, options: dict, iterations: list[Iteration], draft: bool) -> Trace:
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
        end_tokens=(9,),
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
