"""Whole random traces, consistent in themselves: what the file format must carry without loss."""

from hypothesis import strategies as st

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

VOCABULARY_SIZE = 6
TOKENS = st.integers(0, VOCABULARY_SIZE - 1)
CHANCE = st.floats(0.0, 1.0)
AMOUNT = st.floats(0.0, 1e12)
COUNT = st.integers(0, 2**40)
LOGPROB = st.none() | st.floats(max_value=0.0, allow_nan=False, allow_infinity=False)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(max_size=8)
ORIGIN = st.sampled_from(["accepted", "resampled", "bonus", "target"])


CALLS = st.builds(Call, st.sampled_from(["target", "draft"]), COUNT, COUNT, AMOUNT)


@st.composite
def distributions(draw, *always: int) -> Distribution:
    """Some tokens, ``always`` among them, with probabilities that sum to one with the rest."""
    tokens = tuple(dict.fromkeys([*always, *draw(st.lists(TOKENS, max_size=4))]))
    weights = [draw(st.floats(0.0, 1.0)) for _ in range(len(tokens) + 1)]
    total = sum(weights)
    shares = [w / total for w in weights] if total > 0 else [0.0] * len(tokens) + [1.0]
    return Distribution(tokens, tuple(shares[:-1]), tuple(draw(LOGPROB) for _ in tokens), shares[-1])


@st.composite
def forests(draw) -> ForestRecord:
    nodes: list[Node] = []
    for i in range(draw(st.integers(0, 5))):
        parent = draw(st.integers(-1, i - 1))
        depth = 1 if parent < 0 else nodes[parent].depth + 1
        outcome = draw(st.sampled_from(["accepted", "rejected", "dropped", "unjudged", "pruned"]))
        nodes.append(Node(draw(TOKENS), parent, depth, draw(CHANCE), draw(LOGPROB), draw(st.booleans()), outcome))
    proposals = []
    for _ in range(draw(st.integers(0, 2)) if nodes else 0):
        parents = tuple(draw(st.lists(st.integers(-1, len(nodes) - 1), min_size=1, max_size=3)))
        proposals.append(
            Proposal(
                parents,
                tuple(draw(CHANCE) for _ in parents),
                tuple(draw(distributions()) for _ in parents),
                tuple(draw(st.lists(st.integers(0, len(nodes) - 1), max_size=3))),
                draw(st.booleans()),
            )
        )
    return ForestRecord(tuple(nodes), tuple(proposals))


@st.composite
def decisions(draw, forest: ForestRecord) -> CoinDecision | JointDecision | DrawDecision:
    rule = draw(st.sampled_from(["coin", "joint", "draw"])) if forest.nodes else "draw"
    coin = st.none() | CHANCE
    if rule == "draw":
        token, origin = draw(TOKENS), draw(ORIGIN)
        laws = draw(distributions(token)), draw(distributions(token))
        return DrawDecision(draw(st.integers(1, 9)), token, origin, draw(coin), *laws)
    number = draw(st.integers(0, len(forest.nodes) - 1))
    node = forest.nodes[number]
    judged = number, node.depth, node.token, draw(CHANCE), draw(CHANCE)
    laws = draw(distributions(node.token)), draw(distributions(node.token))
    if rule == "coin":
        return CoinDecision(*judged, draw(CHANCE), draw(coin), draw(st.booleans()), *laws)
    ratios = [draw(st.none() | NUMBER) for _ in range(3)]
    return JointDecision(*judged, *ratios, draw(st.booleans()), draw(st.booleans()), *laws)


@st.composite
def iterations(draw, index: int, context_length: int) -> Iteration:
    recorded = draw(st.booleans())
    forest = draw(forests()) if recorded else None
    numbers = range(len(forest.nodes)) if forest else ()
    emitted = []
    for _ in range(draw(st.integers(1, 3))):
        node = draw(st.none() | st.sampled_from(numbers)) if numbers else None
        token = draw(TOKENS) if node is None else forest.nodes[node].token
        emitted.append(Emitted(token, draw(ORIGIN), node, draw(LOGPROB), draw(TEXT)))
    offered = draw(st.integers(0, 9))
    marks = sorted(draw(st.lists(AMOUNT, min_size=2, max_size=4)))
    phases = st.sampled_from(["draft", "target", "verify"])
    return Iteration(
        index=index,
        context_length=context_length,
        context_tail=tuple(draw(st.lists(TOKENS, max_size=3))),
        forest=forest,
        decisions=tuple(draw(st.lists(decisions(forest), max_size=3))) if recorded else (),
        emitted=tuple(emitted),
        offered=offered,
        accepted=draw(st.integers(0, offered)),
        depth=draw(st.integers(0, 9)),
        calls=tuple(draw(st.lists(CALLS, max_size=3))),
        segments=tuple(Segment(draw(phases), a, b) for a, b in zip(marks, marks[1:], strict=False)),
        rows=draw(COUNT),
        rows_peak=draw(COUNT),
        seconds=draw(AMOUNT),
        record_seconds=draw(AMOUNT),
        notes=draw(st.dictionaries(TEXT, NUMBER, max_size=2)),
    )


MODELS = st.builds(ModelRecord, TEXT, TEXT, COUNT, COUNT, COUNT, COUNT, COUNT, TEXT)
METHODS = st.builds(MethodRecord, TEXT, TEXT, TEXT, TEXT, TEXT, st.dictionaries(TEXT, TEXT, max_size=2))
OPTIONS = st.dictionaries(TEXT, NUMBER | st.integers() | TEXT | st.booleans() | st.none(), max_size=4)
HEADERS = st.builds(
    Header,
    method=METHODS,
    options=OPTIONS,
    target=MODELS,
    draft=st.none() | MODELS,
    prompt_text=st.none() | TEXT,
    prompt_tokens=st.lists(TOKENS, max_size=4).map(tuple),
    seed=st.integers(),
    device=TEXT,
    versions=st.dictionaries(TEXT, TEXT, max_size=2),
    end_token=st.none() | TOKENS,
    probability_floor=CHANCE,
    cost_ratio=st.none() | AMOUNT,
    recorded=st.booleans(),
)


@st.composite
def traces(draw) -> Trace:
    header = draw(HEADERS)
    made: list[Iteration] = []
    for index in range(draw(st.integers(0, 3))):
        length = len(header.prompt_tokens) + sum(len(iteration.emitted) for iteration in made)
        made.append(draw(iterations(index, length)))
    maybe = st.none() | AMOUNT
    metrics = Metrics(
        tokens=sum(len(iteration.emitted) for iteration in made),
        seconds=draw(AMOUNT),
        tokens_per_second=draw(maybe),
        seconds_to_first_token=draw(AMOUNT),
        tokens_per_target_call=draw(maybe),
        acceptance_rate=draw(maybe),
        longest_accepted=draw(maybe),
        perplexity=draw(maybe),
        flops_per_token=draw(maybe),
        kv_rows_peak=draw(COUNT),
        target_calls=draw(COUNT),
        draft_calls=draw(COUNT),
        joules_per_token=draw(maybe),
        record_seconds=draw(AMOUNT),
    )
    vocabulary = {token: draw(TEXT) for token in range(VOCABULARY_SIZE)}
    stop = draw(st.sampled_from(["length", "end", "stopped"]))
    return Trace(header, tuple(made), metrics, vocabulary, draw(AMOUNT), stop)
