"""What the types of a trace cannot say: that its parts agree with each other.

``first_problem`` walks a trace and names the first field that contradicts another, as a path and a sentence.
"""

from collections.abc import Iterator

from specviz.trace.record import (
    CoinDecision,
    Decision,
    Distribution,
    DrawDecision,
    ForestRecord,
    Iteration,
    JointDecision,
    Metrics,
    Trace,
)

SUM_TOLERANCE = 1e-3
"""How far probabilities, the rest included, may sum from one: room for float32 models and rounded files."""

Problems = Iterator[tuple[str, str]]  # (path of the field, what is wrong with it)


def first_problem(trace: Trace) -> str | None:
    """The first contradiction in ``trace`` as ``path: sentence``, None for a sound trace."""
    for path, sentence in _trace(trace):
        return f"{path}: {sentence}"
    return None


def _trace(trace: Trace) -> Problems:
    header, known = trace.header, trace.vocabulary.keys()
    yield from _tokens("header.prompt_tokens", header.prompt_tokens, known)
    yield from _chance("header.probability_floor", header.probability_floor)
    yield from _nonnegative("prefill_seconds", trace.prefill_seconds)
    for role, model in (("target", header.target), ("draft", header.draft)):
        for name in ("parameters", "embedding_parameters", "layers", "width", "vocab_size") if model else ():
            yield from _nonnegative(f"header.{role}.{name}", getattr(model, name))
    length = len(header.prompt_tokens)
    for index, iteration in enumerate(trace.iterations):
        path = f"iterations[{index}]"
        if iteration.index != index:
            yield f"{path}.index", f"is {iteration.index}, iterations are numbered in order from 0"
        if iteration.context_length != length:
            yield f"{path}.context_length", f"is {iteration.context_length}, prompt and emitted tokens make {length}"
        yield from _iteration(path, iteration, known)
        length += len(iteration.emitted)
    yield from _metrics(trace.metrics, length - len(header.prompt_tokens))


def _iteration(path: str, iteration: Iteration, known) -> Problems:
    yield from _tokens(f"{path}.context_tail", iteration.context_tail, known)
    forest = iteration.forest
    if forest is not None:
        yield from _forest(f"{path}.forest", forest, known)
    for i, decision in enumerate(iteration.decisions):
        yield from _decision(f"{path}.decisions[{i}]", decision, forest, known)
    for i, emitted in enumerate(iteration.emitted):
        here = f"{path}.emitted[{i}]"
        yield from _tokens(f"{here}.token", (emitted.token,), known)
        if forest is not None and emitted.node is not None:
            yield from _node_of(here, emitted.node, emitted.token, forest)
    if not iteration.accepted <= iteration.offered:
        yield f"{path}.accepted", f"is {iteration.accepted}, more than the {iteration.offered} offered"
    for name in ("accepted", "depth", "rows", "rows_peak", "seconds", "record_seconds"):
        yield from _nonnegative(f"{path}.{name}", getattr(iteration, name))
    for i, call in enumerate(iteration.calls):
        for name in ("tokens", "rows", "seconds"):
            yield from _nonnegative(f"{path}.calls[{i}].{name}", getattr(call, name))
    for i, segment in enumerate(iteration.segments):
        if not 0.0 <= segment.start <= segment.end:
            yield f"{path}.segments[{i}]", f"runs from {segment.start} to {segment.end} on an axis that starts at 0"


def _forest(path: str, forest: ForestRecord, known) -> Problems:
    for i, node in enumerate(forest.nodes):
        here = f"{path}.nodes[{i}]"
        if not -1 <= node.parent < i:
            yield f"{here}.parent", f"is {node.parent}, a parent comes before its child: from -1 to {i - 1}"
            return
        depth = 1 if node.parent < 0 else forest.nodes[node.parent].depth + 1
        if node.depth != depth:
            yield f"{here}.depth", f"is {node.depth}, its parent makes it {depth}"
        yield from _chance(f"{here}.draft_prob", node.draft_prob)
        yield from _tokens(f"{here}.token", (node.token,), known)
    count = len(forest.nodes)
    for i, proposal in enumerate(forest.proposals):
        here = f"{path}.proposals[{i}]"
        if not len(proposal.parents) == len(proposal.parent_weights) == len(proposal.conditionals):
            yield here, "parents, parent_weights and conditionals have different lengths"
        for name, lowest in (("parents", -1), ("draws", 0)):
            yield from _range(f"{here}.{name}", getattr(proposal, name), lowest, count)
        for j, weight in enumerate(proposal.parent_weights):
            yield from _chance(f"{here}.parent_weights[{j}]", weight)
        for j, conditional in enumerate(proposal.conditionals):
            yield from _distribution(f"{here}.conditionals[{j}]", conditional, known)


def _decision(path: str, decision: Decision, forest: ForestRecord | None, known) -> Problems:
    yield from _tokens(f"{path}.token", (decision.token,), known)
    yield from _distribution(f"{path}.target", decision.target, known)
    if isinstance(decision, DrawDecision):
        yield from _distribution(f"{path}.source", decision.source, known)
    else:
        yield from _distribution(f"{path}.draft", decision.draft, known)
        yield from _judged(path, decision, forest)
    if not isinstance(decision, JointDecision) and decision.draw is not None:
        yield from _chance(f"{path}.draw", decision.draw)
    if isinstance(decision, CoinDecision):
        yield from _chance(f"{path}.chance", decision.chance)


def _judged(path: str, decision: CoinDecision | JointDecision, forest: ForestRecord | None) -> Problems:
    yield from _chance(f"{path}.target_prob", decision.target_prob)
    yield from _chance(f"{path}.draft_prob", decision.draft_prob)
    if forest is None:
        yield f"{path}.node", f"is {decision.node}, but the iteration has no forest"
    else:
        yield from _node_of(path, decision.node, decision.token, forest)


def _node_of(path: str, node: int, token: int, forest: ForestRecord) -> Problems:
    if not 0 <= node < len(forest.nodes):
        yield f"{path}.node", f"is {node}, the forest has {len(forest.nodes)} nodes"
    elif forest.nodes[node].token != token:
        yield f"{path}.token", f"is {token}, node {node} of the forest is token {forest.nodes[node].token}"


def _distribution(path: str, distribution: Distribution, known) -> Problems:
    tokens, probs = distribution.tokens, distribution.probs
    if not len(tokens) == len(probs) == len(distribution.logprobs):
        yield path, "tokens, probs and logprobs have different lengths"
        return
    if len(set(tokens)) < len(tokens):
        yield f"{path}.tokens", "a token is listed twice"
    yield from _tokens(f"{path}.tokens", tokens, known)
    for i, prob in enumerate(probs):
        yield from _chance(f"{path}.probs[{i}]", prob)
    yield from _chance(f"{path}.rest", distribution.rest)
    total = sum(probs) + distribution.rest
    if not abs(total - 1.0) <= SUM_TOLERANCE:
        yield path, f"probs and rest sum to {total:.6f}, they make one"


def _metrics(metrics: Metrics, tokens: int) -> Problems:
    if metrics.tokens != tokens:
        yield "metrics.tokens", f"is {metrics.tokens}, the iterations emit {tokens}"
    for name, value in vars(metrics).items():
        if value is not None:
            yield from _nonnegative(f"metrics.{name}", value)


def _tokens(path: str, tokens: tuple[int, ...], known) -> Problems:
    for token in tokens:
        if token not in known:
            yield path, f"token {token} is not in the vocabulary of the trace"
            return


def _range(path: str, numbers: tuple[int, ...], lowest: int, end: int) -> Problems:
    for i, number in enumerate(numbers):
        if not lowest <= number < end:
            yield f"{path}[{i}]", f"is {number}, nodes go from {lowest} to {end - 1}"


def _chance(path: str, value: float) -> Problems:
    if not 0.0 <= value <= 1.0 + 1e-6:  # room for the rounding of float32
        yield path, f"is {value}, a probability lies from 0 to 1"


def _nonnegative(path: str, value: float) -> Problems:
    if not value >= 0:
        yield path, f"is {value}, it cannot be negative"
