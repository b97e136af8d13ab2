"""Whole random traces, consistent in themselves: what the file format must carry without loss."""

from typing import get_args

from hypothesis import strategies as st

from specviz.trace.forest import Forest, Hypothesis, LayerBeam, Node, Proposal
from specviz.trace.record import (
    BeamRecord,
    Call,
    Emitted,
    Guarantee,
    Header,
    Iteration,
    MethodRecord,
    Metrics,
    ModelRecord,
    Segment,
    Trace,
)
from tests.trace.decision_strategies import (
    AMOUNT,
    COUNT,
    LOGPROB,
    NUMBER,
    ORIGIN,
    PROBABILITY,
    TOKENS,
    VOCABULARY_SIZE,
    WARPS,
    decisions,
    distributions,
    layers,
)

TEXT = st.text(max_size=8)
SHARE = st.none() | PROBABILITY
CALLS = st.builds(Call, st.sampled_from(["target", "draft", "heads"]), COUNT, COUNT, AMOUNT, st.integers(0, 3))


@st.composite
def beams(draw) -> BeamRecord:
    tokens = tuple(draw(st.lists(TOKENS, max_size=3)))
    plain = tokens, tokens[-1] if tokens else draw(TOKENS), draw(LOGPROB), draw(st.booleans())
    if draw(st.booleans()):
        return BeamRecord(*plain)
    return BeamRecord(*plain, tuple(draw(ORIGIN) for _ in tokens), tuple(draw(LOGPROB) for _ in tokens))


@st.composite
def nodes(draw, earlier: list[Node], roots: int) -> Node:
    parent = draw(st.integers(-roots, len(earlier) - 1))
    depth = 1 if parent < 0 else earlier[parent].depth + 1
    outcome = draw(st.sampled_from(["accepted", "rejected", "dropped", "unjudged", "pruned"]))
    shared = [node.draft for node in earlier if node.parent == parent]  # siblings may have been drawn from one
    draft = draw(st.sampled_from(shared)) if shared and draw(st.booleans()) else None
    if draft is None or not len(draft):
        token = draw(TOKENS)
        draft = draw(distributions(token))
    else:
        token = draw(st.sampled_from(draft.tokens.tolist()))
    node = Node(token, parent, depth, draft, draw(st.booleans()), outcome)
    if draw(st.booleans()):
        return node
    node.model, node.score, node.estimate = draw(st.integers(0, 3)), draw(SHARE), draw(SHARE)
    node.root = draw(st.none() | ORIGIN) if parent < 0 else None
    return node


@st.composite
def proposals(draw, count: int, roots: int) -> Proposal:
    prefix = st.integers(-roots, count - 1)
    parents = tuple(draw(st.lists(prefix, min_size=1, max_size=3)))
    joint = draw(st.none() | layers(count, roots))
    beams = st.builds(LayerBeam, prefix, LOGPROB, st.none() | distributions())
    return Proposal(
        parents,
        tuple(draw(PROBABILITY) for _ in parents),
        tuple(draw(distributions()) for _ in parents) if joint is None else (),
        tuple(draw(st.lists(prefix, max_size=3))),
        draw(st.booleans()),
        joint,
        tuple(draw(st.lists(beams, max_size=3))),
    )


@st.composite
def hypotheses(draw, made: list[Node]) -> Hypothesis:
    node = draw(st.none() | st.integers(0, len(made) - 1)) if made else None
    last = draw(TOKENS) if node is None else made[node].token
    return Hypothesis(
        (*draw(st.lists(TOKENS, max_size=2)), last), draw(AMOUNT), draw(AMOUNT), draw(st.booleans()), node
    )


@st.composite
def forests(draw, roots: int) -> Forest:
    made: list[Node] = []
    for _ in range(draw(st.integers(0, 5))):
        made.append(draw(nodes(made, roots)))
    drawn = draw(st.lists(proposals(len(made), roots), max_size=2)) if made else []
    candidates = tuple(draw(st.lists(hypotheses(made), max_size=2)))
    considered = len(candidates) + draw(st.integers(0, 20))
    known = [node.draft for node in made]  # one distribution may stand in several parts of a record
    one = distributions() | st.sampled_from(known) if known else distributions()
    target = draw(st.dictionaries(st.integers(-roots, len(made) - 1), one, max_size=3))
    drawing = draw(st.sampled_from(["independent", "without_replacement", "deterministic", "search"]) | TEXT)
    planned = draw(st.none() | st.integers(0, 9))
    return Forest(tuple(made), tuple(drawn), candidates, considered, planned, drawing, target)


@st.composite
def iterations(draw, index: int, context_length: int, before: tuple[BeamRecord, ...]) -> Iteration:
    """An iteration after one that ended with the beams ``before``: mostly it begins with them."""
    recorded = draw(st.booleans())
    inputs = before if draw(st.booleans()) else tuple(draw(st.lists(beams(), max_size=3)))
    forest = draw(forests(max(1, len(inputs)))) if recorded else None
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
        decisions=tuple(draw(st.lists(decisions(forest, max(1, len(inputs))), max_size=3))) if recorded else (),
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
        inputs=inputs,
        beams=tuple(draw(st.lists(beams(), max_size=3))),
        steps=draw(st.none() | st.integers(0, 9)),
    )


MODELS = st.builds(ModelRecord, TEXT, TEXT, COUNT, COUNT, COUNT, COUNT, COUNT, TEXT)
TEXTS = st.dictionaries(TEXT, TEXT, max_size=2)
GUARANTEE = st.sampled_from(get_args(Guarantee))
METHODS = st.builds(
    MethodRecord,
    *(TEXT, TEXT, TEXT, GUARANTEE, TEXT, TEXTS, TEXT, TEXT, SHARE, st.booleans()),
)
WHOLE = st.integers(-(10**30), 10**30)
WIDTHS = st.lists(WHOLE, max_size=3).map(tuple)
ANY_OPTION = NUMBER | WHOLE | TEXT | st.booleans() | WIDTHS | st.none()
WARP = st.sampled_from(WARPS).map(lambda warp: dict(zip(("temperature", "top_k", "top_p"), warp, strict=True)))
STRANGE_WARP = st.dictionaries(st.sampled_from(["temperature", "top_k", "top_p"]), ANY_OPTION, max_size=3)
OPTIONS = st.builds(
    lambda options, warp: options | warp, st.dictionaries(TEXT, ANY_OPTION, max_size=4), WARP | STRANGE_WARP
)
HEADERS = st.builds(
    Header,
    method=METHODS,
    options=OPTIONS,
    target=MODELS,
    draft=st.none() | MODELS,
    prompt_text=st.none() | TEXT,
    prompt_tokens=st.lists(TOKENS, max_size=4).map(tuple),
    seed=WHOLE,
    device=TEXT,
    versions=st.dictionaries(TEXT, TEXT, max_size=2),
    end_token=st.none(),
    probability_floor=PROBABILITY,
    cost_ratio=st.none() | AMOUNT,
    recorded=st.booleans(),
    drafts=st.lists(MODELS, max_size=2).map(tuple),
    heads=st.none() | MODELS,
    end_tokens=st.lists(TOKENS, max_size=2).map(tuple),
)


@st.composite
def traces(draw) -> Trace:
    header = draw(HEADERS)
    made: list[Iteration] = []
    for index in range(draw(st.integers(0, 3))):
        length = len(header.prompt_tokens) + sum(len(iteration.emitted) for iteration in made)
        made.append(draw(iterations(index, length, made[-1].beams if made else ())))
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
        processor_share=draw(maybe),
        call_slowdown=draw(maybe),
        alpha=draw(SHARE),
        acceptance_by_depth=tuple(draw(st.lists(PROBABILITY, max_size=3))),
        bytes_per_token=draw(maybe),
        kv_bytes_peak=draw(st.none() | COUNT),
        kv_bytes_separate=draw(st.none() | COUNT),
        drafts_stopped=draw(SHARE),
        average_width=draw(maybe),
        ms_per_target_call=draw(maybe),
        ms_per_draft_call=draw(maybe),
    )
    vocabulary = {token: draw(TEXT) for token in range(VOCABULARY_SIZE)}
    stop = draw(st.sampled_from(["length", "end", "stopped"]))
    return Trace(header, tuple(made), metrics, vocabulary, draw(AMOUNT), stop, no_energy=draw(TEXT))
